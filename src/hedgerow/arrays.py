"""Short names for the arrays that kernels work on, and ranges as arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Ints", "Longs", "Words", "ranges"]

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
