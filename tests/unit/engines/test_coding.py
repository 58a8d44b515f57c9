"""Values as codes inside DuckDB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.engines import _coding as coding
from hedgerow.engines._coding import CELLS, RECORDS, Keys, code_cells, learn_values
from hedgerow.engines.workspace import Workspace

SIZES = {"c0": 3, "c1": 4, "c2": 2, "c3": 1}


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    work = Workspace(tmp_path)
    random = np.random.default_rng(1)
    for name, size in SIZES.items():
        # Two spellings of the last code, one of them null.
        texts = pa.array([None, *(f"v{code}" for code in range(size))])
        learn_values(work, name, pa.chunked_array([texts]), np.array([size - 1, *range(size)], dtype=np.int32))
    rows = {name: [None, *(f"v{code}" for code in random.integers(0, size, 200))] for name, size in SIZES.items()}
    work.register(source=pa.table(rows))
    return work


@pytest.mark.parametrize(("largest", "keys"), [(2**62, 1), (12, 2), (1, 4)])
def test_cells_are_those_of_the_rows(work: Workspace, monkeypatch: pytest.MonkeyPatch, largest: int, keys: int) -> None:
    monkeypatch.setattr(coding, "_LARGEST_KEY", largest)
    found = Keys.of(SIZES)
    assert len(found.keys) == keys
    code_cells(work, "source", "count(*)", found)
    (batch,) = work.batches(f"SELECT {', '.join(found.names)}, {RECORDS} FROM {CELLS} ORDER BY rowid")
    codes, records = found.codes(batch), batch.column(keys)
    rows = work.fetch("SELECT * FROM source").to_pylist()
    expected: dict[tuple[int, ...], int] = {}
    for row in rows:
        cell = tuple(SIZES[name] - 1 if row[name] is None else int(row[name][1:]) for name in SIZES)
        expected[cell] = expected.get(cell, 0) + 1
    assert [tuple(cell) for cell in codes.tolist()] == sorted(expected)
    assert records.to_pylist() == [expected[cell] for cell in sorted(expected)]
    for at, name in enumerate(SIZES):
        read = work.fetch(f"SELECT {found.code(name)} AS code FROM {CELLS} ORDER BY rowid").column(0).to_pylist()
        assert read == codes[:, at].tolist()


def test_many_columns_are_joined_step_by_step(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "_JOINED", 2)
    found = Keys.of(SIZES)
    assert [key.columns for key in found.keys] == [("c0", "c1"), ("c2", "c3")]
    code_cells(work, "source", "count(*)", found)
    assert work.number(f"SELECT sum(records) FROM {CELLS}") == 201
