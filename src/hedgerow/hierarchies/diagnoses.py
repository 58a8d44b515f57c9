"""Diagnoses: ICD-10 codes below their first characters, below their chapters.

Only the structure of a code is read: a letter, two characters, and up to four more behind a dot. No list of codes is
needed, so the codes of national versions fit as well. The ranges of the chapters are those of the World Health
Organization, with the codes that the American (CM) and the German version (GM) have beside them.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from hedgerow.errors import BadInput, plural
from hedgerow.hierarchies._coverage import Uncovered
from hedgerow.hierarchies.encoded import EncodedHierarchy, Tree, encode_tree
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["ICD_LEVELS", "Diagnoses", "code_of", "icd10"]

IcdLevel = Literal[6, 5, 4, 3, "chapter"]

ICD_LEVELS: Final[tuple[IcdLevel, ...]] = (6, 5, 4, 3, "chapter")
"""The levels of ICD-10 codes, finest first: how many characters of the code are kept, and the chapter."""

_CODE: Final = re.compile(r"([A-Z][0-9][0-9A-B])(?:\.?([0-9A-Z]{0,4}))-*[*+!†#]?", re.IGNORECASE)
"""A code with or without its dot, then hyphens for characters that are left open, then a mark."""

_CHAPTERS: Final = (
    ("A00", "B99"),
    ("C00", "D49"),
    ("D50", "D90"),
    ("E00", "E90"),
    ("F00", "F99"),
    ("G00", "G99"),
    ("H00", "H59"),
    ("H60", "H95"),
    ("I00", "I99"),
    ("J00", "J99"),
    ("K00", "K95"),
    ("L00", "L99"),
    ("M00", "M99"),
    ("N00", "N99"),
    ("O00", "O9A"),
    ("P00", "P96"),
    ("Q00", "Q99"),
    ("R00", "R99"),
    ("S00", "T98"),
    ("U00", "U99"),
    ("V00", "Y99"),
    ("Z00", "Z99"),
)
"""The first and the last category of each chapter. As texts they are in the order of the codes."""


def code_of(text: str) -> str | None:
    """The characters of an ICD-10 code, without dot, hyphens and mark; ``None`` if a text is no such code.

    >>> code_of("I21.4"), code_of("s52501a"), code_of("M73.0-*"), code_of("I21.-"), code_of("C4A")
    ('I214', 'S52501A', 'M730', 'I21', 'C4A')
    >>> code_of("E95"), code_of("21.4"), code_of("I21.4 G"), code_of("I21,I22")
    (None, None, None, None)
    """
    match = _CODE.fullmatch(text.strip())
    if match is None:
        return None
    category, rest = match.groups()
    code = f"{category}{rest}".upper()
    return code if code[:3] <= _CHAPTERS[_chapter(code)][1] else None


def _chapter(code: str) -> int:
    """The chapter that begins last at or before a code."""
    return bisect(_CHAPTERS, code[:3], key=lambda ends: ends[0]) - 1


def _label(code: str, level: IcdLevel) -> str:
    """What a level shows of a code.

    >>> [_label("S52501A", level) for level in ICD_LEVELS]
    ['S52.501*', 'S52.50*', 'S52.5*', 'S52*', 'S00..T98']
    """
    if level == "chapter":
        return "..".join(_CHAPTERS[_chapter(code)])
    return f"{code[:3]}.{code[3:level]}*" if len(code) > 3 and level > 3 else f"{code[:3]}*"


@dataclass(frozen=True)
class Diagnoses:
    """ICD-10 codes generalize to what they begin with, and to chapters; see :func:`icd10`."""

    levels: tuple[IcdLevel, ...] | None = None

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Place the codes of a column, in their order."""
        codes = _codes(domain)
        levels = _useful_levels(codes) if self.levels is None else self.levels
        tree, leaf_of = _tree(domain.labels.tolist(), codes, levels)
        shown = ", ".join("chapter" if level == "chapter" else f"{level} characters" for level in levels)
        return encode_tree(tree, leaf_of, domain, f"ICD-10 codes by {shown}")


def _codes(domain: Domain) -> list[str]:
    """The code of each value; an error if some have none."""
    if domain.kind != "text":
        raise BadInput(f"The column {domain.name!r} holds {domain.kind}s, not ICD-10 codes. Use another hierarchy.")
    codes = [code_of(label) for label in domain.labels.tolist()]
    wrong = np.array([at for at, code in enumerate(codes) if code is None], dtype=np.int64)
    if len(wrong):
        raise Uncovered(
            f"The column {domain.name!r} has {plural(len(wrong), 'values')} without the form of an ICD-10 code",
            "Write one code in each cell, such as I21.4 or S52.501A; name these values in missing= (--missing) if they "
            "mean that there is no value; or take a hierarchy for any code, such as prefix:1,3.",
            domain,
            wrong,
        )
    return [code for code in codes if code is not None]


def _useful_levels(codes: Sequence[str]) -> tuple[IcdLevel, ...]:
    """The chapter, and the levels at which some code has more characters, or some code is written in several ways."""
    longest = max((len(code) + (written > 1) for code, written in Counter(codes).items()), default=0)
    return tuple(level for level in ICD_LEVELS if level == "chapter" or level < longest)


def _tree(labels: Sequence[str], codes: Sequence[str], levels: Sequence[IcdLevel]) -> tuple[Tree, list[int]]:
    """The tree of some codes, and the leaf of each. Levels at which a short code shows nothing more are left out."""
    nodes: dict[str, int] = {SUPPRESSED_TEXT: 0}
    names, parent = [SUPPRESSED_TEXT], [-1]
    leaf_of = [0] * len(codes)
    for at in sorted(range(len(codes)), key=lambda at: (codes[at], labels[at])):
        above = 0
        for level in reversed(levels):
            label = _label(codes[at], level)
            if label not in nodes:
                nodes[label] = len(names)
                names.append(label)
                parent.append(above)
            above = nodes[label]
        leaf_of[at] = len(names)
        names.append(labels[at])
        parent.append(above)
    return Tree(tuple(names), tuple(parent)), leaf_of


def icd10(levels: IcdLevel | Sequence[IcdLevel] | None = None) -> Diagnoses:
    """Build a hierarchy of ICD-10 codes: I21.4, ``I21*`` (its category), ``I00..I99`` (its chapter), ``*``.

    A code is a letter, a digit, a digit or the letter A or B, and up to four more letters and digits. The dot may be
    missing, and letters may be small. Behind the code may stand hyphens for characters that are left open (``I21.-``)
    and one of the marks ``*``, ``+``, ``!``, ``†``, ``#`` (as ``M73.0*``); codes that differ in them only, or in the
    way they are written, belong together from the first level on that shows all their characters. Categories that
    belong to no chapter are refused, and so are several codes in one cell.

    Parameters
    ----------
    levels : some of {6, 5, 4, 3, "chapter"}, optional
        The levels above the codes, finest first: how many characters are kept, and the chapter. By default the chapter
        and all levels that hide something of the codes at hand. Name them where you limit levels, or publish a table
        again: then they do not depend on the codes.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"icd": ["I10", "I21.0", "I21.4", "J45.0", "J45.9"]})
    >>> schema = hr.Schema(quasi=["icd"], hierarchies={"icd": hr.hierarchies.icd10()})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["icd"].to_pylist())
    ['I00..I99', 'I00..I99', 'I00..I99', 'J00..J99', 'J00..J99']
    """
    if levels is None:
        return Diagnoses()
    chosen = (levels,) if isinstance(levels, str | int) else tuple(levels)
    if not chosen or list(chosen) != [level for level in ICD_LEVELS if level in chosen]:
        raise BadInput.parameter("levels", "icd10", "some of 6, 5, 4, 3, 'chapter', in this order", levels)
    return Diagnoses(chosen)
