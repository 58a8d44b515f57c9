"""Blocks of features, one for each column, and the matrix that they make up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse

from hedgerow.arrays import Floats, Longs

__all__ = ["Block", "assembled"]


@dataclass(frozen=True, eq=False)
class Block:
    """The features of one column: each distinct vector once, and which of them each row has.

    Without an index, the vectors are those of the rows themselves.
    """

    vectors: csr_array | Floats
    index: Longs | None = None

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.vectors.shape[1])

    def dense(self, dtype: Any) -> NDArray[Any]:
        """The rows as an array."""
        if self.index is None:
            return _as_array(self.vectors, dtype)
        # Vectors that no row has are not written out.
        used = np.bincount(self.index, minlength=self.vectors.shape[0]) > 0
        distinct = _as_array(self.vectors[np.flatnonzero(used)], dtype)
        return np.asarray(distinct[(np.cumsum(used) - 1)[self.index]])

    def sparse(self, dtype: Any) -> csr_array:
        """The rows as a sparse array."""
        vectors = csr_array(self.vectors).astype(dtype)
        return csr_array(vectors if self.index is None else vectors[self.index])


def assembled(blocks: Sequence[Block], rows: int, *, sparse: bool, dtype: Any) -> Any:
    """Put blocks side by side.

    Examples
    --------
    >>> sexes = Block(np.eye(2), np.array([1, 0, 1]))
    >>> assembled([sexes, Block(np.array([[7.0], [8], [9]]))], 3, sparse=False, dtype=np.float64).tolist()
    [[0.0, 1.0, 7.0], [1.0, 0.0, 8.0], [0.0, 1.0, 9.0]]
    """
    if sparse:
        return csr_array(hstack([block.sparse(dtype) for block in blocks], format="csr"))
    matrix = np.empty((rows, sum(block.width for block in blocks)), dtype=dtype)
    first = 0
    for block in blocks:
        matrix[:, first : first + block.width] = block.dense(dtype)
        first += block.width
    return matrix


def _as_array(vectors: csr_array | Floats, dtype: Any) -> NDArray[Any]:
    return np.asarray(vectors.toarray() if issparse(vectors) else vectors).astype(dtype, copy=False)
