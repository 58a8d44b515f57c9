"""Cells that are too many for the driver: their columns are encoded here, and they stay with the workers.

How many fit is the setting ``spark.hedgerow.tuples`` of the session. Where it is not set, it follows from the memory of
the driver: the tuples may take half of what ``spark.driver.memory`` names, about 170 bytes each with eight columns. A
worker on which a part is finished must have as much for its Python, beside what ``spark.executor.memory`` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.core.counts import EncodedColumn, LargeTable, MemoryLimit
from hedgerow.engines._coding import RECORDS, Keys
from hedgerow.engines.spark._coding import Coding, learn_values
from hedgerow.engines.spark._exchange import Workers, fetch
from hedgerow.engines.spark._tuples import SparkTuples
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput
from hedgerow.io.readers.spark import DataFrame
from hedgerow.io.readers.spark import functions as F
from hedgerow.schema import Roles

__all__ = ["TUPLES_SETTING", "keep_cells", "limit_of"]

TUPLES_SETTING: Final = "spark.hedgerow.tuples"
_MOST_CELLS: Final = 2**31 - 1

Encode = Callable[[str, pa.ChunkedArray, Longs], EncodedColumn]


def limit_of(session: Any, columns: int) -> MemoryLimit:
    """How many distinct tuples of so many columns fit into memory, the driver's or that of a worker's Python."""
    told = session.conf.get(TUPLES_SETTING, None)
    if told is None:
        most = _shares(session).most_tuples(columns)
    elif told.isdecimal() and int(told) > 0:
        most = int(told)
    else:
        raise BadInput(f"The setting {TUPLES_SETTING} must be a whole number of at least 1. Got {told!r} instead.")
    return MemoryLimit(
        most,
        "the memory of Spark's driver",
        f"Raise spark.driver.memory, or the setting {TUPLES_SETTING} itself",
    )


def _shares(session: Any) -> Shares:
    memory = int(session._jvm.java.lang.Runtime.getRuntime().maxMemory())
    return Shares(database=0, counts=memory // 2)


def keep_cells(
    workers: Workers,
    roles: Roles,
    inside: Mapping[str, str],
    distinct: DataFrame,
    encode: Encode,
    limit: MemoryLimit,
) -> tuple[LargeTable, SparkTuples, dict[str, EncodedColumn]]:
    """Encode the columns of cells, and let the workers keep the cells as codes.

    Parameters
    ----------
    workers : Workers
    roles : Roles
    inside : mapping of column to str
        What each column is called inside.
    distinct : DataFrame
        The distinct combinations of the counted columns, and how many records have each.
    encode : callable
        Encodes a column, by its distinct values and how many records have each.
    limit : MemoryLimit
    """
    encoded: dict[str, EncodedColumn] = {}
    values: dict[str, DataFrame] = {}
    records: set[int] = set()
    most = _shares(workers.session).most_values
    for name in roles.counted:
        inner = inside[name]
        with workers.words():
            found = fetch(distinct.groupBy(inner).agg(F.sum(RECORDS).alias(RECORDS)).limit(most + 1))
        if found.num_rows > most:
            raise BadInput(
                f"The column {name!r} has more than {most:,} distinct values, which do not fit into the memory of "
                "Spark's driver. Round or shorten them, leave the column out, or raise spark.driver.memory."
            )
        weights = found.column(1).to_numpy().astype(np.int64)
        encoded[name] = encode(name, found.column(0), weights)
        records.add(int(weights.sum()))
        with workers.words():
            values[inner] = learn_values(workers.send, inner, found.column(0), encoded[name].codes)
    coding = Coding(Keys.of({inside[name]: column.domain.size for name, column in encoded.items()}), values)
    cells = coding.with_keys(distinct).select(*coding.keys.names, RECORDS)
    if any(column.respelled for column in encoded.values()):
        cells = cells.groupBy(*coding.keys.names).agg(F.sum(RECORDS).alias(RECORDS))
    kept = SparkTuples(workers, roles, encoded, inside, coding, cells)
    if len(kept) > _MOST_CELLS:
        raise BadInput(f"The table has {len(kept):,} distinct tuples, and {_MOST_CELLS:,} can be numbered.")
    return LargeTable.of(roles, encoded, max(records), len(kept), limit, kept), kept, encoded
