"""What the distinct values of a column mean: numbers, dates, categories in an order, or text."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Bools, Floats
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.io.domains import Kind
from hedgerow.io.values import EPOCH, days_since_1970, iso_moment, number_text

__all__ = ["Asked", "BadValues", "Reading", "date_label", "interpret", "is_text", "number_label", "number_of"]

Asked = Literal["typed", "derived", "valued", "number", "date", "text"] | Sequence[str]
"""What a column is taken for: ``"typed"``, what its type says; ``"derived"``, what all its text can be read as;
``"valued"``, numbers if all its text is, as the verifier compares sensitive values; a kind, or all its values in their
order, if somebody says so."""

# A zero-padded code such as a ZIP code is text; plain decimal numbers are numbers, and so is 1e-05, as Python and
# pandas write small and large floats. Codes such as 12E4 are not.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{2,3})?\Z")


class BadValues(Exception):
    """Some values of a column are wrong; whoever holds the rows says where, and never which.

    Not a :class:`HedgerowError`: the engine catches it, finds the first line, and raises :class:`BadInput`.
    """

    def __init__(self, column: str, problem: str, advice: str, wrong: Callable[[object], bool]) -> None:
        super().__init__(problem)
        self.column = column
        self.problem = problem
        self.advice = advice
        self.wrong = wrong

    def first(self, values: Iterable[object]) -> int:
        """The first row, counted from 1, whose value is wrong."""
        return next(row for row, value in enumerate(values, start=1) if self.wrong(value))

    def in_rows(self, values: pa.ChunkedArray) -> BadInput:
        """The error for the user, with the first row of the column that is wrong."""
        return self.located(f"row {self.first(values.to_pylist())}")

    def located(self, place: str) -> BadInput:
        """The error for the user."""
        return BadInput(f"The column {self.column!r} {self.problem}, first at {place}. {self.advice}")

    def anywhere(self) -> BadInput:
        """The error for the user, where rows have no places."""
        return BadInput(f"The column {self.column!r} {self.problem}. {self.advice}")


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


@dataclass(frozen=True, eq=False)
class Reading:
    """What the distinct values mean: which are present, their text, their numbers if they have any, their kind.

    ``numeric`` says which could be numbers, ``places`` where each stands in an order that was told.
    """

    kept: Bools
    labels: list[str]
    numbers: Floats | None
    kind: Kind
    numeric: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    places: list[int] | None = None


def interpret(name: str, distinct: pa.Array, missing: set[str], asked: Asked, decimal_point: str) -> Reading:
    """Read the distinct values as numbers, dates or text."""
    typed = distinct.type
    dated = pa.types.is_date(typed) or pa.types.is_timestamp(typed)
    texts: list[str] | None = None
    if is_text(typed):
        texts = distinct.to_pylist()
        _refuse_nul(name, texts)
    elif pa.types.is_boolean(typed):
        texts = pc.cast(distinct, pa.string()).to_pylist()
    if texts is None:
        reading = _dates(name, distinct, missing) if dated else _numbers(distinct, missing)
        if asked in ("typed", "derived", "valued", reading.kind):
            return reading
        if asked == "date" or asked == "number":
            raise BadInput(f"The column {name!r} holds {reading.kind}s, not {asked}s. Leave its kind out.")
        texts = reading.labels
    kept = np.array([text not in missing for text in texts], dtype=bool)
    if not isinstance(asked, str):
        return _ordered(name, texts, kept, list(asked), missing)
    reading = Reading(kept, texts, None, "text")
    if asked in ("number", "derived", "valued"):
        reading = _as_numbers(name, texts, kept, decimal_point, missing, asked)
    if asked == "date" or (asked == "derived" and reading.kind == "text"):
        return _as_dates(name, texts, kept, missing, must=asked == "date") or reading
    return reading


def _refuse_nul(name: str, texts: list[str]) -> None:
    if any("\0" in text for text in texts):
        raise BadValues(
            name,
            "holds text with a NUL character",
            "Remove it.",
            lambda cell: isinstance(cell, str) and "\0" in cell,
        )


def _as_numbers(name: str, texts: list[str], kept: Bools, decimal_point: str, missing: set[str], asked: str) -> Reading:
    """Read text as numbers if all of it is; else it is refused if numbers are asked for, and stays text if not."""

    def plain(text: str) -> str:
        return text if decimal_point == "." else text.replace(".", "?").replace(decimal_point, ".")

    def matches(text: str) -> bool:
        if asked == "number":  # what somebody calls a number may be spelled with zeros in front
            return not math.isnan(number_or_nan(plain(text)))
        return _NUMBER.match(plain(text)) is not None

    numeric = np.array([matches(text) for text in texts], dtype=bool)
    wrong = int((kept & ~numeric).sum())
    if wrong and asked == "number":
        raise BadValues(
            name,
            f"is to be numbers, and {wrong} of its distinct values are none",
            "Name them as missing, or make the column text.",
            lambda cell: isinstance(cell, str) and cell not in missing and not matches(cell),
        )
    if kept.any() and not wrong:
        labels = [_number_label(plain(text)) if present else "0" for text, present in zip(texts, kept, strict=True)]
        numbers = np.fromiter(map(float, labels), np.float64, len(labels))
        if _told_apart(labels, numbers):
            return Reading(kept, labels, numbers, "number")
        if asked == "number":
            raise BadInput(f"The column {name!r} holds numbers of too many digits to be told apart. Make it text.")
    return Reading(kept, texts, None, "text", kept & numeric)


def _as_dates(name: str, texts: list[str], kept: Bools, missing: set[str], *, must: bool) -> Reading | None:
    """Read text as ISO dates if all of it is; else it is refused if dates must be."""
    moments = [iso_moment(text) for text in texts]
    wrong = sum(present and moment is None for present, moment in zip(kept.tolist(), moments, strict=True))
    if wrong and must:
        raise BadValues(
            name,
            f"is to be dates, and {wrong} of its distinct values are none in ISO form (2024-03-31)",
            "Name them as missing, or make the column text.",
            lambda cell: isinstance(cell, str) and cell not in missing and iso_moment(cell) is None,
        )
    if wrong or not kept.any():
        return None
    known = [EPOCH if moment is None else moment for moment in moments]
    return Reading(kept, [date_label(moment) for moment in known], _days(known), "date")


def _ordered(name: str, texts: list[str], kept: Bools, order: list[str], missing: set[str]) -> Reading:
    """Read text as categories in an order; all must be in it."""
    place = {label: at for at, label in enumerate(order)}
    wrong = sum(present and text not in place for present, text in zip(kept.tolist(), texts, strict=True))
    if wrong:
        raise BadValues(
            name,
            f"has {wrong} distinct values that its order does not have",
            "Add them to the order, or name them as missing.",
            lambda cell: cell is not None and str(cell) not in missing and str(cell) not in place,
        )
    return Reading(kept, texts, None, "text", places=[place.get(text, 0) for text in texts])


def _numbers(distinct: pa.Array, missing: set[str]) -> Reading:
    """Read integers, floats and decimals."""
    values = distinct.to_pylist()
    labels = [number_label(format(v, "f")) if isinstance(v, decimal.Decimal) else number_text(v) for v in values]
    kept = np.array([label not in missing for label in labels], dtype=bool)
    numbers = np.fromiter(map(float, values), np.float64, len(values)) + 0.0  # adding 0.0 turns -0.0 into 0.0
    if _told_apart(labels, numbers):
        return Reading(kept, labels, numbers, "number")
    return Reading(kept, labels, None, "text")


def number_of(text: str) -> float | None:
    """The number that a text is in a column of numbers; ``None`` if it is none.

    >>> number_of("39.50"), number_of("1e-05"), number_of("007"), number_of("1_000"), number_of("nan")
    (39.5, 1e-05, None, None, None)
    """
    number = math.nan if _NUMBER.match(text) is None else float(text)
    return number if math.isfinite(number) else None


def number_label(text: str) -> str:
    """Write a number that was read as text in the one way that all its spellings share.

    Whole numbers keep all their digits, which a float could not.
    """
    if "." in text or "e" in text:
        return number_text(float(text))
    return "0" if text == "-0" else text


def _number_label(text: str) -> str:
    return number_label(text) if _NUMBER.match(text) else number_text(float(text))


def _told_apart(labels: list[str], numbers: Floats) -> bool:
    """Whether floats can tell the values apart; identifiers of many digits they cannot, and these stay text."""
    return bool(np.isfinite(numbers).all()) and len(set(labels)) == len(np.unique(numbers))


def _dates(name: str, distinct: pa.Array, missing: set[str]) -> Reading:
    """Read dates and timestamps, to the microsecond."""
    if pa.types.is_timestamp(distinct.type):
        distinct = distinct.cast(pa.timestamp("us", distinct.type.tz), safe=False)
    unknown = BadInput(f"The column {name!r} holds dates outside the years 1 to 9999. Make them text.")
    with translated(ValueError, OverflowError, into=unknown):
        moments = [_moment(value) for value in distinct.to_pylist()]
    labels = [date_label(moment) for moment in moments]
    kept = np.array([label not in missing for label in labels], dtype=bool)
    return Reading(kept, labels, _days(moments), "date")


def _days(moments: Sequence[dt.datetime]) -> Floats:
    return np.fromiter(map(days_since_1970, moments), np.float64, len(moments))


def date_label(value: dt.date) -> str:
    """Write a day, or a moment of it other than midnight, as the label of a column's value.

    >>> date_label(dt.datetime(2024, 1, 31)), date_label(dt.datetime(2024, 1, 31, 12, 30))
    ('2024-01-31', '2024-01-31T12:30:00')
    """
    moment = _moment(value)
    return moment.date().isoformat() if moment.time() == dt.time() else moment.isoformat()


def _moment(value: dt.date) -> dt.datetime:
    """A naive datetime of an Arrow date or timestamp."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    return dt.datetime(value.year, value.month, value.day)
