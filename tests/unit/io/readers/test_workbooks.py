"""Excel workbooks, written by another program than the one that reads them."""

from __future__ import annotations

import csv
import datetime as dt
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from hedgerow.errors import BadInput, MissingExtra
from hedgerow.io.readers import Part
from hedgerow.io.readers._workbooks import write_sheet


def workbook(folder: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(folder / "people.xlsx")
    return folder / "people.xlsx"


def read(path: Path, folder: Path, sheet: str | None = None) -> list[list[str]]:
    part = write_sheet(path, path.name, sheet, folder)
    assert part == Part(folder / "sheet.csv", "people.xlsx")
    with part.path.open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


def test_cells_are_what_a_csv_would_hold(tmp_path: Path) -> None:
    path = workbook(
        tmp_path,
        people=[
            ["name", "visits", "height", "well", "born", "seen", "note"],
            ["Zoë", 3, 1.75, True, dt.date(1970, 1, 31), dt.datetime(2020, 2, 29, 13, 5), 'a, "b"\nc'],
            ["007", -2.0, 1e20, False, dt.date(2001, 12, 24), dt.datetime(2020, 3, 1), None],
        ],
    )
    assert read(path, tmp_path) == [
        ["name", "visits", "height", "well", "born", "seen", "note"],
        ["Zoë", "3", "1.75", "true", "1970-01-31", "2020-02-29 13:05:00", 'a, "b"\nc'],
        ["007", "-2", "1e+20", "false", "2001-12-24", "2020-03-01 00:00:00", ""],
    ]


def test_an_empty_row_is_an_empty_line(tmp_path: Path) -> None:
    """So lines have the numbers of rows; where there is one column, it is a missing value."""
    path = workbook(tmp_path, people=[["a", "b"], [1, 2], [], [3, None]])
    assert read(path, tmp_path) == [["a", "b"], ["1", "2"], [], ["3", ""]]
    assert read(workbook(tmp_path, people=[["a"], [1], [], [3]]), tmp_path) == [["a"], ["1"], [""], ["3"]]


def test_the_sheet(tmp_path: Path) -> None:
    path = workbook(tmp_path, empty=[], one=[["a"], [1]])
    assert read(path, tmp_path) == [["a"], ["1"]], "the only one that holds something"
    path = workbook(tmp_path, one=[["a"], [1]], two=[["b"], [2]])
    assert read(path, tmp_path, "two") == [["b"], ["2"]]
    with pytest.raises(BadInput, match=r"several sheets: 'one', 'two'\. Name one"):
        read(path, tmp_path)
    with pytest.raises(BadInput, match=r"no sheet 'tow'\. Did you mean 'two'"):
        read(path, tmp_path, "tow")
    with pytest.raises(BadInput, match="is empty"):
        read(workbook(tmp_path, empty=[]), tmp_path)


@pytest.mark.parametrize("content", [b"", b"no workbook"])
def test_what_is_no_workbook(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "people.xlsx").write_bytes(content)
    with pytest.raises(BadInput, match="cannot be read as an Excel workbook"):
        read(tmp_path / "people.xlsx", tmp_path)


def test_an_archive_that_is_no_workbook_or_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    for size, message in ((1, "cannot be read as an Excel workbook"), (1 << 27, "more than 200 times its size")):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", bytes(size))
        with pytest.raises(BadInput, match=message) as caught:
            read(path, tmp_path)
        assert caught.value.__context__ is None


def rewritten(path: Path, member: str, change: Callable[[str], str]) -> Path:
    """The workbook with one of its files changed."""
    with zipfile.ZipFile(path) as packed:
        files = {one: packed.read(one).decode() for one in packed.namelist()}
    files[member] = change(files.get(member, ""))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


SHEET = "xl/worksheets/sheet1.xml"
WRITTEN: dict[str, Callable[[str], str]] = {
    "as openpyxl does": lambda text: text,
    "with other quotes": lambda text: text.replace('"', "'"),
    "with a reference": lambda text: text.replace('r="XFD', 'r="&#88;FD'),
    "with spaces": lambda text: text.replace('<c r="', '<c  r = "'),
    "with a prefix": lambda text: re.sub("(</?)(?=[a-z])", r"\1x:", text).replace("xmlns=", "xmlns:x="),
    "with a false size": lambda text: re.sub('<dimension ref="[^"]*"', '<dimension ref="A1:B21"', text),
    "without places in the other rows": lambda text: re.sub(r'<c r="[AB]\d+"', "<c", text),
}


@pytest.mark.parametrize("cell", ["XFD1048576", "XFD6000", "CZ1048576"])
@pytest.mark.parametrize("way", WRITTEN)
def test_cells_that_lie_far_apart(way: str, cell: str, tmp_path: Path) -> None:
    """A few kilobytes that would take gigabytes. However the sheet is written, it does not reach calamine."""
    path = workbook(tmp_path, people=[["age", "sex"], *([20, "F"] for _ in range(20))])
    book = openpyxl.load_workbook(path)
    book.active[cell] = "z"
    book.save(path)
    rewritten(path, SHEET, WRITTEN[way])
    with pytest.raises(BadInput, match=r"The cells of 'people.xlsx' lie too far apart: the last cell is in row"):
        read(path, tmp_path)


@pytest.mark.parametrize("way", sorted({*WRITTEN} - {"with a reference"}))  # which calamine does not understand
def test_a_table_with_a_note_beside_it_is_read(way: str, tmp_path: Path) -> None:
    path = workbook(tmp_path, people=[["age", "sex"], *([20, "F"] for _ in range(20))])
    book = openpyxl.load_workbook(path)
    book.active["XFD30"] = "z"
    book.save(path)
    found = read(rewritten(path, SHEET, WRITTEN[way]), tmp_path)
    assert (found[1][:2], len(found), found[29][-1]) == (["20", "F"], 30, "z")


@pytest.mark.parametrize("text", ["<!DOCTYPE a [<!ENTITY b 'c'>]>", "<c>&none;</c>", '<c r="A0"/>', '<c r="XFE1"/>'])
def test_a_sheet_that_only_calamine_could_read(text: str, tmp_path: Path) -> None:
    path = workbook(tmp_path, people=[["age", "sex"], [20, "F"]])
    before = "<worksheet" if "DOCTYPE" in text else "</row>"
    rewritten(path, SHEET, lambda sheet: sheet.replace(before, text + before, 1).replace('r="A1"', "r='A1'"))
    with pytest.raises(BadInput, match="cannot be read as an Excel workbook"):
        read(path, tmp_path)


def with_shared_text(folder: Path, rows: int, text: str) -> Path:
    """A workbook whose cells refer to one text, as Excel writes texts."""
    path = workbook(folder, people=[["age", "sex"], *(["long", "F"] for _ in range(rows))])
    rewritten(path, SHEET, lambda sheet: sheet.replace('t="inlineStr"><is><t>long</t></is>', 't="s"><v>0</v>'))
    shared = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return rewritten(path, "xl/sharedStrings.xml", lambda _: f'<sst xmlns="{shared}"><si><t>{text}</t></si></sst>')


def test_one_long_text_in_many_cells(tmp_path: Path) -> None:
    """It is written once: a few kilobytes that would become 60 gigabytes."""
    with pytest.raises(BadInput, match="more than 200 times its size"):
        read(with_shared_text(tmp_path, 2_000, "a" * 30_000_000), tmp_path)
    found = read(with_shared_text(tmp_path, 20, "b" * 100_000), tmp_path)
    assert [row[0] for row in found[1:]] == ["b" * 100_000] * 20


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"pip install 'hedgerow\[excel\]'"):
        read(workbook(tmp_path, people=[["a"], [1]]), tmp_path)
