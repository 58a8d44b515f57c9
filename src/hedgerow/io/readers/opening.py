"""From the files that were found to plain ones: what is packed is written out into a folder of ours first."""

from __future__ import annotations

import shutil
import sys
import zipfile
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from hedgerow.errors import BadInput, required, translated
from hedgerow.io.readers._finding import Found, ending_of
from hedgerow.io.readers.parts import Part, recognised_delimiter, recognised_encoding
from hedgerow.io.readers.sizes import refuse_bomb

__all__ = ["OPENED", "open_parts", "refuse_other_columns", "with_folder_columns"]


OPENED: Final[deque[Part]] = deque(maxlen=100)
"""The first file of each table that was opened last: whoever writes an error looks whether it has a header."""

_PARQUET: Final = b"PAR1"
_MEMBERS: Final = (".csv", ".tsv", ".txt", ".parquet")
_BLOCK: Final = 1 << 20
_FOLDER: Final = "a folder to unpack into"


def open_parts(
    found: Found,
    folder: Path | None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> tuple[Part, ...]:
    """The plain files of a table, in order, with the encoding and the delimiter of each.

    Parameters
    ----------
    found : Found
    folder : Path, optional
        Where to write what is packed; only for that it is needed.
    encoding, delimiter : str, optional
        Of delimited text. Without them each file's first bytes and its header tell, and the ending ``.tsv``.
    sheet : str, optional
        Which sheet of a workbook to read, where several hold something.
    """
    if sheet is not None and found.ending != ".xlsx":
        raise BadInput(f"A sheet is named, but {found.name!r} is no .xlsx file. Leave it out.")
    parts = _opened(found, folder, encoding, delimiter, sheet)
    OPENED.append(parts[0])
    return parts


def _opened(
    found: Found, folder: Path | None, encoding: str | None, delimiter: str | None, sheet: str | None
) -> tuple[Part, ...]:
    if not found.files:
        parts = [(_copied_input(required(folder, _FOLDER)), "")]
    elif found.ending == ".zip":
        parts = [_unpacked(found.files[0], found.names[0], required(folder, _FOLDER))]
    elif found.ending == ".xlsx":
        from hedgerow.io.readers._workbooks import write_sheet

        return (write_sheet(found.files[0], found.names[0], sheet, required(folder, _FOLDER)),)
    else:
        kind = _format(found.ending)
        told = found.partitions or ((),) * len(found.files)
        named = zip(found.files, found.names, told, strict=True)
        parts = [(Part(path, name, kind, partition=partition), found.ending) for path, name, partition in named]
    return tuple(_with_shape(part, ending, encoding, delimiter) for part, ending in parts)


def _format(ending: str) -> Literal["csv", "parquet"]:
    return "parquet" if ending == ".parquet" else "csv"


def _with_shape(part: Part, ending: str, encoding: str | None, delimiter: str | None) -> Part:
    """A part with its encoding and its delimiter."""
    if part.format == "parquet":
        return part
    part = replace(part, encoding=recognised_encoding(part) if encoding is None else encoding)
    if delimiter is None:
        delimiter = "\t" if ending.startswith(".tsv") else recognised_delimiter(part)
    return replace(part, delimiter=delimiter)


def _copied_input(folder: Path) -> Part:
    """Standard input, written down: it can be read only once."""
    name = "standard input"
    path = folder / "input"
    unreadable = BadInput("Standard input cannot be read, or there is no room to write it down.")
    with translated(OSError, ValueError, AttributeError, into=unreadable), path.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out, _BLOCK)
    with path.open("rb") as raw:
        parquet = raw.read(len(_PARQUET)) == _PARQUET
    return Part(path, name, "parquet" if parquet else "csv")


def _unpacked(archive: Path, name: str, folder: Path) -> tuple[Part, str]:
    """The one table in a ZIP archive, and its ending. It takes a name of ours: the archive's may lead anywhere."""
    broken = BadInput(f"The archive {name!r} is damaged: it cannot be unpacked to the end.")
    faults = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
    with translated(*faults, into=broken), zipfile.ZipFile(archive) as opened:
        member = _only_member(opened, name)
        ending = ending_of(member.filename)
        path = folder / f"member{ending}"
        refuse_bomb([member], archive, name, folder)
        with opened.open(member) as packed, path.open("wb") as out:
            shutil.copyfileobj(packed, out, _BLOCK)
    return Part(path, name, _format(ending)), ending


def _only_member(opened: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """The single file of an archive; folders, and what macOS adds beside each file, do not count."""
    files = [one for one in opened.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
    if len(files) != 1:
        raise BadInput(f"The archive {name!r} holds {len(files):,} files. Pack a single table, or unpack it yourself.")
    if not files[0].filename.lower().endswith(_MEMBERS):
        raise BadInput(f"The file in the archive {name!r} is no table. Pack a .csv, .tsv, .txt or .parquet file.")
    if files[0].flag_bits & 1:
        raise BadInput(f"The archive {name!r} is protected by a password. Unpack it yourself.")
    return files[0]


# --------------------------------------------------------------------------------------------------
# Files that are read as one table have the same columns.


_ADVICE = "Files that are read together need the same columns in the same order."


def refuse_other_columns(first: str, columns: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse a file whose columns are not those of the first.

    Only names of the first file are told: a file without a header has cells in their place.

    Parameters
    ----------
    first, other : str
        What messages call the files.
    columns, others : sequence of str
        The names of their columns.
    """
    if len(columns) != len(others):
        raise BadInput(f"The file {other!r} has {len(others):,} columns, {first!r} has {len(columns):,}. {_ADVICE}")
    for number, (name, found) in enumerate(zip(columns, others, strict=True), start=1):
        if name != found:
            raise BadInput(f"Column {number:,} of {other!r} is not {name!r}, as it is in {first!r}. {_ADVICE}")


def with_folder_columns(part: Part, columns: Sequence[str]) -> list[str]:
    """The columns of a file and, after them, those that stand in the names of its folders.

    >>> from pathlib import Path
    >>> with_folder_columns(Part(Path("sex=F/a.csv"), "a.csv", partition=(("sex", "F"),)), ["age"])
    ['age', 'sex']
    """
    told = [name for name, _ in part.partition]
    twice = [name for name in told if name in columns]
    if twice:
        raise BadInput(
            f"The column {twice[0]!r} stands in the files and in the names of their folders too. Leave it out of the "
            "files, or rename the folders."
        )
    return [*columns, *told]
