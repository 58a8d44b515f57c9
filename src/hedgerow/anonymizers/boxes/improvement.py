"""Improve a finished partition: records change groups while every requirement holds and the loss falls.

Groups shed values that few of their records hold, split where they are large enough, and give single tuples to groups
where these cost less (:mod:`hedgerow.anonymizers.boxes._improvement_kernels`). The loss is the one that describes the
groups: NCP for ranges and sets. A table of many groups is improved in blocks of groups that lie near each other. Blocks
are independent, so they run in threads.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.boxes._improvement_kernels import improve_classes, new_shedding_room
from hedgerow.anonymizers.boxes._kernels import new_classes
from hedgerow.anonymizers.boxes._peeling_kernels import best_peels, new_peeling_room, peel
from hedgerow.anonymizers.boxes.layout import Described, grouped_units
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces
from hedgerow.requirements import Requirement, bind, sensitive_codes

__all__ = ["improved", "peeled"]


# How much a change may lose in each round, as a share of what the mean class loses. A round takes time with
# the number of units, so there are fewer rounds for many.
_THRESHOLDS = np.array([0.06, 0.03, 0.015, 0.007, 0.0])
_FEWER = np.array([0.03, 0.0])
_MANY = 65_536
_PASSES = 20


def improved(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    pieces: Pieces,
    block_of_group: Longs | None,
    whole: Described,
) -> Pieces:
    """Improve the groups of each block; they keep their numbers, none becomes empty, and new ones follow them.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    pieces : Pieces
        Which cells make up which group; none is lost.
    block_of_group : int array (groups,), optional
        Groups of the same block lie near each other, and records change groups only inside it: all of them if not
        given.
    whole : Described
        How groups are described.
    """
    if block_of_group is None:
        block_of_group = np.zeros(int(pieces.group.max()) + 1, dtype=np.int64)
    context, packed = bind(counts, requirements)
    values = sensitive_codes(counts, context)
    held = grouped_units(counts, pieces, block_of_group)
    group = held.group.copy()
    bounds = np.searchsorted(block_of_group[group], np.arange(int(block_of_group.max()) + 2))

    def classes(at: int) -> Longs:
        """The groups of a block's units: its own by their numbers, and new ones by negative numbers."""
        start, end = int(bounds[at]), int(bounds[at + 1])
        own, joined = np.unique(group[start:end], return_inverse=True)
        units = held.between(start, end, values, int(context.offsets[-1]))
        boxes = whole.boxes.at(held.of_tuple[start:end])
        most = max(len(own), min(int(units.weight.sum()) // max(packed.minimal_size, 1), end - start))
        found = joined.astype(np.int64)
        improve_classes(
            whole.shape,
            boxes,
            units,
            new_classes(boxes, most),
            found,
            len(own),
            packed.minimal_size,
            packed.formulas,
            _THRESHOLDS if len(group) <= _MANY else _FEWER,
            _PASSES,
            new_shedding_room(units),
        )
        return np.where(found < len(own), own[np.minimum(found, len(own) - 1)], len(own) - 1 - found)

    groups = len(block_of_group)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for at, found in enumerate(pool.map(classes, range(len(bounds) - 1))):
            group[bounds[at] : bounds[at + 1]] = np.where(found < 0, groups - 1 - found, found)
            groups += max(int(-found.min()), 0)
    return Pieces.gathered(held.cell, group[held.unit_of_piece].astype(np.int32), held.sizes)


# --------------------------------------------------------------------------------------------------
# Peeling: groups give up the records that widen them most, while what the others gain is more than these lose.
#
# A record that is not published has lost every cell. So it is given up only where the other records of its group gain
# more than what it still told: where it alone brought in a wide range, a high node or another value. The records that
# are worth most for each of them go first, over all groups, as long as the budget lasts. No group becomes empty.


# Groups with more distinct rows are left as they are: all ways to give some of them up take too long to try.
_MOST_MEMBERS: Final = 256


def peeled(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    pieces: Pieces,
    whole: Described,
    allowed: int,
) -> Pieces:
    """Give up records of groups, which keep their numbers; those given up have the group -1.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
        What the rest of every group has to satisfy; none, if any rest will do.
    pieces : Pieces
        Which cells make up which group; what is lost stays lost.
    whole : Described
        How groups are described, and what they lose.
    allowed : int
        How many records may be given up.
    """
    # What groups are compared with would move with every record that is given up.
    if allowed <= 0 or any(one.compares for one in requirements):
        return pieces
    context, packed = bind(counts, requirements)
    lost = pieces.group < 0
    kept = Pieces(pieces.cell[~lost], pieces.group[~lost], pieces.size[~lost])
    held = grouped_units(counts, kept, np.zeros(int(kept.group.max()) + 1, dtype=np.int64))
    units = held.between(0, len(held.group), sensitive_codes(counts, context), int(context.offsets[-1]))
    boxes = whole.boxes.at(held.of_tuple)
    classes = new_classes(boxes, int(held.group.max()) + 1)
    room = new_peeling_room(units, _MOST_MEMBERS)
    gains = np.zeros(len(classes.size))
    what = whole.shape, boxes, units, classes
    required = packed.minimal_size, packed.formulas
    best_peels(*what, held.group, *required, allowed, room, gains)
    queue = [(-float(gains[one]), int(one)) for one in np.flatnonzero(gains > 0)]
    heapq.heapify(queue)
    while queue and allowed > 0:
        _, one = heapq.heappop(queue)
        records, gain = peel(*what, one, *required, allowed, room)
        allowed -= records
        if records and gain > 0:
            heapq.heappush(queue, (-gain, one))
    return Pieces.gathered(
        np.concatenate([held.cell, pieces.cell[lost]]),
        np.concatenate([classes.of_unit[held.unit_of_piece], pieces.group[lost]]).astype(np.int32),
        np.concatenate([held.sizes, pieces.size[lost]]),
    )
