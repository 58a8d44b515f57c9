"""How published cells are read: as numbers and as groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.estimates.notation import Grouping
from hedgerow.evaluation.estimates.reading import Categories, PlainRows, PublishedRows, Unreadable, under_labels
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.io.domains import Domain


def published(
    name: str, cells: list[Any], hierarchies: Mapping[str, Hierarchy] | None = None, **kinds: str
) -> PublishedRows:
    table = pa.table({name: cells})
    return PublishedRows(table, (name,), PlainRows(table, kinds=kinds, otherwise="derived"), hierarchies or {})


def shares(column: Categories) -> dict[str, list[float]]:
    """The share of each row in each group."""
    rows = column.shares.toarray()[column.cell_of_row].round(3)
    return {name: rows[:, at].tolist() for at, name in enumerate(column.names)}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["21", "[20,30)"], [21, 24.5]),  # whole numbers from 20 to 29
        (["[20,30]"], [25]),
        (["1.5", "[2,3)"], [1.5, 2.45]),  # numbers with one decimal, from 2.0 to 2.9
        (["{20|22|30}"], [24]),
        (["*", "20"], [np.nan, 20]),
        ([None, "20"], [np.nan, 20]),
        (["<18", "18"], [17, 18]),  # without others to go by, an open interval is as wide as one step
        (["≥90", "[80,90)", "97"], [93.5, 84.5, 97]),
        (["{20|\\N}"], [20]),
    ],
)
def test_cells_as_numbers(cells: list[Any], expected: list[float]) -> None:
    column = published("age", cells).numbers("age")
    assert column.values[column.cell_of_row].tolist() == pytest.approx(expected, nan_ok=True)


def test_cells_as_groups() -> None:
    column = published("town", ["Bonn", "{Bonn|Ulm}", "*", None, "{Bonn|Ulm|\\N}"]).categories(Grouping("town"))
    assert shares(column) == {"Bonn": [1, 0.5, 0, 0, 0.333], "Ulm": [0, 0.5, 0, 0, 0.333]}


def test_cells_as_groups_of_numbers() -> None:
    cells = ["29", "[20,40)", "{20|30|50|60}", "*"]
    column = published("age", cells).categories(Grouping("age", (30, 50)))
    assert shares(column) == {"<30": [1, 0.5, 0.25, 0], "[30,50)": [0, 0.5, 0.25, 0], "≥50": [0, 0, 0.5, 0]}


def test_a_label_counts_as_the_values_that_its_hierarchy_lists() -> None:
    tree = hierarchy_of({"*": {"Germany": ["Bonn", "Ulm"], "France": ["Lyon"]}}, "town")
    column = published("town", ["Germany", "Lyon"], {"town": tree}).categories(Grouping("town"))
    assert shares(column) == {"Bonn": [0.5, 0], "Lyon": [0, 1], "Ulm": [0.5, 0]}


def test_text_that_looks_like_numbers_stays_text() -> None:
    table = published("zip", ["10", "20", "[1,2)"], zip="text")
    assert not table.holds_numbers("zip")
    assert set(shares(table.categories(Grouping("zip")))) == {"10", "20", "[1,2)"}
    assert published("zip", ["10", "20"]).holds_numbers("zip")


@pytest.mark.parametrize(
    ("cells", "message"),
    [(["young", "old"], "publishes text or labels of 'age'"), (["young", "[20,30)"], "publishes text or labels")],
)
def test_labels_are_no_numbers(cells: list[str], message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        published("age", cells).numbers("age")


def test_intervals_are_no_groups_of_their_own() -> None:
    with pytest.raises(Unreadable, match=r"name the numbers where groups begin, such as age\(30, 50\)"):
        published("age", ["[20,30)", "31"]).categories(Grouping("age"))


def test_too_many_groups_and_text_without_numbers_are_refused() -> None:
    rows = PlainRows(pa.table({"n": list(range(501)), "sex": ["F"] * 501}))
    with pytest.raises(Unreadable, match="501 different values, and 500 groups are the most; name the numbers"):
        rows.categories(Grouping("n"))
    with pytest.raises(Unreadable, match="'sex' holds text"):
        rows.categories(Grouping("sex", (3,)))
    with pytest.raises(Unreadable, match="no column 'age'"):
        rows.numbers("age")


def test_sets_by_the_published_proportions() -> None:
    """Nine of ten people of a class are of one town; where nothing is published, both count as half."""
    people = pa.table({"town": ["Bonn"] * 9 + ["Ulm"] + ["Lyon"] * 10, "age": [20] * 10 + [50] * 10})
    schema = hr.Schema(quasi=["town", "age"])
    release = hr.anonymize(people, schema, k=5, method="mondrian", publish_proportions=True, min_support=1)
    table = release.table
    plain = PlainRows(table, otherwise="derived")
    for proportions, expected in ((release.proportions, {9.0, 1.0}), (None, {5.0})):
        read = PublishedRows(table, release.quasi, plain, {}, proportions)
        column = read.categories(Grouping("town"))
        rows = dict(zip(column.names, column.rows.round(6).tolist(), strict=True))
        assert {rows["Bonn"], rows["Ulm"]} == expected
        assert rows["Lyon"] == 10


def test_original_values_count_under_a_label_that_lists_none() -> None:
    """A recipient knows only ``98***``; a label is not used where a value below it is published elsewhere."""
    zips = Domain("zip", "text", np.array(["98101", "98202", "10117"][::-1]))
    original = PlainRows(pa.table({"zip": ["98101", "98202", "10117"]})).categories(Grouping("zip"))
    mask = hierarchy_of("masking:3", "zip")
    zips = Domain("zip", "text", np.array(sorted(["98101", "98202", "10117"])))
    assert shares(under_labels(original, ["98***", "10117"], mask, zips)) == {"10117": [0, 0, 1], "98***": [1, 1, 0]}
    assert under_labels(original, ["98***", "98101"], mask, zips).names == original.names
    assert under_labels(original, ["98***"], None, zips).names == original.names
