"""Which classes of a release may be a person's: those whose cells cover all that is known of the person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Bools

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["covering_classes"]

_PAIRS: Final = 2**24
"""So many pairs of a tuple and a class are looked at together."""


def covering_classes(
    covers: Sequence[Bools], classes: NDArray[np.integer[Any]], tuples: NDArray[np.integer[Any]]
) -> csr_array:
    """Find the classes that cover each tuple.

    Parameters
    ----------
    covers : sequence of bool arrays (cells, values)
        For each column, which values a published cell may stand for.
    classes : int array (classes, columns)
        The cells that each class publishes.
    tuples : int array (tuples, columns)
        The values that people hold.

    Returns
    -------
    sparse array (tuples, classes)

    Examples
    --------
    >>> age = np.array([[True, True, False], [True, True, True]])  # the cells {20|25} and *, of the values 20, 25, 30
    >>> covering_classes([age], np.array([[0], [1]]), np.array([[0], [2]])).toarray()
    array([[1, 1],
           [0, 1]], dtype=uint8)

    Notes
    -----
    O(tuples × classes) bits for each column.
    """
    from scipy.sparse import csr_array, vstack

    number = len(classes)
    bits = [np.packbits(table.T[:, classes[:, at]], axis=1) for at, table in enumerate(covers)]
    step = max(1, _PAIRS // number)
    parts = []
    for start in range(0, len(tuples), step):
        some = tuples[start : start + step]
        packed = bits[0][some[:, 0]]
        for at, own in enumerate(bits[1:], start=1):
            packed &= own[some[:, at]]
        parts.append(csr_array(np.unpackbits(packed, axis=1, count=number)))
    return csr_array(vstack(parts))
