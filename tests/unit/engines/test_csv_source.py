"""CSV files as DuckDB scans them: as they are if they are plain, else through Python's csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgerow.engines import FileSource, open_source
from hedgerow.engines._csv import csv_scan, open_csv, scan_all
from hedgerow.errors import BadInput
from hedgerow.io.connections import open_database
from hedgerow.io.readers import Part
from hedgerow.schema import Schema

AGE = Schema(quasi=["age"], others="insensitive")


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


def several(folder: Path, *contents: str | bytes) -> FileSource:
    for name, content in zip("abcdef", contents, strict=False):
        raw = content.encode() if isinstance(content, str) else content
        (folder / f"{name}.csv").write_bytes(raw)
    source = open_source(folder)
    assert isinstance(source, FileSource)
    return source


def rows(source: FileSource) -> int:
    return source.count(AGE, AGE.resolve(source.columns)).counts.rows


def test_several_files_of_several_forms_are_one_table(tmp_path: Path) -> None:
    """Plain, with another delimiter, odd, in another encoding, with line ends in quotes, without a record."""
    utf16 = "age,n\n7,é\n".encode("utf-16")
    odd = 'age,n\n5, "F"\n6,x\n'
    source = several(tmp_path, "age,n\n1,2\n", "age;n\n3;4\n", odd, utf16, 'age,n\n8,"x\ny"\n', "age,n\n")
    assert source.reads == tuple(tmp_path / f"{name}.csv" for name in "abcdef")
    counts = source.count(AGE, AGE.resolve(source.columns)).counts
    assert (counts.rows, counts.domains["age"].labels.tolist()) == (6, ["1", "3", "5", "6", "7", "8"])


def test_files_that_are_read_alike_share_a_scan(tmp_path: Path) -> None:
    parts = []
    for number in range(4):
        (tmp_path / f"{number}.csv").write_text("age;n\n1;2\n" if number == 3 else "age,n\n1,2\n")
        parts.append(Part(tmp_path / f"{number}.csv", "x", delimiter=";" if number == 3 else ","))
    ready = [open_csv(part, ["c0", "c1"], tmp_path) for part in parts]
    assert scan_all(ready, ["c0", "c1"]).count("read_csv") == 2


def test_a_file_with_other_columns_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"Column 2 of 'b\.csv' is not 'n', as it is in 'a\.csv'"):
        several(tmp_path, "age,n\n1,2\n", "age,m\n1,2\n")
    with pytest.raises(BadInput, match=r"'b\.csv' has 3 columns, 'a\.csv' has 2"):
        several(tmp_path, "age,n\n1,2\n", "age,n,m\n1,2,3\n")
    with pytest.raises(BadInput, match=r"'b\.csv' has 0 columns"):
        several(tmp_path, "age,n\n1,2\n", "\n")


def test_a_file_without_a_byte_is_no_part(tmp_path: Path) -> None:
    """Spark writes one where a part has no rows; alone it is no table."""
    source = several(tmp_path, "", "age,n\n1,2\n", "")
    assert (rows(source), source.reads) == (1, (tmp_path / "b.csv",))
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(BadInput, match=r"'a\.csv' is empty"):
        open_source(tmp_path)


def test_a_file_without_a_header_is_refused_without_a_cell(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"Column 1 of 'b\.csv'") as caught:
        several(tmp_path, "age,n\n1,2\n", "secret,secret\n")
    assert "secret" not in str(caught.value)


def test_a_place_names_its_file(tmp_path: Path) -> None:
    schema = Schema(quasi=["age"], kinds={"age": "number"}, others="insensitive")
    source = several(tmp_path, "age,n\n1,2\n", "age,n\n3,4\nsecret,6\n")
    with pytest.raises(BadInput, match=r"first at line 3 of 'b\.csv'") as caught:
        source.count(schema, schema.resolve(source.columns))
    assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match=r"Line 3 of 'b\.csv' has 1 field,"):
        rows(several(tmp_path, "age,n\n1,2\n", "age,n\n3,4\n5\n"))


def test_a_record_too_few_in_one_of_several_is_noticed(tmp_path: Path) -> None:
    source = several(tmp_path, "age,n\n1,2\n", "age,n\n3,4\n5,6\n")
    query, records = source.reader.open(["c0", "c1"])
    (tmp_path / "b.csv").write_text("age,n\n3,4\n")
    with open_database() as database:
        assert (len(database.sql(query).fetchall()), records) == (2, 3)
