"""Ordered values, their split points, and what their parts publish."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Recoding, Schema
from hedgerow.anonymizers.lattice._split_points import CutColumn, histograms_beside, ordered_column, publish_cuts
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import BadInput
from hedgerow.release import pipeline

TOWNS = {"*": {"south": ["C", "D"], "north": ["A", "B"]}}


def counted(values: Any, **schema: Any) -> FrequencyTable:
    table = pa.table({"value": values})
    return pipeline.prepare(table, Schema(quasi=["value"], **schema), [KAnonymity(1)], random_state=0).counts


def published(counts: FrequencyTable, *points: int) -> Recoding:
    """What is published if only these of the points are set."""
    column = ordered_column(counts, "value", 99)
    chosen = np.isin(np.arange(len(column.points)), points)
    return publish_cuts("test", counts, [CutColumn(column, column.parts(chosen))], facts={})


def texts(recoding: Recoding) -> dict[str | None, str]:
    (column,) = recoding.columns
    return dict(zip(column.texts, column.kinds, strict=True))


def test_numbers_become_intervals_that_touch() -> None:
    counts = counted([1, 2, 5, 9, 10])
    assert texts(published(counts, 1, 3)) == {"[1,5)": "interval", "[5,10)": "interval", "10": "value"}


def test_a_column_without_points_is_suppressed() -> None:
    assert texts(published(counted([1, 2, 5]))) == {"*": "suppressed"}


def test_a_single_value_is_published() -> None:
    assert texts(published(counted([4, 4]))) == {"4": "value"}


def test_categories_become_sets_in_the_order_of_their_values() -> None:
    counts = counted(["b", "a", "c", "d"])
    assert texts(published(counts, 1)) == {"{a|b}": "set", "{c|d}": "set"}


def test_categories_with_a_hierarchy_are_in_the_order_of_its_leaves() -> None:
    counts = counted(["A", "B", "C", "D"], hierarchies={"value": TOWNS})
    assert texts(published(counts, 1)) == {"south": "label", "north": "label"}
    assert texts(published(counts, 0, 1)) == {"C": "value", "D": "value", "north": "label"}


def test_parts_that_are_no_nodes_become_sets() -> None:
    counts = counted(["A", "B", "C", "D"], hierarchies={"value": TOWNS})
    assert texts(published(counts, 0)) == {"C": "value", "{A|B|D}": "set"}


def test_missing_values_stand_last_and_are_suppressed_with_their_neighbours() -> None:
    counts = counted([1, 2, 3, None])
    assert texts(published(counts, 1, 2)) == {"[1,3)": "interval", "3": "value", None: "value"}
    assert texts(published(counts, 0)) == {"1": "value", "*": "suppressed"}


def test_dates_become_spans() -> None:
    counts = counted([dt.date(2020, 1, day) for day in (1, 5, 9)])
    assert texts(published(counts, 1)) == {"[2020-01-01,2020-01-06)": "interval", "2020-01-09": "value"}


def test_new_numbers_fall_into_the_intervals() -> None:
    recoding = published(counted([1, 2, 5, 9, 10]), 1, 3)
    assert recoding.transform(pa.table({"value": [3, 7]}))["value"].to_pylist() == ["[1,5)", "[5,10)"]


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_column_of_many_values_has_points_that_divide_its_records(most: int) -> None:
    random = np.random.default_rng(1)
    values = [*random.integers(0, 50, 400).tolist(), *[None] * 5]
    column = ordered_column(counted(values), "value", most)
    assert len(column.points) <= most
    assert column.points[-1] == column.domain.size - 1  # the missing value
    inner = column.points[:-1]
    if len(inner):
        codes = np.searchsorted(column.domain.values, [value for value in values if value is not None])
        records = np.bincount(np.searchsorted(inner, codes, side="right"))
        assert records.max() < 2 * 405 / most + 20


def test_histograms_stand_side_by_side() -> None:
    table = pa.table({"value": [1, 1, 2], "first": ["a", "b", "b"], "second": ["x", "x", "y"]})
    schema = Schema(quasi=["value"], sensitive=["first", "second"])
    counts = pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts
    assert histograms_beside(counts, ["second", "first"], "Test").tolist() == [[2, 0, 1, 1], [0, 1, 0, 1]]


def test_too_many_sensitive_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.anonymizers.lattice._split_points._MOST_ENTRIES", 3)
    table = pa.table({"value": [1, 2], "first": ["a", "b"]})
    schema = Schema(quasi=["value"], sensitive=["first"])
    counts = pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts
    with pytest.raises(BadInput, match="too large for Test"):
        histograms_beside(counts, ["first"], "Test")
