"""What every section of a report is made of: figures that explain themselves, and bars and cells of charts.

All values here are plain and may be shown to whoever the edition is for: numbers are rounded, labels are held by at
least k records or are published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Bar", "BarKind", "Edition", "Figure", "Judgement"]

Edition = Literal["internal", "public"]
"""For whom a report is: whoever publishes the table, or whoever receives it."""

Judgement = Literal["good", "note", "bad", "unknown"]
"""How a fact is to be taken: fine; to be read; a failure; not known. Pages show it by a word and a sign, not by colour
alone."""

BarKind = Literal["value", "range", "published", "several", "others", "missing", "suppressed"]
"""What a bar stands for: a value, a range of numbers, a published value or label, cells that name several values, all
that are not shown, no value, ``*``."""


@dataclass(frozen=True)
class Figure:
    """A number with its explanation.

    Attributes
    ----------
    label : str
        What it is called, in two or three words.
    value : float, int or None
        The number, rounded as far as it may be told; ``None`` where there is only text.
    text : str
        How it is written: ``"12.5 %"``, ``"30,162"``, ``"not computed"``.
    meaning : str
        One sentence in plain words.
    judgement : {"good", "note", "bad", "unknown"}, optional
        ``None`` of a figure that is neither good nor bad by itself.
    """

    label: str
    value: float | int | None
    text: str
    meaning: str
    judgement: Judgement | None = None


@dataclass(frozen=True)
class Bar:
    """One group of records in a distribution; it has at least k records.

    Attributes
    ----------
    label : str
        What it is called on an axis; unique within its distribution.
    kind : {"value", "range", "published", "several", "others", "missing", "suppressed"}
    before : float or None
        Its share of the original records, 0 to 1; ``None`` in editions and of subjects that do not tell.
    after : float
        Its share of the published records, 0 to 1.
    """

    label: str
    kind: BarKind
    before: float | None
    after: float
