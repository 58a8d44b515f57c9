"""Sets of categories as bits of 64-bit words: where the bit of each value stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Longs, Words

__all__ = ["BitLayout", "bit_layout"]

_WORD = 64


class BitLayout(NamedTuple):
    """Where the bits of some columns stand.

    Attributes
    ----------
    first : tuple of int
        The first bit of each column.
    width : int
        How many words a set takes.
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

    def sets(self, codes: Sequence[NDArray[np.integer]], rows: int) -> Words:
        """The set of each row, with one bit for its code in each column."""
        bits = np.zeros((rows, self.width), dtype=np.uint64)
        for first, column in zip(self.first, codes, strict=True):
            bit = first + column.astype(np.int64)
            bits[np.arange(rows), bit // _WORD] |= np.uint64(1) << (bit % _WORD).astype(np.uint64)
        return bits


def bit_layout(sizes: Sequence[int]) -> BitLayout:
    """Lay out columns of so many values each; one that fits a word does not straddle two.

    >>> layout = bit_layout([60, 3, 2])
    >>> layout.first, layout.width
    ((0, 60, 64), 2)
    >>> [hex(mask) for mask in layout.masks.tolist()]
    ['0xfffffffffffffff', '0x7000000000000000', '0x3']
    """
    slots, words, masks, places, free = [0], [], [], [], 0
    for size in sizes:
        if size > _WORD - free % _WORD and free % _WORD:
            free += _WORD - free % _WORD
        places.append(free)
        members = np.arange(free, free + size)
        for word in np.unique(members // _WORD).tolist():
            words.append(word)
            masks.append(sum(1 << int(bit % _WORD) for bit in members[members // _WORD == word]))
        slots.append(len(words))
        free += size
    return BitLayout(
        tuple(places),
        -(-free // _WORD),
        np.array(slots, dtype=np.int64),
        np.array(words, dtype=np.int64),
        np.array(masks, dtype=np.uint64),
    )
