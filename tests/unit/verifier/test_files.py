"""Files: every row is read or the file is refused, and no message quotes a cell."""

from __future__ import annotations

import gc
import gzip
import tempfile
import zipfile
from pathlib import Path

import polars as pl
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import count_classes, open_table


def write(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path


def sizes(path: Path | str, *quasi: str, encoding: str = "utf-8") -> list[int]:
    return sorted(count_classes(open_table(path, encoding=encoding), quasi).sizes.tolist())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\nx,1\nx,1\ny,1\n", [1, 2]),
        ("a,b\r\nx,1\r\nx,1\r\ny,1\r\n", [1, 2]),
        ("\ufeffa,b\nx,1\nx,1\n", [2]),
        ("a;b\nx,1;1\nx,1;1\n", [2]),
        ("a\tb\nx\t1\nx\t1\n", [2]),
        ('a,b\n"x\ny","1, ""2"""\n"x\ny","1, ""2"""\n', [2]),
        ('"a",b\n"[1,2)",1\n"[1,2)",1\n"[2,3]",1', [1, 2]),
        ("a,b\n#x,1\n#x,1\n", [2]),
        ("a,b\n,1\n,1\nx,1\n", [1, 2]),
        ("a,b\n01,1\n1,1\n1.0,1\n", [1, 1, 1]),
        ("a,b\n x,1\nx,1\n", [1, 1]),
    ],
)
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_csv(tmp_path: Path, content: str, expected: list[int], name: str) -> None:
    assert sizes(write(tmp_path, content, name), "a", "b") == expected


def test_the_path_may_be_text_and_one_column_is_enough(tmp_path: Path) -> None:
    assert sizes(str(write(tmp_path, "a\nx\nx\n\n")), "a") == [1, 2]


@pytest.mark.parametrize("encoding", ["latin-1", "ISO-8859-1", "utf-16"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, "é,b\nü,1\nü,1\n".encode(encoding))
    assert sizes(path, "é", encoding=encoding) == [2]


def test_parquet_keeps_its_types_and_names(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame(
        {"A": [1, 1, 2], "nested": [[1], [2], [3]], "s": [{"x": 1, "y": 2}] * 3, "a": ["x", "x", None]}
    ).write_parquet(path)
    assert sizes(path, "A") == [1, 2]
    assert sizes(path, "a", "A") == [1, 2]
    with pytest.raises(BadInput, match="'nested' holds lists"):
        count_classes(path, ["nested"])


def test_signs_of_a_pattern_in_a_name_are_taken_literally(tmp_path: Path) -> None:
    write(tmp_path, "a\nx\nx\nx\n", "t1.csv")
    for name in ("t[1].csv", "t*.csv", "t?.csv", "it's.csv"):
        assert sizes(write(tmp_path, "a\nx\n", name), "a") == [1]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a,b\nx,1\nsecret\n", " at line 3"),
        ("a,b\nx,1\nsecret,1,2\n", " at line 3"),
        ("a\nx,secret\n", " at line 2"),
        ('a,b\nx,1\n"secret,1\n', " at line 3"),
        (b"a,b\nx,1\nsecret\xe9,1\n", " at line 3"),
    ],
)
def test_a_malformed_csv_names_the_line_not_the_cell(tmp_path: Path, content: str | bytes, line: str) -> None:
    with pytest.raises(BadInput, match=f"not well-formed CSV in utf-8{line}") as caught:
        count_classes(write(tmp_path, content), ["a"])
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None, "Arrow's own words quote the cell"


def test_every_record_is_counted_however_long(tmp_path: Path) -> None:
    """A last line of 40 MB without a line end, which DuckDB leaves out without a word."""
    path = write(tmp_path, "a,b\nx,1\nx,1\nx," + "y" * 40_000_000)
    assert sizes(path, "a") == [3]


def test_cells_are_compared_with_all_their_characters(tmp_path: Path) -> None:
    """DuckDB reads the first two alike; a reader of the file tells all four apart."""
    assert sizes(write(tmp_path, 'a,b\n "F",1\nF,1\nF ,1\n"F\r",1\n'), "a") == [1, 1, 1, 1]


def test_an_empty_line_is_a_record_only_where_there_is_one_column(tmp_path: Path) -> None:
    assert sizes(write(tmp_path, "a,b\n\nx,1\n\nx,1\n\n"), "a") == [2]
    assert sizes(write(tmp_path, 'a\n\nx\n""\nx\n'), "a") == [2, 2]


def test_a_header_of_several_lines_is_skipped_whole(tmp_path: Path) -> None:
    assert sizes(write(tmp_path, '"a\nb",c\nx,1\nx,1\n'), "a\nb") == [2]


def test_a_header_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"header .* cannot be read"):
        count_classes(write(tmp_path, "a" * (1 << 26)), ["a"])


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "t.csv", "is empty"),
        (b"a,b\n", "t.csv", "no rows"),
        (b"a,a\n1,2\n", "t.csv", "several columns called 'a'"),
        (b"b,c\n1,2\n", "t.csv", "no column 'a'"),
        (b"\xe9,a\n1,2\n", "t.csv", "header .* cannot be read as CSV in utf-8"),
        (b"\xff\xfea,a", "t.csv", "header .* cannot be read as CSV in utf-16"),
        (b"not parquet", "t.parquet", "not well-formed Parquet"),
        (b"a,b\n1,2\n", "t.doc", "not that of a table"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, content: bytes, name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        count_classes(write(tmp_path, content, name), ["a"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
def test_marked_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    path = write(tmp_path, f"{mark}é;b\nü;1\nü;1\n".encode(encoding))
    assert sorted(count_classes(path, ["é"]).sizes.tolist()) == [2]


def test_a_wrong_encoding_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read as CSV in utf-8"):
        count_classes(open_table(write(tmp_path, "a,b\nx,1\n".encode("utf-16")), encoding="utf-8"), ["a"])


@pytest.mark.parametrize("name", ["table.tsv", "table.txt", "table.txt.gz"])
def test_other_endings(tmp_path: Path, name: str) -> None:
    assert sizes(write(tmp_path, "a\tb\nx\t1\nx\t1\ny\t1\n", name), "a") == [1, 2]


def test_several_csv_files_are_one_table(tmp_path: Path) -> None:
    for name, content in {"a": "a,b\nx,1\n", "b": "a;b\nx;1\ny;2\n", "c": "a,b\n"}.items():
        write(tmp_path, content, f"{name}.csv")
    assert sizes(tmp_path, "a") == sizes(str(tmp_path / "*.csv"), "a") == [1, 2]
    write(tmp_path, "a,b\nx,1\nsecret\n", "b.csv")
    with pytest.raises(BadInput, match=r"'b\.csv' is not well-formed CSV in utf-8 at line 3") as caught:
        count_classes(tmp_path, ["a"])
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    write(tmp_path, "a,secret\nx,1\n", "c.csv")
    with pytest.raises(BadInput, match=r"Column 2 of 'c\.csv' is not 'b', as it is in 'a\.csv'") as caught:
        count_classes(tmp_path, ["a"])
    assert "secret" not in str(caught.value)


def test_a_long_record_in_one_of_several_files(tmp_path: Path) -> None:
    write(tmp_path, "a,b\nx,1\n", "a.csv")
    write(tmp_path, "a,b\nx," + "y" * 3_000_000 + "\n", "b.csv")
    assert sizes(tmp_path, "a") == [2]


def test_more_files_than_may_be_open_at_once(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    for number in range(300):
        write(tmp_path, f"a,b\n{number % 3},1\n", f"{number}.csv")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    try:
        assert sizes(tmp_path, "a") == [100, 100, 100]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_is_packed_is_removed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a\nx\nx\n")
    assert sizes(tmp_path / "t.zip", "a") == [2]
    gc.collect()
    assert not list((tmp_path / "scratch").iterdir())


def test_broken_gzip(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(BadInput, match="cannot be read as CSV"):
        count_classes(path, ["a"])
    body = "".join(f"{i * 7919 % 10007},{i}\n" for i in range(50_000))
    path.write_bytes(gzip.compress(f"a,b\n{body}".encode())[:-5000])
    with pytest.raises(BadInput, match="not well-formed CSV"):
        count_classes(path, ["a"])


def test_no_such_file_or_encoding(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file"):
        count_classes(tmp_path / "absent.csv", ["a"])
    with pytest.raises(BadInput, match="'encoding' parameter"):
        count_classes(open_table(write(tmp_path, "a\n1\n"), encoding="klingon"), ["a"])
