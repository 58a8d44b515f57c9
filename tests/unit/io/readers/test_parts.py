"""What the first bytes of a file say."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import itertools
from pathlib import Path

import pytest

import hedgerow
from hedgerow.errors import BadInput
from hedgerow.io.readers import Part, check_delimiter, check_encoding, find_table, open_parts, written_here
from hedgerow.io.readers.parts import CsvRecords, TooLong, recognised_delimiter, recognised_encoding


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


class Endless(io.TextIOBase):
    """A text that goes on for ever with the same piece, and knows how much of it was read."""

    def __init__(self, piece: str) -> None:
        self._left = itertools.cycle(piece)
        self.read_so_far = 0

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        assert size is not None
        assert size > 0, "a line of any length"
        line: list[str] = []
        while len(line) < size and (not line or line[-1] != "\n"):
            line.append(next(self._left))
        self.read_so_far += len(line)
        return "".join(line)


@pytest.mark.parametrize("piece", ["a", ",", '"', '"a', '"\n",'])
def test_a_record_that_does_not_end_is_not_read_to_its_end(piece: str) -> None:
    text = Endless(piece)
    with pytest.raises(TooLong):
        list(CsvRecords(text, ",", 1000))  # type: ignore[arg-type]
    assert text.read_so_far <= 2000


def test_records_name_their_lines() -> None:
    reader = CsvRecords(io.StringIO('a,b\n1,"x\ny"\n\n2,"z\n'), ",", 1000)
    assert [(reader.line, record) for record in itertools.islice(reader, 3)] == [
        (1, ["a", "b"]),
        (2, ["1", "x\ny"]),
        (4, []),
    ]
    with pytest.raises(csv.Error):
        next(reader)
    assert reader.line == 5


def test_nothing_else_hands_a_file_to_csv() -> None:
    """Lists of one text may be given to it, and a text that is in memory already."""
    found = set()
    package = Path(hedgerow.__file__).parent
    for source in package.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(node, ast.Call)]
        for call in calls:
            if ast.unparse(call.func) == "csv.reader" and not isinstance(call.args[0], ast.List):
                found.add((source.relative_to(package).as_posix(), ast.unparse(call.args[0])))
    assert found == {
        ("io/readers/parts.py", "self._lines(text)"),
        ("hierarchies/files.py", "io.StringIO(text, newline='')"),
    }


@pytest.mark.parametrize(
    ("content", "delimiter", "why"),
    [
        (b"PAR1" + bytes(range(256)), None, "is a Parquet file"),
        (b"PK\x03\x04" + bytes(range(256)), None, "is an archive or a workbook"),
        (b"\x1f\x8b" + bytes(range(256)), None, "is compressed by gzip"),
        (b"(\xb5/\xfd" + bytes(range(256)), None, "is compressed by Zstandard"),
        (bytes(range(256)) * 4, None, "holds binary data"),
    ],
)
def test_a_file_that_is_no_text(content: bytes, delimiter: str | None, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)

    with pytest.raises(BadInput, match=rf"'a\.csv' is no text: it {why}\."):
        open_parts(find_table(tmp_path / "a.csv"), None, delimiter=delimiter)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("age,town\n20,Köln\n".encode("latin-1"), None),
        ("age;town\n20;Köln\n".encode("latin-1"), ";"),
        ("年齢,市\n二十,東京\n".encode("utf-16-le"), None),
        ("年齢,市\n二十,東京\n".encode("shift-jis"), None),
        (b"age\x01town\n20\x01Ulm\n" * 50, "\x01"),
        (b"age,town\n20,U\0m\n", None),
        (b"age,note\n" + b"20,a word\n" * 200 + b"21,\x07\n", None),
        (b"note\n\x1f\n\x07\n", None),
        (b"", None),
    ],
)
def test_text_in_any_encoding_is_text(content: bytes, delimiter: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)

    assert len(open_parts(find_table(tmp_path / "a.csv"), None, delimiter=delimiter)) == 1
