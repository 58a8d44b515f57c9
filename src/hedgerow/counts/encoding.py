"""Encoding a column: Arrow values of any type to a sorted :class:`Domain` and one integer code per row."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.errors import BadInput, translated
from hedgerow.values import days_since_1970, number_text

__all__ = [
    "BadValues",
    "EncodedColumn",
    "date_label",
    "dictionary_of",
    "encode_column",
    "is_text",
    "number_label",
    "number_of",
]

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


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """One column as codes of its domain.

    ``respelled`` says that several spellings share a code (``1.5`` and ``1.50``, null and ``?``), so that the
    column as it stands would tell apart what counts as equal.
    """

    domain: Domain
    codes: Ints
    respelled: bool = False


def encode_column(
    name: str,
    values: pa.ChunkedArray | pa.Array,
    *,
    missing: Sequence[str] = ("",),
    weights: Longs | None = None,
    mixture: Literal["refuse", "allow", "text"] = "refuse",
) -> EncodedColumn:
    """Encode a column by its sorted distinct values; null and the texts in ``missing`` become the last code.

    Parameters
    ----------
    name : str
        The column, for messages.
    values : Arrow array
        Text, numbers, booleans, dates, timestamps, or a dictionary of these.
    missing : sequence of str
        Texts that mean "no value".
    weights : array of int, optional
        How many records each value stands for, where the rows are already grouped.
    mixture : {"refuse", "allow", "text"}
        Text that is all numbers is read as numbers. Where only some of it is: refuse the column if most records
        are numbers, or allow it as categories. ``"text"`` keeps all text as text.
    """
    indices, distinct = dictionary_of(name, values)
    if pa.types.is_floating(distinct.type):
        _refuse_nan_and_infinity(name, distinct)
    return _sorted(name, indices, _interpret(name, distinct, indices, set(missing), weights, mixture), weights)


def dictionary_of(name: str, values: pa.ChunkedArray | pa.Array) -> tuple[Ints, pa.Array]:
    """Split a column into row indices (-1 for null) and the distinct values that occur."""
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    if pa.types.is_null(column.type) or (
        pa.types.is_dictionary(column.type) and pa.types.is_null(column.type.value_type)
    ):
        column = pa.chunked_array([pa.nulls(len(column), pa.string())])
    _refuse_type(name, column.type)
    if pa.types.is_dictionary(column.type):
        _refuse_type(name, column.type.value_type)
        if any(chunk.dictionary.null_count for chunk in column.chunks):
            column = column.cast(column.type.value_type)
    if not pa.types.is_dictionary(column.type):
        # Encoded before the chunks are joined: the texts of a long column together may overflow their offsets.
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    indices = array.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _without_unused(indices, array.dictionary)


def _refuse_type(name: str, kind: pa.DataType) -> None:
    """Refuse what has no order to be sorted by; the fields of a nested type are not named, they may be cells."""
    known = (
        pa.types.is_dictionary(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
        or is_text(kind)
    )
    if not known:
        what = "nested values" if pa.types.is_nested(kind) else f"values of the type {kind}"
        raise BadInput(f"The column {name!r} holds {what}, which cannot be generalized. Make it text or numbers.")


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _without_unused(indices: Ints, distinct: pa.Array) -> tuple[Ints, pa.Array]:
    """Drop the categories that no row has: they are not values of this table."""
    used = np.bincount(indices[indices >= 0], minlength=len(distinct)) > 0
    if used.all():
        return indices, distinct
    renumbered = np.append(np.cumsum(used) - 1, -1).astype(np.int32)  # the last entry serves null's index, -1
    return renumbered[indices], distinct.filter(pa.array(used))


def _refuse_nan_and_infinity(name: str, distinct: pa.Array) -> None:
    numbers = distinct.to_numpy(zero_copy_only=False)
    if not np.isfinite(numbers).all():
        raise BadValues(
            name,
            "holds NaN or infinite numbers",
            "Make them null if they mean 'no value', or remove the rows.",
            lambda cell: isinstance(cell, Real) and not math.isfinite(cell),
        )


@dataclass(frozen=True, eq=False)
class _Reading:
    """What the distinct values mean: which are present, their text, their numbers if they have any, their kind."""

    kept: Bools
    labels: list[str]
    numbers: list[float] | None
    kind: Kind


def _interpret(
    name: str, distinct: pa.Array, indices: Ints, missing: set[str], weights: Longs | None, mixture: str
) -> _Reading:
    """Read the distinct values as numbers, dates or text."""
    kind = distinct.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _dates(name, distinct, missing)
    if not (is_text(kind) or pa.types.is_boolean(kind)):
        return _numbers(distinct, missing)
    texts: list[str] = (pc.cast(distinct, pa.string()) if pa.types.is_boolean(kind) else distinct).to_pylist()
    if any("\0" in text for text in texts):
        raise BadValues(
            name,
            "holds text with a NUL character",
            "Remove it.",
            lambda cell: isinstance(cell, str) and "\0" in cell,
        )
    kept = np.array([text not in missing for text in texts], dtype=bool)
    numeric = np.array([_NUMBER.match(text) is not None for text in texts], dtype=bool)
    wordy = kept & ~numeric
    if mixture != "text" and kept.any() and not wordy.any():
        labels = [number_label(text) if present else "0" for text, present in zip(texts, kept, strict=True)]
        numbers = [float(label) for label in labels]
        if _told_apart(labels, numbers):
            return _Reading(kept, labels, numbers, "number")
    elif mixture == "refuse" and (kept & numeric).any():
        _refuse_mixture(name, indices, kept, wordy, weights, missing)
    return _Reading(kept, texts, None, "text")


def _numbers(distinct: pa.Array, missing: set[str]) -> _Reading:
    """Read integers, floats and decimals."""
    values = distinct.to_pylist()
    labels = [number_label(format(v, "f")) if isinstance(v, decimal.Decimal) else number_text(v) for v in values]
    kept = np.array([label not in missing for label in labels], dtype=bool)
    numbers = [float(value) + 0.0 for value in values]  # adding 0.0 turns -0.0 into 0.0
    if _told_apart(labels, numbers):
        return _Reading(kept, labels, numbers, "number")
    return _Reading(kept, labels, None, "text")


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


def _told_apart(labels: list[str], numbers: list[float]) -> bool:
    """Whether floats can tell the values apart; identifiers of many digits they cannot, and these stay text."""
    return len(set(labels)) == len(set(numbers)) and all(map(math.isfinite, numbers))


def _dates(name: str, distinct: pa.Array, missing: set[str]) -> _Reading:
    """Read dates and timestamps, to the microsecond."""
    if pa.types.is_timestamp(distinct.type):
        distinct = distinct.cast(pa.timestamp("us", distinct.type.tz), safe=False)
    unknown = BadInput(f"The column {name!r} holds dates outside the years 1 to 9999. Make them text.")
    with translated(ValueError, OverflowError, into=unknown):
        moments = [_moment(value) for value in distinct.to_pylist()]
    labels = [date_label(moment) for moment in moments]
    kept = np.array([label not in missing for label in labels], dtype=bool)
    return _Reading(kept, labels, list(map(days_since_1970, moments)), "date")


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


def _refuse_mixture(
    name: str, indices: Ints, kept: Bools, wordy: Bools, weights: Longs | None, missing: set[str]
) -> None:
    """Refuse a column most of whose records are numbers and some are not: more often a mistake than a category."""
    records = np.bincount(indices[indices >= 0], None if weights is None else weights[indices >= 0], len(kept))
    if 2 * records[wordy].sum() < records[kept].sum():
        raise BadValues(
            name,
            f"mixes numbers and text: {int(wordy.sum())} of its distinct values are not numbers",
            "Name them as missing, or give the column a hierarchy ('flat' keeps it as categories).",
            lambda cell: isinstance(cell, str) and cell not in missing and _NUMBER.match(cell) is None,
        )


def _sorted(name: str, indices: Ints, reading: _Reading, weights: Longs | None) -> EncodedColumn:
    """Sort the distinct values, merge those that read alike, and renumber the rows."""
    labels, numbers = reading.labels, reading.numbers
    present = np.flatnonzero(reading.kept).tolist()
    keys: Sequence[float] | Sequence[str] = labels if numbers is None else numbers
    remap = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last entry serves null's index, -1
    first: list[int] = []
    for position in sorted(present, key=keys.__getitem__):
        if not first or keys[position] != keys[first[-1]]:
            first.append(position)
        remap[position] = len(first) - 1
    codes = remap[indices]
    absent = codes < 0
    has_missing = bool(absent.any())
    if has_missing:
        codes[absent] = len(first)
    domain = Domain(
        name,
        reading.kind,
        np.array([labels[position] for position in first], dtype=np.str_),
        None if numbers is None else np.array([numbers[position] for position in first], dtype=np.float64),
        has_missing,
        np.bincount(codes, weights, len(first) + has_missing)[: len(first)].astype(np.int64),
    )
    return EncodedColumn(domain, codes, respelled=not reading.kept.all() or len(first) < len(present))
