"""What one cell says; what is written and read back is in tests/properties."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hedgerow.core.cells import MISSING, SUPPRESSED, Interval, Node, ValueSet, over_leaves, read, stands_for, write

TOWNS = {"Germany": ("Bonn", "Trier"), "any": ("Bonn", "Trier", "Lyon")}


def one_of(*members: str | None) -> ValueSet:
    return ValueSet(frozenset(members))


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [
        ("Bonn", one_of("Bonn")),
        ("Germany", Node("Germany", frozenset({"Bonn", "Trier"}))),
        ("{Germany|Lyon}", one_of("Bonn", "Trier", "Lyon")),
        ("{Germany|Bonn|\\N}", one_of("Bonn", "Trier", None)),
        ("{Germany}", one_of("Bonn", "Trier")),
        ("{*}", one_of("*")),
        ("*", SUPPRESSED),
        (None, MISSING),
        ("[1,2)", one_of("[1,2)")),
        ("{a", one_of("{a")),
    ],
)
def test_cells_under_a_taxonomy(cell: Any, meaning: Any) -> None:
    assert read(cell, "text", TOWNS) == meaning


def test_what_cells_stand_for() -> None:
    assert stands_for(read("Germany", "text", TOWNS)) == frozenset({"Bonn", "Trier"})
    assert stands_for(read("{Germany|Lyon}", "text", TOWNS)) == frozenset({"Bonn", "Trier", "Lyon"})
    assert stands_for(read("[1,2)")) == Interval(1, 2)
    assert stands_for(SUPPRESSED) is SUPPRESSED


@pytest.mark.parametrize("cell", ["39.0", "39", 39, 39.0, np.int64(39), np.float64(39), "{39}", "039"])
def test_all_spellings_of_a_number_are_one_in_a_column_of_numbers(cell: object) -> None:
    assert read(cell, "number") == one_of("39")


@pytest.mark.parametrize("cell", ["1_000", "nan", "inf", "٣", " "])
def test_what_is_no_number_stays_text(cell: str) -> None:
    assert read(cell, "number") == one_of(cell)


def test_text_is_never_spelled_anew() -> None:
    assert read("039", "text") == one_of("039")
    assert read("{039|39.0}", "text") == one_of("039", "39.0")


def test_dates_are_dates_where_the_column_holds_dates() -> None:
    january = "[1970-01-01,1970-02-01)"
    assert read(january, "date") == Interval(0, 31)
    assert read(january, "text") == read(january) == one_of(january)
    assert read("[1970-01-01,1970-13-01)", "date") == one_of("[1970-01-01,1970-13-01)")
    assert read(dt.date(1970, 1, 2), "date") == read(dt.datetime(1970, 1, 2)) == one_of("1970-01-02")


@pytest.mark.parametrize("cell", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_cells(cell: object) -> None:
    assert read(cell) is MISSING
    assert write(MISSING) is None


def test_truth_values_are_written_as_tables_write_them() -> None:
    assert read(True) == one_of("true")


def test_a_set_without_labels_is_left_as_it_is() -> None:
    members = one_of("a", "b")
    assert over_leaves(members, TOWNS) is members
