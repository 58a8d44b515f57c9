"""``hr.compare`` with other tasks than prediction: measures, baselines, the deciding measure, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses import Counts

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], others="drop")
WITH_TARGET = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")


@pytest.fixture(scope="module")
def census() -> pa.Table:
    return hr.datasets.make_census(400, random_state=1)


def short(census: pa.Table, task: str, **options: Any) -> hr.Comparison:
    given: dict[str, Any] = {"methods": "mondrian", "k": [5, 60], "protocol": ("cv", 2), "workers": 1}
    return hr.compare(census, SCHEMA, task=task, **{**given, **options})


def test_choices_are_ranked_by_the_error_of_queries(census: pa.Table, tmp_path: Path) -> None:
    found = short(census, "queries", learners=Counts(number=200), risk_threshold=0.2)
    assert found.utility.name == "median_error"
    near, far = found.choices
    assert near.figures["median_error"] < far.figures["median_error"], "a lower error is better …"
    assert found.recommendation.choice is near, "… and recommended"
    assert found.frontier() == (far, near)
    baseline = found.baselines["median_error"]
    assert (baseline.unanonymized, baseline.lowest) == (0, "no-information")
    assert baseline.majority is not None
    assert near.figures["median_error"] < baseline.majority
    assert "from rows without information" in found.recommendation.reason
    assert (found.measured.task, found.measured.learners, found.measured.parts) == ("queries", ("counts",), 2)
    assert found.measured.cells == found.measured.finished == 2 + 2 * (2 + 2)
    page = found.report(tmp_path / "page.html").read_text()
    assert "tried for queries" in page
    assert "what was published of these (redrawn) was compared" in page
    evaluation = found.evaluation
    assert evaluation is not None
    assert evaluation.task == "queries"
    assert evaluation.table("mean_error")["no-information"].to_pylist() != [None]


def test_the_scores_are_those_of_an_evaluation(census: pa.Table) -> None:
    found = hr.compare(census, WITH_TARGET, task="association", methods="mondrian", k=5, protocol=("cv", 2), workers=1)
    scores = hr.evaluate(
        census, WITH_TARGET, task="association", methods="mondrian", k=5, protocol=("cv", 2), workers=1
    )
    (choice,) = found.choices
    for name in ("rules_f1", "rules_kept", "itemsets_invented"):
        assert choice.figures[name] == pytest.approx(scores.table(name)["k=5"].to_pylist()[0], abs=0.01)
        assert choice.value(found.measure("utility", name)) is not None


def test_the_named_measure_decides(census: pa.Table) -> None:
    assert short(census, "clustering", k=5).utility.name == "adjusted_rand"
    assert short(census, "clustering", k=5, utility="prec").utility.name == "prec"
    assert short(census, "queries", k=5, utility="mean_error").utility.name == "mean_error"


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("cluster", {}, "The 'task' parameter of compare must be 'classification' or 'clustering'"),
        ("queries", {"utility": "mean_eror"}, "There is no measure of utility 'mean_eror'. Did you mean 'mean_error'"),
        ("clustering", {"utility": "mean_error"}, "'mean_error' is one of another task. Choose task='queries'"),
        ("queries", {"learners": 7}, "The 'learners' parameter of compare must be an analysis"),
        ("queries", {"test": "recoded"}, "it reads neither the features of encoders nor recoded test rows"),
    ],
)
def test_bad_input(task: str, options: dict[str, Any], message: str, census: pa.Table) -> None:
    with pytest.raises(hr.BadInput, match=message):
        short(census, task, **options)


def test_choices_are_ranked_by_planned_analyses(census: pa.Table, tmp_path: Path) -> None:
    planned = ["crosstab age(30, 50), sex", "mean age by education"]
    found = short(census, "classification", analyses=planned, risk_threshold=0.2)
    assert found.measured.task == "estimates"
    assert found.utility.name == "overlap"
    near, far = found.choices
    assert near.figures["overlap"] > far.figures["overlap"]
    assert found.baselines["overlap"].unanonymized == 1
    assert found.recommendation.choice is near
    assert "tried for estimates" in found.report(tmp_path / "page.html").read_text()
    by_error = short(census, "estimates", analyses=planned, utility="estimate_error")
    assert by_error.utility.name == "estimate_error"
    assert by_error.choices[0].figures["estimate_error"] < by_error.choices[1].figures["estimate_error"]
