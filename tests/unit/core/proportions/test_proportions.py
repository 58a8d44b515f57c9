"""Proportions: counted over classes, found again by what a row publishes, saved and read."""

from __future__ import annotations

import json
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
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput

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
    proportions = told(released(min_support=1))
    assert sorted(proportions.sizes.tolist()) == [3, 4]
    ages = proportions.shares("age")
    assert ages["[20,22)"] == {"20": 1 / 3, "21": 2 / 3}
    assert ages["[60,61]"] == {"60": 1 / 4, "61": 3 / 4}


def test_a_missing_value_is_counted_as_one() -> None:
    assert told(released(min_support=1)).shares("town")[r"{Ulm|\N}"] == {"Ulm": 2 / 3, None: 1 / 3}


def test_a_bin_is_shared_by_the_marginal_as_far_as_the_cell_allows() -> None:
    """k = 3: only Ulm, Bern and 61 have enough people; one has no town, and how many that are is not published."""
    proportions = told(released())
    town = proportions.column("town")
    assert dict(zip(town.pools.texts, town.marginal.tolist(), strict=True)) == {"Ulm": 3, "Bern": 3, "*": 1}
    assert proportions.shares("town")[r"{Ulm|\N}"] == {"Ulm": 3 / 4, "*": 1 / 4}
    assert proportions.shares("age")["[20,22)"] == {"*": 1.0}


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(BadInput, match="'wage'"):
        told(released()).column("wage")


def test_groups_that_publish_the_same_are_one_class() -> None:
    """Two groups of kACTUS may both publish nothing but stars."""
    table = pa.table({"job": ["a"] * 4 + ["b"] * 4, "income": ["low"] * 4 + ["high"] * 4})
    schema = hr.Schema(quasi=["job"], target="income", hierarchies={"job": "flat"})
    release = hr.anonymize(table, schema, method="datafly", k=5, publish_proportions=True, min_support=4)
    proportions = told(release)
    assert proportions.sizes.tolist() == [8]
    assert proportions.shares("job") == {"*": {"a": 0.5, "b": 0.5}}


def test_lost_records_are_not_told() -> None:
    """A value that only a lost record has must not be in the proportions."""
    table = pa.table({"zip": ["10"] * 6 + ["99"], "income": ["low", "high"] * 3 + ["low"]})
    schema = hr.Schema(quasi=["zip"], target="income", hierarchies={"zip": "flat"})
    release = hr.anonymize(table, schema, method="optimal", k=3, suppression_limit=0.5, publish_proportions=True)
    assert release.recoding.lost == 1
    assert told(release).column("zip").pools.texts == ("10", "*")
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
    rows = nw.from_native(pa.table({"age": ["[20,22)", "20"], "town": [r"{Ulm|\N}", "Ulm"]}), eager_only=True)
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
    assert read.column("age").spread().matrix.toarray() == pytest.approx(
        proportions.column("age").spread().matrix.toarray()
    )


def test_the_file_has_people_per_bin_and_no_other_value(tmp_path: Path) -> None:
    """Format 3: bins instead of values, and nothing that fewer than k people have."""
    path = told(released(publish="set")).save(tmp_path / "told.json")
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["format"] == "hedgerow proportions 3"
    assert stored["min_support"] == 3
    for column in stored["columns"]:
        assert min(column["records"]) >= 3
        assert sum(column["records"]) == sum(stored["sizes"]) == 7
        assert "values" not in column
    assert stored["columns"][0]["pools"]["texts"] == ["61", "*"]


def test_proportions_of_the_version_before_are_read_with_a_warning() -> None:
    """Their pools are sets and ranges that name what few people have."""
    stored = {
        "format": "hedgerow proportions 2",
        "missing": [""],
        "min_support": 3,
        "sizes": [6],
        "columns": [
            {
                "name": "town",
                "kind": "text",
                "step": "1",
                "pools": {"texts": ["Ulm", r"{Bern|Kiel|\N}"]},
                "marginal": [3, 3],
                "texts": ["*"],
                "published": [0],
                "starts": [0, 2],
                "first": [0, 1],
                "last": [0, 1],
                "records": [3, 3],
            }
        ],
    }
    with pytest.warns(UserWarning, match="anonymize the table again"):
        proportions = Proportions.from_dict(stored)
    pools = proportions.column("town").pools
    assert pools.of_value == {"Ulm": 0, "Bern": 1, "Kiel": 1, None: 1}
    assert pools.rest == -1
    assert proportions.column("town").spread().matrix.toarray().tolist() == [[1.0, 1.0, 3.0, 1.0]]


def test_exact_proportions_of_an_older_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "told.json").write_text('{"format": "hedgerow proportions 1", "columns": []}')
    with pytest.raises(BadInput, match="older version of Hedgerow and exact"):
        Proportions.load(tmp_path / "told.json")


@pytest.mark.parametrize(
    "content",
    ["", "{}", '{"format": "another", "columns": []}', '{"format": "hedgerow proportions 3", "columns": [1]}', "[1]"],
)
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


@pytest.mark.parametrize("wrong", ["yes", 1])
def test_the_switch_is_true_or_false(wrong: Any) -> None:
    with pytest.raises(BadInput, match="publish_proportions"):
        hr.anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", True])
def test_the_support_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(BadInput, match="'min_support' parameter of anonymize must be None or an int >= 1"):
        released(min_support=wrong)


def test_the_support_needs_proportions() -> None:
    with pytest.raises(BadInput, match="min_support requires publish_proportions=True"):
        hr.anonymize(PEOPLE, SCHEMA, k=3, min_support=3)
    with pytest.raises(BadInput, match="min_support requires publish_proportions"):
        hr.Mondrian(k=3, min_support=3).anonymize(PEOPLE, SCHEMA)


def test_the_support_is_at_most_the_number_of_rows() -> None:
    with pytest.raises(BadInput, match="'min_support' parameter of anonymize must be at most 7"):
        released(min_support=8)


def test_without_one_the_support_is_the_largest_k() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=2, require=["k=3@age,town"], publish_proportions=True)
    assert told(release).min_support == 3
    assert release.facts["min_support"] == 3
    assert release.facts["proportions_guaranteed"]


def test_an_estimator_has_a_support_of_its_own() -> None:
    mondrian = hr.Mondrian(k=3, publish_proportions=True, min_support=4)
    assert told(mondrian.anonymize(PEOPLE, SCHEMA)).min_support == 4
    assert told(mondrian.anonymize(PEOPLE, SCHEMA, min_support=5)).min_support == 5
    assert told(hr.anonymize(PEOPLE, SCHEMA, method=mondrian, min_support=6)).min_support == 6


def test_a_small_support_marks_the_proportions_and_not_the_table() -> None:
    release = released(min_support=2)
    assert release.facts["guaranteed"]
    assert not release.facts["proportions_guaranteed"]
    assert any("weak and may single people out" in warning for warning in release.audit.warnings)
    assert not any("weak" in warning for warning in released().audit.warnings)


def test_a_class_of_fewer_people_than_the_support_says_nothing() -> None:
    proportions = told(released(min_support=4))
    for column in proportions.columns:
        small = int(np.argmin(proportions.sizes))
        (at,) = range(column.starts[small], column.starts[small + 1])
        assert (column.first[at], column.last[at], column.records[at]) == (0, len(column.pools) - 1, 3)
