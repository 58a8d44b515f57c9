"""scale_up: the original rows, then variations that keep some of their attributes."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.datasets import scale_up
from hedgerow.errors import BadInput

ROWS: dict[str, list[Any]] = {
    "a": [1, 2, 3, 4, 5, 6],
    "b": ["u", "v", None, "x", "y", "z"],
    "c": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    "d": ["p", "p", "p", "p", "p", "q"],
    "e": [True, False, True, False, True, False],
}


def tables() -> dict[str, Any]:
    return {
        "pandas": pd.DataFrame(ROWS, index=[3, 3, 9, 1, 0, 2]).astype({"d": "category", "a": "int32"}),
        "polars": pl.DataFrame(ROWS, schema_overrides={"d": pl.Categorical, "a": pl.Int32}),
        "pyarrow": pa.table(ROWS).set_column(3, "d", pa.array(ROWS["d"]).dictionary_encode()),
    }


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def table(request: pytest.FixtureRequest) -> Any:
    return tables()[request.param]


def cells(native: Any) -> list[tuple[Any, ...]]:
    """The rows with every missing value as None."""
    columns = nw.from_native(native, eager_only=True)
    lists = [[None if value != value else value for value in columns[name].to_list()] for name in columns.columns]
    return list(zip(*lists, strict=True))


@pytest.mark.parametrize("draw", ["marginal", "domain"])
def test_the_type_the_columns_and_the_dtypes_stay(table: Any, draw: Any) -> None:
    larger = scale_up(table, 4, draw=draw, random_state=0)
    assert type(larger) is type(table)
    before, after = (nw.from_native(one, eager_only=True) for one in (table, larger))
    assert after.schema == before.schema
    assert len(after) == 4 * len(before)


@pytest.mark.parametrize("draw", ["marginal", "domain"])
@pytest.mark.parametrize("keep", [0, 2, 5])
def test_each_variation_keeps_attributes_of_its_original(table: Any, draw: Any, keep: int) -> None:
    original = cells(table)
    larger = cells(scale_up(table, 20, keep=keep, draw=draw, random_state=1))
    assert larger[:6] == original
    for position, row in enumerate(larger):
        same = sum(here == there for here, there in zip(row, original[position % 6], strict=True))
        assert same >= keep
    domains = [set(column) for column in zip(*original, strict=True)]
    assert [set(column) <= domain for column, domain in zip(zip(*larger, strict=True), domains, strict=True)] == [
        True
    ] * 5
    assert (larger == original * 20) == (keep == 5)


def test_a_missing_value_is_drawn_like_any_other(table: Any) -> None:
    larger = cells(scale_up(table, 200, keep=0, draw="domain", random_state=2))
    missing = sum(row[1] is None for row in larger[6:])
    assert 0.12 < missing / len(larger[6:]) < 0.22


def test_marginal_follows_the_column_and_domain_does_not(table: Any) -> None:
    """The column d is five p and one q."""

    def share_of_q(draw: Any) -> float:
        drawn = cells(scale_up(table, 300, keep=0, draw=draw, random_state=3))[6:]
        return float(np.mean([row[3] == "q" for row in drawn]))

    assert share_of_q("marginal") == pytest.approx(1 / 6, abs=0.04)
    assert share_of_q("domain") == pytest.approx(1 / 2, abs=0.05)


def test_every_choice_of_kept_columns_is_equally_likely() -> None:
    """With all values different, a drawn value equals the original's with probability 1/1000."""
    table = pl.DataFrame({name: np.arange(1000) for name in "abcd"})
    larger = scale_up(table, 7, keep=2, random_state=4).to_numpy()[1000:]
    same = larger == np.tile(table.to_numpy(), (6, 1))
    chosen, counts = np.unique(same[same.sum(axis=1) == 2] @ [1, 2, 4, 8], return_counts=True)
    assert len(chosen) == 6
    assert counts.min() > 850
    assert counts.max() < 1150


def test_one_seed_one_table(table: Any) -> None:
    assert cells(scale_up(table, 9, random_state=5)) == cells(scale_up(table, 9, random_state=5))
    assert cells(scale_up(table, 9, random_state=5)) != cells(scale_up(table, 9, random_state=6))


def test_backends_draw_the_same() -> None:
    first, *others = (cells(scale_up(one, 9, draw="domain", random_state=7)) for one in tables().values())
    assert all(other == first for other in others)


def test_the_index_of_pandas_is_dropped() -> None:
    assert scale_up(tables()["pandas"], 2).index.tolist() == list(range(12))


def test_factor_one_is_the_table_itself(table: Any) -> None:
    assert cells(scale_up(table, 1)) == cells(table)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"factor": 0}, "The 'factor' parameter of scale_up must be an int >= 1. Got 0 instead."),
        ({"factor": 2.5}, "'factor' parameter of scale_up must be an int >= 1"),
        ({"keep": -1}, "'keep' parameter of scale_up must be an int >= 0"),
        ({"keep": 6}, "'keep' parameter of scale_up must be at most the 5 columns of the table. Got 6"),
        ({"draw": "uniform"}, "'draw' parameter of scale_up must be 'marginal' or 'domain'"),
        ({"random_state": 1.5}, "'random_state' parameter of scale_up must be None"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        scale_up(pl.DataFrame(ROWS), **{"factor": 2, **parameters})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([1, 2], "The table must be a pandas, polars or pyarrow dataframe. Got list instead."),
        (pl.LazyFrame(ROWS), "Got LazyFrame instead."),
        (pl.DataFrame(ROWS).head(0), "The table has no rows to vary."),
    ],
)
def test_wrong_tables(data: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        scale_up(data, 2)
    assert sentence in str(caught.value)
