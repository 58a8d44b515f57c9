"""Taxonomies and ordered groups from nested dicts and lists."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import groups, taxonomy
from hedgerow.hierarchies.encoded import Tree
from hedgerow.hierarchies.taxonomies import misplaced_labels
from hedgerow.io.domains import Domain


def text(*labels: str, missing: bool = False) -> Domain:
    return Domain("c", "text", np.array(sorted(labels), dtype=np.str_), has_missing=missing)


def number(*numbers: float) -> Domain:
    return Domain("c", "number", np.array([f"{n:g}" for n in numbers]), np.array(numbers))


def test_one_key_at_the_top_is_the_root() -> None:
    assert taxonomy({"Any": ["a", "b"]}).tree == Tree(("Any", "a", "b"), (-1, 0, 0))


@pytest.mark.parametrize("spec", [{"a": {}, "b": []}, ["a", "b"], ("a", {"b": None})])
def test_several_at_the_top_get_the_star(spec: Any) -> None:
    assert taxonomy(spec).tree == Tree(("*", "a", "b"), (-1, 0, 0))


def test_an_only_value_is_not_its_own_root() -> None:
    assert taxonomy({"a": []}).tree == Tree(("*", "a"), (-1, 0))


def test_golden_form() -> None:
    spec = {
        "value": "Any",
        "children": [
            {"value": "[1,40)", "children": [{"value": 30, "children": []}]},
            {"value": "[40,99)", "children": [{"value": "40"}, {"value": "50", "children": []}]},
        ],
    }
    encoded = taxonomy(spec).encode(number(30.0, 40.0))
    assert encoded.labels == ("Any", "[1,40)", "30", "[40,99)", "40", "50")
    assert encoded.leaf_of.tolist() == [2, 4]


def test_lists_may_mix_values_and_branches() -> None:
    encoded = taxonomy({"Any": ["a", {"B": ["b1", "b2"]}, "c"]}).encode(text("a", "b2"))
    assert encoded.labels == ("Any", "a", "B", "b1", "b2", "c")
    assert encoded.height == 2


def test_numbers_match_by_value_and_text_by_text() -> None:
    spec = {"Any": {"low": ["7.0", 8], "high": ["40"]}}
    assert taxonomy(spec).encode(number(7.0, 8.0)).leaf_of.tolist() == [2, 3]
    with pytest.raises(BadInput, match="does not cover 1 of its 2 different values"):
        taxonomy(spec).encode(text("7", "8"))


def test_entries_that_are_no_numbers_do_not_disturb_numbers() -> None:
    encoded = taxonomy({"Any": ["Unknown", 1, 2]}).encode(number(1.0))
    assert encoded.leaf_count[0] == 3


def test_dates_match_by_iso_text() -> None:
    domain = Domain("c", "date", np.array(["2024-03-01"]), np.array([19783.0]))
    assert taxonomy({"Any": [datetime.date(2024, 3, 1)]}).encode(domain).leaf_of.tolist() == [1]


def test_missing_needs_no_place() -> None:
    encoded = taxonomy({"Any": {"A": ["a"]}}).encode(text("a", missing=True))
    assert encoded.labels == ("Any", "A", "a", None)
    assert encoded.at_level.tolist() == [[2, 3], [1, 3], [0, 0]]


def test_uncovered_values_are_counted_and_not_quoted() -> None:
    with pytest.raises(BadInput, match=r"column 'c' does not cover 2 of its 3 different values") as caught:
        taxonomy({"Any": ["a"]}).encode(text("a", "secret1", "secret2"))
    assert "secret" not in str(caught.value)


def test_a_group_label_is_not_a_value() -> None:
    with pytest.raises(BadInput, match="does not cover 1"):
        taxonomy({"Any": {"A": ["a"]}}).encode(text("A", "a"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"Any": {"A": ["secret"], "B": ["secret"]}}, "lists 1 value twice"),
        (["secret", "secret"], "lists 1 value twice"),
        ({"Any": {"A": {"secret": ["a"]}, "B": {"secret": ["b"]}}}, "1 labels with two parents"),
        ({"Any": {"secret": ["a"], "B": ["secret"]}}, "1 labels with two parents"),
        ({}, "is empty"),
        ([], "is empty"),
        ({"Any": "secret"}, "Found str instead"),
        ({"Any": [["secret"]]}, "Found list instead"),
        ({"Any": [True]}, "Found bool instead"),
        ({"Any": [None]}, "Found NoneType instead"),
        (7, "Found int instead"),
    ],
)
def test_malformed_taxonomies(spec: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        taxonomy(spec)
    assert "secret" not in str(caught.value)


def test_the_same_number_written_twice() -> None:
    twice = taxonomy(["39", "39.0"])
    with pytest.raises(BadInput, match="lists 1 numbers twice"):
        twice.encode(number(39.0))
    assert twice.encode(text("39", "39.0")).height == 1


def test_a_label_repeated_along_the_way_up_is_in_place() -> None:
    assert taxonomy({"Any": {"White": ["White", "Beige"]}}).encode(text("White")).leaf_of.tolist() == [2]
    assert misplaced_labels(Tree(("*", "a", "b", "a", "a"), (-1, 0, 0, 1, 2))) == [(3, 4)]
    assert misplaced_labels(Tree(("a", "a", "a"), (-1, 0, 1))) == []
    assert misplaced_labels(Tree(("*", "a", "b", "a"), (-1, 0, 1, 2))) == []


def test_groups_keep_the_given_order() -> None:
    encoded = groups({"below": ["low", "fair"], "above": ["good", "excellent"]}).encode(
        text("low", "fair", "good", "excellent")
    )
    assert encoded.labels == ("*", "below", "low", "fair", "above", "good", "excellent")
    assert encoded.order.tolist() == [3, 1, 2, 0]  # excellent, fair, good, low


def test_unnamed_groups_are_called_after_their_ends() -> None:
    built = groups([[["a", "b"], ["c"]], [["d", "e"]], {"rest": ["f", "g"]}])
    assert built.tree.labels == (
        "*", "a..c", "d..e", "rest", "a..b", "c", "d..e", "f", "g", "a", "b", "c", "d", "e",
    )  # fmt: skip


def test_a_group_of_named_groups_is_called_after_its_values() -> None:
    built = groups([[{"x": ["a", "b"]}, {"y": {"c": {}}}], ["d"]])
    assert built.tree.labels[:3] == ("*", "a..c", "d")


def test_the_only_key_of_groups_is_no_root() -> None:
    assert groups({"all": ["a", "b"]}).tree.labels == ("*", "all", "a", "b")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ([["a"], []], "A group is empty"),
        ([["a"], ["a", "b"]], "lists 1 value twice"),
        ({}, "empty"),
        (3, "Found int"),
    ],
)
def test_malformed_groups(spec: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        groups(spec)


@pytest.mark.parametrize("build", [taxonomy, groups])
@pytest.mark.parametrize("depth", [201, 100_000])
def test_what_is_nested_too_deeply_is_refused(build: Any, depth: int) -> None:
    deep: Any = ["secret"]
    for at in range(depth):
        deep = {f"label {at}": deep} if build is taxonomy else [deep]
    with pytest.raises(BadInput, match="nested more than 200 levels deep") as caught:
        build(deep)
    assert "secret" not in str(caught.value)
