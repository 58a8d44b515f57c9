"""Kernels of pruning upwards: complying nodes are released, and the records of the others go up to the node above.

Records are in bags of cells. The bag of a node is a range of one pool, and a released node keeps its range, so the
groups of a release are ranges, too. Other bags are copied to the end of the pool when they go up. They have fewer than
k records, or are not diverse enough, so that is little work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees.nodes.arrays import BRANCHES, COLUMN, FIRST
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = [
    "BORROWED",
    "Bags",
    "END",
    "RELEASED",
    "SETTLED",
    "START",
    "TOTAL",
    "WAITING",
    "complies",
    "copy_bag",
    "draw",
    "lend",
    "move_lent",
    "prune_upwards",
    "share_out",
]


# --------------------------------------------------------------------------------------------------
# Bags of records, and lending between them.
#
# The bag of a node is a range of one pool of cells, with the number of its records of each cell. A loan is first only
# marked in the bags of the donors, and moved once donors and receiver would comply.


# The first columns of ``Bags.nodes``: the range of a node in the pool, and its records.
START, END, TOTAL = range(3)


class Bags(NamedTuple):
    """The pool of cells, the bags of all nodes, and work space for lending.

    Attributes
    ----------
    cell, size, lent : int arrays (pool,)
        A cell, its records, and how many of these are marked to be lent.
    nodes : int array (nodes, 8)
        The state of each node; its columns are the constants of this module, from ``START`` to ``SETTLED``.
    labels : int array (cells,)
    values : int array (cells, sensitive columns)
        The places of the sensitive values of each cell in one histogram.
    k : int
        The records that a bag must have.
    rng : numpy.random.Generator
        Draws the records to lend.
    donors, extra, spare, histogram, label_counts : int arrays
        Work space: the donors, the records that each can spare at first and still, and counts of sensitive values and
        labels.
    """

    cell: Ints
    size: Longs
    lent: Longs
    nodes: Longs
    labels: Ints
    values: Ints
    k: int
    rng: np.random.Generator
    donors: Longs
    extra: Longs
    spare: Longs
    histogram: Longs
    label_counts: Longs


@jit(inner=True)
def complies(bags: Bags, node: int, size: int, n_donors: int, packed: PackedRequirements | None) -> bool:
    """Whether a bag could be a group of the release, without the records it lends and with those its donors lend it.

    If only the size is required, ``packed`` is ``None``, and numba omits the formulas.
    """
    if size < bags.k:
        return False
    if packed is None:
        return True
    histogram, values, lent, nodes = bags.histogram, bags.values, bags.lent, bags.nodes
    for value in range(histogram.shape[0]):
        histogram[value] = 0
    for which in range(-1, n_donors if values.shape[1] > 0 else -1):
        holder = bags.donors[which] if which >= 0 else node
        for entry in range(nodes[holder, START], nodes[holder, END]):
            records = lent[entry] if which >= 0 else bags.size[entry] - lent[entry]
            for at in range(values.shape[1]):
                histogram[values[bags.cell[entry], at]] += records
    return all_hold(packed, size, histogram)


@jit(inner=True)
def copy_bag(bags: Bags, start: int, end: int, top: int) -> int:
    """Copy a bag to the end of the pool; return the new end."""
    for entry in range(start, end):
        if bags.size[entry] > 0:
            bags.cell[top] = bags.cell[entry]
            bags.size[top] = bags.size[entry]
            bags.lent[top] = 0
            top += 1
    return top


@jit(inner=True)
def move_lent(bags: Bags, n_donors: int, top: int) -> int:
    """Move the marked records of the first ``n_donors`` donors to the end of the pool; return the new end."""
    nodes = bags.nodes
    for which in range(n_donors):
        donor = bags.donors[which]
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
    n_donors: int,
    receiver: int,
    required: int,
    literal: bool,
    packed: PackedRequirements | None,
    mix: Floats | None,
) -> bool:
    """Mark records to lend in the bags of the donors so that all comply; otherwise change nothing and return False.

    Donors lend at random, or, with ``mix``, by label.
    """
    nodes, donors, extra = bags.nodes, bags.donors, bags.extra
    everything = int64(0)
    for which in range(n_donors):
        extra[which] = nodes[donors[which], TOTAL] - bags.k
        everything += extra[which]
    while everything >= required:
        if mix is None:
            _choose_at_random(bags, n_donors, required, everything)
        else:
            _choose_by_label(bags, n_donors, receiver, required, mix)
        refusing = -1
        for which in range(n_donors):
            donor = donors[which]
            left = nodes[donor, TOTAL]
            for entry in range(nodes[donor, START], nodes[donor, END]):
                left -= bags.lent[entry]
            if left < nodes[donor, TOTAL] and not complies(bags, donor, left, int64(0), packed):
                refusing = which
                break
        if refusing < 0:
            # The literal reading lends even if the receiver does not comply yet: it may comply further up.
            if literal or complies(bags, receiver, nodes[receiver, TOTAL] + required, n_donors, packed):
                return True
            everything = -1
        else:
            everything -= extra[refusing]
            extra[refusing] = 0
        for which in range(n_donors):
            for entry in range(nodes[donors[which], START], nodes[donors[which], END]):
                bags.lent[entry] = 0
    return False


@jit(inner=True)
def _choose_at_random(bags: Bags, n_donors: int, required: int, everything: int) -> None:
    """Draw from the spare records of the donors, all equally likely."""
    donors, extra, spare = bags.donors, bags.extra, bags.spare
    share_out(extra, spare, n_donors, required, everything, bags.rng)
    anything = -1
    for which in range(n_donors):
        _draw(bags, donors[which], anything, bags.nodes[donors[which], TOTAL], extra[which] - spare[which])


@jit
def share_out(
    extra: Longs, spare: Longs, n_donors: int, required: int, everything: int, rng: np.random.Generator
) -> None:
    """Draw how many records each donor lends, and write into ``spare`` how many it could still spare."""
    for which in range(n_donors):
        spare[which] = extra[which]
    for drawn in range(required):
        place = rng.random() * (everything - drawn)
        which = 0
        while which < n_donors - 1 and place >= spare[which]:
            place -= spare[which]
            which += 1
        while spare[which] == 0:
            which -= 1
        spare[which] -= 1


@jit(inner=True)
def _choose_by_label(bags: Bags, n_donors: int, receiver: int, required: int, mix: Floats) -> None:
    """Take records one by one, each from the donor and label that change the mix of labels of both sides least.

    The change of a group is its size times the sum of the differences between its shares before and now; the changes of
    donor and receiver are added. Among equals, the first wins. O(required × donors × labels²).
    """
    nodes, donors, spare = bags.nodes, bags.donors, bags.spare
    n_labels = mix.shape[1] // 2
    # Each row holds the counts of labels before and now; the last row is that of the receiver.
    for which in range(n_donors + 1):
        for at in range(2 * n_labels):
            mix[which, at] = 0.0
        holder = receiver
        if which < n_donors:
            spare[which] = bags.extra[which]
            holder = donors[which]
        for entry in range(nodes[holder, START], nodes[holder, END]):
            mix[which, bags.labels[bags.cell[entry]]] += bags.size[entry]
        for label in range(n_labels):
            mix[which, n_labels + label] = mix[which, label]
    for _ in range(required):
        best = np.inf
        best_donor = 0
        best_label = 0
        waiting_cost = _change(mix, n_donors)
        for which in range(n_donors):
            if spare[which] == 0:
                continue
            cost = _change(mix, which)
            for label in range(n_labels):
                if mix[which, n_labels + label] == 0.0:
                    continue
                mix[which, n_labels + label] -= 1.0
                mix[n_donors, n_labels + label] += 1.0
                change = _change(mix, which) - cost + _change(mix, n_donors) - waiting_cost
                mix[which, n_labels + label] += 1.0
                mix[n_donors, n_labels + label] -= 1.0
                if change < best - 1e-9:
                    best = change
                    best_donor = which
                    best_label = label
        mix[best_donor, n_labels + best_label] -= 1.0
        mix[n_donors, n_labels + best_label] += 1.0
        spare[best_donor] -= 1
    for which in range(n_donors):
        for label in range(n_labels):
            before = int(mix[which, label])
            taken = before - int(mix[which, n_labels + label])
            _draw(bags, donors[which], label, before, taken)


@jit(inner=True)
def _change(mix: Floats, which: int) -> float:
    """Return the size of a group times the sum of the differences of its shares; 0 if it was or is empty."""
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
def _draw(bags: Bags, donor: int, label: int, available: int, wanted: int) -> None:
    """Mark ``wanted`` records of a bag, of one label or of any (-1), all choices equally likely. O(records)."""
    for entry in range(bags.nodes[donor, START], bags.nodes[donor, END]):
        if label >= 0 and bags.labels[bags.cell[entry]] != label:
            continue
        if wanted == 0:
            return
        taken = _taken(bags.size[entry], available, wanted, bags.rng)
        bags.lent[entry] += taken
        wanted -= taken
        available -= bags.size[entry]


@jit
def draw(size: Longs, lent: Longs, available: int, wanted: int, rng: np.random.Generator) -> int:
    """Mark records of the next entries of a bag with ``available`` records; return how many are still wanted."""
    for entry in range(size.shape[0]):
        if wanted == 0:
            return 0
        lent[entry] = _taken(size[entry], available, wanted, rng)
        wanted -= lent[entry]
        available -= size[entry]
    return wanted


@jit(inner=True)
def _taken(size: int, available: int, wanted: int, rng: np.random.Generator) -> int:
    """Draw how many of ``size`` records are taken, if ``wanted`` of the ``available`` records are."""
    taken = 0
    for _ in range(size):
        if taken == wanted:
            return taken
        if rng.random() * available < wanted - taken:
            taken += 1
        available -= 1
    return taken


# The other columns of ``Bags.nodes``: whether a node is a group of the release; the records that came up to it from
# branches that do not comply; the records that siblings lent to these; whether one sibling completed it; and whether it
# keeps the records that came up.
RELEASED, WAITING, BORROWED, CROSSED, SETTLED = range(3, 8)


@jit
def prune_upwards(
    links: Ints,
    bags: Bags,
    state: Longs,
    packed: PackedRequirements | None,
    literal: bool,
    settle: bool,
    crossover: float | None,
    keep_all: bool | None,
    mix: Floats | None,
) -> bool:
    """Release complying nodes, from the leaves to the root; return False if the pool is too small to continue.

    ``state`` holds the next node and the end of the pool. For ``literal``, ``settle``, ``crossover`` and ``keep_all``
    see :class:`hedgerow.anonymizers.suppression._pruning.Reading`; numba omits what is ``None``. Expected
    O(records + cells × depth); with k alone, every bag that goes up has fewer than k records.
    """
    nodes, k, top = bags.nodes, bags.k, state[1]
    root = alone = int64(0)
    for parent in range(state[0], -1, -1):
        if links[parent, COLUMN] < 0:
            continue
        first = int(links[parent, FIRST])
        last = first + links[parent, BRANCHES]
        most = 0
        for child in range(first, last):
            most += nodes[child, END] - nodes[child, START]
        # Each entry may be copied once, and a part of it may be lent once.
        if top + 2 * most > bags.cell.shape[0]:
            state[0], state[1] = parent, top
            return False
        for child in range(first, last):
            if nodes[child, SETTLED] == 0:
                nodes[child, RELEASED] = complies(bags, child, nodes[child, TOTAL], alone, packed)
        if crossover is not None:
            top = _cross_over(bags, first, last, top, literal, packed, crossover, mix)
        nodes[parent, START] = top
        spare = 0
        n_donors = int64(0)
        for child in range(first, last):
            if nodes[child, RELEASED] == 0 and nodes[child, SETTLED] == 0:
                top = copy_bag(bags, nodes[child, START], nodes[child, END], top)
                nodes[parent, TOTAL] += nodes[child, TOTAL]
            elif nodes[child, RELEASED] > 0 and nodes[child, CROSSED] == 0:
                bags.donors[n_donors] = child
                n_donors += 1
                spare += nodes[child, TOTAL] - k
        nodes[parent, END] = top
        waiting = nodes[parent, TOTAL]
        nodes[parent, WAITING] = waiting
        required = k - waiting
        if literal and waiting >= k:
            required = spare
        elif (waiting == 0 and not literal) or required > spare:
            required = 0
        if required > 0 and lend(bags, n_donors, parent, required, literal, packed, mix):
            top = move_lent(bags, n_donors, top)
            nodes[parent, END] = top
            nodes[parent, TOTAL] += required
            nodes[parent, BORROWED] = required
        nodes[parent, SETTLED] = settle
    if nodes[0, SETTLED] == 0:
        nodes[0, RELEASED] = complies(bags, root, nodes[0, TOTAL], alone, packed)
    if keep_all is not None and nodes[0, RELEASED] == 0 and nodes[0, TOTAL] > 0:
        most = 0
        for node in range(nodes.shape[0]):
            most += nodes[node, RELEASED] * (nodes[node, END] - nodes[node, START])
        if top + 2 * most > bags.cell.shape[0]:
            state[0], state[1] = -1, top
            return False
        _complete_root(bags, top, packed, mix)
    return True


@jit(inner=True)
def _cross_over(
    bags: Bags,
    first: int,
    last: int,
    top: int,
    literal: bool,
    packed: PackedRequirements | None,
    crossover: float,
    mix: Floats | None,
) -> int:
    """Complete branches that lack a small share of k from their purest sibling; return the end of the pool."""
    nodes, k, one = bags.nodes, bags.k, int64(1)
    for child in range(first, last):
        required = k - nodes[child, TOTAL]
        if nodes[child, RELEASED] + nodes[child, SETTLED] > 0 or not 0 < required < min(crossover * k, k):
            continue
        partner = -1
        purest = np.inf
        for sibling in range(first, last):
            can_lend = nodes[sibling, RELEASED] > 0 and nodes[sibling, CROSSED] == 0
            if can_lend and nodes[sibling, TOTAL] - k >= required:
                impurity = _entropy(bags, sibling)
                if impurity < purest - 1e-9:
                    purest = impurity
                    partner = sibling
        bags.donors[0] = partner
        if partner >= 0 and lend(bags, one, child, required, literal, packed, mix):
            begin = top
            top = copy_bag(bags, nodes[child, START], nodes[child, END], top)
            top = move_lent(bags, one, top)
            nodes[child, START] = begin
            nodes[child, END] = top
            nodes[child, TOTAL] = k
            nodes[child, RELEASED] = 1
            nodes[child, CROSSED] = 1
    return top


@jit(inner=True)
def _entropy(bags: Bags, node: int) -> float:
    """Return the entropy of the labels of a bag, in nats."""
    counts = bags.label_counts
    for label in range(counts.shape[0]):
        counts[label] = 0
    for entry in range(bags.nodes[node, START], bags.nodes[node, END]):
        counts[bags.labels[bags.cell[entry]]] += bags.size[entry]
    entropy = 0.0
    for label in range(counts.shape[0]):
        if counts[label] > 0:
            share = counts[label] / bags.nodes[node, TOTAL]
            entropy -= share * math.log(share)
    return entropy


@jit(inner=True)
def _complete_root(bags: Bags, top: int, packed: PackedRequirements | None, mix: Floats | None) -> None:
    """Make the records left at the root a group; the pool must have room for all groups twice.

    Spare records of groups join them, or, if that does not help, whole groups, the smallest first. This ends: once all
    groups are dissolved, the root holds the whole table, which complies, as otherwise nothing could be released. In
    every reading, a loan must make the root comply, because no node is above it.
    """
    nodes, root = bags.nodes, int64(0)
    alone = root
    while nodes[0, RELEASED] == 0:
        n_donors = int64(0)
        smallest = -1
        for node in range(nodes.shape[0]):
            if nodes[node, RELEASED] > 0:
                bags.donors[n_donors] = node
                n_donors += 1
                if smallest < 0 or nodes[node, TOTAL] < nodes[smallest, TOTAL]:
                    smallest = node
        required = bags.k - nodes[0, TOTAL]
        literal = required < 0  # never, if any is lent
        if required > 0 and lend(bags, n_donors, root, required, literal, packed, mix):
            top = move_lent(bags, n_donors, top)
            nodes[0, TOTAL] += required
            nodes[0, BORROWED] += required
            nodes[0, RELEASED] = 1
        elif n_donors == 0 or complies(bags, root, nodes[0, TOTAL], alone, packed):
            nodes[0, RELEASED] = 1
        else:
            nodes[smallest, RELEASED] = 0
            top = copy_bag(bags, nodes[smallest, START], nodes[smallest, END], top)
            nodes[0, TOTAL] += nodes[smallest, TOTAL]
        nodes[0, END] = top
