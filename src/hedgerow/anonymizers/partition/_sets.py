"""Sets of records, compiled: the bounds of their numbers, the bits of their categories, and what they lose.

A set is one row of :class:`Sides`. Functions here work on all rows at once: a call passes dozens of arrays, and
counting their references for every single row would cost more than the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = [
    "Items",
    "Scales",
    "Sides",
    "collect",
    "new_sides",
    "row_losses",
    "unite_after",
    "unite_before",
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
    positions: Floats  # the numbers of all ranks, column after column
    offsets: Longs  # (columns + 1,): where a column starts in positions
    widths: Floats  # (columns,): largest minus smallest number
    missing: Longs  # (columns,): the rank of the missing value, or -1
    counted: Longs  # columns measured by how many values occur
    slots: Longs  # (counted + 1,): where a counted column's slots start
    slot_words: Longs  # the word of a slot
    slot_masks: Words  # the bits of that word that belong to the column
    histogram: int  # length of the concatenated sensitive histograms


class Sides(NamedTuple):
    """Bounds and bits of sets of items, one row per set."""

    low: Ints
    high: Ints
    bits: Words


@jit
def ones(word: np.uint64) -> int:
    """Count the bits of a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@jit
def row_losses(scales: Scales, sides: Sides, rows: Longs, found: int, losses: Floats) -> None:
    """The normalized certainty penalty of one record of each set, summed over the columns.

    Numbers: (high − low)/(max − min), and 1 for a set with missing and other values; categories: (values that
    occur − 1)/(values of the column − 1). O(rows (numeric columns + slots)).
    """
    for at in range(found):
        row = rows[at]
        total = 0.0
        for which in range(len(scales.spanned)):
            low, high = sides.low[row, which], sides.high[row, which]
            if low != high:
                column = scales.spanned[which]
                if high == scales.missing[column] or scales.widths[column] == 0.0:
                    total += 1.0
                else:
                    first = scales.offsets[column]
                    width = scales.positions[first + high] - scales.positions[first + low]
                    total += width / scales.widths[column]
        for which in range(len(scales.counted)):
            values = 0
            for slot in range(scales.slots[which], scales.slots[which + 1]):
                values += ones(sides.bits[row, scales.slot_words[slot]] & scales.slot_masks[slot])
            if values > 1:
                total += (values - 1.0) / (scales.sizes[scales.counted[which]] - 1.0)
        losses[at] = total


@jit
def collect(items: Items, scales: Scales, start: int, end: int, sides: Sides, row: int) -> None:
    """Make a row the set of all items of a range."""
    for which in range(len(scales.spanned)):
        column = scales.spanned[which]
        low, high = items.ranks[start, column], items.ranks[start, column]
        for item in range(start + 1, end):
            low = min(low, items.ranks[item, column])
            high = max(high, items.ranks[item, column])
        sides.low[row, which], sides.high[row, which] = low, high
    for word in range(items.categories.shape[1]):
        bits = np.uint64(0)
        for item in range(start, end):
            bits |= items.categories[item, word]
        sides.bits[row, word] = bits


@jit
def unite_before(bucket: Sides, present: Longs, found: int, result: Sides) -> None:
    """Row i becomes the union of the buckets up to the i-th present one."""
    for at in range(found):
        rank = present[at]
        for which in range(result.low.shape[1]):
            low, high = bucket.low[rank, which], bucket.high[rank, which]
            result.low[at, which] = low if at == 0 else min(low, result.low[at - 1, which])
            result.high[at, which] = high if at == 0 else max(high, result.high[at - 1, which])
        for word in range(result.bits.shape[1]):
            bits = bucket.bits[rank, word]
            result.bits[at, word] = bits if at == 0 else bits | result.bits[at - 1, word]


@jit
def unite_after(bucket: Sides, present: Longs, found: int, result: Sides) -> None:
    """Row i becomes the union of the buckets from the i-th present one."""
    for at in range(found - 1, -1, -1):
        rank = present[at]
        last = at == found - 1
        for which in range(result.low.shape[1]):
            low, high = bucket.low[rank, which], bucket.high[rank, which]
            result.low[at, which] = low if last else min(low, result.low[at + 1, which])
            result.high[at, which] = high if last else max(high, result.high[at + 1, which])
        for word in range(result.bits.shape[1]):
            bits = bucket.bits[rank, word]
            result.bits[at, word] = bits if last else bits | result.bits[at + 1, word]


@jit
def unite_rest(before: Sides, after: Sides, found: int, result: Sides) -> None:
    """Row i becomes the union of all buckets but the i-th present one, for those that have neighbours."""
    for at in range(1, found - 1):
        for which in range(result.low.shape[1]):
            result.low[at, which] = min(before.low[at - 1, which], after.low[at + 1, which])
            result.high[at, which] = max(before.high[at - 1, which], after.high[at + 1, which])
        for word in range(result.bits.shape[1]):
            result.bits[at, word] = before.bits[at - 1, word] | after.bits[at + 1, word]


@jit
def new_sides(rows: int, spans: int, words: int) -> Sides:
    """Memory for sets."""
    return Sides(
        np.zeros((rows, spans), dtype=np.int32),
        np.zeros((rows, spans), dtype=np.int32),
        np.zeros((rows, words), dtype=np.uint64),
    )
