"""What all learners share: the checks before they learn, predictions, and how a learner is spelled out."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from hedgerow import BadInput, HedgerowError
from hedgerow.evaluation.learners.base import Constant, Fitted, Learner, Prediction, Training, as_json
from hedgerow.hierarchies import taxonomy

TABLE = pa.table({"x": [1, 2, 3, 4]})


@dataclass(frozen=True, kw_only=True)
class Frequent(Learner):
    """Answers every row with what is frequent in training."""

    name = "frequent"
    tasks = frozenset({"classes", "numbers"})

    least: int = 3
    words: tuple[str, ...] = ("a", "b")

    def _fit(self, training: Training) -> Fitted:
        return training.constant()


class OnlyClasses(Frequent):
    tasks = frozenset({"classes"})

    def _fit(self, training: Training) -> Fitted:
        raise AssertionError("nothing is learnt from one class")


def test_probabilities_follow_the_sorted_labels() -> None:
    target = pa.chunked_array([["b", "a"], ["b", "b"]])
    answer = Frequent().fit(TABLE, target, task="classes", random_state=0).predict(TABLE.slice(0, 2))
    assert answer.labels == ("a", "b")
    assert answer.probabilities.tolist() == [[0.25, 0.75]] * 2
    assert answer.predicted.tolist() == ["b", "b"]
    assert answer.values.size == 0


def test_categories_are_a_target_too() -> None:
    target = pa.array(["b", "a", "b", "b"]).dictionary_encode()
    fitted = Frequent().fit(TABLE, target, task="classes", random_state=0)
    assert fitted.predict(TABLE).labels == ("a", "b")


def test_numbers() -> None:
    answer = Frequent().fit(TABLE, pa.array([1.0, 2, 3, 6]), task="numbers", random_state=0).predict(TABLE)
    assert answer.values.tolist() == answer.predicted.tolist() == [3.0] * 4
    assert answer.labels == ()


@pytest.mark.parametrize("label", ["", "only"])
def test_one_class_is_predicted_without_learning(label: str) -> None:
    answer = OnlyClasses().fit(TABLE, pa.array([label] * 4), task="classes", random_state=0).predict(TABLE)
    assert answer.labels == (label,)
    assert answer.probabilities.tolist() == [[1.0]] * 4
    assert answer.predicted.tolist() == [label] * 4


@pytest.mark.parametrize(
    ("table", "target", "task", "message"),
    [
        (TABLE, pa.array([1.0] * 4), "numbers", "'frequent' does not learn numbers, only classes"),
        (TABLE.slice(0, 0), pa.array([], pa.string()), "classes", "no rows or no columns"),
        (TABLE.select([]), pa.array(["a"]), "classes", "no rows or no columns"),
        (TABLE, pa.array(["a", "b"]), "classes", "one value for each of the 4 training rows"),
        (TABLE, pa.array(["a", "b", None, None]), "classes", "missing in 2 training rows"),
    ],
)
def test_what_cannot_be_learnt_is_refused(table: Any, target: Any, task: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        OnlyClasses().fit(table, target, task=task, random_state=0)


def test_a_target_must_be_finite() -> None:
    with pytest.raises(BadInput, match="NaN or infinite"):
        Frequent().fit(TABLE, pa.array([1.0, 2, 3, float("inf")]), task="numbers", random_state=0)


def test_there_must_be_rows_to_predict() -> None:
    with pytest.raises(BadInput, match="no rows to predict"):
        Constant(Prediction.of_numbers(np.ones(1))).predict(TABLE.slice(0, 0))


def test_shares_are_brought_to_one_and_a_row_without_any_is_even() -> None:
    answer = Prediction.of_classes(("a", "b"), np.array([[1.0, 3.0], [0.0, 0.0]]))
    assert answer.probabilities.tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_ties_go_to_the_earlier_label_also_after_rounding() -> None:
    third = 0.1 + 0.2
    answer = Prediction.of_classes(("a", "b", "c"), np.array([[0.3, third, 0.4 - 1e-8], [0.3, third, 0.1]]))
    assert answer.predicted.tolist() == ["c", "a"]


def test_numbers_that_are_none_are_an_error() -> None:
    none = np.array([[np.nan, 1.0]])
    with pytest.raises(HedgerowError, match="NaN or infinite numbers"):
        Prediction.of_classes(("a", "b"), none)
    with pytest.raises(HedgerowError, match="NaN or infinite numbers"):
        Prediction.of_numbers(none[0])


def test_a_learner_is_spelled_without_its_defaults() -> None:
    assert Frequent(least=5).spelled() == {"name": "frequent", "results": 1, "least": 5}
    assert Frequent().spelled() == {"name": "frequent", "results": 1}


def test_parameters_that_json_does_not_know(tmp_path: Path) -> None:
    file = tmp_path / "age.csv"
    file.write_text("1;*\n")
    before = as_json(file)
    file.write_text("2;*\n")
    assert as_json(file) != before  # what a file holds, not only its name
    assert as_json(tmp_path / "none") == {"file": "none", "sha256": None}
    assert as_json({3: {np.float64(1.5)}, "x": np.arange(2)}) == {"3": [1.5], "x": [0, 1]}
    assert as_json(np.mean) == "numpy.mean"
    one, other, again = (taxonomy({"*": {"Europe": towns}}) for towns in (["Bonn"], ["Ulm"], ["Bonn"]))
    assert as_json(one) == as_json(again) != as_json(other)
    json.dumps(as_json(one))


def test_an_estimator_is_spelled_with_what_it_is_made_of() -> None:
    spelled = as_json(make_pipeline(StandardScaler(), KNeighborsClassifier(7)))
    assert json.loads(json.dumps(spelled)) == spelled
    assert spelled["steps"][1] == [
        "kneighborsclassifier",
        {"class": "sklearn.KNeighborsClassifier", "n_neighbors": 7},
    ]
    assert spelled != as_json(make_pipeline(StandardScaler(), KNeighborsClassifier(8)))


def test_a_function_is_known_by_the_name_that_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_ties_go_to_the_earlier_label_also_after_rounding, "stable_name", "ties", raising=False)
    assert as_json(test_ties_go_to_the_earlier_label_also_after_rounding) == "ties"
    assert as_json(partial(test_ties_go_to_the_earlier_label_also_after_rounding)) == as_json(partial(ties))
    assert as_json(partial(ties)) != as_json(partial(np.mean))


def ties() -> None:
    """A function of another name."""


ties.stable_name = "ties"  # type: ignore[attr-defined]


class Pair:
    """No dataclass."""

    def __init__(self, left: int) -> None:
        self.left = left


def test_an_object_is_known_by_its_content_wherever_its_class_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    before = as_json(Pair(1))
    assert before == as_json(Pair(1)) != as_json(Pair(2))
    monkeypatch.setattr(Pair, "__module__", f"{Pair.__module__.partition('.')[0]}.elsewhere")
    assert as_json(Pair(1)) == before


@pytest.mark.parametrize("parameter", [lambda x: x, FunctionTransformer(lambda x: x), threading.Lock()])
def test_what_cannot_be_told_apart_is_refused(parameter: Any) -> None:
    with pytest.raises(BadInput, match="cannot be identified"):
        as_json(parameter)
