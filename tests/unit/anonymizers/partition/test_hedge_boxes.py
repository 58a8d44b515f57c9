"""Boxes: the cut that a person would choose, under every requirement, and regions with enough of each label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counted import counted

from hedgerow import AlphaK, KAnonymity, LDiversity
from hedgerow._internal.arrays import Floats, Ints
from hedgerow.anonymizers.partition._hedge_groups import BoxGroups, cut_boxes, regions_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces
from hedgerow.requirements import Requirement


def orders_of(counts: FrequencyTable) -> list[Ints]:
    return [np.arange(counts.domains[name].size, dtype=np.int32) for name in counts.quasi]


def cut(counts: FrequencyTable, points: Any, *requirements: Requirement) -> BoxGroups:
    column = np.asarray(points, dtype=np.float64)
    return cut_boxes(counts, requirements, orders_of(counts), column.reshape(len(counts.tuples), -1))


def groups_of(counts: FrequencyTable, boxes: BoxGroups) -> list[list[tuple[str, ...]]]:
    """The tuples of each group, as text."""
    labels = [counts.domains[name].labels[counts.tuples[:, at]].tolist() for at, name in enumerate(counts.quasi)]
    tuples = list(zip(*labels, strict=True))
    found: list[list[tuple[str, ...]]] = [[] for _ in range(int(boxes.pieces.group.max()) + 1)]
    for cell, group in zip(boxes.pieces.cell, boxes.pieces.group, strict=True):
        found[group].append(tuples[counts.cell_tuple[cell]])
    return [sorted(set(one)) for one in found]


# The cut


def test_the_cut_that_a_person_would_choose() -> None:
    """The points of the first three lie together, and those of the last two; letters say nothing."""
    counts = counted({"age": [1, 2, 3, 4, 5], "letter": list("ababa"), "y": list("nnnyy")})
    boxes = cut(counts, [0.0, 0.1, 0, 5, 5.1], KAnonymity(2))
    assert boxes.cuts.column.tolist() == [0]
    assert boxes.cuts.threshold.tolist() == [2]
    assert [len(group) for group in groups_of(counts, boxes)] == [3, 2]


def test_the_column_is_cut_that_parts_the_points() -> None:
    counts = counted({"age": [1, 1, 2, 2], "letter": list("abab"), "y": list("nyny")})
    boxes = cut(counts, [0, 1, 0, 1], KAnonymity(2))
    assert boxes.cuts.column.tolist() == [1]
    assert groups_of(counts, boxes) == [[("1", "a"), ("2", "a")], [("1", "b"), ("2", "b")]]


def test_records_count_and_not_tuples() -> None:
    """By hand: the squares that are left are 0.81 after a cut of the first tuple, 0.9 after one of the second.

    Did each tuple count once, they would be 0.605 and 0.5.
    """
    counts = counted({"age": [1] * 9 + [2, 3, 3], "y": ["n"] * 12})
    assert cut(counts, [0, 1, 2.1], KAnonymity(2)).cuts.threshold.tolist() == [0]
    assert cut(counts, [0, 1, 2.1], KAnonymity(3)).cuts.threshold.tolist() == [0]
    assert cut(counts, [0, 1, 2.1], KAnonymity(4)).cuts.threshold.tolist() == []


def test_columns_lean_by_their_weights() -> None:
    """Both columns part the points, the letters better; nobody cares for them."""
    columns = {"age": [1, 1, 2, 2], "letter": list("abab"), "y": list("nyny")}
    points = [0, 1, 0.4, 1.4]
    assert cut(counted(columns), points, KAnonymity(2)).cuts.column.tolist() == [1]
    weighed = counted(columns, weights={"age": 20, "letter": 1})
    assert cut(weighed, points, KAnonymity(2)).cuts.column.tolist() == [0]


def test_columns_without_weight_are_not_cut() -> None:
    counts = counted({"age": [1, 2, 3, 4], "sex": list("FFFF"), "y": list("nnyy")}, weights={"age": 0, "sex": 1})
    assert cut(counts, [0, 0, 1, 1], KAnonymity(1)).cuts.column.tolist() == []


def test_without_information_a_box_is_halved() -> None:
    counts = counted({"age": list(range(16)), "y": ["n"] * 16})
    boxes = cut(counts, [0] * 16, KAnonymity(4))
    assert [len(group) for group in groups_of(counts, boxes)] == [4] * 4


def test_ties_go_to_the_first_column_and_the_lowest_value() -> None:
    counts = counted({"age": [1, 1, 2, 2], "height": [1, 1, 2, 2], "y": list("nnyy")})
    boxes = cut(counts, [0, 1], KAnonymity(2))
    assert (boxes.cuts.column.tolist(), boxes.cuts.threshold.tolist()) == ([0], [0])


# Requirements


@pytest.mark.parametrize("k", [1, 2, 7, 50, 120])
def test_every_leaf_has_k_records_and_none_could_be_cut(k: int) -> None:
    chance = np.random.default_rng(k)
    counts = counted({"age": chance.integers(0, 40, 120), "job": chance.choice(list("abcd"), 120), "y": ["n"] * 120})
    boxes = cut(counts, chance.normal(size=(len(counts.tuples), 3)), KAnonymity(k))
    sizes = np.bincount(boxes.pieces.group, boxes.pieces.size)
    assert sizes.min() >= k
    of_cell = boxes.pieces.group
    for group in range(len(sizes)):
        here = counts.cell_tuple[of_cell == group]
        for at in range(2):
            codes, weights = counts.tuples[here, at], counts.cell_sizes[of_cell == group]
            reached = np.cumsum(np.bincount(codes, weights))
            assert not ((reached >= k) & (reached <= reached[-1] - k)).any()


def test_a_cut_must_keep_every_requirement_on_both_sides() -> None:
    """The best cut, after the third, would leave the first three with one illness."""
    columns = {"age": [1, 2, 3, 4, 5, 6], "ill": list("aaabab"), "y": list("nnnyyy")}
    counts = counted(columns, sensitive=["ill"])
    points = [0, 0, 0, 1, 1, 1]
    assert cut(counts, points, KAnonymity(2)).cuts.threshold[0] == 2
    diverse = cut(counts, points, KAnonymity(2), LDiversity(2, "ill"))
    assert diverse.cuts.threshold.tolist() == [3]
    assert [len(group) for group in groups_of(counts, diverse)] == [4, 2]


def test_where_the_best_and_the_most_even_cut_are_forbidden_others_are_tried() -> None:
    """Points ask for a cut after the second, halves for one after the fourth; only one after the sixth is diverse."""
    columns = {"age": list(range(8)), "ill": list("aaaaabab"), "y": list("nnyyyyyy")}
    counts = counted(columns, sensitive=["ill"])
    boxes = cut(counts, [0, 0, 1, 1, 1, 1, 1, 1], KAnonymity(2), LDiversity(2, "ill"))
    assert boxes.cuts.threshold.tolist() == [5]


def test_the_cells_of_a_tuple_stay_together() -> None:
    columns = {"age": [1, 1, 1, 2, 2, 2], "ill": list("abcabc"), "y": list("nynyny")}
    counts = counted(columns, sensitive=["ill"])
    boxes = cut(counts, [0, 1], KAnonymity(2), AlphaK(0.5, 2, "ill", "a"))
    assert groups_of(counts, boxes) == [[("1",)], [("2",)]]
    assert boxes.pieces.size.tolist() == [1] * 6


# Many values


def test_columns_of_more_values_than_places() -> None:
    """Places hold several values, and thresholds are ranks again: each group is what lies between two of them."""
    chance = np.random.default_rng(0)
    counts = counted({"at": np.arange(1000), "y": ["n"] * 1000})
    boxes = cut(counts, chance.normal(size=1000).cumsum(), KAnonymity(20))
    ends = np.sort(boxes.cuts.threshold)
    assert np.array_equal(boxes.pieces.group, np.searchsorted(ends, np.arange(1000)))
    assert np.bincount(boxes.pieces.group).min() >= 20
    assert len(ends) > 20


def test_frequent_values_have_places_of_their_own() -> None:
    """Of 600 values one has half of the records: it can be parted from its neighbours, up to a place of them."""
    values = [*range(600), *[300] * 600]
    counts = counted({"at": values, "y": ["n"] * 1200})
    points = np.zeros(600)
    points[300] = 1
    boxes = cut(counts, points, KAnonymity(100))
    of_frequent = boxes.pieces.group[300]
    assert (boxes.pieces.group == of_frequent).sum() < 12


def test_many_units_are_cut_in_parts_to_the_same_end() -> None:
    chance = np.random.default_rng(2)
    counts = counted({"at": np.arange(6000), "other": chance.integers(0, 9, 6000), "y": ["n"] * 6000})
    points = np.column_stack([chance.normal(size=6000), counts.tuples[:, 1]])
    boxes = cut(counts, points, KAnonymity(400))
    sizes = np.bincount(boxes.pieces.group)
    assert sizes.min() >= 400
    assert (boxes.cuts.end - boxes.cuts.start).tolist() == sizes.tolist()


# Regions


def regions(counts: FrequencyTable, points: Floats, group: list[int], most: int, support: int) -> Any:
    pieces = Pieces.whole(np.array(group, dtype=np.int32)[counts.cell_tuple], counts.cell_sizes)
    return regions_of(counts, orders_of(counts), points, pieces, most, support).tolist()


def test_regions_hold_enough_people() -> None:
    """Points would be cut after the first tuple, which has too few."""
    counts = counted({"at": [1, 2, 2, 3, 3, 4, 4, 4], "y": list("nnnynyny")})
    points = np.array([[0.0], [5], [5], [6]])
    group = [0, 1, 2, 3]
    assert regions(counts, points, group, 2, 1) == [0, 1, 1, 1]
    assert regions(counts, points, group, 2, 2) == [0, 0, 1, 1]
    assert regions(counts, points, group, 1, 1) == [0, 0, 0, 0]


def test_there_are_at_most_so_many_regions_and_the_best_cuts_come_first() -> None:
    counts = counted({"at": np.repeat(np.arange(4), 2), "y": ["n", "y"] * 4})
    points = np.array([[0.0], [1], [10], [11]])
    assert regions(counts, points, [0, 1, 2, 3], 2, 1) == [0, 0, 1, 1]
    assert len(set(regions(counts, points, [0, 1, 2, 3], 3, 1))) == 3
    assert regions(counts, points, [0, 1, 2, 3], 8, 1) == [0, 1, 2, 3]


def test_a_group_is_of_the_region_that_most_of_its_people_are_in() -> None:
    counts = counted({"at": [0, 0, 0, 0, 1, 1, 2, 2], "y": ["n", "y"] * 4})
    points = np.array([[0.0], [10], [10]])
    assert regions(counts, points, [0, 0, 1], 2, 1) == [0, 1]
