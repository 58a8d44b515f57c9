"""Which classes of a release may be a person's: those whose cells cover all that is known of the person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Bools

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["covering_blocks", "covering_classes", "packed_rows"]

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

    return csr_array(vstack([csr_array(block) for _, block in covering_blocks(covers, classes, tuples)]))


def covering_blocks(
    covers: Sequence[Bools], classes: NDArray[np.integer[Any]], tuples: NDArray[np.integer[Any]]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Find the same for some tuples at a time: the first of them, and whether each class covers each of them.

    Parameters are those of :func:`covering_classes`. Memory is bounded by O(values × classes) bits for each column.
    """
    number = len(classes)
    bits = [packed_rows(table.T, classes[:, at]) for at, table in enumerate(covers)]
    step = max(1, _PAIRS // number)
    for start in range(0, len(tuples), step):
        some = tuples[start : start + step]
        packed = np.full((len(some), -(-number // 8)), 255, dtype=np.uint8)
        for at, own in enumerate(bits):
            packed &= own[some[:, at]]
        yield start, np.unpackbits(packed, axis=1, count=number)


def packed_rows(table: Bools, columns: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
    """Some columns of a table, eight cells in a byte, without writing all of them out."""
    step = max(1, _PAIRS // max(1, len(columns)))
    parts = [np.packbits(table[start : start + step][:, columns], axis=1) for start in range(0, len(table), step)]
    return np.concatenate(parts) if parts else np.zeros((0, -(-len(columns) // 8)), dtype=np.uint8)
