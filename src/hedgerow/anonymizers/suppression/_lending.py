"""Lending: complying donors give records to those that wait, at random or so that the class mix changes least.

What is lent is first only marked in the bags of the donors; it is moved when donors and receivers would comply.
"""

from __future__ import annotations

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.suppression._bags import (
    Bags,
    Cells,
    Longs,
    Reading,
    complies,
    count_classes,
    count_values,
    with_room,
)
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["lend", "move_lent"]


@jit
def lend(
    bags: Bags,
    donors: Longs,
    start: Longs,
    end: Longs,
    total: Longs,
    waiting_start: int,
    waiting_end: int,
    required: int,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> bool:
    """Mark records to lend in the bags of donors, so that donors and receivers comply; without effect if none do."""
    extra = np.empty(len(donors), np.int64)
    for which in range(len(donors)):
        extra[which] = total[donors[which]] - packed.minimal_size
    while extra.sum() >= required:
        if reading.greedy:
            _choose_by_class(bags, donors, start, end, waiting_start, waiting_end, extra, required, cells, rng)
        else:
            _choose_at_random(bags, donors, start, end, total, extra, required, cells, rng)
        refusing = _refusing(bags, donors, start, end, total, cells, packed)
        if refusing < 0:
            histogram = np.zeros(cells.histogram, np.int64)
            count_values(bags, waiting_start, waiting_end, False, cells, histogram)
            waiting = required
            for entry in range(waiting_start, waiting_end):
                waiting += bags.size[entry]
            for donor in donors:
                count_values(bags, start[donor], end[donor], True, cells, histogram)
            # The literal reading lends without looking whether the receivers comply: they may further up.
            if reading.literal or all_hold(packed, waiting, histogram):
                return True
            extra[:] = 0
        else:
            extra[refusing] = 0
        for donor in donors:
            bags.lent[start[donor] : end[donor]] = 0
    return False


@jit
def _refusing(
    bags: Bags, donors: Longs, start: Longs, end: Longs, total: Longs, cells: Cells, packed: PackedRequirements
) -> int:
    """The first donor that would not comply any more after lending, or -1."""
    for which in range(len(donors)):
        donor = donors[which]
        left = total[donor]
        for entry in range(start[donor], end[donor]):
            left -= bags.lent[entry]
        if left < total[donor] and not complies(bags, start[donor], end[donor], left, cells, packed):
            return which
    return -1


@jit
def _choose_at_random(
    bags: Bags,
    donors: Longs,
    start: Longs,
    end: Longs,
    total: Longs,
    extra: Longs,
    required: int,
    cells: Cells,
    rng: np.random.Generator,
) -> None:
    """Draw from the records that the donors can spare, each with the same chance."""
    spare = extra.copy()
    everything = spare.sum()
    for _ in range(required):
        place = rng.random() * everything
        which = 0
        while which < len(spare) - 1 and place >= spare[which]:
            place -= spare[which]
            which += 1
        while spare[which] == 0:
            which -= 1
        spare[which] -= 1
        everything -= 1
    for which in range(len(donors)):
        donor = donors[which]
        _draw(bags, start[donor], end[donor], -1, total[donor], extra[which] - spare[which], cells, rng)


@jit
def _choose_by_class(
    bags: Bags,
    donors: Longs,
    start: Longs,
    end: Longs,
    waiting_start: int,
    waiting_end: int,
    extra: Longs,
    required: int,
    cells: Cells,
    rng: np.random.Generator,
) -> None:
    """Take one record after the other from the donor and class that change the class mix of both sides least.

    The change is measured as the size of a group times the sum of the differences between its class shares before
    and now, added over the donor and the receivers; of equal ones the first. O(required × donors × classes²).
    """
    before = np.zeros((len(donors) + 1, cells.classes), np.int64)
    for which in range(len(donors)):
        count_classes(bags, start[donors[which]], end[donors[which]], cells, before[which])
    count_classes(bags, waiting_start, waiting_end, cells, before[-1])
    now = before.copy()
    spare = extra.copy()
    for _ in range(required):
        best = np.inf
        best_donor = best_class = -1
        waiting_cost = _change(before[-1], now[-1])
        for which in range(len(donors)):
            if spare[which] == 0:
                continue
            cost = _change(before[which], now[which])
            for label in range(cells.classes):
                if now[which, label] == 0:
                    continue
                now[which, label] -= 1
                now[-1, label] += 1
                change = _change(before[which], now[which]) - cost + _change(before[-1], now[-1]) - waiting_cost
                now[which, label] += 1
                now[-1, label] -= 1
                if change < best - 1e-9:
                    best = change
                    best_donor = which
                    best_class = label
        now[best_donor, best_class] -= 1
        now[-1, best_class] += 1
        spare[best_donor] -= 1
    for which in range(len(donors)):
        donor = donors[which]
        for label in range(cells.classes):
            taken = before[which, label] - now[which, label]
            _draw(bags, start[donor], end[donor], label, before[which, label], taken, cells, rng)


@jit
def _change(before: Longs, now: Longs) -> float:
    """The records of a group times the sum of the differences of its class shares; 0 for one that was empty."""
    earlier = before.sum()
    later = now.sum()
    if earlier == 0 or later == 0:
        return 0.0
    change = 0.0
    for label in range(len(before)):
        change += abs(before[label] / earlier - now[label] / later)
    return float(change * later)


@jit
def _draw(
    bags: Bags,
    start: int,
    end: int,
    label: int,
    available: int,
    wanted: int,
    cells: Cells,
    rng: np.random.Generator,
) -> None:
    """Mark ``wanted`` of the records of a bag (of one class, or of any if -1), every choice as likely. O(records)."""
    for entry in range(start, end):
        if label >= 0 and cells.labels[bags.cell[entry]] != label:
            continue
        for _ in range(bags.size[entry]):
            if wanted == 0:
                return
            if rng.random() * available < wanted:
                bags.lent[entry] += 1
                wanted -= 1
            available -= 1


@jit
def move_lent(bags: Bags, donors: Longs, start: Longs, end: Longs, total: Longs, top: int) -> tuple[Bags, int]:
    """Move what is marked as lent to the end of the pool."""
    for donor in donors:
        for entry in range(start[donor], end[donor]):
            records = bags.lent[entry]
            if records > 0:
                bags = with_room(bags, top)
                bags.cell[top] = bags.cell[entry]
                bags.size[top] = records
                bags.lent[top] = 0
                bags.size[entry] -= records
                bags.lent[entry] = 0
                total[donor] -= records
                top += 1
    return bags, top
