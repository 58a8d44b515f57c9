"""Blocks of a table with many distinct rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.partition import cuts as blocks
from hedgerow.anonymizers.partition.cuts import blocks_of, near_groups
from hedgerow.core.recoding import Pieces, shown_as
from hedgerow.release import pipeline

TABLE = pa.table(
    {"age": [row % 60 for row in range(240)], "town": [*"abcd"] * 60, "ill": ["flu", "cold", "ulcer"] * 80}
)
REQUIRE = [KAnonymity(3), LDiversity(2, "ill")]


def test_a_small_table_is_one_block() -> None:
    prepared = pipeline.prepare(TABLE, Schema(quasi=["age", "town"], sensitive=["ill"]), REQUIRE, random_state=0)
    (only,) = blocks_of(prepared.counts, REQUIRE, shown_as(prepared.counts, "auto"))
    assert only.tolist() == list(range(len(prepared.counts.cell_sizes)))


def test_blocks_are_large_and_keep_tuples_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "EXACT", 20)
    monkeypatch.setattr(blocks, "_BLOCK", 10)
    prepared = pipeline.prepare(TABLE, Schema(quasi=["age", "town"], sensitive=["ill"]), REQUIRE, random_state=0)
    counts = prepared.counts
    found = blocks_of(counts, REQUIRE, shown_as(counts, "auto"))
    assert len(found) > 1
    assert np.sort(np.concatenate(found)).tolist() == list(range(len(counts.cell_sizes)))
    tuples = [set(counts.cell_tuple[cells].tolist()) for cells in found]
    assert sum(map(len, tuples)) == len(counts.tuples)
    least = 10 * counts.rows // len(counts.tuples)
    for cells in found:
        assert counts.cell_sizes[cells].sum() >= least
        assert len(np.unique(counts.values_of("ill")[cells])) >= 2


def test_groups_of_a_small_table_are_all_near() -> None:
    counts = pipeline.prepare(TABLE.drop(["ill"]), Schema(quasi=["age", "town"]), REQUIRE[:1], random_state=0).counts
    pieces = Pieces.whole(np.arange(len(counts.cell_sizes), dtype=np.int32) % 7, counts.cell_sizes)
    assert near_groups(counts, pieces, shown_as(counts, "auto")).tolist() == [0] * 7


def test_a_group_is_near_those_where_most_of_its_records_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two heaps of three tuples: of the groups that lie in both, each goes where it has more records."""
    monkeypatch.setattr(blocks, "_PAIRS", 4)
    ages = pa.table({"age": [1] * 3 + [2] * 3 + [3] * 5 + [97] * 3 + [98] * 3 + [99] * 5})
    counts = pipeline.prepare(ages, Schema(quasi=["age"]), [KAnonymity(1)], random_state=0).counts
    pieces = Pieces.whole(np.array([0, 1, 2, 0, 3, 1], dtype=np.int32), counts.cell_sizes)
    found = near_groups(counts, pieces, shown_as(counts, "auto")).tolist()
    # 0 has three records on either side and goes to the first; 1 has three below and five above.
    assert found[0] == found[2] != found[1] == found[3]
