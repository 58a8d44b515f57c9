"""The nodes of a hierarchy that are features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.core.cells import Interval
from hedgerow.hierarchies import EncodedHierarchy, intervals, taxonomy
from hedgerow.io.domains import Domain
from hedgerow.learning.encoders._nodes import FeatureNodes, nodes_of_hierarchy


def tree(nested: Any, values: list[str]) -> EncodedHierarchy:
    return taxonomy(nested).encode(Domain("c", "text", np.array(sorted(values))))


@pytest.fixture
def ages() -> FeatureNodes:
    """Ages in tens below twenties; no age from 30 to 39."""
    numbers = np.array([21.0, 25, 45])
    domain = Domain("age", "number", np.array(["21", "25", "45"]), numbers)
    encoded = intervals(width=10, levels=[20]).encode(domain)
    return nodes_of_hierarchy(encoded, hide_leaves=True, with_missing=True)[0]


def names(nodes: FeatureNodes, found: Any) -> list[str]:
    return [nodes.labels[node] for node in np.atleast_1d(found).tolist()]


def test_leaves_come_first_then_level_by_level() -> None:
    encoded = tree({"r": {"a": {"b": ["x", "y"]}, "c": ["z"]}}, ["x"])
    nodes, into = nodes_of_hierarchy(encoded, hide_leaves=False, with_missing=True)
    assert names(nodes, nodes.order) == ["x", "y", "z", "\\N", "b", "a", "c", "r"]
    assert into.tolist() == list(range(7))


def test_a_label_repeated_on_the_way_up_is_one_node() -> None:
    nodes, _ = nodes_of_hierarchy(
        tree({"r": {"x": {"x": ["x"]}, "b": ["y"]}}, ["x"]), hide_leaves=False, with_missing=False
    )
    assert nodes.labels == ("r", "x", "b", "y")
    assert nodes.own.tolist() == [0, 1, 0, 1]


def test_labels_only_are_no_values() -> None:
    nodes, _ = nodes_of_hierarchy(
        tree({"r": {"a": ["x", "y"]}}, ["x"]), hide_leaves=False, with_missing=False, labels_only=frozenset({"y"})
    )
    assert nodes.total[0] == 1


def test_numbers_are_drawn_into_their_interval(ages: FeatureNodes) -> None:
    assert ages.labels == ("*", "[20,40)", "[20,30)", "[40,60]", "[40,50)", "\\N")
    assert ages.own.tolist() == [0, 0, 2, 0, 1, 1]
    assert ages.labels[ages.missing] == "\\N"


def test_numbers_directly_below_the_root_stay() -> None:
    domain = Domain("n", "number", np.array(["0", "1"]), np.array([0.0, 1]))
    nodes, _ = nodes_of_hierarchy(intervals(quantiles=4).encode(domain), hide_leaves=True, with_missing=False)
    assert nodes.labels == ("*", "0", "1")
    assert names(nodes, nodes.around(np.array([0.0, 1.0, 0.5]))) == ["0", "1", "*"]


def test_around_finds_the_lowest_interval(ages: FeatureNodes) -> None:
    found = ages.around(np.array([20.0, 29.9, 30, 50, 60, 61]))
    assert names(ages, found[:5]) == ["[20,30)", "[20,30)", "[20,40)", "[40,60]", "[40,60]"]
    assert found[5] == -1


def test_numbers_stand_below_the_lowest_interval_that_holds_them(ages: FeatureNodes) -> None:
    nodes, moved = ages.with_numbers(np.array([21.0, 25, 35, 60, 99]))
    assert nodes.labels == ("*", "[20,40)", "35", "[20,30)", "21", "25", "[40,60]", "60", "[40,50)", "\\N")
    assert names(nodes, moved) == list(ages.labels)
    assert names(nodes, nodes.parent[1:]) == [
        *("*", "[20,40)", "[20,40)", "[20,30)", "[20,30)", "*", "[40,60]", "[40,60]", "*"),
    ]
    assert nodes.labels[nodes.missing] == "\\N"
    assert names(nodes, nodes.around(np.array([21.0, 22, 35, 60, 59]))) == ["21", "[20,30)", "35", "60", "[40,60]"]
    assert names(nodes, np.flatnonzero(nodes.single)) == ["35", "21", "25", "60"]
    assert names(nodes, nodes.lca(np.array([4, 2]), np.array([5, 5]))) == ["[20,30)", "[20,40)"]
    assert names(nodes, nodes.inside(Interval(20, 25))) == ["21"]


def test_intervals_are_finest_whether_numbers_are_below_them_or_not(ages: FeatureNodes) -> None:
    nodes, _ = ages.with_numbers(np.array([21.0, 25]))
    assert names(ages, np.flatnonzero(ages.finest)) == names(nodes, np.flatnonzero(nodes.finest))
    assert names(nodes, np.flatnonzero(nodes.finest)) == ["[20,30)", "[40,50)", "\\N"]


def test_a_number_that_is_a_node_stays_one_and_an_interval_of_no_width_is_none() -> None:
    domain = Domain("n", "number", np.array(["0", "1"]), np.array([0.0, 1]))
    flat, _ = nodes_of_hierarchy(intervals(quantiles=4).encode(domain), hide_leaves=True, with_missing=False)
    assert flat.with_numbers(np.array([0.0, 1]))[0].labels == ("*", "0", "1")
    narrow = FeatureNodes(("*", "[7,7]"), np.array([-1, 0]), np.zeros(2), -1, np.array([7.0, 7]), np.array([7.0, 7]))
    assert narrow.single.tolist() == [False, False]
    assert narrow.with_numbers(np.array([7.0]))[0].labels == ("*", "[7,7]", "7")


def test_only_some_leaves_are_hidden() -> None:
    encoded = tree({"r": {"a": ["x", "y"]}, "z": []}, ["x"])
    nodes, into = nodes_of_hierarchy(encoded, hide_leaves=frozenset({"y"}), with_missing=False)
    assert "x" in nodes.labels
    assert "y" not in nodes.labels
    assert nodes.labels[into[encoded.labels.index("y")]] == "a"


def test_up_down_and_lca(ages: FeatureNodes) -> None:
    assert set(names(ages, ages.up[[2]].indices)) == {"*", "[20,40)", "[20,30)"}
    assert set(names(ages, ages.down[[1]].indices)) == {"[20,40)", "[20,30)"}
    first, second = np.array([2, 2, 4]), np.array([4, 1, 4])
    assert names(ages, ages.lca(first, second)) == ["*", "[20,40)", "[40,50)"]


def test_holding_and_lying_inside(ages: FeatureNodes) -> None:
    assert ages.holds(1, Interval(20, 40))
    assert not ages.holds(1, Interval(20, 40, closed=True))
    assert ages.holds(3, Interval(45, 60, closed=True))
    assert names(ages, ages.inside(Interval(20, 50))) == ["[20,40)", "[20,30)", "[40,50)"]
    assert "[40,60]" not in names(ages, ages.inside(Interval(20, 60)))
    assert "[40,60]" in names(ages, ages.inside(Interval(20, 60, closed=True)))
