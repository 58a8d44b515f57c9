"""What merging methods do around their kernel: blocks of a large table, threads, improvement, and the recoding."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import privacy
from hedgerow.anonymizers.boxes.improving import improved
from hedgerow.anonymizers.boxes.kernels import Boxes, Shape, Units
from hedgerow.anonymizers.boxes.layout import Described, units_of
from hedgerow.anonymizers.partition.blocks import blocks_of, near_groups
from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.privacy import Requirement
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.recoding import Pieces, Recoding, publish_groups

__all__ = ["Part", "merge_parts"]


class Part(NamedTuple):
    """A block of the table: its tuples in their order, by their numbers, and the boxes that describe them."""

    shape: Shape
    boxes: Boxes
    units: Units
    packed: PackedRequirements
    tuples: Longs


def merge_parts(
    method: str,
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    whole: Described,
    merge: Callable[[Part], Longs],
    *,
    improve: bool,
    ranges: bool,
) -> Recoding:
    """Merge the tuples of each block into classes, and publish them.

    Parameters
    ----------
    whole : Described
        The columns, and the box of each tuple.
    merge : callable
        From a block to the class of each of its tuples, any numbers; it must leave the block as it is.
    improve : bool
        Whether classes are improved afterwards.
    ranges : bool
        Whether to publish ranges and sets, instead of labels of the hierarchies.
    """
    context, packed = privacy.bind(counts, requirements)
    units = units_of(counts, context)
    blocks = [np.unique(counts.cell_tuple[cells]).astype(np.int64) for cells in blocks_of(counts, requirements)]

    def classes_of(block: Longs) -> Longs:
        part = _part(whole, units, packed, block)
        return np.unique(merge(part), return_inverse=True)[1].astype(np.int64)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(classes_of, blocks))
    group = np.empty(len(counts.tuples), dtype=np.int64)
    used = 0
    for block, joined in zip(blocks, found, strict=True):
        group[block] = used + joined
        used += int(joined.max()) + 1
    if improve:
        pieces = _pieces(counts, group)
        pieces = improved(counts, requirements, pieces, near_groups(counts, pieces), whole)
        group[counts.cell_tuple[pieces.cell]] = pieces.group
    return _published(method, counts, group, ranges, len(blocks))


def _published(method: str, counts: FrequencyTable, group: Longs, ranges: bool, blocks: int) -> Recoding:
    """Describe the groups; those that are described alike, in two blocks for instance, are one."""
    held, group = np.unique(group, return_inverse=True)
    columns, values = publish_groups(counts, _pieces(counts, group), len(held), "interval" if ranges else "label")
    by_column = [np.ascontiguousarray(values[:, at]) for at in range(len(columns))]
    distinct, alike = tabulate(by_column, [len(column) for column in columns], len(values))
    # Numbered by their first tuple.
    order = np.argsort(np.unique(alike[group], return_index=True)[1])
    pieces = _pieces(counts, np.argsort(order)[alike[group]])
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=columns,
        groups=distinct[order].astype(np.int32),
        sizes=np.bincount(pieces.group, pieces.size, len(distinct)).astype(np.int64),
        pieces=pieces,
        facts={"blocks": blocks},
    )


def _pieces(counts: FrequencyTable, group: NDArray[np.integer]) -> Pieces:
    return Pieces.whole(group[counts.cell_tuple].astype(np.int32), counts.cell_sizes)


def _part(whole: Described, units: Units, packed: PackedRequirements, block: Longs) -> Part:
    lengths = units.cells[block + 1] - units.cells[block]
    cells = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    place = np.repeat(units.cells[block] - cells[:-1], lengths) + np.arange(int(lengths.sum()))
    return Part(
        whole.shape,
        whole.boxes.at(block),
        Units(units.weight[block], cells, units.cell_size[place], units.values[place], units.histogram),
        packed,
        block,
    )
