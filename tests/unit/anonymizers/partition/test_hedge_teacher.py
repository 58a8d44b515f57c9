"""The teacher: folds depend only on tuples, and the space holds its estimates and what columns add."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from counted import counted
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

from hedgerow import BadInput
from hedgerow.anonymizers.partition import _hedge_teacher as teacher_module
from hedgerow.anonymizers.partition._hedge_teacher import (
    TeacherSpace,
    check_teacher,
    order_by_teacher,
    teach,
    training_table,
)
from hedgerow.core.counts import FrequencyTable

GENERATOR = np.random.default_rng(0)
JOBS = GENERATOR.choice(list("abc"), 240).tolist()
AGES = GENERATOR.integers(20, 60, 240).tolist()


def space_of(counts: FrequencyTable, teacher: Any = "boosting", folds: int = 5, seed: int = 0) -> TeacherSpace:
    return teach(counts, training_table(counts, "Hedge"), teacher, folds, seed)


def some_table(**roles: Any) -> FrequencyTable:
    """The label is nearly that of the job ``b``; ages say nothing."""
    label = ["yes" if (job == "b") != (at % 10 == 0) else "no" for at, job in enumerate(JOBS)]
    return counted({"age": AGES, "job": JOBS, "y": label}, **roles)


# Folds


def test_the_fold_of_a_tuple_is_a_function_of_its_values() -> None:
    whole = counted({"age": AGES, "job": JOBS, "y": ["a", "b"] * 120})
    half = counted({"age": AGES[:100], "job": JOBS[:100], "y": ["a", "b"] * 50})

    def folds(counts: FrequencyTable) -> dict[tuple[str, ...], int]:
        labels = [counts.domains[name].labels[counts.tuples[:, at]] for at, name in enumerate(counts.quasi)]
        numbers = teacher_module._folds(counts, 5, 3).tolist()
        return dict(zip(zip(*(one.tolist() for one in labels), strict=True), numbers, strict=True))

    of_whole, of_half = folds(whole), folds(half)
    assert {one: of_whole[one] for one in of_half} == of_half
    assert set(of_whole.values()) == set(range(5))


def test_another_seed_draws_other_folds() -> None:
    counts = some_table()
    assert teacher_module._folds(counts, 5, 0).tolist() != teacher_module._folds(counts, 5, 1).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_two_tuples_are_never_in_one_fold(seed: int) -> None:
    """Somebody has to be learnt from."""
    counts = counted({"age": [1, 2], "y": ["a", "b"]})
    assert len(set(teacher_module._folds(counts, 2, seed).tolist())) == 2


# The space


@pytest.mark.parametrize(
    "label",
    [["a", "b"] * 120, ["a", "b", "c"] * 80, [job == "a" for job in JOBS], np.linspace(0, 1, 240).tolist()],
    ids=["two labels", "three labels", "one column", "numbers"],
)
def test_points_are_centred_and_their_variances_add_up_to_1(label: list[Any]) -> None:
    counts = counted({"age": AGES, "job": JOBS, "y": label})
    points = space_of(counts).points
    weights = counts.tuple_sizes / counts.rows
    assert weights @ points == pytest.approx(0, abs=1e-9)
    assert (weights @ points**2).sum() == pytest.approx(1)


def test_what_is_said_and_what_columns_add_vary_alike() -> None:
    counts = some_table()
    teacher_space = space_of(counts)
    spread = (counts.tuple_sizes / counts.rows) @ teacher_space.points**2
    assert spread[: teacher_space.teacher_dimensions].sum() == pytest.approx(0.5)
    assert spread[teacher_space.teacher_dimensions :].sum() == pytest.approx(0.5)


def test_numbers_are_the_sum_of_what_columns_add() -> None:
    """By hand: ``y = 10 first + 3 second``, so that a step of the first adds 10, and one of the second 3."""
    first, second = np.repeat([0, 1, 2], 400) * 1, np.tile([0, 1], 600)
    extra = np.tile(np.arange(100), 12)
    teacher_space = space_of(
        counted({"first": first, "second": second, "extra": extra, "y": 10.0 * first + 3 * second + 0.5})
    )
    steps = np.diff(teacher_space.added[0][:, 0])
    unit = steps[0] / 10
    assert steps == pytest.approx([10 * unit, 10 * unit], rel=0.02)
    assert np.diff(teacher_space.added[1][:, 0]) == pytest.approx([3 * unit], rel=0.05)
    assert np.abs(teacher_space.added[2]).max() < 0.05 * unit


def test_what_a_value_adds_is_the_same_in_all_folds() -> None:
    """It is measured against an average record. Otherwise tuples, and so groups, would differ by fold."""
    first, second = np.repeat(np.arange(60), 12), np.tile(np.arange(12), 60)
    counts = counted({"first": first, "second": second, "y": np.where(second % 2, 0.25, 5.5)})
    points = space_of(counts).points[:, 2]
    apart = max(float(np.ptp(points[counts.tuples[:, 1] == code])) for code in range(12))
    assert apart < 0.02 * np.ptp(points)


def test_columns_count_by_their_weights() -> None:
    plain, weighed = space_of(some_table()), space_of(some_table(weights={"age": 0}))
    assert plain.points[:, 1].any()
    assert not weighed.points[:, 1].any()


def test_the_guess_is_one_of_probabilities() -> None:
    counts = counted({"age": AGES, "job": JOBS, "y": [*["c"] * 2, *["a", "b"] * 119]})
    estimates = space_of(counts).estimates
    assert estimates.shape == (len(counts.tuples), 3)
    assert estimates.sum(axis=1) == pytest.approx(1)


def test_a_teacher_does_not_see_the_tuples_that_it_tells_of() -> None:
    """Every tuple has a random label, which only a teacher that has seen it can know."""
    chance = np.random.default_rng(1)
    counts = counted({"at": np.arange(200), "y": chance.choice(["a", "b"], 200)})
    said = space_of(counts, KNeighborsClassifier(1)).estimates[np.arange(200), counts.values_of("y")]
    assert 0.35 < said.mean() < 0.65


# Odd tables


def test_one_tuple_teaches_nothing() -> None:
    for label in (["a", "b", "a"], [0.5, 1.5, 2.5]):
        teacher_space = space_of(counted({"age": [7, 7, 7], "y": label}))
        assert not teacher_space.points.any()


def test_one_label_teaches_nothing() -> None:
    teacher_space = space_of(counted({"age": AGES, "y": ["a"] * 240}))
    assert not teacher_space.points.any()
    assert teacher_space.estimates.tolist() == [[1.0]] * len(teacher_space.estimates)


def test_a_label_of_a_single_record_among_many() -> None:
    """Boosting holds rows of each label back once they are more than 10,000."""
    rows = 10_500
    counts = counted({"at": np.arange(rows), "y": ["rare", *["a", "b"] * (rows // 2 - 1), "a"]})
    assert space_of(counts, folds=2).estimates.shape == (rows, 3)


def test_of_many_labels_the_rarest_are_one() -> None:
    labels = [f"{at:02}" for at in range(40) for _ in range(40 - at)]
    table = training_table(counted({"at": np.arange(len(labels)), "y": labels}), "Hedge")
    assert table.labels == 30
    assert table.label_of_code.tolist() == [*range(29), *[29] * 11]
    assert table.target.max() == 29


@pytest.mark.parametrize("size", [1e308, 1e-306])
def test_numbers_out_of_all_bounds(size: float) -> None:
    chance = np.random.default_rng(0)
    far = (chance.uniform(-1, 1, 60) * size).tolist()
    for columns in ({"far": far, "y": ["a", "b"] * 30}, {"age": AGES[:60], "y": far}):
        assert np.isfinite(space_of(counted(columns)).points).all()


def test_missing_values_are_read_as_such() -> None:
    counts = counted({"age": [1, None, 3], "job": ["a", "b", None], "y": ["n", "y", "n"]})
    table = training_table(counts, "Hedge")
    assert table.values[0].tolist() == pytest.approx([0.25, 0.75, np.nan], nan_ok=True)
    assert table.values[1].tolist() == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert table.categorical.tolist() == [False, True]


def test_a_column_that_some_folds_know_no_value_of() -> None:
    """Boosting cannot read a column that is missing in all rows."""
    for known in (5, "five"):
        counts = counted({"only": [None] * 30 + [known] * 10, "y": ["a", "b"] * 20})
        assert np.isfinite(space_of(counts).points).all()


def test_of_a_thousand_categories_the_frequent_ones_are_told_apart() -> None:
    names = [f"v{at:04}" for at in range(1000)] + ["v0999"] * 5
    table = training_table(counted({"name": names, "y": ["a", *["b"] * 1004]}), "Hedge")
    assert table.values[0][999] == 0
    assert table.values[0].max() == 253


@pytest.mark.parametrize("given", [{}, {"y": ["a", None]}])
def test_without_a_class_there_is_nothing_to_learn(given: dict[str, Any]) -> None:
    columns = {"age": [1, 2], "y": ["a", "b"], **given}
    counts = counted(columns)
    if not given:
        counts = replace(counts, roles=replace(counts.roles, target=None))
    with pytest.raises(BadInput, match=r"needs a target|has no class in 1 of 2 records"):
        training_table(counts, "Hedge")


# Teachers


def test_who_cannot_weigh_sees_records_as_often_as_they_are() -> None:
    columns = {"age": [1] * 30 + [2] * 30 + [3] * 30, "y": (["a"] * 20 + ["b"] * 10) * 3}
    estimates = space_of(counted(columns), KNeighborsClassifier(60), folds=3).estimates
    assert estimates == pytest.approx(np.array([[2 / 3, 1 / 3]] * 3))


def test_records_count_where_tuples_are_few() -> None:
    """Nine tuples of many records: a leaf of boosting needs twenty rows, and these are records."""
    first, second = np.repeat([0, 1, 2], 100), np.tile([0, 1, 2], 100)
    counts = counted({"first": first, "second": second, "y": np.where(second == 1, "a", "b")})
    estimates = space_of(counts).estimates[np.arange(9), (counts.tuples[:, 1] != 1).astype(int)]
    assert (estimates > 0.9).all()


def test_a_tuple_of_many_records_speaks_for_itself() -> None:
    """Otherwise each of two tuples would get the label of the other."""
    few, many = (counted({"at": [0, 1] * each, "y": ["a", "b"] * each}) for each in (49, 50))
    assert np.diag(space_of(few).estimates) == pytest.approx(0.5)
    assert (np.diag(space_of(many).estimates) > 0.9).all()


def test_teachers_see_labels_that_some_folds_lack() -> None:
    counts = counted({"age": list(range(60)), "y": ["rare", *["a", "b"] * 29, "a"]})
    estimates = space_of(counts, DummyClassifier(strategy="prior")).estimates
    assert estimates.shape == (60, 3)
    assert (estimates[0, 2], estimates[-1, 2] < 0.1) == (pytest.approx(0, abs=1e-3), True)


@pytest.mark.parametrize(
    ("teacher", "label", "must"),
    [
        (RidgeClassifier(), ["a", "b"], "a classifier that predicts probabilities"),
        (LinearRegression(), ["a", "b"], "a classifier that predicts probabilities"),
        (LogisticRegression(), [0.5, 1.5], "a regressor where the target holds numbers"),
        (len, ["a", "b"], "a classifier"),
        (len, [0.5, 1.5], "a regressor"),
    ],
)
def test_a_teacher_that_cannot_say_what_is_asked_is_refused(teacher: Any, label: list[Any], must: str) -> None:
    table = training_table(counted({"age": [1, 2], "y": label}), "Hedge")
    with pytest.raises(BadInput, match=f"The 'teacher' parameter of Hedge must be 'boosting' or {must}"):
        check_teacher(table, teacher, "Hedge")


def test_what_a_teacher_cannot_do_is_said_without_its_words() -> None:
    """They may quote values of the table."""
    counts = counted({"age": [1, 2, 3, 4], "y": ["a", "b", "a", "b"]})
    with pytest.raises(
        BadInput, match=r"^The teacher KNeighborsClassifier cannot learn from a part of this table\. "
    ) as refusal:
        space_of(counts, KNeighborsClassifier(9))
    assert refusal.value.__context__ is None


# The order of categories


def test_categories_are_ordered_by_what_they_add() -> None:
    """By hand: ``c`` adds nothing, ``a`` one and ``b`` two; a missing one comes last."""
    worth = {"a": 1.0, "b": 2.0, "c": 0.0, None: 9.0}
    jobs: list[str | None] = ["a", "b", "c", None] * 60
    counts = counted({"job": jobs, "at": np.arange(240) % 30, "y": [worth[job] + 0.5 for job in jobs]})
    assert order_by_teacher(counts, 0, space_of(counts)).tolist() == [1, 2, 0, 3]


def test_categories_that_add_the_same_stay_in_their_order() -> None:
    counts = counted({"job": JOBS, "y": ["a"] * 240})
    assert order_by_teacher(counts, 0, space_of(counts)).tolist() == [0, 1, 2]


def test_several_labels_order_categories_along_their_main_direction() -> None:
    jobs = ["a"] * 60 + ["b"] * 60 + ["c"] * 60
    label = ["x"] * 50 + ["y"] * 10 + ["z"] * 50 + ["y"] * 10 + ["x", "z"] * 25 + ["y"] * 10
    order = order_by_teacher(
        counts := counted({"job": jobs, "at": np.arange(180) % 45, "y": label}), 0, space_of(counts)
    )
    assert order[2] == 1  # between the two
