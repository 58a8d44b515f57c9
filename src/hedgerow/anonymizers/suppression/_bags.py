"""Bags of records on their way up a tree, and lending between them.

The bag of a node is a range of one pool of cells, with how many records of each cell are in it. What is lent is first
only marked in the bags of the donors; it is moved when donors and receivers would comply.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import int64, jit
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.privacy.formulas import all_hold

__all__ = [
    "BORROWED",
    "CROSSED",
    "END",
    "RELEASED",
    "SETTLED",
    "START",
    "TOTAL",
    "WAITING",
    "Bags",
    "CellFacts",
    "Floats",
    "Ints",
    "LendingRoom",
    "Longs",
    "complies",
    "copy_bag",
    "lend",
    "move_lent",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

# What is known of each node: its range in the pool and the records there; whether it is a group of the release; how
# many records came up to it from branches that do not comply, and how many siblings lent to these; whether one sibling
# completed it; and whether it keeps what came up.
START: Final = 0
END: Final = 1
TOTAL: Final = 2
RELEASED: Final = 3
WAITING: Final = 4
BORROWED: Final = 5
CROSSED: Final = 6
SETTLED: Final = 7


class CellFacts(NamedTuple):
    """The label of each cell, and where its sensitive values stand in one histogram of all of them."""

    labels: Ints
    values: Ints


class Bags(NamedTuple):
    """The pool of cells with how many of their records, and how many of these are about to be lent."""

    cell: Ints
    size: Longs
    lent: Longs


class LendingRoom(NamedTuple):
    """Arrays that are used again: the donors, what each can spare, one histogram, and the counts of the labels."""

    donors: Longs
    extra: Longs
    spare: Longs
    histogram: Longs
    counts: Longs


@jit(inner=True)
def complies(
    bags: Bags,
    nodes: Longs,
    start: int,
    end: int,
    size: int,
    donors: int,
    cells: CellFacts,
    k: int,
    packed: PackedRequirements | None,
    room: LendingRoom,
) -> bool:
    """Whether a bag could be published as a group, without what it lends and with what so many donors lend to it.

    Where only the size is required ``packed`` is ``None``, and numba leaves the formulas out.
    """
    if size < k:
        return False
    if packed is None:
        return True
    histogram, values, lent = room.histogram, cells.values, bags.lent
    for value in range(histogram.shape[0]):
        histogram[value] = 0
    for which in range(-1, donors if values.shape[1] > 0 else -1):
        first, last = start, end
        if which >= 0:
            first, last = nodes[room.donors[which], START], nodes[room.donors[which], END]
        for entry in range(first, last):
            records = lent[entry] if which >= 0 else bags.size[entry] - lent[entry]
            for at in range(values.shape[1]):
                histogram[values[bags.cell[entry], at]] += records
    return all_hold(packed, size, histogram)


@jit(inner=True)
def copy_bag(bags: Bags, start: int, end: int, top: int) -> int:
    """Copy a bag to the end of the pool; returns the new end."""
    for entry in range(start, end):
        if bags.size[entry] > 0:
            bags.cell[top] = bags.cell[entry]
            bags.size[top] = bags.size[entry]
            bags.lent[top] = 0
            top += 1
    return top


@jit(inner=True)
def move_lent(bags: Bags, nodes: Longs, donors: Longs, many: int, top: int) -> int:
    """Move what is marked as lent to the end of the pool; returns the new end."""
    for which in range(many):
        donor = donors[which]
        for entry in range(nodes[donor, START], nodes[donor, END]):
            records = bags.lent[entry]
            if records > 0:
                bags.cell[top] = bags.cell[entry]
                bags.size[top] = records
                bags.lent[top] = 0
                bags.size[entry] -= records
                bags.lent[entry] = 0
                nodes[donor, TOTAL] -= records
                top += 1
    return top


@jit(inner=True)
def lend(
    bags: Bags,
    nodes: Longs,
    many: int,
    start: int,
    end: int,
    required: int,
    literal: bool,
    cells: CellFacts,
    k: int,
    packed: PackedRequirements | None,
    rng: np.random.Generator,
    room: LendingRoom,
    mix: Floats | None,
) -> bool:
    """Mark records to lend in the bags of the donors, so that they and the receivers comply; no effect if none do.

    The receivers are the bag from ``start`` to ``end``. Donors lend at random, or with ``mix`` by label.
    """
    donors, extra = room.donors, room.extra
    everything = int64(0)
    for which in range(many):
        extra[which] = nodes[donors[which], TOTAL] - k
        everything += extra[which]
    while everything >= required:
        if mix is None:
            _choose_at_random(bags, nodes, many, required, everything, cells, rng, room)
        else:
            _choose_by_label(bags, nodes, many, start, end, required, cells, rng, room, mix)
        refusing = -1
        for which in range(many):
            donor = donors[which]
            left = nodes[donor, TOTAL]
            for entry in range(nodes[donor, START], nodes[donor, END]):
                left -= bags.lent[entry]
            if left < nodes[donor, TOTAL] and not complies(
                bags, nodes, nodes[donor, START], nodes[donor, END], left, int64(0), cells, k, packed, room
            ):
                refusing = which
                break
        if refusing < 0:
            # The literal reading lends without looking whether the receivers comply: they may further up.
            size = required
            for entry in range(start, end):
                size += bags.size[entry]
            if literal or complies(bags, nodes, start, end, size, many, cells, k, packed, room):
                return True
            everything = -1
        else:
            everything -= extra[refusing]
            extra[refusing] = 0
        for which in range(many):
            for entry in range(nodes[donors[which], START], nodes[donors[which], END]):
                bags.lent[entry] = 0
    return False


@jit(inner=True)
def _choose_at_random(
    bags: Bags,
    nodes: Longs,
    many: int,
    required: int,
    everything: int,
    cells: CellFacts,
    rng: np.random.Generator,
    room: LendingRoom,
) -> None:
    """Draw from the records that the donors can spare, each with the same chance."""
    donors, extra, spare = room.donors, room.extra, room.spare
    for which in range(many):
        spare[which] = extra[which]
    for drawn in range(required):
        place = rng.random() * (everything - drawn)
        which = 0
        while which < many - 1 and place >= spare[which]:
            place -= spare[which]
            which += 1
        while spare[which] == 0:
            which -= 1
        spare[which] -= 1
    anything = -1
    for which in range(many):
        donor = donors[which]
        _draw(bags, nodes, donor, anything, nodes[donor, TOTAL], extra[which] - spare[which], cells.labels, rng)


@jit(inner=True)
def _choose_by_label(
    bags: Bags,
    nodes: Longs,
    many: int,
    start: int,
    end: int,
    required: int,
    cells: CellFacts,
    rng: np.random.Generator,
    room: LendingRoom,
    mix: Floats,
) -> None:
    """Take one record after the other from the donor and label that change the mix of labels of both sides least.

    The change is measured as the size of a group times the sum of the differences between its shares before and now,
    added over the donor and the receivers; of equal ones the first. O(required × donors × labels²).
    """
    donors, spare = room.donors, room.spare
    labels = cells.labels
    n_labels = mix.shape[1] // 2
    # Each row holds the labels before and now; the last one is that of the receivers.
    for which in range(many + 1):
        for at in range(2 * n_labels):
            mix[which, at] = 0.0
        first, last = start, end
        if which < many:
            spare[which] = room.extra[which]
            first, last = nodes[donors[which], START], nodes[donors[which], END]
        for entry in range(first, last):
            mix[which, labels[bags.cell[entry]]] += bags.size[entry]
        for label in range(n_labels):
            mix[which, n_labels + label] = mix[which, label]
    for _ in range(required):
        best = np.inf
        best_donor = 0
        best_label = 0
        waiting_cost = _change(mix, many)
        for which in range(many):
            if spare[which] == 0:
                continue
            cost = _change(mix, which)
            for label in range(n_labels):
                if mix[which, n_labels + label] == 0.0:
                    continue
                mix[which, n_labels + label] -= 1.0
                mix[many, n_labels + label] += 1.0
                change = _change(mix, which) - cost + _change(mix, many) - waiting_cost
                mix[which, n_labels + label] += 1.0
                mix[many, n_labels + label] -= 1.0
                if change < best - 1e-9:
                    best = change
                    best_donor = which
                    best_label = label
        mix[best_donor, n_labels + best_label] -= 1.0
        mix[many, n_labels + best_label] += 1.0
        spare[best_donor] -= 1
    for which in range(many):
        for label in range(n_labels):
            before = int(mix[which, label])
            taken = before - int(mix[which, n_labels + label])
            _draw(bags, nodes, donors[which], label, before, taken, labels, rng)


@jit(inner=True)
def _change(mix: Floats, which: int) -> float:
    """The records of a group times the sum of the differences of its shares; 0 for one that was empty."""
    n_labels = mix.shape[1] // 2
    earlier = 0.0
    later = 0.0
    for label in range(n_labels):
        earlier += mix[which, label]
        later += mix[which, n_labels + label]
    if earlier == 0.0 or later == 0.0:
        return 0.0
    change = 0.0
    for label in range(n_labels):
        change += abs(mix[which, label] / earlier - mix[which, n_labels + label] / later)
    return change * later


@jit(inner=True)
def _draw(
    bags: Bags,
    nodes: Longs,
    donor: int,
    label: int,
    available: int,
    wanted: int,
    labels: Ints,
    rng: np.random.Generator,
) -> None:
    """Mark ``wanted`` of the records of a bag (of one label, or of any if -1), every choice as likely. O(records)."""
    for entry in range(nodes[donor, START], nodes[donor, END]):
        if label >= 0 and labels[bags.cell[entry]] != label:
            continue
        for _ in range(bags.size[entry]):
            if wanted == 0:
                return
            if rng.random() * available < wanted:
                bags.lent[entry] += 1
                wanted -= 1
            available -= 1
