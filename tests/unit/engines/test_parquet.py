"""Parquet files that are read as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines import FileSource, open_source
from hedgerow.errors import BadInput
from hedgerow.schema import Schema

SCHEMA = Schema(quasi=["age"], others="insensitive")


def written(folder: Path, **files: dict[str, Any]) -> Path:
    for name, columns in files.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


def opened(place: Path | str) -> FileSource:
    source = open_source(place)
    assert isinstance(source, FileSource)
    return source


def test_all_files_are_read_and_none_may_be_written_over(tmp_path: Path) -> None:
    source = opened(written(tmp_path, b={"age": [3], "n": ["z"]}, a={"age": [1, 2], "n": ["x", "y"]}))
    assert source.reads == (tmp_path / "a.parquet", tmp_path / "b.parquet")
    counts = source.count(SCHEMA, SCHEMA.resolve(source.columns)).counts
    assert (counts.rows, counts.domains["age"].labels.tolist()) == (3, ["1", "2", "3"])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"age": [1]}, r"'b\.parquet' has 1 columns, 'a\.parquet' has 2"),
        ({"n": ["x"], "age": [1]}, r"Column 1 of 'b\.parquet' is not 'age', as it is in 'a\.parquet'"),
        ({"age": [1.5], "n": ["x"]}, r"'age' is DOUBLE in 'b\.parquet' and BIGINT in 'a\.parquet'"),
        ({"age": ["1"], "n": ["x"]}, r"'age' is VARCHAR in 'b\.parquet'"),
    ],
)
def test_files_that_differ_are_refused(other: dict[str, Any], message: str, tmp_path: Path) -> None:
    """Read by DuckDB alone, 1.5 would become 2 beside whole numbers."""
    place = written(tmp_path, a={"age": [1], "n": ["x"]}, b=other)
    with pytest.raises(BadInput, match=message):
        opened(place).count(SCHEMA, SCHEMA.resolve(["age", "n"]))


def test_a_text_is_the_same_type_however_arrow_holds_it(tmp_path: Path) -> None:
    place = written(tmp_path, a={"age": pa.array(["1"])}, b={"age": pa.array(["2"], pa.large_string())})
    assert opened(place).count(SCHEMA, SCHEMA.resolve(["age"])).counts.rows == 2


def test_the_wrong_value_and_the_damaged_file_are_named(tmp_path: Path) -> None:
    wrong = {"n": ["x"] * 2, "age": [1.0, float("nan")], "m": [1, 2]}
    place = written(tmp_path, a={"n": ["x"], "age": [1.0], "m": [1]}, b=wrong)
    with pytest.raises(BadInput, match=r"first at row 2 of 'b\.parquet'"):
        opened(place).count(SCHEMA, SCHEMA.resolve(["n", "age", "m"]))
    numbers = {"age": [n * 7919 % 10007 for n in range(20_000)]}
    place = written(tmp_path, a=numbers, b=numbers)
    raw = bytearray((tmp_path / "b.parquet").read_bytes())
    raw[50:-2000] = bytes(len(raw) - 2050)
    (tmp_path / "b.parquet").write_bytes(raw)
    with pytest.raises(BadInput, match=r"'b\.parquet' is damaged"):
        opened(place).count(SCHEMA, SCHEMA.resolve(["age"]))
    (tmp_path / "b.parquet").write_bytes(b"no Parquet")
    with pytest.raises(BadInput, match=r"'b\.parquet' cannot be read as Parquet"):
        opened(place)
