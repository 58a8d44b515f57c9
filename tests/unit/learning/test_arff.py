"""ARFF: what is declared and written."""

from __future__ import annotations

import datetime as dt
import importlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.learning.export import write_arff


def written(tmp_path: Path, columns: dict[str, Any], nominal: tuple[str, ...] = ()) -> list[str]:
    table = {
        name: values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        for name, values in columns.items()
    }
    write_arff(tmp_path / "t.arff", "it's", table, nominal)
    return (tmp_path / "t.arff").read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize(
    ("values", "declared", "cells"),
    [
        (["{a|b}", "c", None], "{'c','{a|b}'}", ["'{a|b}'", "'c'", "?"]),
        (["39.0", "1e-05", ""], "numeric", ["39", "1e-05", "?"]),
        ([39.5, 40.0, None], "numeric", ["39.5", "40", "?"]),
        ([2**60, -1], "numeric", [str(2**60), "-1"]),
        (["007", "12"], "{'007','12'}", ["'007'", "'12'"]),
        (["12", "[20,30)"], "{'12','[20,30)'}", ["'12'", "'[20,30)'"]),
        ([True, None], "{'true'}", ["'true'", "?"]),
        (["?", "*"], "{'*','?'}", ["'?'", "'*'"]),
        ([dt.date(2024, 3, 1), None], 'date "yyyy-MM-dd"', ["2024-03-01", "?"]),
        ([dt.datetime(2024, 3, 1, 12)], "{'2024-03-01T12:00:00'}", ["'2024-03-01T12:00:00'"]),
        (pa.array([None, None], pa.string()), "numeric", ["?", "?"]),
        (pa.array(["1", "2"]).dictionary_encode(), "{'1','2'}", ["'1'", "'2'"]),
        (pa.array([2, 1]).dictionary_encode(), "{'1','2'}", ["'2'", "'1'"]),
        (["a\\b'c\n\r\t\"%"], r"""{'a\\b\'c\n\r\t"%'}""", [r"""'a\\b\'c\n\r\t"%'"""]),
    ],
)
def test_columns(values: Any, declared: str, cells: list[str], tmp_path: Path) -> None:
    lines = written(tmp_path, {"x y": values})
    assert lines == [r"@relation 'it\'s'", "", f"@attribute 'x y' {declared}", "", "@data", *cells, ""]


def test_a_class_is_nominal_whatever_it_holds(tmp_path: Path) -> None:
    lines = written(tmp_path, {"x": [1, 2], "y": [1, 0]}, ("y",))
    assert lines[2:4] == ["@attribute 'x' numeric", "@attribute 'y' {'0','1'}"]
    assert lines[-3:] == ["1,'1'", "2,'0'", ""]


def test_values_that_are_declared_for_several_tables(tmp_path: Path) -> None:
    columns = {"x": pa.chunked_array([["b", "new", None, "b'"]]), "y": pa.chunked_array([pa.array(["1"] * 4)])}
    write_arff(tmp_path / "t.arff", "t", columns, declared={"x": ["c", "b", "b'"], "y": ["0", "1"]})
    lines = (tmp_path / "t.arff").read_text().split("\n")
    assert lines[2:4] == [r"@attribute 'x' {'c','b','b\''}", "@attribute 'y' {'0','1'}"]
    assert lines[6:] == ["'b','1'", "?,'1'", "?,'1'", r"'b\'','1'", ""]


def test_more_rows_than_are_written_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("hedgerow.learning.export"), "_ROWS_AT_ONCE", 3)
    text = pa.chunked_array([["a", "é"], ["b"] * 5])
    lines = written(tmp_path, {"n": list(range(7)), "x": text})
    assert lines[6:] == ["0,'a'", "1,'é'", *(f"{n},'b'" for n in range(2, 7)), ""]


def test_no_rows(tmp_path: Path) -> None:
    assert written(tmp_path, {"x": pa.array([], pa.string())})[-2:] == ["@data", ""]


def test_numbers_that_are_none_are_refused_by_row(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'x' holds NaN or infinite numbers, first at row 2"):
        written(tmp_path, {"x": [1.0, float("inf")]})
