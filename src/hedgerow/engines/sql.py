"""Pieces of SQL for counting and applying."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from hedgerow.errors import InternalError
from hedgerow.io.readers import Part

__all__ = [
    "canonical_hash",
    "canonical_text",
    "column_list",
    "file_literal",
    "file_literals",
    "folder_columns",
    "folder_type",
    "folder_types",
    "identifier",
    "literal",
    "place_literal",
    "split_columns",
]


def identifier(name: str) -> str:
    """Quote a column name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: str | Path) -> str:
    """Quote the path of one file to read, so that DuckDB does not take it for a pattern of many."""
    return literal(glob.escape(_from_the_root(path)))


def file_literals(paths: Iterable[str | Path]) -> str:
    """Quote the paths of files to read together, in order."""
    return f"[{', '.join(map(file_literal, paths))}]"


def place_literal(path: str | Path) -> str:
    """Quote the path of a file to write."""
    return literal(_from_the_root(path))


def _from_the_root(path: str | Path) -> str:
    """Refuse paths that DuckDB would read differently from Python: ``~``, ``file:``, ``s3:`` and the like."""
    if not Path(path).is_absolute():
        raise InternalError("a path that does not begin at the root was to be handed to DuckDB")
    return str(path)


def column_list(names: Iterable[str]) -> str:
    """Quote several column names."""
    return ", ".join(identifier(name) for name in names)


def canonical_hash(seed: str, columns: Mapping[str, str]) -> str:
    """The expression by which rows of one cell are ranked: md5 of the seed and the row's other columns as text.

    Each text is led by its length, so that no two rows that differ are joined to the same text. Equal rows tie, and
    it does not matter which of them goes where: the release is the same multiset.

    Parameters
    ----------
    seed : str
    columns : mapping of name to DuckDB's type
    """
    texts = [canonical_text(name, kind) for name, kind in columns.items()]
    parts = [literal(seed), *(f"coalesce(length({text}) || ':' || {text}, '-')" for text in texts)]
    return "md5(concat_ws('|', " + ", ".join(parts) + "))"


def canonical_text(name: str, kind: str) -> str:
    """A cell as the text that every engine writes; null stays null.

    Whole numbers, text, booleans (``true``) and decimals (with all decimals of their scale) stay as they are. A float
    becomes the bits of a double read as a whole number, or ``nan``. A date becomes days since 1970, and a moment
    microseconds, in UTC if it has a zone. Bytes are hexadecimal. :mod:`hedgerow.engines.spark._coding` writes the same.
    Types that only DuckDB has are written as DuckDB writes them.
    """
    cell = identifier(name)
    text = f"CAST({cell} AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE"):
        bits = f"CAST(CAST(CAST({cell} AS DOUBLE) AS BIT) AS BIGINT)"
        return f"CASE WHEN isnan({cell}) THEN 'nan' ELSE CAST({bits} AS VARCHAR) END"
    if kind == "DATE":
        return f"CASE WHEN isfinite({cell}) THEN CAST({cell} - DATE '1970-01-01' AS VARCHAR) ELSE {text} END"
    if kind == "TIMESTAMP_NS":
        # Rounded to the precision of the other engines, unless that would merge moments that differ.
        parts = f"epoch_ns({cell}) // 1000 || CASE epoch_ns({cell}) % 1000 WHEN 0 THEN '' ELSE 'ns' || epoch_ns({cell})"
        return f"CASE WHEN isfinite({cell}) THEN {parts} END ELSE {text} END"
    if kind.startswith("TIMESTAMP"):
        moment = cell if kind.endswith("ZONE") else f"CAST({cell} AS TIMESTAMP)"
        return f"CASE WHEN isfinite({cell}) THEN CAST(epoch_us({moment}) AS VARCHAR) ELSE {text} END"
    return f"hex({cell})" if kind == "BLOB" else text


# --------------------------------------------------------------------------------------------------
# Columns in the names of folders, as SQL beside the columns of the files in these folders.


_LONGEST_WHOLE: Final = 18  # digits that surely fit into 64 bits


def split_columns(part: Part, columns: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The columns of a file, and those in the names of its folders."""
    own = len(columns) - len(part.partition)
    return columns[:own], columns[own:]


def folder_columns(parts: Sequence[Part], columns: Sequence[str], types: Sequence[str] | None = None) -> str:
    """What to select, beside the columns of a scan of these files, for the columns of their folders.

    Parameters
    ----------
    parts : sequence of Part
        The files in the order in which they are scanned.
    columns : sequence of str
        The names of the columns.
    types : sequence of str, optional
        DuckDB's names of their types; by default all are text, as in a CSV.
    """
    selected = ""
    for at, column in enumerate(columns):
        cells = [part.partition[at][1] for part in parts]
        values = ", ".join("NULL" if value is None else literal(value) for value in cells)
        # DuckDB counts the files of a scan from 0, and the entries of a list from 1.
        cell = f"(CAST([{values}] AS VARCHAR[]))[CAST(file_index AS BIGINT) + 1]"
        selected += f", {cell if types is None else f'CAST({cell} AS {types[at]})'} AS {identifier(column)}"
    return selected


def folder_types(parts: Sequence[Part]) -> list[str]:
    """The types of the columns in the names of the folders, over all files of a table."""
    return [folder_type([part.partition[at][1] for part in parts]) for at in range(len(parts[0].partition))]


def folder_type(values: Sequence[str | None]) -> str:
    """The type of a column in names of folders: whole numbers or days if every value is written so, else text.

    >>> folder_type(["2019", None, "-3"]), folder_type(["07", "8"]), folder_type(["2019-12-31"])
    ('BIGINT', 'VARCHAR', 'DATE')
    """
    known = [value for value in values if value is not None]
    if known and all(map(_is_whole, known)):
        return "BIGINT"
    return "DATE" if known and all(map(_is_day, known)) else "VARCHAR"


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_WHOLE and str(int(text)) == text


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
