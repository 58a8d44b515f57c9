"""Sets of records, compiled: the bounds of their numbers, the bits of their categories, and what they lose.

The sets of one column's values stand in four families of rows: BUCKET (one row per rank), and over the ranks that
occur BEFORE (all up to the i-th), AFTER (all from the i-th) and REST (all but the i-th). Functions work on a whole
family: a call passes dozens of arrays, and counting their references for every row would cost more than the work.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = [
    "AFTER",
    "BEFORE",
    "BUCKET",
    "REST",
    "Items",
    "Scales",
    "Sets",
    "collect",
    "losses",
    "new_sets",
    "unite",
    "unite_rest",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Items(NamedTuple):
    """What is partitioned, one row per tuple, cell or record; the kernel moves rows and says where they went."""

    ranks: Ints  # (items, columns): the place of each value in its column's order
    categories: Words  # (items, words): one bit for each categorical value
    values: Ints  # (items, sensitive columns): places in the concatenated histogram
    weights: Longs  # (items,): records
    origin: Ints  # (items,): the item's number before anything moved


class Scales(NamedTuple):
    """How wide a set of values of each column is."""

    sizes: Longs  # (columns,): ranks of each column
    categorical: Bools  # (columns,): whether one value may be cut from the rest
    spanned: Longs  # columns measured by their bounds
    positions: Floats  # the positions of all ranks (see Domain.positions), column after column
    offsets: Longs  # (columns + 1,): where a column starts in positions
    widths: Floats  # (columns,): largest minus smallest position
    missing: Longs  # (columns,): the rank of the missing value, or -1
    counts: Bools  # (columns,): whether a column is measured by how many values occur
    slots: Longs  # where the slots of the which-th counted column start
    slot_words: Longs  # the word of a slot
    slot_masks: Words  # the bits of that word that belong to the column
    histogram: int  # length of the concatenated sensitive histograms


class Sets(NamedTuple):
    """Bounds, bits and losses of sets of items, by family and row."""

    low: Ints  # (families, rows, spanned columns)
    high: Ints
    bits: Words  # (families, rows, words)
    loss: Floats  # (families, rows): of one record
    by_column: Floats  # (columns,): of one record of the row that was last looked at


BUCKET: Final = 0
BEFORE: Final = 1
AFTER: Final = 2
REST: Final = 3


@jit
def ones(word: np.uint64) -> int:
    """Count the bits of a word, in parallel by halves; nothing overflows, so plain Python agrees."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    word = word + (word >> np.uint64(32))
    return int(np.int64(word & np.uint64(0x7F)))


@jit
def losses(scales: Scales, sets: Sets, family: int, rows: Longs, found: int) -> None:
    """The normalized certainty penalty of one record of each set of a family, summed over the columns.

    Numbers: (high − low)/(max − min), and 1 for a set with missing and other values; categories: (values that
    occur − 1)/(values of the column − 1). O(rows (columns + words)).
    """
    for at in range(found):
        row = rows[at]
        total = 0.0
        spanned, counted = 0, 0
        for column in range(len(scales.sizes)):
            lost = 0.0
            if scales.counts[column]:
                values = 0
                for slot in range(scales.slots[counted], scales.slots[counted + 1]):
                    values += ones(sets.bits[family, row, scales.slot_words[slot]] & scales.slot_masks[slot])
                if values > 1:
                    lost = (values - 1.0) / (scales.sizes[column] - 1.0)
                counted += 1
            else:
                low, high = sets.low[family, row, spanned], sets.high[family, row, spanned]
                if low != high:
                    first = scales.offsets[column]
                    mixed = high == scales.missing[column] or scales.widths[column] == 0.0
                    width = scales.positions[first + high] - scales.positions[first + low]
                    lost = 1.0 if mixed else width / scales.widths[column]
                spanned += 1
            sets.by_column[column] = lost
            total += lost
        sets.loss[family, row] = total


@jit
def collect(items: Items, scales: Scales, start: int, end: int, sets: Sets, family: int) -> None:
    """Make row 0 of a family the set of all items of a range. O(items (columns + words))."""
    for which in range(len(scales.spanned)):
        column = scales.spanned[which]
        low, high = items.ranks[start, column], items.ranks[start, column]
        for item in range(start + 1, end):
            low = min(low, items.ranks[item, column])
            high = max(high, items.ranks[item, column])
        sets.low[family, 0, which], sets.high[family, 0, which] = low, high
    for word in range(items.categories.shape[1]):
        bits = np.uint64(0)
        for item in range(start, end):
            bits |= items.categories[item, word]
        sets.bits[family, 0, word] = bits


@jit
def unite(sets: Sets, family: int, present: Longs, found: int) -> None:
    """Unite the buckets that are present, from the front for BEFORE and from the back for AFTER. O(rows)."""
    step = 1 if family == BEFORE else -1
    at = 0 if family == BEFORE else found - 1
    for done in range(found):
        rank = present[at]
        for which in range(sets.low.shape[2]):
            low, high = sets.low[BUCKET, rank, which], sets.high[BUCKET, rank, which]
            if done > 0:
                low = min(low, sets.low[family, at - step, which])
                high = max(high, sets.high[family, at - step, which])
            sets.low[family, at, which], sets.high[family, at, which] = low, high
        for word in range(sets.bits.shape[2]):
            bits = sets.bits[BUCKET, rank, word]
            if done > 0:
                bits |= sets.bits[family, at - step, word]
            sets.bits[family, at, word] = bits
        at += step


@jit
def unite_rest(sets: Sets, found: int) -> None:
    """REST is what lies before and after; the first and the last present bucket have no need of it. O(rows)."""
    for at in range(1, found - 1):
        for which in range(sets.low.shape[2]):
            sets.low[REST, at, which] = min(sets.low[BEFORE, at - 1, which], sets.low[AFTER, at + 1, which])
            sets.high[REST, at, which] = max(sets.high[BEFORE, at - 1, which], sets.high[AFTER, at + 1, which])
        for word in range(sets.bits.shape[2]):
            sets.bits[REST, at, word] = sets.bits[BEFORE, at - 1, word] | sets.bits[AFTER, at + 1, word]


@jit
def new_sets(rows: int, spans: int, words: int, columns: int) -> Sets:
    """Memory for the four families."""
    return Sets(
        np.zeros((4, rows, spans), dtype=np.int32),
        np.zeros((4, rows, spans), dtype=np.int32),
        np.zeros((4, rows, words), dtype=np.uint64),
        np.zeros((4, rows)),
        np.zeros(columns),
    )
