"""The three distances of t-closeness on classes small enough to check by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import Histogram, count_classes
from hedgerow.verifier.formulas import equal_distance, hierarchical_distance, ordered_distance

TUPLES = ("any", (("lung", (("asthma", ()), ("flu", ()))), ("other", (("ulcer", ()), ("gastritis", ())))))
MAPPING = {"any": {"lung": ["asthma", "flu"], "other": ["ulcer", "gastritis"]}}
WITHOUT_ROOT = MAPPING["any"]


def histogram(classes: list[str], values: list[object]) -> Histogram:
    return count_classes(pa.table({"q": classes, "s": values}), ["q"], sensitive=["s"]).histograms["s"]


def test_equal_distance() -> None:
    # The table: x 3/8, y 3/8, z 1/8, missing 1/8.
    assert equal_distance(histogram(list("aaaabbbb"), ["x", "x", "x", "y", "y", "y", "z", None])) == pytest.approx(
        [0.375, 0.375]
    )


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
