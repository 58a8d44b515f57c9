"""What results come to: means, tests and tables, from results that were made up."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.evaluation.results import Evaluation
from hedgerow.evaluation.statistics import five_by_two


def result(method: str, k: int | None, learner: str, repetition: int, fold: int, score: float | None) -> dict[str, Any]:
    raw = method == "unanonymized"
    told = {"status": "done", "accuracy": score, "auc": 0.5, "f1": 0.5, "log_loss": 0.7}
    failed = {"status": "infeasible", "reason": "too few"}
    return {
        "key": f"{method}{k}{learner}{repetition}{fold}",
        "method": method,
        "k": k,
        "train": "raw" if raw else "redrawn",
        "test": "raw",
        "learner": learner,
        "repetition": repetition,
        "fold": fold,
        **(failed if score is None else told),
    }


def made_up(folds: int = 10, missing: bool = False, **options: Any) -> Evaluation:
    """Two methods, of which "good" costs 0.01 and "bad" 0.1 and more with a larger k."""
    results = []
    for at in range(folds):
        where = at // 2, at % 2
        noise = 0.002 * (at % 3)
        results.append(result("unanonymized", None, "majority", *where, 0.6))
        for learner, base in (("c45", 0.8), ("logistic", 0.9)):
            results.append(result("unanonymized", None, learner, *where, base + noise))
            for k in (5, 50):
                results.append(result("good", k, learner, *where, base - 0.01 - noise))
                none = missing and k == 50 and at == 3
                results.append(result("bad", k, learner, *where, None if none else base - 0.1 - k / 1000))
    given: dict[str, Any] = {"protocol": "5x2cv", "methods": ("good", "bad"), "backend": "pandas", **options}
    return Evaluation(tuple(results), "classes", **given)


def test_a_row_for_each_learner_and_method() -> None:
    table = made_up().table()
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == ["learner", "train", "test", "method", "majority", "unanonymized", "k=5", "k=50"]
    assert table[["learner", "method"]].to_numpy().tolist() == [
        ["c45", "good"], ["c45", "bad"], ["logistic", "good"], ["logistic", "bad"],
    ]  # fmt: skip
    noise = sum(0.002 * (at % 3) for at in range(10)) / 10
    assert table["k=5"].tolist() == pytest.approx([0.79 - noise, 0.695, 0.89 - noise, 0.795])
    assert table["k=50"].tolist() == pytest.approx([0.79 - noise, 0.65, 0.89 - noise, 0.75])
    assert table["unanonymized"].tolist() == pytest.approx([0.8 + noise] * 2 + [0.9 + noise] * 2)
    assert table["majority"].tolist() == [0.6] * 4


def test_a_part_without_a_score_leaves_no_mean_and_no_test() -> None:
    evaluation = made_up(missing=True)
    assert evaluation.table()["k=50"].isna().tolist() == [False, True, False, True]
    assert not [one for one in evaluation.tests().contrasts if one.method == "bad" and one.k == 50]
    assert evaluation.frame["reason"].dropna().tolist() == ["too few"] * 2


def test_each_cell_is_compared_with_raw_rows_and_the_control() -> None:
    tests = made_up().tests()
    assert len(tests.contrasts) == 2 * 2 * (1 + 2)
    compared = {(one.learner, one.method, one.k, one.other): one for one in tests.contrasts}
    one = compared["c45", "good", 5, "unanonymized"]
    gaps = [-0.01 - 0.004 * (at % 3) for at in range(10)]
    assert one.difference == pytest.approx(sum(gaps) / 10)
    expected = five_by_two([gaps[at : at + 2] for at in range(0, 10, 2)])
    assert one.test.statistic == pytest.approx(expected.statistic)
    assert compared["logistic", "bad", 50, "good"].difference == pytest.approx(-0.14 + 0.0018)
    assert compared["logistic", "bad", 50, "good"].test.significant()


def test_ranks_over_learners_and_k() -> None:
    tests = made_up().tests()
    assert tests.friedman is not None
    assert tests.dunn is not None
    assert (tests.friedman.ranks, tests.friedman.cases) == ({"good": 1.0, "bad": 2.0}, 4)
    assert (tests.dunn.control, tests.dunn.better_than) == ("good", ("bad",))
    other = made_up().tests(control="bad")
    assert other.dunn is not None
    assert other.dunn.worse_than == ("good",)
    assert tests.diagram().to_dict()
    lower = made_up().tests("log_loss")
    assert lower.friedman is not None
    assert lower.friedman.ranks == {"good": 1.5, "bad": 1.5}


def test_lower_is_better_for_errors() -> None:
    results = [
        {**one, "accuracy": None, "log_loss": None if one["accuracy"] is None else one["accuracy"]}
        for one in made_up().results
    ]
    tests = Evaluation(tuple(results), "classes", "5x2cv", ("good", "bad")).tests("log_loss")
    assert tests.friedman is not None
    assert tests.friedman.ranks == {"good": 2.0, "bad": 1.0}


def test_one_method_has_no_ranks() -> None:
    evaluation = made_up(methods=("good",))
    assert evaluation.tests().friedman is None
    with pytest.raises(hr.BadInput, match="needs two methods"):
        evaluation.tests().diagram()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(hr.BadInput, match=r"There is no score 'acuracy'\. Did you mean 'accuracy'\?"):
        made_up().table("acuracy")
    with pytest.raises(hr.BadInput, match="There is no method 'god'"):
        made_up().tests(control="god")
    with pytest.raises(hr.BadInput, match="protocol='5x2cv'"):
        made_up(protocol="holdout").tests()


def test_every_cell_in_a_row() -> None:
    frame = made_up().frame
    assert len(frame) == 10 * (1 + 2 * 5)
    assert list(frame.columns)[:9] == [
        "method", "k", "train", "test", "learner", "repetition", "fold", "status", "reason",
    ]  # fmt: skip
    assert {"ncp_published", "prec", "classes", "suppressed", "anonymizing_seconds"} <= set(frame.columns)
    assert "key" not in frame.columns


def test_it_says_what_it_is() -> None:
    assert (
        repr(made_up()) == "Evaluation(good, bad; c45, logistic)\n  110 cells by 5x2cv; see .table(), .plot(), .tests()"
    )


def test_a_panel_for_each_learner_and_both_baselines() -> None:
    chart = made_up().plot().to_dict()
    assert [panel["title"] for panel in chart["concat"]] == ["c45", "logistic"]
    for panel in chart["concat"]:
        sets = [chart["datasets"][layer["data"]["name"]] for layer in panel["layer"]]
        named = {one["method"] for rows in sets for one in rows}
        assert named == {"good", "bad", "unanonymized", "majority"}
