"""The one definition of when two cells are the same, by which quasi-identifiers of every kind of table are counted.

Each cell becomes a plain value that any database compares correctly: a truth value, a whole number, text or bytes. Two
cells get the same value exactly if a reader of the table cannot tell them apart:

- Text is its code points, without collation, normal form or trimming. Bytes are bytes.
- A float is its bits, so that ``-0.0`` is not ``0.0``; every NaN is the same.
- Dates, moments and durations are whole numbers of their unit. A month is not 30 days.

A type that is not listed here is refused.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import struct
import uuid
import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import BadInput

__all__ = ["TEXT_KINDS", "Exact", "exact_column", "exact_frame", "exact_people", "nested", "numbered"]

_NAN: Final = int(np.array(np.nan).view(np.int64))
_TEXTS: Final = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BYTES: Final = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_binary_view,
)
_UNITS: Final[dict[str, int]] = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DAY: Final = 86_400
# What DuckDB writes for infinite dates and moments.
_ENDLESS: Final = {2**31 - 1: "infinity", 1 - 2**31: "-infinity", 2**63 - 1: "infinity", 1 - 2**63: "-infinity"}

TEXT_KINDS: Final = frozenset(
    {"hugeint", "uhugeint", "bit", "interval", "time with time zone", "bignum", "varint", "null"}
)
"""Types that DuckDB writes as text exactly, but compares or passes to Arrow less exactly."""


@dataclass(frozen=True, eq=False)
class Exact:
    """A column of plain values.

    Parameters
    ----------
    values : Arrow array
        Truth values, whole numbers, texts or bytes, and null.
    write : callable, optional
        Turns such a value into what the cell shows: a truth value, a number or text. Without it, the cell shows the
        value itself. It is not called for null.
    """

    values: Any
    write: Callable[[Any], object] | None = None


def exact_column(column: Any, name: str, zone: str | None = None) -> Exact:
    """Turn an Arrow column into plain values, or refuse its type.

    Parameters
    ----------
    column : Arrow array
    name : str
        The column, for messages.
    zone : str, optional
        The time zone in which to write moments that have a zone, if it is not that of the array.

    Examples
    --------
    >>> import pyarrow as pa
    >>> exact = exact_column(pa.array([0.0, -0.0]), "zero")
    >>> len(set(exact.values.to_pylist())), [exact.write(value) for value in exact.values.to_pylist()]
    (2, [0.0, -0.0])
    """
    try:
        stored = _stored(column)
        for is_kind, plain, write in _CASTS:
            if is_kind(stored.type):
                return Exact(stored if plain is None else stored.cast(plain), write)
        return _computed(stored, name, zone)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass  # their messages may quote cells, also as the context of another error
    raise _no_exact_form(name, column.type)


def exact_people(people: Any, rows: int | None = None) -> Exact:
    """The person of each row, as a number; -1 for rows that ``people`` does not reach."""
    values = np.full(len(people) if rows is None else rows, -1, dtype=np.int64)
    values[: len(people)] = people
    return Exact(pa.array(values))


def numbered(columns: Sequence[Exact]) -> Any:
    """An Arrow table of exact columns, named ``c0``, ``c1``, …"""
    return pa.table({f"c{at}": column.values for at, column in enumerate(columns)})


def exact_frame(
    frame: nw.DataFrame[Any], columns: Sequence[str], quasi: int, *, nested_too: bool = False
) -> list[Exact]:
    """Turn some columns of a dataframe into plain values.

    Columns are looked up by position, because some dataframes read a name as a pattern. The first ``quasi`` columns are
    quasi-identifiers. Their objects must be of one type: Arrow would turn ``1`` and ``1.0`` into one number. With
    ``nested_too``, nested columns stay as they are; else they are refused.
    """
    every = list(frame.iter_columns())
    exact = []
    for at, name in enumerate(columns):
        series = every[frame.columns.index(name)]
        if nested_too and series.dtype.is_nested():
            exact.append(Exact(series.to_arrow()))
        else:
            exact.append(_exact_series(series, name, strict=at < quasi))
    return exact


def _exact_series(series: nw.Series[Any], name: str, *, strict: bool) -> Exact:
    native = nw.to_native(series)
    if series.dtype == nw.Object and series.implementation.is_polars():
        raise nested(name)
    categories: Any = getattr(getattr(native, "dtype", None), "categories", None)
    try:
        if strict and _holds_objects(native):
            return _exact_objects(native.to_numpy(), name)
        if strict and _holds_objects(categories):
            held, codes = _exact_objects(categories.to_numpy(), name), native.cat.codes.to_numpy()
            return Exact(held.values.take(pa.array(codes, mask=codes < 0)), held.write)
        column = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, BadInput):
            raise
        column = None  # Arrow's message quotes the cell
    if column is None:
        raise _mixed(name)
    return exact_column(column, name)


def _holds_objects(values: Any) -> bool:
    kind = getattr(values, "dtype", None)
    return isinstance(kind, np.dtype) and kind == np.dtype(object)


def _stored(column: Any) -> Any:
    """The values behind extension types, dictionaries and run ends."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _stored(_of_chunks(column, lambda chunk: chunk.storage, kind.storage_type))
    if pa.types.is_dictionary(kind):
        return _stored(column.cast(kind.value_type))
    if pa.types.is_run_end_encoded(kind):
        return _stored(pc.run_end_decode(column))
    return column


def _computed(column: Any, name: str, zone: str | None) -> Exact:
    """Turn a column into plain values where a cast alone does not."""
    kind = column.type
    if pa.types.is_floating(kind):
        return Exact(_of_chunks(column, _bits, pa.int64()), _float)
    if pa.types.is_timestamp(kind):
        shown = None if kind.tz is None else zone or kind.tz
        return Exact(column.cast(pa.int64()), partial(_moment, _UNITS[kind.unit], _zone(shown)))
    if pa.types.is_time(kind):
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return Exact(column.cast(whole), partial(_time, _UNITS[kind.unit]))
    if kind == pa.month_day_nano_interval():
        return Exact(_of_chunks(column, _intervals, pa.large_string()))
    raise nested(name) if pa.types.is_nested(kind) else _no_exact_form(name, kind)


def _of_chunks(column: Any, work: Callable[[Any], Any], kind: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([work(chunk) for chunk in column.chunks], kind)
    return work(column)


def _bits(chunk: Any) -> Any:
    """Floats by their bits; every NaN by the same."""
    absent = np.asarray(chunk.is_null().to_numpy(zero_copy_only=False), dtype=bool)
    # Of two bytes not every Arrow fills the nulls.
    wide = chunk.cast(pa.float32()) if chunk.type == pa.float16() else chunk
    floats = np.asarray(wide.fill_null(0.0).to_numpy(zero_copy_only=False), dtype=np.float64)
    return pa.array(np.where(np.isnan(floats), _NAN, floats.view(np.int64)), pa.int64(), mask=absent)


def _float(bits: int) -> float:
    return float(struct.unpack("d", struct.pack("q", bits))[0])


def _decimal(text: str) -> str:
    """A decimal with all its decimals; Arrow writes small ones with an exponent."""
    return f"{decimal.Decimal(text):f}"


def _intervals(chunk: Any) -> Any:
    """Intervals as text with their months, days and nanoseconds, which do not convert into each other."""
    texts = [None if cell is None else f"{cell[0]} months {cell[1]} days {cell[2]} ns" for cell in chunk.to_pylist()]
    return pa.array(texts, pa.large_string())


def _zone(name: str | None) -> dt.tzinfo | None:
    """A time zone by its name or its offset from UTC; UTC if this machine does not know the name."""
    if name is None:
        return None
    if name[:1] in "+-":
        hours, _, minutes = name[1:].partition(":")
        away = dt.timedelta(hours=int(hours[:2]), minutes=int(minutes or hours[2:] or 0))
        return dt.timezone(-away if name[0] == "-" else away)
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def _day(value: int) -> str:
    return _ENDLESS.get(value) or str(np.datetime64(value, "D"))


def _day_in_milliseconds(value: int) -> str:
    days, rest = divmod(value, 1000 * _DAY)
    return _moment(3, None, value) if rest else _day(days)


def _moment(digits: int, zone: dt.tzinfo | None, value: int) -> str:
    """A moment as ISO 8601 writes it; where there is a zone, in local time with its offset from UTC."""
    if abs(value) > 2**32 and value in _ENDLESS:
        return _ENDLESS[value]
    seconds, fraction = divmod(value, 10**digits)
    away = 0 if zone is None else _seconds_east(zone, seconds)
    text = str(np.datetime64(seconds + away, "s")).replace("T", " ")
    if fraction:
        text += f".{fraction:0{digits}d}".rstrip("0")
    return text if zone is None else text + _distance(away)


def _seconds_east(zone: dt.tzinfo, seconds: int) -> int:
    """How far the clocks of a zone are ahead of UTC at a moment; 0 in years that no calendar has."""
    try:
        away = (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)).astimezone(zone).utcoffset()
    except (OverflowError, ValueError):
        return 0
    return 0 if away is None else int(away.total_seconds())


def _distance(seconds: int) -> str:
    """An offset from UTC, such as ``+01:00``."""
    sign, (minutes, rest) = "-" if seconds < 0 else "+", divmod(abs(seconds), 60)
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" + (f":{rest:02d}" if rest else "")


def _time(digits: int, value: int) -> str:
    """A time of day."""
    seconds, fraction = divmod(value, 10**digits)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + (f".{fraction:0{digits}d}".rstrip("0") if fraction else "")


# Column types that a cast alone turns into plain values: the test, what to cast to, and how to write such a value.
_CASTS: Final[tuple[tuple[Callable[[Any], bool], Any, Callable[[Any], object] | None], ...]] = (
    (pa.types.is_boolean, None, None),
    (pa.types.is_integer, None, None),
    (pa.types.is_null, pa.bool_(), None),
    *((is_text, pa.large_string(), None) for is_text in _TEXTS),
    (pa.types.is_decimal, pa.large_string(), _decimal),
    (pa.types.is_date32, pa.int32(), _day),
    (pa.types.is_date64, pa.int64(), _day_in_milliseconds),
    (pa.types.is_duration, pa.int64(), None),
    *((is_bytes, pa.large_binary(), bytes.hex) for is_bytes in _BYTES),
)


# Types of Python that Arrow holds exactly if a whole column is of one of them, and the types of numpy that equal them.
_ALIKE: Final[dict[type, type]] = {
    **{kind: kind for kind in (str, bytes, bool, int, float)},
    **{np.str_: str, np.bytes_: bytes, np.bool_: bool, np.float64: float},
}
# Types that are compared as text: Arrow would join 1.5 and 1.50, and moments of two time zones.
_COMPARED_AS_TEXT: Final = (decimal.Decimal, dt.date, dt.time, dt.timedelta, uuid.UUID)
_NOTHING: Final = ("NAType", "NaTType")  # by name, so that pandas is not imported


def _exact_objects(cells: Any, name: str) -> Exact:
    """Objects of Python, all of one type. A reader sees which of several objects means "no value"."""
    absent = np.array([_is_nothing(cell) for cell in cells], dtype=bool)
    if len(set(map(type, cells[absent]))) > 1:
        raise BadInput(f"The column {name!r} holds both null and NaN. Make all its missing values null.")
    types = set(map(type, cells[~absent]))
    kinds = {int if issubclass(kind, np.integer) else _ALIKE.get(kind, kind) for kind in types}
    if len(kinds) > 1:
        raise _mixed(name)
    kept = [None if gone else cell for cell, gone in zip(cells, absent.tolist(), strict=True)]
    return _exact_of_one_type(kept, next(iter(kinds), bool), name)


def _is_nothing(cell: object) -> bool:
    return cell is None or type(cell).__name__ in _NOTHING or (isinstance(cell, float) and math.isnan(cell))


def _exact_of_one_type(cells: list[Any], kind: type, name: str) -> Exact:
    if kind is int:
        try:
            return Exact(pa.array(_each(int, cells), pa.int64()))
        except OverflowError:
            return Exact(pa.array(_each(str, cells), pa.large_string()))
    if issubclass(kind, _COMPARED_AS_TEXT):
        return Exact(pa.array(_each(str, cells), pa.large_string()))
    if not issubclass(kind, (str, bytes, bool, np.bool_, float, np.floating)):
        raise nested(name)
    return exact_column(pa.array(cells), name)


def _each(convert: Callable[[Any], Any], cells: list[Any]) -> list[Any]:
    return [None if cell is None else convert(cell) for cell in cells]


def _mixed(name: str) -> BadInput:
    return BadInput(f"The column {name!r} mixes types. Turn its cells into text, or into numbers.")


def nested(name: str) -> BadInput:
    """The error about a column whose cells are not plain values."""
    return BadInput(
        f"The column {name!r} holds lists, structures or other objects. Turn its cells into text or numbers."
    )


def _no_exact_form(name: str, kind: Any) -> BadInput:
    return BadInput(
        f"The column {name!r} holds values of the type {kind}, which cannot be compared exactly. Turn them into text."
    )
