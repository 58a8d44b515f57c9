"""Writes a sheet of an Excel workbook as CSV, each cell as the text that a CSV would contain.

Whole numbers stay whole, dates and times follow ISO 8601, errors and empty cells become empty. Row n of the sheet is
line n of the CSV: an empty row is an empty line, which is no record.
"""

from __future__ import annotations

import csv
import re
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final
from xml.parsers import expat

from hedgerow.errors import BadInput, MissingExtra, listing, plural, translated
from hedgerow.io.readers.parts import Part
from hedgerow.io.readers.sizes import HARMLESS, HIGHEST_RATIO, refuse_bomb, refuse_size

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

__all__ = ["write_sheet"]

_EXACT: Final = 2.0**53  # floats represent all whole numbers up to this

# calamine allocates 32 bytes for each place in the rectangle around all cells, and Python 8 more.
_BYTES_OF_A_PLACE: Final = 40
_FEW_PLACES: Final = 2_000_000
_PLACES_OF_A_CELL: Final = 8
_BLOCK: Final = 1 << 16
_CELL: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_TEXT_OF_A_SHEET: Final = 1 << 28  # sheets with at most this many characters are not measured
# The beginning of a cell, in XML with any prefix, and in the usual form; and the end of a text.
_CELLS: Final = re.compile(rb"<(?:[^\s<>/:]*:)?c[\s/>]")
_PLAIN_CELLS: Final = re.compile(rb'<c r="([A-Z]{1,3})([1-9][0-9]{0,6})"[\s/>]')
_TEXT_ENDS: Final = re.compile(rb"</(?:[^\s<>/:]*:)?si\s*>")
_ROWS, _COLUMNS = 1_048_576, 16_384  # of a sheet at most


def write_sheet(workbook: Path, name: str, sheet: str | None, folder: Path) -> Part:
    """Write one sheet to a CSV in a folder.

    Parameters
    ----------
    workbook : Path
    name : str
        Its name in messages.
    sheet : str, optional
        Not needed if only one sheet is filled.
    folder : Path
    """
    missing = MissingExtra.for_extra("python-calamine", "excel")
    with translated(ImportError, into=missing):
        import python_calamine as calamine
    broken = BadInput(f"The file {name!r} cannot be read as an Excel workbook. Save it again as .xlsx.")
    with translated(zipfile.BadZipFile, OSError, ValueError, into=broken), zipfile.ZipFile(workbook) as packed:
        refuse_bomb(packed.infolist(), workbook, name, folder)
        _refuse_wide_sheets(packed, workbook, name)
    faults = (calamine.CalamineError, OSError, ValueError)
    with translated(*faults, into=broken), calamine.CalamineWorkbook.from_path(str(workbook)) as opened:
        rows = _chosen(opened, sheet, name).to_python(skip_empty_area=False)
    path = folder / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(_records(rows))
    return Part(path, name)


class _BrokenSheet(ValueError):
    """A sheet whose XML differs from Excel's."""


@dataclass
class _Extent:
    """The rectangle around the cells of a sheet, and their number."""

    cells: int = 0
    top: int = _ROWS
    bottom: int = 0
    left: int = _COLUMNS
    right: int = 0
    _row: int = 0
    _column: int = 0

    @property
    def places(self) -> int:
        """The number of places in the rectangle."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1) if self.cells else 0

    def add(self, cells: int, rows: Sequence[int], columns: Sequence[int]) -> None:
        """Add cells in these rows and columns."""
        self.cells += cells
        self.top, self.bottom = min(self.top, *rows), max(self.bottom, *rows)
        self.left, self.right = min(self.left, *columns), max(self.right, *columns)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Process the start tag of an element."""
        name = name.rpartition(":")[2]
        if name == "c":
            place = attributes.get("r")
            self._row, self._column = (self._row, self._column + 1) if place is None else _row_and_column(place)
            self.add(1, [self._row, self._row], [self._column, self._column])
        elif name == "row":
            place = attributes.get("r")
            self._row = self._row + 1 if place is None else _row_and_column(f"A{place}")[0]
            self._column = 0


class _Texts:
    """The lengths of the shared texts, and the total length of those that the cells of a sheet refer to."""

    def __init__(self) -> None:
        self.lengths = array("q")
        self.total = 0
        self._text = self._refers = False
        self._number: str | None = None

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Process the start tag of an element."""
        name = name.rpartition(":")[2]
        if name == "c":
            self._refers = attributes.get("t") == "s"
        elif name == "v" and self._refers:
            self._number = ""
        elif name == "si":
            self._text = True
            self.lengths.append(0)

    def end(self, name: str) -> None:
        """Process the end tag of an element."""
        name = name.rpartition(":")[2]
        if name == "si":
            self._text = False
        elif name == "v" and self._number is not None:
            number, self._number = self._number.strip(), None
            if number.isdecimal() and len(number) < 10 and int(number) < len(self.lengths):
                self.total += self.lengths[int(number)]

    def take(self, text: str) -> None:
        """Process the text between tags."""
        if self._number is not None:
            self._number += text[:10]
        elif self._text:
            self.lengths[-1] += len(text)


def _refuse_wide_sheets(packed: zipfile.ZipFile, workbook: Path, name: str) -> None:
    """Refuse a workbook that needs far more memory than its cells do: two distant cells are enough for that.

    Every file is examined, since a sheet may state a wrong size or have any name.
    """
    longest, sheets, shared = 0, [], []
    for member in packed.infolist():
        extent, text = _measured(packed, member)
        longest = max(longest, text)
        shared += [member] if text else []
        if extent.places > max(_FEW_PLACES, _PLACES_OF_A_CELL * extent.cells):
            raise BadInput(
                f"The cells of {name!r} lie too far apart: the last cell is in row {extent.bottom:,} and column "
                f"{extent.right:,} of a sheet with {plural(extent.cells, 'cells')}. Delete the cells outside of the "
                "table."
            )
        refuse_size(extent.places * _BYTES_OF_A_PLACE, f"A sheet of {name!r}", "Save it as CSV")
        sheets += [(member, extent.cells)] if extent.cells else []
    most = max(HARMLESS, HIGHEST_RATIO * workbook.stat().st_size)
    for sheet, cells in sheets:
        if longest * cells > _TEXT_OF_A_SHEET:
            texts = _Texts()
            for member in (*shared, sheet):
                _walk(packed, member, texts.begin, texts.end, texts.take)
            if texts.total > most:
                raise BadInput(
                    f"The file {name!r} would unpack to more than {HIGHEST_RATIO} times its size. If you trust it, "
                    "save it as CSV yourself."
                )


def _measured(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[_Extent, int]:
    """The extent of a sheet, and the longest text that cells may refer to; both are empty for other files.

    The file is searched for start tags of cells in the usual form. If a tag has another form, the file is parsed, which
    takes ten times longer.
    """
    extent, longest, done, ended, plain, sheet = _Extent(), 0, 0, 0, True, False
    with packed.open(member) as opened:
        for block in _whole_tags(opened):
            sheet = sheet or b"sheetData" in block  # without it calamine finds no cells
            cells = _PLAIN_CELLS.findall(block)
            plain = plain and len(cells) == len(_CELLS.findall(block))
            if cells:
                _add_cells(extent, cells)
            for text in _TEXT_ENDS.finditer(block):
                longest, ended = max(longest, done + text.end() - ended), done + text.end()
            done += len(block)
    if not plain or not sheet:
        extent = _Extent()
    if sheet and not plain:
        _walk(packed, member, extent.begin)
    return extent, longest


def _whole_tags(opened: IO[bytes]) -> Iterator[bytes]:
    """The content of a file in blocks that do not end inside a tag."""
    rest = b""
    while block := opened.read(_BLOCK):
        block = rest + block
        last = block.rfind(b"<")
        rest = block[last:] if last >= 0 and b">" not in block[last:] else b""
        if len(rest) > _BLOCK:
            raise _BrokenSheet
        yield block[: len(block) - len(rest)]


def _add_cells(extent: _Extent, cells: Sequence[tuple[bytes, bytes]]) -> None:
    """Add cells, given by the letters of their columns and the numbers of their rows."""
    rows = list(map(int, {row for _, row in cells}))
    columns = [_row_and_column(f"{column.decode()}1")[1] for column in {column for column, _ in cells}]
    if max(rows) > _ROWS:
        raise _BrokenSheet
    extent.add(len(cells), [*rows, *rows], [*columns, *columns])


def _walk(
    packed: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    begin: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    take: Callable[[str], None] | None = None,
) -> None:
    """Parse a file of a workbook."""
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, take
    parser.StartDoctypeDeclHandler = _refuse_doctype
    with packed.open(member) as opened, translated(expat.ExpatError, into=_BrokenSheet()):
        while block := opened.read(_BLOCK):
            parser.Parse(block, False)
        parser.Parse(b"", True)


def _refuse_doctype(*_: object) -> None:
    raise _BrokenSheet


def _row_and_column(place: str) -> tuple[int, int]:
    """The row and the column of a cell, counted from 1.

    >>> _row_and_column("AB12")
    (12, 28)
    """
    match = _CELL.fullmatch(place)
    if match is None:
        raise _BrokenSheet
    row, column = int(match[2]), 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    if not 1 <= row <= _ROWS or column > _COLUMNS:
        raise _BrokenSheet
    return row, column


def _chosen(workbook: CalamineWorkbook, sheet: str | None, name: str) -> CalamineSheet:
    """The sheet of a given name, or the only filled sheet."""
    if sheet is not None:
        if sheet not in workbook.sheet_names:
            raise BadInput.unknown("sheet", sheet, workbook.sheet_names, f"It was sought in {name!r}.")
        return workbook.get_sheet_by_name(sheet)
    filled = {name: cells for name in workbook.sheet_names if (cells := workbook.get_sheet_by_name(name)).height}
    if not filled:
        raise BadInput(f"The file {name!r} is empty. A sheet needs a row of column names.")
    if len(filled) > 1:
        raise BadInput(f"The file {name!r} has several sheets: {listing(list(filled))}. Name one (--sheet).")
    return next(iter(filled.values()))


def _records(rows: Sequence[Sequence[Any]]) -> Iterator[list[str]]:
    """The rows as text. If a column contains times of day, all its dates are written with a time."""
    timed = {at for row in rows for at, cell in enumerate(row) if isinstance(cell, datetime)}
    for row in rows:
        texts = [_text(cell, timed=at in timed) for at, cell in enumerate(row)]
        yield texts if any(texts) or len(texts) == 1 else []


def _text(cell: Any, *, timed: bool) -> str:
    """A cell as a CSV would hold it.

    >>> [_text(cell, timed=False) for cell in (5.0, 1.5, True, date(2020, 1, 31), "007", "")]
    ['5', '1.5', 'true', '2020-01-31', '007', '']
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, date):
        return f"{cell.isoformat()} 00:00:00" if timed else cell.isoformat()
    if isinstance(cell, time | timedelta):
        return str(cell)
    return repr(cell)
