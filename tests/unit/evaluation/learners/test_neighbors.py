"""The nearest neighbours: by hand, beside scikit-learn's, and with rows that are equally near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

import hedgerow as hr
from hedgerow.evaluation.learners import _neighbors as neighbors
from hedgerow.evaluation.learners import learner


def predicted(
    x: Sequence[float], labels: list[Any], tests: Sequence[float], task: Any = "classes", **parameters: Any
) -> Any:
    fitted = learner("knn", **parameters).fit(pa.table({"x": x}), pa.array(labels), task=task, random_state=0)
    return fitted.predict(pa.table({"x": tests}))


def test_neighbours_by_hand() -> None:
    found = predicted([0, 1, 2, 10, 11], ["a", "a", "b", "b", "b"], [0, 10.4, 2], neighbors=3)
    assert found.probabilities.round(3).tolist() == [[0.667, 0.333], [0, 1], [0.667, 0.333]]


@pytest.mark.parametrize("order", [1, -1])
def test_rows_that_are_equally_near_count_all_in_any_order(order: int) -> None:
    """Four rows are alike, as in a class of a release: of two neighbours wanted, all four decide."""
    found = predicted([5, 5, 5, 5, 9][::order], ["a", "b", "b", "b", "a"][::order], [5], neighbors=2)
    assert found.probabilities.tolist() == [[0.25, 0.75]]
    assert predicted([4, 6, 20], ["a", "b", "b"], [5], neighbors=1).probabilities.tolist() == [[0.5, 0.5]]


def test_nearer_rows_count_more_by_their_distance() -> None:
    # Distances of 1 and 3: shares of 3/4 and 1/4.
    found = predicted([0, 4], ["a", "b"], [1], neighbors=2, weights="distance")
    assert found.probabilities.round(6).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize("neighbours", [1, 5, 300])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_without_ties_it_is_scikit_learns(neighbours: int, weights: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "_CELLS", 1_000)
    random = np.random.default_rng(0)
    train, test = random.random((200, 3)), random.random((50, 3))
    label, value = random.choice(["p", "q", "r"], 200), random.random(200)
    tables = [pa.table({f"x{at}": rows[:, at] for at in range(3)}) for rows in (train, test)]
    scale = StandardScaler().fit(train)
    least = min(neighbours, 200)
    theirs: Any = KNeighborsClassifier(least, weights=weights).fit(scale.transform(train), label)
    made = learner("knn", neighbors=neighbours, weights=weights)
    found = made.fit(tables[0], pa.array(label.tolist()), task="classes", random_state=0).predict(tables[1])
    assert np.allclose(found.probabilities, theirs.predict_proba(scale.transform(test)))
    theirs = KNeighborsRegressor(least, weights=weights).fit(scale.transform(train), value)
    found = made.fit(tables[0], pa.array(value), task="numbers", random_state=0).predict(tables[1])
    assert np.allclose(found.values, theirs.predict(scale.transform(test)))


def test_rows_without_features() -> None:
    assert predicted([3, 3, 3], ["a", "b", "b"], [3, 4]).predicted.tolist() == ["b", "b"]


@pytest.mark.parametrize("encoder", ["OneClass", "FillParent", "FillChild", "Proportional"])
def test_the_four_representations(encoder: str) -> None:
    people = hr.datasets.make_census(300, random_state=1)
    schema = hr.Schema(quasi=["age", "sex"], target="income", others="drop", hierarchies={"age": "intervals:5,10,20"})
    way = getattr(hr.learning, f"{encoder}Encoder")()
    found = hr.evaluate(
        people, schema, methods="datafly", k=5, learners="knn", train=way, protocol="holdout", workers=1
    )
    (row,) = found.table().to_pylist()
    assert (row["learner"], row["train"]) == ("knn", f"{encoder}Encoder")
    assert 0.5 < row["k=5"] <= 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"neighbors": 0}, "The 'neighbors' parameter of KNN must be an int >= 1. Got 0 instead."),
        ({"weights": "near"}, "The 'weights' parameter of KNN must be 'uniform' or 'distance'. Got 'near' instead."),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        learner("knn", **parameters)
