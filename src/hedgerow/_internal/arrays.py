"""Types of the arrays that kernels work on; integer codes grouped; ranges, sets as bits, and an unpredictable order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BitLayout",
    "Bools",
    "Floats",
    "Ints",
    "Longs",
    "Words",
    "alike",
    "bit_layout",
    "distinct_pairs",
    "random_order",
    "ranges",
    "sharing",
    "tabulate",
]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]


def ranges(first: NDArray[np.signedinteger], lengths: NDArray[np.signedinteger]) -> tuple[Longs, Longs]:
    """All members of several ranges, and the range of each.

    >>> ranges(np.array([5, 1]), np.array([2, 3]))
    (array([5, 6, 1, 2, 3]), array([0, 0, 1, 1, 1]))
    """
    owner = np.repeat(np.arange(len(first)), lengths)
    before = np.cumsum(lengths) - lengths
    return (first - before)[owner] + np.arange(len(owner)), owner


def random_order(rows: int) -> Longs:
    """The numbers of some rows in an order that only the operating system's randomness decides.

    Each row draws 64 bits. numpy's generators are not used, although they are seeded by the system: they are no
    ciphers, and an attacker who knows where some rows went could compute the seed, and where the others went.

    >>> sorted(random_order(3).tolist())
    [0, 1, 2]
    """
    return np.argsort(np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)).astype(np.int64, copy=False)


_WORD = 64


class BitLayout(NamedTuple):
    """The places of the bits of sets of categories in 64-bit words, for several columns.

    Attributes
    ----------
    first : tuple of int
        The first bit of each column.
    width : int
        How many words a row of sets takes.
    slots : int array (columns + 1,)
        Where the words of each column start in ``words`` and ``masks``.
    words, masks : arrays
        A word, and which of its bits belong to the column.
    """

    first: tuple[int, ...]
    width: int
    slots: Longs
    words: Longs
    masks: Words

    def sets(self, codes: Ints) -> Words:
        """For each row of codes (rows, columns), the bits of its codes."""
        bits = np.zeros((len(codes), self.width), dtype=np.uint64)
        row = np.arange(len(codes))
        for first, column in zip(self.first, codes.T, strict=True):
            bit = first + column.astype(np.int64)
            bits[row, bit // _WORD] |= np.uint64(1) << (bit % _WORD).astype(np.uint64)
        return bits


def bit_layout(sizes: Sequence[int]) -> BitLayout:
    """Lay out columns of so many values each; a column that fits into one word does not straddle two.

    >>> layout = bit_layout([60, 3, 2])
    >>> layout.first, layout.width
    ((0, 60, 64), 2)
    >>> [hex(mask) for mask in layout.masks.tolist()]
    ['0xfffffffffffffff', '0x7000000000000000', '0x3']
    """
    first, slots, words, masks = [], [0], [], []
    end = 0
    for size in sizes:
        start = end
        if size > _WORD - start % _WORD:
            start = -(-start // _WORD) * _WORD
        end = start + size
        first.append(start)
        for word in np.unique(np.arange(start, end) // _WORD).tolist():
            low, high = max(start - word * _WORD, 0), min(end - word * _WORD, _WORD)
            words.append(word)
            masks.append((1 << high) - (1 << low))
        slots.append(len(words))
    return BitLayout(
        tuple(first),
        -(-end // _WORD),
        np.array(slots, dtype=np.int64),
        np.array(words, dtype=np.int64),
        np.array(masks, dtype=np.uint64),
    )


# --------------------------------------------------------------------------------------------------
# Grouping integer codes: the distinct rows of several code columns, and which of them each row is.

_LARGEST_KEY = 2**62
_BITMAP_CELLS = 50_000_000
_FEW_KEYS = 2**16


def tabulate(columns: Sequence[Ints], sizes: Sequence[int], rows: int) -> tuple[Ints, Ints]:
    """Group rows by their codes.

    Parameters
    ----------
    columns : sequence of int arrays
        One code per row and column.
    sizes : sequence of int
        How many codes each column has.
    rows : int
        The number of rows (needed when there is no column).

    Returns
    -------
    distinct : int array (groups, columns)
        The distinct combinations in lexicographic order.
    index : int array (rows,)
        The combination of each row.

    Examples
    --------
    >>> distinct, index = tabulate([np.array([1, 0, 1]), np.array([0, 2, 0])], [2, 3], 3)
    >>> distinct.tolist(), index.tolist()
    ([[0, 2], [1, 0]], [1, 0, 1])
    """
    key = np.zeros(rows, dtype=np.int64)
    span = 1
    for codes, size in zip(columns, sizes, strict=True):
        if span > _LARGEST_KEY // max(size, 1):
            key, span = _dense(key)
        key = key * size + codes
        span *= max(size, 1)
    index, groups = _dense(key)
    first = np.empty(groups, dtype=np.int64)
    first[index[::-1]] = np.arange(rows - 1, -1, -1)
    distinct = np.empty((groups, len(columns)), dtype=np.int32)
    for at, codes in enumerate(columns):
        distinct[:, at] = codes[first]
    return distinct, index.astype(np.int32)


def _dense(key: Longs) -> tuple[Longs, int]:
    """Renumber keys by rank; hashing first and sorting only the distinct ones beats sorting the rows."""
    index, distinct = _hashed(key)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(distinct, kind="stable")] = np.arange(len(distinct))
    return rank[index], len(distinct)


def alike(columns: Sequence[Ints | Longs]) -> Longs:
    """Number combinations of codes, in no order and with gaps: cheaper than :func:`tabulate`.

    Examples
    --------
    >>> alike([np.array([1, 0, 1]), np.array([0, 2, 0])]).tolist()
    [3, 2, 3]
    """
    key, span = columns[0].astype(np.int64), int(columns[0].max()) + 1
    for codes in columns[1:]:
        size = int(codes.max()) + 1
        if span > _LARGEST_KEY // size:
            key, _ = _hashed(key)
            span = int(key.max()) + 1
        key = key * size + codes
        span *= size
    return key if span <= max(_FEW_KEYS, 4 * len(key)) else _hashed(key)[0]


def sharing(columns: Sequence[Ints | Longs]) -> Longs:
    """How many rows share the combination of each row.

    Examples
    --------
    >>> sharing([np.array([1, 0, 1]), np.array([0, 2, 0])]).tolist()
    [2, 1, 2]
    """
    number = alike(columns)
    return np.asarray(np.bincount(number)[number], dtype=np.int64)


def _hashed(key: Longs) -> tuple[Longs, Longs]:
    """The number of each key, and the distinct keys, both in the order of their first occurrence."""
    import pyarrow as pa  # requirements are checked without it

    encoded = pa.array(key).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(), dtype=np.int64), np.asarray(encoded.dictionary.to_numpy())


def distinct_pairs(group: Ints, code: Ints, groups: int, codes: int) -> tuple[Longs, Ints]:
    """The distinct codes of every group, as a compressed list: ``codes[starts[g]:starts[g + 1]]``, ascending.

    Examples
    --------
    >>> starts, members = distinct_pairs(np.array([1, 0, 1, 1]), np.array([3, 2, 0, 3]), 2, 4)
    >>> starts.tolist(), members.tolist()
    ([0, 1, 3], [2, 0, 3])
    """
    pair = group.astype(np.int64) * codes + code
    if groups * codes <= _BITMAP_CELLS:
        seen = np.zeros(groups * codes, dtype=bool)
        seen[pair] = True
        pairs = np.flatnonzero(seen)
    else:
        pairs = np.unique(pair)
    starts = np.searchsorted(pairs, np.arange(groups + 1, dtype=np.int64) * codes)
    return starts.astype(np.int64), (pairs % codes).astype(np.int32)
