"""Which people of a population fit a published class."""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.risk._population import people_fitting
from hedgerow.verifier import count_classes

PEOPLE: list[str | None] = ["19", "20", "25.0", "30", "40", "F", "a|b", None]


@pytest.mark.parametrize(
    ("published", "fitting"),
    [
        ("20", ["20"]),
        ("25", ["25.0"]),
        ("[20,30)", ["20", "25.0"]),
        ("[20,40]", ["20", "25.0", "30", "40"]),
        ("<25", ["19", "20"]),
        ("≥25", ["25.0", "30", "40"]),
        ("{19|F}", ["19", "F"]),
        ("{25|30}", ["25.0", "30"]),
        ("{a\\|b|\\N}", ["a|b", None]),
        ("*", PEOPLE),
        (None, PEOPLE),
        ("Any", []),
    ],
)
def test_what_a_published_cell_covers(published: str | None, fitting: list[str | None]) -> None:
    table = count_classes(pa.table({"q": pa.array([published], pa.string())}), ["q"])
    for person in PEOPLE:
        # Somebody who fits none stands beside the person.
        population = count_classes(pa.table({"q": pa.array([person, "nobody's"], pa.string())}), ["q"])
        expected = int(person in fitting) + (published in ("*", None))
        if not expected:
            with pytest.raises(BadInput, match="Nobody in the population fits"):
                people_fitting(table, population)
        else:
            assert people_fitting(table, population).tolist() == [expected], person


def test_a_generalized_population_fits_by_its_labels() -> None:
    table = pa.table({"q": ["[20,30)", "Any"]})
    assert people_fitting(count_classes(table, ["q"]), count_classes(table, ["q"])).tolist() == [1, 1]


CELLS = st.sampled_from(["1", "2", "3", "{1|2}", "{2|3}", "[1,3)", "[2,3]", "*"])
COVERED = {"{1|2}": "12", "{2|3}": "23", "[1,3)": "12", "[2,3]": "23", "*": "123"}


@examples(60)
@given(
    table=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8),
    people=st.lists(st.tuples(*[st.sampled_from("123")] * 3), min_size=1, max_size=20),
)
def test_against_brute_force(table: list[tuple[str, ...]], people: list[tuple[str, ...]]) -> None:
    names = ["a", "b", "c"]
    published = count_classes(pa.table(dict(zip(names, map(list, zip(*table, strict=True)), strict=True))), names)
    population = count_classes(pa.table(dict(zip(names, map(list, zip(*people, strict=True)), strict=True))), names)
    if not any(
        all(value in COVERED.get(cell, cell) for cell, value in zip(row, person, strict=True))
        for row in table
        for person in people
    ):
        with pytest.raises(BadInput, match="Nobody in the population fits"):
            people_fitting(published, population)
        return
    found = people_fitting(published, population)
    for codes, number in zip(published.codes, found, strict=True):
        cells = [labels[code] for labels, code in zip(published.labels, codes, strict=True)]
        covered = set(itertools.product(*(COVERED.get(cell, cell) for cell in cells)))
        assert number == sum(person in covered for person in people)


def journalist(table: Any, population: Any, **given: Any) -> float:
    return hr.audit(table, quasi=["q"], population=population, **given).risks.journalist.highest


MOMENTS = [dt.datetime(1984, month, 1 + at, 8 * (at % 3), 15 * (at % 2)) for month in (1, 6) for at in range(4)]
KINDS = ["pandas", "pandas dates", "polars", "arrow", "relation", "csv", "parquet", "text"]


def of_kind(kind: str, values: list[Any], folder: Path) -> Any:
    """One column as each kind of source stores it."""
    arrow = pa.table({"q": values})
    if kind == "pandas":
        return pd.DataFrame({"q": pd.array(values)})
    if kind == "pandas dates":
        return pd.DataFrame({"q": pd.Series([one.date() for one in values], dtype=object)})
    if kind == "polars":
        return pl.DataFrame({"q": values})
    if kind == "relation":
        return duckdb.from_arrow(arrow)
    if kind == "csv":
        pa_csv.write_csv(arrow, folder / "people.csv")
        return folder / "people.csv"
    if kind == "parquet":
        pq.write_table(arrow, folder / "people.parquet")
        return str(folder / "people.parquet")
    return pa.table({"q": [one.isoformat() for one in values]}) if kind == "text" else arrow


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "cells",
    [
        ["[1984-01-01,1984-06-03)"],
        ["[1984-01-01,1984-06-02]"],
        ["{1984-01-01|1984-01-02|1984-01-03|1984-01-04|1984-06-01|1984-06-02}"],
    ],
)
def test_dates_compare_as_dates(kind: str, cells: list[str], tmp_path: Path) -> None:
    """Six of eight people fit, whether their table holds days or moments."""
    population = of_kind(kind, MOMENTS, tmp_path)
    assert journalist(pa.table({"q": cells * 2}), population) == 1 / 6


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet"])
def test_published_dates_and_spans(kind: str, tmp_path: Path) -> None:
    days = [dt.date(1984, 1, 1 + at) for at in range(4)] * 2
    population = of_kind("csv", [dt.datetime.combine(day, dt.time(9)) for day in days], tmp_path)
    assert journalist(of_kind(kind, [days[0]], tmp_path), population) == 1 / 2
    assert journalist(of_kind(kind, [dt.datetime.combine(days[0], dt.time())], tmp_path), population) == 1 / 2
    labels = {"hierarchies": {"q": "dates"}}
    assert journalist(pa.table({"q": ["1984-Q1"]}), population, **labels) == 1 / 8


@pytest.mark.parametrize(
    ("cells", "values", "expected"),
    [
        (["[20,30)"], ["020", "21.0", " 22", "x"], 1 / 3),
        (["20", "30"], ["020", "20.0", "30"], 1),
        (["01234"], ["1234", "01234", "01234"], 1 / 2),
        (["true"], ["True", "TRUE", "false"], 1 / 2),
        (["{20|25}"], [20, 25, 30], 1 / 2),
        (["20"], [20.0, 20.0, 30.5], 1 / 2),
    ],
)
def test_values_that_are_stored_in_other_types(cells: list[str], values: list[Any], expected: float) -> None:
    assert journalist(pa.table({"q": cells}), pa.table({"q": values})) == expected


def test_categories_and_truth_values() -> None:
    people = pd.DataFrame({"q": pd.Categorical(["a", "a", "b"])})
    assert journalist(pa.table({"q": ["a"]}), people) == 1 / 2
    assert journalist(pa.table({"q": ["true"]}), pa.table({"q": [True, True, False]})) == 1 / 2


@pytest.mark.parametrize(
    ("cells", "values", "given"),
    [
        (["[20,30)"], ["20,5", "21,5"], {}),  # decimal commas
        (["[1984-01-01,1985-01-01)"], ["1.1.1984", "2.1.1984"], {}),
        (["Germany"], ["Bonn", "Trier"], {}),
        (["F"], ["female"], {}),
        (["[20,30)"], ["NA"], {"missing": ["NA"]}),
        (["[20,30)"], ["NA"], {}),
    ],
)
def test_a_population_that_fits_nobody_is_refused(cells: list[str], values: list[str], given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="No published cell of 'q' covers a value of the population") as failure:
        journalist(pa.table({"q": cells}), pa.table({"q": values}), **given)
    assert not any(text in str(failure.value) for text in (*cells, *values))


def test_columns_that_fit_only_one_by_one() -> None:
    table = pa.table({"a": ["1", "2"], "b": ["x", "y"]})
    people = pa.table({"a": ["1", "2"], "b": ["y", "x"]})
    with pytest.raises(BadInput, match="Somebody fits in each of 'a', 'b', but nobody fits in all of them"):
        hr.audit(table, quasi=["a", "b"], population=people)
