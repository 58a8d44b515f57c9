"""The pieces of SQL, run by DuckDB itself."""

from __future__ import annotations

import hashlib
from itertools import product
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.engines.sql import canonical_hash, column_list, file_literal, identifier, literal, place_literal
from hedgerow.errors import InternalError

texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=10)


@settings(deadline=None)
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
    hashes = connection.sql(
        f"SELECT DISTINCT {canonical_hash('7', dict.fromkeys('ab', 'VARCHAR'))} FROM rows"
    ).fetchall()
    assert len(hashes) == len(rows)


def test_the_hash_is_md5_of_seed_and_cells() -> None:
    found = (
        duckdb.connect()
        .sql(f"SELECT {canonical_hash('7', dict.fromkeys('ab', 'INTEGER'))} FROM (SELECT 12 AS a, NULL AS b)")
        .fetchall()
    )
    assert found == [(hashlib.md5(b"7|2:12|-", usedforsecurity=False).hexdigest(),)]


@pytest.mark.parametrize(
    "path", ["x.csv", "~/x.csv", "file:x.csv", "file:///x.csv", "s3://b/x.csv", "https://a.b/x.csv"]
)
def test_nothing_but_a_path_from_the_root_is_handed_to_duckdb(path: str) -> None:
    for quote in (file_literal, place_literal):
        with pytest.raises(InternalError, match="does not begin at the root"):
            quote(path)
    assert place_literal("/it's/[a]*.csv") == "'/it''s/[a]*.csv'"
