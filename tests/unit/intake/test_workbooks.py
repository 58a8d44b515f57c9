"""Excel workbooks, written by another program than the one that reads them."""

from __future__ import annotations

import csv
import datetime as dt
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from hedgerow.errors import BadInput, MissingExtra
from hedgerow.intake import Part
from hedgerow.intake.workbooks import write_sheet


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


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"pip install 'hedgerow\[excel\]'"):
        read(workbook(tmp_path, people=[["a"], [1]]), tmp_path)
