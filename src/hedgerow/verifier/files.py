"""Files as DuckDB relations, larger than memory: CSV (also gzipped) as text, Parquet with its types.

Nothing is guessed but the delimiter, and that from the header alone: DuckDB's own detection skips lines
that do not fit, and a skipped row would be a row that nobody verified.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO, cast

import duckdb

from hedgerow.errors import BadInput
from hedgerow.verifier.grouping import open_database

__all__ = ["OpenFile", "is_path", "open_file"]

_DELIMITERS: Final = ",;\t|"
_LINE: Final = re.compile(r"CSV Error on Line: (\d+)")


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file as a relation with the columns ``f0``, ``f1``, …, and the names that the file gives them."""

    names: tuple[str, ...]
    relation: duckdb.DuckDBPyRelation

    def alias(self, name: str) -> str:
        """Return what the relation calls a column."""
        return f"f{self.names.index(name)}"


def is_path(table: object) -> bool:
    """Tell whether a table is given as the path of a file."""
    return isinstance(table, str | Path)


@contextmanager
def open_file(path: str | Path, encoding: str) -> Iterator[OpenFile]:
    """Open a CSV or Parquet file; a fault found while it is read becomes one sentence without a cell."""
    file = Path(path)
    if not file.is_file():
        raise BadInput(f"There is no file {str(path)!r}.")
    name = file.name.lower()
    if not name.endswith((".csv", ".csv.gz", ".parquet")):
        raise BadInput(f"The file {str(path)!r} must end in .csv, .csv.gz or .parquet.")
    with open_database() as connection:
        try:
            if name.endswith(".parquet"):
                yield _open_parquet(connection, file)
            else:
                yield _open_csv(connection, file, encoding)
        except duckdb.Error as error:
            # The message quotes the line; its number is all that may be passed on.
            found = _LINE.search(str(error))
            where = f" at line {found[1]}" if found else ""
            what = "Parquet" if name.endswith(".parquet") else f"CSV in {encoding}"
            raise BadInput(f"The file {str(path)!r} is not well-formed {what}{where}. {_ADVICE}") from None


_ADVICE: Final = "Check its encoding, its quotes, and that every line has as many cells as the header."


def _open_parquet(connection: duckdb.DuckDBPyConnection, file: Path) -> OpenFile:
    source = f"read_parquet({_spelled(file)})"
    # DuckDB renames columns that differ only in case, so the names come from the file's own schema.
    fields = connection.sql(f"SELECT name, num_children FROM parquet_schema({_spelled(file)})").fetchall()
    names, at = [], 1
    while at < len(fields):
        names.append(str(fields[at][0]))
        at = _after(fields, at)
    return OpenFile(tuple(names), connection.sql(f"FROM {source} AS t({_aliases(len(names))})"))


def _after(fields: list[tuple[str, int | None]], at: int) -> int:
    """Step over a field of the schema and everything nested in it."""
    below = fields[at][1] or 0
    at += 1
    for _ in range(below):
        at = _after(fields, at)
    return at


def _open_csv(connection: duckdb.DuckDBPyConnection, file: Path, encoding: str) -> OpenFile:
    names, delimiter = _header(file, encoding)
    columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(names)))
    dialect = "auto_detect = false, header = true, skip = 0, comment = '', quote = '\"', escape = '\"'"
    rules = "strict_mode = true, null_padding = false, ignore_errors = false"
    text = f"delim = '{delimiter}', encoding = '{_duckdb_encoding(encoding)}'"
    source = f"read_csv({_spelled(file)}, columns = {{{columns}}}, {dialect}, {rules}, {text})"
    return OpenFile(names, connection.sql(f"FROM {source}"))


def _header(file: Path, encoding: str) -> tuple[tuple[str, ...], str]:
    """Read the names of the columns, and the delimiter that splits them into the most."""
    python_encoding = "utf-8-sig" if _duckdb_encoding(encoding) == "utf-8" else encoding
    try:
        with _open_text(file, python_encoding) as stream:
            first = stream.readline()
        with _open_text(file, python_encoding) as stream:
            delimiter = max(_DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
            names = next(csv.reader(stream, delimiter=delimiter), [])
    except (UnicodeError, OSError, EOFError, zlib.error, csv.Error):
        names = ["\ufffd"]
    if any("\ufffd" in name for name in names):
        raise BadInput(f"The header of {str(file)!r} cannot be read as CSV in {encoding}. {_ADVICE}")
    if not names:
        raise BadInput(f"The file {str(file)!r} is empty. Its first line must name the columns.")
    return tuple(names), delimiter


def _open_text(file: Path, encoding: str) -> TextIO:
    # Bytes that are no text are left for DuckDB to find: it reads the whole file, and tells the line.
    opened = gzip.open if file.name.lower().endswith(".gz") else open
    return cast("TextIO", opened(file, "rt", encoding=encoding, errors="replace", newline=""))


def _duckdb_encoding(encoding: str) -> str:
    """Name an encoding as DuckDB does: only the three it has built in can be read out of core."""
    plain = encoding.lower().replace("_", "-")
    if plain in ("utf-8", "utf8", "utf-8-sig"):
        return "utf-8"
    if plain in ("latin-1", "latin1", "iso-8859-1", "iso8859-1"):
        return "latin-1"
    if plain in ("utf-16", "utf16"):
        return "utf-16"
    raise BadInput.parameter("encoding", "the table", "'utf-8', 'latin-1' or 'utf-16'", encoding)


def _aliases(number: int) -> str:
    return ", ".join(f"f{i}" for i in range(number))


def _spelled(path: Path) -> str:
    """Write a path as SQL text that DuckDB does not read as a pattern of many files."""
    text = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
    return "'" + text.replace("'", "''") + "'"
