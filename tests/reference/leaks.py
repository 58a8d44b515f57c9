"""Look for the cells of tables in what a command says and in what it leaves behind.

Two things are looked for. ``SECRET`` is planted in the tables and may stand nowhere, not even inside a longer word. And
whoever is refused must not be told any cell of the tables that lie in the folder, as a word of its own: those of four
signs or more that are no name of a column or a file and were not typed.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

SECRET: Final = "Zebulon"
"""Stands in many cells of the tables of tests."""

SHORTEST: Final = 4
"""Cells of fewer signs stand in ordinary sentences, too."""

_READ: Final = 1_000_000
_BETWEEN: Final = re.compile(r'[,;|\t"\0]')
_OPTIONS: Final = (".toml", ".json", ".jsonl", ".html", ".md")
"""Files of these endings are no tables: somebody typed them, or a command wrote them for readers."""


class Search:
    """What must not be told of the tables in a folder, as they are when the search begins.

    Parameters
    ----------
    folder : Path
    typed : sequence of str
        The arguments of the command. Their words may be repeated.
    """

    def __init__(self, folder: Path, typed: Sequence[str] = ()) -> None:
        self._folder = folder
        self._before = _files(folder)
        known = {word for text in typed for word in words(text)}
        cells: set[str] = set()
        for path in self._before:
            known.update(words(str(path.relative_to(folder))))
            if path.suffix in _OPTIONS:
                known.update(words(path.read_bytes()[:_READ].decode("utf-8", "replace")))
                continue
            header, rows = read(path)
            known.update(word for name in header for word in words(name))
            cells.update(cell.strip() for row in rows for cell in row)
        self.cells = sorted(cell for cell in cells if len(cell) >= SHORTEST and not words(cell) <= known)

    def found(self, *texts: str, refused: bool) -> list[str]:
        """The cells that stand in some texts, or in files that were left behind since the search began."""
        told = "\n".join((*texts, *self._left_behind(tables=refused)))
        found = [SECRET] if SECRET in told else []
        if refused:
            as_words = words(told)
            found += [
                cell
                for cell in self.cells
                if words(cell) <= as_words and re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", told)
            ]
        return found

    def _left_behind(self, *, tables: bool) -> Iterator[str]:
        for path, changed in _files(self._folder).items():
            if self._before.get(path) != changed and (tables or path.suffix in _OPTIONS):
                yield path.read_bytes().decode("utf-8", "replace")


def words(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"\w+", text))


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a table, as far as they can be read: many of these tables are broken."""
    raw = path.read_bytes()[:_READ]
    try:
        if path.suffix == ".parquet":
            return _split(pq.read_table(path))
        if path.suffix == ".xlsx":
            sheet = openpyxl.load_workbook(path).active
            lines = [[str(cell) for cell in row] for row in sheet.values]
            return lines[0], lines[1:]
        if path.suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                raw = archive.read(archive.namelist()[0])
        if path.suffix == ".gz":
            raw = zlib.decompressobj(31).decompress(raw)
    except (pa.ArrowException, zipfile.BadZipFile, zlib.error, OSError):
        return [], []
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    header, *rows = [_BETWEEN.split(line) for line in raw.decode(encoding, "replace").splitlines()] or [[]]
    return header, rows


def _split(table: pa.Table) -> tuple[list[str], list[list[str]]]:
    rows: Iterable[dict[str, object]] = table.to_pylist()
    return table.column_names, [[str(cell) for cell in row.values()] for row in rows]


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Every file below a folder, with what tells whether it was written since."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            known = path.stat()
            found[path] = (known.st_size, known.st_mtime_ns)
    return found
