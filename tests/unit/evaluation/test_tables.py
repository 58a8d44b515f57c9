"""The table that is evaluated: types of columns, the target, and what tells tables apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.tables import open_rows, open_table

SCHEMA = hr.Schema(quasi=["age", "zip"], target="ill", others="drop")
PEOPLE = pa.table({"age": [20, 30, 40, 50] * 3, "zip": ["01", "02", "03", "04"] * 3, "ill": list("ynyn") * 3})


@pytest.mark.parametrize("convert", [lambda table: table, lambda table: table.to_pandas(), pl.from_arrow])
def test_frames_keep_their_types(convert: Any) -> None:
    table = open_table(convert(PEOPLE), SCHEMA)
    assert (table.task, table.features, table.target) == ("classes", ["age", "zip"], "ill")
    assert table.table.column("age").to_pylist() == PEOPLE.column("age").to_pylist()
    assert table.labels is not None
    assert len(set(table.labels.tolist())) == 2


def test_rows_without_a_target() -> None:
    opened = open_rows(PEOPLE, hr.Schema(quasi=["age", "zip"], others="drop"))
    assert opened.features == ["age", "zip"]
    assert opened.people is None


def test_a_csv_gets_the_types_that_it_plainly_has(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;zip;born;size;ill\n" + "20;01;2001-02-03;1,5;y\n?;02;2002-03-04;2;n\n" * 4)
    schema = hr.Schema(quasi=["age", "zip", "born", "size"], target="ill", missing=("?",))
    table = open_table(hr.File(path, decimal=","), schema).table
    kinds = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert kinds == {"age": "int64", "zip": "string", "born": "timestamp[us]", "size": "double", "ill": "string"}
    assert table.column("age").to_pylist() == [20, None] * 4
    assert table.column("size").to_pylist() == [1.5, 2.0] * 4


def test_a_kind_that_was_told_decides(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,age,ill\n" + "01,5,y\n02,6,n\n" * 4)
    schema = hr.Schema(quasi=["zip", "age"], target="ill", kinds={"zip": "number", "age": "text"})
    table = open_table(path, schema).table
    assert (table.column("zip").to_pylist()[:2], table.column("age").to_pylist()[:2]) == ([1, 2], ["5", "6"])


def test_a_kind_that_does_not_fit_is_refused_without_quoting_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,ill\n" + "01,y\nsecret,n\n" * 4)
    with pytest.raises(hr.BadInput, match="row 2") as caught:
        open_table(path, hr.Schema(quasi=["zip"], target="ill", kinds={"zip": "number"}))
    assert "secret" not in str(caught.value)


def test_numbers_are_a_target_of_their_own() -> None:
    values = [1.5, 2.0, 3.25, 4.0] * 3
    table = open_table(PEOPLE.set_column(2, "ill", [values]), SCHEMA)
    assert (table.task, table.labels) == ("numbers", None)
    assert table.table.column("ill").to_pylist() == values


def test_few_whole_numbers_are_classes() -> None:
    table = open_table(PEOPLE.set_column(2, "ill", [[0, 1, 1, 0] * 3]), SCHEMA)
    assert table.task == "classes"
    assert table.table.column("ill").to_pylist() == ["0", "1", "1", "0"] * 3


@pytest.mark.parametrize(
    ("ill", "message"),
    [
        ([None, *"nynynynynyn"], "has no value in 1 of 12 rows"),
        (list("yyyyyyyyyyyy"), "the same value in all rows"),
        (list("abcdefghijkl"), "12 different values in 12 rows"),
    ],
)
def test_targets_that_cannot_be_judged(ill: list[Any], message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        open_table(PEOPLE.set_column(2, "ill", [ill]), SCHEMA)


def test_what_is_no_table_or_has_no_target() -> None:
    with pytest.raises(hr.BadInput, match="No target is named"):
        open_table(PEOPLE, hr.Schema(quasi=["age"], others="drop"))
    with pytest.raises(hr.BadInput, match=r"hedgerow\.Schema"):
        open_table(PEOPLE, {"target": "ill"})  # type: ignore[arg-type]  # on purpose
    with pytest.raises(hr.BadInput, match="no rows"):
        open_table(PEOPLE.slice(0, 0), SCHEMA)
    with pytest.raises(hr.BadInput, match="There is no column 'zipp'"):
        open_table(PEOPLE, hr.Schema(quasi=["zipp"], target="ill", others="drop"))


def test_the_digest_tells_tables_apart_by_cells_names_and_types() -> None:
    def digest(table: pa.Table) -> str:
        return open_table(table, SCHEMA).digest

    assert digest(PEOPLE) == digest(pa.table(PEOPLE.to_pydict()))
    assert digest(PEOPLE) == digest(pa.concat_tables([PEOPLE.slice(0, 5), PEOPLE.slice(5)])), "chunks do not matter"
    others = [
        PEOPLE.set_column(0, "age", [[21, 30, 40, 50] * 3]),
        PEOPLE.set_column(0, "age", PEOPLE.column("age").cast(pa.float64())),
        PEOPLE.append_column("name", [["a"] * 12]),
        PEOPLE.take(pa.array([1, 0, *range(2, 12)])),
    ]
    assert len({digest(PEOPLE), *map(digest, others)}) == 5


def test_people_and_what_only_tells_them_apart_is_no_feature() -> None:
    table = PEOPLE.append_column("who", [[f"p{at % 5}" for at in range(12)]])
    for schema in (
        hr.Schema(quasi=["age"], target="ill", entity="who", others="drop"),
        hr.Schema(quasi=["age"], target="ill", entity="who", pseudonymize=["who"], others="drop"),
    ):
        opened = open_table(table, schema)
        assert opened.features == ["age"]
        assert opened.people is not None
        assert (pd.Series(opened.people).groupby(table.column("who").to_pylist()).nunique() == 1).all()
