"""The recoding: unseen rows, and what its files tell."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, HedgerowError

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]

PEOPLE = pa.table(
    {
        "age": [20, 21, 22, 30, 31, 32, 50, 51, 52, None, None, None],
        "city": ["Bern", "Bern", "Ulm", "Ulm", "Ulm", "Bern", "Zug", "Zug", "Zug", "Bern", "Bern", "Ulm"],
        "n": list(range(12)),
    }
)
SCHEMA = hr.Schema(quasi=["age", "city"], insensitive=["n"], accept=["n"])


@pytest.fixture
def release() -> hr.Release:
    return hr.anonymize(PEOPLE, SCHEMA, method="mondrian", k=3)


def test_known_rows_get_what_was_published(release: hr.Release, frame_type: FrameType, rows_of: RowsOf) -> None:
    """For strict cuts a row of the table lands in its own group."""
    published = {row["n"]: row for row in rows_of(release.table)}
    transformed = rows_of(release.recoding.transform(frame_type(PEOPLE)))
    assert [row["n"] for row in transformed] == list(range(12)), "in the order they came"
    assert {row["n"]: row for row in transformed} == published


def test_the_type_stays(release: hr.Release, frame_type: FrameType) -> None:
    data = frame_type(PEOPLE)
    assert type(release.recoding.transform(data)) is type(data)


def test_unseen_rows(release: hr.Release, rows_of: RowsOf) -> None:
    new = pa.table(
        {
            "other": [1, 2, 3, 4],
            "city": ["Atlantis", "Zug", None, "Bern"],
            "age": ["25", "1000", "50", "-7.5"],
        }
    )
    rows = rows_of(release.recoding.transform(new))
    assert [list(row) for row in rows] == [["city", "age"]] * 4, "the release has no other column"
    groups = {tuple(row) for row in release.recoding.groups.tolist()}
    texts = [column.texts for column in release.recoding.columns]
    known = {(texts[0][age], texts[1][city]) for age, city in groups}
    assert {(row["age"], row["city"]) for row in rows} <= known


def test_text_among_numbers_is_above_them(release: hr.Release, rows_of: RowsOf) -> None:
    known = rows_of(release.recoding.transform(pa.table({"age": ["1000"], "city": ["Zug"]})))
    assert rows_of(release.recoding.transform(pa.table({"age": ["old"], "city": ["Zug"]}))) == known


def test_no_rows(release: hr.Release, frame_type: FrameType, rows_of: RowsOf) -> None:
    assert rows_of(release.recoding.transform(frame_type(PEOPLE.slice(0, 0)))) == []


def test_the_schemas_missing_markers_count(rows_of: RowsOf) -> None:
    table = pa.table({"city": ["?"] * 3 + ["Bern"] * 3 + ["Ulm"] * 3})
    recoding = hr.anonymize(table, hr.Schema(quasi=["city"], missing=("?",)), k=3).recoding
    assert rows_of(recoding.transform(pa.table({"city": ["?", None]}))) == [{"city": None}] * 2


def test_a_missing_column(release: hr.Release) -> None:
    with pytest.raises(BadInput, match=r"no column 'age'.*The recoding needs it"):
        release.recoding.transform(pa.table({"city": ["Bern"], "n": [1]}))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            pa.table({"age": [1.0, float("nan")], "city": ["x", "y"]}),
            "'age' holds NaN or infinite numbers, first at row 2",
        ),
        (pl.DataFrame({"age": [1], "city": ["secret\0"]}), "'city' holds text with a NUL character, first at row 1"),
        (pd.DataFrame({"age": [1, "secret"], "city": ["x", "y"]}), "'age' mixes types"),
        (pa.table({"age": [[1]], "city": ["x"]}), "'age' holds nested values"),
        ("people.csv", "Got str instead"),
    ],
)
def test_bad_rows_are_told_without_their_values(release: hr.Release, rows: object, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        release.recoding.transform(rows)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_without_a_router_there_is_no_transform(release: hr.Release) -> None:
    alone = Recoding.from_dict({**release.recoding.to_dict(), "router": None})
    with pytest.raises(HedgerowError, match="cannot recode rows it has not seen"):
        alone.transform(PEOPLE)


def test_json(release: hr.Release, tmp_path: Path, rows_of: RowsOf) -> None:
    recoding = release.recoding
    path = recoding.save(tmp_path / "recoding.json")
    for copy in (Recoding.from_dict(recoding.to_dict()), Recoding.load(path), Recoding.load(str(path))):
        assert copy.to_dict() == recoding.to_dict()
        assert rows_of(copy.transform(PEOPLE)) == rows_of(recoding.transform(PEOPLE))
        assert copy.lost == recoding.lost == 0
        assert copy.pieces is not None


def test_a_file_that_lists_every_covered_code_is_still_read(release: hr.Release) -> None:
    """So it was before intervals were stored as two ends."""
    stored = {**release.recoding.to_dict(), "format": "hedgerow recoding 1"}
    for column, stored_column in zip(release.recoding.columns, stored["columns"], strict=True):
        codes = [column.covered.codes(at).tolist() for at in range(len(column))]
        del stored_column["first"], stored_column["last"]
        stored_column["starts"] = np.cumsum([0, *map(len, codes)]).tolist()
        stored_column["members"] = [code for one in codes for code in one]
    assert Recoding.from_dict(stored).to_dict() == release.recoding.to_dict()


def test_hierarchy_nodes_are_kept() -> None:
    recoding = hr.anonymize(PEOPLE, SCHEMA, k=3, publish="label").recoding
    copy = Recoding.from_dict(json.loads(json.dumps(recoding.to_dict())))
    for one, other in zip(recoding.columns, copy.columns, strict=True):
        assert one.nodes is not None
        assert other.nodes is not None
        assert np.array_equal(one.nodes, other.nodes)


def test_the_private_file_is_for_its_owner(release: hr.Release, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "recoding.json").write_text("an older file that all may read")
        path = release.recoding.save(tmp_path / "recoding.json")
        public = release.recoding.save(tmp_path / "public.json", public=True)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert public.stat().st_mode & 0o777 == 0o666
    stored = json.loads(path.read_text())
    assert stored["private"] is True
    assert "PRIVATE" in stored["notice"]
    assert json.loads(public.read_text())["private"] is False
    assert sorted(file.name for file in tmp_path.iterdir()) == ["public.json", "recoding.json"]


def test_the_public_file_tells_no_value_that_is_not_published(tmp_path: Path) -> None:
    """A rare city appears only under the label of its country, and no cut names it."""
    cities = ["Bern"] * 4 + ["Zug"] * 3 + ["Airolo"] + ["Ulm"] * 4
    table = pa.table({"city": cities, "age": [37.25] + [20.0] * 11})
    schema = hr.Schema(
        quasi=["city", "age"],
        hierarchies={"city": {"*": {"Switzerland": ["Bern", "Zug", "Airolo"], "Germany": ["Ulm"]}}},
    )
    recoding = hr.anonymize(table, schema, k=4, publish="label", order="alphabetical").recoding
    text = recoding.save(tmp_path / "public.json", public=True).read_text()
    published = {cell for column in recoding.columns for cell in column.texts}
    assert "Airolo" not in published
    assert "Airolo" not in text
    assert "37.25" not in text
    stored = json.loads(text)
    assert "pieces" not in stored
    assert "sizes" not in stored
    assert "Airolo" in recoding.save(tmp_path / "private.json").read_text()


def test_the_public_file_has_no_cuts_where_one_would_name_an_unpublished_value(tmp_path: Path) -> None:
    """The cut between the cities would be named by the rare one, which is published only under its country."""
    cities = ["Bern"] * 4 + ["Soglio"] + ["Zug"] * 5
    taxonomy = {"*": {"West": ["Bern", "Soglio"], "East": ["Zug"]}}
    schema = hr.Schema(quasi=["city"], hierarchies={"city": taxonomy})
    recoding = hr.anonymize(pa.table({"city": cities}), schema, k=5, publish="label", order="alphabetical").recoding
    assert {cell for column in recoding.columns for cell in column.texts} == {"West", "Zug"}
    text = recoding.save(tmp_path / "public.json", public=True).read_text()
    assert "Soglio" not in text
    public = Recoding.load(tmp_path / "public.json")
    with pytest.raises(HedgerowError, match="cannot recode rows"):
        public.transform(pa.table({"city": ["Bern"]}))


def test_unseen_rows_keep_the_type_of_a_column_that_is_published_as_it_was() -> None:
    table = pl.DataFrame({"year": [1, 1, 1, 2, 2, 2], "sex": ["F", "M", "F", "F", "M", "M"]})
    release = hr.anonymize(table, hr.Schema(quasi=["year", "sex"]), k=3)
    recoded = release.recoding.transform(pl.DataFrame({"year": [2, 1, 5], "sex": ["F", "M", "M"]}))
    assert release.table["year"].dtype == recoded["year"].dtype == pl.Int64
    assert recoded["year"].to_list() == [2, 1, 2]
    assert recoded["sex"].to_list() == ["{F|M}"] * 3


def test_the_public_file_recodes_the_same(release: hr.Release, tmp_path: Path, rows_of: RowsOf) -> None:
    public = Recoding.load(release.recoding.save(tmp_path / "public.json", public=True))
    draw = np.random.default_rng(4)
    rows = pa.table(
        {
            "age": pa.array([None if a > 60 else float(a) / 2 for a in draw.integers(30, 130, 300)]),
            "city": [["Aarau", "Bern", "Chur", "Ulm", "Zug", "Zzz", None][n] for n in draw.integers(0, 7, 300)],
        }
    )
    assert public.pieces is None
    assert public.lost == 0
    assert rows_of(public.transform(rows)) == rows_of(release.recoding.transform(rows))


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "3", '{"format": "other"}', '{"format": "hedgerow recoding 1"}', "[" * 100_000]
)
def test_what_is_no_recoding(content: str, tmp_path: Path) -> None:
    (tmp_path / "recoding.json").write_text(content)
    with pytest.raises(BadInput, match="is not a recoding that Hedgerow saved"):
        Recoding.load(tmp_path / "recoding.json")


def test_no_file_to_load(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a recoding"):
        Recoding.load(tmp_path / "none.json")


def test_a_place_that_cannot_be_written(release: hr.Release, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no folder"):
        release.recoding.save(tmp_path / "none" / "recoding.json")
    with pytest.raises(BadInput, match="is a folder"):
        release.recoding.save(tmp_path)


def test_a_failure_leaves_nothing(release: hr.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(json, "dump", fail)
    with pytest.raises(BadInput, match="cannot be written"):
        release.recoding.save(tmp_path / "recoding.json")
    assert not list(tmp_path.iterdir())


def test_a_relation_is_transformed_to_one_of_its_own_connection(release: hr.Release) -> None:
    """On the caller's, a name might mean one of the caller's tables."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE published AS SELECT 'Ann' AS who")
    transformed = release.recoding.transform(connection.from_arrow(PEOPLE))
    connection.close()
    assert (transformed.columns, len(transformed.fetchall())) == (PEOPLE.column_names, 12)
