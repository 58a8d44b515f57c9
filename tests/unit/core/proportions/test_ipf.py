"""Raking: solved by hand for two classes, and on the census against what is told."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from telling_by_label import all_columns, telling_by_label

import hedgerow as hr
from hedgerow.core.proportions import ColumnLifts, ColumnProportions, Lifts, Pools, Proportions, Tilt, tilted
from hedgerow.core.proportions._margins import ANYONE

# Of 20 people each, 10 and 10 are in the two pools in the first class, 16 and 4 in the second.
TOWN = ColumnProportions(
    "town",
    "text",
    Fraction(1),
    Pools(("Bonn", "Ulm"), np.array([True, True])),
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
    lifts = Lifts("ill", "text", ("no", "yes"), np.array([regions]), *pairs, {"town": column})
    return Proportions((TOWN,), np.array([20, 20]), ("",), 4, lifts)


# With r the ratio of the two factors, 10 r / (r + 1) + 10 · 4 r / (4 r + 1) = 16, so 1.6 r² - 3 r - 1.6 = 0.
RATIO = (3 + np.sqrt(19.24)) / 3.2
BOTH, YES = np.arange(2), 1


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
    whole = tilt.at(1.0).log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES)
    np.testing.assert_allclose(np.exp(whole[0]) / 2, RATIO / (RATIO + 1), rtol=2e-3)
    assert not tilt.at(0.0).log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES).any()


def test_where_nothing_is_told_nothing_depends_on_the_label() -> None:
    tilt = tilted(two_classes(), "town")
    assert tilt is not None
    for label in (0, ANYONE):
        assert not tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), label).any()
    apart = tilted(two_classes(regions=(0, 1)), "town")
    assert apart is not None
    assert not apart.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES)[1]
    assert apart.log_ratios(BOTH, np.zeros(2, dtype=np.int64), YES)[0]


def of_anyone(strength: float = 1.0) -> Proportions:
    """Of all 40 people is told that 30 are of Bonn, and of the ill that 12 of 20 are; nothing of those who are well."""
    whom = np.zeros(2, dtype=np.int64), np.array([ANYONE, 1])
    column = ColumnLifts(strength, *whom, np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([30, 10, 12, 8]))
    pairs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([10, 10, 10, 10])
    lifts = Lifts("ill", "text", ("no", "yes"), np.zeros((1, 2), dtype=np.int64), *pairs, {"town": column})
    return Proportions((TOWN,), np.array([20, 20]), ("",), 4, lifts)


def in_bonn(tilt: Tilt, label: int) -> float:
    """How many people of both classes are of Bonn, of 20."""
    return float(10 * (np.exp(tilt.log_ratios(BOTH, np.zeros(2, dtype=np.int64), label)) * [0.5, 0.8]).sum())


def test_a_label_of_which_nothing_is_told_has_what_the_others_leave() -> None:
    tilt = tilted(of_anyone(), "town")
    assert tilt is not None
    assert in_bonn(tilt, ANYONE) == pytest.approx(15, rel=2e-3)
    assert in_bonn(tilt, 1) == pytest.approx(12, rel=2e-3)
    assert in_bonn(tilt, 0) == pytest.approx(18, rel=2e-3)


def test_what_is_told_of_anyone_does_not_depend_on_the_strength() -> None:
    tilt = tilted(of_anyone(0.0), "town")
    assert tilt is not None
    assert [in_bonn(tilt, label) for label in (ANYONE, 0, 1)] == [pytest.approx(15, rel=2e-3)] * 3


def test_a_number_that_is_in_no_pool_keeps_its_share() -> None:
    tilt = tilted(two_classes(), "town")
    assert tilt is not None
    assert tilt.weights(BOTH, np.array([-1, -1]), 1).tolist() == [1, 1]


@pytest.mark.compiled
@pytest.mark.parametrize(("k", "regions"), [(10, 1), (10, 4), (50, 2)])
def test_sums_are_nearly_what_is_told(k: int, regions: int) -> None:
    """Sweeps end before several tables agree to the last person."""
    census = hr.datasets.make_census(3000, random_state=0)
    telling = telling_by_label(hr.Mondrian, partial(all_columns, regions=regions))
    release = telling(k=k, publish_proportions=True).anonymize(census, hr.datasets.census_schema())
    told = release.proportions
    assert told.lifts is not None
    pairs, labels, people = told.lifts.class_of_pair, told.lifts.label_of_pair, told.lifts.people
    for name, column in told.lifts.columns.items():
        tilt = tilted(told, name)
        assert tilt is not None
        shares = tilt.shares.toarray()
        pools = np.arange(shares.shape[1])
        bins = column.bin_of_pool(len(told.column(name).pools))[:, : len(pools)]
        held = np.stack(
            [
                shares[one] * np.exp(tilt.log_ratios(np.full(len(pools), one), pools, label))
                for one, label in zip(pairs.tolist(), labels.tolist(), strict=True)
            ]
        )
        of_pair = np.where(told.column(name).varying, told.lifts.regions, -1)[:, pairs]
        for place, (region, label) in enumerate(zip(column.region, column.label, strict=True)):
            mine = (of_pair == region).any(axis=0) & ((labels == label) | (label == ANYONE))
            expected = np.bincount(bins[place], people[mine] @ held[mine], len(column.records))
            some = slice(column.starts[place], column.starts[place + 1])
            np.testing.assert_allclose(expected[some], column.records[some], rtol=0.06)
