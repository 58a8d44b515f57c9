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
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.boxes._improvement_kernels import (
    best_peels,
    improve_groups,
    new_peeling_room,
    new_shedding_room,
    peel,
)
from hedgerow.anonymizers.boxes._kernels import Boxes, Groups, Shape, Units, new_groups
from hedgerow.anonymizers.boxes.layout import Description, grouped_units
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces
from hedgerow.requirements import Requirement, bind, sensitive_codes

__all__ = ["improved", "peeled"]


# How much a change may lose in each round, as a share of the loss of the mean group. The time of a round grows with the
# number of units, so larger tables get fewer rounds.
_THRESHOLDS = np.array([0.06, 0.03, 0.015, 0.007, 0.0])
_FEWER = np.array([0.03, 0.0])
_MANY = 65_536
_PASSES = 20


def improved(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    pieces: Pieces,
    block_of_group: Longs | None,
    whole: Description,
) -> Pieces:
    """Improve the groups of each block. They keep their numbers, no group becomes empty, and new groups follow them.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    pieces : Pieces
        Which cells make up which group; no record is lost.
    block_of_group : int array (groups,), optional
        Records change groups only inside a block, whose groups lie near each other. By default, all groups are one
        block.
    whole : Description
        How groups are described.
    """
    if block_of_group is None:
        block_of_group = np.zeros(int(pieces.group.max()) + 1, dtype=np.int64)
    context, packed = bind(counts, requirements)
    values = sensitive_codes(counts, context)
    held = grouped_units(counts, pieces, block_of_group)
    group = held.group.copy()
    bounds = np.searchsorted(block_of_group[group], np.arange(int(block_of_group.max()) + 2))

    def improved_block(at: int) -> Longs:
        """The groups of a block's units: existing ones by their numbers, new ones by negative numbers."""
        start, end = int(bounds[at]), int(bounds[at + 1])
        own, joined = np.unique(group[start:end], return_inverse=True)
        units = held.between(start, end, values, int(context.offsets[-1]))
        shape, boxes, _, _ = whole.at(held.of_tuple[start:end])
        most = max(len(own), min(int(units.weight.sum()) // max(packed.minimal_size, 1), end - start))
        number = joined.astype(np.int64)
        improve_groups(
            shape,
            boxes,
            units,
            new_groups(boxes, most),
            number,
            len(own),
            packed.minimal_size,
            packed.formulas,
            _THRESHOLDS if len(group) <= _MANY else _FEWER,
            _PASSES,
            new_shedding_room(units),
        )
        return np.where(number < len(own), own[np.minimum(number, len(own) - 1)], len(own) - 1 - number)

    groups = len(block_of_group)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for at, numbers in enumerate(pool.map(improved_block, range(len(bounds) - 1))):
            group[bounds[at] : bounds[at + 1]] = np.where(numbers < 0, groups - 1 - numbers, numbers)
            groups += max(int(-numbers.min()), 0)
    return Pieces.gathered(held.cell, group[held.unit_of_piece].astype(np.int32), held.sizes)


# --------------------------------------------------------------------------------------------------
# Peeling: groups give up the records that widen them most, if the others gain more than these lose.
#
# A record that is not published loses every cell. So a group gives it up only if the other records gain more than the
# detail it still had: if it alone required a wide range, a high node or another value. The largest gains per record go
# first, over all groups, as long as the budget lasts. No group becomes empty.


# Larger groups are not peeled, because trying all candidates would take too long.
_MOST_MEMBERS: Final = 256
# Groups are peeled in parts of at least about this many units: the sets of a part have a bit for each of its values.
_TOGETHER: Final = 4_096


def peeled(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    pieces: Pieces,
    whole: Description,
    allowed: int,
) -> Pieces:
    """Give up records of groups. Groups keep their numbers; records that are given up have the group -1.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
        What the rest of every group has to satisfy; empty if any rest is acceptable.
    pieces : Pieces
        Which cells make up which group; lost records stay lost.
    whole : Description
        How groups are described, and what they lose.
    allowed : int
        How many records may be given up.
    """
    # A requirement that compares groups with the whole table would change with every record that is given up.
    if allowed <= 0 or any(requirement.compares for requirement in requirements):
        return pieces
    context, packed = bind(counts, requirements)
    lost = pieces.group < 0
    kept = Pieces(pieces.cell[~lost], pieces.group[~lost], pieces.size[~lost])
    held = grouped_units(counts, kept, np.zeros(int(kept.group.max()) + 1, dtype=np.int64))
    values = sensitive_codes(counts, context)
    group = held.group.copy()
    room = new_peeling_room(int(context.offsets[-1]), _MOST_MEMBERS)
    required = packed.minimal_size, packed.formulas
    queue: list[tuple[float, int, int]] = []
    parts: list[_Part] = []
    for start, end in _parts(held.group):
        units = held.between(start, end, values, int(context.offsets[-1]))
        shape, boxes, _, _ = whole.at(held.of_tuple[start:end])
        first = int(held.group[start])
        groups = new_groups(boxes, int(held.group[end - 1]) + 1 - first)
        gains = np.zeros(len(groups.size))
        best_peels(shape, boxes, units, groups, held.group[start:end] - first, *required, allowed, room, gains)
        queue += [(-float(gains[own]), first + int(own), len(parts)) for own in np.flatnonzero(gains > 0)]
        parts.append(_Part(start, first, (shape, boxes, units, groups)))
    heapq.heapify(queue)
    while queue and allowed > 0:
        _, at, of_part = heapq.heappop(queue)
        part = parts[of_part]
        records, gain = peel(*part.state, at - part.first, *required, allowed, room)
        allowed -= records
        if records and gain > 0:
            heapq.heappush(queue, (-gain, at, of_part))
    for part in parts:
        of_unit = part.state[3].of_unit
        group[part.start : part.start + len(of_unit)] = np.where(of_unit < 0, -1, of_unit + part.first)
    return Pieces.gathered(
        np.concatenate([held.cell, pieces.cell[lost]]),
        np.concatenate([group[held.unit_of_piece], pieces.group[lost]]).astype(np.int32),
        np.concatenate([held.sizes, pieces.size[lost]]),
    )


class _Part(NamedTuple):
    """Neighbouring groups: their first unit, the first group, and what kernels read and change."""

    start: int
    first: int
    state: tuple[Shape, Boxes, Units, Groups]


def _parts(group: Longs) -> list[tuple[int, int]]:
    """The units of neighbouring groups, as ranges of about equal size; groups that are too large are left out.

    >>> _parts(np.repeat([0, 1, 2], [2, _MOST_MEMBERS + 1, 3]))
    [(0, 2), (259, 262)]
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ranges: list[list[int]] = []
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(group)], strict=True):
        if end - start > _MOST_MEMBERS:
            continue
        if ranges and ranges[-1][1] == start and start - ranges[-1][0] < _TOGETHER:
            ranges[-1][1] = end
        else:
            ranges.append([start, end])
    return [(start, end) for start, end in ranges]
