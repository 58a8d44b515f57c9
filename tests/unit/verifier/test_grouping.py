"""One GROUP BY, alike for polars and for DuckDB."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.verifier.grouping import group_frame

COLUMNS = {"x": [0.0, -0.0, 0.0, None], "y": ["a", "a", "a", "b"]}


@pytest.mark.parametrize("table", [pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=["polars", "duckdb"])
@pytest.mark.parametrize(("quasi", "rows"), [(1, [1, 1, 2]), (0, [1, 3])])
def test_a_signed_zero_is_another_value_only_of_a_quasi_identifier(table: Any, quasi: int, rows: list[int]) -> None:
    grouped = group_frame(nw.from_native(table, eager_only=True), ["x", "y"], quasi)
    assert grouped.column_names == ["c0", "c1", "n"]
    assert sorted(grouped["n"].to_pylist()) == rows
