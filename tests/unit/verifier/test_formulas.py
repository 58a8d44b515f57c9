"""The formulas on classes small enough to check by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import Histogram, count_classes
from hedgerow.verifier.closeness import equal_distance, hierarchical_distance, ordered_distance
from hedgerow.verifier.formulas import (
    distinct_values,
    entropy_values,
    largest_share,
    recursive_ratio,
    share_of,
)

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


def test_equal_distance() -> None:
    # The table: x 3/8, y 3/8, z 1/8, missing 1/8.
    assert equal_distance(histogram(CLASSES, list(VALUES))) == pytest.approx([0.375, 0.375])


def test_ordered_distance_of_the_salaries_of_li_et_al() -> None:
    # Li et al. 2007, section 4: nine salaries 3k … 11k; {3k, 4k, 5k} is at 0.375 and {6k, 8k, 11k} at 0.167.
    first = histogram(["a", "a", "a", *"bbbccc"], [3, 4, 5, 6, 8, 11, 7, 9, 10])
    assert ordered_distance(first)[:2] == pytest.approx([0.375, 1 / 6])


def test_numbers_are_ordered_by_value_and_missing_is_last() -> None:
    found = histogram(["a", "b", "c"], [9, 10, None])
    # Scale 9, 10, missing; the table has 1/3 of each.
    assert ordered_distance(found) == pytest.approx([1 / 2, 1 / 3, 1 / 2])
    text = histogram(["a", "b", "c"], ["9", "10", "x"])
    assert ordered_distance(text)[1] == pytest.approx(0.5)


def test_a_given_order_counts_values_that_do_not_occur() -> None:
    found = histogram(["a", "b"], ["low", "high"])
    assert ordered_distance(found, ["low", "middle", "high"]) == pytest.approx([0.5, 0.5])
    assert ordered_distance(found, ["low", "high", "huge"]) == pytest.approx([0.25, 0.25])
    with pytest.raises(BadInput, match=r"'order' parameter of TCloseness leaves out .* 'ill' \(1 of them\)"):
        ordered_distance(found, ["low"], column="ill")


def test_one_value_is_no_distance() -> None:
    found = histogram(["a", "b"], ["x", "x"])
    assert ordered_distance(found).tolist() == [0, 0]
    assert equal_distance(found).tolist() == [0, 0]
    assert hierarchical_distance(found, ("x", ())).tolist() == [0, 0]


TUPLES = ("any", (("lung", (("asthma", ()), ("flu", ()))), ("other", (("ulcer", ()), ("gastritis", ())))))
MAPPING = {"any": {"lung": ["asthma", "flu"], "other": ["ulcer", "gastritis"]}}
WITHOUT_ROOT = MAPPING["any"]


@pytest.mark.parametrize("tree", [TUPLES, MAPPING, WITHOUT_ROOT])
def test_hierarchical_distance(tree: object) -> None:
    found = histogram(["a", "b", "c", "c"], ["asthma", "flu", "ulcer", "gastritis"])
    # Class a: 1/4 stays, 1/4 moves within the lung (1/2 each), 1/2 to the other branch (1 each).
    # Class c: half of its mass stays, the other half moves across the root.
    assert hierarchical_distance(found, tree)[[0, 2]] == pytest.approx([0.25 * 0.5 + 0.5, 0.5])


def test_missing_hangs_under_the_root_and_trees_may_be_ragged() -> None:
    found = histogram(["a", "b"], ["flu", None])
    assert hierarchical_distance(found, MAPPING) == pytest.approx([0.5, 0.5])
    ragged = {"any": {"lung": {"upper": ["flu", "cold"], "asthma": None}, "ulcer": None}}
    near = histogram(["a", "b"], ["flu", "asthma"])
    # Their ancestor "lung" is 2 high of 3, and half of the mass moves.
    assert hierarchical_distance(near, ragged) == pytest.approx([1 / 3, 1 / 3])


def test_leaves_are_found_by_number() -> None:
    found = histogram(["a", "b"], ["1.0", "2.0"])
    assert hierarchical_distance(found, {"any": [1, 2]}) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("tree", [None, "any", {"any": ["x"]}, ("any", "x")])
def test_a_tree_that_does_not_fit(tree: object) -> None:
    with pytest.raises(BadInput, match="tree"):
        hierarchical_distance(histogram(["a", "b"], ["x", "y"]), tree)
