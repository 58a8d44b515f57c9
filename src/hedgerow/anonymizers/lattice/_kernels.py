"""Roll classes up, compiled: lift packed rows to higher levels, group equal rows, and merge their histograms.

A class is a row of 64-bit words. Every column has a field of bits; a word holds as many columns as fit.
"""

from __future__ import annotations

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow._internal.jit import jit

__all__ = ["group", "lift", "merge_histograms"]

_SMALLEST_TABLE = 256
_HALF = 2**31 - 1


@jit
def lift(keys: Longs, word: Longs, shift: Longs, mask: Longs, start: Longs, above: Longs) -> Longs:
    """Replace the fields of some columns: value ``v`` of column ``j`` by ``above[start[j] + v]``. O(rows columns)."""
    lifted = keys.copy()
    for row in range(len(keys)):
        for at in range(len(word)):
            field = (keys[row, word[at]] >> shift[at]) & mask[at]
            lifted[row, word[at]] ^= (field ^ above[start[at] + field]) << shift[at]
    return lifted


@jit(inner=True)
def scattered(keys: Longs, row: int) -> int:
    """Mix the bits of a row, so that the low bits can index a hash table.

    Both halves are multiplied by odd numbers of 31 bits, so that nothing overflows, not even in plain Python.
    """
    mixed = 0
    for at in range(keys.shape[1]):
        mixed ^= keys[row, at]
        mixed = ((mixed & _HALF) * 0x5BD1E995) ^ ((mixed >> 31) * 0x2C1B3C6D)
        mixed ^= mixed >> 29
        mixed = ((mixed & _HALF) * 0x4F2162EB) ^ (mixed >> 31)
        mixed ^= mixed >> 32
    return mixed


@jit(inner=True)
def same(keys: Longs, row: int, others: Longs, other: int) -> bool:
    """Whether two rows are equal."""
    different = 0
    for at in range(keys.shape[1]):
        different |= keys[row, at] ^ others[other, at]
    return different == 0


@jit(inner=True)
def grown(table: Longs, keys: Longs, classes: int) -> Longs:
    """A hash table four times as large with the same classes."""
    larger = np.full(4 * len(table), -1, dtype=np.int64)
    last = len(larger) - 1
    for number in range(classes):
        place = scattered(keys, number) & last
        while larger[place] >= 0:
            place = (place + 1) & last
        larger[place] = number
    return larger


@jit
def group(keys: Longs, sizes: Longs) -> tuple[Longs, Longs, Longs]:
    """Group equal rows and add up their sizes.

    Returns the distinct rows in the order of first appearance, their sizes, and for each row the number of its distinct
    row. O(rows), by hashing into a table that grows with the distinct rows, so that a small table stays in cache.
    """
    distinct = np.empty_like(keys)
    total = np.zeros(len(keys), dtype=np.int64)
    index = np.empty(len(keys), dtype=np.int64)
    table = np.full(_SMALLEST_TABLE, -1, dtype=np.int64)
    classes = 0
    for row in range(len(keys)):
        last = len(table) - 1
        place = scattered(keys, row) & last
        while table[place] >= 0 and not same(keys, row, distinct, table[place]):
            place = (place + 1) & last
        found = table[place]
        if found < 0:
            found = classes
            table[place] = found
            for at in range(keys.shape[1]):
                distinct[found, at] = keys[row, at]
            classes += 1
            if 2 * classes > len(table):
                table = grown(table, distinct, classes)
        index[row] = found
        total[found] += sizes[row]
    return distinct[:classes].copy(), total[:classes].copy(), index


@jit
def merge_histograms(
    index: Longs, classes: int, indptr: Longs, codes: Longs, records: Longs, values: int
) -> tuple[Longs, Longs, Longs]:
    """Add up the sparse histograms of the rows of each class; rows of class -1 are left out.

    Returns the compressed histograms of the classes, with the codes of each in the order of first appearance.
    O(entries + classes) time, and memory for ``values`` more numbers.
    """
    begin = np.zeros(classes + 1, dtype=np.int64)
    for row in range(len(index)):
        if index[row] >= 0:
            begin[index[row] + 1] += 1
    for number in range(classes):
        begin[number + 1] += begin[number]
    members = np.empty(begin[classes], dtype=np.int64)
    filled = begin.copy()
    for row in range(len(index)):
        if index[row] >= 0:
            members[filled[index[row]]] = row
            filled[index[row]] += 1
    merged_indptr = np.zeros(classes + 1, dtype=np.int64)
    merged_codes = np.empty(len(codes), dtype=np.int64)
    merged_records = np.empty(len(codes), dtype=np.int64)
    place = np.full(values, -1, dtype=np.int64)
    entries = 0
    for number in range(classes):
        first = entries
        for at in range(begin[number], begin[number + 1]):
            member = members[at]
            for entry in range(indptr[member], indptr[member + 1]):
                code = codes[entry]
                if place[code] < first:
                    place[code] = entries
                    merged_codes[entries] = code
                    merged_records[entries] = 0
                    entries += 1
                merged_records[place[code]] += records[entry]
        merged_indptr[number + 1] = entries
    return merged_indptr, merged_codes[:entries].copy(), merged_records[:entries].copy()
