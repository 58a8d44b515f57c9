"""Our own databases see nothing but what is handed to them."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from hedgerow.database import open_database


def test_no_python_variable_is_found() -> None:
    people = pa.table({"age": [39]})
    assert duckdb.connect().sql("SELECT * FROM people").fetchall() == [(39,)]
    with open_database() as database, pytest.raises(duckdb.CatalogException):
        database.sql("SELECT * FROM people")
    assert people.num_rows == 1


def test_nothing_is_downloaded() -> None:
    with open_database() as database:
        settings = database.sql("SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%_known_extensions'")
        assert dict(settings.fetchall()) == {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with pytest.raises(duckdb.Error):
            database.sql("SELECT * FROM 's3://bucket/x.parquet'")


def test_settings_and_relations_that_outlive_the_name() -> None:
    relation = open_database(threads=1).from_arrow(pa.table({"age": [39]}))
    assert relation.fetchall() == [(39,)]
