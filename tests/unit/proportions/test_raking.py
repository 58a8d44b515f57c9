"""Raking: solved by hand for two classes, and on the census against what is told."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from telling_by_label import all_columns, telling_by_label

import hedgerow as hr
from hedgerow.proportions import ColumnLifts, ColumnProportions, Lifts, Pools, Proportions, tilted

# Of 20 people each, 10 and 10 are in the two pools in the first class, 16 and 4 in the second.
TOWN = ColumnProportions(
    "town",
    "text",
    Fraction(1),
    Pools(("Bonn", "Ulm")),
    np.array([26, 14]),
    ("*",),
    np.array([0, 0], dtype=np.int32),
    np.array([0, 2, 4]),
    np.array([0, 1, 0, 1], dtype=np.int32),
    np.array([0, 1, 0, 1], dtype=np.int32),
    np.array([10, 10, 16, 4]),
)
# In both classes together 10 people are ill, of whom 16 of 20 are of Bonn; nothing is told of the others.
ILL = np.array([10, 10])


def two_classes(strength: float = 1.0, regions: tuple[int, int] = (0, 0)) -> Proportions:
    column = ColumnLifts(strength, np.array([0]), np.array([1]), np.array([0, 2]), np.array([0, 1]), np.array([16, 4]))
    pairs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([10, 10, 10, 10])
    lifts = Lifts("ill", "text", ("no", "yes"), np.array(regions), *pairs, {"town": column})
    return Proportions((TOWN,), np.array([20, 20]), ("",), 4, lifts)


# With r the ratio of the two factors, 10 r / (r + 1) + 10 · 4 r / (4 r + 1) = 16, so 1.6 r² - 3 r - 1.6 = 0.
RATIO = (3 + np.sqrt(19.24)) / 3.2
BOTH, YES = np.arange(2), np.ones(2, dtype=np.int64)


def test_two_classes_by_hand() -> None:
    tilt = tilted(two_classes(), "town")
    assert tilt is not None
    bonn = np.exp(tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES)) * [0.5, 0.8]
    np.testing.assert_allclose(bonn, [RATIO / (RATIO + 1), 4 * RATIO / (4 * RATIO + 1)], rtol=2e-3)
    assert 10 * bonn.sum() == pytest.approx(16, rel=2e-3)


def test_a_strength_is_a_power_of_the_factors() -> None:
    tilt = tilted(two_classes(0.5), "town")
    assert tilt is not None
    half = np.sqrt(RATIO)
    bonn = np.exp(tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES)) * [0.5, 0.8]
    np.testing.assert_allclose(bonn, [half / (half + 1), 4 * half / (4 * half + 1)], rtol=2e-3)
    whole = tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES, strength=1.0)
    np.testing.assert_allclose(np.exp(whole[0]) / 2, RATIO / (RATIO + 1), rtol=2e-3)
    assert not tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES, strength=0.0).any()


def test_where_nothing_is_told_nothing_depends_on_the_label() -> None:
    tilt = tilted(two_classes(), "town")
    assert tilt is not None
    assert not tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)).any()
    assert tilt.told.tolist() == [[False, True]] * 2
    apart = tilted(two_classes(regions=(0, 1)), "town")
    assert apart is not None
    assert apart.told.tolist() == [[False, True], [False, False]]


def test_a_number_that_is_in_no_pool_keeps_its_share() -> None:
    tilt = tilted(two_classes(), "town")
    assert tilt is not None
    assert tilt.weights(BOTH, np.array([-1, -1]), 1).tolist() == [1, 1]


@pytest.mark.parametrize(("k", "regions"), [(10, 1), (10, 4), (50, 2)])
def test_sums_are_what_is_told(k: int, regions: int) -> None:
    census = hr.datasets.make_census(3000, random_state=0)
    telling = telling_by_label(hr.Mondrian, partial(all_columns, regions=regions))
    release = telling(k=k, publish_proportions=True).anonymize(census, hr.datasets.census_schema())
    told = release.proportions
    assert told.lifts is not None
    pairs, labels, people = told.lifts.class_of_pair, told.lifts.label_of_pair, told.lifts.people
    for name, column in told.lifts.columns.items():
        tilt = tilted(told, name)
        assert tilt is not None
        shares, norms = tilt.shares.toarray(), tilt.norms()
        bins = column.bin_of_pool(len(told.column(name).pools))
        for place, (region, label) in enumerate(zip(column.region, column.label, strict=True)):
            mine = (tilt.regions[pairs] == region) & (labels == label)
            held = shares[pairs[mine]] * tilt.factors[place][: shares.shape[1]] / norms[pairs[mine], label][:, None]
            expected = np.bincount(bins[place][: shares.shape[1]], people[mine] @ held, len(column.records))
            some = slice(column.starts[place], column.starts[place + 1])
            np.testing.assert_allclose(expected[some], column.records[some], rtol=0.01)
