"""Rows divided among folders: all of them, each to its own, in the order they came in, whatever is laid aside."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.engines import _folders as folder_dividing
from hedgerow.engines._folders import DividedRows

ROWS = 3_000
RANDOM = np.random.default_rng(5)
TABLE = pa.table(
    {
        "town": pa.array([None if one == 3 else f"town {one}" for one in RANDOM.integers(0, 40, ROWS).tolist()]),
        "number": np.arange(ROWS),
        "sex": RANDOM.choice(["F", "M"], ROWS),
        "kind": pa.array(RANDOM.choice(["x", "y"], ROWS).tolist()).dictionary_encode(),
        "days": pa.array([[date(2020, 1, 1 + n % 9)] * (n % 3) for n in range(ROWS)]),
        "dose": pa.array([None if n % 5 == 0 else n / 7 for n in range(ROWS)]),
    }
)


def divided(columns: list[str], aside: BytesIO) -> dict[Any, pa.Table]:
    rows = DividedRows(TABLE.schema, columns, aside)
    for batch in TABLE.to_batches(170):
        rows.add(batch)
    return {values: pa.Table.from_batches(batches, rows.schema) for values, batches in rows.folders()}


@pytest.mark.parametrize("held", [1, 20_000, 10**9])
@pytest.mark.parametrize("columns", [["sex"], ["town"], ["town", "sex"], ["sex", "town"]])
def test_each_row_goes_to_its_folder_in_order(columns: list[str], held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is laid aside by itself, several are, or all at the end."""
    monkeypatch.setattr(folder_dividing, "_HELD", held)
    found = divided(columns, BytesIO())
    expected: dict[Any, list[int]] = {}
    for row, values in enumerate(zip(*(TABLE.column(name).to_pylist() for name in columns), strict=True)):
        expected.setdefault(values, []).append(row)
    assert set(found) == set(expected)
    for values, rows in expected.items():
        assert found[values].to_pylist() == TABLE.drop_columns(columns).take(rows).to_pylist()


def test_what_is_laid_aside_is_packed_and_no_more_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_dividing, "_HELD", 20_000)
    aside = BytesIO()
    rows = DividedRows(TABLE.schema, ["sex"], aside)
    most = max(batch.nbytes for batch in TABLE.to_batches(170))
    for batch in TABLE.to_batches(170):
        rows.add(batch)
        assert sum(one.nbytes for _, one in rows._held) < 20_000 + most
    assert 0 < len(aside.getvalue()) < TABLE.nbytes


def test_no_rows() -> None:
    assert list(DividedRows(TABLE.schema, ["sex"], BytesIO()).folders()) == []
