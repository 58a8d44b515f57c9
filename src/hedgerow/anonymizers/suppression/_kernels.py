"""Pruning upwards: what a complying leaf has is released, what the others have goes up to the node above them.

Records are bags of cells: the bag of a node is a range of one pool, ``[start, end)``, and a released node keeps its
range, so that the groups of a release are ranges too. Bags that are not released are copied to the end of the pool
when they go up. They have fewer than k records (or are not diverse enough), so that is little work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["Bags", "Branches", "Cells", "Outcome", "Reading", "prune_upwards"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Branches(NamedTuple):
    """A tree: ``column`` is -1 at a leaf, the branches of a node are ``first``, ``first + 1``, …; the root is 0."""

    column: Ints
    first: Longs
    branches: Ints


class Cells(NamedTuple):
    """The class of each cell, and where its sensitive values stand in one histogram of all of them."""

    labels: Ints
    values: Ints
    classes: int
    histogram: int


class Reading(NamedTuple):
    """How the pseudo-code is read and which of its open questions are answered how.

    ``greedy``: donors are chosen by class, not drawn. ``literal``: the pseudo-code at its word. ``keep_all``: no record
    is lost at the root. ``crossover``: a leaf that lacks a smaller share of k than this is completed by one sibling.
    ``settle``: what does not comply is not handed up.
    """

    greedy: bool = False
    literal: bool = False
    keep_all: bool = False
    crossover: float = 0.0
    settle: bool = False


class Bags(NamedTuple):
    """The pool of cells with how many of their records, and how many of these are about to be lent."""

    cell: Ints
    size: Longs
    lent: Longs


class Outcome(NamedTuple):
    """The pool, the range of each node in it, and which nodes are groups of the release.

    ``waiting`` tells how many records came up to a node from branches that do not comply, ``borrowed`` how many their
    siblings lent to them. ``crossed`` marks groups that one sibling completed, ``settled`` nodes that kept what came
    up. The range of node 0 holds what is left at the root.
    """

    bags: Bags
    start: Longs
    end: Longs
    released: Bools
    waiting: Longs
    borrowed: Longs
    crossed: Bools
    settled: Bools


@jit
def prune_upwards(
    tree: Branches,
    order: Ints,
    sizes: Longs,
    bounds: Longs,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> Outcome:
    """Release what complies, from the leaves to the root.

    Parameters
    ----------
    tree : Branches
    order, sizes : int arrays (cells,)
        The cells, those of a leaf together, and their records.
    bounds : int array (nodes + 1,)
        The range of each node's cells in ``order``; only leaves have any.
    cells, packed, reading, rng

    Notes
    -----
    Expected O(records + cells × depth); with k alone every bag that goes up has fewer than k records.
    """
    nodes = len(tree.column)
    bags = Bags(order.copy(), sizes.copy(), np.zeros(len(order), np.int64))
    start = bounds[:-1].copy()
    end = bounds[1:].copy()
    total = np.zeros(nodes, np.int64)
    for node in range(nodes):
        for entry in range(start[node], end[node]):
            total[node] += bags.size[entry]
    released = np.zeros(nodes, np.bool_)
    waiting = np.zeros(nodes, np.int64)
    borrowed = np.zeros(nodes, np.int64)
    crossed = np.zeros(nodes, np.bool_)
    settled = np.zeros(nodes, np.bool_)
    top = len(order)
    for parent in range(nodes - 1, -1, -1):
        if tree.column[parent] < 0:
            continue
        first = tree.first[parent]
        last = first + tree.branches[parent]
        for child in range(first, last):
            if not settled[child]:
                released[child] = _complies(bags, start[child], end[child], total[child], cells, packed)
        if reading.crossover > 0.0:
            bags, top = _crossed_over(
                bags, first, last, start, end, total, released, crossed, settled, top, cells, packed, reading, rng
            )
        start[parent] = top
        for child in range(first, last):
            if not released[child] and not settled[child]:
                bags, top = _copied(bags, start[child], end[child], top)
                total[parent] += total[child]
        donors = first + np.flatnonzero(released[first:last] & ~crossed[first:last])
        waiting[parent] = total[parent]
        required = _required(waiting[parent], donors, total, packed.minimal_size, reading.literal)
        if required > 0 and _lend(
            bags, donors, start, end, total, start[parent], top, required, cells, packed, reading, rng
        ):
            bags, top = _moved(bags, donors, start, end, total, top)
            total[parent] += required
            borrowed[parent] = required
        end[parent] = top
        settled[parent] = reading.settle
    if not settled[0]:
        released[0] = _complies(bags, start[0], end[0], total[0], cells, packed)
    if not released[0] and reading.keep_all and total[0] > 0:
        bags, lent = _completed(bags, start, end, total, released, top, cells, packed, reading, rng)
        borrowed[0] += lent
    return Outcome(bags, start, end, released, waiting, borrowed, crossed, settled)


@jit
def _crossed_over(
    bags: Bags,
    first: int,
    last: int,
    start: Longs,
    end: Longs,
    total: Longs,
    released: Bools,
    crossed: Bools,
    settled: Bools,
    top: int,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> tuple[Bags, int]:
    """Complete branches that lack a small share of k with records of the purest sibling that can spare them."""
    k = packed.minimal_size
    for child in range(first, last):
        required = k - total[child]
        if released[child] or settled[child] or total[child] == 0 or not 0 < required < reading.crossover * k:
            continue
        partner = np.full(1, -1, np.int64)
        purest = np.inf
        for sibling in range(first, last):
            if released[sibling] and not crossed[sibling] and total[sibling] - k >= required:
                impurity = _entropy(bags, start[sibling], end[sibling], cells)
                if impurity < purest - 1e-9:
                    purest = impurity
                    partner[0] = sibling
        if partner[0] >= 0 and _lend(
            bags, partner, start, end, total, start[child], end[child], required, cells, packed, reading, rng
        ):
            begin = top
            bags, top = _copied(bags, start[child], end[child], top)
            bags, top = _moved(bags, partner, start, end, total, top)
            start[child] = begin
            end[child] = top
            total[child] = k
            released[child] = True
            crossed[child] = True
    return bags, top


@jit
def _entropy(bags: Bags, start: int, end: int, cells: Cells) -> float:
    """The entropy of the classes of a bag, in nats."""
    counts = np.zeros(cells.classes, np.int64)
    _classes(bags, start, end, cells, counts)
    records = counts.sum()
    entropy = 0.0
    for count in counts:
        if count > 0:
            entropy -= count / records * np.log(count / records)
    return float(entropy)


@jit
def _required(waiting: int, donors: Longs, total: Longs, k: int, literal: bool) -> int:
    """How many records the complying siblings lend to those that do not comply; 0 if they lend none."""
    extra = 0
    for donor in donors:
        extra += total[donor] - k
    if literal and waiting >= k:
        return extra
    if not literal and waiting == 0:
        return 0
    required = k - waiting
    return required if 0 < required <= extra else 0


@jit
def _complies(bags: Bags, start: int, end: int, size: int, cells: Cells, packed: PackedRequirements) -> bool:
    """Whether a bag could be published as a group."""
    if size < packed.minimal_size:
        return False
    histogram = np.zeros(cells.histogram, np.int64)
    _count(bags, start, end, False, cells, histogram)
    return all_hold(packed, size, histogram)


@jit
def _count(bags: Bags, start: int, end: int, only_lent: bool, cells: Cells, histogram: Longs) -> None:
    """Add the sensitive values of a bag, without what it lends, or of only that."""
    for entry in range(start, end):
        records = bags.lent[entry] if only_lent else bags.size[entry] - bags.lent[entry]
        for value in cells.values[bags.cell[entry]]:
            histogram[value] += records


@jit
def _lend(
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
            _count(bags, waiting_start, waiting_end, False, cells, histogram)
            waiting = required
            for entry in range(waiting_start, waiting_end):
                waiting += bags.size[entry]
            for donor in donors:
                _count(bags, start[donor], end[donor], True, cells, histogram)
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
        if left < total[donor] and not _complies(bags, start[donor], end[donor], left, cells, packed):
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
        _classes(bags, start[donors[which]], end[donors[which]], cells, before[which])
    _classes(bags, waiting_start, waiting_end, cells, before[-1])
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
def _classes(bags: Bags, start: int, end: int, cells: Cells, counts: Longs) -> None:
    for entry in range(start, end):
        counts[cells.labels[bags.cell[entry]]] += bags.size[entry]


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
def _moved(bags: Bags, donors: Longs, start: Longs, end: Longs, total: Longs, top: int) -> tuple[Bags, int]:
    """Move what is marked as lent to the end of the pool."""
    for donor in donors:
        for entry in range(start[donor], end[donor]):
            records = bags.lent[entry]
            if records > 0:
                bags = _with_room(bags, top)
                bags.cell[top] = bags.cell[entry]
                bags.size[top] = records
                bags.lent[top] = 0
                bags.size[entry] -= records
                bags.lent[entry] = 0
                total[donor] -= records
                top += 1
    return bags, top


@jit
def _copied(bags: Bags, start: int, end: int, top: int) -> tuple[Bags, int]:
    """Copy a bag to the end of the pool."""
    for entry in range(start, end):
        if bags.size[entry] > 0:
            bags = _with_room(bags, top)
            bags.cell[top] = bags.cell[entry]
            bags.size[top] = bags.size[entry]
            bags.lent[top] = 0
            top += 1
    return bags, top


@jit
def _with_room(bags: Bags, top: int) -> Bags:
    """The pool, twice as large if it is full."""
    if top < len(bags.cell):
        return bags
    cell = np.empty(2 * top + 64, np.int32)
    size = np.empty(2 * top + 64, np.int64)
    lent = np.zeros(2 * top + 64, np.int64)
    cell[:top] = bags.cell[:top]
    size[:top] = bags.size[:top]
    lent[:top] = bags.lent[:top]
    return Bags(cell, size, lent)


@jit
def _completed(
    bags: Bags,
    start: Longs,
    end: Longs,
    total: Longs,
    released: Bools,
    top: int,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> tuple[Bags, int]:
    """Make what is left at the root a group.

    It is joined by records that groups can spare; if that does not help, by whole groups, the smallest first. It
    ends: with all groups dissolved the root holds the whole table, which complies or nothing could be released.
    """
    while True:
        donors = np.flatnonzero(released)
        required = max(packed.minimal_size - total[0], 0)
        if required > 0 and _lend(
            bags, donors, start, end, total, start[0], end[0], required, cells, packed, reading, rng
        ):
            bags, top = _moved(bags, donors, start, end, total, top)
            end[0] = top
            total[0] += required
            released[0] = True
            return bags, required
        if _complies(bags, start[0], end[0], total[0], cells, packed) or len(donors) == 0:
            released[0] = True
            return bags, 0
        smallest = donors[np.argmin(total[donors])]
        released[smallest] = False
        bags, top = _copied(bags, start[smallest], end[smallest], top)
        end[0] = top
        total[0] += total[smallest]
