"""Published cells as shares of values: sets, intervals, labels, stars and null."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses.base import Material
from hedgerow.evaluation.analyses.spread import Condition, original_rows, spread, spread_rows
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.ways import Way
from hedgerow.hierarchies import hierarchy_of
from hedgerow.io.domains import Domain

AGES = Domain("age", "number", np.array(["20", "21", "25", "30"]), np.array([20.0, 21, 25, 30]))
TOWNS = Domain("town", "text", np.array(["Bonn", "Lyon", "Nice", "Ulm"]))
DAYS = Domain("born", "date", np.array(["1970-01-01", "1970-01-02", "1970-02-01"]), np.array([0.0, 1, 31]))


def shares(cells: Any, domain: Domain, **options: Any) -> list[list[float]]:
    column = spread(pa.table({domain.name: cells}), {domain.name: domain}, **options)[domain.name]
    rows: list[list[float]] = column.shares.toarray()[column.cell_of_row].round(3).tolist()
    return rows


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("21", [0, 1, 0, 0]),
        ("[20,25)", [0.5, 0.5, 0, 0]),
        ("[20,25]", [0.333, 0.333, 0.333, 0]),
        ("{20|30}", [0.5, 0, 0, 0.5]),
        ("*", [0.25, 0.25, 0.25, 0.25]),
        ("<25", [0.5, 0.5, 0, 0]),
        ("≥25", [0, 0, 0.5, 0.5]),
        ("≥99", [0, 0, 0, 1]),
        ("23.5", [0, 0, 1, 0]),  # a redrawn number counts for the nearest original one
        ("[26,28)", [0, 0, 1, 0]),
        ("99", [0, 0, 0, 1]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_cells_of_numbers(cell: str, expected: list[float]) -> None:
    assert shares([cell], AGES) == [expected]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Bonn", [1, 0, 0, 0]),
        ("{Bonn|Ulm}", [0.5, 0, 0, 0.5]),
        ("{Bonn|Rome}", [0.5, 0, 0, 0]),
        ("France", [0, 0.5, 0.5, 0]),
        ("*", [0.25, 0.25, 0.25, 0.25]),
        ("Atlantis", [0, 0, 0, 0]),
    ],
)
def test_cells_of_text(cell: str, expected: list[float]) -> None:
    countries = {"Germany": ["Bonn", "Ulm"], "France": ["Lyon", "Nice"]}
    assert shares([cell], TOWNS, hierarchies={"town": hierarchy_of(countries, "town")}) == [expected]


def test_intervals_of_dates() -> None:
    assert shares(["[1970-01-01,1970-02-01)", "1970-02-01"], DAYS) == [[0.5, 0.5, 0], [0, 0, 1]]


def test_null_is_missing_or_suppressed() -> None:
    assert shares([20.0, None], AGES) == [[1, 0, 0, 0], [0, 0, 0, 0]]
    assert shares([20.0, None], AGES, hidden=["age"]) == [[1, 0, 0, 0], [0.25] * 4]


def test_a_missing_value_is_a_value_of_its_own_that_meets_no_condition() -> None:
    table = OpenedTable(pa.table({"town": ["Bonn", None, "Ulm"]}), hr.Schema(quasi=["town"]))
    column = original_rows(table)["town"]
    assert column.domain.has_missing
    assert column.of_rows(Condition("town", labels=frozenset({"Bonn", "Ulm"}))).tolist() == [1, 0, 1]
    read = spread(pa.table({"town": ["{Bonn|\\N}", None]}), {"town": column.domain})["town"]
    assert read.of_rows(Condition("town", labels=frozenset({"Bonn"}))).tolist() == [0.5, 0]


@pytest.mark.parametrize("method", ["mondrian", "kactus", "datafly"])
def test_every_cell_of_a_release_is_spread_in_full(method: str) -> None:
    """Suppressed numbers are null, and the values of dates are intervals: nobody may get lost."""
    hospital = hr.datasets.make_hospital(200, random_state=1)
    schema = hr.Schema(
        quasi=["born", "sex", "triage", "days"], target="readmitted", others="drop", rows_are_people=True
    )
    release = hr.anonymize(hospital, schema, method=method, k=5, random_state=0)
    part = OpenedTable(hospital, schema)
    material = Material(part, hospital, release, Way("published", "raw"), 0)
    for name, column in spread_rows(material, 1, original_rows(part)).items():
        assert np.allclose(column.shares.sum(axis=1)[column.cell_of_row], 1), name
