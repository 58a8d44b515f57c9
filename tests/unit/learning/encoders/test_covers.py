"""What the cells of a table mean in a column."""

from __future__ import annotations

import datetime as dt
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.core.cells import Vocabulary, read_vocabulary
from hedgerow.hierarchies import intervals
from hedgerow.learning.encoders._column import Column, fit_column
from hedgerow.learning.encoders._covers import Covers, covers_of

ANIMALS = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}


def cells_of(values: Any) -> Vocabulary:
    return read_vocabulary(nw.from_native(pa.chunked_array([pa.array(values)]), series_only=True).alias("c"))


def meaning(column: Column, cell: Any) -> tuple[str, bool]:
    """The label of the lowest node above a cell, and whether the cell is that node."""
    covers = covers_of(column, cells_of([cell]), "ancestor")
    return column.nodes.labels[covers.node[0]], bool(covers.whole[0])


@pytest.fixture
def race() -> Column:
    return fit_column("c", cells_of(["cat", "dog", None]), ANIMALS)


@pytest.fixture
def age() -> Column:
    return fit_column("c", cells_of(["21", "22", "35", "44"]), intervals([20, 30, 40, 50], levels=[[20, 40, 50]]))


@pytest.mark.parametrize(
    ("cell", "node", "whole"),
    [
        ("cat", "cat", True),
        ("felidae", "felidae", True),
        ("*", "mammals", True),
        (None, "\\N", True),
        ("{cat|lion}", "felidae", True),
        ("{cat|dog}", "mammals", False),
        ("{cat|\\N}", "mammals", False),
        ("wolf", "mammals", True),
    ],
)
def test_categories(race: Column, cell: Any, node: str, whole: bool) -> None:
    assert meaning(race, cell) == (node, whole)


@pytest.mark.parametrize(
    ("cell", "node", "whole"),
    [
        ("21", "[20,30)", True),
        ("29.5", "[20,30)", True),
        ("[20,30)", "[20,30)", True),
        ("[20.0,30.0)", "[20,30)", True),
        ("[21,23)", "[20,30)", False),
        ("[25,35)", "[20,40)", False),
        ("[35,45)", "*", False),
        ("[10,15)", "*", False),
        ("{21|22}", "[20,30)", True),
        ("{21|35}", "[20,40)", False),
        ("99", "*", True),
    ],
)
def test_numbers(age: Column, cell: str, node: str, whole: bool) -> None:
    assert meaning(age, cell) == (node, whole)


def spread(column: Column, covers: Covers) -> dict[str, float]:
    row = covers.spread[[0]].toarray()[0]
    return {label: float(share) for label, share in zip(column.nodes.labels, row, strict=True) if share}


def test_an_interval_is_shared_by_the_known_numbers_in_it(age: Column) -> None:
    assert spread(age, covers_of(age, cells_of(["[20,44)"]), "ancestor")) == {"[20,30)": 2, "[30,40)": 1}
    assert spread(age, covers_of(age, cells_of(["[20,44]"]), "ancestor")) == {"[20,30)": 2, "[30,40)": 1, "[40,50]": 1}


def test_an_interval_without_known_numbers_is_shared_by_width(age: Column) -> None:
    assert spread(age, covers_of(age, cells_of(["[24,31)"]), "ancestor")) == {"[20,30)": 6, "[30,40)": 1}


def test_single_numbers_cover_and_are_covered() -> None:
    edges = intervals([20, 30, 40, 50], levels=[[20, 40, 50]])
    age = fit_column("c", cells_of(["21", "22", "35", "44"]), edges, singles=True)
    assert meaning(age, "21") == ("21", True)
    assert meaning(age, "{21}") == ("21", True)
    assert meaning(age, "[21,21]")[0] == "21"
    assert meaning(age, "[21,22)") == ("[20,30)", False)
    assert meaning(age, "{21|22}") == ("[20,30)", True)
    assert meaning(age, "{21|35}") == ("[20,40)", False)
    assert spread(age, covers_of(age, cells_of(["[20,44)"]), "ancestor")) == {"21": 1, "22": 1, "35": 1}
    # Where no number is known, the finest intervals share by width, as without single numbers.
    assert spread(age, covers_of(age, cells_of(["[24,31)"]), "ancestor")) == {"[20,30)": 6, "[30,40)": 1}
    inside = covers_of(age, cells_of(["[22,44)"]), "ancestor").inside.indices
    assert {age.nodes.labels[node] for node in inside} == {"22", "35", "[30,40)"}


def test_inside_a_set_are_the_nodes_with_all_their_values(race: Column) -> None:
    covers = covers_of(race, cells_of(["{cat|dog}"]), "ancestor")
    assert {race.nodes.labels[node] for node in covers.inside.indices} == {"cat", "dog", "canine"}


def test_members_that_are_not_known_do_not_fill_a_node(age: Column) -> None:
    covers = covers_of(age, cells_of(["{23|24|36}"]), "ancestor")
    assert not covers.whole[0]
    assert covers.inside.nnz == 0


def test_inside_an_interval_are_the_intervals_within_its_ends(age: Column) -> None:
    covers = covers_of(age, cells_of(["[25,50]"]), "ancestor")
    assert {age.nodes.labels[node] for node in covers.inside.indices} == {"[30,40)", "[40,50]"}


@pytest.mark.parametrize("cell", ["wolf", "{cat|wolf}"])
def test_unknown_values_are_refused_by_choice(race: Column, cell: str) -> None:
    with pytest.raises(BadInput, match="'c' has 1 different value that its hierarchy does not know") as refused:
        covers_of(race, cells_of([cell]), "error")
    assert "wolf" not in str(refused.value)


@pytest.mark.parametrize("cell", [None, "{21|\\N}"])
def test_a_missing_value_where_there_was_none(age: Column, cell: str | None) -> None:
    assert age.nodes.labels[covers_of(age, cells_of(pa.array([cell], pa.string())), "ancestor").node[0]] == "*"
    with pytest.raises(BadInput, match="does not know"):
        covers_of(age, cells_of(pa.array([cell], pa.string())), "error")


def test_a_column_that_was_suppressed_takes_any_kind() -> None:
    nothing = fit_column("c", cells_of(["*", "*"]))
    assert covers_of(nothing, cells_of([1, 2]), "ancestor").node.tolist() == [0]


def test_a_column_of_another_kind_is_refused(race: Column, age: Column) -> None:
    with pytest.raises(BadInput, match="held text in training and holds numbers now"):
        covers_of(race, cells_of([1, 2]), "ancestor")
    with pytest.raises(BadInput, match="held numbers in training and holds dates now"):
        covers_of(age, cells_of([dt.date(2020, 1, 1)]), "ancestor")
    with pytest.raises(BadInput, match="was fitted as numbers and holds text"):
        covers_of(age, cells_of(["old"]), "ancestor")
