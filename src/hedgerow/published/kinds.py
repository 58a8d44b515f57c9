"""Kinds of columns: which texts are numbers, which are dates, and what a column of them is."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.counts import BadValues, date_label, encode_column
from hedgerow.counts.reading import number_label, number_of
from hedgerow.domains import Domain, Kind
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.published.notation import parse
from hedgerow.values import EPOCH, days_since_1970, iso_moment, number_text

__all__ = ["as_dates", "date_of_days", "days_of", "domain_of", "kind_of_texts", "number_in", "spelled"]

_SECONDS: Final = 24 * 60 * 60


def days_of(text: str) -> float | None:
    """Count the days from 1970-01-01 to a date in ISO form, the time of day as a fraction.

    >>> days_of("1970-02-01"), days_of("1970-01-01T12:00:00"), days_of("1970")
    (31.0, 0.5, None)
    """
    moment = iso_moment(text)
    return None if moment is None else days_since_1970(moment)


def date_of_days(days: float) -> str:
    """The day, or the second of it, so many days after 1970-01-01.

    >>> date_of_days(1.5), date_of_days(-1)
    ('1970-01-02T12:00:00', '1969-12-31')
    """
    return date_label(EPOCH + dt.timedelta(seconds=round(days * _SECONDS)))


def number_in(text: str | None, kind: Kind) -> float | None:
    """The number, or the days of the date, that a text is in a column of some kind; ``None`` if it is neither.

    >>> number_in("039", "number"), number_in("1_000", "number"), number_in("1970-01-02", "date")
    (39.0, None, 1.0)
    """
    if text is None or kind == "text":
        return None
    if kind == "date":
        return days_of(text)
    number = number_or_nan(text) if text.isascii() else math.nan
    return None if math.isnan(number) else number


def spelled(cell: object, kind: Kind | None = None) -> str | None:
    """The text of a cell, however its table stores it; in a column of numbers all spellings of one are the same.

    >>> spelled(39.0), spelled("39.0", "number"), spelled("39.0"), spelled(True), spelled(float("nan"))
    ('39', '39', '39.0', 'true', None)
    """
    if isinstance(cell, str):
        if kind != "number" or (cell.isdigit() and cell.isascii() and cell[0] != "0"):
            return cell  # most cells, and fast
        if number_of(cell) is not None:
            return number_label(cell)
        number = number_in(cell, kind)
        return cell if number is None else number_text(number)
    if parse(cell) is None:
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, dt.date):
        return date_label(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    return number_text(cell) if isinstance(cell, int | float) else str(cell)


def domain_of(name: str, texts: Iterable[str]) -> Domain:
    """The domain of some values of a column: numbers if all of them are, dates if all of them are, else text.

    >>> [domain_of("", texts).kind for texts in (["7", "39.5"], ["02138"], ["1984-02-29"], ["1984-02-29", "7"])]
    ['number', 'text', 'date', 'text']
    """
    with translated(BadValues, into=lambda bad: BadInput(f"The column {name!r} {bad.problem}. {bad.advice}")):
        values = pa.array(sorted(set(texts)), pa.string())
        return encode_column(name, values, missing=(), kind="derived").domain


def kind_of_texts(texts: Iterable[str]) -> Kind:
    """What a column of text holds: numbers or ISO dates if all of it does."""
    return domain_of("", texts).kind


def as_dates(domain: Domain) -> Domain:
    """A domain of text as one of dates, if all its values are dates; the counts of its records are not kept."""
    days = [days_of(text) for text in domain.labels.tolist()] if domain.kind == "text" else []
    known = [one for one in days if one is not None]
    if not known or len(known) < len(days):
        return domain
    numbers, first = np.unique(known, return_index=True)
    return replace(domain, kind="date", labels=domain.labels[first], numbers=numbers, records=None)
