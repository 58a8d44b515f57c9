"""Parquet files that the verifier reads as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import count_classes


def written(folder: Path, **files: dict[str, list[Any]]) -> Path:
    for name, columns in files.items():
        pl.DataFrame(columns).write_parquet(folder / f"{name}.parquet")
    return folder


def test_all_files_are_counted(tmp_path: Path) -> None:
    place = written(tmp_path, a={"A": [1, 1], "a": ["x", "y"]}, b={"A": [1, 2], "a": ["x", "x"]})
    assert sorted(count_classes(place, ["A"]).sizes.tolist()) == [1, 3]
    assert sorted(count_classes(place, ["a", "A"]).sizes.tolist()) == [1, 1, 2]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"a": [1]}, r"'b\.parquet' has 1 columns"),
        ({"b": ["x"], "a": [1]}, r"Column 1 of 'b\.parquet' is not 'a'"),
        ({"a": [1.5], "b": ["x"]}, r"'a' of 'b\.parquet' has another type than that of 'a\.parquet'"),
    ],
)
def test_files_that_differ_are_refused(other: dict[str, list[Any]], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=message):
        count_classes(written(tmp_path, a={"a": [1], "b": ["x"]}, b=other), ["a"])


def test_one_of_several_that_is_none(tmp_path: Path) -> None:
    written(tmp_path, a={"a": [1]})
    (tmp_path / "b.parquet").write_bytes(b"secret")
    with pytest.raises(BadInput, match=r"'b\.parquet' is not well-formed Parquet") as caught:
        count_classes(tmp_path, ["a"])
    assert caught.value.__context__ is None
