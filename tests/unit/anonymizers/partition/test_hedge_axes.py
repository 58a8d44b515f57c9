"""Groups along axes: as many as the records allow, under every requirement, and a way to them for unseen rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counted import counted

from hedgerow import KAnonymity, LDiversity
from hedgerow.anonymizers.partition._hedge_groups import AxisGroups, cut_axes
from hedgerow.anonymizers.partition._hedge_teacher import TeacherSpace
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import AxisRouter
from hedgerow.requirements import Requirement


def teacher_space(counts: FrequencyTable, points: Any) -> TeacherSpace:
    """A teacher_space of which the points are known: one column, that adds all there is to say."""
    space = np.asarray(points, dtype=np.float64).reshape(len(counts.tuples), -1)
    return TeacherSpace(space, 1, np.ones((len(space), 1)), (space[:, :1] / 2,), 1.0, np.zeros(2))


def cut(counts: FrequencyTable, points: Any, *requirements: Requirement) -> AxisGroups:
    return cut_axes(counts, requirements, teacher_space(counts, points))


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 33, 99, 100])
@pytest.mark.parametrize("kind", ["apart", "together", "half together"])
def test_there_are_as_many_groups_as_k_allows(k: int, kind: str) -> None:
    """Tuples that are all different can be parted, even where their points are not."""
    counts = counted({"at": np.arange(100), "y": ["n"] * 100})
    points = np.random.default_rng(k).normal(size=(100, 3))
    points = {"apart": points, "together": points * 0, "half together": points * (points[:, :1] > 0)}[kind]
    sizes = np.bincount(cut(counts, points, KAnonymity(k)).pieces.group)
    assert sizes.min() >= k
    if kind == "half together":
        assert len(sizes) >= 0.75 * (100 // k)
    else:
        assert len(sizes) == 100 // k


def test_groups_are_parted_along_the_main_axis() -> None:
    """By hand: points lie along a diagonal, in two heaps, independently of the columns."""
    counts = counted({"at": np.arange(8), "y": ["n"] * 8})
    heaps = [[0, 0], [9, 9], [1, 1], [8, 8], [0, 1], [9, 8], [1, 0], [8, 9]]
    group = cut(counts, heaps, KAnonymity(4)).pieces.group
    assert len(set(group[::2])) == len(set(group[1::2])) == 1
    assert group[0] != group[1]


def test_equal_tuples_are_not_parted() -> None:
    counts = counted({"at": [1] * 10 + [2] * 3, "y": ["n", "y"] * 6 + ["n"]})
    axes = cut(counts, [0, 1], KAnonymity(3))
    assert np.bincount(axes.pieces.group, axes.pieces.size).tolist() == [10, 3]
    assert cut(counts, [0, 1], KAnonymity(4)).pieces.group.max() == 0


def test_requirements_hold_on_both_sides_of_every_cut() -> None:
    chance = np.random.default_rng(3)
    counts = counted({"at": np.arange(90), "ill": chance.choice(list("aaab"), 90), "y": ["n"] * 90}, sensitive=["ill"])
    points = chance.normal(size=(90, 2))
    pieces = cut(counts, points, KAnonymity(3), LDiversity(2, "ill")).pieces
    ill = counts.values_of("ill")[pieces.cell]
    groups = range(int(pieces.group.max()) + 1)
    assert all(len(set(ill[pieces.group == group])) == 2 for group in groups)
    assert len(groups) > 5
    one_sided = counted({"at": np.arange(9), "ill": list("aaaaaaaab"), "y": ["n"] * 9}, sensitive=["ill"])
    assert cut(one_sided, np.arange(9.0), KAnonymity(2), LDiversity(2, "ill")).pieces.group.max() == 0


def test_unseen_rows_go_to_the_group_their_values_fall_in() -> None:
    """Points are what the column adds, twice: each known value finds its own group, others that below them."""
    counts = counted({"at": [10, 20, 30, 40], "y": list("nnyy")})
    added = np.array([[-3.0], [-1], [1], [3]])
    axes = cut_axes(
        counts, [KAnonymity(2)], TeacherSpace(np.hstack([added, added]), 1, np.ones((4, 1)), (added,), 1.0, np.zeros(2))
    )
    router = axes.router
    assert router.route([np.array([0, 2, 4, 6])]).tolist() == axes.pieces.group.tolist() == [0, 0, 1, 1]
    assert router.route([np.array([-1, 3, 5, 9])]).tolist() == [0, 0, 1, 1]


def test_one_group_takes_all_rows() -> None:
    counts = counted({"at": [1, 2], "y": list("ny")})
    assert cut(counts, [0, 1], KAnonymity(2)).router.route([np.array([0, 2, 9])]).tolist() == [0, 0, 0]


# The router itself


ROUTER = AxisRouter(
    added=(np.array([[0.0], [2.0]]), np.array([[-1.0], [1.0]])),
    share=0.5,
    centre=np.array([0.5, 1, 0]),
    normals=np.array([[0.0, 1, 0], [0, 0, 1]]),
    threshold=np.array([0.0, 0]),
    left=np.array([-1, -2], dtype=np.int32),
    right=np.array([1, -3], dtype=np.int32),
)
PLACES = [np.array([0, 0, 2, 2]), np.array([0, 2, 0, 2])]


def test_a_row_is_what_its_values_add() -> None:
    assert ROUTER.route(PLACES).tolist() == [0, 0, 1, 2]


def test_a_router_is_read_as_it_was_written() -> None:
    read = AxisRouter.from_dict(ROUTER.to_dict())
    assert read.to_dict() == ROUTER.to_dict()
    assert read.route(PLACES).tolist() == ROUTER.route(PLACES).tolist()


def test_a_router_without_cuts_is_read_too() -> None:
    nothing = np.array([], dtype=np.int32)
    empty = AxisRouter(ROUTER.added, 1.0, ROUTER.centre, np.zeros((0, 3)), np.zeros(0), nothing, nothing)
    assert AxisRouter.from_dict(empty.to_dict()).route(PLACES).tolist() == [0] * 4


def test_rows_of_a_lost_group_fit_none() -> None:
    renumbered = ROUTER.renumbered(np.array([0, -1, 1], dtype=np.int32))
    assert renumbered.route(PLACES).tolist() == [0, 0, -1, 1]


def test_nothing_of_it_is_public() -> None:
    assert ROUTER.published([]) == ({}, None)
