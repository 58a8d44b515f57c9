"""Kernels for records that may be in several places at once: what a cell stands for, counting it, sending it down.

A cell is a list of codes with shares. What they lack to 1 is unknown, and goes where the known records go, as C4.5
sends a missing value. A record is an item: a row and a weight. Below a question for a column only a range of its codes
is left, and a record is there with the part of its shares that lies inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._kernels import SLACK, Bools, Floats, Ints, Items, Longs, Nodes

__all__ = ["CRUMB", "EVERYWHERE", "Cells", "PublishedTable", "Ranges", "Sent", "mass", "ranges_of", "send", "tally"]

# No record is in more pieces than this allows: what is less of it is given to its larger pieces.
CRUMB = 0.01
# The last code of a range that has no end.
EVERYWHERE = 2**31 - 1


class Cells(NamedTuple):
    """Cell ``i`` holds ``codes[starts[i]:starts[i + 1]]``, ascending; ``upto`` adds their shares up."""

    starts: Longs
    codes: Ints
    upto: Floats


class PublishedTable(NamedTuple):
    """The training records: per column and row the cell that is counted and the one that says where it goes.

    The codes of a number stand in the order of its values: ``values[offsets[column] + code]``.
    """

    cells: Cells
    counted: Ints
    routed: Ints
    classes: Ints
    weights: Floats
    sizes: Longs
    numeric: Bools
    values: Floats
    offsets: Longs
    n_classes: int


class Ranges(NamedTuple):
    """What the questions above a node left of each column: its codes, and how much of what is unknown came along."""

    low: Longs
    high: Longs
    along: Floats


class Sent(NamedTuple):
    """Where the items of a node went: branch b has ``bounds[b]`` to ``bounds[b + 1]``."""

    items: Items
    bounds: Longs
    bag: Floats


@jit
def _first_at_least(cells: Cells, cell: int, code: int) -> int:
    """Where the codes of a cell reach a code. O(log codes)."""
    first = cells.starts[cell]
    last = cells.starts[cell + 1]
    while first < last:
        middle = (first + last) // 2
        if cells.codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return int(first)


@jit
def mass(cells: Cells, cell: int, low: int, high: int) -> float:
    """The share of a cell that lies in a range of codes."""
    first = _first_at_least(cells, cell, low)
    end = cells.starts[cell + 1] if high >= EVERYWHERE else _first_at_least(cells, cell, high + 1)
    if first >= end:
        return 0.0
    before = 0.0 if first == cells.starts[cell] else cells.upto[first - 1]
    return float(cells.upto[end - 1] - before)


@jit
def unknown(cells: Cells, cell: int) -> float:
    """What the shares of a cell lack to 1."""
    if cells.starts[cell] == cells.starts[cell + 1]:
        return 1.0
    lacking = 1.0 - cells.upto[cells.starts[cell + 1] - 1]
    return 0.0 if lacking < SLACK else lacking


@jit
def ranges_of(nodes: Nodes, parents: Longs, coming: Ints, numeric: Bools, node: int) -> Ranges:
    """What the questions above a node left of each column; ``coming`` is the code that leads to a node. O(depth)."""
    columns = numeric.shape[0]
    low = np.zeros(columns, np.int64)
    high = np.full(columns, EVERYWHERE, np.int64)
    along = np.ones(columns, np.float64)
    while parents[node] >= 0:
        above = parents[node]
        column = nodes.column[above]
        if not numeric[column]:
            low[column] = max(low[column], coming[node])
            high[column] = min(high[column], coming[node])
        elif node == nodes.first[above]:
            high[column] = min(high[column], nodes.threshold[above])
        else:
            low[column] = max(low[column], nodes.threshold[above] + 1)
        total = nodes.counts[above].sum()
        along[column] *= nodes.bag[node] / total if total > 0.0 else 0.0
        node = above
    return Ranges(low, high, along)


@jit
def tally(
    table: PublishedTable,
    items: Items,
    start: int,
    end: int,
    column: int,
    ranges: Ranges,
    by_cell: Floats,
    groups: Floats,
    kept: Ints,
) -> int:
    """Weigh the classes of each code that a range of items may have, in the order of the codes.

    Items of one cell are added up first, so that a cell of many codes is spread only once: O(items + codes of the
    distinct cells). ``by_cell`` is zero before and after; returns how many codes occur.
    """
    cells = table.cells
    touched = np.empty(end - start, np.int64)
    distinct = 0
    for item in range(start, end):
        row = items.rows[item]
        cell = table.counted[column, row]
        if by_cell[cell].sum() == 0.0:
            touched[distinct] = cell
            distinct += 1
        by_cell[cell, table.classes[row]] += items.weights[item]
    low = ranges.low[column]
    high = ranges.high[column]
    size = table.sizes[column]
    seen = np.zeros(size, np.bool_)
    found = 0
    for at in range(distinct):
        cell = touched[at]
        here = mass(cells, cell, low, high) + unknown(cells, cell) * ranges.along[column]
        entry = _first_at_least(cells, cell, low)
        while here > 0.0 and entry < cells.starts[cell + 1] and cells.codes[entry] <= high:
            code = cells.codes[entry]
            before = 0.0 if entry == cells.starts[cell] else cells.upto[entry - 1]
            share = (cells.upto[entry] - before) / here
            if not seen[code]:
                seen[code] = True
                kept[found] = code
                groups[code] = 0.0
                found += 1
            for label in range(table.n_classes):
                groups[code, label] += by_cell[cell, label] * share
            entry += 1
        by_cell[cell] = 0.0
    # The i-th code in order is at least i, so no row is overwritten before it is read.
    order = np.sort(kept[:found])
    for at in range(found):
        kept[at] = order[at]
        groups[at] = groups[order[at]]
    return found


@jit
def _only_code(cells: Cells, cell: int) -> int:
    """The code of a cell that stands for just one; -1 for any other cell."""
    first = cells.starts[cell]
    if first + 1 == cells.starts[cell + 1] and 1.0 - cells.upto[first] < SLACK:
        return int(cells.codes[first])
    return -1


@jit
def _branch(code: int, threshold: int, branch_of: Longs) -> int:
    if branch_of.shape[0] > 0:
        return int(branch_of[code])
    return 0 if code <= threshold else 1


@jit
def _part(cells: Cells, cell: int, low: int, high: int, threshold: int, branch_of: Longs, parts: Floats) -> None:
    """Write the share of a cell that each branch has, inside a range of codes."""
    if branch_of.shape[0] == 0:
        parts[0] = mass(cells, cell, low, min(high, threshold))
        parts[1] = mass(cells, cell, max(low, threshold + 1), high)
        return
    entry = _first_at_least(cells, cell, low)
    while entry < cells.starts[cell + 1] and cells.codes[entry] <= high:
        before = 0.0 if entry == cells.starts[cell] else cells.upto[entry - 1]
        parts[branch_of[cells.codes[entry]]] = cells.upto[entry] - before
        entry += 1


@jit
def _cut(parts: Floats, here: float, lacking: float, shares: Floats, whole: float, weight: float) -> None:
    """Turn the shares of one record into the weights of its pieces.

    ``lacking`` is unknown and follows ``shares``. A piece below the crumb is given to the larger ones, so that the
    weight of all stays; if there is none, the largest takes it, of equal ones that where most records go.
    """
    branches = parts.shape[0]
    only_unknown = here - lacking <= 0.0
    kept = 0.0
    largest = 0
    for branch in range(branches):
        parts[branch] = weight * (parts[branch] + lacking * shares[branch]) / here
        above = parts[branch] > parts[largest] * (1.0 + SLACK)
        equal = parts[branch] >= parts[largest] * (1.0 - SLACK)
        if above or (equal and shares[branch] > shares[largest]):
            largest = branch
    for branch in range(branches):
        if only_unknown:
            if shares[branch] <= SLACK:
                parts[branch] = 0.0
        elif parts[branch] < CRUMB * whole and branch != largest:
            parts[branch] = 0.0
        kept += parts[branch]
    if not only_unknown and kept > 0.0 and kept != weight:
        for branch in range(branches):
            parts[branch] *= weight / kept


@jit
def _enlarged(items: Items, used: int, capacity: int) -> Items:
    rows = np.empty(capacity, np.int32)
    weights = np.empty(capacity, np.float64)
    rows[:used] = items.rows[:used]
    weights[:used] = items.weights[:used]
    return Items(rows, weights)


@jit
def send(
    table: PublishedTable,
    column: int,
    threshold: int,
    branch_of: Longs,
    n_branches: int,
    ranges: Ranges,
    items: Items,
    start: int,
    end: int,
    top: int,
) -> Sent:
    """Send a range of items down a split, the items of each branch together, written from ``top`` on.

    ``branch_of`` has the branch of each code, and is empty for a number. O(items × branches a cell reaches).
    """
    cells = table.cells
    low = ranges.low[column]
    high = ranges.high[column]
    bag = np.zeros(n_branches, np.float64)
    parts = np.zeros(n_branches, np.float64)
    nowhere = 0.0
    for item in range(start, end):
        cell = table.routed[column, items.rows[item]]
        code = _only_code(cells, cell)
        if code >= 0:
            bag[_branch(code, threshold, branch_of)] += items.weights[item]
            continue
        lacking = unknown(cells, cell) * ranges.along[column]
        here = mass(cells, cell, low, high) + lacking
        _part(cells, cell, low, high, threshold, branch_of, parts)
        for branch in range(n_branches):
            if here > 0.0:
                bag[branch] += items.weights[item] * parts[branch] / here
            parts[branch] = 0.0
        nowhere += items.weights[item] * (lacking / here if here > 0.0 else 1.0)
    known = bag.sum()
    shares = np.empty(n_branches, np.float64)
    for branch in range(n_branches):
        share = 1.0 / n_branches if abs(known) < SLACK else bag[branch] / known
        bag[branch] += share * nowhere
        shares[branch] = bag[branch] / (known + nowhere)
    # Twice over the items: first how many pieces each branch gets, then the pieces.
    bounds = np.zeros(n_branches + 1, np.int64)
    into = np.zeros(n_branches, np.int64)
    for writing in range(2):
        if writing == 1:
            bounds[0] = top
            for branch in range(n_branches):
                bounds[branch + 1] = bounds[branch] + into[branch]
            if bounds[n_branches] > items.rows.shape[0]:
                items = _enlarged(items, top, 2 * bounds[n_branches])
            into = bounds[:n_branches].copy()
        for item in range(start, end):
            row = items.rows[item]
            cell = table.routed[column, row]
            code = _only_code(cells, cell)
            if code >= 0:
                branch = _branch(code, threshold, branch_of)
                if writing == 1:
                    items.rows[into[branch]] = row
                    items.weights[into[branch]] = items.weights[item]
                into[branch] += 1
                continue
            lacking = unknown(cells, cell) * ranges.along[column]
            here = mass(cells, cell, low, high) + lacking
            if here <= 0.0:
                lacking = 1.0
                here = 1.0
            else:
                _part(cells, cell, low, high, threshold, branch_of, parts)
            _cut(parts, here, lacking, shares, table.weights[row], items.weights[item])
            for branch in range(n_branches):
                if parts[branch] > 0.0:
                    if writing == 1:
                        items.rows[into[branch]] = row
                        items.weights[into[branch]] = parts[branch]
                    into[branch] += 1
                    parts[branch] = 0.0
    return Sent(items, bounds, bag)
