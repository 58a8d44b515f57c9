"""Peeling: groups give up the records that widen them most, while what the others gain is more than these lose.

A record that is not published has lost every cell. So it is given up only where the other records of its group gain
more than what it still told: where it alone brought in a wide range, a high node or another value. The records that
are worth most for each of them go first, over all groups, as long as the budget lasts. No group becomes empty.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.boxes._arrangement import new_classes
from hedgerow.anonymizers.boxes._peeling import best_peels, new_peeling_room, peel
from hedgerow.anonymizers.boxes.layout import Described, grouped_units
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Pieces

__all__ = ["peeled"]

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
    context, packed = privacy.bind(counts, requirements)
    lost = pieces.group < 0
    kept = Pieces(pieces.cell[~lost], pieces.group[~lost], pieces.size[~lost])
    held = grouped_units(counts, kept, np.zeros(int(kept.group.max()) + 1, dtype=np.int64))
    units = held.between(0, len(held.group), privacy.sensitive_codes(counts, context), int(context.offsets[-1]))
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
