"""Values become codes on the workers: the same as :mod:`hedgerow.engines.coding` is for DuckDB.

The values of each column and their codes go there as a file, and are joined to whatever has values. The codes of a row
make up its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from hedgerow.arrays import Ints
from hedgerow.engines.coding import Key, Keys
from hedgerow.engines.spark.exchange import Send
from hedgerow.intake.spark.library import Column, DataFrame
from hedgerow.intake.spark.library import functions as F

__all__ = ["Coding", "code_of", "learn_values"]


def learn_values(send: Send, column: str, values: pa.ChunkedArray, codes: Ints) -> DataFrame:
    """Tell Spark the code of each value of a column."""
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
