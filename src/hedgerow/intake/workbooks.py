"""A sheet of an Excel workbook, written out as CSV: every cell as the text that a CSV would hold.

Whole numbers stay whole, dates and times are written as ISO 8601 does, errors and empty cells are empty. Row n of the
sheet is record n of the CSV: an empty row is an empty line, which is no record.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.errors import BadInput, MissingExtra, listing, translated
from hedgerow.intake.parts import Part
from hedgerow.intake.sizes import refuse_bomb

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

__all__ = ["write_sheet"]

_EXACT: Final = 2.0**53  # up to here a float that looks whole is that very number


def write_sheet(workbook: Path, name: str, sheet: str | None, folder: Path) -> Part:
    """Write one sheet to a CSV in a folder.

    Parameters
    ----------
    workbook : Path
    name : str
        What messages call it.
    sheet : str, optional
        Which one; not needed where only one holds something.
    folder : Path
    """
    missing = MissingExtra.for_extra("python-calamine", "excel")
    with translated(ImportError, into=missing):
        import python_calamine as calamine
    broken = BadInput(f"The file {name!r} cannot be read as an Excel workbook. Save it again as .xlsx.")
    with translated(zipfile.BadZipFile, OSError, ValueError, into=broken), zipfile.ZipFile(workbook) as packed:
        refuse_bomb(packed.infolist(), workbook, name, folder)
    faults = (calamine.CalamineError, OSError, ValueError)
    with translated(*faults, into=broken), calamine.CalamineWorkbook.from_path(str(workbook)) as opened:
        rows = _chosen(opened, sheet, name).to_python(skip_empty_area=False)
    path = folder / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(_records(rows))
    return Part(path, name)


def _chosen(workbook: CalamineWorkbook, sheet: str | None, name: str) -> CalamineSheet:
    """The sheet that was named, or the only one that holds something."""
    if sheet is not None:
        if sheet not in workbook.sheet_names:
            raise BadInput.unknown("sheet", sheet, workbook.sheet_names, f"It is looked for in {name!r}.")
        return workbook.get_sheet_by_name(sheet)
    filled = {one: found for one in workbook.sheet_names if (found := workbook.get_sheet_by_name(one)).height}
    if not filled:
        raise BadInput(f"The file {name!r} is empty. A sheet needs a row of column names.")
    if len(filled) > 1:
        raise BadInput(f"The file {name!r} has several sheets: {listing(list(filled))}. Name one (--sheet).")
    return next(iter(filled.values()))


def _records(rows: Sequence[Sequence[Any]]) -> Iterator[list[str]]:
    """The rows as text. Where a column has times of day, all its dates are written with one."""
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
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, date):
        return f"{cell.isoformat()} 00:00:00" if timed else cell.isoformat()
    if isinstance(cell, time | timedelta):
        return str(cell)
    return repr(cell)
