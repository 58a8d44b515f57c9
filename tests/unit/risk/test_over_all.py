"""What is said where fewer look alike over all columns than over the quasi-identifiers."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.risk.audit import beyond_quasi

TOWNS = ["Ulm"] * 4 + ["Bern"] * 4


@pytest.mark.parametrize(
    ("shoes", "words"),
    [
        ([1, 2, 3, 4] * 2, "somebody is unique"),
        ([1, 1, 2, 2] * 2, "as few as 2 look alike"),
        ([1] * 8, ""),
    ],
)
def test_it_is_said_how_few(shoes: list[int], words: str) -> None:
    said = beyond_quasi(hr.audit(pa.table({"town": TOWNS, "shoe": shoes}), quasi=["town"]))
    assert words in said
    assert bool(said) == bool(words)


def test_where_k_is_one_already_k_says_so() -> None:
    assert beyond_quasi(hr.audit(pa.table({"town": ["Ulm", "Bern"], "shoe": [1, 2]}), quasi=["town"])) == ""
