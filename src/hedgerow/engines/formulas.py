"""Cells that a spreadsheet would take for formulas: counted in every release, and escaped in a CSV on request.

A cell is one if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return and is no number. Escaping puts
an apostrophe before it. Cells that begin so after apostrophes of their own get one more, so that no two cells become
one and the original can be told: take one apostrophe away.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import duckdb
import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.database import open_database
from hedgerow.engines.csv_source import csv_scan
from hedgerow.engines.csv_text import read_header
from hedgerow.engines.sql import file_literal, identifier, literal
from hedgerow.errors import BadInput, translated
from hedgerow.frames import as_arrow, open_frame

__all__ = ["count_formulas", "escape_relation", "escaped", "formula_warning"]

_ESCAPE: Final = "'"
_BEGINS: Final = "=+-@\t\r"
# The same patterns for Python, Arrow and DuckDB.
_FORMULA: Final = r"^'*[=+\-@\t\r]"
_NUMBER: Final = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\z"
_FORMULA_RE: Final = re.compile(_FORMULA)
_NUMBER_RE: Final = re.compile(_NUMBER.replace(r"\z", r"\Z"))


def escaped(cell: str) -> str:
    """A cell as a spreadsheet shows it without computing anything.

    >>> [escaped(cell) for cell in ("=1+1", "-5.5", "-", "'=x", "it's", "[1,2)")]
    ["'=1+1", '-5.5', "'-", "''=x", "it's", '[1,2)']
    """
    return _ESCAPE + cell if _FORMULA_RE.match(cell) and not _NUMBER_RE.match(cell) else cell


def escape_relation(rows: duckdb.DuckDBPyRelation, spare: Collection[str] = ()) -> duckdb.DuckDBPyRelation:
    """The rows with every text escaped; the texts in ``spare``, such as marks of missing values, stay as they are."""
    texts = _text_columns(rows)
    if not texts:
        return rows
    parts = []
    for name in texts:
        cell = f"CAST({identifier(name)} AS VARCHAR)"
        condition = _condition(cell, spare)
        parts.append(f"CASE WHEN {condition} THEN {literal(_ESCAPE)} || {cell} ELSE {cell} END AS {identifier(name)}")
    return rows.project(f"* REPLACE ({', '.join(parts)})")


def count_formulas(table: Any, spare: Collection[str] = ()) -> dict[str, int]:
    """How many cells of each column are formulas to a spreadsheet; columns without any are left out.

    Parameters
    ----------
    table : dataframe, DuckDB relation or Path
        Published rows: in memory, or a file that was written here.
    spare : collection of str
        Texts that stay as they are, such as marks of missing values.

    Examples
    --------
    >>> count_formulas(pa.table({"note": ["=1+1", "-5", None, "@a"], "age": [-1, -2, -3, -4]}))
    {'note': 2}
    """
    if isinstance(table, Path):
        return _count_in_file(table, spare)
    frame = open_frame(table).frame
    counts = {name: _count_in_column(frame[name], spare) for name in frame.columns}
    return {name: number for name, number in counts.items() if number}


def formula_warning(counts: Mapping[str, int]) -> str | None:
    """What the audit says of such cells: how many in which columns, never a cell.

    >>> formula_warning({"note": 2})
    "2 cells of 'note' begin with =, +, -, @, a tab or a carriage return: a spreadsheet may take them for formulas. \
Escape them (--escape-formulas)."
    """
    if not counts:
        return None
    told = ", ".join(f"{number:,} cells of {name!r}" for name, number in list(counts.items())[:_TOLD])
    rest = len(counts) - _TOLD
    more = f" and cells of {rest:,} more columns" if rest > 0 else ""
    return (
        f"{told}{more} begin with =, +, -, @, a tab or a carriage return: a spreadsheet may take them for formulas. "
        "Escape them (--escape-formulas)."
    )


_TOLD: Final = 10


def _text_columns(rows: duckdb.DuckDBPyRelation) -> list[str]:
    kinds = zip(rows.columns, rows.types, strict=True)
    return [name for name, kind in kinds if kind == "VARCHAR" or kind.id == "enum"]


def _condition(cell: str, spare: Collection[str]) -> str:
    begins = ", ".join(literal(sign) for sign in (*_BEGINS, _ESCAPE))
    kept = "".join(f" AND {cell} <> {literal(text)}" for text in spare)
    # The first sign is looked at first: it is cheap, and few cells have such a one.
    return (
        f"left({cell}, 1) IN ({begins}) AND regexp_matches({cell}, {literal(_FORMULA)}) "
        f"AND NOT regexp_matches({cell}, {literal(_NUMBER)}){kept}"
    )


def _count_in_file(path: Path, spare: Collection[str]) -> dict[str, int]:
    failed = BadInput(f"The file {path.name!r} cannot be read.")
    with translated(duckdb.Error, into=failed), open_database() as database:
        if path.name.lower().endswith(".parquet"):
            rows = database.sql(f"SELECT * FROM read_parquet({file_literal(path)}, hive_partitioning = false)")
        else:
            rows = database.sql(f"SELECT * FROM {csv_scan(path, read_header(path, 'utf-8', ','), ',')}")
        texts = _text_columns(rows)
        if not texts:
            return {}
        sums = ", ".join(f"count(*) FILTER (WHERE {_condition(identifier(name), spare)})" for name in texts)
        counts = rows.aggregate(sums).fetchall()[0]
    return {name: int(number) for name, number in zip(texts, counts, strict=True) if number}


def _count_in_column(column: nw.Series[Any], spare: Collection[str]) -> int:
    if column.dtype == nw.Object:  # one by one: they may be of many types
        return sum(isinstance(cell, str) and cell not in spare and escaped(cell) != cell for cell in column.to_list())
    if column.dtype not in (nw.String, nw.Categorical, nw.Enum):
        return 0
    cells = as_arrow(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return 0
    begins = pc.starts_with(cells, _ESCAPE)
    for sign in _BEGINS:
        begins = pc.or_(begins, pc.starts_with(cells, sign))
    few = cells.filter(begins)
    formula = pc.and_not(pc.match_substring_regex(few, _FORMULA), pc.match_substring_regex(few, _NUMBER))
    kept = pc.is_in(few, pa.array(list(spare), few.type))
    return int(pc.sum(pc.and_not(formula, kept)).as_py() or 0)
