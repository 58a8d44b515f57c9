"""The score of candidates, label margins, and the choice among candidates."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from counted import counted

from hedgerow import KAnonymity
from hedgerow.anonymizers.partition import _hedge_candidates as candidates
from hedgerow.anonymizers.partition._hedge_candidates import HedgeOptions, Scorer, best_candidate, with_label_margins
from hedgerow.anonymizers.partition._hedge_groups import cut_boxes
from hedgerow.anonymizers.partition._hedge_teacher import teach, training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding, Shown, publish_groups

CHANCE = np.random.default_rng(0)
INFORMATIVE = CHANCE.choice(list("ab"), 300)
RANDOM = CHANCE.choice(list("cdefghij"), 300)


def scorer_of(counts: FrequencyTable, support: int = 10) -> Scorer:
    table = training_table(counts, "Hedge")
    return Scorer(counts, table, teach(counts, table, "boosting", 3, 0), support, 0)


def kept(counts: FrequencyTable, column: int | None) -> Recoding:
    """Groups are the values of one column, and publish the sets of the others; or all people are one group."""
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


# The score


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_keeping_the_informative_column_scores_higher_than_hiding_it(kind: str) -> None:
    known = INFORMATIVE == "a"
    label = np.where(known, 1.5, 4.25) if kind == "numbers" else np.where(known, "no", "yes")
    counts = counted({"informative": INFORMATIVE, "random": RANDOM, "y": label})
    scorer = scorer_of(counts, support=30)
    keeps, hides = scorer.score(kept(counts, 0)), scorer.score(kept(counts, 1))
    assert keeps > hides + 0.2
    best = 0.0 if kind == "numbers" else 1.0
    assert keeps == pytest.approx(best, abs=0.05)


def test_rows_are_drawn_from_the_published_proportions() -> None:
    """With a support of all people, a class publishes only its set; with a support of 1, its exact values."""
    counts = counted({"informative": INFORMATIVE, "random": ["c"] * 299 + ["d"], "y": ["no", "yes"] * 150})
    coarse, exact = (scorer_of(counts, support)._drawn(kept(counts, 0))[0][:, 1] for support in (150, 1))
    assert exact.sum() == 1
    assert coarse.shape == exact.shape == (300,)


def test_a_single_label_scores_zero() -> None:
    counts = counted({"informative": INFORMATIVE, "y": ["no"] * 300})
    assert scorer_of(counts).score(kept(counts, 0)) == 0.0


# Label margins


def test_only_columns_that_add_to_the_class_have_label_margins() -> None:
    """One group of all people: the label is known by the first column, and the second knows nothing of it."""
    label = np.where((INFORMATIVE == "a") ^ (np.arange(300) % 10 == 0), "no", "yes")
    counts = counted({"informative": INFORMATIVE, "random": RANDOM, "y": label})
    published = with_label_margins(scorer_of(counts), kept(counts, None), np.zeros((1, 1), dtype=np.int64))
    assert published.by_label is not None
    assert published.by_label.strengths[0] >= 0.75
    assert published.by_label.strengths[1] == 0


def test_a_column_that_its_classes_determine_has_no_label_margins() -> None:
    """The groups are the values of the column that determines the label, so margins add nothing."""
    label = np.where(INFORMATIVE == "a", "no", "yes")
    counts = counted({"informative": INFORMATIVE, "random": RANDOM, "y": label})
    published = with_label_margins(scorer_of(counts), kept(counts, 0), np.zeros((1, 2), dtype=np.int64))
    assert published.by_label is not None
    assert not published.by_label.strengths.any()


def test_a_duplicate_column_does_not_count_twice() -> None:
    label = np.where((INFORMATIVE == "a") ^ (np.arange(300) % 5 == 0), "no", "yes")
    counts = counted({"informative": INFORMATIVE, "again": INFORMATIVE, "random": RANDOM, "y": label})
    published = with_label_margins(scorer_of(counts), kept(counts, None), np.zeros((1, 1), dtype=np.int64))
    assert published.by_label is not None
    assert published.by_label.strengths.sum() == pytest.approx(1, abs=0.25)


# Candidates


def options(
    counts: FrequencyTable, shape: Literal["auto", "box", "axis"] = "auto", support: int | None = 5
) -> HedgeOptions:
    shown: list[Shown] = ["set" for _ in counts.quasi]
    return HedgeOptions("hedge", shape, shown, "boosting", 3, support, True, 0)


@pytest.fixture
def counts() -> FrequencyTable:
    label = np.where((INFORMATIVE == "a") ^ (np.arange(300) % 10 == 0), "no", "yes")
    return counted({"informative": INFORMATIVE, "random": RANDOM, "at": np.arange(300) % 40, "y": label})


def test_without_proportions_no_candidate_is_scored(counts: FrequencyTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> float:
        raise AssertionError("scored")

    monkeypatch.setattr(Scorer, "score", refuse)
    for shape, tree in (("auto", "space"), ("box", "space"), ("axis", "axes")):
        recoding = best_candidate(options(counts, shape, None), counts, [KAnonymity(5)])  # type: ignore[arg-type]  # a word
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

    def score(_: Scorer, recoding: Recoding) -> float:
        seen.append(recoding.facts["groups by"])
        return float(len(seen))

    monkeypatch.setattr(Scorer, "score", score)
    best = best_candidate(options(counts, shape, support), counts, [KAnonymity(5)])
    assert seen == tried
    assert best.facts["groups by"] == tried[-1]


def test_label_margins_need_a_large_support(counts: FrequencyTable) -> None:
    few = best_candidate(options(counts, support=49), counts, [KAnonymity(49)])
    assert few.by_label is None
    maker = candidates._CandidateMaker(
        options(counts, support=60),
        counts,
        [KAnonymity(60)],
        training_table(counts, "Hedge"),
        scorer_of(counts).teacher_space,
    )
    published = maker.with_margins(scorer_of(counts, 60), maker.boxes("space"))
    assert published.by_label is not None
    levels = published.by_label.regions
    assert levels.shape[1] == len(published.groups)
    assert len(levels) > 1
    # Numbered through all levels, each of which has more regions than the one before.
    assert np.unique(levels).tolist() == list(range(int(levels.max()) + 1))
    assert (np.diff([len(np.unique(level)) for level in levels]) > 0).all()


@pytest.mark.parametrize(("support", "k", "fewest"), [(5, 5, None), (60, 60, 60), (60, 5, 15)])
def test_every_tree_is_tried_with_and_without_label_margins(
    counts: FrequencyTable, support: int, k: int, fewest: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With label margins, groups may be three times as large, because there may still be twenty of them."""
    seen: list[tuple[str, bool]] = []
    sizes: list[int] = []

    def score(_: Scorer, recoding: Recoding) -> float:
        seen.append((recoding.facts["groups by"], recoding.by_label is not None))
        if recoding.by_label is not None:
            sizes.append(int(recoding.sizes.min()))
        return 0.5

    monkeypatch.setattr(Scorer, "score", score)
    best_candidate(options(counts, support=support), counts, [KAnonymity(k)])
    ways = (False,) if fewest is None else (False, True)
    assert sorted(seen) == [(tree, way) for tree in ("label", "space", "teacher") for way in ways]
    assert all(fewest is not None and fewest <= size for size in sizes)


def test_larger_classes_are_larger(counts: FrequencyTable) -> None:
    maker = candidates._CandidateMaker(
        options(counts), counts, [KAnonymity(5)], training_table(counts, "Hedge"), scorer_of(counts).teacher_space
    )
    assert maker.boxes("space").sizes.min() < 50 <= maker.boxes("space", 10).sizes.min()


def test_categories_are_cut_in_the_order_of_what_they_mean() -> None:
    """The first and the last letter mean the same: in their own order no cut could part both from the middle."""
    letter = np.array(["a"] * 80 + ["b"] * 140 + ["c"] * 80)
    label = np.where((letter == "b") ^ (np.arange(300) % 10 == 0), "no", "yes")
    some = counted({"letter": letter, "at": np.arange(300) % 9, "y": label}, weights={"at": 0})
    recoding = best_candidate(options(some), some, [KAnonymity(100)])
    assert {recoding.columns[0].texts[value] for value in recoding.groups[:, 0]} == {"{a|c}", "b"}
