"""Classes: their keys, and those of a shield."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import count_classes
from hedgerow.verifier.classes import distinct


def test_keys_do_not_overflow() -> None:
    # As one product the key of the second row would be 2^64, which is 0 in 64 bits: the key of the first.
    rows = np.array([0, 1])
    zeros = np.zeros(2, dtype=np.int64)
    numbers, first = distinct([(rows, 2**32), (zeros, 2**32), (zeros, 2**32)])
    assert (numbers.tolist(), first.tolist()) == ([0, 1], [0, 1])


def test_many_columns() -> None:
    generator = np.random.default_rng(0)
    columns = {f"q{i}": generator.integers(0, 50, 60).astype(str).tolist() for i in range(20)}
    rows = set(zip(*columns.values(), strict=True))
    assert len(count_classes(pa.table(columns), list(columns)).sizes) == len(rows)


def test_a_shield_that_is_no_quasi_identifier() -> None:
    counts = count_classes(pa.table({"age": [1], "sex": [2]}), ["age", "sex"])
    assert counts.project(None) is counts
    with pytest.raises(BadInput, match="Did you mean 'sex'"):
        counts.project(["sexx"])
    with pytest.raises(BadInput, match="names no column"):
        counts.project([])
    with pytest.raises(BadInput, match="no counted sensitive column 'x'"):
        counts.histogram("x")
