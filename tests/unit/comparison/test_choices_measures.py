"""What choices are compared by."""

from __future__ import annotations

import pytest

from hedgerow.comparison.choices import find_measure, kept_measures, risk_measures, score_measures
from hedgerow.errors import BadInput


def test_risks_that_a_table_has() -> None:
    assert [one.name for one in risk_measures(None, (), proportions=False)] == ["highest_risk", "average_risk"]
    found = risk_measures("income", ("disease",), proportions=True)
    assert [one.name for one in found[2:]] == ["label_disclosure", "sensitive_disclosure", "surest_guess"]
    assert all(one.lower_is_better for one in found)
    assert "income" in found[2].meaning
    assert "disease" in found[3].meaning


def test_scores_of_one_learner_and_of_several() -> None:
    assert [one.name for one in score_measures("classes", "income", ["c45"])] == ["accuracy", "auc", "f1", "log_loss"]
    several = score_measures("numbers", "wage", ["linear", "boosting"])
    assert [one.name for one in several] == [
        "r2",
        "r2:linear",
        "r2:boosting",
        "mae",
        "mae:linear",
        "mae:boosting",
    ]
    assert [one.lower_is_better for one in several] == [False] * 3 + [True] * 3
    assert several[0].title == "R² (mean of linear, boosting)"


def test_a_measure_of_the_other_side_is_not_found() -> None:
    known = [*risk_measures(None, (), proportions=False), *kept_measures()]
    assert find_measure(known, "prec", "utility").title == "Precision"
    with pytest.raises(BadInput, match="There is no measure of risk 'prec'"):
        find_measure(known, "prec", "risk")
