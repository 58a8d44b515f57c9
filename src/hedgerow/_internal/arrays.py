"""Short names for the arrays that kernels work on, ranges as arrays, and an order that nobody can compute."""

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
    """All members of several ranges, and which range each is of.

    >>> ranges(np.array([5, 1]), np.array([2, 3]))
    (array([5, 6, 1, 2, 3]), array([0, 0, 1, 1, 1]))
    """
    owner = np.repeat(np.arange(len(first)), lengths)
    before = np.cumsum(lengths) - lengths
    return (first - before)[owner] + np.arange(len(owner)), owner


def random_order(rows: int) -> Longs:
    """The numbers of some rows in an order that only the operating system's randomness decides.

    Each row draws 64 bits. numpy's generators are not used, although they are seeded by the system: they are no
    ciphers, and whoever knows where some of the rows went could compute the seed, and where the others went.

    >>> sorted(random_order(3).tolist())
    [0, 1, 2]
    """
    return np.argsort(np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)).astype(np.int64, copy=False)
