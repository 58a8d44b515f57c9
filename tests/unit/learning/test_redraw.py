"""Redrawing releases and published tables: exact counts, types, repeats, seeds, and what is refused."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.core.proportions import Proportions
from hedgerow.io.frames import open_frame
from hedgerow.learning import C45Classifier
from hedgerow.learning.redraw import redraw

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]

DAYS = [dt.date(2024, 3, day) for day in (1, 2, 2, 5, 6, 7, 8, 9)]
PEOPLE = pa.table(
    {
        "row": list(range(8)),
        "age": [20, 21, 21, None, 60, 61, 61, 69],
        "weight": [70.5, 60.0, 60.0, 81.25, 70.5, 92.0, 92.0, 92.0],
        "city": ["Bern", "Bern", "Ulm", "Ulm", None, "Ulm", "Bern", "Bern"],
        "born": DAYS,
        "ill": list("nnnyyyyn"),
    }
)
QUASI = ["age", "weight", "city", "born"]
SCHEMA = hr.Schema(quasi=QUASI, target="ill", insensitive=["row"], accept=["row"])


def release_of(frame: Any, **parameters: Any) -> hr.Release:
    """With exact proportions, so that what comes out is known."""
    return hr.anonymize(
        frame, SCHEMA, k=4, random_state=0, publish_proportions=True, **{"min_support": 1, **parameters}
    )


def by_class(published: list[dict[str, Any]], values: dict[int, dict[str, Any]]) -> Counter[Any]:
    """How often each class holds each value of each column, where ``values`` has them by row number."""
    return Counter(
        (tuple(row[name] for name in QUASI), name, values[row["row"]][name]) for row in published for name in QUASI
    )


@pytest.mark.parametrize("method", ["mondrian", "kactus", "datafly", "k-member"])
def test_every_class_has_exactly_its_original_values(method: str, frame_type: FrameType, rows_of: RowsOf) -> None:
    release = release_of(frame_type(PEOPLE), method=method)
    drawn = redraw(release, random_state=1)
    assert type(drawn) is type(release.table)
    published, rows = rows_of(release.table), rows_of(drawn)
    original = {row["row"]: row for row in PEOPLE.to_pylist()}
    as_drawn = {row["row"]: {**row, "born": _day(row["born"])} for row in rows}
    assert by_class(published, as_drawn) == by_class(published, original)
    assert [(row["row"], row["ill"]) for row in rows] == [(row["row"], row["ill"]) for row in published]


def _day(moment: Any) -> dt.date:
    return moment.date() if isinstance(moment, dt.datetime) else moment


def test_pooled_every_class_has_its_bins_and_only_values_that_its_cells_allow() -> None:
    release = release_of(PEOPLE, min_support=None, publish="set")
    told = release.proportions
    assert told is not None
    assert told.min_support == 4
    published, drawn = release.table.to_pylist(), redraw(release, random_state=1).to_pylist()
    classes = told.classes_of(open_frame(release.table).frame).tolist()
    city = told.column("city")
    in_bins = Counter((at, city.pools.of(row["city"], "text")) for at, row in zip(classes, drawn, strict=True))
    for at in np.flatnonzero(city.own).tolist():
        assert in_bins[int(city.class_of_bin[at]), int(city.first[at])] == city.records[at]
    for cells, row in zip(published, drawn, strict=True):
        assert str(row["weight"]).removesuffix(".0") in cells["weight"].strip("{}").split("|")
        assert str(row["born"]) in cells["born"].strip("{}").split("|")
        assert (row["city"] or "\\N") in cells["city"].strip("{}").split("|")


@pytest.mark.parametrize("method", ["mondrian", "kactus", "datafly", "k-member"])
def test_pooled_rows_have_the_types_of_the_original(method: str) -> None:
    drawn = redraw(release_of(PEOPLE, method=method, min_support=None), 3, random_state=0)
    kinds = [drawn.schema.field(name).type for name in PEOPLE.column_names]
    # Fewer than four people have a weight with digits after the point, so that nobody knows of them.
    assert kinds in ([pa.int64(), pa.int64(), kind, pa.string(), pa.date32(), pa.string()] for kind in WEIGHTS)


WEIGHTS = (pa.int64(), pa.float64())


def test_a_heavy_value_is_drawn_as_often_as_it_was() -> None:
    """Nine of ten have no gain; what the others have is anything between."""
    gains = [0] * 900 + list(range(100, 10_000, 99))
    table = pa.table({"gain": gains, "sex": ["F", "M"] * 500})
    release = hr.anonymize(table, hr.Schema(quasi=["gain", "sex"]), k=10, random_state=0, publish_proportions=True)
    drawn = redraw(release, random_state=0)["gain"].to_pylist()
    assert abs(drawn.count(0) - 900) < 30
    assert {gain for gain in drawn if gain} <= set(range(1, 12_000))


def test_types_are_those_of_the_values() -> None:
    drawn = redraw(release_of(PEOPLE), random_state=0)
    kinds = [drawn.schema.field(name).type for name in PEOPLE.column_names]
    assert kinds == [pa.int64(), pa.int64(), pa.float64(), pa.string(), pa.date32(), pa.string()]
    polars = redraw(release_of(pl.from_arrow(PEOPLE)), random_state=0)
    assert polars.dtypes == [pl.Int64, pl.Int64, pl.Float64, pl.String, pl.Date, pl.String]
    pandas = redraw(release_of(PEOPLE.to_pandas()), random_state=0)
    text = str(pd.Series(["a"]).dtype)  # pandas 3 has a type for it
    assert [str(kind) for kind in pandas.dtypes[1:5]] == ["float64", "float64", text, "datetime64[us]"]
    assert pandas["age"].isna().sum() == 1


def test_repeats_stand_block_by_block_and_are_drawn_independently() -> None:
    release = release_of(PEOPLE)
    drawn = redraw(release, 5, random_state=0)
    rows = release.table["row"].to_pylist()
    assert drawn["row"].to_pylist() == rows * 5
    blocks = [drawn.slice(start, 8) for start in range(0, 40, 8)]
    for name in QUASI:
        expected = Counter(PEOPLE[name].to_pylist())
        assert all(Counter(block[name].to_pylist()) == expected for block in blocks)
    assert len({str(block.select(QUASI).to_pylist()) for block in blocks}) > 1


def test_one_seed_gives_one_table_and_another_seed_another() -> None:
    release = release_of(PEOPLE)
    for shares in ("proportions", "uniform"):
        tables = [redraw(release, 3, seed, shares=shares) for seed in (7, 7, 8)]
        assert tables[0].equals(tables[1])
        assert not tables[0].equals(tables[2])
    assert redraw(release, 3, np.random.default_rng(7)).equals(redraw(release, 3, 7))


def test_columns_are_drawn_independently_inside_a_class() -> None:
    """Two columns that are one in the original; drawn together they would stay one."""
    table = pa.table({"a": list(range(50)), "b": list(range(50))})
    release = hr.anonymize(table, hr.Schema(quasi=["a", "b"]), k=50, publish_proportions=True)
    drawn = redraw(release, random_state=0)
    assert sum(a == b for a, b in zip(*drawn.to_pydict().values(), strict=True)) < 10


def test_a_part_of_the_release_is_drawn_without_replacement() -> None:
    release = release_of(PEOPLE)
    part = release.table.slice(0, 3)
    drawn = redraw(part, 20, 0, proportions=release.proportions)
    held = Counter(PEOPLE["age"].to_pylist())
    for start in range(0, 60, 3):
        assert Counter(drawn["age"].to_pylist()[start : start + 3]) <= held


def test_a_release_twice_over_has_twice_its_values() -> None:
    release = release_of(PEOPLE)
    drawn = redraw(pa.concat_tables([release.table] * 2), random_state=0, proportions=release.proportions)
    for name in QUASI:
        assert Counter(drawn[name].to_pylist()) == Counter(PEOPLE[name].to_pylist() * 2)


def test_a_saved_release_is_redrawn_from_its_files(tmp_path: Path) -> None:
    release = release_of(PEOPLE)
    path = release.save(tmp_path / "out.csv")
    proportions = Proportions.load(tmp_path / "out.csv.proportions.json")
    drawn = redraw(pd.read_csv(path), random_state=0, proportions=proportions)
    for name in ("weight", "born"):
        assert sorted(map(str, drawn[name])) == sorted(map(str, PEOPLE.to_pandas(date_as_object=False)[name]))


def test_a_release_of_a_file(tmp_path: Path, rows_of: RowsOf) -> None:
    PEOPLE.to_pandas().to_csv(tmp_path / "in.csv", index=False)
    release = release_of(tmp_path / "in.csv")
    rows = rows_of(redraw(release, random_state=0))
    assert Counter(row["weight"] for row in rows) == Counter(PEOPLE["weight"].to_pylist())


def test_auto_takes_frequencies_where_there_are_no_proportions() -> None:
    published = pa.table({"x": ["{a|b}", "a", "a", "*"], "y": [1, 2, 3, 4]})
    assert redraw(published, quasi=["x"], random_state=0)["x"].to_pylist() == ["a"] * 4
    release = hr.anonymize(PEOPLE, SCHEMA, k=4, random_state=0, publish="set")
    rows = redraw(release, random_state=0).to_pylist()
    for row, cells in zip(rows, release.table.to_pylist(), strict=True):
        assert str(row["weight"]).removesuffix(".0") in cells["weight"].strip("{}").split("|")


def test_shares_other_than_proportions_take_no_notice_of_them() -> None:
    table = pa.table({"x": ["a"] * 99 + ["b"]})
    release = hr.anonymize(table, hr.Schema(quasi=["x"]), k=100, publish_proportions=True, min_support=1)
    assert Counter(redraw(release, 10, 0)["x"].to_pylist()) == {"a": 990, "b": 10}
    assert 400 < Counter(redraw(release, 10, 0, shares="uniform")["x"].to_pylist())["b"] < 600


def test_labels_are_drawn_by_the_hierarchy_of_the_release_or_a_given_one() -> None:
    tree = {"any": {"south": ["Bern", "Thun"], "north": ["Ulm", "Kiel"]}}
    table = pa.table({"city": ["Bern", "Thun", "Ulm", "Kiel"] * 2})
    schema = hr.Schema(quasi=["city"], hierarchies={"city": tree})
    release = hr.anonymize(table, schema, method="mondrian", k=4, publish="label", random_state=0)
    cities = {"south": {"Bern", "Thun"}, "north": {"Ulm", "Kiel"}}
    for drawn in (redraw(release, 9, 0), redraw(release.table, 9, 0, quasi=["city"], hierarchies={"city": tree})):
        seen = list(zip(release.table["city"].to_pylist() * 9, drawn["city"].to_pylist(), strict=True))
        assert {label: {city for one, city in seen if one == label} for label in cities} == cities


def test_values_that_a_release_does_not_publish_are_never_drawn() -> None:
    """The release knows the masks of its column, but not which values the original had below them."""
    table = pa.table({"zip": ["111", "112", "121", "122"]})
    schema = hr.Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    release = hr.anonymize(table, schema, method="datafly", k=2, random_state=0)
    assert set(release.table["zip"].to_pylist()) == {"11*", "12*"}
    assert set(redraw(release, 5, 0, shares="uniform")["zip"].to_pylist()) == {"11*", "12*"}


def test_columns_that_are_numbers_already_are_as_they_were() -> None:
    published = pa.table({"x": pa.array([1.5, None]), "day": DAYS[:2], "yes": [True, False], "z": ["{1|2}", "2"]})
    drawn = redraw(published, 2, 0, quasi=published.column_names)
    assert drawn.drop_columns("z").equals(pa.concat_tables([published.drop_columns("z")] * 2).combine_chunks())
    assert drawn["z"].type == pa.int64()


def test_any_learner_trains_on_it_and_predicts_raw_rows() -> None:
    generator = np.random.default_rng(0)
    age = generator.integers(18, 80, 400)
    table = pd.DataFrame({"age": age, "city": generator.choice(["Bern", "Ulm"], 400)})
    rich = np.where(age > 45, "rich", "poor")
    schema = hr.Schema(quasi=["age", "city"], target="rich")
    release = hr.anonymize(table.assign(rich=rich), schema, k=5, publish_proportions=True, random_state=0)
    drawn = redraw(release, 3, random_state=0)
    model = C45Classifier().fit(drawn[["age", "city"]], drawn["rich"])
    assert (model.predict(table) == rich).mean() > 0.9


def test_an_empty_table() -> None:
    published = pa.table({"x": pa.array([], pa.string())})
    assert redraw(published, quasi=["x"]).num_rows == 0
    release = hr.anonymize(pa.table({"x": ["a", "a"]}), hr.Schema(quasi=["x"]), k=2, publish_proportions=True)
    assert redraw(published, proportions=release.proportions).num_rows == 0


PUBLISHED = pa.table({"x": ["{Soglio|b}", "b"]})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"repeats": 0}, "'repeats' parameter of redraw must be an int >= 1. Got 0"),
        ({"repeats": 1.5}, "'repeats' parameter"),
        ({"repeats": True}, "'repeats' parameter"),
        ({"random_state": -1}, "'random_state' parameter of redraw"),
        ({"random_state": "a"}, "'random_state' parameter of redraw"),
        ({"shares": "equal"}, "'shares' parameter of redraw must be one of 'auto'"),
        ({"shares": "proportions"}, "publish_proportions=True"),
        ({"proportions": {"x": 1}}, "'proportions' parameter"),
        ({"hierarchies": [1]}, "'hierarchies' parameter"),
        ({"hierarchies": {"y": "flat"}}, "There is no column 'y'"),
        ({"hierarchies": {"x": "flats"}}, "There is no hierarchy 'flats'"),
        ({"quasi": ["x", "z"]}, "There is no column 'z'"),
        ({"quasi": "x"}, "'quasi' parameter of redraw must be a list"),
        ({"quasi": None}, "Name them in quasi="),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        redraw(PUBLISHED, **{"quasi": ["x"], **parameters})
    assert "Soglio" not in str(caught.value)


def test_proportions_of_another_release_are_refused() -> None:
    release = release_of(PEOPLE)
    other = release.table.set_column(1, "age", pa.array(["{20|21}", *release.table["age"].to_pylist()[1:]]))
    with pytest.raises(BadInput, match="know no class for 1 row, first for row 1"):
        redraw(other, proportions=release.proportions)
    with pytest.raises(BadInput, match="There is no column 'row'"):
        redraw(release, quasi=["row"])
    with pytest.raises(BadInput, match="There is no column 'age'"):
        redraw(release.table.drop_columns("age"), proportions=release.proportions)


def test_a_release_without_proportions_says_how_to_get_them() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=4)
    with pytest.raises(BadInput, match="publish_proportions=True"):
        redraw(release, shares="proportions")


def test_what_is_no_table() -> None:
    with pytest.raises(BadInput, match="A table must be"):
        redraw([1, 2], quasi=["x"])
