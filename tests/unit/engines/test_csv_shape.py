"""The shape of a CSV, counted from its bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgerow.engines import _csv as csv_shape
from hedgerow.engines._csv import CsvShape, look_at
from hedgerow.errors import BadInput
from hedgerow.io.readers import Part

PLAIN: dict[str, tuple[bytes, int, int]] = {
    # content, columns, records
    "plain": (b"a,b\n1,2\n3,4\n", 2, 2),
    "no last line end": (b"a,b\n1,2\n3,4", 2, 2),
    "CRLF": (b"a,b\r\n1,2\r\n3,4\r\n", 2, 2),
    "CR": (b"a,b\r1,2\r3,4\r", 2, 2),
    "blank lines": (b"a,b\n\n1,2\n\n\n3,4\n\n", 2, 2),
    "blank lines of one column": (b"a\n\n1\n\n", 1, 3),
    "blank lines, CRLF": (b"a,b\r\n\r\n1,2\r\n", 2, 1),
    "a mark": (b"\xef\xbb\xbfa,b\n1,2\n", 2, 1),
    "quotes": (b'"a","b"\n"1","x""y"\n"","a,b"\n', 2, 2),
    "only a header": (b"a,b", 2, 0),
}
ODD: dict[str, tuple[bytes, int]] = {
    "a space before a quote": (b'a,b\n "1",2\n', 2),
    "a space behind a quote": (b'a,b\n"1" ,2\n', 2),
    "a quote inside": (b'a,b\n1"x,2\n', 2),
    "an open quote": (b'a,b\n"1,2\n', 2),
    "too many fields": (b"a,b\n1,2,\n", 2),
    "too few fields": (b"a,b\n1\n", 2),
    "other line ends inside of quotes": (b'a,b\r\n1,"x\ny"\r\n', 2),
}


@pytest.fixture(params=[1, 3, 1 << 16])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Whatever falls on the border of two blocks."""
    monkeypatch.setattr(csv_shape, "_BLOCK", request.param)
    return int(request.param)


def shape(folder: Path, content: bytes, columns: int, delimiter: str = ",") -> CsvShape:
    (folder / "people.csv").write_bytes(content)
    return look_at(Part(folder / "people.csv", "people.csv", delimiter=delimiter), columns)


@pytest.mark.parametrize("case", PLAIN)
def test_plain_files(case: str, block: int, tmp_path: Path) -> None:
    content, columns, records = PLAIN[case]
    assert shape(tmp_path, content, columns) == CsvShape(records, plain=True, spans_lines=False)


@pytest.mark.parametrize("case", ODD)
def test_odd_files(case: str, block: int, tmp_path: Path) -> None:
    content, columns = ODD[case]
    assert not shape(tmp_path, content, columns).plain


def test_line_ends_inside_of_quotes(block: int, tmp_path: Path) -> None:
    assert shape(tmp_path, b'a,b\n1,"x\n\ny"\n', 2) == CsvShape(1, plain=True, spans_lines=True)
    assert shape(tmp_path, b'a,b\r\n1,"x\r\ny"\r\n', 2) == CsvShape(1, plain=True, spans_lines=True)


@pytest.mark.parametrize("delimiter", [":", " ", "a", "§"])
def test_other_delimiters_are_left_to_python(delimiter: str, tmp_path: Path) -> None:
    assert not shape(tmp_path, b"a\n1\n", 1, delimiter).plain


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\r\n", 2),
        (b"a,b\r\n1,2\r\n3,4\n", 3),
        (b"a,b\r1,2\n", 2),
        (b"a,b\n1,2\r3,4\n", 2),
        (b'a,b\n1,"x\ny\nz"\n3,4\r\n', 5),
        (b"a,b\r\n1,2\r", 2),
    ],
)
def test_lines_that_end_in_two_ways(content: bytes, line: int, block: int, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"Line {line} of 'people.csv' ends differently from the first"):
        shape(tmp_path, content, 2)


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"a\n1\n%b\n2\n", 3), (b"a\n1\n%b", 3), (b"%b\n1\n", 1), (b'a\n"\n\n"\n%b\n', 5), (b'a\n"\n%b"\n', 2)],
)
def test_a_line_that_is_too_long(content: bytes, line: int, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"Line {line} of 'people.csv' is longer than"):
        shape(tmp_path, content % (b"x" * 2_000_001), 1)
    assert shape(tmp_path, content % (b"x" * 1_000_000), 1).plain


def test_a_running_parity() -> None:
    draw = np.random.default_rng(3)
    for size in (1, 7, 8, 63, 64, 65, 1000):
        found = draw.random(size) < 0.3
        assert csv_shape._odd_so_far(found).tolist() == (np.cumsum(found) % 2 == 1).tolist()
