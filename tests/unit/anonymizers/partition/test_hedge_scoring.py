"""The rehearsal, what is told by label, and the choice among candidates."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from counted import counted

from hedgerow import KAnonymity
from hedgerow.anonymizers.partition import _hedge_candidates as candidates
from hedgerow.anonymizers.partition._hedge_candidates import Asked, Rehearsal, best_candidate, told_by_label
from hedgerow.anonymizers.partition._hedge_groups import cut_boxes
from hedgerow.anonymizers.partition._hedge_teacher import table_of, taught
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding, Shown, publish_groups

CHANCE = np.random.default_rng(0)
TELLING = CHANCE.choice(list("ab"), 300)
SILENT = CHANCE.choice(list("cdefghij"), 300)


def rehearsal_of(counts: FrequencyTable, support: int = 10) -> Rehearsal:
    table = table_of(counts, "Hedge")
    return Rehearsal(counts, table, taught(counts, table, "boosting", 3, 0), support, 0)


def kept(counts: FrequencyTable, column: int | None) -> Recoding:
    """The groups are the values of one column, of the others they tell all; or all people are one group."""
    codes = counts.tuples[:, 0 if column is None else column].astype(np.float64)
    points = (codes if column is not None else codes * 0)[:, None]
    orders = [np.arange(counts.domains[name].size, dtype=np.int32) for name in counts.quasi]
    least = 20 if column is not None else counts.rows
    pieces = cut_boxes(counts, [KAnonymity(least)], orders, points).pieces
    shown: list[Shown] = ["set" for _ in counts.quasi]
    if column is not None:
        pieces = type(pieces).whole(counts.tuples[counts.cell_tuple, column].astype(np.int32), counts.cell_sizes)
    columns, groups = publish_groups(counts, pieces, int(pieces.group.max()) + 1, shown)
    return Recoding("test", counts.quasi, columns, groups, pieces.sizes(len(groups)), pieces)


# The rehearsal


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_who_keeps_what_tells_scores_higher_than_who_hides_it(kind: str) -> None:
    known = TELLING == "a"
    label = np.where(known, 1.5, 4.25) if kind == "numbers" else np.where(known, "no", "yes")
    counts = counted({"telling": TELLING, "silent": SILENT, "y": label})
    rehearsal = rehearsal_of(counts, support=30)
    keeps, hides = rehearsal.score(kept(counts, 0)), rehearsal.score(kept(counts, 1))
    assert keeps > hides + 0.2
    best = 0.0 if kind == "numbers" else 1.0
    assert keeps == pytest.approx(best, abs=0.05)


def test_rows_are_drawn_from_what_is_told() -> None:
    """With a support of all people a class tells nothing but its set; with that of one, its values as they are."""
    counts = counted({"telling": TELLING, "silent": ["c"] * 299 + ["d"], "y": ["no", "yes"] * 150})
    coarse, exact = (rehearsal_of(counts, support)._drawn(kept(counts, 0))[0][:, 1] for support in (150, 1))
    assert exact.sum() == 1
    assert coarse.shape == exact.shape == (300,)


def test_one_label_is_nothing_to_rehearse() -> None:
    counts = counted({"telling": TELLING, "y": ["no"] * 300})
    assert rehearsal_of(counts).score(kept(counts, 0)) == 0.0


# What is told by label


def test_only_columns_that_say_more_than_the_class_are_told_by_label() -> None:
    """One group of all people: the label is known by the first column, and the second knows nothing of it."""
    label = np.where((TELLING == "a") ^ (np.arange(300) % 10 == 0), "no", "yes")
    counts = counted({"telling": TELLING, "silent": SILENT, "y": label})
    told = told_by_label(rehearsal_of(counts), kept(counts, None), np.zeros((1, 1), dtype=np.int64))
    assert told.by_label is not None
    assert told.by_label.strengths[0] >= 0.75
    assert told.by_label.strengths[1] == 0


def test_what_the_class_says_is_not_told_by_label() -> None:
    """The groups are the values of the column that knows the label, so that nothing is left to tell."""
    label = np.where(TELLING == "a", "no", "yes")
    counts = counted({"telling": TELLING, "silent": SILENT, "y": label})
    told = told_by_label(rehearsal_of(counts), kept(counts, 0), np.zeros((1, 2), dtype=np.int64))
    assert told.by_label is not None
    assert not told.by_label.strengths.any()


def test_a_column_that_is_there_twice_is_not_told_twice_as_strongly() -> None:
    label = np.where((TELLING == "a") ^ (np.arange(300) % 5 == 0), "no", "yes")
    counts = counted({"telling": TELLING, "again": TELLING, "silent": SILENT, "y": label})
    told = told_by_label(rehearsal_of(counts), kept(counts, None), np.zeros((1, 1), dtype=np.int64))
    assert told.by_label is not None
    assert told.by_label.strengths.sum() == pytest.approx(1, abs=0.25)


# Candidates


def asked(counts: FrequencyTable, shape: Literal["auto", "box", "axis"] = "auto", support: int | None = 5) -> Asked:
    shown: list[Shown] = ["set" for _ in counts.quasi]
    return Asked("hedge", shape, shown, "boosting", 3, support, True, 0)


@pytest.fixture
def counts() -> FrequencyTable:
    label = np.where((TELLING == "a") ^ (np.arange(300) % 10 == 0), "no", "yes")
    return counted({"telling": TELLING, "silent": SILENT, "at": np.arange(300) % 40, "y": label})


def test_without_proportions_there_is_nothing_to_rehearse(
    counts: FrequencyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> float:
        raise AssertionError("rehearsed")

    monkeypatch.setattr(Rehearsal, "score", refuse)
    for shape, tree in (("auto", "space"), ("box", "space"), ("axis", "axes")):
        recoding = best_candidate(asked(counts, shape, None), counts, [KAnonymity(5)])  # type: ignore[arg-type]  # a word
        assert recoding.facts["groups by"] == tree
        assert recoding.by_label is None


@pytest.mark.parametrize(
    ("shape", "support", "tried"),
    [
        ("box", 5, ["space", "teacher", "label"]),
        ("auto", 5, ["space", "teacher", "label"]),
        ("auto", 1, ["space", "teacher", "label", "axes"]),
        ("axis", 5, ["axes"]),
    ],
)
def test_the_shape_that_is_asked_for_is_tried(
    counts: FrequencyTable, shape: Any, support: int, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the candidate with the highest score is taken."""
    seen: list[str] = []

    def score(_: Rehearsal, recoding: Recoding) -> float:
        seen.append(recoding.facts["groups by"])
        return float(len(seen))

    monkeypatch.setattr(Rehearsal, "score", score)
    best = best_candidate(asked(counts, shape, support), counts, [KAnonymity(5)])
    assert seen == tried
    assert best.facts["groups by"] == tried[-1]


def test_columns_are_told_by_label_only_where_shares_are_of_many(counts: FrequencyTable) -> None:
    few = best_candidate(asked(counts, support=49), counts, [KAnonymity(49)])
    assert few.by_label is None
    making = candidates._Making(
        asked(counts, support=60), counts, [KAnonymity(60)], table_of(counts, "Hedge"), rehearsal_of(counts).lesson
    )
    told = making.told(rehearsal_of(counts, 60), making.boxes("space"))
    assert told.by_label is not None
    levels = told.by_label.regions
    assert levels.shape[1] == len(told.groups)
    assert len(levels) > 1
    # Numbered through all levels, each of which has more regions than the one before.
    assert np.unique(levels).tolist() == list(range(int(levels.max()) + 1))
    assert (np.diff([len(np.unique(level)) for level in levels]) > 0).all()


@pytest.mark.parametrize(("support", "k", "fewest"), [(5, 5, None), (60, 60, 60), (60, 5, 15)])
def test_every_tree_is_tried_as_it_is_and_told(
    counts: FrequencyTable, support: int, k: int, fewest: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are told of may be three times as large: then there may still be twenty of them."""
    seen: list[tuple[str, bool]] = []
    told: list[int] = []

    def score(_: Rehearsal, recoding: Recoding) -> float:
        seen.append((recoding.facts["groups by"], recoding.by_label is not None))
        if recoding.by_label is not None:
            told.append(int(recoding.sizes.min()))
        return 0.5

    monkeypatch.setattr(Rehearsal, "score", score)
    best_candidate(asked(counts, support=support), counts, [KAnonymity(k)])
    ways = (False,) if fewest is None else (False, True)
    assert sorted(seen) == [(tree, way) for tree in ("label", "space", "teacher") for way in ways]
    assert all(fewest is not None and fewest <= size for size in told)


def test_larger_classes_are_larger(counts: FrequencyTable) -> None:
    making = candidates._Making(
        asked(counts), counts, [KAnonymity(5)], table_of(counts, "Hedge"), rehearsal_of(counts).lesson
    )
    assert making.boxes("space").sizes.min() < 50 <= making.boxes("space", 10).sizes.min()


def test_categories_are_cut_in_the_order_of_what_they_mean() -> None:
    """The first and the last letter mean the same: in their own order no cut could part both from the middle."""
    letter = np.array(["a"] * 80 + ["b"] * 140 + ["c"] * 80)
    label = np.where((letter == "b") ^ (np.arange(300) % 10 == 0), "no", "yes")
    some = counted({"letter": letter, "at": np.arange(300) % 9, "y": label}, weights={"at": 0})
    recoding = best_candidate(asked(some), some, [KAnonymity(100)])
    assert {recoding.columns[0].texts[value] for value in recoding.groups[:, 0]} == {"{a|c}", "b"}
