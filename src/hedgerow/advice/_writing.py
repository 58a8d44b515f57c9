"""Writing a suggestion as a job file: TOML with a comment for every decision, to be read and changed.

Names of columns may hold anything, also quotes and line ends: they are escaped in values and in comments.
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hedgerow.advice._advice import Advice
from hedgerow.errors import BadInput, plural
from hedgerow.io.atomic import appearing, check_place, refuse_existing
from hedgerow.io.readers import STANDARD_INPUT

__all__ = ["job_text", "toml_text", "write_job"]

_WIDTH: Final = 110
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SECTIONS: Final = (
    ("identifying", ("identifying", "redundant"), "Left out: they tell who somebody is, or what other columns hide."),
    ("quasi", ("quasi",), "Generalized, so that at least k rows share them: what others may know of a person."),
    ("sensitive", ("sensitive",), "Published as they are, and protected by the requirements below."),
    ("insensitive", ("insensitive",), "Published as they are. If others may know one, make it a quasi-identifier."),
)


def toml_text(text: str) -> str:
    r"""Write a text as TOML does.

    >>> print(toml_text('a "b"\n'))
    "a \"b\"\n"
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_job(advice: Advice, path: Path, *, overwrite: bool) -> Path:
    """Write the job file; as a whole or not at all."""
    check_place(path)
    if not overwrite:
        refuse_existing(path)
    text = job_text(advice, path)
    strange = BadInput("The name of a column cannot be written as UTF-8. Rename it.")
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise strange from None
    with appearing(path) as staged:
        staged.write_bytes(raw)
    return path


def job_text(advice: Advice, path: Path) -> str:
    """The text of a job file for a place: relative paths begin in its folder."""
    blocks = [
        list(_head(advice, path)),
        list(_places(advice, path.parent)),
        *(list(_columns(advice, *section)) for section in _SECTIONS),
        list(_single(advice)),
        list(_asked(advice)),
        list(_kinds(advice)),
        list(_hierarchies(advice)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(advice: Advice, path: Path) -> Iterator[str]:
    people = "" if advice.people is None else f" of about {plural(advice.people, 'people')}"
    size = f"{plural(advice.rows, 'rows')}{people} and {plural(len(advice.columns), 'columns')}"
    yield from _comment(f"Suggested by hedgerow advise for a table of {size}. Read it, change it, then type")
    yield f"#   hedgerow anonymize --job {_printable(path.name)}"
    if advice.trial is not None:
        yield from _comment(advice.trial.told(advice.rows))
    for note in advice.notes:
        yield from _comment(f"Note: {note}")


def _places(advice: Advice, folder: Path) -> Iterator[str]:
    typed = advice.table.get("input")
    if typed is None:
        yield from _comment("The table was in memory. Name its file here.")
        yield '# input = "people.csv"'
        yield 'output = "release.csv"'
    else:
        yield f"input = {toml_text(_from(folder, typed))}"
        yield f"output = {toml_text(_output(typed))}"
    for name in ("encoding", "delimiter", "sheet"):
        if name in advice.table:
            yield f"{name} = {toml_text(advice.table[name])}"
    if advice.decimal != ".":
        yield f"decimal = {toml_text(advice.decimal)}  # There are numbers with decimal commas."
    if advice.missing:
        yield f"missing = {_array(advice.missing)}  # Texts that mean 'no value'; so does an empty cell."


def _from(folder: Path, typed: str) -> str:
    if typed == STANDARD_INPUT or Path(typed).is_absolute():
        return typed
    # Where folders cannot be compared, as on two drives, the whole path is named.
    try:
        return Path(os.path.relpath(Path(typed).absolute(), folder.absolute())).as_posix()
    except ValueError:
        return str(Path(typed).absolute())


def _output(typed: str) -> str:
    """What the release is called.

    >>> _output("data/people.csv.gz"), _output("visits/"), _output("-"), _output("a/*.parquet")
    ('people-release.csv', 'visits-release.csv', 'release.csv', 'release.parquet')
    """
    name = Path(typed).name
    ending = ".parquet" if name.lower().endswith(".parquet") else ".csv"
    stem = name.partition(".")[0]
    plain = stem and stem != STANDARD_INPUT and not set(stem) & set("*?[]")
    return f"{stem}-release{ending}" if plain else f"release{ending}"


def _columns(advice: Advice, field: str, roles: Sequence[str], meaning: str) -> Iterator[str]:
    named = advice.quasi if field == "quasi" else [one for one in advice.columns if one.role in roles]
    if not named:
        return
    yield from _comment(meaning)
    if field == "quasi":
        yield from _told_together(advice)
    yield f"{field} = ["
    for one in named:
        yield f"    {toml_text(one.name)},  # {_printable(one.reason)}"
    yield "]"


def _told_together(advice: Advice) -> Iterator[str]:
    several = [one for one in advice.combinations if len(one.columns) > 1]
    if several:
        best = several[-1]
        names = ", ".join(map(repr, best.columns))
        yield from _comment(
            f"Those that tell most apart stand first. Together {names} single out {best.alone:.0%} of the rows."
        )


def _single(advice: Advice) -> Iterator[str]:
    """The columns of which there is one."""
    for field, meaning in (
        ("entity", "By this column k counts people, not rows."),
        ("target", "What is to be learnt."),
    ):
        for one in advice.columns:
            if one.role == field:
                yield from _comment(f"{meaning} {one.reason}")
                yield f"{field} = {toml_text(one.name)}"


def _asked(advice: Advice) -> Iterator[str]:
    yield f"k = {advice.k}  # {advice.k_reason}"
    if advice.require:
        yield "require = ["
        for rule, reason in advice.require.items():
            yield f"    {toml_text(rule)},  # {reason[:1].upper()}{reason[1:]}."
        yield "]"
    yield f"method = {toml_text(advice.method.value)}  # {_printable(advice.method.reason)}"


def _kinds(advice: Advice) -> Iterator[str]:
    said = [one for one in advice.columns if one.role == "quasi" and one.kind is not None]
    if not said:
        return
    yield from _comment("What columns hold, where it is not plain: text, number, date, or their values in order.")
    yield "[kinds]"
    for one in said:
        value = _array(one.kind) if isinstance(one.kind, tuple) else toml_text(one.kind or "")
        yield f"{_key(one.name)} = {value}  # {one.kind_reason}"


def _hierarchies(advice: Advice) -> Iterator[str]:
    # Where a method finds sets of its own, to hide a value altogether is no choice that anybody would want.
    could = [
        one for one in advice.columns if one.given or (one.role == "quasi" and one.hierarchy not in (None, "flat"))
    ]
    if not could:
        return
    yield from _comment("How values generalize. What is given here is what is published.")
    if not all(one.given for one in could):
        yield from _comment(
            f"Those behind # are for you to choose: {advice.method.value} finds intervals of its own, which keep more; "
            "these have round ends."
        )
    yield "[hierarchy]"
    for one in could:
        yield f"{'' if one.given else '# '}{_key(one.name)} = {toml_text(one.hierarchy or '')}"


def _key(name: str) -> str:
    return name if name and set(name) <= _PLAIN else toml_text(name)


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(toml_text, texts))}]"


def _printable(text: str) -> str:
    r"""Text for a comment: nothing in it ends the line.

    >>> _printable("a\nb")
    'a\\nb'
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(_printable(text), _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
