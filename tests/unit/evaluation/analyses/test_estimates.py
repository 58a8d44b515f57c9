"""Planned analyses as a task: baselines, the effect of k, and what is refused."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation import Estimates

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], insensitive=["hours-per-week"], others="drop")
PLANNED = ["mean hours-per-week by education", "crosstab age(30, 50), sex"]


@pytest.fixture(scope="module")
def census() -> pa.Table:
    return hr.datasets.make_census(400, random_state=1)


def evaluated(census: pa.Table, **options: Any) -> hr.Evaluation:
    given: dict[str, Any] = {"methods": "mondrian", "k": [2, 100], "protocol": ("cv", 2), "workers": 1}
    return hr.evaluate(census, SCHEMA, **{**given, **options})


@pytest.mark.parametrize("train", ["redrawn", "published"])
def test_estimates_of_larger_classes_are_farther_from_the_original(census: pa.Table, train: str) -> None:
    found = evaluated(census, analyses=PLANNED, train=train)
    (row,) = found.table().to_pylist()
    assert found.task == "estimates"
    assert row["unanonymized"] == 1
    assert row["no-information"] == 0, "nothing can be read from stars"
    assert 1 >= row["k=2"] > row["k=100"] > 0
    (errors,) = found.table("estimate_error").to_pylist()
    assert (errors["unanonymized"], errors["no-information"]) == (0, 1)
    assert 0 <= errors["k=2"] < errors["k=100"]


def test_the_task_with_its_parameters(census: pa.Table) -> None:
    by_name = evaluated(census, analyses=PLANNED)
    by_object = evaluated(census, task="estimates", learners=Estimates(planned=tuple(PLANNED)))
    assert by_name.table().equals(by_object.table())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "estimates"}, "No analysis is given"),
        ({"task": "queries", "analyses": PLANNED}, "Leave one of them out"),
        ({"learners": "c45", "analyses": PLANNED}, "Leave one of them out"),
        ({"analyses": ["mean hours"]}, "Did you mean 'hours-per-week'|no column|needs the column"),
        ({"analyses": ["mean sex"]}, "'sex' holds text, where numbers are needed"),
        ({"analyses": ["mean hours-per-week by workclass"]}, "'workclass', which is not published"),
        ({"analyses": ["mean"]}, "a column is expected"),
    ],
)
def test_what_is_refused(census: pa.Table, options: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        evaluated(census, **options)


def test_draws_are_at_least_two() -> None:
    with pytest.raises(hr.BadInput, match="draws"):
        Estimates(planned=("mean age",), draws=1)
