"""NCP and suppressed cells on columns that can be solved by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import ncp, ncp_published, suppression
from hedgerow.core.recoding import PublishedColumn, Recoding
from hedgerow.hierarchies import intervals, taxonomy
from hedgerow.io.domains import CodeSets

Build = Callable[..., tuple[FrequencyTable, Recoding]]
AGES = [20, 25, 30, 60]


def test_numbers_by_range_and_categories_by_values(build: Build) -> None:
    """Group 0: ages 20 to 30 of 20 to 60 and two of three jobs; group 1 is a single record."""
    release = build({"age": AGES, "job": list("abac")}, [0, 0, 0, 1])
    assert ncp(*release) == pytest.approx((3 * 10 / 40 + 3 * 1 / 2) / 8)
    assert ncp_published(*release) == ncp(*release)


def test_dates_are_numbers(build: Build) -> None:
    days = [dt.date(2020, 1, day) for day in (1, 6, 11)]
    assert ncp(*build({"day": days}, [0, 0, 1])) == pytest.approx(2 / 3 * 5 / 10)


def test_lost_records_count_one(build: Build) -> None:
    release = build({"age": AGES}, [0, 0, -1, -1])
    assert ncp(*release) == ncp_published(*release) == pytest.approx((2 * 5 / 40 + 2) / 4)
    assert suppression(*release) == 0.5


def test_a_suppressed_cell_counts_one_only_where_the_writing_counts(build: Build) -> None:
    release = build({"age": AGES, "job": list("aabb")}, [0, 0, 1, 1], suppress=[(0, "age")])
    assert ncp(*release) == pytest.approx((2 * 5 / 40 + 2 * 30 / 40) / 8)
    assert ncp_published(*release) == pytest.approx((2 * 1 + 2 * 30 / 40) / 8)
    assert suppression(*release) == 2 / 8


def test_an_interval_is_as_wide_as_it_is_written(build: Build) -> None:
    """[20,31) is written for 20 to 30, and [31,60] is closed at the largest age."""
    release = build({"age": [20, 30, 31, 60]}, [0, 0, 1, 1], publish="interval")
    assert release[1].columns[0].texts[:2] == ("[20,31)", "[31,60]")
    assert ncp_published(*release) == pytest.approx((2 * 11 / 40 + 2 * 29 / 40) / 4)
    assert ncp(*release) == pytest.approx((2 * 10 / 40 + 2 * 29 / 40) / 4)


def test_an_interval_is_clipped_to_the_column(build: Build) -> None:
    """The labels are [0,40) and [40,100]: of these, 20 to 40 and 40 to 60 lie within the column."""
    hierarchies = {"age": intervals([0, 40, 100])}
    release = build({"age": [*AGES, 50]}, [0, 0, 0, 1, 1], publish="label", hierarchies=hierarchies)
    assert release[1].columns[0].texts[:2] == ("[0,40)", "[40,100]")
    assert ncp_published(*release) == pytest.approx((3 * 20 / 40 + 2 * 20 / 40) / 5)


def test_a_label_counts_the_values_of_the_column_that_it_covers(build: Build) -> None:
    """Office covers three leaves, of which two occur; three values occur in all."""
    jobs = taxonomy({"Any": {"Office": ["clerk", "boss", "typist"], "Field": ["farmer"]}})
    release = build({"job": ["clerk", "boss", "farmer"]}, [0, 0, 1], publish="label", hierarchies={"job": jobs})
    assert ncp_published(*release) == pytest.approx(2 / 3 * 1 / 2)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([0, 0, 1, 1], 0.0 + 2 * 10 / 10),  # only missing; 20 and 30
        ([0, 1, 0, 1], 2 * 1.0 + 2 * 1.0),  # both groups mix
    ],
)
def test_missing_among_numbers(build: Build, groups: list[int], expected: float) -> None:
    release = build({"age": [None, None, 20, 30]}, groups)
    assert ncp(*release) == ncp_published(*release) == pytest.approx(expected / 4)


def test_missing_is_one_more_category(build: Build) -> None:
    assert ncp(*build({"job": ["a", None, "b"]}, [0, 0, 1])) == pytest.approx(2 / 3 * 1 / 2)


@pytest.mark.parametrize("cells", [["a", "a"], [7, 7], [None, None]])
def test_a_column_with_one_value_has_nothing_to_lose(build: Build, cells: list[object]) -> None:
    release = build({"same": cells}, [0, 0])
    assert ncp(*release) == ncp_published(*release) == 0.0


def test_an_interval_around_the_only_number_of_a_column_has_nothing_to_lose(build: Build) -> None:
    counts, recoding = build({"age": [20, 20]}, [0, 0])
    codes = np.array([0, 1]), np.array([0], dtype=np.int32)
    column = PublishedColumn(counts.domains["age"], ("[0,40)",), ("label",), CodeSets.of(*codes))
    assert ncp_published(counts, replace(recoding, columns=(column,))) == 0.0


def test_means_are_described_by_what_their_class_holds(build: Build) -> None:
    counts, recoding = build({"age": AGES}, [0, 0, 1, 1])
    nothing = np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32)
    means = PublishedColumn(counts.domains["age"], ("22.5", "45"), ("number", "number"), CodeSets.of(*nothing))
    release = counts, replace(recoding, columns=(means,), groups=np.array([[0], [1]], dtype=np.int32))
    assert ncp_published(*release) == ncp(*release) == pytest.approx((2 * 5 / 40 + 2 * 30 / 40) / 4)
