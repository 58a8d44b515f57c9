"""Short names for the arrays of kernels, ranges as arrays, and an unpredictable order of rows."""

from __future__ import annotations

import os
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Ints", "Longs", "Words", "random_order", "ranges"]

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
    """The numbers of some rows in an order that depends only on the randomness of the operating system.

    Each row draws 64 bits. numpy's generators are not used, although the system seeds them: they are no ciphers. An
    attacker who knows the new positions of some rows could compute the seed, and the positions of the others.

    >>> sorted(random_order(3).tolist())
    [0, 1, 2]
    """
    return np.argsort(np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)).astype(np.int64, copy=False)
