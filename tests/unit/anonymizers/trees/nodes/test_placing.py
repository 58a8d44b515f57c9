"""Placing values of another table: known ones, those that only a hierarchy knows, and unknown ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow import BadInput, hierarchies
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizedAttribute, places_of
from hedgerow.hierarchies import NOWHERE
from hedgerow.io.domains import Domain


def domain(values: list[Any], *, has_missing: bool = False) -> Domain:
    labels = np.array([str(value) for value in values], dtype=np.str_)
    numbers = None if not values or isinstance(values[0], str) else np.array(values, dtype=np.float64)
    return Domain("x", "text" if numbers is None else "number", labels, numbers, has_missing)


def placed(given: Any, known: Domain, new: Domain) -> list[Any]:
    """The labels of the nodes, or the codes of numbers that are asked by threshold."""
    hierarchy = hierarchies.hierarchy_of(given, "x")
    attribute = GeneralizedAttribute(known, hierarchy.encode(known))
    places = places_of(attribute, new, hierarchy)
    if attribute.by_threshold:
        return [int(place) for place in places]
    return ["nowhere" if place == NOWHERE else attribute.hierarchy.labels[place] for place in places]


def test_numbers_by_threshold_have_the_code_of_the_next_larger_one() -> None:
    known = domain([10, 20, 30], has_missing=True)
    assert placed(None, known, domain([5, 10, 15, 30, 99], has_missing=True)) == [0, 0, 1, 2, 2, 3]
    assert placed(None, domain([10, 20]), domain([10], has_missing=True)) == [0, NOWHERE]


def test_intervals_know_the_numbers_inside_them() -> None:
    width = hierarchies.intervals(width=10, levels=[20])
    # The intervals are [0,10), [10,20) in [0,20) and [20,30), [30,40] in [20,40].
    assert placed(width, domain([12, 25, 31]), domain([11, 12, 29, 40, 41])) == [
        "[10,20)",
        "12",
        "[20,30)",
        "[30,40]",
        "nowhere",
    ]


def test_a_taxonomy_knows_values_that_did_not_occur() -> None:
    tree = {"*": {"U": ["a", "b"], "V": ["c", "d"]}}
    new = domain(["a", "b", "e"], has_missing=True)
    assert placed(tree, domain(["a", "c"]), new) == ["a", "b", "nowhere", "nowhere"]
    assert placed(tree, domain(["a", "c"], has_missing=True), new) == ["a", "b", "nowhere", None]


def test_masking_generalizes_what_it_has_not_seen() -> None:
    known = domain(["011", "012", "021"])
    assert placed("masking", known, domain(["013", "022", "031", "111"])) == ["01*", "02*", "0**", "*"]


def test_a_column_without_values_places_nothing() -> None:
    assert placed("flat", domain(["a"]), domain([], has_missing=True)) == ["nowhere"]
    assert placed("flat", domain([], has_missing=True), domain(["a"])) == ["nowhere"]


def test_text_where_numbers_were_is_refused() -> None:
    with pytest.raises(BadInput, match="'x' held numbers in training and holds text now"):
        placed(None, domain([1, 2]), domain(["few"]))
