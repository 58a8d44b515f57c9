"""Blocks of features side by side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from hedgerow.learning.encoders._representations import Block, assembled


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_and_dense_agree(dtype: type) -> None:
    blocks = [
        Block(csr_array(np.array([[1.0, 0], [9, 9], [0, 1]])), np.array([2, 0, 2])),
        Block(np.array([[5.0], [0.0], [7.0]])),
    ]
    dense = assembled(blocks, 3, sparse=False, dtype=dtype)
    sparse = assembled(blocks, 3, sparse=True, dtype=dtype)
    assert dense.tolist() == [[0, 1, 5], [1, 0, 0], [0, 1, 7]]
    assert isinstance(sparse, csr_array)
    assert sparse.format == "csr"
    assert sparse.toarray().tolist() == dense.tolist()
    assert dense.dtype == sparse.dtype == dtype
