"""Learners of scikit-learn: what they are fed, unusual tables, seeds, and estimators of a user."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from hedgerow import BadInput
from hedgerow.evaluation.learners import _scikit as features
from hedgerow.evaluation.learners._bayes import NaiveBayes
from hedgerow.evaluation.learners._scikit import MLP, Boosting, Linear, Logistic, Scikit
from hedgerow.evaluation.learners.base import Learner, Prediction, Task

OF_CLASSES: list[Learner] = [NaiveBayes(), Logistic(), MLP(), Boosting(), Scikit(KNeighborsClassifier())]
OF_NUMBERS: list[Learner] = [Linear(), MLP(), Boosting(), Scikit(LinearRegression())]
ALL = [(one, "classes") for one in OF_CLASSES] + [(one, "numbers") for one in OF_NUMBERS]
EVERY = pytest.mark.parametrize(("learner", "task"), ALL, ids=lambda one: getattr(one, "name", one))


def people(rows: int, seed: int = 0) -> tuple[pa.Table, pa.Array, pa.Array]:
    """Published rows, a class and a number that both follow from them."""
    generator = np.random.default_rng(seed)
    age = generator.integers(20, 80, rows)
    town = generator.choice(["Bonn", "{Köln|Ulm}", "Lyon"], rows)
    chance = generator.random(rows)
    shown = [None if one < 0.05 else "*" if one < 0.1 else str(years) for one, years in zip(chance, age, strict=True)]
    number = age + 30.0 * (town == "Lyon")
    table = pa.table({"age": shown, "town": town, "same": ["x"] * rows, "none": pa.nulls(rows)})
    return table, pa.array(np.where(number > 60, "old", "young")), pa.array(number)


def answer(learner: Learner, task: Any, test: pa.Table, rows: int = 400, seed: int = 0) -> Prediction:
    table, label, number = people(rows)
    target = label if task == "classes" else number
    return learner.fit(table, target, task=task, random_state=seed).predict(test)


def same(one: Prediction, other: Prediction) -> bool:
    return np.array_equal(one.probabilities, other.probabilities) and np.array_equal(one.values, other.values)


@EVERY
def test_what_is_there_to_learn_is_learnt(learner: Learner, task: Task) -> None:
    test, label, number = people(200, seed=1)
    known = np.array([cell not in (None, "*") for cell in test["age"].to_pylist()])
    found = answer(learner, task, test, rows=2000)
    if task == "classes":
        assert found.labels == ("old", "young")
        assert found.probabilities.sum(axis=1) == pytest.approx(1)
        assert (found.predicted == np.array(label.to_pylist(), dtype=object))[known].mean() > 0.9
    else:
        error = (found.values - number.to_numpy())[known]
        assert (error**2).mean() < 0.2 * number.to_numpy().var()


@EVERY
def test_the_seed_decides(learner: Learner, task: Task) -> None:
    test, _, _ = people(50, seed=1)
    assert same(answer(learner, task, test, seed=3), answer(learner, task, test, seed=3))


def test_another_seed_is_another_network() -> None:
    test, _, _ = people(50, seed=1)
    assert not same(answer(MLP(), "classes", test, seed=3), answer(MLP(), "classes", test, seed=4))


@EVERY
def test_a_learner_travels_to_another_process(learner: Learner, task: Task) -> None:
    test, _, _ = people(20, seed=1)
    copy = pickle.loads(pickle.dumps(learner))
    assert copy.spelled() == learner.spelled()
    assert same(answer(copy, task, test), answer(learner, task, test))


@EVERY
def test_unusual_test_rows(learner: Learner, task: Task) -> None:
    """What training never saw, what is suppressed, and what is no number are all the same as null."""
    nothing = pa.table({"town": pa.nulls(1), "age": pa.nulls(1), "none": pa.nulls(1), "same": ["x"]})
    expected = answer(learner, task, nothing)
    for town, age in (("*", "*"), ("Paris", "[20,30)"), ("{Bonn|Lyon}", "{20|30}"), ("Köln", "Europe")):
        row = pa.table({"town": [town], "same": ["x"], "age": [age], "none": ["something"]})
        assert same(answer(learner, task, row), expected)


@EVERY
def test_numbers_as_text_are_numbers(learner: Learner, task: Task) -> None:
    table, label, number = people(300)
    known = [None if cell in (None, "*") else int(cell) for cell in table["age"].to_pylist()]
    typed = table.set_column(0, "age", pa.array(known))
    target = label if task == "classes" else number
    one, other = (learner.fit(some, target, task=task, random_state=0).predict(typed) for some in (table, typed))
    assert same(one, other)


@EVERY
def test_tables_of_which_nothing_is_known(learner: Learner, task: Task) -> None:
    table = pa.table({"a": pa.nulls(4), "b": ["*"] * 4, "c": pa.array([None] * 4, pa.float64())})
    target = pa.array(["x", "y", "y", "y"]) if task == "classes" else pa.array([1.0, 2, 3, 6])
    found = learner.fit(table, target, task=task, random_state=0).predict(table.slice(0, 1))
    if task == "classes":
        assert found.predicted.tolist() == ["y"]
        assert found.probabilities[0, 1] == pytest.approx(0.75, abs=0.01)
    else:
        assert found.values.tolist() == pytest.approx([3.0])


@pytest.mark.parametrize("learner", OF_CLASSES, ids=lambda one: one.name)
def test_few_rows_and_many_labels(learner: Learner) -> None:
    table = pa.table({"x": [1.0, 2.0, 9.0, 9.5, 30.0, 31.0], "c": ["a", "a", "b", "b", "c", "c"]})
    fitted = learner.fit(table, pa.array(list("ppqqrr")), task="classes", random_state=0)
    found = fitted.predict(table.slice(0, 1))
    assert found.labels == ("p", "q", "r")
    assert found.probabilities.shape == (1, 3)


@EVERY
def test_a_single_training_row(learner: Learner, task: Task) -> None:
    table = pa.table({"x": [1.0], "c": ["a"]})
    target = pa.array(["p"]) if task == "classes" else pa.array([7.0])
    found = learner.fit(table, target, task=task, random_state=0).predict(table)
    assert found.predicted.tolist() == (["p"] if task == "classes" else [7.0])


@pytest.mark.parametrize("learner", [Logistic(max_iter=1), MLP(max_iter=1)], ids=lambda one: one.name)
def test_an_unfinished_fit_is_no_warning(learner: Learner) -> None:
    test, _, _ = people(5)
    answer(learner, "classes", test)  # a warning would be an error


def test_sparse_features_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    test, _, _ = people(50, seed=1)
    dense = answer(Logistic(), "classes", test)
    monkeypatch.setattr(features, "DENSE", 0)
    assert answer(Logistic(), "classes", test).probabilities == pytest.approx(dense.probabilities, abs=1e-3)
    answer(Scikit(GaussianNB()), "classes", test)  # which takes no sparse matrix


def test_the_parameters_of_the_network_reach_it() -> None:
    table, label, _ = people(50)
    learner = MLP(hidden_layer_sizes=[3], batch_size=7, max_iter=4, learning_rate_init=0.5, n_iter_no_change=2, alpha=1)
    fitted: Any = learner.fit(table, label, task="classes", random_state=5)
    given = fitted.estimator.get_params()
    assert {name: given[name] for name in ("hidden_layer_sizes", "batch_size", "max_iter", "random_state")} == {
        "hidden_layer_sizes": (3,),
        "batch_size": 7,
        "max_iter": 4,
        "random_state": 5,
    }
    assert (given["learning_rate_init"], given["n_iter_no_change"], given["alpha"]) == (0.5, 2, 1)


# Estimators of a user


def test_any_estimator() -> None:
    test, _, _ = people(30, seed=1)
    forest = RandomForestClassifier(n_estimators=5)
    learner = Scikit(forest)
    assert learner.name == "RandomForestClassifier"
    assert learner.tasks == {"classes"}
    assert same(answer(learner, "classes", test, seed=1), answer(learner, "classes", test, seed=1))
    assert not same(answer(learner, "classes", test, seed=1), answer(learner, "classes", test, seed=2))
    assert not hasattr(forest, "classes_")  # a clone was fitted
    assert Scikit(DecisionTreeRegressor(), name="tree").name == "tree"
    assert Scikit(DecisionTreeRegressor()).tasks == {"numbers"}


def test_seeds_inside_a_pipeline() -> None:
    test, _, _ = people(30, seed=1)
    learner = Scikit(make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=5)))
    assert same(answer(learner, "classes", test, seed=1), answer(learner, "classes", test, seed=1))
    assert not same(answer(learner, "classes", test, seed=1), answer(learner, "classes", test, seed=2))


def test_a_classifier_without_probabilities_is_sure() -> None:
    test, _, _ = people(30, seed=1)
    found = answer(Scikit(LinearSVC()), "classes", test)
    assert sorted(np.unique(found.probabilities)) == [0.0, 1.0]
    assert set(found.predicted) == {"old", "young"}


def test_an_estimator_gets_what_logistic_regression_gets() -> None:
    test, _, _ = people(30, seed=1)
    own = Scikit(LogisticRegression(max_iter=1000))
    assert same(answer(own, "classes", test), answer(Logistic(), "classes", test))


def test_parameters_of_an_estimator_are_spelled() -> None:
    assert Scikit(KNeighborsClassifier(7)).spelled()["estimator"]["n_neighbors"] == 7
    assert Scikit(KNeighborsClassifier(7)).spelled() != Scikit(KNeighborsClassifier(8)).spelled()


def test_what_neither_classifies_nor_regresses_is_refused() -> None:
    with pytest.raises(BadInput, match=r"must be a classifier or regressor .* Got 'KMeans' instead"):
        Scikit(KMeans())
