"""Blocks: a table with many distinct rows is cut into parts that lie near each other, and each is worked on by itself.

Comparing all classes with all takes time with the square of their number; the cuts are Mondrian's. Where a block is
merged, all requirements hold for it, so that merging everything in it always suffices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.partition.cutting import cut_groups, orders_of
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import KAnonymity, Requirement
from hedgerow.recoding import Pieces, Shown

__all__ = ["EXACT", "blocks_of", "near_groups"]

EXACT: Final = 32_768
"""Up to so many distinct rows all classes are compared with all."""

# A block has at least about so many distinct rows.
_BLOCK = 1_024
# Groups are near each other in blocks with at least about so many pairs of a tuple and a group; fewer in a table with
# many tuples.
_PAIRS = 131_072
_PAIRS_OF_MANY = 32_768
_MANY = 65_536


def blocks_of(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown]
) -> list[NDArray[np.int64]]:
    """The cells of each block, a tuple's together: all in one block if distinct rows are few."""
    if len(counts.tuples) <= EXACT:
        return [np.arange(len(counts.cell_sizes), dtype=np.int64)]
    block = _block_of_cell(counts, requirements, shown, _BLOCK)
    order = np.argsort(block, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(block[order])) + 1)


def near_groups(counts: FrequencyTable, pieces: Pieces, shown: Sequence[Shown]) -> NDArray[np.int64]:
    """Which groups lie near each other: the block of each, where it has most of its records.

    Every tuple of a block is compared with every group of it, so a block has fewer tuples where groups are small.
    """
    pairs = _PAIRS if len(counts.tuples) <= _MANY else _PAIRS_OF_MANY
    tuples_of_group = len(counts.tuples) / (int(pieces.group.max()) + 1)
    block = _block_of_cell(counts, [], shown, math.ceil(math.sqrt(pairs * tuples_of_group)))
    blocks = int(block.max()) + 1
    pair, which = np.unique(pieces.group.astype(np.int64) * blocks + block[pieces.cell], return_inverse=True)
    group, of_group = np.divmod(pair, blocks)
    records = np.bincount(which, pieces.size)
    # The most frequent block of each group first, of equals the first.
    order = np.lexsort((of_group, -records, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    found: NDArray[np.int64] = of_group[order][first]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _block_of_cell(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown], tuples: int
) -> NDArray[np.int32]:
    """Cut the table into blocks of at least about so many tuples, in which all requirements hold."""
    records = min(max(int(counts.rows * tuples / len(counts.tuples)), 1), counts.rows)
    wanted = [*requirements, KAnonymity(records)]
    pieces, _ = cut_groups(counts, wanted, orders_of(counts, "auto", shown), shown, by_loss=True, relaxed=False)
    return pieces.group
