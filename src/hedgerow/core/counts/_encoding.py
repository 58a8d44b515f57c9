"""Encoding a column: Arrow values of any type to a sorted :class:`Domain` and one integer code per row.

First the distinct values are read, as numbers, dates, categories in an order, or text; then they are sorted.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import EPOCH, days_since_1970, iso_moment, number_text

__all__ = [
    "Asked",
    "BadValues",
    "EncodedColumn",
    "Reading",
    "date_label",
    "dictionary_of",
    "encode_column",
    "interpret",
    "is_text",
    "number_label",
    "number_of",
    "original_values",
]


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """One column as codes of its domain.

    ``respelled`` is set if several spellings share a code (``1.5`` and ``1.50``, null and ``?``), so that the column as
    it stands would distinguish values that count as equal. ``nearly`` is the share of the records that are numbers in a
    column that was derived to be text, and ``strays`` how many records are not.
    """

    domain: Domain
    codes: Ints
    respelled: bool = False
    nearly: float = 0.0
    strays: int = 0


def encode_column(
    name: str,
    values: pa.ChunkedArray | pa.Array,
    *,
    missing: Sequence[str] = ("",),
    weights: Longs | None = None,
    kind: Asked = "typed",
    decimal_point: str = ".",
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
    kind : {"typed", "derived", "valued", "number", "date", "text"} or sequence of str
        ``"typed"``: the type decides; text stays text, whatever it looks like, and an ordered dictionary keeps its
        order. ``"derived"``: text that is all numbers, none of them with a leading zero, or all ISO dates, is read as
        such. ``"valued"``: only text that is all numbers is. A kind, or the values in their order: the column must be
        like that.
    decimal_point : str
        The character before the decimals where text is read as numbers.
    """
    order = _category_order(values) if kind == "typed" else None
    indices, distinct = dictionary_of(name, values)
    if pa.types.is_floating(distinct.type):
        _refuse_nan_and_infinity(name, distinct)
    reading = interpret(name, distinct, set(missing), kind if order is None else order, decimal_point)
    encoded = _sorted(name, indices, reading, weights)
    if kind != "derived" or reading.numeric is None or not reading.numeric.any():
        return encoded
    records = np.bincount(indices[indices >= 0], None if weights is None else weights[indices >= 0], len(reading.kept))
    numeric, kept = records[reading.numeric].sum(), records[reading.kept].sum()
    return replace(encoded, nearly=float(numeric / kept), strays=int(kept - numeric))


def _category_order(values: pa.ChunkedArray | pa.Array) -> list[str] | None:
    """The order of a categorical column that has one."""
    if not (pa.types.is_dictionary(values.type) and values.type.ordered and is_text(values.type.value_type)):
        return None
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    orders: list[list[str]] = [chunk.dictionary.drop_null().to_pylist() for chunk in chunks]
    # Chunks that differ are no order of one column.
    return orders[0] if orders and all(order == orders[0] for order in orders) else None


def dictionary_of(name: str, values: pa.ChunkedArray | pa.Array) -> tuple[Ints, pa.Array]:
    """Split a column into row indices (-1 for null) and the distinct values that occur."""
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind):
        kind = pa.string()
        column = pa.chunked_array([pa.nulls(len(column), kind)])
    _refuse_type(name, kind)
    if pa.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(kind)
    if column.type == pa.float16():
        column = column.cast(pa.float32())  # the same numbers; not every Arrow encodes those of two bytes
    if not pa.types.is_dictionary(column.type):
        # Encoded before the chunks are joined: the texts of a long column together may overflow their offsets.
        column = column.dictionary_encode()
    if not column.num_chunks:  # not every Arrow can join zero chunks
        return _without_unused(np.empty(0, dtype=np.int32), pa.nulls(0, column.type.value_type))
    array = column.unify_dictionaries().combine_chunks()
    indices = array.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
    return _without_unused(indices, array.dictionary)


def _refuse_type(name: str, kind: pa.DataType) -> None:
    """Refuse values that have no order; the fields of a nested type are not named, they may be cells."""
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


def _sorted(name: str, indices: Ints, reading: Reading, weights: Longs | None) -> EncodedColumn:
    """Sort the distinct values, merge those that read alike, and renumber the rows."""
    labels, numbers = reading.labels, reading.numbers
    present = np.flatnonzero(reading.kept)
    keys = numbers if reading.places is None else np.array(reading.places, dtype=np.int64)
    if keys is None:
        ascending = np.array(sorted(present.tolist(), key=labels.__getitem__), dtype=np.int64)
        differs = np.array([labels[at] != labels[after] for at, after in pairwise(ascending.tolist())], dtype=bool)
    else:
        ascending = present[np.argsort(keys[present], kind="stable")]
        differs = keys[ascending[1:]] != keys[ascending[:-1]]
    begins = np.concatenate([np.ones(len(ascending[:1]), dtype=bool), differs])
    first = ascending[begins]
    remap = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last entry serves null's index, -1
    remap[ascending] = np.cumsum(begins) - 1
    codes = remap[indices]
    absent = codes < 0
    has_missing = bool(absent.any())
    if has_missing:
        codes[absent] = len(first)
    domain = Domain(
        name,
        reading.kind,
        np.array([labels[position] for position in first.tolist()], dtype=np.str_),
        None if numbers is None else numbers[first],
        has_missing,
        np.bincount(codes, weights, len(first) + has_missing)[: len(first)].astype(np.int64),
        ordered=reading.places is not None,
    )
    return EncodedColumn(domain, codes, respelled=not reading.kept.all() or len(first) < len(present))


# --------------------------------------------------------------------------------------------------
# Reading the distinct values of a column: numbers, dates, categories in an order, or text.


Asked = Literal["typed", "derived", "valued", "number", "date", "text"] | Sequence[str]
"""How to read a column: ``"typed"``, by its type; ``"derived"``, as whatever all its text can be read as;
``"valued"``, numbers if all its text is, as the verifier compares sensitive values; or a kind, or all its values in
their order, as the schema says."""

# A zero-padded code such as a ZIP code is text; plain decimal numbers are numbers, and so is 1e-05, as Python and
# pandas write small and large floats. Codes such as 12E4 are not.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{2,3})?\Z")


class BadValues(Exception):
    """Some values of a column are wrong. The caller, who has the rows, reports where they are, but never the values.

    It is no :class:`HedgerowError`: the engine catches it, finds the first line, and raises :class:`BadInput`.
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
    """The meaning of the distinct values: which are present, their text, their numbers if they have any, their kind.

    ``numeric`` marks the texts that could be numbers; ``places`` has the place of each in a given order.
    """

    kept: Bools
    labels: list[str]
    numbers: Floats | None
    kind: Kind
    numeric: Bools | None = None
    places: list[int] | None = None


def interpret(name: str, distinct: pa.Array, missing: set[str], asked: Asked, decimal_point: str) -> Reading:
    """Read the distinct values as numbers, dates or text."""
    kind = distinct.type
    if is_text(kind) or pa.types.is_boolean(kind):
        texts = (distinct if is_text(kind) else pc.cast(distinct, pa.string())).to_pylist()
        if "\0" in "".join(texts):
            raise BadValues(name, "holds text with a NUL character", "Remove it.", _has_nul)
    else:
        reading = _dates(name, distinct, missing) if pa.types.is_temporal(kind) else _numbers(distinct, missing)
        if asked in ("typed", "derived", "valued", reading.kind):
            return reading
        if asked in ("date", "number"):
            raise BadInput(f"The column {name!r} holds {reading.kind}s, not {asked}s. Leave its kind out.")
        texts = reading.labels
    kept = np.array([text not in missing for text in texts], dtype=bool)
    if not isinstance(asked, str):
        return _ordered(name, texts, kept, list(asked), missing)
    return _read_text(name, texts, kept, missing, asked, decimal_point)


def _read_text(name: str, texts: list[str], kept: Bools, missing: set[str], asked: str, decimal_point: str) -> Reading:
    """Read text as the kind that was asked for, or as any kind that fits."""
    reading = Reading(kept, texts, None, "text")
    if asked in ("number", "derived", "valued"):
        reading = _as_numbers(name, texts, kept, decimal_point, missing, asked)
    if asked == "date" or (asked == "derived" and reading.kind == "text"):
        return _as_dates(name, texts, kept, missing, must=asked == "date") or reading
    return reading


def _has_nul(cell: object) -> bool:
    return isinstance(cell, str) and "\0" in cell


_NO_VALUE: Final = "Name them in missing= (--missing) if they mean that there is no value, or make the column text."


def _some_are(wrong: int, kind: str) -> str:
    return f"{wrong} of its distinct values {f'is no {kind}' if wrong == 1 else f'are no {kind}s'}"


def _unlike(is_right: Callable[[str], object], missing: Container[str]) -> Callable[[object], bool]:
    """A function that finds the texts that are neither missing nor right."""
    return lambda cell: isinstance(cell, str) and cell not in missing and not is_right(cell)


def _as_numbers(name: str, texts: list[str], kept: Bools, decimal_point: str, missing: set[str], asked: str) -> Reading:
    """Read text as numbers if all of it is; else it is refused if numbers are asked for, and stays text if not."""
    is_number, plain = _IS_NUMBER[asked], _with_points(texts, decimal_point)
    numeric = np.array([bool(is_number(text)) for text in plain], dtype=bool)
    wrong = int((kept & ~numeric).sum())
    if wrong and asked == "number":
        raise BadValues(
            name,
            f"is to be numbers, and {_some_are(wrong, 'number')}",
            _NO_VALUE,
            _unlike(lambda text: is_number(_with_points([text], decimal_point)[0]), missing),
        )
    if kept.any() and not wrong:
        labels = [_number_label(text) if present else "0" for text, present in zip(plain, kept, strict=True)]
        numbers = np.fromiter(map(float, labels), np.float64, len(labels))
        if _floats_differ(labels, numbers):
            return Reading(kept, labels, numbers, "number")
        if asked == "number":
            raise BadInput(f"The column {name!r} holds numbers with too many digits to distinguish. Make it text.")
    return Reading(kept, texts, None, "text", kept & numeric)


def _with_points(texts: list[str], decimal_point: str) -> list[str]:
    """Texts in which numbers have a point before their decimals."""
    if decimal_point == ".":
        return texts
    return [text.replace(".", "?").replace(decimal_point, ".") for text in texts]


def _spells_number(text: str) -> bool:
    return not math.isnan(number_or_nan(text))


_IS_NUMBER: Final[Mapping[str, Callable[[str], object]]] = {
    # What you call a number may be spelled with zeros in front.
    "number": _spells_number,
    "derived": _NUMBER.match,
    "valued": _NUMBER.match,
}


def _as_dates(name: str, texts: list[str], kept: Bools, missing: set[str], *, must: bool) -> Reading | None:
    """Read text as ISO dates if all of it is; else it is refused if dates must be."""
    moments = [iso_moment(text) for text in texts]
    wrong = int((kept & np.array([moment is None for moment in moments], dtype=bool)).sum())
    if wrong and must:
        raise BadValues(
            name,
            f"is to be dates, and {_some_are(wrong, 'date')} in ISO form (2024-03-31)",
            _NO_VALUE,
            _unlike(iso_moment, missing),
        )
    if wrong or not kept.any():
        return None
    known = [moment or EPOCH for moment in moments]
    return Reading(kept, [date_label(moment) for moment in known], _days(known), "date")


def _ordered(name: str, texts: list[str], kept: Bools, order: list[str], missing: set[str]) -> Reading:
    """Read text as categories in a given order, which must have all of them."""
    place = {label: at for at, label in enumerate(order)}
    wrong = int((kept & np.array([text not in place for text in texts], dtype=bool)).sum())
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
    if _floats_differ(labels, numbers):
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


def _floats_differ(labels: list[str], numbers: Floats) -> bool:
    """Whether different values are different floats; identifiers of many digits may not be, and these stay text."""
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


# --------------------------------------------------------------------------------------------------
# Decoding a column: the codes of a domain back to values, in the type that a table would have them in.


_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def original_values(domain: Domain, *, fractions: bool = False) -> pa.Array:
    """The value of each code, missing as null.

    Parameters
    ----------
    domain : Domain
    fractions : bool
        Whether the column holds numbers with fractions, even if none of these do.

    Examples
    --------
    >>> age = Domain("age", "number", np.array(["20", "21"]), np.array([20.0, 21.0]), has_missing=True)
    >>> original_values(age).to_pylist(), original_values(age, fractions=True).to_pylist()
    ([20, 21, None], [20.0, 21.0, None])
    """
    labels: list[str] = domain.labels.tolist()
    absent = [None] if domain.has_missing else []
    if domain.kind == "number":
        whole = None if fractions else _whole(labels)
        if whole is not None:
            return pa.array([*whole, *absent], pa.int64())
        return pa.array([*domain.values.tolist(), *absent], pa.float64())
    if domain.kind == "date":
        moments = [dt.datetime.fromisoformat(label) for label in labels]
        if all(moment.time() == dt.time() for moment in moments):
            return pa.array([*(moment.date() for moment in moments), *absent], pa.date32())
        return pa.array([*moments, *absent], pa.timestamp("us"))
    return pa.array([*labels, *absent], pa.string())


def _whole(labels: list[str]) -> list[int] | None:
    """The numbers with all their digits, if they are whole and not too large."""
    if not all(label.removeprefix("-").isdigit() for label in labels):
        return None
    numbers = [int(label) for label in labels]
    return numbers if all(_SMALLEST <= number <= _LARGEST for number in numbers) else None
