"""Blocks that are clustered: which units are open, and what joins which cluster."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.merge._clusters import Shares, UnitBlock, cluster_blocks, joined
from hedgerow.release import pipeline


def block_of(ages: list[int], k: int) -> UnitBlock:
    """The whole table; its units are the different ages, ascending."""
    job = pipeline.prepare(pa.table({"age": ages}), Schema(quasi=["age"]), [KAnonymity(k)], random_state=0)
    seen: list[UnitBlock] = []

    def note(block: UnitBlock, _: np.random.Generator) -> Shares:
        seen.append(block)
        units = np.arange(len(block.cluster))
        return Shares(units, np.zeros_like(units), block.units.weight)

    cluster_blocks("own", job.counts, job.requirements, note, seed=0, improve=False)
    return seen[0]


def test_equal_records_that_comply_are_finished() -> None:
    block = block_of([1, 5, 5, 5, 9, 9], 3)
    assert block.open.tolist() == [1, 0, 2]
    assert [part.tolist() for part in block.finished] == [[1], [0], [3]]
    assert block.unit_of(np.arange(3)).tolist() == [0, 2, 2]


def test_further_clusters_are_numbered_after_the_finished_ones() -> None:
    block = block_of([1, 5, 5, 5, 9, 9], 3)
    shares = block.beside_finished(Shares(np.array([0, 2]), np.array([0, 0]), np.array([1, 2])))
    assert [part.tolist() for part in shares] == [[1, 0, 2], [0, 1, 1], [3, 1, 2]]
    assert shares.sizes.tolist() == [3, 3]


def test_records_join_first_what_lacks_some() -> None:
    """8 is nearer to 9, but the cluster of 1 has too few."""
    block = block_of([1, 8, 9, 10], 2)
    start = Shares(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1, 1, 1]))
    one, weight = np.array([1]), np.array([1])
    assert joined(block, start, one, weight, wanted=2).cluster.tolist() == [0, 1, 1, 0]
    assert joined(block, start, one, weight, wanted=0).cluster.tolist() == [0, 1, 1, 1]
