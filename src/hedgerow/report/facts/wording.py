"""How numbers are written in a report, each with the sentence that explains it."""

from __future__ import annotations

from hedgerow._internal.rounding import significant
from hedgerow.report.facts.figures import Figure, Judgement

__all__ = ["DIGITS", "count", "fraction", "number", "percent", "plain", "quoted", "share"]

DIGITS = 3
"""So many digits are written of figures that the published rows tell."""

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
    """Write a number: whole ones whole, others with three digits.

    >>> plain(30_162), plain(2.0), plain(0.12345), plain(1234.5)
    ('30,162', '2', '0.123', '1,234')
    """
    if float(value).is_integer() or abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def share(label: str, value: float, meaning: str, judgement: Judgement | None = None) -> Figure:
    """A figure between 0 and 1, written in percent."""
    told = significant(value, DIGITS)
    return Figure(label, told, percent(told), meaning, judgement)


def count(label: str, value: int | None, meaning: str, judgement: Judgement | None = None) -> Figure:
    """A whole number; ``None`` was not computed."""
    if value is None:
        return Figure(label, None, "not computed", meaning, "unknown")
    return Figure(label, value, f"{value:,}", meaning, judgement)


def number(label: str, value: float | None, meaning: str, judgement: Judgement | None = None) -> Figure:
    """Any other number; ``None`` stands for none, or for one without bound."""
    if value is None:
        return Figure(label, None, "none", meaning, judgement)
    return Figure(label, significant(value, DIGITS), plain(value), meaning, judgement)


def fraction(label: str, value: float, digits: int, meaning: str) -> Figure:
    """A share that comes from original rows, with so many digits after the point that one row can hardly change them.

    >>> [fraction("kept", value, digits, "").text for value, digits in ((0.12345, 2), (0.12345, 3), (0.004, 2))]
    ['12 %', '12.3 %', 'less than 1 %']
    """
    told = round(value, digits)
    text = percent(told) if told or not value else f"less than {percent(10.0**-digits)}"
    return Figure(label, told, text, meaning)


def quoted(names: tuple[str, ...] | list[str]) -> str:
    """Names of columns in a sentence.

    >>> quoted(["age"]), quoted(["age", "sex", "zip"])
    ("'age'", "'age', 'sex' and 'zip'")
    """
    written = [repr(name) for name in names]
    return written[0] if len(written) == 1 else f"{', '.join(written[:-1])} and {written[-1]}"
