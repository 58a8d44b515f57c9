"""Improving a finished partition: tuples move to another group while every requirement holds and the loss falls.

Groups are described by ranges and sets, and the loss is NCP. A table of many groups is improved block by block, a block
being groups that lie near each other; blocks are independent, so they run in threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers import line
from hedgerow.anonymizers.merge._improving import move_units
from hedgerow.anonymizers.merge._kernels import Boxes, Units
from hedgerow.anonymizers.merge.boxes import described, units_of
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Pieces

__all__ = ["improved"]

_PASSES = 20


def improved(
    counts: FrequencyTable, requirements: Sequence[Requirement], pieces: Pieces, block_of_group: NDArray[np.int64]
) -> Pieces:
    """Move tuples between the groups of a block; the groups keep their numbers, and none becomes empty.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    pieces : Pieces
        Which cells make up which group; none is lost.
    block_of_group : int array (groups,)
        Between which groups tuples may move.
    """
    context, packed = line.bind(counts, requirements)
    whole = described(counts, "ncp", ranges=True)
    values = units_of(counts, context).values
    # A unit is what one group holds of one tuple.
    tuple_of_piece = counts.cell_tuple[pieces.cell].astype(np.int64)
    order = np.lexsort((tuple_of_piece, pieces.group, block_of_group[pieces.group]))
    changes = (np.diff(tuple_of_piece[order]) != 0) | (np.diff(pieces.group[order]) != 0)
    new_unit = np.concatenate([[True], changes])
    unit_of_piece = np.cumsum(new_unit) - 1
    first = np.flatnonzero(new_unit)
    group = pieces.group[order][first].astype(np.int64)
    of_tuple = tuple_of_piece[order][first]
    bounds = np.searchsorted(block_of_group[group], np.arange(int(block_of_group.max()) + 2))
    cells = np.append(first, len(order)).astype(np.int64)
    sizes = pieces.size[order]

    def move(at: int) -> None:
        start, end = int(bounds[at]), int(bounds[at + 1])
        own, joined = np.unique(group[start:end], return_inverse=True)
        if len(own) < 2:
            return
        inside = slice(int(cells[start]), int(cells[end]))
        units = Units(
            np.add.reduceat(sizes[inside], cells[start:end] - cells[start]),
            cells[start : end + 1] - cells[start],
            sizes[inside],
            values[pieces.cell[order][inside]],
            int(context.offsets[-1]),
        )
        joined = joined.astype(np.int64)
        own_tuples, all_boxes = of_tuple[start:end], whole.boxes
        boxes = Boxes(
            all_boxes.nodes[own_tuples],
            all_boxes.low[own_tuples],
            all_boxes.high[own_tuples],
            all_boxes.bits[own_tuples],
        )
        move_units(whole.shape, boxes, units, joined, len(own), packed, _PASSES)
        group[start:end] = own[joined]

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(move, range(len(bounds) - 1)))
    return Pieces.gathered(pieces.cell[order], group[unit_of_piece].astype(np.int32), sizes)
