"""The pieces of SQL, run by DuckDB itself."""

from __future__ import annotations

import hashlib
from itertools import product
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.engines.sql import canonical_hash, column_list, file_literal, identifier, literal

texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=10)


@given(texts)
def test_quoting(text: str) -> None:
    relation = duckdb.connect().sql(f"SELECT {literal(text)} AS {identifier(text)}")
    assert relation.columns == [text]
    assert relation.fetchall() == [(text,)]


def test_column_list() -> None:
    assert column_list(["a", 'b"c']) == '"a", "b""c"'


@pytest.mark.parametrize("name", ["a*.csv", "a[1].csv", "a?.csv", "it's.csv"])
def test_a_path_is_no_pattern(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x\nright\n")
    (tmp_path / "a1.csv").write_text("x\nwrong\n")
    assert duckdb.connect().sql(
        f"SELECT * FROM read_csv({file_literal(tmp_path / name)}, header = true)"
    ).fetchall() == [("right",)]


def test_rows_that_differ_have_hashes_that_differ() -> None:
    cells = [None, "", "-", "1", "|", "1:|", "a|1:b", "0:", "\x1f", "\x01"]
    rows = list(product(cells, cells))
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows (a VARCHAR, b VARCHAR)")
    connection.executemany("INSERT INTO rows VALUES (?, ?)", rows)
    hashes = connection.sql(f"SELECT DISTINCT {canonical_hash('7', ['a', 'b'])} FROM rows").fetchall()
    assert len(hashes) == len(rows)


def test_the_hash_is_md5_of_seed_and_cells() -> None:
    found = (
        duckdb.connect().sql(f"SELECT {canonical_hash('7', ['a', 'b'])} FROM (SELECT 12 AS a, NULL AS b)").fetchall()
    )
    assert found == [(hashlib.md5(b"7|2:12|-", usedforsecurity=False).hexdigest(),)]
