"""How likely a record is at each node."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.cells import Vocabulary, read_vocabulary
from hedgerow.io.domains import Domain
from hedgerow.learning.encoders._column import Column, fit_column
from hedgerow.learning.encoders._covers import covers_of, shares_of_classes, shares_of_covers

ANIMALS = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}


def cells_of(values: Any) -> Vocabulary:
    return read_vocabulary(nw.from_native(pa.chunked_array([pa.array(values)]), series_only=True).alias("c"))


def shares(column: Column, cell: str, *, by_frequency: bool = False) -> dict[str, float]:
    found = shares_of_covers(column, covers_of(column, cells_of([cell]), "ancestor"), by_frequency=by_frequency)
    return {
        label: share for label, share in zip(column.nodes.labels, found.toarray()[0].tolist(), strict=True) if share
    }


@pytest.fixture
def race() -> Column:
    return fit_column("c", cells_of(["cat", "cat", "cat", "dog", "felidae"]), ANIMALS)


def test_values_share_a_cell_equally(race: Column) -> None:
    assert shares(race, "felidae") == {"mammals": 1, "felidae": 1, "cat": 0.5, "lion": 0.5}
    assert shares(race, "{dog|lion}") == {"mammals": 1, "felidae": 0.5, "lion": 0.5, "canine": 0.5, "dog": 0.5}


def test_values_share_a_cell_by_frequency(race: Column) -> None:
    assert shares(race, "*", by_frequency=True) == {
        "mammals": 1,
        "felidae": 0.75,
        "cat": 0.75,
        "canine": 0.25,
        "dog": 0.25,
    }
    assert shares(race, "{cat|dog}", by_frequency=True)["cat"] == 0.75


def test_where_no_member_is_frequent_they_share_equally() -> None:
    race = fit_column(
        "c", cells_of(["cat", "dog"]), {"mammals": {"felidae": ["cat", "lion", "tiger"], "canine": ["dog"]}}
    )
    assert shares(race, "{lion|tiger}", by_frequency=True)["lion"] == 0.5


def test_a_member_that_is_a_label_is_all_the_values_below_it(race: Column) -> None:
    assert shares(race, "{dog|felidae}") == shares(race, "{dog|cat|lion}") == shares(race, "mammals")
    assert shares(race, "{dog|felidae}")["dog"] == pytest.approx(1 / 3)


def test_an_interval_of_the_hierarchy_without_known_numbers_is_shared_by_width() -> None:
    column = fit_column("c", cells_of(["[0,1)", "[0,4)", "{4|5}"]))
    assert shares(column, "[0,4)") == {"*": 1, "[0,4)": 1, "[0,1)": 0.25, "[1,4)": 0.75}


def test_classes_have_what_they_hold(race: Column, told_exactly: Any) -> None:
    domain = Domain("c", "text", np.array(["cat", "dog"]), has_missing=True)
    spread = told_exactly(domain, ["*", "mammals"], [{0: 1, 1: 3}, {1: 2, 2: 2}]).spread()
    found = shares_of_classes(race, spread, np.array([0]), "ancestor").toarray()[0]
    by_label = dict(zip(race.nodes.labels, found.tolist(), strict=True))
    assert by_label == {"mammals": 1, "felidae": 0.25, "cat": 0.25, "lion": 0, "canine": 0.75, "dog": 0.75}
    # In the second class half have no value, which this column does not know: they may be anything.
    found = shares_of_classes(race, spread, np.array([1]), "ancestor").toarray()[0]
    assert dict(zip(race.nodes.labels, found.tolist(), strict=True))["dog"] == pytest.approx(0.5 + 0.5 / 3)
