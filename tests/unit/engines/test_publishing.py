"""What DuckDB is told of the published rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines._coding import GROUP, CountedFile, Keys
from hedgerow.engines._files import columns_written, published_columns, published_groups

PEOPLE = pa.table({"town": ["Ulm", "Ulm", None, None], "name": ["a", "b", "c", "d"], "ill": ["y", "n", "y", "n"]})


def counted(schema: hr.Schema) -> CountedFile:
    inside = {name: f"c{at}" for at, name in enumerate(PEOPLE.column_names)}
    kinds = dict.fromkeys(inside, "VARCHAR")
    return CountedFile(schema, schema.resolve(list(inside)), inside, kinds, Keys.of({"c0": 2}), frozenset({"town"}))


def recoded(schema: hr.Schema) -> hr.Recoding:
    return hr.anonymize(PEOPLE, schema, k=2, random_state=1).recoding


@pytest.mark.parametrize(("file", "shown"), [("out.csv", "?"), ("out.parquet", None)])
def test_a_missing_value_is_written_as_it_was_marked_in_text(file: str, shown: str | None) -> None:
    schema = hr.Schema(quasi=["town"], identifying=["name"], target="ill", missing=("?",))
    groups = published_groups(recoded(schema), counted(schema), Path(file))
    assert groups.column_names == [GROUP, "c0"]
    assert set(groups.column("c0").to_pylist()) == {"Ulm", shown}


def test_quasi_identifiers_come_from_groups_and_pseudonyms_from_a_key_that_is_another_each_time() -> None:
    schema = hr.Schema(quasi=["town"], pseudonymize=["name"], target="ill")
    recoding, file = recoded(schema), counted(schema)
    first, second = (published_columns(recoding, file, never_null=False) for _ in range(2))
    assert 'published."c0" AS "town"' in first
    assert 'shuffled."c2" AS "ill"' in first
    assert "sha256" in first
    assert first != second, "nobody keeps the key"


def test_a_column_alone_in_text_is_never_null() -> None:
    schema = hr.Schema(quasi=["town"], others="drop")
    recoding, file = recoded(schema), counted(schema)
    assert published_columns(recoding, file, never_null=True).startswith("coalesce(")
    assert not published_columns(recoding, file, never_null=False).startswith("coalesce(")


def test_the_columns_of_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text('"a,b",c\n1,2\n')
    (tmp_path / "out").mkdir()
    pq.write_table(PEOPLE, tmp_path / "out" / "part-00000.parquet")
    assert columns_written(tmp_path / "out.csv") == ("a,b", "c")
    assert columns_written(tmp_path / "out") == ("town", "name", "ill")
