"""What an evaluation found, beside raw rows and the majority."""

from __future__ import annotations

import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.evaluation.results import Evaluation
from hedgerow.report.facts import gather

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")


def evaluation() -> Evaluation:
    """Two folds of a learner whose accuracy is 0.9 on raw rows, 0.8 on published ones, and 0.7 by the majority."""
    base = {"train": "raw", "test": "raw", "repetition": 0, "status": "done", "method": "unanonymized", "k": None}
    results = []
    for fold, shift in enumerate((-0.001, 0.001)):
        results += [
            {**base, "fold": fold, "learner": "majority", "accuracy": 0.7 + shift},
            {**base, "fold": fold, "learner": "c45", "accuracy": 0.9 + shift},
            {
                **base,
                "fold": fold,
                "learner": "c45",
                "train": "redrawn",
                "method": "mondrian",
                "k": 5,
                "accuracy": 0.8 + shift,
            },
        ]
    return Evaluation(tuple(results), "classes", "2-fold cv", ("mondrian",))


@pytest.fixture(scope="module")
def release() -> hr.Release:
    return hr.anonymize(hr.datasets.make_census(300, random_state=1), SCHEMA, k=5)


def test_scores_between_the_majority_and_raw_rows(release: hr.Release) -> None:
    found = gather(release, evaluation=evaluation()).utility
    assert found is not None
    assert (found.score, found.higher_is_better, found.protocol) == ("accuracy", True, "2-fold cv")
    (row,) = found.rows
    assert (row.learner, row.method, row.k) == ("c45", "mondrian", 5)
    assert (row.raw, row.published, row.majority, row.kept) == (0.9, 0.8, 0.7, 0.5)


def test_recipients_are_not_told(release: hr.Release) -> None:
    facts = gather(release, edition="public", evaluation=evaluation())
    assert facts.utility is None
    assert "public edition" in facts.absent["utility"]


def test_what_evaluate_returns_is_taken_and_nothing_else(release: hr.Release) -> None:
    people = hr.datasets.make_census(200, random_state=1)
    real = hr.evaluate(people, SCHEMA, methods=["mondrian"], k=5, learners=["c45"], protocol="holdout", workers=1)
    found = gather(release, evaluation=real).utility
    assert found is not None
    assert found.rows[0].raw is not None
    with pytest.raises(BadInput, match=r"must be what hr\.evaluate returned"):
        gather(release, evaluation={"accuracy": 1.0})
