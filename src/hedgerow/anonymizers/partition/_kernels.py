"""Mondrian's recursion, compiled. Items are in one array, and a cut moves them inside their range.

The kernel passes over all items O(log groups) times, once for each level of the tree of cuts.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, Words
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.boxes._kernels import ones
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = [
    "AFTER",
    "BEFORE",
    "BEYOND_FIRST",
    "BUCKET",
    "Buckets",
    "CATEGORICAL",
    "COLUMN",
    "ChosenCut",
    "END",
    "FACTS",
    "FIRST_POSITION",
    "FIRST_SLOT",
    "Items",
    "LAST_SLOT",
    "LEFT",
    "MISSING",
    "PARENT",
    "REST",
    "RIGHT",
    "SIZE",
    "SPAN",
    "START",
    "Scales",
    "THRESHOLD",
    "TREE",
    "WEIGHT",
    "WHOLE",
    "cheapest_of_buckets",
    "lose",
    "new_buckets",
    "partition",
    "unite",
]


# --------------------------------------------------------------------------------------------------
# The contents and losses of the sides of every cut of a column.
#
# One pass over a range of items collects, for every value of a column, the set of the items with that value: a
# *bucket*. The sides of all cuts of the column are unions of neighbouring buckets, and need no further pass.


class Items(NamedTuple):
    """The items to cut, one row per tuple, cell or record. The kernel moves rows; ``origin`` moves with them."""

    ranks: Ints  # (items, columns): the rank of each value in its column's order
    bits: Words  # (items, words): one bit for each categorical value
    values: Ints  # (items, sensitive columns): places in the concatenated histogram
    weights: Longs  # (items,): records
    origin: Ints  # (items,): the item's number before anything moved

    def between(self, start: int, end: int) -> Items:
        """A range of the items. It is not copied: rows that a kernel moves there move in the whole."""
        inside = slice(start, end)
        return Items(
            self.ranks[inside], self.bits[inside], self.values[inside], self.weights[inside], self.origin[inside]
        )


# The facts of a column: the number of its ranks; how many values a set can have beyond the first; whether one value may
# be cut from the rest; its place among the columns measured by their bounds, -1 if it is measured by how many values
# occur; the slots of its bits; where its positions start; the rank of the missing value, or -1; and where the joins of
# its hierarchy start, -1 if it does not publish labels.
FACTS = 9
SIZE, BEYOND_FIRST, CATEGORICAL, SPAN, FIRST_SLOT, LAST_SLOT, FIRST_POSITION, MISSING, TREE = range(FACTS)


class Scales(NamedTuple):
    """How wide a set of values of each column is."""

    columns: Longs  # (columns, facts)
    spanned: Longs  # the columns that are measured by their bounds
    words: Longs  # the word of each slot
    masks: Words  # the bits of that word that belong to the column
    positions: Floats  # the positions of all ranks (see Domain.positions), column after column
    widths: Floats  # (columns,): largest minus smallest position
    weights: Floats  # (columns,): how much the loss of each counts
    # For each hierarchy and each power of two, the largest loss at the join of two neighbours, over runs of that many
    # ranks. Ranks follow the order of the leaves, so a range loses as much as the worst join of neighbours in it.
    joins: Floats


# Families of sets of values: one set per rank; and over the ranks that occur, all up to the i-th, all from the i-th on,
# and all but the i-th.
BUCKET: Final = 0
BEFORE: Final = 1
AFTER: Final = 2
REST: Final = 3
# The entries of a tally: first the records, then how often each sensitive value occurs.
WEIGHT: Final = 0
# The rows of ``sides``.
LEFT: Final = 0
RIGHT: Final = 1
WHOLE: Final = 2


class Buckets(NamedTuple):
    """The sets of one column's values, in memory that all ranges share."""

    ends: Ints  # (4, ranks, 2 * spanned columns): the lowest ranks, then the highest
    bits: Words  # (4, ranks, words)
    loss: Floats  # (4, ranks): the loss of one record
    tally: Longs  # (ranks, 1 + values)
    present: Longs  # (ranks + 1,): the ranks that occur, ascending; the last entry is their number
    sides: Longs  # (4, 1 + values): the tallies of the sides of a cut and of the range, and a running one


def new_buckets(scales: Scales, words: int, values: int) -> Buckets:
    """Empty buckets, large enough for the largest column."""
    ranks = int(scales.columns[:, SIZE].max(initial=1))
    return Buckets(
        np.zeros((4, ranks, 2 * len(scales.spanned)), dtype=np.int32),
        np.zeros((4, ranks, words), dtype=np.uint64),
        np.zeros((4, ranks)),
        np.zeros((ranks, 1 + values), dtype=np.int64),
        np.zeros(ranks + 1, dtype=np.int64),
        np.zeros((4, 1 + values), dtype=np.int64),
    )


@jit(inner=True)
def _fill_buckets(items: Items, scales: Scales, buckets: Buckets, start: int, end: int, column: int) -> int:
    """Collect the items of a range by their value of one column; returns how many values occur.

    Only the buckets that the last call filled are emptied, so the cost for a small range does not depend on the number
    of values of the column. O(items (spanned columns + words)), and O(f log² f) to sort the f values that occur.
    """
    ends, bits, tally, present = buckets.ends, buckets.bits, buckets.tally, buckets.present
    ranks, words, values, spanned = items.ranks, items.bits, items.values, scales.spanned
    spans = spanned.shape[0]
    for at in range(present[-1]):
        for entry in range(tally.shape[1]):
            tally[present[at], entry] = 0
    occurring = 0
    for item in range(start, end):
        rank = ranks[item, column]
        weight = items.weights[item]
        if tally[rank, WEIGHT] == 0:
            present[occurring] = rank
            occurring += 1
            for which in range(spans):
                ends[BUCKET, rank, which] = ends[BUCKET, rank, spans + which] = ranks[item, spanned[which]]
            for word in range(words.shape[1]):
                bits[BUCKET, rank, word] = words[item, word]
        else:
            for which in range(spans):
                place = ranks[item, spanned[which]]
                if place < ends[BUCKET, rank, which]:
                    ends[BUCKET, rank, which] = place
                if place > ends[BUCKET, rank, spans + which]:
                    ends[BUCKET, rank, spans + which] = place
            for word in range(words.shape[1]):
                bits[BUCKET, rank, word] |= words[item, word]
        tally[rank, WEIGHT] += weight
        for which in range(values.shape[1]):
            tally[rank, 1 + values[item, which]] += weight
    # Shell's sort: numpy's sort would compile to ten times as much code.
    gap = occurring // 2
    while gap > 0:
        for at in range(gap, occurring):
            rank = present[at]
            place = at
            while place >= gap and present[place - gap] > rank:
                present[place] = present[place - gap]
                place -= gap
            present[place] = rank
        gap //= 2
    present[-1] = occurring
    return occurring


@jit(inner=True)
def unite(scales: Scales, buckets: Buckets, occurring: int, singles: bool, only: int | None) -> None:
    """Fill the sets before and after each value that occurs, and the loss of one record in each.

    With ``singles``, also the sets of all values but one, and the losses of the buckets. ``only`` is as for
    :func:`lose`. O(values (columns + words)).
    """
    ends, bits, present = buckets.ends, buckets.bits, buckets.present
    spans = scales.spanned.shape[0]
    for family in range(BUCKET if singles else BEFORE, REST + 1 if singles else REST):
        for step in range(occurring):
            if family == BUCKET:
                break
            # Each set is the union of two others, or a copy of another.
            at = occurring - 1 - step if family == AFTER else step
            first, a, second, b = BUCKET, present[at], BUCKET, present[at]
            if family == REST:
                if at == 0 or at == occurring - 1:
                    continue
                first, a, second, b = BEFORE, at - 1, AFTER, at + 1
            elif step > 0:
                second, b = family, at - 1 if family == BEFORE else at + 1
            for which in range(spans):
                ends[family, at, which] = min(ends[first, a, which], ends[second, b, which])
                ends[family, at, spans + which] = max(ends[first, a, spans + which], ends[second, b, spans + which])
            for word in range(bits.shape[2]):
                bits[family, at, word] = bits[first, a, word] | bits[second, b, word]
        lose(scales, buckets, family, occurring, None, only)


@jit(inner=True)
def lose(
    scales: Scales, buckets: Buckets, family: int, occurring: int, by_column: Floats | None, only: int | None
) -> None:
    """The weighted normalized certainty penalty of one record in each set of a family.

    For numbers it is (high − low)/(max − min), and 1 for a set with missing and other values; for categories, (values
    that occur − 1)/(values of the column − 1); for labels, that of the lowest node above all values. See
    :func:`hedgerow.core.metrics.cells.loss_of_sets`. A call handles a whole family, because it passes dozens of arrays,
    which would cost more than the work for a single set. ``by_column`` receives the weighted penalties of the last set,
    -1 where it has a single value. With ``only``, just this column counts. O(values (columns + words)).
    """
    columns, positions, widths, bits, ends = scales.columns, scales.positions, scales.widths, buckets.bits, buckets.ends
    words, masks, spans = scales.words, scales.masks, scales.spanned.shape[0]
    for at in range(occurring):
        row = buckets.present[at] if family == BUCKET else at
        total = 0.0
        for column in range(columns.shape[0]):
            if only is not None and column != only:
                continue
            lost = 0.0
            which = columns[column, SPAN]
            if which < 0:
                held = 0
                for slot in range(columns[column, FIRST_SLOT], columns[column, LAST_SLOT]):
                    held += ones(bits[family, row, words[slot]] & masks[slot])
                if held > 1:
                    lost = (held - 1.0) / columns[column, BEYOND_FIRST]
            else:
                low, high = ends[family, row, which], ends[family, row, spans + which]
                if low != high and columns[column, TREE] >= 0:
                    power = 0
                    while (2 << power) <= high - low:
                        power += 1
                    first = columns[column, TREE] + power * columns[column, SIZE]
                    lost = max(scales.joins[first + low], scales.joins[first + high - (1 << power)])
                elif low != high:
                    first = columns[column, FIRST_POSITION]
                    mixed = high == columns[column, MISSING] or widths[column] == 0.0
                    lost = 1.0 if mixed else (positions[first + high] - positions[first + low]) / widths[column]
            if by_column is not None:
                by_column[column] = lost * scales.weights[column] if lost > 0.0 else -1.0
            total += lost * scales.weights[column]
        buckets.loss[family, row] = total


# --------------------------------------------------------------------------------------------------
# Choosing a cut: the cost of every possible cut of a range of items, and whether it is allowed.
#
# A range of n items with d quasi-identifiers costs O(n d (numeric columns + words)).


_RUNNING = 3  # the last row of ``sides``


class ChosenCut(NamedTuple):
    """A cut of one column: ``rank <= threshold`` (or ``==`` if single) goes left."""

    cost: float
    column: int
    threshold: int
    single: bool
    at_threshold: int


@jit(inner=True)
def _both_hold(packed: PackedRequirements | None, sides: Longs, least: int) -> bool:
    """Check the requirements on both sides of a cut, from the tallies of the left side and of the range.

    If only the size is required, ``packed`` is ``None``, and numba leaves out the formulas.
    """
    left = sides[LEFT, WEIGHT]
    right = sides[WHOLE, WEIGHT] - left
    if left < least or right < least:
        return False
    if packed is None:
        return True
    for value in range(1, sides.shape[1]):
        sides[RIGHT, value] = sides[WHOLE, value] - sides[LEFT, value]
    return all_hold(packed, left, sides[LEFT, 1:]) and all_hold(packed, right, sides[RIGHT, 1:])


@jit(once=True)
def _cheapest_cut(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    relaxed: bool | None,
    cut_column_only: bool | None,
) -> ChosenCut:
    """The cut of a range that leaves the least loss, among all thresholds of all columns and, for categories, all cuts
    of one value from the rest; column -1 if none is allowed. With ``cut_column_only`` only the loss of the column that
    is cut counts."""
    best = ChosenCut(np.inf, -1, int64(0), False, int64(0))
    for column in range(scales.columns.shape[0]):
        occurring = _fill_buckets(items, scales, buckets, start, end, column)
        if occurring < 2:
            continue
        cut = _cheapest_of_column(scales, buckets, packed, least, column, occurring, best.cost, cut_column_only)
        if cut.column >= 0:
            best = cut
        if relaxed is not None:
            halved = _halving_cut(items, buckets, packed, least, start, end, column)
            if halved.cost < best.cost:
                best = halved
    return best


@jit(inner=True)
def _cheapest_of_column(
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    column: int,
    occurring: int,
    below: float,
    cut_column_only: bool | None,
) -> ChosenCut:
    """The cut of one column, whose buckets are filled, that leaves the least loss, and less than ``below``; column -1
    if there is none. With ``cut_column_only``, the loss of the column before the cut is subtracted."""
    present, tally, sides, loss = buckets.present, buckets.tally, buckets.sides, buckets.loss
    whole = sides[WHOLE, WEIGHT]
    entries = tally.shape[1]
    cost, chosen, threshold, is_single, at_threshold = below, int64(-1), int64(0), False, int64(0)
    singles = scales.columns[column, CATEGORICAL] > 0 and occurring > 2
    before = 0.0
    if cut_column_only is None:
        unite(scales, buckets, occurring, singles, None)
    else:
        unite(scales, buckets, occurring, singles, int64(column))
        before = whole * loss[BEFORE, occurring - 1]
    for entry in range(entries):
        sides[_RUNNING, entry] = 0
    for place in range(2 * (occurring - 1)):
        # First the value against the rest, then all values up to it.
        at = place // 2
        single = place % 2 == 0
        rank = present[at]
        if single and (at == 0 or not singles):
            continue
        if single:
            left = tally[rank, WEIGHT]
            now = left * loss[BUCKET, rank] + (whole - left) * loss[REST, at] - before
        else:
            for entry in range(entries):
                sides[_RUNNING, entry] += tally[rank, entry]
            left = sides[_RUNNING, WEIGHT]
            now = left * loss[BEFORE, at] + (whole - left) * loss[AFTER, at + 1] - before
        if now < cost:
            for entry in range(entries):
                sides[LEFT, entry] = tally[rank, entry] if single else sides[_RUNNING, entry]
            if _both_hold(packed, sides, least):
                cost, chosen, threshold, is_single = now, int64(column), rank, single
                at_threshold = tally[rank, WEIGHT]
    return ChosenCut(cost, chosen, threshold, is_single, at_threshold)


@jit
def cheapest_of_buckets(
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    column: int,
    below: float,
    cut_column_only: bool | None,
) -> ChosenCut:
    """The same rule for buckets that were filled from sums, because their items are not in memory."""
    occurring = buckets.present[-1]
    if occurring < 2:
        return ChosenCut(below, int64(-1), int64(0), False, int64(0))
    return _cheapest_of_column(scales, buckets, packed, least, int64(column), occurring, below, cut_column_only)


@jit(inner=True)
def _halving_cut(
    items: Items, buckets: Buckets, packed: PackedRequirements | None, least: int, start: int, end: int, column: int
) -> ChosenCut:
    """The relaxed cut: half of the records go left, with as many of the median as needed; items are single records.

    The cost assumes that both sides contain the whole bucket of the median.
    """
    present, tally, sides, loss = buckets.present, buckets.tally, buckets.sides, buckets.loss
    half = (end - start) // 2
    if present[-1] < 2 or half == 0:
        return ChosenCut(np.inf, -1, 0, False, 0)
    below = at = int64(0)
    while below + tally[present[at], WEIGHT] < half:
        below += tally[present[at], WEIGHT]
        at += 1
    median = present[at]
    take = half - below
    for entry in range(sides.shape[1]):
        sides[LEFT, entry] = 0
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if rank < median or (rank == median and taken < take):
            if rank == median:
                taken += 1
            sides[LEFT, WEIGHT] += 1
            for which in range(items.values.shape[1]):
                sides[LEFT, 1 + items.values[item, which]] += 1
    if not _both_hold(packed, sides, least):
        return ChosenCut(np.inf, -1, 0, False, 0)
    return ChosenCut(half * loss[BEFORE, at] + (end - start - half) * loss[AFTER, at], column, median, False, take)


@jit(once=True)
def _median_cut(buckets: Buckets, packed: PackedRequirements | None, least: int, column: int) -> ChosenCut:
    """The cut at the median, whose records go left if that is allowed, else right; column -1 if neither is allowed."""
    present, tally, sides = buckets.present, buckets.tally, buckets.sides
    for entry in range(sides.shape[1]):
        sides[LEFT, entry] = 0
    for at in range(present[-1]):
        rank = present[at]
        for entry in range(sides.shape[1]):
            sides[LEFT, entry] += tally[rank, entry]
        if 2 * sides[LEFT, WEIGHT] >= sides[WHOLE, WEIGHT]:
            if _both_hold(packed, sides, least):
                return ChosenCut(0.0, column, rank, False, tally[rank, WEIGHT])
            for entry in range(sides.shape[1]):
                sides[LEFT, entry] -= tally[rank, entry]
            if at > 0 and _both_hold(packed, sides, least):
                before = present[at - 1]
                return ChosenCut(0.0, column, before, False, tally[before, WEIGHT])
            break
    return ChosenCut(np.inf, -1, 0, False, 0)


@jit(once=True)
def _widest_cut(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    relaxed: bool | None,
    spans: Floats,
    widest_only: bool | None,
) -> ChosenCut:
    """Try the columns by weighted normalized span, widest first, ties in the order of the schema.

    With ``widest_only`` no other column is tried. ``spans`` is scratch. Columns without weight come last;
    cutting them may still narrow the others.
    """
    ends, bits = buckets.ends, buckets.bits
    for which in range(scales.spanned.shape[0]):
        column = scales.spanned[which]
        low = high = items.ranks[start, column]
        for item in range(start + 1, end):
            low = min(low, items.ranks[item, column])
            high = max(high, items.ranks[item, column])
        ends[REST, 0, which], ends[REST, 0, scales.spanned.shape[0] + which] = low, high
    for word in range(bits.shape[2]):
        held = np.uint64(0)
        for item in range(start, end):
            held |= items.bits[item, word]
        bits[REST, 0, word] = held
    lose(scales, buckets, int64(REST), int64(1), spans, None)
    best = ChosenCut(np.inf, -1, 0, False, 0)
    while best.column < 0:
        widest = int64(0)
        for column in range(spans.shape[0]):
            if spans[column] > spans[widest]:
                widest = column
        if spans[widest] < 0.0:
            break
        spans[widest] = -1.0
        occurring = _fill_buckets(items, scales, buckets, start, end, widest)
        if relaxed is None:
            best = _median_cut(buckets, packed, least, widest)
        else:
            unite(scales, buckets, occurring, False, None)
            best = _halving_cut(items, buckets, packed, least, start, end, widest)
        if widest_only is not None:
            break
    return best


# The entries of a cut; a child below zero is the leaf ``-1 - child``.
COLUMN, THRESHOLD, _SINGLE, _LEFT_CHILD, _RIGHT_CHILD = range(5)
# The entries of a range. A waiting range also has its parent cut, and whether it is the right side of it.
START, END, PARENT, _IS_RIGHT = range(4)


@jit
def partition(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    stop_at: int,
    relaxed: bool | None,
    spans: Floats | None,
    widest_only: bool | None,
    cut_column_only: bool | None,
    cuts: Ints,
    leaves: Longs,
    waiting: Longs,
) -> tuple[int, int]:
    """Cut ranges until no cut is allowed; returns how many cuts and leaves there are.

    Ranges of at most ``stop_at`` items are left for another call. With ``spans``, scratch for a number per column, the
    widest column is cut at its median; with ``widest_only`` no other column is tried. With ``cut_column_only`` only
    the loss of the column that is cut counts. numba leaves out the code for arguments that are ``None``. Time O(n d
    (numeric columns + words) log groups); memory for the items, the buckets and the tree.
    """
    sides, values, weights = buckets.sides, items.values, items.weights
    open_ranges, inner, outer = 1, 0, 0
    while open_ranges > 0:
        open_ranges -= 1
        start, end = waiting[open_ranges, START], waiting[open_ranges, END]
        parent, is_right = waiting[open_ranges, PARENT], waiting[open_ranges, _IS_RIGHT]
        for entry in range(sides.shape[1]):
            sides[WHOLE, entry] = 0
        for item in range(start, end):
            sides[WHOLE, WEIGHT] += weights[item]
            for which in range(values.shape[1]):
                sides[WHOLE, 1 + values[item, which]] += weights[item]
        column = -1
        if sides[WHOLE, WEIGHT] >= 2 * least and end - start > stop_at:
            if spans is None:
                cut = _cheapest_cut(items, scales, buckets, packed, least, start, end, relaxed, cut_column_only)
            else:
                cut = _widest_cut(items, scales, buckets, packed, least, start, end, relaxed, spans, widest_only)
            column = cut.column
        if column < 0:
            leaves[outer, START], leaves[outer, END] = start, end
            child = -1 - outer
            outer += 1
        else:
            middle = _split(items, start, end, cut, relaxed)
            cuts[inner, COLUMN], cuts[inner, THRESHOLD], cuts[inner, _SINGLE] = column, cut.threshold, cut.single
            # The left range comes next, so that groups are numbered from left to right.
            for side in range(2):
                waiting[open_ranges, START] = start if side else middle
                waiting[open_ranges, END] = middle if side else end
                waiting[open_ranges, PARENT] = inner
                waiting[open_ranges, _IS_RIGHT] = 1 - side
                open_ranges += 1
            child = inner
            inner += 1
        if parent >= 0:
            cuts[parent, _RIGHT_CHILD if is_right else _LEFT_CHILD] = child
    return inner, outer


@jit(once=True)
def _split(items: Items, start: int, end: int, cut: ChosenCut, relaxed: bool | None) -> int:
    """Move the left side to the front of the range; returns where the right side starts."""
    front = start
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, cut.column]
        left = rank == cut.threshold if cut.single else rank <= cut.threshold
        if relaxed is not None and left and rank == cut.threshold:
            taken += 1
            left = taken <= cut.at_threshold
        if left:
            if front != item:
                _swap(items.ranks, front, item)
                _swap(items.values, front, item)
                _swap(items.bits, front, item)
                items.weights[front], items.weights[item] = items.weights[item], items.weights[front]
                items.origin[front], items.origin[item] = items.origin[item], items.origin[front]
            front += 1
    return front


@jit(inner=True)
def _swap(rows: Ints | Words, first: int, second: int) -> None:
    """Exchange two rows."""
    for at in range(rows.shape[1]):
        kept = rows[first, at]
        rows[first, at] = rows[second, at]
        rows[second, at] = kept
