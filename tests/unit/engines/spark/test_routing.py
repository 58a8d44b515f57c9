"""Cuts as joins: every row comes to the leaf that the tree says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.counts import FirstCuts

pytestmark = pytest.mark.spark


def grown(random: np.random.Generator, leaves: int) -> FirstCuts:
    """A random tree whose leaves are numbered from left to right."""
    column, threshold, single, left, right = (list[int]() for _ in range(5))
    numbered = 0

    def write(here: int) -> int:
        nonlocal numbered
        if here == 1:
            numbered += 1
            return -numbered
        node = len(column)
        column.append(int(random.integers(2)))
        threshold.append(int(random.integers(5)))
        single.append(int(random.integers(2)))
        left.append(0)
        right.append(0)
        first = int(random.integers(1, here))
        left[node] = write(first)
        right[node] = write(here - first)
        return node

    write(leaves)
    return FirstCuts(column, threshold, [bool(one) for one in single], left, right)


def leaf_of(cuts: FirstCuts, ranks: tuple[int, int]) -> int:
    at = 0 if cuts.column else -1
    while at >= 0:
        rank, threshold = ranks[cuts.column[at]], cuts.threshold[at]
        goes_left = rank == threshold if cuts.single[at] else rank <= threshold
        at = cuts.left[at] if goes_left else cuts.right[at]
    return -1 - at


# One value after the other taken off a column, and then the other column.
CHAIN = FirstCuts([0, 0, 0, 1], [3, 1, 4, 2], [True, True, True, False], [-1, -2, -3, -4], [1, 2, 3, -5])


@pytest.mark.parametrize(
    "cuts", [FirstCuts([], [], [], [], []), CHAIN, *(grown(np.random.default_rng(s), 9) for s in (1, 2))]
)
def test_every_row_comes_to_its_leaf(spark: Any, tmp_path: Path, cuts: FirstCuts) -> None:
    from hedgerow.engines.spark._exchange import send
    from hedgerow.engines.spark._leaves import routed

    grid = [(one, other) for one in range(5) for other in range(5)]
    first, second = zip(*grid, strict=True)
    rows = send(spark, tmp_path, "rows", pa.table({"q0": first, "q1": second}))
    placed = routed(rows, cuts, ["q0", "q1"], lambda name, table: send(spark, tmp_path, name, table)).toArrow()
    assert placed.column_names == ["q0", "q1", "leaf"]
    found = {(row["q0"], row["q1"]): row["leaf"] for row in placed.to_pylist()}
    assert found == {ranks: leaf_of(cuts, ranks) for ranks in grid}


def test_no_cut_stands_in_a_plan(spark: Any, tmp_path: Path) -> None:
    """Spark shows plans in its logs and on its pages."""
    from hedgerow.engines.spark._exchange import send
    from hedgerow.engines.spark._leaves import routed

    secret = FirstCuts([0, 0], [7_777, 8_888], [True, False], [-1, -2], [1, -3])
    rows = send(spark, tmp_path, "rows", pa.table({"q0": [1, 7_777]}))
    plan = routed(rows, secret, ["q0"], lambda name, table: send(spark, tmp_path, name, table))
    told = plan._jdf.queryExecution().toString()
    assert "leaf" in told
    assert "7777" not in told
    assert "8888" not in told
