"""The formulas on classes small enough to check by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from hedgerow.verifier import Histogram, count_classes
from hedgerow.verifier.formulas import distinct_values, entropy_values, largest_share, recursive_ratio, share_of

# Class "a": 3 × x, 1 × y; class "b": 2 × y, 1 × z, 1 × missing.
CLASSES = ["a"] * 4 + ["b"] * 4
VALUES = ["x", "x", "x", "y", "y", "y", "z", None]


def histogram(classes: list[str], values: list[object]) -> Histogram:
    return count_classes(pa.table({"q": classes, "s": values}), ["q"], sensitive=["s"]).histograms["s"]


def test_counts_of_values() -> None:
    found = histogram(CLASSES, list(VALUES))
    assert distinct_values(found).tolist() == [2, 3]
    assert recursive_ratio(found, 2).tolist() == [3.0, 1.0]
    assert recursive_ratio(found, 3).tolist() == [math.inf, 2.0]
    assert recursive_ratio(found, 1).tolist() == [0.75, 0.5]
    assert largest_share(found, found.totals).tolist() == [0.75, 0.5]
    assert share_of(found, found.totals, found.labels.tolist().index("y")).tolist() == [0.25, 0.5]


def test_entropy_counts_equally_frequent_values() -> None:
    found = histogram(["a"] * 4 + ["b"] * 2, ["w", "x", "y", "z", "x", "x"])
    assert entropy_values(found) == pytest.approx([4.0, 1.0])
    skewed = entropy_values(histogram(CLASSES, list(VALUES)))[0]
    assert skewed == pytest.approx(math.exp(0.75 * math.log(4 / 3) + 0.25 * math.log(4)))
