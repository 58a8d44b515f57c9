"""What the sides of every cut of a column hold and lose, compiled.

One pass over a range of items collects, for every value of a column, the set of the items with that value: a *bucket*.
The sides of all cuts of the column are unions of neighbouring buckets, and cost no further pass.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.boxes.kernels import ones
from hedgerow.arrays import Floats, Ints, Longs, Words

__all__ = [
    "AFTER",
    "BEFORE",
    "BEYOND_FIRST",
    "BUCKET",
    "CATEGORICAL",
    "FACTS",
    "FIRST_POSITION",
    "FIRST_SLOT",
    "LAST_SLOT",
    "LEFT",
    "MISSING",
    "REST",
    "RIGHT",
    "SIZE",
    "SPAN",
    "TREE",
    "WEIGHT",
    "WHOLE",
    "Buckets",
    "Items",
    "Scales",
    "fill_buckets",
    "lose",
    "new_buckets",
    "unite",
]


class Items(NamedTuple):
    """What is partitioned, one row per tuple, cell or record; the kernel moves rows and says where they went."""

    ranks: Ints  # (items, columns): the place of each value in its column's order
    bits: Words  # (items, words): one bit for each categorical value
    values: Ints  # (items, sensitive columns): places in the concatenated histogram
    weights: Longs  # (items,): records
    origin: Ints  # (items,): the item's number before anything moved


# The facts of a column: its ranks; how many values a set can have beyond the first; whether one value may be cut from
# the rest; its place among the columns that are measured by their bounds, -1 if by how many values occur; the slots of
# its bits; where its positions start; the rank of the missing value, or -1; and where the joins of its hierarchy start,
# -1 if it shows no nodes.
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
    # Of hierarchies, for each power of two, the most that any two neighbours among so many ranks lose together: ranks
    # are in the order of the leaves, so that what a range of them loses is the most that two neighbours in it do.
    joins: Floats


# The sets of one column's values: one row per rank, and over the ranks that occur all up to the i-th, all from the
# i-th, and all but the i-th.
BUCKET: Final = 0
BEFORE: Final = 1
AFTER: Final = 2
REST: Final = 3
# The entries of a tally: records, and then how often each sensitive value occurs.
WEIGHT: Final = 0
# Whose sensitive values stand in a row of ``sides``.
LEFT: Final = 0
RIGHT: Final = 1
WHOLE: Final = 2


class Buckets(NamedTuple):
    """The sets of one column's values; memory that all ranges share."""

    ends: Ints  # (4, ranks, 2 * spanned columns): the lowest ranks, then the highest
    bits: Words  # (4, ranks, words)
    loss: Floats  # (4, ranks): of one record
    tally: Longs  # (ranks, 1 + values)
    present: Longs  # (ranks + 1,): the ranks that occur, ascending; the last entry is their number
    sides: Longs  # (4, 1 + values): the tallies of a range and of its sides, and room for one more


def new_buckets(scales: Scales, words: int, values: int) -> Buckets:
    """Memory for the largest column, with no bucket filled."""
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
def fill_buckets(items: Items, scales: Scales, buckets: Buckets, start: int, end: int, column: int) -> int:
    """Collect the items of a range by their value of one column; returns how many values occur.

    Only the buckets that the last call filled are emptied, so that a small range of a column with many values does not
    pay for all of them. O(items (spanned columns + words)), and for f values that occur O(f log² f) to sort them.
    """
    ends, bits, tally, present = buckets.ends, buckets.bits, buckets.tally, buckets.present
    ranks, words, values, spanned = items.ranks, items.bits, items.values, scales.spanned
    spans = spanned.shape[0]
    for at in range(present[-1]):
        for entry in range(tally.shape[1]):
            tally[present[at], entry] = 0
    found = 0
    for item in range(start, end):
        rank = ranks[item, column]
        weight = items.weights[item]
        if tally[rank, WEIGHT] == 0:
            present[found] = rank
            found += 1
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
    # Shell's sort: what numpy's would compile is ten times as long.
    gap = found // 2
    while gap > 0:
        for at in range(gap, found):
            rank = present[at]
            place = at
            while place >= gap and present[place - gap] > rank:
                present[place] = present[place - gap]
                place -= gap
            present[place] = rank
        gap //= 2
    present[-1] = found
    return found


@jit(inner=True)
def unite(scales: Scales, buckets: Buckets, found: int, singles: bool, only: int | None) -> None:
    """Write what lies before and after each value that occurs, and what one record loses there.

    With ``singles`` also what all but one value lose, and what each bucket loses; ``only`` as for :func:`lose`.
    O(values (columns + words)).
    """
    ends, bits, present = buckets.ends, buckets.bits, buckets.present
    spans = scales.spanned.shape[0]
    for family in range(BUCKET if singles else BEFORE, REST + 1 if singles else REST):
        for step in range(found):
            if family == BUCKET:
                break
            # Each set is the union of two others, or a copy of one.
            at = found - 1 - step if family == AFTER else step
            one, a, other, b = BUCKET, present[at], BUCKET, present[at]
            if family == REST:
                if at == 0 or at == found - 1:
                    continue
                one, a, other, b = BEFORE, at - 1, AFTER, at + 1
            elif step > 0:
                other, b = family, at - 1 if family == BEFORE else at + 1
            for which in range(spans):
                ends[family, at, which] = min(ends[one, a, which], ends[other, b, which])
                ends[family, at, spans + which] = max(ends[one, a, spans + which], ends[other, b, spans + which])
            for word in range(bits.shape[2]):
                bits[family, at, word] = bits[one, a, word] | bits[other, b, word]
        lose(scales, buckets, family, found, None, only)


@jit(inner=True)
def lose(scales: Scales, buckets: Buckets, family: int, found: int, by_column: Floats | None, only: int | None) -> None:
    """The normalized certainty penalty of one record of each set of a family, summed over the columns by their weights.

    Numbers: (high − low)/(max − min), and 1 for a set with missing and other values; categories: (values that occur −
    1)/(values of the column − 1); nodes of a hierarchy: that of the lowest one above all. See
    :func:`hedgerow.metrics.cells.loss_of_sets`. It works on a whole family: a call passes dozens of arrays, which for
    every row would cost more than the work. ``by_column`` gets the weighted penalties of the last set, -1 where it has
    a single value. With ``only`` a single column counts. O(values (columns + words)).
    """
    columns, positions, widths, bits, ends = scales.columns, scales.positions, scales.widths, buckets.bits, buckets.ends
    words, masks, spans = scales.words, scales.masks, scales.spanned.shape[0]
    for at in range(found):
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
