"""Who is singled out by proportions: on small tables by hand, on Adult and the census as measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.risk import SingledOut, singled_out

EIGHT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


def told(columns: dict[str, list[Any]], k: int, support: int | None = None, **more: Any) -> hr.Release:
    table = pa.table(columns)
    schema = hr.Schema(quasi=list(columns), hierarchies=dict.fromkeys(columns, "flat"))
    return hr.anonymize(table, schema, method="datafly", k=k, publish_proportions=True, min_support=support, **more)


def test_a_value_of_the_only_open_column_is_a_tuple() -> None:
    """All are Swiss; three towns are told exactly, two of them of fewer than four people."""
    columns = {"land": ["CH"] * 10, "town": ["Bern"] * 6 + ["Basel"] * 3 + ["Chur"]}
    release = told(columns, 4, 1)
    assert release.proportions is not None
    assert singled_out(release.proportions, 4) == SingledOut(4, 10)
    assert singled_out(release.proportions, 2) == SingledOut(1, 10)
    assert (release.audit.singled_out, release.audit.fully_known) == (4, 10)


def test_pooled_nobody_is() -> None:
    """Bern has enough people; the others are told together."""
    release = told({"land": ["CH"] * 10, "town": ["Bern"] * 6 + ["Basel"] * 3 + ["Chur"]}, 4)
    assert (release.audit.singled_out, release.audit.fully_known) == (0, 6)


def test_with_two_open_columns_nobody_is() -> None:
    columns = {"land": ["CH"] * 6 + ["DE"] * 4, "town": ["a"] * 5 + ["b"] * 5}
    release = told(columns, 10, 1)
    assert (release.audit.singled_out, release.audit.fully_known) == (0, 0)


def test_what_the_table_alone_tells_is_not_counted() -> None:
    """{20|21} of two people is one of each, with or without proportions."""
    table = pa.table({"age": [20, 21, 60, 60, 61]})
    audit = hr.anonymize(
        table, hr.Schema(quasi=["age"]), k=2, publish_proportions=True, min_support=1, publish="set"
    ).audit
    assert audit.singled_out == 1
    assert audit.fully_known == 3


def test_the_audit_shows_it() -> None:
    release = told({"town": ["Bern"] * 6 + ["Basel"] * 3 + ["Chur"]}, 4, 1)
    text = release.audit.render()
    assert "people with a tuple whose number is known: 10 (100.00 %)" in text
    assert "singled out, fewer than k: 4 (40.00 %)" in text
    assert release.audit.to_dict()["singled_out"] == 4
    plain = hr.anonymize(pa.table({"x": [1, 2]}), hr.Schema(quasi=["x"]), k=2).audit
    assert plain.singled_out is None
    assert plain.fully_known is None
    assert "singled out" not in plain.render()


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> pl.DataFrame:
    """All rows of the train file, those with missing values too."""
    table = pl.read_csv(data_folder / "adult/adult_train.csv.gz", infer_schema=False)
    return table.with_columns(pl.col("age").cast(pl.Int64))


def shares(
    table: Any, schema: hr.Schema, method: str, k: int, support: int | None, **parameters: Any
) -> tuple[float, float]:
    audit = hr.anonymize(
        table, schema, method=method, k=k, random_state=0, publish_proportions=True, min_support=support, **parameters
    ).audit
    assert audit.singled_out is not None
    assert audit.fully_known is not None
    return audit.singled_out / audit.rows, audit.fully_known / audit.rows


@pytest.mark.parametrize(("k", "alone", "known"), [(5, 0.181, 0.437), (10, 0.156, 0.293)])
def test_exact_proportions_of_adult(adult: pl.DataFrame, k: int, alone: float, known: float) -> None:
    """As an attacker found them with Mondrian: 44 % and 29 % of the rows are known, as many as 16 to 19 % below k."""
    schema = hr.Schema(quasi=EIGHT, target="salary-class", others="drop")
    found = shares(adult, schema, "mondrian", k, 1, publish="set")
    assert found == pytest.approx((alone, known), abs=0.003)


@pytest.mark.parametrize("method", ["mondrian", "kactus", "datafly", "kadet"])
@pytest.mark.parametrize("k", [5, 10])
def test_nobody_of_adult_is_singled_out(adult: pl.DataFrame, method: str, k: int) -> None:
    schema = hr.Schema(quasi=EIGHT, target="salary-class", others="drop")
    assert shares(adult, schema, method, k, None)[0] == 0


@pytest.mark.parametrize("method", ["mondrian", "kactus", "optimal", "k-member", "tds"])
@pytest.mark.parametrize("k", [5, 10])
def test_nobody_of_the_census_is_singled_out(method: str, k: int) -> None:
    census = hr.datasets.make_census(3000, random_state=0)
    assert shares(census, hr.datasets.census_schema(), method, k, None)[0] == 0
