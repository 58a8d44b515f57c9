"""What the pages of all methods have in common: ``python docs/making/method_pages.py`` writes it into them.

Parameters, guarantees and measured figures stand between two comments of a page, and are written there from the
classes and from benchmarks/RESULTS.md; so do the pictures of the gallery. The rest of a page is written by hand. A test
says if a page has to be written again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import Parameter, preset_in_words
from hedgerow.anonymizers.registry import METHODS

DOCS: Final = Path(__file__).parents[1]
PAGES: Final = DOCS / "methods"
RESULTS: Final = DOCS.parent / "benchmarks" / "RESULTS.md"
_TITLE: Final = "Every method on the census (20,000 rows, 8 quasi-identifiers, k = 10)"
_IN_A_ROW: Final = 3
_BLOCK: Final = re.compile(r"<!-- ([a-z]+) -->\n.*?<!-- end -->", flags=re.DOTALL)


@dataclass(frozen=True)
class Measured:
    """What was measured of every method in one run.

    Attributes
    ----------
    command, date, machine : str
    heads : tuple of str
        Of the table.
    rows : dict of str to tuple of str
        By the name of the method, without it.
    """

    command: str
    date: str
    machine: str
    heads: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]

    @property
    def told(self) -> str:
        """When, how and where it was measured."""
        return f"Measured on {self.date} by {self.command} ({self.machine})."


def measured() -> Measured:
    """Read what `benchmarks/run.py methods` wrote."""
    _, _, text = RESULTS.read_text(encoding="utf-8").partition(f"## {_TITLE}\n\n")
    about, table = text.split("\n## ")[0].strip().split("\n\n")
    heads, _, *rows = (_cells(line) for line in table.splitlines())
    command, date, machine = about.split(" · ")
    return Measured(command, date, machine, heads, {name: tuple(others) for name, *others in rows})


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))


def parameters(method: type[Anonymizer]) -> str:
    """A table of the parameters that other methods do not have, or have with another default."""
    common = Anonymizer.fields
    own = {
        name: one for name, one in method.fields.items() if name not in common or one.default != common[name].default
    }
    link = "[parameters of every method](index.md#parameters-of-every-method)"
    shown = f"`{method.__name__}` has only the {link}." if not own else f"{_table(own)}\n\nBesides these, the {link}."
    presets = preset_in_words(method, "`", called='{mark}preset="{name}"{mark} ({mark}--preset {name}{mark})')
    return "\n\n".join([shown, presets]) if presets else shown


def shared_parameters() -> str:
    """A table of the parameters that every method has."""
    return _table(Anonymizer.fields)


def _table(fields: Mapping[str, Parameter]) -> str:
    rows = [
        (f"`{name}`", _kind(one.kind), f"`{_quoted(one.default)}`", _escaped(_plain(one.meaning)))
        for name, one in fields.items()
    ]
    return _lines(("parameter", "what it may be", "if not given", "what it does"), rows)


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows))


def _kind(kind: str) -> str:
    """What a parameter may be, its words as code."""
    return re.sub(r'"([^"]*)"', r'`"\1"`', kind.strip("{").replace("}", ""))


def _quoted(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _plain(meaning: str) -> str:
    """The words of a docstring as Markdown."""
    return re.sub(r":[a-z]+:`([^`]*)`", r"`\1`", meaning).replace("``", "`")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def guarantees(method: type[Anonymizer]) -> str:
    """Which requirements it supports, who may be lost, and how large a table may be."""
    lost = {
        "itself": "the search decides which",
        "outliers": "those that widen their groups most",
        "classes": "those of classes that are too small",
    }
    parts = (
        "**Larger than memory:** yes, with its defaults. Where the distinct combinations of values do not fit, the "
        "table is cut in parts, with the same result."
        if method().not_in_parts() is None
        else "**Larger than memory:** the rows may be, the distinct combinations of values must fit."
    )
    lines = (
        f"**Requirements:** {method.guarantees}. The verifier counts each of them again on the published rows.",
        f"**Lost records:** none, unless you give a `suppression_limit`; then {lost[method.suppression_by]}.",
        parts,
    )
    return "\n".join(f"- {line}" for line in lines)


def figures(method: type[Anonymizer]) -> str:
    """What was measured of it."""
    found = measured()
    seconds, ncp, published, classes = found.rows[method.name]
    if not seconds[0].isdigit():
        text = f"20,000 rows of the built-in census with eight quasi-identifiers at k = 10 are **{seconds}**."
    else:
        text = (
            f"20,000 rows of the built-in census with eight quasi-identifiers at k = 10: **{seconds} seconds** from "
            f"table to verified release, NCP **{ncp}** ({published} as published), {classes} classes."
        )
    return f"{text} {found.told} [All methods](index.md#what-they-cost)"


def all_figures() -> str:
    """What was measured of all of them."""
    found = measured()
    rows = [(f"[{name}]({name}.md)", *cells) for name, cells in found.rows.items()]
    return f"{_lines(found.heads, rows)}\n\n{found.told}"


def pictures() -> str:
    """The pictures of all methods, three in a row, each with its name and a link to its page."""
    cells = [f"[![What {name} publishes of two columns](pictures/{name}.svg)](methods/{name}.md)" for name in METHODS]
    names = [f"[{name}](methods/{name}.md)" for name in METHODS]
    rows = [
        row
        for at in range(0, len(cells), _IN_A_ROW)
        for row in (names[at : at + _IN_A_ROW], cells[at : at + _IN_A_ROW])
    ]
    return _lines(rows[0], rows[1:])


OF_A_METHOD: Final[dict[str, Callable[[type[Anonymizer]], str]]] = {
    "guarantees": guarantees,
    "figures": figures,
    "parameters": parameters,
}
"""What stands in the page of every method."""
OF_ALL: Final[dict[str, Callable[[], str]]] = {"figures": all_figures, "parameters": shared_parameters}
"""What stands in the page on all of them."""


def filled(page: str, told: dict[str, str]) -> str:
    """A page with what stands between its comments written anew."""
    return _BLOCK.sub(lambda block: f"<!-- {block[1]} -->\n{told[block[1]]}\n<!-- end -->", page)


def pages() -> dict[Path, str]:
    """All pages as they should be."""
    told = {PAGES / "index.md": {name: tell() for name, tell in OF_ALL.items()}}
    told[DOCS / "gallery.md"] = {"methods": pictures()}
    for method in METHODS.values():
        told[PAGES / f"{method.name}.md"] = {name: tell(method) for name, tell in OF_A_METHOD.items()}
    return {path: filled(path.read_text(encoding="utf-8"), parts) for path, parts in told.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
