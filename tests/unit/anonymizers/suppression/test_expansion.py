"""Re-expansion: leaves with many records show more than the tree asks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from hedgerow import KActus, Schema
from hedgerow.anonymizers.trees.nodes.custom_trees import Leaf


def shown(k: int, *, expand: bool = True, weights: Any = None, **columns: Any) -> Counter[tuple[Any, ...]]:
    """What is published of a table whose tree asks nothing."""
    rows = len(next(iter(columns.values())))
    table = pa.table({**columns, "class": [("x", "y")[at % 2] for at in range(rows)]})
    estimator = KActus(k=k, inducer=lambda _: Leaf(), expand=expand, remainder="lose", suppression_limit=1.0)
    schema = Schema(quasi=list(columns), target="class", weights=weights or {})
    release = estimator.anonymize(table, schema, random_state=0)
    return Counter(tuple(row[name] for name in columns) for row in release.table.to_pylist())


def test_without_it_nothing_is_shown() -> None:
    assert shown(2, expand=False, color=["red"] * 6) == {("*",): 6}


def test_what_all_records_share_is_shown() -> None:
    assert shown(4, color=["red"] * 6, age=[20, 20, 20, 26, 26, 26]) == {("red", 20.0): 6}


def test_categories_with_enough_records_are_told_apart() -> None:
    colors = ["red"] * 4 + ["blue"] * 3 + ["green"]
    # Red can spare one for green; two would be needed.
    assert shown(3, color=colors) == {("red",): 4, ("blue",): 3}
    assert shown(3, color=[*colors, "red"]) == {("red",): 3, ("blue",): 3, ("*",): 3}


def test_numbers_are_split_where_the_sides_are_narrowest() -> None:
    assert shown(2, age=[1, 2, 3, 20, 21, 22]) == {(2.0,): 3, (21.0,): 3}
    # Three on each side are too few to be split again, and with k = 4 nothing is split.
    assert shown(4, age=[1, 2, 3, 20, 21, 22]) == {(3.0,): 6}


def test_a_column_that_shows_more_comes_first() -> None:
    """Sex tells all eight records apart into fours; zip only five of them."""
    rows = shown(4, zip=["1"] * 5 + ["2", "3", "4"], sex=["f", "m"] * 4)
    assert Counter(sex for _, sex in rows.elements()) == {"f": 4, "m": 4}


def test_a_heavier_column_comes_first() -> None:
    """Sex shows all eight records and zip only five, but zip counts for more."""
    columns: dict[str, Any] = {"zip": ["1"] * 5 + ["2", "3", "4"], "sex": ["f", "m"] * 4}
    assert {zip_code for zip_code, _ in shown(4, weights={"zip": 2}, **columns)} >= {"1"}
    assert {zip_code for zip_code, _ in shown(4, weights={"zip": 1.5}, **columns)} == {"*"}
    # What weighs nothing is asked where nothing else can be.
    assert shown(2, weights={"sex": 0}, zip=["1"] * 4, sex=["f", "m"] * 2) == {("1", "f"): 2, ("1", "m"): 2}


def test_few_missing_numbers_are_left_alone() -> None:
    assert shown(3, age=[1, 2, 3, 7, 8, None], sex=["f"] * 6) == {(None, "f"): 6}
    # Enough of them are a branch of their own.
    assert shown(3, age=[1, 2, 3, 7, 8, 9, None, None, None]) == {(2.0,): 3, (8.0,): 3, (None,): 3}
