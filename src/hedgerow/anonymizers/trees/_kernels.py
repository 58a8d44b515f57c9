"""Kernels of growing a tree: the records as they read them, counting labels, judging splits, and sending records on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees.nodes.arrays import BRANCHES, CODE, COLUMN, FIRST, PARENT, THRESHOLD
from hedgerow.anonymizers.trees.training import Attribute
from hedgerow.errors import BadInput

__all__ = [
    "CRUMB",
    "DONE",
    "TREE_IS_FULL",
    "CodeLists",
    "Lists",
    "Merit",
    "Pool",
    "Room",
    "Rules",
    "Table",
    "best",
    "check_countable",
    "choose",
    "column_facts",
    "first_at_least",
    "grow",
    "judge",
    "lacking",
    "lists_of",
    "log_weight",
    "mass",
    "merit_of_categories",
    "merit_of_numbers",
    "new_pool",
    "new_room",
    "send",
    "share_at",
    "tally_codes",
    "tally_lists",
    "threshold_between",
]

# --------------------------------------------------------------------------------------------------
# Training records in the form that kernels read, and their work space.
#
# A record is an item: a row and a weight. If its cell stands for several values or is unknown, the record is in several
# branches at once, each with a share of its weight. So there may be more items than rows. All items are in one pool,
# and each node has a range of it.
#
# Kernels take few arrays, and the scalars of a column share one matrix, because numba compiles every array that a
# kernel passes to another. ``lists`` is ``None`` if all records have single values; numba then omits all code that
# reads lists.

# Numbers that differ by less are equal, as in Weka.
SLACK: Final = 1e-6
# The last code of an unbounded range.
EVERYWHERE: Final = 2**31 - 1
# One gigabyte of counts by value and label.
_MOST_COUNTS: Final = 2**27

# Columns of `Table.columns`, of `Room.columns`, of `Room.branches` and of `Room.places`; rows of `Room.sums`.
SIZE, NUMERIC, OFFSET, FIRST_LIST = 0, 1, 2, 3
GAIN, MERIT, SPLIT_AT, LOW, HIGH, ALONG = 0, 1, 2, 3, 4, 5
BAG, SHARE, PART = 0, 1, 2
BOUND, INTO, BRANCH = 0, 1, 2
BELOW, ABOVE, ALL = 0, 1, 2


class CodeLists(NamedTuple):
    """Lists of codes: list ``i`` has ``codes[starts[i]:starts[i + 1]]``, ascending; ``upto`` has their summed shares.

    If the shares sum to less than 1, the rest is unknown and follows the known records, like a missing value in C4.5.
    """

    starts: Longs
    codes: Ints
    upto: Floats


class Lists(NamedTuple):
    """Code lists, and work space: the weight of each label by list, 0 between uses, and the lists that occur."""

    starts: Longs
    codes: Ints
    upto: Floats
    counts: Floats
    touched: Longs


class Table(NamedTuple):
    """The training records: for each column and row, the cell that is counted and the cell that decides the branch.

    A cell below the size of its column is the code of a value, -1 is unknown, and ``size + i`` is the list
    ``FIRST_LIST + i``. The codes of a number are in the order of its values: ``values[OFFSET + code]``.
    """

    counted: Ints
    routed: Ints
    labels: Ints
    weights: Floats
    columns: Longs
    values: Floats
    n_labels: int


class Pool(NamedTuple):
    """The items of all nodes: the row of each, and its weight."""

    rows: Ints
    weights: Floats


class Room(NamedTuple):
    """Work space that all nodes share.

    Attributes
    ----------
    groups, kept, keys
        The weight of each label by value, the values that occur, and keys to sort them.
    sums
        The weight of each label below a threshold, above it, and in total.
    columns
        For each column: the gain, the merit and the threshold of its best split; the lowest and the highest code that
        the questions above a node leave; and the share of the unknown records that reach the node.
    branches
        The weight of each branch, its share of the total, and its part of one record.
    places
        Where the items of each branch begin, where to write the next item, and the branch of each code of a category.
    spare
        Work space to reorder items.
    """

    groups: Floats
    kept: Ints
    keys: Longs
    sums: Floats
    columns: Floats
    branches: Floats
    places: Longs
    spare: Pool


def new_room(table: Table) -> Room:
    """Make work space for the largest column and all rows of a table; a category has a branch for each code."""
    most = max(int(table.columns[:, SIZE].max(initial=0)), 2)
    columns = np.zeros((len(table.columns), 6))
    columns[:, HIGH], columns[:, ALONG] = EVERYWHERE, 1.0
    return Room(
        groups=np.empty((most, table.n_labels)),
        kept=np.empty(most, dtype=np.int32),
        keys=np.empty(most // 8 + 1, dtype=np.int64),
        sums=np.empty((3, table.n_labels)),
        columns=columns,
        branches=np.empty((most, 3)),
        places=np.repeat(np.arange(most + 1, dtype=np.int64)[:, None], 3, axis=1),
        spare=Pool(np.empty(len(table.labels), dtype=np.int32), np.empty(len(table.labels))),
    )


def new_pool(table: Table) -> Pool:
    """Put all records at the root, with room for pieces if any record may be split."""
    rows = np.arange(len(table.labels), dtype=np.int32)
    if ((table.routed < 0) | (table.routed >= table.columns[:, SIZE, None])).any():
        return Pool(np.resize(rows, 3 * len(rows)), np.resize(table.weights, 3 * len(rows)))
    return Pool(rows, table.weights.copy())


def lists_of(codes: CodeLists, n_labels: int) -> Lists | None:
    """Add work space to code lists; return None if there are none."""
    lists = len(codes.starts) - 1
    return Lists(*codes, np.zeros((lists, n_labels)), np.empty(lists, dtype=np.int64)) if lists else None


def column_facts(attributes: Sequence[Attribute], lists: Sequence[int] | None = None) -> tuple[Longs, Floats]:
    """Return ``Table.columns`` and ``Table.values``; ``lists`` has the number of lists of each column."""
    values = [np.empty(0) if attribute.numbers is None else attribute.numbers for attribute in attributes]
    facts = np.zeros((len(attributes), 4), dtype=np.int64)
    facts[:, SIZE] = [len(attribute.labels) for attribute in attributes]
    facts[:, NUMERIC] = [attribute.numeric for attribute in attributes]
    facts[1:, OFFSET] = np.cumsum([len(numbers) for numbers in values])[:-1]
    if lists is not None:
        facts[1:, FIRST_LIST] = np.cumsum(lists)[:-1]
    return facts, np.concatenate(values).astype(np.float64, copy=False)


def check_countable(cells: int, n_labels: int, what: str = "a column of {} values") -> None:
    """Refuse a table with too many cells to count their labels."""
    if cells * n_labels > _MOST_COUNTS:
        raise BadInput(
            f"There are {n_labels} classes and {what.format(cells)}, too many to count together. "
            "Is the target an identifier?"
        )


# --------------------------------------------------------------------------------------------------
# Counting labels by value.


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
    """Sum the weight of labels for each value that occurs, in the order of codes; return the number of values.

    Each item has one code, or an unknown one. O(items + values), or O(items log items) for many values.
    """
    n_labels = groups.shape[1]
    n_values = 0
    if size <= 8 * (end - start):
        for code in range(size):
            for label in range(n_labels):
                groups[code, label] = 0.0
        column_codes = codes[column]
        for item in range(start, end):
            row = rows[item]
            if column_codes[row] >= 0:
                groups[column_codes[row], labels[row]] += weights[item]
        return drop_empty(size, groups, kept)
    known = 0
    for item in range(start, end):
        code = codes[column, rows[item]]
        if 0 <= code < size:
            keys[known] = (int64(code) << 32) | item
            known += 1
    # Shell's sort: numba's sort takes longer to compile than it can save on the few items of a small node.
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
        if n_values == 0 or kept[n_values - 1] != keys[at] >> 32:
            kept[n_values] = keys[at] >> 32
            for label in range(n_labels):
                groups[n_values, label] = 0.0
            n_values += 1
        groups[n_values - 1, labels[rows[item]]] += weights[item]
    return n_values


@jit(inner=True)
def drop_empty(size: int, groups: Floats, kept: Ints) -> int:
    """Keep only the values that occur, and return their number."""
    n_values = 0
    for code in range(size):
        weight = 0.0
        for label in range(groups.shape[1]):
            weight += groups[code, label]
        if weight > 0.0:
            for label in range(groups.shape[1]):
                groups[n_values, label] = groups[code, label]
            kept[n_values] = code
            n_values += 1
    return n_values


@jit(inner=True)
def tally_lists(
    table: Table, lists: Lists, column: int, rows: Ints, weights: Floats, start: int, end: int, room: Room
) -> int:
    """Like ``tally_codes`` for items with lists, of whose codes a range remains; -1 if no item has one.

    Items with the same list are summed first, so that a long list is spread only once. O(items + codes).
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
    """Return the first place of a range where ascending codes reach a code. O(log codes)."""
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return int(first)


@jit(inner=True)
def mass(lists: Lists, which: int, low: int, high: int) -> float:
    """Return the share of a list in a range of codes."""
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
    """Return the share of one entry of a list."""
    return float(lists.upto[entry] - (0.0 if entry == lists.starts[which] else lists.upto[entry - 1]))


@jit(inner=True)
def lacking(lists: Lists, which: int) -> float:
    """Return the unknown share of a list: 1 minus the sum of its shares."""
    if lists.starts[which] == lists.starts[which + 1]:
        return 1.0
    rest = 1.0 - lists.upto[lists.starts[which + 1] - 1]
    return 0.0 if rest < SLACK else float(rest)


# --------------------------------------------------------------------------------------------------
# The merit of a split: information gain, gain ratio, and the cost of a threshold (Quinlan 1993 and 1996).


# Quinlan (1993) requires of each side of a numeric split a tenth of the mean class size, but at most 25 records.
SHARE_OF_MEAN_CLASS = 0.1
MOST_REQUIRED = 25.0
# Values closer than this are not separated, as in Weka.
CLOSEST_VALUES = 1e-5


class Merit(NamedTuple):
    """The merit of a split; a ``gain`` below zero means that there is no split. Codes up to ``threshold`` go low."""

    gain: float
    ratio: float
    threshold: int


@jit(inner=True)
def log_weight(weight: float) -> float:
    """Return w log2 w, and 0 for no weight."""
    return 0.0 if weight < SLACK else float(weight * math.log(weight) / math.log(2.0))


@jit(inner=True)
def _gain(before: float, after: float, known: float, total: float) -> float:
    """Return the lost entropy per record; only records with a known value lose it."""
    lost = (known / total) * (before - after)
    return 0.0 if abs(lost) < SLACK else lost / known


@jit(inner=True)
def _ratio(gain: float, bags: float, known: float, total: float) -> float:
    """Return the gain divided by the information in the split itself; unknown values count as a separate branch.

    ``bags`` is the sum of w log2 w over the branches.
    """
    information = log_weight(total) - bags - log_weight(total - known)
    return 0.0 if abs(information) < SLACK else gain / (information / total)


@jit(inner=True)
def merit_of_categories(groups: Floats, n_values: int, total: float, min_objects: float, sums: Floats) -> Merit:
    """Judge the split into one branch for each value; at least two must have enough records. O(values × labels)."""
    n_labels = groups.shape[1]
    for label in range(n_labels):
        sums[ALL, label] = 0.0
    enough = 0
    known = 0.0
    bags = 0.0
    inside = 0.0
    for value in range(n_values):
        weight = 0.0
        for label in range(n_labels):
            weight += groups[value, label]
            inside += log_weight(groups[value, label])
            sums[ALL, label] += groups[value, label]
        if weight >= min_objects - SLACK:
            enough += 1
        known += weight
        bags += log_weight(weight)
    if enough < 2:
        return Merit(-1.0, 0.0, -1)
    before = log_weight(known)
    for label in range(n_labels):
        before -= log_weight(sums[ALL, label])
    gain = _gain(before, bags - inside, known, total)
    return Merit(gain, _ratio(gain, bags, known, total), -1)


@jit(inner=True)
def merit_of_numbers(
    groups: Floats,
    kept: Ints,
    n_values: int,
    values: Floats,
    offset: int,
    total: float,
    min_objects: float,
    by_ratio: bool,
    sums: Floats,
) -> Merit:
    """Find and judge the best binary split. O(values × labels).

    With ``by_ratio``, as in C4.5, the cost of choosing the threshold is subtracted (Quinlan 1996), and a split must
    gain something.
    """
    n_labels = groups.shape[1]
    known = 0.0
    before = 0.0
    for label in range(n_labels):
        sums[BELOW, label] = 0.0
        sums[ABOVE, label] = 0.0
        for value in range(n_values):
            sums[ABOVE, label] += groups[value, label]
        known += sums[ABOVE, label]
        before -= log_weight(sums[ABOVE, label])
    before += log_weight(known)
    required = SHARE_OF_MEAN_CLASS * known / n_labels
    required = min(required, MOST_REQUIRED) if by_ratio and required - min_objects >= SLACK else min_objects
    below = 0.0
    tried = 0
    best = 0.0 if by_ratio else -1.0
    place = -1
    bags = 0.0
    for value in range(n_values - 1):
        for label in range(n_labels):
            sums[BELOW, label] += groups[value, label]
            sums[ABOVE, label] -= groups[value, label]
            below += groups[value, label]
        above = known - below
        close = by_ratio and values[offset + kept[value]] + CLOSEST_VALUES >= values[offset + kept[value + 1]]
        if close or below < required - SLACK or above < required - SLACK:
            continue
        tried += 1
        here = log_weight(below) + log_weight(above)
        after = here
        for label in range(n_labels):
            after -= log_weight(sums[BELOW, label]) + log_weight(sums[ABOVE, label])
        gain = _gain(before, after, known, total)
        if gain - best > SLACK:
            best = gain
            place = value
            bags = here
    if place < 0:
        return Merit(-1.0, 0.0, -1)
    if by_ratio:
        best -= math.log(tried) / math.log(2.0) / total
        if best < SLACK:
            return Merit(-1.0, 0.0, -1)
    threshold = int(kept[place])
    if by_ratio:
        threshold = threshold_between(values, offset, threshold, int(kept[place + 1]))
    return Merit(best, _ratio(best, bags, known, total), threshold)


@jit(inner=True)
def threshold_between(values: Floats, offset: int, low: int, high: int) -> int:
    """Return the largest value of the whole column that does not exceed the middle between two values of the node."""
    # Halve first: the sum of two numbers may overflow.
    middle = values[offset + low] / 2.0 + values[offset + high] / 2.0
    code = low
    if middle < values[offset + high]:
        while values[offset + code + 1] <= middle:
            code += 1
    return code


# --------------------------------------------------------------------------------------------------
# The choice of a split: by the gain alone, or by C4.5's gain ratio among splits of at least average gain.


# A gain may be this much below the average, as in Weka.
BELOW_AVERAGE = 1e-3


class Rules(NamedTuple):
    """The rules of a growth.

    Attributes
    ----------
    by_ratio : bool
        Whether C4.5's gain ratio decides; otherwise the gain does.
    must_gain : bool
        Whether a split must gain something.
    dense : bool
        Whether a category has a branch for each of its values; otherwise only for values that reach the node.
    min_objects : float
        At least two branches of a split have at least this many records.
    max_depth : int
        The most questions on a path; -1 for no limit.
    averaged : bool array (columns,)
        Which columns count for the average gain.
    min_split : float
        A node is split only if it has at least this many records.
    """

    by_ratio: bool
    must_gain: bool
    dense: bool
    min_objects: float
    max_depth: int
    averaged: Bools
    min_split: float = 1.0


@jit(inner=True)
def choose(
    table: Table,
    lists: Lists | None,
    rows: Ints,
    weights: Floats,
    start: int,
    end: int,
    total: float,
    rules: Rules,
    room: Room,
) -> int:
    """Return the column of the best split, the first of equals, or -1; write its threshold into ``room.columns``.

    O(columns × (items + values + codes of their lists)).
    """
    columns, groups, kept = table.columns, room.groups, room.kept
    for column in range(columns.shape[0]):
        size = columns[column, SIZE]
        n_values = -1
        if size < 2:
            room.columns[column, GAIN] = -1.0
            continue
        if lists is not None:
            n_values = tally_lists(table, lists, column, rows, weights, start, end, room)
        if n_values < 0:
            n_values = tally_codes(
                table.counted, column, size, table.labels, rows, weights, start, end, groups, kept, room.keys
            )
        judge(columns, table.values, column, groups, kept, n_values, total, rules, room.sums, room.columns)
    return best(rules, room.columns)


@jit
def judge(
    columns: Longs,
    values: Floats,
    column: int,
    groups: Floats,
    kept: Ints,
    n_values: int,
    total: float,
    rules: Rules,
    sums: Floats,
    judged: Floats,
) -> None:
    """Write the merit of the best split of a column into ``judged``; ``groups`` has the labels of its values."""
    if columns[column, NUMERIC]:
        merit = merit_of_numbers(
            groups, kept, n_values, values, columns[column, OFFSET], total, rules.min_objects, rules.by_ratio, sums
        )
    else:
        merit = merit_of_categories(groups, n_values, total, rules.min_objects, sums)
    judged[column, GAIN] = merit.gain
    judged[column, MERIT] = merit.ratio if rules.by_ratio else merit.gain
    judged[column, SPLIT_AT] = merit.threshold


@jit
def best(rules: Rules, judged: Floats) -> int:
    """Return the column of the best judged split, the first of equals, or -1."""
    least = 0.0
    if rules.by_ratio:
        average = 0.0
        valid = 0
        for column in range(judged.shape[0]):
            if judged[column, GAIN] >= 0.0 and rules.averaged[column]:
                average += judged[column, GAIN]
                valid += 1
        if valid == 0:
            return -1
        least = max(average / valid - BELOW_AVERAGE, 0.0)
    chosen = -1
    highest = 0.0 if rules.by_ratio or rules.must_gain else -1.0
    for column in range(judged.shape[0]):
        if judged[column, GAIN] >= least and judged[column, MERIT] - highest > SLACK:
            chosen = column
            highest = judged[column, MERIT]
    return chosen


# --------------------------------------------------------------------------------------------------
# Sending the records of a node to the branches of a split: whole if they have one known value, otherwise in pieces.


# A piece below this share of its record is given to the larger pieces.
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
    """Send a range of items to the branches of a split; the items of a branch are adjacent and keep their order.

    Branch b then has the items from its ``BOUND`` to the next one. Whole items only change places inside their range.
    If there are pieces, the range stays unchanged, and the branches are written from ``top`` on. Return the end of the
    used part of the pool, or -1 if the pool is too small; then nothing has changed. O(items + pieces).
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
        # Unknown weight goes to the branches in proportion to their known weight, or equally if none is known.
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
    """Sort the items of a range by branch, in place."""
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
    """Add the known weight of a list to the branches; return the unknown weight."""
    branches = room.branches
    here = _parts(lists, which, numeric, column, threshold, n_branches, room)
    if here <= 0.0:
        return weight
    for branch in range(n_branches):
        branches[branch, BAG] += weight * branches[branch, PART] / here
    return float(weight * lacking(lists, which) * room.columns[column, ALONG] / here)


@jit(inner=True)
def _parts(lists: Lists, which: int, numeric: bool, column: int, threshold: int, n_branches: int, room: Room) -> float:
    """Write the share of a list in each branch; return the share of the list that reaches the node."""
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

    The unknown part follows the shares of the branches. Pieces below ``CRUMB`` of the record are given to the larger
    pieces, so that the total weight stays. The largest piece is always kept; among equals, that of the branch with most
    records.
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


# --------------------------------------------------------------------------------------------------
# Kernel of the growth: nodes are split until they are pure, too small or too deep, or no split gains enough.


# The reasons why the growth stops.
DONE, TREE_IS_FULL, POOL_IS_FULL = 0, 1, 2


@jit
def grow(
    table: Table,
    lists: Lists | None,
    rules: Rules,
    links: Ints,
    counts: Floats,
    bag: Floats,
    rows: Ints,
    weights: Floats,
    stack: Longs,
    state: Longs,
    room: Room,
) -> int:
    """Grow a tree until it is done or needs more room; return the reason. Call it again to continue.

    ``state`` holds the number of nodes and the height of the stack. A frame of the stack has a node, the start and end
    of its items, the start of the free part of the pool, and the depth. A node comes before its branches.
    O(depth × columns × (pieces of records + values + codes of their lists)).
    """
    labels, columns, places = table.labels, table.columns, room.places
    used = state[0]
    height = state[1]
    full = DONE
    while height > 0 and full == DONE:
        node = stack[height - 1, 0]
        start = stack[height - 1, 1]
        end = stack[height - 1, 2]
        depth = stack[height - 1, 4]
        for label in range(table.n_labels):
            counts[node, label] = 0.0
        for item in range(start, end):
            counts[node, labels[rows[item]]] += weights[item]
        total = 0.0
        most = 0.0
        for label in range(table.n_labels):
            total += counts[node, label]
            most = max(most, counts[node, label])
        column = -1
        least = max(2.0 * rules.min_objects, rules.min_split)
        if total - most >= SLACK and least - total <= SLACK and depth != rules.max_depth:
            if lists is not None:
                _remaining_codes(links, counts, bag, columns, node, room.columns)
            column = choose(table, lists, rows, weights, start, end, total, rules, room)
        branches = 0
        if column >= 0:
            branches = 2 if columns[column, NUMERIC] else columns[column, SIZE]
            if not (columns[column, NUMERIC] or rules.dense):
                branches = _branches(table, lists, rows, start, end, column, room.columns, places)
        if branches < 1:
            height -= 1
            continue
        if used + branches > links.shape[0] or height + branches > stack.shape[0]:
            full = TREE_IS_FULL
            continue
        threshold = int(room.columns[column, SPLIT_AT])
        top = send(table, lists, column, threshold, branches, rows, weights, start, end, stack[height - 1, 3], room)
        if top < 0:
            full = POOL_IS_FULL
            continue
        height -= 1
        links[node, COLUMN] = column
        links[node, THRESHOLD] = threshold
        links[node, FIRST] = used
        links[node, BRANCHES] = branches
        for branch in range(branches):
            bag[used + branch] = room.branches[branch, BAG]
            links[used + branch, PARENT] = node
            stack[height, 0] = used + branch
            stack[height, 1] = places[branch, BOUND]
            stack[height, 2] = places[branch + 1, BOUND]
            stack[height, 3] = top
            stack[height, 4] = depth + 1
            height += 1
        if not columns[column, NUMERIC]:
            for code in range(columns[column, SIZE]):
                if places[code, BRANCH] >= 0:
                    links[used + places[code, BRANCH], CODE] = code
        used += branches
    state[0] = used
    state[1] = height
    return full


@jit(inner=True)
def _remaining_codes(links: Ints, counts: Floats, bag: Floats, columns: Longs, node: int, left: Floats) -> None:
    """Write the range of codes that the questions above a node leave of each column. O(depth + columns)."""
    for column in range(columns.shape[0]):
        left[column, LOW] = 0.0
        left[column, HIGH] = EVERYWHERE
        left[column, ALONG] = 1.0
    while links[node, PARENT] >= 0:
        above = links[node, PARENT]
        column = links[above, COLUMN]
        low = 0
        high = EVERYWHERE
        if not columns[column, NUMERIC]:
            low = high = links[node, CODE]
        elif node == links[above, FIRST]:
            high = links[above, THRESHOLD]
        else:
            low = links[above, THRESHOLD] + 1
        left[column, LOW] = max(left[column, LOW], low)
        left[column, HIGH] = min(left[column, HIGH], high)
        total = 0.0
        for label in range(counts.shape[1]):
            total += counts[above, label]
        left[column, ALONG] *= bag[node] / total if total > 0.0 else 0.0
        node = above


@jit(inner=True)
def _branches(
    table: Table, lists: Lists | None, rows: Ints, start: int, end: int, column: int, left: Floats, places: Longs
) -> int:
    """Number the branches of a category, one for each code that reaches the node, -1 for others; return how many."""
    size = table.columns[column, SIZE]
    cells = table.routed
    for code in range(size):
        places[code, BRANCH] = -1
    for item in range(start, end):
        cell = cells[column, rows[item]]
        if 0 <= cell < size:
            places[cell, BRANCH] = 0
        elif lists is not None and cell >= size:
            which = table.columns[column, FIRST_LIST] + cell - size
            for entry in range(lists.starts[which], lists.starts[which + 1]):
                code = lists.codes[entry]
                if left[column, LOW] <= code <= left[column, HIGH]:
                    places[code, BRANCH] = 0
    branches = 0
    for code in range(size):
        if places[code, BRANCH] == 0:
            places[code, BRANCH] = branches
            branches += 1
    return branches
