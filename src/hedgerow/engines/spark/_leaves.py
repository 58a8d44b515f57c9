"""Which leaf of a tree of cuts a row goes to, as joins: the tree is sent as a file, and no cut stands in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow.core.counts import FirstCuts
from hedgerow.engines.spark._exchange import Send
from hedgerow.io.readers.spark import DataFrame
from hedgerow.io.readers.spark import functions as F

__all__ = ["LEAF", "routed"]

LEAF: Final = "leaf"
_NODE: Final = "node"
_RANK: Final = "rank"


def routed(rows: DataFrame, cuts: FirstCuts, ranks: Sequence[str], send: Send) -> DataFrame:
    """Rows with the number of their leaf.

    Parameters
    ----------
    rows : DataFrame
    cuts : FirstCuts
    ranks : sequence of str
        The columns with the ranks that are cut, in their order.
    send : callable
        Sends a table to Spark.
    """
    if not len(cuts.column):
        return rows.withColumn(LEAF, F.lit(0))
    steps = _steps(cuts)
    asked, singles = send("steps", steps.asked), send("singles", steps.singles)
    goes = F.when(F.col(_RANK) <= F.col("threshold"), F.col("low")).otherwise(F.col("high"))
    here = rows.withColumn(_NODE, F.lit(0))
    for _ in range(steps.most):
        # Rows that have arrived at a leaf find no step.
        here = here.join(asked, _NODE, "left").withColumn(_RANK, F.get(F.array(*ranks), F.col("asks")))
        leads = goes
        if steps.singles.num_rows:
            here, leads = here.join(singles, [_NODE, _RANK], "left"), F.coalesce(F.col("child"), goes)
        arrived = F.col("asks").isNull()
        here = here.select(*rows.columns, F.when(arrived, F.col(_NODE)).otherwise(leads).alias(_NODE))
    return here.select(*rows.columns, (-1 - F.col(_NODE)).alias(LEAF))


class _Steps(NamedTuple):
    """A tree as tables: the column that a node tests, the next nodes, and where a single rank leads elsewhere.

    ``most`` is the number of steps of the longest path. Cuts that separate one rank after the other of the same column
    are one step.
    """

    asked: pa.Table
    singles: pa.Table
    most: int


def _steps(cuts: FirstCuts) -> _Steps:
    asked: list[tuple[int, int, int, int, int]] = []
    singles: dict[tuple[int, int], int] = {}
    waiting, most = [(0, 1)], 0
    while waiting:
        node, step = waiting.pop()
        most = max(most, step)
        column, last, children = cuts.column[node], node, []
        while last >= 0 and cuts.single[last] and cuts.column[last] == column:
            singles.setdefault((node, cuts.threshold[last]), cuts.left[last])
            children.append(cuts.left[last])
            last = cuts.right[last]
        if last == node:
            children = [cuts.left[node], cuts.right[node]]
            asked.append((node, column, cuts.threshold[node], cuts.left[node], cuts.right[node]))
        else:
            # All other ranks are above this threshold.
            asked.append((node, column, -1, last, last))
            children.append(last)
        waiting.extend((child, step + 1) for child in children if child >= 0)
    names = (_NODE, "asks", "threshold", "low", "high")
    leads = [(node, rank, child) for (node, rank), child in singles.items()]
    return _Steps(_table(names, asked), _table((_NODE, _RANK, "child"), leads), most)


def _table(names: Sequence[str], rows: Sequence[tuple[int, ...]]) -> pa.Table:
    columns = np.array(rows, dtype=np.int32).reshape(len(rows), len(names)).T
    return pa.table(dict(zip(names, columns, strict=True)))
