"""CSV files as DuckDB scans them: as they are if they are plain, else through Python's csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgerow.database import open_database
from hedgerow.engines.csv_source import csv_scan, open_csv, scan_all
from hedgerow.errors import BadInput
from hedgerow.intake import Part


def scanned(
    content: bytes, folder: Path, encoding: str = "utf-8", delimiter: str = ","
) -> tuple[str, list[tuple[Any, ...]]]:
    (folder / "people.csv").write_bytes(content)
    part = Part(folder / "people.csv", "people.csv", encoding=encoding, delimiter=delimiter)
    ready = open_csv(part, ["c0", "c1"], folder)
    scan = scan_all([ready], ["c0", "c1"])
    with open_database() as database:
        rows = database.sql(scan).fetchall()
    assert len(rows) == ready.records
    return scan, rows


def test_a_plain_file_is_scanned_as_it_is(tmp_path: Path) -> None:
    scan, rows = scanned(b"a,b\n1,2\n,4\n", tmp_path)
    assert "people.csv" in scan
    assert "parallel = true" in scan
    assert rows == [("1", "2"), (None, "4")]
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_file_with_line_ends_in_quotes_is_scanned_from_its_beginning(tmp_path: Path) -> None:
    scan, rows = scanned(b'a,b\n1,"x\ny"\n', tmp_path)
    assert "parallel = false" in scan
    assert rows == [("1", "x\ny")]
    assert "parallel = false" in csv_scan([Part(tmp_path / "people.csv", "people.csv")], ["a"]), (
        "unless somebody has looked"
    )


@pytest.mark.parametrize("delimiter", [",", ":"])
def test_an_odd_file_is_read_by_python(delimiter: str, tmp_path: Path) -> None:
    content = 'a,b\n "F",""\n\nx"y,é\n'.replace(",", delimiter)
    scan, rows = scanned(content.encode(), tmp_path, delimiter=delimiter)
    assert "records.parquet" in scan
    assert rows == [(' "F"', None), ('x"y', "é")]


def test_another_encoding(tmp_path: Path) -> None:
    scan, rows = scanned('a,b\n "F",é\n'.encode("utf-16"), tmp_path, "utf-16")
    assert rows == [(' "F"', "é")]
    assert "records.parquet" in scan
    scan, rows = scanned("a,b\nF,é\n".encode("utf-16"), tmp_path, "utf-16")
    assert rows == [("F", "é")]
    assert "utf8.csv" in scan


def test_many_records_and_a_wrong_one(tmp_path: Path) -> None:
    lines = b' "x",y\n' * 300_000
    _, rows = scanned(b"a,b\n" + lines, tmp_path)
    assert len(rows) == 300_000
    with pytest.raises(BadInput, match=r"Line 300002 of 'people\.csv' has 3 fields"):
        scanned(b"a,b\n" + lines + b"1,2,3\n", tmp_path)
