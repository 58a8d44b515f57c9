"""The labels and weights that a classifier is given."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BadInput
from hedgerow.learning._tree_classifier import coded_labels, labels_given, weights_of


def test_labels_are_sorted_and_coded() -> None:
    classes, codes = coded_labels(["b", "a", "b"], 3)
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]


def test_only_a_release_brings_its_own() -> None:
    assert labels_given(None, [1], "C45Classifier") == [1]
    with pytest.raises(BadInput, match="C45Classifier requires y to be passed"):
        labels_given(np.zeros((1, 1)), None, "C45Classifier")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"], "one class for each of the 2 rows"),
        (["a", None], "no class in 1 row, first in row 2"),
        ([0.5, 1.0], "not whole"),
        (["a", 1j], "mixes types"),
        ([1j, 2j], "Complex"),
    ],
)
def test_wrong_labels_are_refused(y: list[object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        coded_labels(np.array(y, dtype=None if message == "Complex" else object) if "a" in y else y, 2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1], "one number >= 0"), ([1, -1], ">= 0"), ([0, 0], "zero in all"), (["a", 1], "numbers")],
)
def test_wrong_weights_are_refused(weights: list[object], message: str) -> None:
    assert weights_of(None, 2) is None
    with pytest.raises(BadInput, match=message):
        weights_of(weights, 2)
