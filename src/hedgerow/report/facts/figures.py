"""The building blocks of every section of a report: figures that explain themselves, and bars of charts.

All values here are plain and may be shown to the readers of the edition: numbers are rounded, and labels are published
or held by at least k records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from hedgerow._internal.rounding import significant

__all__ = [
    "Bar",
    "BarKind",
    "DIGITS",
    "Edition",
    "Figure",
    "Judgement",
    "capitalized",
    "count",
    "fraction",
    "number",
    "percent",
    "plain",
    "quoted",
    "sentence",
    "share",
]


Edition = Literal["internal", "public"]
"""The readers of a report: those who publish the table, or its recipients."""

Judgement = Literal["good", "note", "bad", "unknown"]
"""The meaning of a fact: fine; to be read; a failure; not known. Pages show it by a word and a sign, not by colour."""

BarKind = Literal["value", "range", "published", "several", "others", "missing", "suppressed"]
"""The content of a bar: a value, a range of numbers, a published value or label, cells that name several values, all
other values, no value, ``*``."""


@dataclass(frozen=True)
class Figure:
    """A number with its explanation.

    Attributes
    ----------
    label : str
        Its name, in two or three words.
    value : float, int or None
        The number, rounded so that it may be shown; ``None`` where there is only text.
    text : str
        How it is written: ``"12.5 %"``, ``"30,162"``, ``"not computed"``.
    meaning : str
        One sentence in plain words.
    judgement : {"good", "note", "bad", "unknown"}, optional
        ``None`` for a figure that is neither good nor bad by itself.
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
        Its name on an axis; unique within its distribution.
    kind : {"value", "range", "published", "several", "others", "missing", "suppressed"}
    before : float or None
        Its share of the original records, 0 to 1; ``None`` where it is not known or not shown.
    after : float
        Its share of the published records, 0 to 1.
    """

    label: str
    kind: BarKind
    before: float | None
    after: float


# --------------------------------------------------------------------------------------------------
# How numbers are written in a report, each with the sentence that explains it.


DIGITS = 3
"""The digits of figures that can be computed from the published rows."""

_LEAST = 1e-4


def percent(value: float) -> str:
    """Write a share.

    >>> percent(0.0213), percent(1.0), percent(0.00001), percent(0.0), percent(1 / 3)
    ('2.13 %', '100 %', 'less than 0.01 %', '0 %', '33.3 %')
    """
    if 0 < value < _LEAST:
        return "less than 0.01 %"
    return f"{100 * value:.3g} %" if value < 1 else f"{100 * value:.0f} %"


def plain(value: float) -> str:
    """Write a number: whole numbers whole, others with three digits.

    >>> plain(30_162), plain(2.0), plain(0.12345), plain(1234.5)
    ('30,162', '2', '0.123', '1,234')
    """
    if float(value).is_integer() or abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def share(label: str, value: float, meaning: str, judgement: Judgement | None = None) -> Figure:
    """A figure between 0 and 1, written in percent."""
    rounded = significant(value, DIGITS)
    return Figure(label, rounded, percent(rounded), meaning, judgement)


def count(label: str, value: int | None, meaning: str, judgement: Judgement | None = None) -> Figure:
    """A whole number; ``None`` was not computed."""
    if value is None:
        return Figure(label, None, "not computed", meaning, "unknown")
    return Figure(label, value, f"{value:,}", meaning, judgement)


def number(label: str, value: float | None, meaning: str, judgement: Judgement | None = None) -> Figure:
    """Any other number; ``None`` stands for no number, or for an unbounded number."""
    if value is None:
        return Figure(label, None, "none", meaning, judgement)
    return Figure(label, significant(value, DIGITS), plain(value), meaning, judgement)


def fraction(label: str, value: float, digits: int, meaning: str) -> Figure:
    """A share that comes from original rows, with so few digits after the point that a row can hardly change them.

    >>> [fraction("kept", value, digits, "").text for value, digits in ((0.12345, 2), (0.12345, 3), (0.004, 2))]
    ['12 %', '12.3 %', 'less than 1 %']
    """
    rounded = round(value, digits)
    text = percent(rounded) if rounded or not value else f"less than {percent(10.0**-digits)}"
    return Figure(label, rounded, text, meaning)


def quoted(names: tuple[str, ...] | list[str]) -> str:
    """Names of columns in a sentence.

    >>> quoted(["age"]), quoted(["age", "sex", "zip"])
    ("'age'", "'age', 'sex' and 'zip'")
    """
    written = [repr(name) for name in names]
    return written[0] if len(written) == 1 else f"{', '.join(written[:-1])} and {written[-1]}"


_SIGNS: Final = frozenset("kltpc")


def capitalized(text: str) -> str:
    """A text with a capital at its beginning; signs such as k and l are small.

    >>> capitalized("highest NCP"), capitalized("k over all columns"), capitalized("a person")
    ('Highest NCP', 'k over all columns', 'A person')
    """
    return text if text.partition(" ")[0] in _SIGNS else text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A clause as a sentence.

    >>> sentence("no population was given")
    'No population was given.'
    """
    return capitalized(text) if text.endswith((".", "!", "?")) else f"{capitalized(text)}."
