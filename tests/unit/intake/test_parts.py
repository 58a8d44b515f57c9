"""What the first bytes of a file say."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.intake import Part, check_delimiter, check_encoding, written_here
from hedgerow.intake.parts import recognised_delimiter, recognised_encoding


def part(folder: Path, content: bytes, name: str = "people.csv", encoding: str = "utf-8") -> Part:
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return Part(folder / name, name, encoding=encoding)


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
@pytest.mark.parametrize(
    ("written", "recognised"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("utf-32", "utf-32"), ("latin-1", "utf-8")],
)
def test_encodings(written: str, recognised: str, name: str, tmp_path: Path) -> None:
    assert recognised_encoding(part(tmp_path, "é,b\n".encode(written), name)) == recognised


def test_marks_of_either_byte_order(tmp_path: Path) -> None:
    for order in ("le", "be"):
        found = part(tmp_path, "\ufeffa,b\n".encode(f"utf-16-{order}"), encoding="utf-16")
        assert recognised_encoding(found) == "utf-16"
        with found.open_text() as text:
            assert text.read() == "a,b\n"
    assert recognised_encoding(part(tmp_path, b"")) == "utf-8"
    assert recognised_encoding(part(tmp_path, b"\xff")) == "utf-8"


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("a,b\n", ","),
        ("a;b;c\n", ";"),
        ("a\tb\r\n", "\t"),
        ("a|b", "|"),
        ("a\n", ","),
        ("", ","),
        ("a;b,c\n", ","),
        ("price, net;tax;sum\n", ";"),
        ('"a;b;c",d\n', ","),
        ('"a', ","),
    ],
)
def test_delimiters(header: str, delimiter: str, tmp_path: Path) -> None:
    assert recognised_delimiter(part(tmp_path, header.encode())) == delimiter
    assert recognised_delimiter(part(tmp_path, header.encode("utf-16"), encoding="utf-16")) == delimiter


def test_what_cannot_be_read_is_for_the_reader_to_tell(tmp_path: Path) -> None:
    (tmp_path / "people.csv.gz").write_bytes(b"no archive")
    broken = Part(tmp_path / "people.csv.gz", "people.csv.gz")
    assert (recognised_encoding(broken), recognised_delimiter(broken)) == ("utf-8", ",")


def test_a_file_of_ours_is_read_as_it_was_written(tmp_path: Path) -> None:
    ours = written_here(tmp_path / "out.csv.gz")
    assert (ours.format, ours.encoding, ours.delimiter, ours.compression) == ("csv", "utf-8", ",", "gzip")


def test_parameters() -> None:
    check_encoding(None, "File")
    check_encoding("latin-1", "File")
    check_delimiter(None, "File")
    check_delimiter("§", "File")
    for encoding in ("klingon", "base64", "a\0b"):
        with pytest.raises(BadInput, match="'encoding' parameter of File"):
            check_encoding(encoding, "File")
    for delimiter in ("", ",,", '"', "\n"):
        with pytest.raises(BadInput, match="'delimiter' parameter of File"):
            check_delimiter(delimiter, "File")
