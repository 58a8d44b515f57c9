"""Partitioning on several cores: the first cuts one after the other, then every part in a thread of its own.

A range is cut by what is in it and by nothing else, so the groups and their numbers are the same on any number of
cores. Threads suffice, because kernels run without Python's lock; numba's own parallel loops would bring a threading
layer that does not survive a fork.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.partition._buckets import Items, Scales, new_buckets
from hedgerow.anonymizers.partition._kernels import partition
from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["Cuts", "partition_in_threads"]

# Below so many items a second thread costs more than it brings.
_WORTHWHILE = 20_000
# Into about so many parts the first cuts divide the items: enough that threads end at about the same time.
_PARTS = 16


class Cuts(NamedTuple):
    """The tree of cuts and the ranges of its leaves; a child below zero is the leaf ``-1 - child``."""

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints
    start: Longs
    end: Longs


def partition_in_threads(
    items: Items,
    scales: Scales,
    values: int,
    packed: PackedRequirements,
    *,
    by_loss: bool,
    relaxed: bool,
    alone: bool = False,
) -> Cuts:
    """Partition all items; see :func:`hedgerow.anonymizers.partition._kernels.partition`.

    ``values`` is the length of the concatenated sensitive histograms.
    """

    def cut(part: Items, leave: int) -> Cuts:
        most = int(min(len(part.weights), part.weights.sum() // packed.minimal_size)) + 1
        cuts, leaves = np.zeros((most, 5), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
        waiting = np.zeros((most + 1, 4), dtype=np.int64)
        waiting[0] = 0, len(part.weights), -1, 0
        inner, outer = partition(
            part,
            scales,
            new_buckets(scales, part.bits.shape[1], values),
            packed if len(packed.kind) else None,
            packed.minimal_size,
            leave,
            relaxed or None,
            None if by_loss else np.zeros(len(scales.columns)),
            alone or None,
            cuts,
            leaves,
            waiting,
        )
        column, threshold, single, left, right = cuts[:inner].T
        return Cuts(column, threshold, single > 0, left, right, leaves[:outer, 0], leaves[:outer, 1])

    if len(items.weights) < _WORTHWHILE:
        return cut(items, 0)
    first = cut(items, len(items.weights) // _PARTS)
    parts = [_range(items, start, end) for start, end in zip(first.start, first.end, strict=True)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return join(first, list(pool.map(cut, parts, [0] * len(parts))))


def _range(items: Items, start: int, end: int) -> Items:
    """The items of a range, not copied: what a kernel moves there moves in the whole."""
    return Items(
        items.ranks[start:end],
        items.bits[start:end],
        items.values[start:end],
        items.weights[start:end],
        items.origin[start:end],
    )


def join(first: Cuts, parts: Sequence[Cuts]) -> Cuts:
    """Put the trees of the parts in the place of the first tree's leaves."""
    inner = np.cumsum([len(first.column), *(len(part.column) for part in parts)])
    leaves = np.cumsum([0, *(len(part.start) for part in parts)])
    # What a leaf of the first tree becomes: the root of its part's tree, or the one group that its part is.
    root = np.where(np.diff(inner) > 0, inner[:-1], -1 - leaves[:-1])

    def child(of_first: NDArray[np.int32], of_parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
        replaced = np.where(of_first < 0, root[np.minimum(-1 - of_first, len(parts) - 1)], of_first)
        moved = [np.where(nodes < 0, nodes - leaves[at], nodes + inner[at]) for at, nodes in enumerate(of_parts)]
        return np.concatenate([replaced, *moved]).astype(np.int32)

    return Cuts(
        column=np.concatenate([first.column, *(part.column for part in parts)]),
        threshold=np.concatenate([first.threshold, *(part.threshold for part in parts)]),
        single=np.concatenate([first.single, *(part.single for part in parts)]),
        left=child(first.left, [part.left for part in parts]),
        right=child(first.right, [part.right for part in parts]),
        start=np.concatenate([part.start + start for part, start in zip(parts, first.start, strict=True)]),
        end=np.concatenate([part.end + start for part, start in zip(parts, first.start, strict=True)]),
    )
