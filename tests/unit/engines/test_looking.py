"""Looking at a table: every value is counted, and rows are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import FileSource, Look, MemorySource, open_source

TABLE = pa.table({"n": [1, 2, 2, None, 3] * 40, "t": ["a", "b", "b", "", "c"] * 40})


def seen(look: Look, name: str) -> dict[Any, int]:
    tally = look.tallies[name]
    assert tally is not None
    return dict(zip(tally.values.to_pylist(), tally.records.tolist(), strict=True))


def test_frames(frame_type: Any) -> None:
    look = MemorySource(frame_type(TABLE)).look(1000)
    assert seen(look, "n") == {1: 40, 2: 80, None: 40, 3: 40}
    assert (look.rows, look.sample.num_rows, look.sampled) == (200, 200, False)
    assert look.tallies["t"] is not None
    assert look.tallies["t"].distinct == 4


@pytest.mark.parametrize("most", [1000, 50])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_counted_as_a_whole_and_sampled(most: int, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{ending}"
    pyarrow.csv.write_csv(TABLE, path) if ending == "csv" else pq.write_table(TABLE, path)
    look = FileSource(hr.File(path)).look(most)

    assert look.rows == 200
    assert look.sample.num_rows == min(most, 200)
    assert look.sampled == (most == 50)
    assert look.sample.column_names == ["n", "t"]
    one, missing = ("1", "") if ending == "csv" else (1, None)
    assert seen(look, "n")[one] == 40
    assert (seen(look, "n").get(missing) or seen(look, "n")[None]) == 40
    assert sum(seen(look, "t").values()) == 200


def test_columns_with_very_many_values_are_about_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.engines._looking._MOST_TALLIED", 20)
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": list(range(500)), "few": [1, 2] * 250}), path)
    look = FileSource(hr.File(path)).look(100)
    tally = look.tallies["id"]
    assert tally is not None
    assert 400 <= tally.distinct <= 600
    assert len(tally.values) == 100
    assert seen(look, "few") == {1: 250, 2: 250}


def test_nested_columns_are_not_counted(tmp_path: Path) -> None:
    nested = pa.table({"n": [[1], [2], None], "m": [1, 2, 3]})
    pq.write_table(nested, tmp_path / "t.parquet")
    for source in (MemorySource(nested), open_source(tmp_path / "t.parquet")):
        for most in (2, 9):
            assert source.look(most).tallies["n"] is None


def test_an_order_is_kept() -> None:
    frame = pd.DataFrame({"t": pd.Categorical(["low", "high", None], categories=["low", "high"], ordered=True)})
    tally = MemorySource(frame).look(9).tallies["t"]
    assert tally is not None
    assert tally.values.type.ordered
    assert tally.distinct == 2
