"""Odd CSV files: read exactly as Python's csv reads them, or refused; never read as something else."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from pathlib import Path
from typing import Literal

import duckdb
import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow.engines import _csv as csv_shape
from hedgerow.engines._csv import find_fault, open_csv, read_header, scan_all
from hedgerow.errors import BadInput
from hedgerow.io.connections import open_database
from hedgerow.io.readers import Part, written_here

Record = tuple[str | None, ...]

# Pieces that files are put together from: what is regular, and what readers disagree about.
PIECES = st.sampled_from([
    "a", "F", "1.50", "", " ", "\t", ",", ",", ",", '"', '"', '""', '"x"', ' "F"', '"F" ', 'x"y', '"a,b"', '"a\nb"',
    "\n", "\n", "\n", "\r\n", "\r", "\n\n", ";", "'", "\\", '\\"', "#", "\0", "é", "\u2028", "\ufeff", "NULL", "\x1a",
    '"a\r\nb"', '"a\rb"', '"\n"',
])  # fmt: skip
BODIES = st.lists(PIECES, max_size=14).map("".join)
CELLS = st.text(alphabet=st.sampled_from(list("ab ,\"\n\r\t;#'\\é\0")), max_size=5)


def expected(raw: bytes, delimiter: str = ",", encoding: str = "utf-8-sig") -> list[Record] | None:
    """What Python's csv reads, empty cells as null; ``None`` if it refuses the file or a record has another width."""
    try:
        text = io.TextIOWrapper(io.BytesIO(raw), encoding, newline="")
        header, *records = list(csv.reader(text, delimiter=delimiter, strict=True))
    except (csv.Error, UnicodeError):
        return None
    width = len(header)
    cells = [record or [""] * (width == 1) for record in records]
    if any(record and len(record) != width for record in cells):
        return None
    return [tuple(cell or None for cell in record) for record in cells if record]


def read(raw: bytes, delimiter: str = ",", encoding: str = "utf-8", name: str = "people.csv") -> list[Record] | None:
    """What the engine reads; ``None`` if it refuses the file in one sentence."""
    with tempfile.TemporaryDirectory() as folder, open_database() as database:
        path = Path(folder) / name
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        part = Part(path, name, encoding=encoding, delimiter=delimiter)
        try:
            columns = [f"c{at}" for at, _ in enumerate(read_header(part))]
            ready = open_csv(part, columns, Path(folder))
        except BadInput:
            return None
        try:
            rows = database.sql(scan_all([ready], columns)).fetchall()
        except duckdb.Error:
            # What DuckDB refuses must be wrong to Python too, which then tells the line.
            assert "ine " in str(find_fault(part))
            return None
        assert len(rows) == ready.records
        return rows


def check(raw: bytes, delimiter: str = ",", encoding: str = "utf-8", name: str = "people.csv") -> bool:
    """Compare the engine with Python's csv; whether the file was read at all."""
    found = read(raw, delimiter, encoding, name)
    if found is not None:
        python = "utf-8-sig" if encoding == "utf-8" else encoding
        # Several threads read in no order.
        assert sorted(map(repr, found)) == sorted(map(repr, expected(raw, delimiter, python) or [])), raw
    return found is not None


@pytest.mark.parametrize("block", [1, 2, 5, 4 << 20])
@examples(150)
@given(
    header=st.sampled_from(["a", "a,b", '"a",b', "a,b,c", '"a\nb",c']),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    body=BODIES,
)
@example(header="a,b", end="\n", body=' "F",1\nF,2\n')
@example(header="a,b", end="\n", body="1,2,\n")
@example(header="a,b", end="\n", body='1,2\n3,"4')
@example(header="a,b", end="\n", body='"F" ,1\n')
@example(header="a", end="\n", body='1\n\n""\n')
@example(header='"a\nb",c', end="\r\n", body=",")
def test_any_bytes(block: int, header: str, end: str, body: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_shape, "_BLOCK", block)
        check((header + end + body).encode())


@examples(100)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([0, 1]),
    last=st.booleans(),
    delimiter=st.sampled_from([",", ";", "\t", "|", ":", " ", "§"]),
    name=st.sampled_from(["people.csv", "people.csv.gz"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "cp1252", "ascii"]),
)
def test_what_python_writes_is_read(
    rows: list[tuple[str, str]], end: str, quoting: Literal[0, 1], last: bool, delimiter: str, name: str, encoding: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end, quoting=quoting, delimiter=delimiter).writerows([("q", "r"), *rows])
    text = out.getvalue()
    text = text if last else text.removesuffix(end)
    try:
        raw = text.encode(encoding)
    except UnicodeEncodeError:
        return
    was_read = check(raw, delimiter, encoding, name)
    # Python leaves a carriage return unquoted where lines end in a line feed: then lines end in two ways.
    assert was_read or (end == "\n" and quoting == 0 and "\r" in text)


@examples(60)
@given(body=BODIES)
def test_a_fault_has_a_line(body: str) -> None:
    """Where Python's csv refuses a file, the sentence says where."""
    raw = f"a,b\n{body}".encode()
    if expected(raw) is None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "people.csv"
            path.write_bytes(raw)
            assert "ine " in str(find_fault(written_here(path)))
