"""Encoding a column: Arrow values of any type to a sorted :class:`Domain` and one integer code per row."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts.reading import Asked, BadValues, Reading, interpret, is_text
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain

__all__ = ["EncodedColumn", "dictionary_of", "encode_column", "original_values"]


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
    >>> import numpy as np
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


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """One column as codes of its domain.

    ``respelled`` says that several spellings share a code (``1.5`` and ``1.50``, null and ``?``), so that the
    column as it stands would tell apart what counts as equal. ``nearly`` is the share of the records that are numbers
    in a column that was derived to be text.
    """

    domain: Domain
    codes: Ints
    respelled: bool = False
    nearly: float = 0.0


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
        ``"typed"``: the type decides, text is text whatever it looks like, and an ordered dictionary has its order.
        ``"derived"``: text that is all numbers, none of them with a leading zero, or all ISO dates, is read as such.
        ``"valued"``: only text that is all numbers is.
        A kind, or the values in their order: it must be so.
    decimal_point : str
        What stands before the decimals where text is read as numbers.
    """
    order = _told_order(values) if kind == "typed" else None
    indices, distinct = dictionary_of(name, values)
    if pa.types.is_floating(distinct.type):
        _refuse_nan_and_infinity(name, distinct)
    asked = kind if order is None else order
    reading = interpret(name, distinct, set(missing), asked, decimal_point)
    encoded = _sorted(name, indices, reading, weights)
    if kind != "derived" or reading.kind != "text" or not reading.numeric.any():
        return encoded
    records = np.bincount(indices[indices >= 0], None if weights is None else weights[indices >= 0], len(reading.kept))
    return replace(encoded, nearly=float(records[reading.numeric].sum() / records[reading.kept].sum()))


def _told_order(values: pa.ChunkedArray | pa.Array) -> list[str] | None:
    """The order of a categorical column that has one."""
    if not (pa.types.is_dictionary(values.type) and values.type.ordered and is_text(values.type.value_type)):
        return None
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    told = [chunk.dictionary.drop_null().to_pylist() for chunk in chunks]
    # Chunks that differ are no order of one column.
    return told[0] if told and all(one == told[0] for one in told) else None


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
    if column.type == pa.float16():
        column = column.cast(pa.float32())  # the same numbers; not every Arrow encodes those of two bytes
    if not pa.types.is_dictionary(column.type):
        # Encoded before the chunks are joined: the texts of a long column together may overflow their offsets.
        column = column.dictionary_encode()
    if not column.num_chunks:  # not every Arrow joins none of any type
        return _without_unused(np.empty(0, dtype=np.int32), pa.nulls(0, column.type.value_type))
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
