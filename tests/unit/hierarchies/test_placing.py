"""Values that a hierarchy was not encoded for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.hierarchies import NOWHERE, hierarchy_of, intervals, nodes_above
from hedgerow.io.domains import Domain

ZIPS = Domain("zip", "text", np.array(["011", "012", "021"]))


def test_numbers_go_to_the_finest_interval_around_them() -> None:
    ages = Domain("age", "number", np.array(["20", "40"]), np.array([20.0, 40]))
    encoded = intervals([20, 30, 40], levels=[[20, 40]]).encode(ages)
    unseen = Domain("age", "number", np.array(["19", "25", "30"]), np.array([19.0, 25, 30]))
    nodes = nodes_above(encoded, ages, unseen, None)
    assert [None if node == NOWHERE else encoded.labels[node] for node in nodes] == [None, "[20,30)", "[30,40]"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("masking", ["02*", "*"]), ({"*": {"north": ["011", "012", "022"], "south": ["021"]}}, ["022", None])],
)
def test_text_goes_to_a_leaf_or_to_the_lowest_label_above_it(spec: Any, expected: list[str | None]) -> None:
    hierarchy = hierarchy_of(spec, "zip")
    encoded = hierarchy.encode(ZIPS)
    nodes = nodes_above(encoded, ZIPS, Domain("zip", "text", np.array(["022", "911"])), hierarchy)
    assert [None if node == NOWHERE else encoded.labels[node] for node in nodes] == expected
