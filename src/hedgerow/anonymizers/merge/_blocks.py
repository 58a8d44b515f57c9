"""Merging methods around their kernel: blocks of a large table, threads, improvement, and the recoding."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, ranges
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units
from hedgerow.anonymizers.boxes.improvement import improved
from hedgerow.anonymizers.boxes.layout import Description, units_of
from hedgerow.anonymizers.merge._greedy_kernels import merge_greedily
from hedgerow.anonymizers.partition.cuts import blocks_of, near_groups
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding, Shown, publish_groups
from hedgerow.requirements import Requirement, bind
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["Block", "grouped_in_blocks", "merge_blocks", "recoding_of"]


class Block(NamedTuple):
    """A block of the table: the numbers of its tuples, ascending, and the boxes that describe them."""

    shape: Shape
    boxes: Boxes
    units: Units
    packed: PackedRequirements
    tuples: Longs

    def merged(self, waits: Floats, *, flat: bool = False) -> Longs:
        """The class of each tuple by greedy merging; see
        :func:`hedgerow.anonymizers.merge._greedy_kernels.merge_greedily`."""
        return merge_greedily(self.shape, self.boxes, self.units, self.packed, waits, flat)


def merge_blocks(
    method: str,
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    whole: Description,
    merge: Callable[[Block], Longs],
    *,
    improve: bool,
    shown: Sequence[Shown],
) -> Recoding:
    """Merge the tuples of each block into classes, and publish them.

    Parameters
    ----------
    whole : Description
        How the tuples are described.
    merge : callable
        From a block to the class of each of its tuples, by any numbers. It must not change the block.
    improve : bool
        Whether classes are improved afterwards.
    shown : sequence of {"set", "interval", "label"}
        How each column is published.
    """
    context, packed = bind(counts, requirements)
    units = units_of(counts, context)
    blocks = blocks_of(counts, requirements, shown)

    def classes_of(at: int) -> Pieces:
        tuples, of_cell = np.unique(counts.cell_tuple[blocks[at]], return_inverse=True)
        merged = merge(_block(whole, units, packed, tuples.astype(np.int64)))
        numbered = np.unique(merged, return_inverse=True)[1].astype(np.int32)
        return Pieces(blocks[at].astype(np.int32), numbered[of_cell], counts.cell_sizes[blocks[at]])

    pieces = grouped_in_blocks(counts, requirements, whole, shown, len(blocks), classes_of, improve=improve)
    held, group = np.unique(pieces.group, return_inverse=True)
    pieces = Pieces.whole(group.astype(np.int32), counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, len(held), shown)
    # Groups with equal descriptions, in two blocks for instance, become one. Groups are numbered by their first tuple.
    by_column = [np.ascontiguousarray(values[:, at]) for at in range(len(columns))]
    distinct, alike = tabulate(by_column, [len(column) for column in columns], len(values))
    order = np.argsort(np.unique(alike[group], return_index=True)[1])
    pieces = Pieces.whole(np.argsort(order)[alike[group]].astype(np.int32), counts.cell_sizes)
    return recoding_of(method, counts, columns, distinct[order].astype(np.int32), pieces, len(blocks))


def grouped_in_blocks(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    whole: Description,
    shown: Sequence[Shown],
    blocks: int,
    groups_of: Callable[[int], Pieces],
    *,
    improve: bool,
) -> Pieces:
    """Group the records of each block in threads, number the groups of all blocks, and improve them."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        parts = list(pool.map(groups_of, range(blocks)))
    starts = np.cumsum([0, *(int(part.group.max()) + 1 for part in parts[:-1])], dtype=np.int32)
    pieces = Pieces.gathered(
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.group + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.size for part in parts]),
    )
    return improved(counts, requirements, pieces, near_groups(counts, pieces, shown), whole) if improve else pieces


def recoding_of(
    method: str,
    counts: FrequencyTable,
    columns: tuple[PublishedColumn, ...],
    groups: Ints,
    pieces: Pieces,
    blocks: int,
) -> Recoding:
    """The recoding of groups that were formed in this many blocks."""
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=columns,
        groups=groups,
        sizes=np.bincount(pieces.group, pieces.size, len(groups)).astype(np.int64),
        pieces=pieces,
        facts={"blocks": blocks},
    )


def _block(whole: Description, units: Units, packed: PackedRequirements, block: Longs) -> Block:
    lengths = units.cells[block + 1] - units.cells[block]
    cells = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    place, _ = ranges(units.cells[block], lengths)
    compared = whole.at(block)
    return Block(
        compared.shape,
        compared.boxes,
        Units(units.weight[block], cells, units.cell_size[place], units.values[place], units.histogram),
        packed,
        block,
    )
