"""Cells that a spreadsheet would take for formulas: counted in every release, and escaped in a CSV on request.

A cell is a formula if it begins with ``=``, ``+``, ``-`` or ``@``, of usual or full width, with a tab, a line feed or a
carriage return, and is no number. Escaping puts an apostrophe before it. A cell that already has apostrophes before
such a sign gets one more, so that no two cells become equal. To restore the original, remove one apostrophe.

Names of columns are not escaped, because readers find the columns by them: the audit warns of such names, and a CSV
with escaped formulas is not written with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Longs
from hedgerow.engines.sql import identifier, literal
from hedgerow.errors import listing, plural

__all__ = [
    "FORMULA_PATTERN",
    "NUMBER_PATTERN",
    "count_in_relation",
    "escape_relation",
    "escaped",
    "formula_names",
    "formula_warning",
    "formulas_in",
    "formulas_of",
    "may_hold_formulas",
]

_ESCAPE: Final = "'"
_BEGINS: Final = "=+-@\t\r\n＝＋－＠"
# The same patterns for Python, DuckDB and Java.
FORMULA_PATTERN: Final = r"^'*[=+\-@\t\r\n＝＋－＠]"
NUMBER_PATTERN: Final = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\z"
_SIGNS: Final = np.isin(np.arange(256), [sign.encode()[0] for sign in f"{_BEGINS}{_ESCAPE}"])
# Classifies every byte: a border behind which a cell begins, one of the signs, or anything else.
_BORDER, _OTHER, _SIGN = 0, 1, 2
_OUTLINE: Final = bytes(_BORDER if byte in b',\n"' else _SIGN if _SIGNS[byte] else _OTHER for byte in range(256))
_BLOCK: Final = 1 << 17
_FORMULA_RE: Final = re.compile(FORMULA_PATTERN)
_NUMBER_RE: Final = re.compile(NUMBER_PATTERN.replace(r"\z", r"\Z"))


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
    changed = [label is not None and escaped(label) != label for label in labels]
    return int(rows[np.array(changed, dtype=bool)].sum())


def formulas_of(cells: pa.ChunkedArray) -> int:
    """How many texts of a column are formulas.

    >>> formulas_of(pa.chunked_array([["=1+1", "-5", None, ""]]))
    1
    """
    texts = cells.cast(pa.large_string())
    few = [chunk.take(pa.array(_beginning(chunk))) for chunk in texts.chunks]
    counted = pc.value_counts(pa.chunked_array(few, pa.large_string()))
    return formulas_in(counted.field("values").to_pylist(), counted.field("counts").to_numpy())


def _beginning(texts: pa.Array) -> Longs:
    """Where a text begins as a formula does. Only first bytes are read: most columns have none of these."""
    _, bounds, letters = texts.buffers()
    if letters is None or not letters.size:
        return np.zeros(0, dtype=np.int64)
    offsets = np.frombuffer(bounds, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    return filled[_SIGNS[np.frombuffer(letters, np.uint8)[offsets[filled]]]]


def may_hold_formulas(path: Path) -> bool:
    """Whether a cell of a CSV that was written here may be a formula: one pass over its bytes.

    A sign at the beginning of a cell follows a comma, a line end or a quote. A line feed there follows a quote, which
    follows a comma or a line end.
    """
    last = b"\n"
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            seen = last + block
            outline = np.frombuffer(seen.translate(_OUTLINE), np.uint8)
            if (outline[1:] - outline[:-1] == _SIGN - _BORDER).any() or b',"\n' in seen or b'\n"\n' in seen:
                return True
            last = seen[-2:]
    return False


def count_in_relation(rows: duckdb.DuckDBPyRelation, columns: Sequence[str]) -> dict[str, int]:
    """How many cells of some columns are formulas; columns without any are left out.

    One pass examines first signs: each pattern takes memory, and few columns need any.
    """
    wanted = set(columns)
    texts = [name for name in text_columns(rows) if name in wanted]
    return _count_cells(rows, _count_cells(rows, texts, _begins_as_formula), _is_formula)


def _count_cells(
    rows: duckdb.DuckDBPyRelation, columns: Iterable[str], condition: Callable[[str], str]
) -> dict[str, int]:
    """How many cells of each column fulfil a condition, where any does."""
    names = list(columns)
    if not names:
        return {}
    # Not count(*) FILTER (WHERE …), which takes time and memory with the square of the number of columns.
    parts = [f"count_if({condition(f'CAST({identifier(name)} AS VARCHAR)')})" for name in names]
    counted = zip(names, rows.aggregate(", ".join(parts)).fetchall()[0], strict=True)
    return {name: number for name, number in counted if number}


def formula_names(columns: Iterable[str]) -> list[str]:
    """The names of columns that a spreadsheet would take for formulas.

    >>> formula_names(["age", "=1+1", "-5"])
    ['=1+1']
    """
    return [name for name in columns if escaped(name) != name]


def formula_warning(counts: Mapping[str, int], columns: Iterable[str] = ()) -> str | None:
    """The audit's warning about formulas in cells and in names of columns: how many in which column, never a cell.

    >>> formula_warning({"note": 2})
    "2 cells of 'note' begin as formulas do (with =, +, -, @, a tab or a line end): a spreadsheet may compute them. \
Escape them (--escape-formulas)."
    >>> formula_warning({}, ["age", "=1+1"])
    "The names of the columns '=1+1' begin as formulas do (with =, +, -, @, a tab or a line end): a spreadsheet may \
compute them. Rename these columns."
    """
    names = formula_names(columns)
    named = f"The names of the columns {listing(names)} {_BEGIN}. Rename these columns." if names else None
    if not counts:
        return named
    listed = ", ".join(f"{plural(number, 'cells')} of {name!r}" for name, number in list(counts.items())[:_MOST_LISTED])
    rest = len(counts) - _MOST_LISTED
    more = f" and cells of {rest:,} more columns" if rest > 0 else ""
    cells = f"{listed}{more} {_BEGIN}. Escape them (--escape-formulas)."
    return cells if named is None else f"{cells} {named}"


_MOST_LISTED: Final = 10
_BEGIN: Final = "begin as formulas do (with =, +, -, @, a tab or a line end): a spreadsheet may compute them"


def text_columns(rows: duckdb.DuckDBPyRelation) -> list[str]:
    """The columns that hold text."""
    kinds = zip(rows.columns, rows.types, strict=True)
    return [name for name, kind in kinds if kind == "VARCHAR" or kind.id == "enum"]


def _begins_as_formula(cell: str) -> str:
    return f"left({cell}, 1) IN ({', '.join(literal(sign) for sign in (*_BEGINS, _ESCAPE))})"


def _is_formula(cell: str) -> str:
    # The first sign is examined first: that is cheap, and few cells begin with such a sign.
    return (
        f"{_begins_as_formula(cell)} AND regexp_matches({cell}, {literal(FORMULA_PATTERN)}) "
        f"AND NOT regexp_matches({cell}, {literal(NUMBER_PATTERN)})"
    )
