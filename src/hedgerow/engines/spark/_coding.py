"""Encode values on the workers, as :mod:`hedgerow.engines._coding` does in DuckDB.

The values of each column and their codes are sent as a file, and joined to the rows. The codes of a row make up
its keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from hedgerow._internal.arrays import Ints
from hedgerow.engines._coding import Key, Keys
from hedgerow.engines.spark._exchange import Send
from hedgerow.errors import BadInput
from hedgerow.io.readers.spark import Column, DataFrame, types
from hedgerow.io.readers.spark import functions as F

__all__ = [
    "Coding",
    "canonical_text",
    "code_of",
    "learn_values",
    "ranking_hash",
    "refuse_other_kinds",
    "without_signed_zeros",
]


# --------------------------------------------------------------------------------------------------
# The columns of a Spark table: the supported types, and the text by which rows of one cell are ranked.


_FLOATS: Final = (types.FloatType, types.DoubleType)
_WHOLE: Final = (types.ByteType, types.ShortType, types.IntegerType, types.LongType)
_MOMENTS: Final = (types.DateType, types.TimestampType, types.TimestampNTZType)
_CARRIED: Final = (*_FLOATS, *_WHOLE, *_MOMENTS, types.BooleanType, types.DecimalType, types.StringType)
_DAY: Final = 86_400_000_000


def refuse_other_kinds(table: DataFrame, names: Iterable[str]) -> None:
    """Refuse columns of a type that not all engines represent alike."""
    kinds = {field.name: field.dataType for field in table.schema.fields}
    for name in names:
        if not isinstance(kinds[name], (*_CARRIED, types.BinaryType)):
            raise BadInput(
                f"The column {name!r} is of Spark's type {kinds[name].typeName()}, which is not carried. Turn it into "
                "text, numbers, dates or moments, or drop it."
            )


def without_signed_zeros(column: Column, kind: Any) -> Column:
    """A column whose equal values are written alike: Spark takes -0.0 for 0.0."""
    if not isinstance(kind, _FLOATS):
        return column
    return F.when(column == 0, F.lit(0.0).cast(kind)).otherwise(column)


def ranking_hash(seed: Column, columns: Mapping[str, Any]) -> Column:
    """The hash of :func:`hedgerow.engines.sql.canonical_hash` for columns and their types."""
    texts = [canonical_text(F.col(name), kind) for name, kind in columns.items()]
    parts = [F.coalesce(F.concat(F.length(text).cast("string"), F.lit(":"), text), F.lit("-")) for text in texts]
    return F.md5(F.concat_ws("|", seed, *parts))


def canonical_text(cell: Column, kind: Any) -> Column:
    """The text that :func:`hedgerow.engines.sql.canonical_text` defines; null stays null.

    Nothing here runs Python on the workers.
    """
    if isinstance(kind, _FLOATS):
        # Spark SQL reaches the bits of a float only by a method of Java.
        double = F.coalesce(cell.cast("double"), F.lit(0.0))
        bits = F.call_function("reflect", F.lit("java.lang.Double"), F.lit("doubleToRawLongBits"), double)
        return F.when(cell.isNull(), F.lit(None)).when(F.isnan(cell), F.lit("nan")).otherwise(bits)
    if isinstance(kind, types.DecimalType):
        # As text Spark may write it with an exponent.
        return F.replace(F.format_number(cell, kind.scale), F.lit(","), F.lit(""))
    if isinstance(kind, types.DateType):
        return F.unix_date(cell).cast("string")
    if isinstance(kind, types.TimestampType):
        return F.unix_micros(cell).cast("string")
    if isinstance(kind, types.TimestampNTZType):
        # By its parts: any other way goes through the session's time zone, where some hours do not exist.
        seconds = F.hour(cell) * 3600 + F.minute(cell) * 60
        micros = F.date_part(F.lit("second"), cell) * 1_000_000
        day = F.unix_date(cell.cast("date")).cast("long") * _DAY
        return (day + seconds.cast("long") * 1_000_000 + micros.cast("long")).cast("string")
    return F.hex(cell) if isinstance(kind, types.BinaryType) else cell.cast("string")


def learn_values(send: Send, column: str, values: pa.ChunkedArray, codes: Ints) -> DataFrame:
    """Send the code of each value of a column to Spark."""
    return send(f"values_{column}", pa.table({_value(column): values, _code(column): codes}))


@dataclass(frozen=True, eq=False)
class Coding:
    """How rows come to their keys.

    Attributes
    ----------
    keys : Keys
    values : mapping of column to DataFrame
        What :func:`learn_values` made, for all columns of the keys, as they are called inside.
    """

    keys: Keys
    values: Mapping[str, DataFrame]

    def with_keys(self, rows: DataFrame) -> DataFrame:
        """Rows, each with its keys; a row with a value that is not known is left out."""
        for key in self.keys.keys:
            for column in key.columns:
                known = F.col(column).eqNullSafe(F.col(_value(column)))
                rows = rows.join(self.values[column], known).drop(_value(column))
            rows = rows.withColumn(key.name, _number(key)).drop(*map(_code, key.columns))
        return rows


def code_of(keys: Keys, column: str) -> Column:
    """The code of a column, read from its key."""
    return F.expr(keys.code(column, divided="div"))


def _number(key: Key) -> Column:
    number = F.lit(0).cast("long")
    for column, size in zip(key.columns, key.sizes, strict=True):
        number = number * size + F.col(_code(column))
    return number


def _value(column: str) -> str:
    return f"value_{column}"


def _code(column: str) -> str:
    return f"code_{column}"
