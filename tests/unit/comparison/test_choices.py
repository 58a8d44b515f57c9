"""What is known of a choice, from the results of its cells."""

from __future__ import annotations

from typing import Any

import pytest

from hedgerow.comparison.choices import (
    Choice,
    kept_measures,
    risk_measures,
    score_figures,
    score_measures,
    with_results,
)

MEASURES = [
    *risk_measures("income", (), proportions=False),
    *score_measures("classes", "income", ["c45"]),
    *kept_measures(),
]
NAMED = Choice("mondrian", 5)
RELEASE: dict[str, Any] = {
    "status": "done",
    "k_reached": 5,
    "highest_risk": 0.2,
    "average_risk": 0.1,
    "label_disclosure": 0.3,
    "surest_guess": None,
    "classes": 10,
    "rows_lost": 0.0,
    "ncp_kept": 0.9,
    "warnings": [],
    "anonymizing_seconds": 1.0,
}


def part(fold: int, accuracy: float | None, learner: str = "c45", **more: Any) -> dict[str, Any]:
    found = {"repetition": 0, "fold": fold, "learner": learner, "status": "done", "accuracy": accuracy}
    return {**found, "anonymizing_seconds": 0.5, "learning_seconds": 0.25, **more}


def of(release: Any, parts: list[dict[str, Any]], wanted: int = 2, **options: Any) -> Choice:
    return with_results(NAMED, release, parts, wanted=wanted, learners=1, measures=MEASURES, digits=3, **options)


def test_all_is_finished() -> None:
    found = of(RELEASE, [part(0, 0.80), part(1, 0.84)])
    assert (found.status, found.parts, found.k_reached, found.reason) == ("done", 2, 5, "")
    assert found.figures["accuracy"] == 0.82
    assert found.errors == {"accuracy": 0.02}  # a deviation of 0.0283 over the root of 2
    assert (found.figures["highest_risk"], found.figures["ncp_kept"]) == (0.2, 0.9)
    assert "surest_guess" not in found.figures
    assert found.seconds == 1 + 2 * 0.75


def test_some_is_finished() -> None:
    assert of(None, []).status == "not begun"
    found = of(RELEASE, [part(0, 0.80)])
    assert (found.status, found.figures["accuracy"], found.errors) == ("in part", 0.8, {})
    assert of(RELEASE, [], wanted=0).status == "done"


@pytest.mark.parametrize("status", ["infeasible", "disclosing"])
def test_what_could_not_be_released(status: str) -> None:
    found = of({"status": status, "reason": "Too few."}, [])
    assert (found.status, found.reason, found.figures, found.k_reached) == (status, "Too few.", {}, None)


def test_a_weak_release_is_called_so() -> None:
    found = of({**RELEASE, "status": "weak", "reason": "As printed."}, [part(0, 0.8), part(1, 0.8)])
    assert (found.status, found.reason) == ("weak", "As printed.")


def test_a_part_that_is_too_small_leaves_no_score() -> None:
    """A mean over the other parts would not be that of the other choices."""
    failed = part(1, None, status="infeasible", reason="The training part is too small.")
    found = of(RELEASE, [part(0, 0.8), failed])
    assert (found.status, found.parts) == ("done", 0)
    assert found.reason == "There is no score, because of a training part. The training part is too small."
    assert "accuracy" not in found.figures
    assert found.figures["ncp_kept"] == 0.9


def test_scores_of_several_learners_are_averaged_part_by_part() -> None:
    parts = [part(0, 0.6), part(0, 0.8, "mlp"), part(1, 0.7), part(1, 0.9, "mlp"), part(2, 0.1)]
    means, errors, number = score_figures(parts, 2, 3)
    assert number == 2, "a part that one learner has not seen does not count"
    assert means == {"accuracy": 0.75, "accuracy:c45": 0.65, "accuracy:mlp": 0.85}
    assert errors["accuracy"] == 0.05
    assert score_figures([], 2, 3) == ({}, {}, 0)


def test_how_it_is_told() -> None:
    accuracy = next(one for one in MEASURES if one.name == "accuracy")
    found = of(RELEASE, [part(0, 0.80), part(1, 0.84)])
    assert found.told(accuracy) == "82% ± 2%"
    assert of(None, []).told(accuracy) == "–"
    assert Choice("kactus", None, 200).label == "kactus, up to 200 rows lost"
