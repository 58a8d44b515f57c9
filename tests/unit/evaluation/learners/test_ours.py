"""Hedgerow's classifiers as learners: published cells, plain columns, and test rows that training never saw."""

from __future__ import annotations

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.evaluation.learners._ours import C45, ID3, KADET
from hedgerow.evaluation.learners.base import Learner, Prediction
from hedgerow.learning import C45Classifier, GeneralizedID3Classifier, KADETClassifier

EVERY = pytest.mark.parametrize("learner", [C45(), ID3(), KADET(k=3)], ids=lambda one: one.name)

RAW = pa.table({"age": [20, 25, 30, 35, 60, 65, 70, 75] * 4, "sex": ["F", "M"] * 16})
PUBLISHED = pa.table({"age": ["[20,40)"] * 4 + ["[60,80]"] * 4, "sex": ["F", "M", "{F|M}", "*"] * 2})
OLD = pa.array((["young"] * 4 + ["old"] * 4) * 4)
OLD_PUBLISHED = pa.array(["young"] * 4 + ["old"] * 4)


def learnt(learner: Learner, train: Any, target: Any, test: Any, **given: Any) -> Prediction:
    return learner.fit(train, target, task="classes", random_state=0, **given).predict(test)


@EVERY
def test_raw_rows(learner: Learner) -> None:
    found = learnt(learner, RAW, OLD, pa.table({"sex": ["F", "F"], "age": [22, 71]}))
    assert found.labels == ("old", "young")
    assert found.predicted.tolist() == ["young", "old"]
    assert found.probabilities.sum(axis=1) == pytest.approx(1)


@EVERY
def test_numbers_as_text_are_numbers(learner: Learner) -> None:
    text = RAW.set_column(0, "age", RAW["age"].cast(pa.string()))
    for test in (pa.table({"age": ["22", "71"], "sex": ["F", "M"]}), pa.table({"age": [22, 71], "sex": ["F", "M"]})):
        assert learnt(learner, text, OLD, test).predicted.tolist() == ["young", "old"]
        assert learnt(learner, RAW, OLD, test).predicted.tolist() == ["young", "old"]


@EVERY
def test_test_rows_that_tell_nothing(learner: Learner) -> None:
    """A cell that cannot be read is missing, and stops nothing."""
    strange = pa.table({"age": ["Europe", "*", None, "x"], "sex": ["M", "D", "*", None]})
    found = learnt(learner, RAW, OLD, strange)
    assert found.probabilities == pytest.approx(np.full((4, 2), 0.5))
    assert learnt(learner, RAW, OLD, pa.table({"age": [True], "sex": [1]})).probabilities.shape == (1, 2)


@EVERY
def test_unusual_training_rows(learner: Learner) -> None:
    table = RAW.append_column("none", pa.nulls(32)).append_column("nan", pa.array([np.nan, np.inf] * 16))
    table = table.append_column("stars", pa.array(["*"] * 32)).append_column("true", pa.array([True, None] * 16))
    assert learnt(learner, table, OLD, table).predicted.tolist() == OLD.to_pylist()
    one = learnt(learner, RAW.slice(0, 1), pa.array(["young"]), RAW)
    assert one.predicted.tolist() == ["young"] * 32


@EVERY
def test_texts_that_mean_no_value(learner: Learner) -> None:
    text = pa.table({"age": ["?" if age == 35 else str(age) for age in RAW["age"].to_pylist()], "sex": RAW["sex"]})
    found = learnt(learner, text, OLD, pa.table({"age": ["22", "71", "?"], "sex": ["F", "M", "?"]}), missing=["?"])
    assert found.predicted.tolist()[:2] == ["young", "old"]


@EVERY
def test_a_learner_travels_to_another_process(learner: Learner) -> None:
    copy = pickle.loads(pickle.dumps(learner))
    assert copy == learner
    assert learnt(copy, RAW, OLD, RAW).probabilities.tolist() == learnt(learner, RAW, OLD, RAW).probabilities.tolist()


def test_the_labels_of_all_rows_follow_the_columns_of_probabilities() -> None:
    target = pa.array(["z", "m", "a", "m"] * 8)
    table = pa.table({"x": ["1", "2", "3", "2"] * 8})
    for learner in (C45(), ID3(), KADET(k=2)):
        found = learnt(learner, table, target, pa.table({"x": ["1", "2", "3"]}))
        assert found.labels == ("a", "m", "z")
        assert found.predicted.tolist() == ["z", "m", "a"]


# C4.5


def test_sets_and_intervals_are_shares() -> None:
    test = pa.table({"age": [30, 70], "sex": ["F", "M"]})
    expected = C45Classifier(fractional=True).fit(PUBLISHED, OLD_PUBLISHED.to_pylist()).predict_proba(test)
    found = learnt(C45(), PUBLISHED, OLD_PUBLISHED, test)
    assert found.probabilities.tolist() == expected.tolist()
    assert found.predicted.tolist() == ["young", "old"]
    # As categories the intervals would say nothing of a number.
    as_categories = learnt(C45(fractional=False), PUBLISHED, OLD_PUBLISHED, test)
    assert as_categories.probabilities.tolist() == [[0.5, 0.5]] * 2


@pytest.mark.parametrize(
    ("cells", "fractional"),
    [
        (["{a|b}", "a"], True),
        (["{a}", "b"], False),
        (["*", "a"], False),
        (["[20,30)", "40"], True),
        (["[20,30)", "*"], True),
        (["≥20", "7"], True),
        (["[20,30)", "Europe"], False),  # a label like any other
        (["20", "30"], False),
        (["{a|b}", "x"], True),
        ([20.0, 30.0], False),
    ],
)
def test_cells_are_shared_only_where_some_are_generalized(cells: list[Any], fractional: bool) -> None:
    table = pa.table({"other": [1, 2] * 4, "x": cells * 4})
    fitted: Any = C45().fit(table, pa.array(["p", "q"] * 4), task="classes", random_state=0)
    assert fitted.model.fractional is fractional
    named: Any = C45().fit(table, pa.array(["p", "q"] * 4), task="classes", random_state=0, missing=["{a|b}"])
    assert named.model.fractional is (fractional and "{a|b}" not in cells)


def test_suppressed_alone_is_missing_as_it_is_to_j48() -> None:
    starred, null = (pa.table({"x": ["a"] * 4 + ["b"] * 3 + [cell]}) for cell in ("*", None))
    target = pa.array(["p"] * 4 + ["q"] * 4)
    expected = C45Classifier().fit(null, target.to_pylist()).predict_proba(null)
    assert learnt(C45(), starred, target, starred).probabilities.tolist() == expected.tolist()


def test_parameters_of_c45_reach_it() -> None:
    fitted: Any = C45(confidence=0.1, min_objects=3, pruned=False).fit(RAW, OLD, task="classes", random_state=0)
    assert (fitted.model.confidence, fitted.model.min_objects, fitted.model.pruned) == (0.1, 3, False)
    with pytest.raises(BadInput, match="'confidence' parameter of C45Classifier"):
        C45(confidence=2).fit(RAW, OLD, task="classes", random_state=0)


# ID3


@pytest.mark.parametrize("given", [{}, {"entropy": "own"}, {"assign": "frequent"}, {"fractional": True}])
def test_id3_reads_published_cells(given: dict[str, Any]) -> None:
    test = pa.table({"age": ["30", "[60,80]"], "sex": ["F", "{F|M}"]})
    model = GeneralizedID3Classifier(**given, random_state=0, missing=())
    expected = model.fit(PUBLISHED, OLD_PUBLISHED.to_pylist()).predict_proba(test)
    assert learnt(ID3(**given), PUBLISHED, OLD_PUBLISHED, test).probabilities.tolist() == expected.tolist()


def test_the_seed_decides_what_is_drawn() -> None:
    generator = np.random.default_rng(0)
    table = pa.table({"x": generator.choice(["a", "b", "c", "{a|b}", "{b|c}", "*"], 200)})
    target = pa.array(generator.choice(["p", "q"], 200))
    learner = ID3(entropy="random")
    found = {
        str(learner.fit(table, target, task="classes", random_state=seed).predict(table).probabilities.tolist())
        for seed in (1, 1, 2)
    }
    assert len(found) == 2


def test_hierarchies_read_labels() -> None:
    towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    table = pa.table({"town": ["Germany"] * 3 + ["France"] * 3})
    found = learnt(ID3(hierarchies={"town": towns}), table, pa.array(list("bbbwww")), pa.table({"town": ["Köln"]}))
    assert found.predicted.tolist() == ["b"]


def test_files_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    file = tmp_path / "town.csv"
    file.write_text("Bonn;*\n")
    learner = KADET(hierarchies={"town": str(file), "age": "intervals:10"})
    before = learner.spelled()
    assert before["hierarchies"]["age"] == "intervals:10"
    file.write_text("Bonn;Europe;*\n")
    assert learner.spelled() != before
    release = hr.anonymize(
        RAW.append_column("old", OLD), hr.Schema(quasi=["age", "sex"], target="old"), k=4, publish_proportions=True
    )
    with_proportions = ID3(proportions=release.proportions).spelled()
    assert with_proportions == ID3(proportions=release.proportions).spelled() != ID3().spelled()


# kADET


def test_kadet_finds_unseen_towns_in_the_hierarchy() -> None:
    towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice", "Paris"]}}
    table = pa.table({"town": ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice", *["*"] * 3]})
    target = pa.array(["beer"] * 3 + ["wine"] * 6)
    found = learnt(KADET(k=3, hierarchies={"town": towns}), table, target, pa.table({"town": ["Paris", "Bonn"]}))
    assert found.predicted.tolist() == ["wine", "beer"]


def test_kadet_on_plain_columns_is_the_classifier() -> None:
    model = KADETClassifier(k=4).fit(RAW, OLD.to_pylist())
    assert learnt(KADET(k=4), RAW, OLD, RAW).probabilities.tolist() == model.predict_proba(RAW).tolist()


def test_kadet_needs_k_records() -> None:
    with pytest.raises(BadInput, match="fewer than k = 50"):
        KADET(k=50).fit(RAW, OLD, task="classes", random_state=0)


def test_kadet_keeps_dates_for_their_hierarchy() -> None:
    born = [dt.date(1950 + 40 * (at % 2), 1 + at, 1) for at in range(8)]
    table = pa.table({"born": born})
    target = pa.array(["old", "young"] * 4)
    test = pa.table({"born": [dt.date(1950, 2, 2), dt.date(1990, 1, 3)]})
    found = learnt(KADET(k=2, hierarchies={"born": "dates"}), table, target, test)
    expected = KADETClassifier(k=2, hierarchies={"born": "dates"}).fit(table, target.to_pylist()).predict_proba(test)
    assert found.probabilities.tolist() == expected.tolist()
    assert found.predicted.tolist() == ["old", "young"]
