"""Cells that a spreadsheet would take for formulas: counted in every release, and escaped in a CSV on request.

A cell is one if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return and is no number. Escaping puts
an apostrophe before it. Cells that begin so after apostrophes of their own get one more, so that no two cells become
one and the original can be told: take one apostrophe away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.arrays import Bools
from hedgerow.engines.sql import identifier, literal

if TYPE_CHECKING:
    from hedgerow.engines.base import Published

__all__ = ["count_formulas", "escape_relation", "escaped", "formula_warning", "text_columns"]

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


def escape_relation(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The rows with every text escaped."""
    texts = text_columns(rows)
    if not texts:
        return rows
    parts = []
    for name in texts:
        cell = f"CAST({identifier(name)} AS VARCHAR)"
        formula = _is_formula(cell)
        parts.append(f"CASE WHEN {formula} THEN {literal(_ESCAPE)} || {cell} ELSE {cell} END AS {identifier(name)}")
    return rows.project(f"* REPLACE ({', '.join(parts)})")


def count_formulas(published: Published) -> dict[str, int]:
    """How many cells of each column are formulas to a spreadsheet; columns without any are left out."""
    found = {}
    for name in published.texts:
        groups = published.group([name], begins=(*_BEGINS, _ESCAPE))
        if number := int(groups.rows[_formulas(groups.cells[0])].sum()):
            found[name] = number
    return found


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


def text_columns(rows: duckdb.DuckDBPyRelation) -> list[str]:
    """The columns that hold text."""
    kinds = zip(rows.columns, rows.types, strict=True)
    return [name for name, kind in kinds if kind == "VARCHAR" or kind.id == "enum"]


def _is_formula(cell: str) -> str:
    begins = ", ".join(literal(sign) for sign in (*_BEGINS, _ESCAPE))
    # The first sign is looked at first: it is cheap, and few cells have such a one.
    return (
        f"left({cell}, 1) IN ({begins}) AND regexp_matches({cell}, {literal(_FORMULA)}) "
        f"AND NOT regexp_matches({cell}, {literal(_NUMBER)})"
    )


def _formulas(cells: pa.Array) -> Bools:
    begins = pc.starts_with(cells, _ESCAPE)
    for sign in _BEGINS:
        begins = pc.or_(begins, pc.starts_with(cells, sign))
    found: Bools = np.zeros(len(cells), dtype=bool)
    few = np.flatnonzero(pc.fill_null(begins, False).to_numpy(zero_copy_only=False))
    found[few] = [escaped(cell) != cell for cell in cells.take(pa.array(few)).to_pylist()]
    return found
