"""Lifts: rows find their labels however a table stores them, files keep them, and drawn rows show them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from telling_by_label import all_columns, telling_by_label

import hedgerow as hr
from hedgerow.core.proportions import Lifts
from hedgerow.core.recoding import ByLabel, Recoding
from hedgerow.io.frames import open_frame

NOTHING = np.empty(0, dtype=np.int64)
QUASI = ["age", "town"]


def lifts(kind: Any, *labels: str | None) -> Lifts:
    return Lifts("y", kind, labels, NOTHING, NOTHING, NOTHING, NOTHING, {})


@pytest.mark.parametrize(
    ("kind", "labels", "column", "codes"),
    [
        ("text", ("no", "yes", None), ["yes", "no", "maybe", None, ""], [1, 0, -1, 2, 2]),
        ("number", ("0", "1"), ["1", "1.0", "0", "2"], [1, 1, 0, -1]),
        ("number", ("0", "1.5"), [1.5, 0.0], [1, 0]),
        ("text", ("false", "true"), [True, False], [1, 0]),
    ],
)
def test_labels_of_rows(kind: Any, labels: tuple[str | None, ...], column: list[Any], codes: list[int]) -> None:
    frame = nw.from_native(pa.table({"y": column}), eager_only=True)
    assert lifts(kind, *labels).labels_of(frame, ("",)).tolist() == codes


def test_a_table_without_the_target_has_no_labels() -> None:
    frame = nw.from_native(pa.table({"x": [1, 2]}), eager_only=True)
    assert lifts("text", "no").labels_of(frame, ("",)).tolist() == [-1, -1]


def young_and_well(target: list[Any]) -> pa.Table:
    """One wide class: nine in ten of the young have the first label, nine in ten of the old the second."""
    age = np.repeat([20, 60], 200)
    well = np.tile(np.arange(10) < 9, 40) ^ (age == 60)
    town = np.tile(["Bern", "Ulm"], 200)
    return pa.table({"age": age, "town": town, "y": [target[0] if one else target[1] for one in well]})


def released(target: list[Any], asked: Callable[[Recoding], ByLabel] = all_columns) -> hr.Release:
    method = telling_by_label(hr.Mondrian, asked)(k=400, publish_proportions=True, min_support=10)
    release = method.anonymize(young_and_well(target), hr.Schema(quasi=QUASI, target="y"))
    assert isinstance(release, hr.Release)
    return release


def young(table: Any, label: Any) -> float:
    """The share of the young among those who have a label."""
    frame = open_frame(table).frame
    rows = [age for age, y in zip(frame["age"].to_list(), frame["y"].to_list(), strict=True) if y == label]
    return rows.count(20) / len(rows)


def test_drawn_rows_depend_on_the_label_where_it_is_told() -> None:
    release = released(["no", "yes"])
    assert release.audit.singled_out == 0
    table = hr.learning.redraw(release, 3, random_state=0)
    assert young(table, "no") == pytest.approx(0.9, abs=0.04)
    assert young(table, "yes") == pytest.approx(0.1, abs=0.04)
    drawn = release.redraw(3).table
    assert young(drawn, "no") == pytest.approx(0.9, abs=0.05)


def test_without_they_do_not() -> None:
    plain = hr.anonymize(
        young_and_well(["no", "yes"]),
        hr.Schema(quasi=QUASI, target="y"),
        k=400,
        publish_proportions=True,
        min_support=10,
    )
    table = hr.learning.redraw(plain, 3, random_state=0)
    assert young(table, "no") == pytest.approx(0.5, abs=0.06)
    assert plain.proportions is not None
    assert "lifts" not in plain.proportions.to_dict()
    nothing = released(["no", "yes"], lambda recoding: all_columns(recoding, strength=0.0))
    assert young(hr.learning.redraw(nothing, 3, random_state=0), "no") == pytest.approx(0.5, abs=0.06)


def test_half_the_strength_shows_half() -> None:
    """Odds of nine to one become three to one."""
    half = released(["no", "yes"], lambda recoding: all_columns(recoding, strength=0.5))
    assert young(hr.learning.redraw(half, 5, random_state=0), "no") == pytest.approx(0.75, abs=0.04)


def test_other_columns_and_rows_of_other_labels_are_drawn_as_those_of_anyone() -> None:
    only_age = released(["no", "yes"], lambda _: ByLabel(np.zeros((1, 1), dtype=np.int64), np.array([1.0, 0.0])))
    table = only_age.table
    strange = table.set_column(table.column_names.index("y"), "y", pa.array(["?"] * len(table)))
    assert only_age.proportions is not None
    drawn = hr.learning.redraw(strange, 1, 0, proportions=only_age.proportions)
    half = pytest.approx(200, abs=30)
    assert [drawn[name].to_pylist().count(value) for name, value in (("age", 20), ("town", "Ulm"))] == [half, half]
    assert hr.learning.redraw(only_age, 1, 0)["town"].to_pylist().count("Ulm") == half


@pytest.mark.parametrize("target", [["no", "yes"], [0, 1], [0.5, 1.0], [False, True]])
def test_a_release_that_was_saved_draws_the_same(tmp_path: Path, target: list[Any]) -> None:
    release = released(target)
    assert release.proportions is not None
    release.save(tmp_path / "out.csv")
    loaded = hr.Release.load(tmp_path / "out.csv")
    assert loaded.proportions is not None
    assert loaded.proportions.to_dict() == release.proportions.to_dict()
    assert loaded.audit.singled_out == 0
    assert young(hr.learning.redraw(loaded, 3, random_state=0), target[0]) == pytest.approx(0.9, abs=0.04)
    text = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    drawn = hr.learning.redraw(text, 3, random_state=0, proportions=release.proportions)
    assert young(drawn, str(target[0]).lower()) == pytest.approx(0.9, abs=0.04)


def test_people_who_are_counted_once_are_not_told_by_label() -> None:
    table = young_and_well(["no", "yes"]).append_column("id", pa.array(range(400)))
    method = telling_by_label(hr.Mondrian)(k=400, publish_proportions=True, min_support=10)
    release = method.anonymize(table, hr.Schema(quasi=QUASI, target="y", entity="id"))
    assert release.proportions.lifts is None
