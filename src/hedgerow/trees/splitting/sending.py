"""Sending the records of a node down a split: whole where one value is known, else in pieces."""

from __future__ import annotations

from hedgerow._jit import jit
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.trees.splitting.records import (
    ALONG,
    BAG,
    BOUND,
    BRANCH,
    FIRST_LIST,
    HIGH,
    INTO,
    LOW,
    NUMERIC,
    PART,
    SHARE,
    SIZE,
    SLACK,
    Lists,
    Room,
    Table,
)
from hedgerow.trees.splitting.tallies import first_at_least, lacking, mass, share_at

__all__ = ["CRUMB", "send"]

# No record is in more pieces than this allows: what is less of it is given to its larger pieces.
CRUMB = 0.01


@jit(inner=True)
def send(
    table: Table,
    lists: Lists | None,
    column: int,
    threshold: int,
    n_branches: int,
    rows: Ints,
    weights: Floats,
    start: int,
    end: int,
    top: int,
    room: Room,
) -> int:
    """Send a range of items down a split, the items of each branch together and in the order they stood in.

    Branch b then has the items from its ``BOUND`` to the next. Whole items only change places inside their range.
    Where there are pieces the range stays as it is, and the branches are written from ``top`` on. Returns where what is
    in use ends, or -1 if the pool is too small, which leaves everything as it was. O(items + pieces).
    """
    cells, branches, places = table.routed[column], room.branches, room.places
    size = table.columns[column, SIZE]
    numeric = table.columns[column, NUMERIC] > 0
    for branch in range(n_branches):
        branches[branch, BAG] = 0.0
        places[branch, INTO] = 0
    unknown = 0
    listed = 0
    nowhere = 0.0
    for item in range(start, end):
        cell = cells[rows[item]]
        if 0 <= cell < size:
            branch = int(cell > threshold) if numeric else places[cell, BRANCH]
            branches[branch, BAG] += weights[item]
            places[branch, INTO] += 1
        elif cell < 0:
            unknown += 1
            nowhere += weights[item]
        elif lists is not None:
            listed += 1
            which = table.columns[column, FIRST_LIST] + cell - size
            nowhere += _weigh_list(lists, which, numeric, column, threshold, n_branches, weights[item], room)
    if unknown + listed > 0:
        # What is unknown goes to the branches in proportion to what is known, alike if nothing is.
        known = 0.0
        for branch in range(n_branches):
            known += branches[branch, BAG]
        for branch in range(n_branches):
            share = 1.0 / n_branches if known < SLACK else branches[branch, BAG] / known
            branches[branch, BAG] += share * nowhere
            branches[branch, SHARE] = branches[branch, BAG] / (known + nowhere)
            if branches[branch, SHARE] > SLACK:
                places[branch, INTO] += unknown
    if lists is not None and listed > 0:
        for item in range(start, end):
            cell = cells[rows[item]]
            if cell >= size:
                which = table.columns[column, FIRST_LIST] + cell - size
                whole = table.weights[rows[item]]
                _cut(lists, which, numeric, column, threshold, n_branches, whole, weights[item], room)
                for branch in range(n_branches):
                    if branches[branch, PART] > 0.0:
                        places[branch, INTO] += 1
    places[0, BOUND] = top if unknown + listed > 0 else start
    for branch in range(n_branches):
        places[branch + 1, BOUND] = places[branch, BOUND] + places[branch, INTO]
    if places[n_branches, BOUND] > rows.shape[0]:
        return -1
    for branch in range(n_branches):
        places[branch, INTO] = places[branch, BOUND]
    if unknown + listed == 0:
        _reorder(cells, threshold, numeric, rows, weights, start, end, room.spare.rows, room.spare.weights, places)
        return top
    for item in range(start, end):
        row = rows[item]
        cell = cells[row]
        if 0 <= cell < size:
            branch = int(cell > threshold) if numeric else places[cell, BRANCH]
            rows[places[branch, INTO]] = row
            weights[places[branch, INTO]] = weights[item]
            places[branch, INTO] += 1
            continue
        for branch in range(n_branches):
            part = branches[branch, SHARE]
            branches[branch, PART] = weights[item] * part if part > SLACK else 0.0
        if lists is not None and cell >= size:
            which = table.columns[column, FIRST_LIST] + cell - size
            _cut(lists, which, numeric, column, threshold, n_branches, table.weights[row], weights[item], room)
        for branch in range(n_branches):
            if branches[branch, PART] > 0.0:
                rows[places[branch, INTO]] = row
                weights[places[branch, INTO]] = branches[branch, PART]
                places[branch, INTO] += 1
    return int(places[n_branches, BOUND])


@jit(inner=True)
def _reorder(
    cells: Ints,
    threshold: int,
    numeric: bool,
    rows: Ints,
    weights: Floats,
    start: int,
    end: int,
    spare_rows: Ints,
    spare_weights: Floats,
    places: Longs,
) -> None:
    """Put the items of each branch together, inside their range."""
    for item in range(start, end):
        spare_rows[item - start] = rows[item]
        spare_weights[item - start] = weights[item]
    for item in range(end - start):
        cell = cells[spare_rows[item]]
        branch = int(cell > threshold) if numeric else places[cell, BRANCH]
        rows[places[branch, INTO]] = spare_rows[item]
        weights[places[branch, INTO]] = spare_weights[item]
        places[branch, INTO] += 1


@jit(inner=True)
def _weigh_list(
    lists: Lists,
    which: int,
    numeric: bool,
    column: int,
    threshold: int,
    n_branches: int,
    weight: float,
    room: Room,
) -> float:
    """Add what is known of a list to the branches; returns the rest."""
    branches = room.branches
    here = _parts(lists, which, numeric, column, threshold, n_branches, room)
    if here <= 0.0:
        return weight
    for branch in range(n_branches):
        branches[branch, BAG] += weight * branches[branch, PART] / here
    return float(weight * lacking(lists, which) * room.columns[column, ALONG] / here)


@jit(inner=True)
def _parts(lists: Lists, which: int, numeric: bool, column: int, threshold: int, n_branches: int, room: Room) -> float:
    """Write the share of a list that each branch has; returns how much of the list came to the node."""
    branches = room.branches
    low = int(room.columns[column, LOW])
    high = int(room.columns[column, HIGH])
    if numeric:
        branches[0, PART] = mass(lists, which, low, min(high, threshold))
        branches[1, PART] = mass(lists, which, max(low, threshold + 1), high)
    else:
        for branch in range(n_branches):
            branches[branch, PART] = 0.0
        end = lists.starts[which + 1]
        entry = first_at_least(lists.codes, lists.starts[which], end, low)
        while entry < end and lists.codes[entry] <= high:
            branches[room.places[lists.codes[entry], BRANCH], PART] = share_at(lists, which, entry)
            entry += 1
    return float(mass(lists, which, low, high) + lacking(lists, which) * room.columns[column, ALONG])


@jit(inner=True)
def _cut(
    lists: Lists,
    which: int,
    numeric: bool,
    column: int,
    threshold: int,
    n_branches: int,
    whole: float,
    weight: float,
    room: Room,
) -> None:
    """Cut a record into the weights of its pieces.

    What is unknown of it follows the shares of the branches. A piece below the crumb is given to the larger ones, so
    that the weight of all stays; if there is none, the largest takes it, of equal ones that where most records go.
    """
    branches = room.branches
    here = _parts(lists, which, numeric, column, threshold, n_branches, room)
    absent = lacking(lists, which) * room.columns[column, ALONG]
    if here <= 0.0:
        here = absent = 1.0
    only_unknown = here - absent <= 0.0
    largest = 0
    for branch in range(n_branches):
        share = branches[branch, SHARE]
        part = weight * (branches[branch, PART] + absent * share) / here
        branches[branch, PART] = part
        most = branches[largest, PART]
        if part > most * (1.0 + SLACK) or (part >= most * (1.0 - SLACK) and share > branches[largest, SHARE]):
            largest = branch
    kept = 0.0
    for branch in range(n_branches):
        small = branches[branch, PART] < CRUMB * whole and branch != largest
        if (only_unknown and branches[branch, SHARE] <= SLACK) or (small and not only_unknown):
            branches[branch, PART] = 0.0
        kept += branches[branch, PART]
    if not only_unknown and kept > 0.0:
        for branch in range(n_branches):
            branches[branch, PART] *= weight / kept
