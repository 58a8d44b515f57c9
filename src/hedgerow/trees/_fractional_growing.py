"""Growth of trees whose records may be in several branches at once, and what such trees say, compiled.

The criterion is that of ID3 (gain) or of C4.5 (gain ratio among splits of at least average gain, a cost for
thresholds). Both read the same counts: how much of each class may have which code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._choosing import (
    BELOW_AVERAGE,
    disorder,
    information_gain,
    log_weight,
    merit_of_categories,
    merit_of_numbers,
)
from hedgerow.trees._fractional import PublishedTable, Ranges, ranges_of, send, tally
from hedgerow.trees._kernels import SLACK, Bools, Floats, Ints, Items, Longs, Nodes, majority, new_nodes, pushed
from hedgerow.trees._pruning import TOLERATED, added_errors

__all__ = ["Grown", "Rules", "grow", "prune_to_leaves"]


class Rules(NamedTuple):
    """How a tree is grown.

    ``by_ratio`` is C4.5's criterion, else the gain decides; ``must_gain`` refuses splits that gain nothing; ``dense``
    gives a category a branch for each of its values, else only for those that reach the node.
    """

    by_ratio: bool
    must_gain: bool
    dense: bool
    min_objects: float
    max_depth: int


class Grown(NamedTuple):
    """A tree, a node before its branches; ``coming`` is the code that leads to a node, -1 below a threshold."""

    nodes: Nodes
    coming: Ints


class Split(NamedTuple):
    """A column to split by, -1 for none."""

    column: int
    threshold: int


@jit
def _best_threshold(groups: Floats, kept: Ints, found: int, total: float, min_objects: float) -> tuple[float, int]:
    """The binary split of a number with the largest gain, without C4.5's cost; -1 for none. O(values × classes)."""
    n_classes = groups.shape[1]
    below = np.zeros(n_classes, np.float64)
    above = np.zeros(n_classes, np.float64)
    for value in range(found):
        above += groups[value]
    known = above.sum()
    before = log_weight(known) - disorder(above)
    best = -1.0
    threshold = -1
    for value in range(found - 1):
        below += groups[value]
        above -= groups[value]
        fewer = min(below.sum(), above.sum())
        if fewer < min_objects - SLACK:
            continue
        after = log_weight(below.sum()) + log_weight(above.sum()) - disorder(below) - disorder(above)
        gain = information_gain(before, after, known, total)
        if gain - best > SLACK:
            best = gain
            threshold = kept[value]
    return best, threshold


@jit
def _choose(
    table: PublishedTable,
    items: Items,
    start: int,
    end: int,
    total: float,
    ranges: Ranges,
    averaged: Bools,
    rules: Rules,
    by_cell: Floats,
    groups: Floats,
    kept: Ints,
) -> Split:
    """The best split of a node, by the first column of equal ones. O(columns × (items + codes of their cells))."""
    n_columns = table.sizes.shape[0]
    gains = np.full(n_columns, -1.0, np.float64)
    merits = np.zeros(n_columns, np.float64)
    thresholds = np.full(n_columns, -1, np.int64)
    average = 0.0
    valid = 0
    for column in range(n_columns):
        if table.sizes[column] < 2:
            continue
        found = tally(table, items, start, end, column, ranges, by_cell, groups, kept)
        if not table.numeric[column]:
            merit = merit_of_categories(groups, found, total, rules.min_objects)
            gains[column] = merit.gain
            merits[column] = merit.ratio
        elif rules.by_ratio:
            values = table.values[table.offsets[column] : table.offsets[column + 1]]
            merit = merit_of_numbers(groups, kept, found, values, total, rules.min_objects)
            gains[column] = merit.gain
            merits[column] = merit.ratio
            thresholds[column] = merit.threshold
        else:
            gains[column], thresholds[column] = _best_threshold(groups, kept, found, total, rules.min_objects)
        if gains[column] >= 0.0 and averaged[column]:
            average += gains[column]
            valid += 1
    best = -1
    highest = 0.0 if rules.by_ratio or rules.must_gain else -1.0
    least = average / valid - BELOW_AVERAGE if rules.by_ratio and valid > 0 else 0.0
    for column in range(n_columns):
        merit_here = merits[column] if rules.by_ratio else gains[column]
        if gains[column] >= max(least, 0.0) and merit_here - highest > SLACK and (valid > 0 or not rules.by_ratio):
            best = column
            highest = merit_here
    return Split(best, thresholds[best] if best >= 0 else -1)


@jit
def _with_room(grown: Grown, parents: Longs, used: int, more: int) -> tuple[Grown, Longs]:
    nodes = grown.nodes
    if used + more <= nodes.column.shape[0]:
        return grown, parents
    capacity = 2 * (used + more)
    larger = new_nodes(capacity, nodes.counts.shape[1])
    larger.column[:used] = nodes.column[:used]
    larger.threshold[:used] = nodes.threshold[:used]
    larger.first[:used] = nodes.first[:used]
    larger.branches[:used] = nodes.branches[:used]
    larger.counts[:used] = nodes.counts[:used]
    larger.bag[:used] = nodes.bag[:used]
    larger.empty[:used] = nodes.empty[:used]
    coming = np.full(capacity, -1, np.int32)
    coming[:used] = grown.coming[:used]
    above = np.full(capacity, -1, np.int64)
    above[:used] = parents[:used]
    return Grown(larger, coming), above


@jit
def _branches(
    table: PublishedTable, items: Items, start: int, end: int, column: int, ranges: Ranges, dense: bool
) -> tuple[Longs, Ints]:
    """The branch of each code of a category (-1 for none), and the codes of the branches, ascending."""
    size = table.sizes[column]
    reached = np.full(size, dense, np.bool_)
    cells = table.cells
    if not dense:
        for item in range(start, end):
            cell = table.routed[column, items.rows[item]]
            for entry in range(cells.starts[cell], cells.starts[cell + 1]):
                code = cells.codes[entry]
                if ranges.low[column] <= code <= ranges.high[column]:
                    reached[code] = True
    codes = np.flatnonzero(reached).astype(np.int32)
    branch_of = np.full(size, -1, np.int64)
    for branch in range(codes.shape[0]):
        branch_of[codes[branch]] = branch
    return branch_of, codes


@jit
def grow(table: PublishedTable, averaged: Bools, rules: Rules) -> Grown:
    """Grow a tree until its nodes are pure, too small or too deep, or no split is left.

    O(depth × columns × (pieces of records + codes of their cells)); no record is in more than 1 / CRUMB pieces.
    """
    n_rows = table.classes.shape[0]
    most = max(table.sizes.max(), 1)
    items = Items(np.arange(n_rows).astype(np.int32), table.weights.copy())
    by_cell = np.zeros((table.cells.starts.shape[0] - 1, table.n_classes), np.float64)
    groups = np.empty((most, table.n_classes), np.float64)
    kept = np.empty(most, np.int32)
    grown = Grown(new_nodes(64, table.n_classes), np.full(64, -1, np.int32))
    parents = np.full(64, -1, np.int64)
    grown.nodes.bag[0] = table.weights.sum()
    used = 1
    stack = np.empty((64, 5), np.int64)
    stack = pushed(stack, 0, (0, 0, n_rows, n_rows, 0))
    height = 1
    while height > 0:
        height -= 1
        node, start, end, top, depth = stack[height]
        nodes = grown.nodes
        counts = nodes.counts[node]
        for item in range(start, end):
            counts[table.classes[items.rows[item]]] += items.weights[item]
        total = counts.sum()
        nodes.empty[node] = total < SLACK
        pure = abs(total - counts[majority(counts)]) < SLACK
        if pure or 2.0 * rules.min_objects - total > SLACK or depth == rules.max_depth:
            continue
        ranges = ranges_of(nodes, parents, grown.coming, table.numeric, node)
        split = _choose(table, items, start, end, total, ranges, averaged, rules, by_cell, groups, kept)
        if split.column < 0:
            continue
        branch_of = np.empty(0, np.int64)
        codes = np.full(2, -1, np.int32)
        if not table.numeric[split.column]:
            branch_of, codes = _branches(table, items, start, end, split.column, ranges, rules.dense)
        n_branches = codes.shape[0]
        if n_branches < 1:
            continue
        sent = send(table, split.column, split.threshold, branch_of, n_branches, ranges, items, start, end, top)
        items = sent.items
        grown, parents = _with_room(grown, parents, used, n_branches)
        nodes = grown.nodes
        nodes.column[node] = split.column
        nodes.threshold[node] = split.threshold
        nodes.first[node] = used
        nodes.branches[node] = n_branches
        nodes.bag[used : used + n_branches] = sent.bag
        grown.coming[used : used + n_branches] = codes
        parents[used : used + n_branches] = node
        for branch in range(n_branches):
            frame = (used + branch, sent.bounds[branch], sent.bounds[branch + 1], sent.bounds[n_branches], depth + 1)
            stack = pushed(stack, height, frame)
            height += 1
        used += n_branches
    nodes = grown.nodes
    trimmed = Nodes(
        nodes.column[:used],
        nodes.threshold[:used],
        nodes.first[:used],
        nodes.branches[:used],
        nodes.counts[:used],
        nodes.bag[:used],
        nodes.empty[:used],
    )
    return Grown(trimmed, grown.coming[:used])


@jit
def prune_to_leaves(nodes: Nodes, confidence: float, quantile: float) -> None:
    """C4.5's pessimistic pruning without raising: a subtree expected to err no less becomes a leaf. O(nodes)."""
    expected = np.zeros(nodes.column.shape[0], np.float64)
    for node in range(nodes.column.shape[0] - 1, -1, -1):
        counts = nodes.counts[node]
        total = counts.sum()
        if total >= SLACK:
            wrong = total - counts[majority(counts)]
            expected[node] = wrong + added_errors(total, wrong, confidence, quantile)
        if nodes.column[node] < 0:
            continue
        as_tree = expected[nodes.first[node] : nodes.first[node] + nodes.branches[node]].sum()
        if expected[node] - (as_tree + TOLERATED) < SLACK:
            nodes.column[node] = -1
        else:
            expected[node] = as_tree
