"""Who holds each published value, counted by the verifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from hedgerow.errors import HedgerowError
from hedgerow.verifier import RareValues, RowOwners, people_per_value

# Ann has two rows in Ulm. Nobody but Cy is in Bern, and nobody but Bob has no days.
TABLE = pa.table(
    {
        "who": ["ann", "ann", "bob", "cy", "dee"],
        "town": ["Ulm", "Ulm", "Ulm", "Bern", "Ulm"],
        "days": [1, 1, None, 2, 2],
        "weight": [0.0, -0.0, 0.0, 0.0, 0.0],
    }
)


@pytest.fixture(params=["pyarrow", "pandas", "polars", "relation", "csv", "parquet"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "csv":
        pc.write_csv(TABLE, tmp_path / "a.csv")
        return tmp_path / "a.csv"
    if request.param == "parquet":
        pq.write_table(TABLE, tmp_path / "a.parquet")
        return tmp_path / "a.parquet"
    return {
        "pyarrow": lambda: TABLE,
        "pandas": TABLE.to_pandas,
        "polars": lambda: pl.from_arrow(TABLE),
        "relation": lambda: duckdb.from_arrow(TABLE),
    }[request.param]()


def test_rows(table: Any) -> None:
    found = people_per_value(table, 2, exempt=["who"])
    assert found.counted == "rows"
    assert found.columns["town"] == RareValues(1, 1, 1)
    assert found.columns["days"] == RareValues(1, 1, 1)  # the missing value is a value
    assert found.columns["weight"] == RareValues(1, 1, 1)  # -0.0 is not 0.0 to a reader
    assert "who" not in found.columns


def test_people_by_a_column(table: Any) -> None:
    found = people_per_value(table, 3, entity="who")
    assert found.exempt == ("who",)
    assert found.columns["town"] == RareValues(1, 1, 1)  # three people in Ulm, one in Bern
    assert found.columns["days"] == RareValues(1, 3, 5)
    assert found.finding.requirement == "at least 3 people for every value of every column except 'who'"
    assert (found.finding.holds, found.finding.reached) == (False, 1)


def test_people_of_rows(table: Any) -> None:
    owners = RowOwners("who", np.array([0, 0, 1, 2, 3]))
    found = people_per_value(table, 2, entity=owners)
    assert found.columns["days"] == RareValues(1, 2, 3)  # only Ann has one day
    assert found.counted == "people"


def test_enough() -> None:
    found = people_per_value(pa.table({"a": ["x"] * 3, "b": [None] * 3}), 3)
    assert found.failing == {}
    assert found.finding.holds
    assert found.finding.reached == 3


def test_different_missing_objects_of_pandas_are_missing() -> None:
    found = people_per_value(pd.DataFrame({"a": ["x", "x", None, float("nan")]}), 2)
    assert found.failing == {}


def test_an_empty_table_and_nested_values_are_refused() -> None:
    with pytest.raises(HedgerowError, match="no rows"):
        people_per_value(pa.table({"a": pa.array([], pa.string())}), 2)
    with pytest.raises(HedgerowError, match="'a' holds lists"):
        people_per_value(pa.table({"a": [[1], [2]]}), 2)
