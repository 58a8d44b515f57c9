"""Encoding a column: Arrow values of any type to a sorted :class:`Domain` and one integer code per row."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.domains import Domain, Kind
from hedgerow.errors import BadInput
from hedgerow.values import number_text

__all__ = ["BadValues", "EncodedColumn", "encode_column"]

# A zero-padded code such as a ZIP code is text; plain decimal numbers are numbers.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_EPOCH = dt.datetime(1970, 1, 1)


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
    codes: NDArray[np.int32]
    respelled: bool = False


def encode_column(
    name: str,
    values: pa.ChunkedArray | pa.Array,
    *,
    missing: Sequence[str] = ("",),
    weights: NDArray[np.int64] | None = None,
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
    indices, distinct = _dictionary(values)
    if pa.types.is_floating(distinct.type):
        _refuse_nan_and_infinity(name, distinct)
    kept, labels, numbers, kind = _interpret(name, distinct, indices, set(missing), weights, mixture)
    return _sorted(name, indices, kept, labels, numbers, kind)


def _dictionary(values: pa.ChunkedArray | pa.Array) -> tuple[NDArray[np.int32], pa.Array]:
    """Split a column into row indices (-1 for null) and distinct values."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):  # combine_chunks keeps chunks apart where offsets would overflow
        array = pa.concat_arrays(array.cast(pa.large_string()).chunks)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode() if array.dictionary.null_count else array
    if not pa.types.is_dictionary(array.type):
        if pa.types.is_null(array.type):
            array = array.cast(pa.string())
        array = array.dictionary_encode()
    indices = array.indices
    if indices.null_count:
        indices = indices.fill_null(-1)
    return indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False), array.dictionary


def _refuse_nan_and_infinity(name: str, distinct: pa.Array) -> None:
    numbers = distinct.to_numpy(zero_copy_only=False)
    wrong = int((~np.isfinite(numbers)).sum())
    if wrong:
        raise BadValues(
            name,
            "holds NaN or infinite numbers",
            "Make them null if they mean 'no value', or remove the rows.",
            lambda cell: isinstance(cell, float) and not np.isfinite(cell),
        )


def _interpret(
    name: str,
    distinct: pa.Array,
    indices: NDArray[np.int32],
    missing: set[str],
    weights: NDArray[np.int64] | None,
    mixture: str,
) -> tuple[NDArray[np.bool_], list[str], list[float] | None, Kind]:
    """Say which distinct values are present, their text, their numbers if they have any, and their kind."""
    kind = distinct.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = [_plain(value) for value in distinct.to_pylist()]
        labels = [number_text(value) for value in numbers]
        kept = np.array([label not in missing for label in labels], dtype=bool)
        return kept, labels, [float(value) for value in numbers], "number"
    if pa.types.is_temporal(kind) and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        moments = [_moment(value) for value in distinct.to_pylist()]
        labels = [m.date().isoformat() if m.time() == dt.time() else m.isoformat() for m in moments]
        kept = np.array([label not in missing for label in labels], dtype=bool)
        return kept, labels, [(m - _EPOCH) / dt.timedelta(days=1) for m in moments], "date"
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_boolean(kind)):
        if not pa.types.is_string_view(kind):
            raise BadInput(f"The column {name!r} holds {kind}, which cannot be generalized. Make it text or numbers.")
        distinct = distinct.cast(pa.large_string())
    texts: list[str] = (pc.cast(distinct, pa.string()) if pa.types.is_boolean(kind) else distinct).to_pylist()
    kept = np.array([text not in missing for text in texts], dtype=bool)
    numeric = np.array([_NUMBER.match(text) is not None for text in texts], dtype=bool)
    wordy = kept & ~numeric
    if mixture != "text" and kept.any() and not wordy.any():
        parsed = [float(text) if present else 0.0 for text, present in zip(texts, kept, strict=True)]
        return kept, [number_text(value) for value in parsed], parsed, "number"
    if mixture == "refuse" and (kept & numeric).any():
        _refuse_mixture(name, indices, kept, wordy, weights, missing)
    return kept, texts, None, "text"


def _refuse_mixture(
    name: str,
    indices: NDArray[np.int32],
    kept: NDArray[np.bool_],
    wordy: NDArray[np.bool_],
    weights: NDArray[np.int64] | None,
    missing: set[str],
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


def _sorted(
    name: str,
    indices: NDArray[np.int32],
    kept: NDArray[np.bool_],
    labels: list[str],
    numbers: list[float] | None,
    kind: Kind,
) -> EncodedColumn:
    """Sort the distinct values, merge those that read alike, and renumber the rows."""
    present = np.flatnonzero(kept)
    keys: list[float] | list[str] = [numbers[i] for i in present] if numbers else [labels[i] for i in present]
    order = sorted(range(len(present)), key=keys.__getitem__)
    remap = np.full(len(kept) + 1, -1, dtype=np.int32)  # the last entry serves null's index, -1
    sorted_labels: list[str] = []
    sorted_numbers: list[float] = []
    previous: object = None
    for position in order:
        if not sorted_labels or keys[position] != previous:
            sorted_labels.append(labels[present[position]])
            if numbers:
                sorted_numbers.append(numbers[present[position]])
        previous = keys[position]
        remap[present[position]] = len(sorted_labels) - 1
    codes = remap[indices]
    absent = codes < 0
    has_missing = bool(absent.any())
    if has_missing:
        codes[absent] = len(sorted_labels)
    domain = Domain(
        name,
        kind,
        np.array(sorted_labels, dtype=np.str_),
        np.array(sorted_numbers, dtype=np.float64) if numbers is not None and kind != "text" else None,
        has_missing,
    )
    return EncodedColumn(domain, codes, respelled=not kept.all() or len(sorted_labels) < len(present))


def _plain(value: object) -> int | float:
    """A Python number of an Arrow integer, float or decimal."""
    if isinstance(value, int | float):
        return value
    number = float(value)  # type: ignore[arg-type]  # a decimal.Decimal: pyarrow's list is untyped
    return int(number) if number.is_integer() else number


def _moment(value: object) -> dt.datetime:
    """A naive datetime of an Arrow date or timestamp."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    assert isinstance(value, dt.date)
    return dt.datetime(value.year, value.month, value.day)
