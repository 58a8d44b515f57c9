"""Blocks: a table with many distinct rows is cut into parts that lie near each other, and each is merged by itself.

Comparing all classes with all takes time with the square of their number; the cuts are Mondrian's, into large groups
for which all requirements hold, so that merging everything in a block always suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.partition.mondrian import mondrian
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import KAnonymity, Requirement

__all__ = ["EXACT", "blocks_of"]

EXACT: Final = 32_768
"""Up to so many distinct rows all classes are compared with all."""

# A block has at least about so many distinct rows.
_BLOCK = 1_024


def blocks_of(counts: FrequencyTable, requirements: Sequence[Requirement]) -> list[NDArray[np.int64]]:
    """The cells of each block, a tuple's together: all in one block if distinct rows are few."""
    if len(counts.tuples) <= EXACT:
        return [np.arange(len(counts.cell_sizes), dtype=np.int64)]
    records = max(int(counts.rows * _BLOCK / len(counts.tuples)), 1)
    coarse = mondrian(counts, [*requirements, KAnonymity(records)])
    assert coarse.pieces is not None
    order = np.argsort(coarse.pieces.group, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(coarse.pieces.group[order])) + 1)
