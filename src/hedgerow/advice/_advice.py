"""Advice: what is suggested for a table, with reasons, and how it is written as a job file.

It holds no value that few rows have. Names of columns may hold anything, also quotes and line ends: they are escaped in
the values and comments of the job file.
"""

from __future__ import annotations

import dataclasses
import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hedgerow._internal.notebook import NotebookRepr, preformatted
from hedgerow.advice._profiles import Combination
from hedgerow.advice._requirements import Choice, LeastPeople
from hedgerow.advice._roles import Role
from hedgerow.advice._trial import Trial
from hedgerow.errors import BadInput, Infeasible, plural, translated
from hedgerow.io.atomic import appearing, check_place, refuse_existing
from hedgerow.io.readers import STANDARD_INPUT
from hedgerow.schema import Schema

__all__ = ["Advice", "ColumnAdvice", "toml_text"]


@dataclass(frozen=True)
class ColumnAdvice:
    """What is suggested for one column.

    Attributes
    ----------
    name : str
    role : str
        ``identifying`` and ``redundant`` columns are left out, and so is the ``entity``, by which people are counted.
        ``quasi``, ``sensitive``, ``target`` and ``insensitive`` columns are published.
    reason : str
        Why, in one sentence.
    holds : {"number", "date", "text"}
    distinct : int
        The number of different values.
    distinction : float
        The share of different values among the rows that have one.
    separation : float
        The share of pairs of rows in which it differs.
    kind : str or tuple of str, optional
        The kind, if it must be given; or the values in their order, each of which at least k rows have.
    kind_reason : str
    hierarchy : str, optional
        How it could generalize.
    given : bool
        Whether the job gives the hierarchy. Otherwise it is a comment there, because the method keeps more without it,
        or because only ``min_people`` needs it.
    """

    name: str
    role: Role
    reason: str
    holds: str
    distinct: int
    distinction: float
    separation: float
    kind: str | tuple[str, ...] | None = None
    kind_reason: str = ""
    hierarchy: str | None = None
    given: bool = False


@dataclass(frozen=True, repr=False)
class Advice(NotebookRepr):
    """What is suggested for a table.

    Attributes
    ----------
    rows : int
    people : int or None
        About how many different values the suggested entity has; ``None`` without one.
    columns : tuple of ColumnAdvice
        All columns, in their order.
    combinations : tuple of Combination
        The columns that distinguish people best: one, two, three, four of them.
    k : int
    k_reason : str
    require : mapping of str to str
        Further requirements, and why.
    method : Choice
    least : LeastPeople or None
        How many people must hold every value (``min_people`` of :func:`hedgerow.anonymize`).
    missing : tuple of str
        Texts that mean "no value".
    decimal : str
    notes : tuple of str
        What you should know before you publish.
    sampled : int or None
        The number of rows in which columns were compared, if not in all.
    trial : Trial or None
        The result of trying the suggestion, if it was tried.
    hopeless : str
        Why no job can be suggested; empty if it can.
    table : mapping of str to str
        The fields of a job that name the table and how to read it; empty for a dataframe.
    """

    rows: int
    people: int | None
    columns: tuple[ColumnAdvice, ...]
    combinations: tuple[Combination, ...]
    k: int
    k_reason: str
    require: Mapping[str, str]
    method: Choice
    least: LeastPeople | None = None
    missing: tuple[str, ...] = ()
    decimal: str = "."
    notes: tuple[str, ...] = ()
    sampled: int | None = None
    trial: Trial | None = None
    hopeless: str = ""
    table: Mapping[str, str] = field(default_factory=dict)

    def named(self, *roles: Role) -> list[str]:
        """The names of the columns with these roles."""
        return [column.name for column in self.columns if column.role in roles]

    @property
    def quasi(self) -> list[ColumnAdvice]:
        """The quasi-identifiers. The first distinguishes most people."""
        quasi = (column for column in self.columns if column.role == "quasi")
        return sorted(quasi, key=lambda column: (-column.separation, -column.distinction))

    @property
    def schema(self) -> Schema:
        """The roles, kinds and hierarchies as :func:`hedgerow.anonymize` takes them."""
        quasi = [column for column in self.columns if column.role == "quasi"]
        return Schema(
            quasi=self.named("quasi"),
            target=next(iter(self.named("target")), None),
            identifying=self.named("identifying", "redundant"),
            sensitive=self.named("sensitive"),
            insensitive=self.named("insensitive"),
            entity=next(iter(self.named("entity")), None),
            kinds={column.name: _listed(column.kind) for column in quasi if column.kind is not None},
            hierarchies={column.name: column.hierarchy for column in quasi if column.given},
            recode={} if self.least is None else dict(self.least.recode),
            missing=tuple(dict.fromkeys((*self.missing, ""))),
        )

    def __repr__(self) -> str:
        size = f"{plural(self.rows, 'rows')}, {plural(len(self.columns), 'columns')}"
        if self.hopeless:
            return f"Advice({size}: {self.hopeless})"
        roles: dict[Role, str] = {"quasi": "quasi-identifiers", "sensitive": "sensitive", "insensitive": "in clear"}
        counts = [f"{len(self.named(role))} {words}" for role, words in roles.items()]
        left_out = len(self.named("identifying", "redundant", "entity"))
        return f"Advice({size}: {left_out} left out, {', '.join(counts)}; k = {self.k}, {self.method.value})"

    def __str__(self) -> str:
        return f"{self!r}\n" if self.hopeless else self.job()

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def job(self, path: str | Path = "job.toml") -> str:
        """The suggestion as the text of a job file. It runs as it is; comments give the reasons.

        Parameters
        ----------
        path : str or Path
            Where the file will be: the path of the table starts there.
        """
        self._refuse_hopeless()
        return _job_text(self, Path(path))

    def save(self, path: str | Path = "job.toml", *, overwrite: bool = False) -> Path:
        """Write the job file, and return its path."""
        self._refuse_hopeless()
        return _write_job(self, Path(path), overwrite=overwrite)

    def _refuse_hopeless(self) -> None:
        if self.hopeless:
            raise Infeasible(self.hopeless)

    def to_dict(self) -> dict[str, Any]:
        """Return the suggestion as plain values for JSON."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "table"}
        plain |= {
            "columns": [dataclasses.asdict(column) for column in self.columns],
            "combinations": [dataclasses.asdict(combination) for combination in self.combinations],
            "require": dict(self.require),
            "method": dataclasses.asdict(self.method),
            "least": None if self.least is None else dataclasses.asdict(self.least),
            "trial": None if self.trial is None else dataclasses.asdict(self.trial),
        }
        return plain


def _listed(kind: str | tuple[str, ...]) -> str | list[str]:
    return kind if isinstance(kind, str) else list(kind)


# --------------------------------------------------------------------------------------------------
# The job file: TOML with a comment for every decision, for you to read and change.


_WIDTH: Final = 110
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SECTIONS: Final = (
    ("identifying", ("identifying", "redundant"), "Left out: they identify people, or reveal what other columns hide."),
    (
        "quasi",
        ("quasi",),
        "Generalized, so that at least k rows share them: others may know this about a person.",
    ),
    ("sensitive", ("sensitive",), "Published unchanged, and protected by the requirements below."),
    (
        "insensitive",
        ("insensitive",),
        "Published unchanged. If others may know one, make it a quasi-identifier.",
    ),
)


def toml_text(text: str) -> str:
    r"""Write a text in TOML.

    >>> print(toml_text('a "b"\n'))
    "a \"b\"\n"
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write_job(advice: Advice, path: Path, *, overwrite: bool) -> Path:
    """Write the job file, as a whole or not at all."""
    check_place(path)
    refuse_existing(path, overwrite=overwrite)
    text = _job_text(advice, path)
    with translated(UnicodeEncodeError, into=BadInput("A column name cannot be written as UTF-8. Rename the column.")):
        raw = text.encode("utf-8")
    with appearing(path) as staged:
        staged.write_bytes(raw)
    return path


def _job_text(advice: Advice, path: Path) -> str:
    """The text of a job file at a path: relative paths start in its folder."""
    blocks = [
        list(_head(advice, path)),
        list(_places(advice, path.parent)),
        *(list(_columns(advice, *section)) for section in _SECTIONS),
        list(_single(advice)),
        list(_requirements(advice)),
        list(_kinds(advice)),
        list(_recodes(advice)),
        list(_hierarchies(advice)),
        list(_reasons(advice)),
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
        yield f"decimal = {toml_text(advice.decimal)}  # Some numbers have decimal commas."
    if advice.missing:
        yield f"missing = {_array(advice.missing)}  # Texts that mean 'no value', like an empty cell."


def _from(folder: Path, typed: str) -> str:
    if typed == STANDARD_INPUT or Path(typed).is_absolute():
        return typed
    # Folders on two drives cannot be compared: then the whole path is written.
    try:
        return Path(os.path.relpath(Path(typed).absolute(), folder.absolute())).as_posix()
    except ValueError:
        return str(Path(typed).absolute())


def _output(typed: str) -> str:
    """The name of the release.

    >>> _output("data/people.csv.gz"), _output("visits/"), _output("-"), _output("a/*.parquet")
    ('people-release.csv', 'visits-release.csv', 'release.csv', 'release.parquet')
    """
    name = Path(typed).name
    ending = ".parquet" if name.lower().endswith(".parquet") else ".csv"
    stem = name.partition(".")[0]
    plain = stem and stem != STANDARD_INPUT and not set(stem) & set("*?[]")
    return f"{stem}-release{ending}" if plain else f"release{ending}"


def _columns(advice: Advice, field: str, roles: Sequence[str], meaning: str) -> Iterator[str]:
    columns = advice.quasi if field == "quasi" else [column for column in advice.columns if column.role in roles]
    if not columns:
        return
    yield from _comment(meaning)
    if field == "quasi":
        yield from _together(advice)
    yield f"{field} = ["
    for column in columns:
        yield f"    {toml_text(column.name)},  # {_printable(column.reason)}"
    yield "]"


def _together(advice: Advice) -> Iterator[str]:
    several = [combination for combination in advice.combinations if len(combination.columns) > 1]
    if several:
        best = several[-1]
        names = ", ".join(map(repr, best.columns))
        yield from _comment(
            f"The columns that distinguish most come first. Together {names} single out {best.alone:.0%} of the rows."
        )


def _single(advice: Advice) -> Iterator[str]:
    """The entity and the target."""
    for role, meaning in (
        ("entity", "By this column k counts people, not rows."),
        ("target", "The column to predict."),
    ):
        for column in advice.columns:
            if column.role == role:
                yield from _comment(f"{meaning} {column.reason}")
                yield f"{role} = {toml_text(column.name)}"


def _requirements(advice: Advice) -> Iterator[str]:
    yield f"k = {advice.k}  # {advice.k_reason}"
    if advice.require:
        yield "require = ["
        for rule, reason in advice.require.items():
            yield f"    {toml_text(rule)},  # {reason[:1].upper()}{reason[1:]}."
        yield "]"
    if advice.least is not None:
        yield f"min-people = {advice.least.number}  # {advice.least.reason}"
    yield f"method = {toml_text(advice.method.value)}  # {_printable(advice.method.reason)}"


def _kinds(advice: Advice) -> Iterator[str]:
    columns = [column for column in advice.columns if column.role == "quasi" and column.kind is not None]
    if not columns:
        return
    yield from _comment("What columns hold, if it is not obvious: text, number, date, or their values in order.")
    yield "[kinds]"
    for column in columns:
        value = _array(column.kind) if isinstance(column.kind, tuple) else toml_text(column.kind or "")
        yield f"{_key(column.name)} = {value}  # {column.kind_reason}"


def _recodes(advice: Advice) -> Iterator[str]:
    if advice.least is None or not advice.least.recode:
        return
    yield from _comment("Numbers in clear that too few people may hold: each becomes the mean of a small group.")
    yield "[recode]"
    for name, words in advice.least.recode.items():
        yield f"{_key(name)} = {toml_text(words)}"


def _hierarchies(advice: Advice) -> Iterator[str]:
    columns = [column for column in advice.columns if column.given or _is_optional(column)]
    sensitive = [column for column in advice.columns if column.role == "sensitive" and column.hierarchy is not None]
    if not columns and not sensitive:
        return
    yield from _comment("How values generalize. The hierarchies here are what is published.")
    if not all(column.given for column in columns):
        yield from _comment(
            f"Those behind # are optional: {advice.method.value} finds intervals of its own, which keep more detail; "
            "these have round ends."
        )
    yield "[hierarchy]"
    for column in columns:
        yield f"{'' if column.given else '# '}{_key(column.name)} = {toml_text(column.hierarchy or '')}"
    if sensitive:
        yield from _comment(
            "With min-people, rare codes are shown as 'other'; with this, as their category or chapter:"
        )
    for column in sensitive:
        yield f"# {_key(column.name)} = {toml_text(column.hierarchy or '')}"


def _reasons(advice: Advice) -> Iterator[str]:
    """Who suggested the role of each column and why, as the report shows it beside the role that somebody chose."""
    yield from _comment(
        "Who chose each role, and why: the internal report shows it. If you choose another role, write here who did "
        "and why. If you do not, the report says that the role is not the one that was suggested."
    )
    yield "[reasons]"
    for column in advice.columns:
        fields = {"role": column.role, "by": "hedgerow advise", "reason": column.reason}
        entry = ", ".join(f"{name} = {toml_text(text)}" for name, text in fields.items())
        yield f"{_key(column.name)} = {{ {entry} }}"


def _is_optional(column: ColumnAdvice) -> bool:
    """Whether you may want its hierarchy. Nobody would choose to hide all values ("flat") if a method finds sets."""
    return column.role == "quasi" and column.hierarchy not in (None, "flat")


def _key(name: str) -> str:
    return name if name and set(name) <= _PLAIN else toml_text(name)


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(toml_text, texts))}]"


def _printable(text: str) -> str:
    r"""Text for a comment, without line ends.

    >>> _printable("a\nb")
    'a\\nb'
    """
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(_printable(text), _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
