"""Weighing the labels of each value that the records of a node have, or may have."""

from __future__ import annotations

from hedgerow._jit import int64, jit
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.trees.splitting.records import ALONG, EVERYWHERE, FIRST_LIST, HIGH, LOW, SIZE, SLACK, Lists, Room, Table

__all__ = ["first_at_least", "lacking", "mass", "share_at", "tally_codes", "tally_lists"]


@jit(inner=True)
def tally_codes(
    codes: Ints,
    column: int,
    size: int,
    labels: Ints,
    rows: Ints,
    weights: Floats,
    start: int,
    end: int,
    groups: Floats,
    kept: Ints,
    keys: Longs,
) -> int:
    """Weigh the labels of each value that occurs, in the order of the codes; returns how many values occur.

    Each item has one code, or none that is known. O(items + values), or O(items log items) if there are many values.
    """
    n_labels = groups.shape[1]
    found = 0
    if size <= 8 * (end - start):
        for code in range(size):
            for label in range(n_labels):
                groups[code, label] = 0.0
        mine = codes[column]
        for item in range(start, end):
            row = rows[item]
            if mine[row] >= 0:
                groups[mine[row], labels[row]] += weights[item]
        return drop_empty(size, groups, kept)
    known = 0
    for item in range(start, end):
        code = codes[column, rows[item]]
        if 0 <= code < size:
            keys[known] = (int64(code) << 32) | item
            known += 1
    # Shell's sort: numba's own takes longer to compile than it ever saves on the few items of a small node.
    gap = 1
    while gap < known:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for at in range(gap, known):
            key = keys[at]
            place = at
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                place -= gap
            keys[place] = key
    for at in range(known):
        item = keys[at] & 0xFFFFFFFF
        if found == 0 or kept[found - 1] != keys[at] >> 32:
            kept[found] = keys[at] >> 32
            for label in range(n_labels):
                groups[found, label] = 0.0
            found += 1
        groups[found - 1, labels[rows[item]]] += weights[item]
    return found


@jit(inner=True)
def drop_empty(size: int, groups: Floats, kept: Ints) -> int:
    """Move the values that occur together."""
    found = 0
    for code in range(size):
        weight = 0.0
        for label in range(groups.shape[1]):
            weight += groups[code, label]
        if weight > 0.0:
            for label in range(groups.shape[1]):
                groups[found, label] = groups[code, label]
            kept[found] = code
            found += 1
    return found


@jit(inner=True)
def tally_lists(
    table: Table, lists: Lists, column: int, rows: Ints, weights: Floats, start: int, end: int, room: Room
) -> int:
    """The same where items may have lists, of whose codes only a range is left; -1 if none has. O(items + codes).

    Items of one list are added up first, so that a list of many codes is spread only once.
    """
    cells, labels, groups, counts = table.counted, table.labels, room.groups, lists.counts
    size = table.columns[column, SIZE]
    first_list = table.columns[column, FIRST_LIST]
    low = int(room.columns[column, LOW])
    high = int(room.columns[column, HIGH])
    n_labels = groups.shape[1]
    distinct = 0
    for item in range(start, end):
        cell = cells[column, rows[item]]
        if cell >= size:
            which = first_list + cell - size
            weight = 0.0
            for label in range(n_labels):
                weight += counts[which, label]
            if weight == 0.0:
                lists.touched[distinct] = which
                distinct += 1
            counts[which, labels[rows[item]]] += weights[item]
    if distinct == 0:
        return -1
    for code in range(size):
        for label in range(n_labels):
            groups[code, label] = 0.0
    for item in range(start, end):
        cell = cells[column, rows[item]]
        if 0 <= cell < size:
            groups[cell, labels[rows[item]]] += weights[item]
    for at in range(distinct):
        which = lists.touched[at]
        here = mass(lists, which, low, high) + lacking(lists, which) * room.columns[column, ALONG]
        end_of_list = lists.starts[which + 1]
        entry = first_at_least(lists.codes, lists.starts[which], end_of_list, low)
        while here > 0.0 and entry < end_of_list and lists.codes[entry] <= high:
            share = share_at(lists, which, entry) / here
            for label in range(n_labels):
                groups[lists.codes[entry], label] += counts[which, label] * share
            entry += 1
        for label in range(n_labels):
            counts[which, label] = 0.0
    return drop_empty(size, groups, room.kept)


@jit(inner=True)
def first_at_least(codes: Ints, first: int, last: int, code: int) -> int:
    """Where ascending codes reach a code, in a range of them. O(log codes)."""
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return int(first)


@jit(inner=True)
def mass(lists: Lists, which: int, low: int, high: int) -> float:
    """The share of a list that lies in a range of codes."""
    start = lists.starts[which]
    end = lists.starts[which + 1]
    first = first_at_least(lists.codes, start, end, low)
    if high < EVERYWHERE:
        end = first_at_least(lists.codes, start, end, high + 1)
    if first >= end:
        return 0.0
    before = 0.0 if first == start else lists.upto[first - 1]
    return float(lists.upto[end - 1] - before)


@jit(inner=True)
def share_at(lists: Lists, which: int, entry: int) -> float:
    """The share of one entry of a list."""
    return float(lists.upto[entry] - (0.0 if entry == lists.starts[which] else lists.upto[entry - 1]))


@jit(inner=True)
def lacking(lists: Lists, which: int) -> float:
    """What the shares of a list lack to 1."""
    if lists.starts[which] == lists.starts[which + 1]:
        return 1.0
    rest = 1.0 - lists.upto[lists.starts[which + 1] - 1]
    return 0.0 if rest < SLACK else float(rest)
