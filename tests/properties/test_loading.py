"""Whatever is saved is loaded as it was: the rows, the audit, and what learners are told."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr

# Cells that look like published ones, like markers, like numbers, or that a CSV has to quote.
TEXTS = st.sampled_from(
    ["a", "b", "*", "?", "{a|b}", "[1,2)", "007", "1e3", " a", 'q"', "x,y", "line\nend", "ü", "'", "=1"]
)
NUMBERS = st.sampled_from([0, 1, -5, 20, 2**53 + 1])
METHODS = st.sampled_from(["mondrian", "datafly", "k-member"])
SCHEMA = hr.Schema(
    quasi=["town", "age"], target="ill", insensitive=["note", "part"], accept=["note", "part"], missing=("?",)
)
PARTS = st.sampled_from([0.5, -0.0, 1e300, 5e-324, 0.1])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(2, 12))

    def column(cells: st.SearchStrategy[Any], kind: pa.DataType) -> pa.Array:
        return pa.array(draw(st.lists(st.none() | cells, min_size=rows, max_size=rows)), kind)

    return pa.table(
        {
            "town": column(TEXTS, pa.string()),
            "age": column(NUMBERS, pa.int64()),
            "note": column(TEXTS, pa.string()),
            "part": column(PARTS, pa.float64()),
            "ill": draw(st.lists(st.sampled_from(["y", "n"]), min_size=rows, max_size=rows)),
        }
    )


def has_values(table: pa.Table) -> bool:
    """Whether no quasi-identifier is missing altogether, which is refused."""
    return any(town not in (None, "?") for town in table["town"].to_pylist()) and table["age"].null_count < len(table)


def rows_of(release: hr.Release) -> Counter[str]:
    """The rows; a town that is marked as missing is missing, however a table says it."""
    table = release.table
    rows = (table if isinstance(table, pa.Table) else table.to_arrow_table()).to_pylist()
    return Counter(repr({**row, "town": None if row["town"] == "?" else row["town"]}) for row in rows)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@examples(50)
@given(tables().filter(has_values), st.integers(1, 2), METHODS, st.booleans())
def test_what_is_saved_is_loaded(kind: str, table: pa.Table, k: int, method: str, told: bool) -> None:
    release = hr.anonymize(table, SCHEMA, method=method, k=k, publish_proportions=told)
    with tempfile.TemporaryDirectory() as folder:
        loaded = hr.Release.load(release.save(Path(folder) / f"out.{kind}"))
    assert rows_of(loaded) == rows_of(release)
    assert {**loaded.audit.to_dict(), "manifest": None} == release.audit.to_dict()
    if release.proportions is None or loaded.proportions is None:
        assert release.proportions is loaded.proportions
    else:
        assert loaded.proportions.to_dict() == release.proportions.to_dict()
