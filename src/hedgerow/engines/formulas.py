"""Cells that a spreadsheet would take for formulas: counted in every release, and escaped in a CSV on request.

A cell is one if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return and is no number. Escaping puts
an apostrophe before it. Cells that begin so after apostrophes of their own get one more, so that no two cells become
one and the original can be told: take one apostrophe away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import duckdb
import numpy as np

from hedgerow.arrays import Longs
from hedgerow.engines.sql import identifier, literal

__all__ = ["count_in_relation", "escape_relation", "escaped", "formula_warning", "formulas_in"]

_ESCAPE: Final = "'"
_BEGINS: Final = "=+-@\t\r"
# The same patterns for Python and DuckDB.
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


def formulas_in(labels: Iterable[str | None], rows: Longs) -> int:
    """How many rows hold a label that is a formula to a spreadsheet.

    >>> formulas_in(["=1+1", "-5", None], np.array([2, 3, 4]))
    2
    """
    found = [label is not None and escaped(label) != label for label in labels]
    return int(rows[np.array(found, dtype=bool)].sum())


def count_in_relation(rows: duckdb.DuckDBPyRelation, columns: Sequence[str]) -> dict[str, int]:
    """How many cells of some columns are formulas; columns without any are left out. One pass for all."""
    texts = [name for name in text_columns(rows) if name in columns]
    if not texts:
        return {}
    parts = [f"count(*) FILTER (WHERE {_is_formula(f'CAST({identifier(name)} AS VARCHAR)')})" for name in texts]
    found = zip(texts, rows.aggregate(", ".join(parts)).fetchall()[0], strict=True)
    return {name: number for name, number in found if number}


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
