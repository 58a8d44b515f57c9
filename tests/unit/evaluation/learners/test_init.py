"""Learners by name, and what else stands for one."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from hedgerow import BadInput
from hedgerow.evaluation.learners import LEARNERS, Scikit, learner
from hedgerow.evaluation.learners._ours import C45


def test_names_and_tasks() -> None:
    both = {name for name, one in LEARNERS.items() if one.tasks == {"classes", "numbers"}}
    numbers = {name for name, one in LEARNERS.items() if one.tasks == {"numbers"}}
    assert set(LEARNERS) == {
        *("c45", "id3", "kadet"),
        *("naive-bayes", "logistic", "linear", "knn", "mlp", "boosting", "majority"),
        *("j48", "part", "weka-naive-bayes", "weka-logistic"),
    }
    assert (both, numbers) == ({"knn", "mlp", "boosting", "majority"}, {"linear"})


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_spelled_and_travels(name: str) -> None:
    made = learner(name)
    spelled = made.spelled()
    assert spelled["name"] == name
    assert json.loads(json.dumps(spelled)) == spelled
    assert pickle.loads(pickle.dumps(made)) == made
    assert hash(made) == hash(learner(name))


def test_parameters_of_a_name() -> None:
    assert learner("j48", min_objects=7).spelled()["min_objects"] == 7
    assert learner("id3", entropy="own", assign="frequent").spelled()["entropy"] == "own"


def test_what_is_a_learner_already_stays() -> None:
    own = C45(min_objects=3)
    assert learner(own) is own
    assert learner(DecisionTreeClassifier()).tasks == {"classes"}
    assert learner(LinearRegression()).name == "LinearRegression"
    assert isinstance(learner(LinearRegression()), Scikit)


@pytest.mark.parametrize(
    ("given", "parameters", "message"),
    [
        ("j84", {}, r"There is no learner 'j84'\. Did you mean 'j48'\?"),
        ("zzz", {}, r"There is no learner 'zzz'\. Known: 'c45', "),
        ("j48", {"min_object": 3}, "no parameter of the learner 'j48' called 'min_object'. Did you mean 'min_objects'"),
        ("j48", {"name": "x"}, "called 'name'"),
        (C45(), {"min_objects": 3}, "when you make the learner"),
        (DecisionTreeClassifier, {}, "an instance of a scikit-learn .* Got the class DecisionTreeClassifier instead"),
        (7, {}, "Got int instead"),
        (None, {}, "Got NoneType instead"),
    ],
)
def test_what_is_no_learner(given: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        learner(given, **parameters)


def test_nothing_heavy_is_imported_until_something_is_learnt() -> None:
    program = (
        "import sys\n"
        "from hedgerow.evaluation.learners import LEARNERS, learner\n"
        "[learner(name).spelled() for name in LEARNERS]\n"
        "print(sorted({'sklearn', 'numba', 'weka', 'jpype', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["c45", "id3", "kadet", "naive-bayes", "logistic", "knn", "mlp", "boosting"])
def test_labels_that_differ_by_what_does_not_show(name: str) -> None:
    labels = ["a", "a ", "a\0", "A"]
    parameters = {"kadet": {"k": 1}, "knn": {"neighbors": 1}}.get(name, {})
    made = learner(name, **parameters)
    table = pa.table({"x": list(range(4)) * 5, "c": list("pqrs") * 5})
    found = made.fit(table, pa.array(labels * 5), task="classes", random_state=0).predict(table)
    assert found.labels == ("A", "a", "a\0", "a ")
    if name not in ("mlp", "boosting"):  # which need more rows
        assert found.predicted.tolist() == labels * 5
