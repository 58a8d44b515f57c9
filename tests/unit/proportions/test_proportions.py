"""Proportions: counted over classes, found again by what a row publishes, saved and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.proportions import Proportions

PEOPLE = pa.table(
    {
        "age": [20, 21, 21, 60, 61, 61, 61],
        "town": ["Ulm", "Ulm", None, "Bern", "Bern", "Bern", "Ulm"],
        "income": ["low", "high", "low", "low", "high", "high", "low"],
    }
)
SCHEMA = hr.Schema(quasi=["age", "town"], target="income")


def released(table: Any = PEOPLE, **parameters: Any) -> hr.Release:
    return hr.anonymize(table, SCHEMA, k=3, publish_proportions=True, **parameters)


def told(release: hr.Release) -> Proportions:
    assert release.proportions is not None
    return release.proportions


def test_nothing_is_told_unless_it_is_asked_for() -> None:
    assert hr.anonymize(PEOPLE, SCHEMA, k=3).proportions is None


def test_shares_of_a_published_value() -> None:
    proportions = told(released())
    assert sorted(proportions.sizes.tolist()) == [3, 4]
    ages = proportions.shares("age")
    assert ages["{20|21}"] == {"20": 1 / 3, "21": 2 / 3}
    assert ages["{60|61}"] == {"60": 1 / 4, "61": 3 / 4}


def test_a_missing_value_is_counted_as_one() -> None:
    assert told(released()).shares("town")[r"{Ulm|\N}"] == {"Ulm": 2 / 3, None: 1 / 3}


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(BadInput, match="'wage'"):
        told(released()).column("wage")


def test_groups_that_publish_the_same_are_one_class() -> None:
    """Two groups of kACTUS may both publish nothing but stars."""
    table = pa.table({"job": ["a"] * 4 + ["b"] * 4, "income": ["low"] * 4 + ["high"] * 4})
    schema = hr.Schema(quasi=["job"], target="income", hierarchies={"job": "flat"})
    release = hr.anonymize(table, schema, method="datafly", k=5, publish_proportions=True)
    proportions = told(release)
    assert proportions.sizes.tolist() == [8]
    assert proportions.shares("job") == {"*": {"a": 0.5, "b": 0.5}}


def test_lost_records_are_not_told() -> None:
    """A value that only a lost record has must not be in the proportions."""
    table = pa.table({"zip": ["10"] * 6 + ["99"], "income": ["low", "high"] * 3 + ["low"]})
    schema = hr.Schema(quasi=["zip"], target="income", hierarchies={"zip": "flat"})
    release = hr.anonymize(table, schema, method="optimal", k=3, suppression_limit=0.5, publish_proportions=True)
    assert release.recoding.lost == 1
    assert told(release).column("zip").domain.labels.tolist() == ["10"]
    assert told(release).sizes.tolist() == [6]


@pytest.mark.parametrize("method", ["mondrian", "kactus"])
def test_rows_find_their_class_however_they_are_stored(method: str, tmp_path: Path) -> None:
    """As the frame that came out, as CSV read by pandas or as text, as Parquet, as a DuckDB relation."""
    release = released(method=method)
    path = release.save(tmp_path / "out.csv")
    release.save(tmp_path / "out.parquet")
    as_text = duckdb.read_csv(str(path), all_varchar=True).to_arrow_table()
    stored = {
        "frame": release.table,
        "pandas": release.table.to_pandas(),
        "csv": pd.read_csv(path),
        "text": as_text,
        "parquet": pq.read_table(tmp_path / "out.parquet"),
    }
    proportions = Proportions.load(tmp_path / "out.csv.proportions.json")
    for how, frame in stored.items():
        classes = proportions.classes_of(nw.from_native(frame, eager_only=True))
        assert np.bincount(classes).tolist() == proportions.sizes.tolist(), how


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_moments_find_their_class(unit: str) -> None:
    days = pa.array([0, 0, 86_400, 86_400], pa.timestamp("s")).cast(pa.timestamp(unit))
    release = hr.anonymize(pa.table({"day": days}), hr.Schema(quasi=["day"]), k=2, publish_proportions=True)
    for frame in (release.table, release.table.to_pandas()):
        assert sorted(told(release).classes_of(nw.from_native(frame, eager_only=True))) == [0, 0, 1, 1]


def test_a_row_that_is_not_published_has_no_class() -> None:
    rows = nw.from_native(pa.table({"age": ["{20|21}", "20"], "town": [r"{Ulm|\N}", "Ulm"]}), eager_only=True)
    classes = told(released()).classes_of(rows).tolist()
    assert classes[0] >= 0
    assert classes[1] == -1


def test_a_table_without_a_quasi_identifier_is_refused() -> None:
    with pytest.raises(BadInput, match="'town'"):
        told(released()).classes_of(nw.from_native(pa.table({"age": [20]}), eager_only=True))


def test_unseen_rows_have_the_class_that_they_are_recoded_to() -> None:
    release = released()
    new = release.recoding.transform(pa.table({"age": [19, 70], "town": ["Ulm", "Bern"]}))
    classes = told(release).classes_of(nw.from_native(new, eager_only=True))
    assert sorted(told(release).sizes[classes].tolist()) == [3, 4]


def test_saved_and_read_again(tmp_path: Path) -> None:
    proportions = told(released())
    read = Proportions.load(proportions.save(tmp_path / "told.json"))
    assert read.to_dict() == proportions.to_dict()
    assert read.shares("town") == proportions.shares("town")
    before, after = proportions.column("age").domain.records, read.column("age").domain.records
    assert before is not None
    assert after is not None
    assert before.tolist() == after.tolist() == [1, 2, 1, 3]


@pytest.mark.parametrize("content", ["", "{}", '{"format": "another"}', '{"format": "hedgerow proportions 1"}', "[1]"])
def test_a_file_that_holds_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "told.json").write_text(content)
    with pytest.raises(BadInput, match="does not hold proportions"):
        Proportions.load(tmp_path / "told.json")


def test_small_classes_are_not_told_under_shields() -> None:
    """Every age alone and every town alone is shared by three, but not every combination: proportions would tell it."""
    table = pa.table({"age": [1, 1, 1, 2, 2, 2], "town": ["a", "a", "b", "b", "b", "a"]})
    require = ["k=3@age", "k=3@town"]
    schema = hr.Schema(quasi=["age", "town"])
    plain = hr.anonymize(table, schema, method="heuristicmin", require=require)
    assert plain.audit.k < 3
    with pytest.raises(hr.Infeasible, match="Proportions cannot be published"):
        hr.anonymize(table, schema, method="heuristicmin", require=require, publish_proportions=True)


def test_a_weak_release_has_none() -> None:
    census, schema = hr.datasets.make_census(300, random_state=1), hr.datasets.census_schema()
    with pytest.raises(BadInput, match="keeps its guarantee"):
        hr.anonymize(census, schema, method="hybrid-kactus", k=5, as_published=True, publish_proportions=True)


@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_the_switch_is_true_or_false(wrong: Any) -> None:
    with pytest.raises(BadInput, match="publish_proportions"):
        hr.anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=wrong)
