"""Reading CSV line by line: lines are counted as an editor counts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.engines._csv import find_fault, first_lines, read_header, transcode
from hedgerow.errors import BadInput
from hedgerow.io.readers import Part


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def part(path: Path, encoding: str = "utf-8", delimiter: str = ",") -> Part:
    return Part(path, path.name, encoding=encoding, delimiter=delimiter)


def test_the_header(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbf"a, b",c\r\n1,2\r\n')
    assert read_header(part(path)) == ["a, b", "c"]
    assert read_header(part(path, "UTF8")) == ["a, b", "c"]


def test_the_first_wrong_line(path: Path) -> None:
    path.write_text('a,b\n1,"x\ny"\n\n2,wrong\n3,wrong\n')
    assert first_lines(part(path), 1, lambda cell: cell == "wrong") == [5]
    assert first_lines(part(path), 1, lambda cell: cell == "wrong", 3) == [5, 6]
    assert first_lines(part(path), 1, lambda cell: cell == "absent") == []


def test_a_fault_and_none(path: Path) -> None:
    path.write_text("a,b\n1,2\n")
    assert find_fault(part(path)) is None
    path.write_text("a,b\n1,2\n3\n")
    assert "Line 3 of 'people.csv' has 1 field," in str(find_fault(part(path)))


def test_transcoding(path: Path, tmp_path: Path) -> None:
    path.write_bytes("a\r\nZürich\r\n".encode("utf-16"))
    transcode(part(path, "utf-16"), tmp_path / "utf8.csv")
    assert (tmp_path / "utf8.csv").read_bytes() == "a\r\nZürich\r\n".encode()


def test_transcoding_what_is_something_else(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"a\nb\n\x81\n")
    with pytest.raises(BadInput, match=r"is not cp1252 text \(line 3\)"):
        transcode(part(path, "cp1252"), tmp_path / "utf8.csv")


def test_a_header_that_is_one_column_of_many_names_asks_for_the_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;sex\n1;F\n")
    with pytest.raises(BadInput, match=r"--delimiter ';'"):
        read_header(part(path))
    assert read_header(part(path, delimiter=";")) == ["age", "sex"]
    path.write_text("age\n1\n")
    assert read_header(part(path)) == ["age"]
