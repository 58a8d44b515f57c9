"""Analyses on original rows and releases: what stays the same, what breaks, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import hedgerow as hr
from hedgerow.evaluation.estimates.charts import shortened
from hedgerow.evaluation.estimates.results import AnalysisResult

RANDOM = np.random.default_rng(11)
ROWS = 600
AGE = RANDOM.integers(20, 80, ROWS)
SEX = RANDOM.choice(["F", "M"], ROWS)
PEOPLE = pa.table(
    {
        "age": AGE,
        "sex": SEX,
        "ward": RANDOM.choice(["a", "b", "c"], ROWS),
        "days": RANDOM.poisson(1 + AGE / 10),
        "ill": np.where(RANDOM.random(ROWS) < 1 / (1 + np.exp(3 - AGE / 20)), "yes", "no"),
    }
)
SCHEMA = hr.Schema(quasi=["age", "sex", "ward"], insensitive=["days", "ill"])
PLANNED = [
    "crosstab sex, ward",
    "crosstab age(40, 60), ill",
    "mean days",
    "mean days by ward, sex",
    "mean age by ward",
    "linear days ~ age + sex + C(ward)",
    "logistic ill ~ age + sex + days",
]


def released(k: int = 1, **options: Any) -> hr.Release:
    return hr.anonymize(PEOPLE, SCHEMA, k=k, method="mondrian", random_state=1, **options)


def only(found: hr.Analyses, reading: str = "published") -> AnalysisResult:
    (result,) = [result for result in found.results if result.reading == reading]
    return result


def values(result: AnalysisResult) -> dict[tuple[str, ...], tuple[float | None, float | None]]:
    return {estimate.name: (estimate.original, estimate.release) for estimate in result.estimates}


@pytest.mark.parametrize("planned", PLANNED)
def test_a_release_that_generalizes_nothing_has_full_overlap_and_no_error(planned: str) -> None:
    result = only(hr.analyses(PEOPLE, released(), [planned]))
    assert result.estimates
    for estimate in result.estimates:
        assert estimate.overlap == pytest.approx(1, abs=1e-6)
        assert estimate.error == pytest.approx(0, abs=1e-6)
    assert result.agreement == "good"


@pytest.mark.parametrize("planned", PLANNED)
def test_redrawn_rows_of_single_values_have_no_variance_between_draws(planned: str) -> None:
    found = hr.analyses(PEOPLE, released(publish_proportions=True), [planned], draws=3)
    assert found.draws == 3
    result = only(found, "redrawn")
    assert result.overlap == pytest.approx(1, abs=1e-6)
    assert result.error == pytest.approx(0, abs=1e-6)


def test_a_release_that_breaks_an_association_shows_it() -> None:
    """Whoever is old is ill, and nobody else. A release without age keeps how many are ill, but not who."""
    rows = 200
    people = pa.table({"age": ["old", "young"] * (rows // 2), "ill": ["yes", "no"] * (rows // 2), "n": [1] * rows})
    schema = hr.Schema(quasi=["age", "ill"], insensitive=["n"])
    whole, broken = (hr.anonymize(people, schema, k=k, method="mondrian", random_state=1) for k in (5, rows))
    for release, words in ((whole, {"crosstab ill": "good", "crosstab age, ill": "good"}), (broken, None)):
        found = hr.analyses(people, release, ["crosstab ill", "crosstab age, ill"])
        words = words or {"crosstab ill": "good", "crosstab age, ill": "poor"}
        assert {result.analysis: result.agreement for result in found.results} == words
    table = values(found.results[1])
    assert table["old", "yes"] == pytest.approx((0.5, 0.25))
    assert table["old", "no"] == pytest.approx((0.0, 0.25)), "invented"
    invented = next(estimate for estimate in found.results[1].estimates if estimate.name == ("old", "no"))
    assert (invented.overlap, invented.error, invented.agreement) == (0.0, None, "poor")


def test_midpoints_by_hand() -> None:
    """Six people in two classes: ages 20, 21, 25 and 40, 41, 49 become [20,25] and [40,49] in some way."""
    people = pa.table({"age": [20, 21, 25, 40, 41, 49], "ward": ["a", "a", "a", "b", "b", "b"]})
    schema = hr.Schema(quasi=["age"], insensitive=["ward"], hierarchies={"age": hr.hierarchies.intervals([20, 30, 50])})
    release = hr.anonymize(people, schema, k=3, method="datafly")
    assert set(release.table["age"].to_pylist()) == {"[20,30)", "[30,50]"}
    result = only(hr.analyses(people, release, ["mean age by ward"]))
    assert values(result) == {("a",): (22.0, 24.5), ("b",): (pytest.approx(130 / 3), 40.0)}


def test_draws_count_the_variance_between_them() -> None:
    release = released(k=60, publish_proportions=True)
    result = only(hr.analyses(PEOPLE, release, ["mean age by sex"], draws=5), "redrawn")
    again = only(hr.analyses(PEOPLE, release, ["mean age by sex"], draws=5), "redrawn")
    assert result == again, "one seed, one result"
    other = only(hr.analyses(PEOPLE, release, ["mean age by sex"], draws=5, random_state=1), "redrawn")
    assert other != result
    drawn = hr.learning.redraw(release, 5, random_state=0)
    ages, sexes = (np.array(drawn[name].to_pylist()).reshape(5, ROWS) for name in ("age", "sex"))
    means = [ages[at][sexes[at] == "F"].mean() for at in range(5)]
    within = np.mean([ages[at][sexes[at] == "F"].var(ddof=1) / (sexes[at] == "F").sum() for at in range(5)])
    total = within + 1.2 * np.var(means, ddof=1)
    women = next(estimate for estimate in result.estimates if estimate.name == ("F",))
    assert women.release == pytest.approx(np.mean(means))
    assert women.release_bounds is not None
    low, high = women.release_bounds
    assert (high - low) / 2 >= 1.96 * np.sqrt(total) * 0.999
    assert (high - low) / 2 <= 3.2 * np.sqrt(total)


def test_what_is_suppressed_is_missing() -> None:
    people = pa.table({"town": ["Ulm"] * 5 + ["Bonn"], "n": [1] * 6})
    schema = hr.Schema(quasi=["town"], insensitive=["n"], hierarchies={"town": "flat"})
    result = only(hr.analyses(people, hr.anonymize(people, schema, k=6, method="datafly"), ["crosstab town"]))
    assert result.reason == "no row has all columns of the analysis"
    assert (result.agreement, result.overlap, result.error) == ("poor", 0.0, 1.0)


def test_masked_values_are_compared_as_far_as_they_are_published() -> None:
    people = pa.table({"zip": ["98101", "98102", "98203", "10117", "10119"] * 4, "days": list(range(20))})
    schema = hr.Schema(
        quasi=["zip"], insensitive=["days"], accept=["days"], kinds={"zip": "text"}, hierarchies={"zip": "masking:3"}
    )
    release = hr.anonymize(people, schema, k=5, method="datafly")
    result = only(hr.analyses(people, release, ["crosstab zip"]))
    assert values(result) == {("10***",): (0.4, 0.4), ("98***",): (0.6, 0.6)}


def test_dummies_are_those_of_the_release() -> None:
    """Its most frequent value is the reference in both tables, as recipients would have it."""
    result = only(hr.analyses(PEOPLE, released(), ["linear days ~ ward"]))
    commonest = max("abc", key=PEOPLE["ward"].to_pylist().count)
    assert result.references == {"ward": commonest}
    assert {name[1] for name in values(result) if len(name) > 1} == set("abc") - {commonest}


def test_the_value_that_a_logistic_regression_explains() -> None:
    default, named = (
        only(hr.analyses(PEOPLE, released(), [text])) for text in ("logistic ill ~ age", "logistic ill=no ~ age")
    )
    assert (default.explained, named.explained) == ("yes", "no")
    assert values(named)["age",][0] == pytest.approx(-(values(default)["age",][0] or 0))


def test_people_are_counted_where_the_release_tells_them_apart() -> None:
    """With pseudonyms on both sides; without them a recipient can count rows only, and the result says so."""
    twice = pa.concat_tables([PEOPLE, PEOPLE]).append_column("id", pa.array([str(n) for n in range(ROWS)] * 2))
    found = {}
    for fate in ("pseudonymize", "identifying"):
        given: dict[str, Any] = {"insensitive": ["days"], "entity": "id", fate: ["id"]}
        schema = hr.Schema(quasi=["sex"], others="drop", **given)
        release = hr.anonymize(twice, schema, k=5, method="mondrian")
        found[fate] = only(hr.analyses(twice, release, ["mean days"]))
    (both,), (rows,) = found["pseudonymize"].estimates, found["identifying"].estimates
    assert (found["pseudonymize"].counted, found["pseudonymize"].release_counted) == ("people", "people")
    assert (found["identifying"].counted, found["identifying"].release_counted) == ("people", "rows")
    assert both.overlap == pytest.approx(1)
    assert both.original_support == ROWS
    assert rows.release_bounds is not None
    assert both.release_bounds is not None
    wide, narrow = (bounds.high - bounds.low for bounds in (both.release_bounds, rows.release_bounds))
    assert wide / narrow == pytest.approx(np.sqrt(2), rel=0.01), "every person is there twice"
    assert "people in the original, rows in the release" in repr(hr.analyses(twice, release, ["mean days"]))


def test_a_failure_of_the_original_is_no_failure_of_the_release() -> None:
    people = pa.table({"age": list(range(40)), "ill": ["n"] * 20 + ["y"] * 20})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], insensitive=["ill"]), k=40, method="mondrian")
    result = only(hr.analyses(people, release, ["logistic ill ~ age"]))
    assert "separate" in result.original_reason
    assert (result.agreement, result.overlap, result.error) == (None, None, None)
    assert "cannot be run on the original rows" in repr(hr.analyses(people, release, ["logistic ill ~ age"]))


@pytest.mark.parametrize("backend", [pd.DataFrame, pl.DataFrame, pa.Table])
def test_the_table_has_the_type_of_the_original(backend: type) -> None:
    data = {pd.DataFrame: PEOPLE.to_pandas, pl.DataFrame: lambda: pl.from_arrow(PEOPLE), pa.Table: lambda: PEOPLE}
    release = hr.anonymize(data[backend](), SCHEMA, k=5, method="mondrian")
    table: Any = hr.analyses(data[backend](), release, ["mean days by ward"]).table()
    returned = type(table)
    assert returned is backend
    assert list(table.columns if backend is not pa.Table else table.column_names) == [
        "analysis", "reading", "estimate", "original", "original_low", "original_high",
        "release", "release_low", "release_high", "overlap", "relative_error", "agreement",
    ]  # fmt: skip
    assert len(table) == 3


def test_files_give_what_dataframes_give(tmp_path: Path) -> None:
    source, place = tmp_path / "people.csv", tmp_path / "out.csv"
    pc.write_csv(PEOPLE, source)
    release = hr.anonymize(source, SCHEMA, k=10, method="mondrian", random_state=1, publish_proportions=True)
    release.save(place)
    kept = [
        hr.analyses(original, place_or_release, PLANNED, draws=2).results
        for original, place_or_release in ((source, place), (PEOPLE, release), (str(source), release))
    ]
    for others in kept[1:]:
        for first, second in zip(kept[0], others, strict=True):
            if first.reading == "published":
                for one, other in zip(first.estimates, second.estimates, strict=True):
                    assert (one.original, one.release) == pytest.approx((other.original, other.release))


def test_the_chart_has_a_panel_for_each_analysis() -> None:
    chart = hr.analyses(PEOPLE, released(k=5, publish_proportions=True), PLANNED[:3], draws=2).plot().to_dict()
    assert [panel["title"] for panel in chart["vconcat"]] == PLANNED[:3]
    rows = chart["datasets"][chart["vconcat"][0]["data"]["name"]]
    assert {row["table"] for row in rows} == {"original", "published", "redrawn"}
    assert {row["estimate"] for row in rows} == {f"{sex}, {ward}" for sex in "FM" for ward in "abc"}


def test_an_interval_of_a_tiny_sample_is_cut_off_in_the_chart_and_nowhere_else() -> None:
    usual = [{"value": 4.0 + at, "low": 3.5 + at, "high": 4.5 + at} for at in range(3)]
    drawn, low, high = shortened([*usual, {"value": 5.0, "low": -90.0, "high": 5.2}])
    assert [(row["low"], row["high"], row["cut"]) for row in drawn[:3]] == [
        (3.5, 4.5, ""),
        (4.5, 5.5, ""),
        (5.5, 6.5, ""),
    ]
    assert (drawn[3]["low"], drawn[3]["high"], drawn[3]["cut"]) == (2.0, 5.2, "<")
    assert low < 2.0 < 6.5 < high < 10
    assert shortened(usual)[1:] == pytest.approx((3.35, 6.65)), "all of it, where nothing is much longer"
    assert shortened([{"value": 2.0, "low": 2.0, "high": 2.0}])[1:] == (1.9, 2.1)


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        ("mean dayz", "Did you mean 'days'"),
        ("mean ward", "'ward' holds text, where numbers are needed"),
        ("linear ward ~ age", "'ward' holds text, where numbers are needed"),
        ("crosstab ward(3)", "'ward' holds text"),
        ("logistic ward ~ age", "has 3 different values; name the one to explain"),
        ("logistic ward=z ~ age", "no row has the named value of 'ward'"),
    ],
)
def test_analyses_that_do_not_fit_the_table(planned: str, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        hr.analyses(PEOPLE, released(), [planned])


def test_a_column_that_is_not_published() -> None:
    schema = hr.Schema(quasi=["age"], insensitive=["days"], others="drop")
    release = hr.anonymize(PEOPLE, schema, k=5, method="mondrian")
    with pytest.raises(hr.BadInput, match="needs the column 'ward', which is not published"):
        hr.analyses(PEOPLE, release, ["mean days by ward"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 1}, "draws"),
        ({"random_state": -1}, "random_state"),
        ({"kinds": ["age"]}, "kinds"),
        ({"entity": "person"}, "no column 'person'"),
    ],
)
def test_parameters_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        hr.analyses(PEOPLE, released(), ["mean days"], **options)


def test_what_is_no_release_and_no_rows() -> None:
    with pytest.raises(hr.BadInput, match="a release or the path of one"):
        hr.analyses(PEOPLE, PEOPLE, ["mean days"])
    with pytest.raises(hr.BadInput, match="no rows"):
        hr.analyses(PEOPLE.slice(0, 0), released(), ["mean days"])


def test_numbers_in_clear_that_were_coded_with_an_open_end_are_still_numbers() -> None:
    schema = hr.Schema(quasi=["age", "sex", "ward"], insensitive=["days", "ill"], recode={"days": "top:11"})
    release = hr.anonymize(PEOPLE, schema, k=1, method="mondrian", random_state=1)
    assert "≥11" in release.table["days"].to_pylist()

    result = only(hr.analyses(PEOPLE, release, ["mean days by ward"]))
    assert len(result.estimates) == 3
    for estimate in result.estimates:
        assert estimate.release is not None
        assert estimate.release == pytest.approx(estimate.original, rel=0.1)


def test_a_release_writes_decimals_as_its_original_does(tmp_path: Path) -> None:
    rows = [f"{age};{sex};{days},5\n" for age, sex, days in zip(AGE, SEX, PEOPLE["days"].to_pylist(), strict=True)]
    (tmp_path / "people.csv").write_text("age;sex;days\n" + "".join(rows))
    original = hr.File(tmp_path / "people.csv", decimal=",")
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["days"], rows_are_people=True)
    release = hr.anonymize(original, schema, k=5, random_state=1)

    result = only(hr.analyses(original, release, ["mean days by sex"]))
    assert {estimate.original == pytest.approx(estimate.release) for estimate in result.estimates} == {True}
