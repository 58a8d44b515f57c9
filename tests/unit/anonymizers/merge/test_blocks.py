"""Blocks of a table with many distinct rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers import line
from hedgerow.anonymizers.merge import blocks
from hedgerow.anonymizers.merge.blocks import blocks_of

TABLE = pa.table(
    {"age": [row % 60 for row in range(240)], "town": [*"abcd"] * 60, "ill": ["flu", "cold", "ulcer"] * 80}
)
REQUIRE = [KAnonymity(3), LDiversity(2, "ill")]


def test_a_small_table_is_one_block() -> None:
    prepared = line.prepare(TABLE, Schema(quasi=["age", "town"], sensitive=["ill"]), REQUIRE, random_state=0)
    (only,) = blocks_of(prepared.counts, REQUIRE)
    assert only.tolist() == list(range(len(prepared.counts.cell_sizes)))


def test_blocks_are_large_and_keep_tuples_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "EXACT", 20)
    monkeypatch.setattr(blocks, "_BLOCK", 10)
    prepared = line.prepare(TABLE, Schema(quasi=["age", "town"], sensitive=["ill"]), REQUIRE, random_state=0)
    counts = prepared.counts
    found = blocks_of(counts, REQUIRE)
    assert len(found) > 1
    assert np.sort(np.concatenate(found)).tolist() == list(range(len(counts.cell_sizes)))
    tuples = [set(counts.cell_tuple[cells].tolist()) for cells in found]
    assert sum(map(len, tuples)) == len(counts.tuples)
    least = 10 * counts.rows // len(counts.tuples)
    for cells in found:
        assert counts.cell_sizes[cells].sum() >= least
        assert len(np.unique(counts.values_of("ill")[cells])) >= 2
