"""Types of the arrays that kernels work on, ranges as arrays, sets as bits, and an unpredictable random order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BitLayout", "Bools", "Floats", "Ints", "Longs", "Words", "bit_layout", "random_order", "ranges"]

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
