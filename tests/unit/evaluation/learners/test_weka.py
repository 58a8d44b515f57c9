"""What reaches Weka, and what is said where it is not there; tests/conformance runs the real one."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput, MissingExtra
from hedgerow.evaluation.learners.columns import Columns
from hedgerow.evaluation.learners.weka import J48, PART, WekaLearner, WekaLogistic, WekaNaiveBayes, write_rows

TRAIN = pa.table({"it's": ["1.5", "*", "2"], "{town}": ["'Bonn", "Lyon,", None], "none": pa.nulls(3)})
TEST = pa.table({"none": ["x"], "{town}": ["Paris"], "it's": ["x"]})

EVERY = pytest.mark.parametrize("learner", [J48(), PART(), WekaNaiveBayes(), WekaLogistic()], ids=lambda one: one.name)


def written(table: pa.Table, codes: list[int], folder: Path) -> list[str]:
    path = folder / "rows.arff"
    write_rows(path, Columns.of(TRAIN).read(table), ("no'", "yes"), np.array(codes, np.int32))
    return path.read_text(encoding="utf-8").splitlines()


def test_rows_are_written_without_any_text_of_the_table(tmp_path: Path) -> None:
    head = [
        "@relation 'rows'",
        "",
        "@attribute 'a0' numeric",
        "@attribute 'a1' {'v0','v1'}",
        "@attribute 'a2' numeric",
        "@attribute 'a3' {'v0','v1'}",
        "",
        "@data",
    ]
    assert written(TRAIN, [1, 0, 1], tmp_path) == [*head, "1.5,'v0',?,'v1'", "?,'v1',?,'v0'", "2,?,?,'v1'"]
    assert written(TEST, [-1], tmp_path) == [*head, "?,?,?,?"]


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (J48(), ["-C", "0.25", "-M", "2"]),
        (J48(min_objects=5, confidence=0.1, laplace=True), ["-C", "0.1", "-M", "5", "-A"]),
        (J48(pruned=False), ["-U", "-M", "2"]),
        (PART(min_objects=3), ["-C", "0.25", "-M", "3"]),
        (WekaNaiveBayes(), []),
        (WekaNaiveBayes(numbers="kernel"), ["-K"]),
        (WekaNaiveBayes(numbers="discretize"), ["-D"]),
        (WekaLogistic(), ["-R", "1e-08", "-M", "-1"]),
        (WekaLogistic(ridge=1, max_iter=20), ["-R", "1.0", "-M", "20"]),
    ],
)
def test_parameters_as_weka_takes_them(learner: WekaLearner, options: list[str]) -> None:
    assert learner._options() == options


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (J48, {"confidence": 0.6}, "'confidence' parameter of J48 must be a number above 0 and at most 0.5"),
        (J48, {"confidence": True}, "'confidence'"),
        (J48, {"min_objects": 0}, "'min_objects' parameter of J48 must be an int >= 1"),
        (PART, {"min_objects": 1.5}, "'min_objects' parameter of PART"),
        (WekaNaiveBayes, {"numbers": "bins"}, "'normal' or 'kernel' or 'discretize'. Got 'bins'"),
        (WekaLogistic, {"ridge": -1}, "'ridge' parameter of WekaLogistic must be a number >= 0"),
        (WekaLogistic, {"max_iter": 0}, "an int >= 1 or None"),
    ],
)
def test_wrong_parameters(kind: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        kind(**given)


@EVERY
def test_a_learner_travels_to_another_process(learner: WekaLearner) -> None:
    assert pickle.loads(pickle.dumps(learner)) == learner


@EVERY
def test_one_class_needs_no_weka(learner: WekaLearner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = learner.fit(TRAIN, pa.array(["yes"] * 3), task="classes", random_state=0).predict(TEST)
    assert found.predicted.tolist() == ["yes"]


@EVERY
def test_without_weka_the_line_that_installs_it_is_named(learner: WekaLearner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"python-weka-wrapper3.*pip install 'hedgerow\[weka\]'"):
        learner.fit(TRAIN, pa.array(["yes", "no", "no"]), task="classes", random_state=0)


@EVERY
def test_without_java_what_does_without_is_named(
    learner: WekaLearner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "there")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match=f"The learner '{learner.name}' needs Java.*{learner.instead}"):
        learner.fit(TRAIN, pa.array(["yes", "no", "no"]), task="classes", random_state=0)
