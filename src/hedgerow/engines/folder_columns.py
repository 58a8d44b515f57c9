"""Columns that stand in the names of folders, as SQL beside the columns of the files in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from hedgerow.engines.sql import identifier, literal
from hedgerow.intake import Part

__all__ = ["folder_columns", "folder_type", "folder_types", "split_columns"]

_LONGEST_WHOLE: Final = 18  # digits that surely fit into 64 bits


def split_columns(part: Part, columns: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The columns of a file, and those that its folders tell."""
    own = len(columns) - len(part.partition)
    return columns[:own], columns[own:]


def folder_columns(parts: Sequence[Part], columns: Sequence[str], types: Sequence[str] | None = None) -> str:
    """What to select, beside the columns of a scan of these files, for the columns of their folders.

    Parameters
    ----------
    parts : sequence of Part
        The files in the order in which they are scanned.
    columns : sequence of str
        What the columns are called.
    types : sequence of str, optional
        What DuckDB calls their types; all are text if not given, as in a CSV.
    """
    selected = ""
    for at, column in enumerate(columns):
        told = [part.partition[at][1] for part in parts]
        values = ", ".join("NULL" if value is None else literal(value) for value in told)
        # DuckDB counts the files of a scan from 0, and the entries of a list from 1.
        cell = f"(CAST([{values}] AS VARCHAR[]))[CAST(file_index AS BIGINT) + 1]"
        selected += f", {cell if types is None else f'CAST({cell} AS {types[at]})'} AS {identifier(column)}"
    return selected


def folder_types(parts: Sequence[Part]) -> list[str]:
    """The types of the columns that the folders of all files of a table tell."""
    return [folder_type([part.partition[at][1] for part in parts]) for at in range(len(parts[0].partition))]


def folder_type(values: Sequence[str | None]) -> str:
    """The type of a column that folders tell: that of whole numbers or days if every value is written as one.

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
