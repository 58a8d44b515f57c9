"""What a comparison tells of itself."""

from __future__ import annotations

import json

import pytest

import hedgerow as hr
from hedgerow.errors import BadInput


def test_every_choice_has_a_row(compared: hr.Comparison) -> None:
    rows = compared.frame.to_pylist()
    assert [(row["method"], row["k"], row["suppression_limit"]) for row in rows] == [
        (method, k, limit) for k in (5, 25) for method in ("mondrian", "printed") for limit in ("0", "2%")
    ]
    assert [row["recommended"] for row in rows].count(True) == 1
    assert [row["on_frontier"] for row in rows].count(True) == len(compared.frontier())
    assert {"accuracy", "accuracy_error", "ncp_kept", "highest_risk", "parts", "seconds"} < set(rows[0])
    assert "ncp_kept_error" not in rows[0]


def test_limits_are_choices_of_their_own(compared: hr.Comparison) -> None:
    none, some = compared.choices[:2]
    assert (none.label, some.label) == ("mondrian with k = 5", "mondrian with k = 5, up to 2% lost")
    assert compared.evaluation is not None
    assert compared.evaluation.methods[:2] == ("mondrian", "mondrian, up to 2% lost")


def test_a_method_without_its_guarantee_is_shown_and_not_recommended(compared: hr.Comparison) -> None:
    weak = [one for one in compared.choices if one.method == "printed"]
    assert {one.status for one in weak} == {"weak"}
    assert all(one.reason for one in weak)
    assert not [one for one in compared.frontier() if one.method == "printed"]


def test_axes_can_be_chosen(compared: hr.Comparison) -> None:
    by_detail = compared.frontier("average_risk", "ncp_kept")
    risks = [one.figures["average_risk"] for one in by_detail]
    assert risks == sorted(risks)
    kept = [one.figures["ncp_kept"] for one in by_detail]
    assert kept == sorted(kept)
    with pytest.raises(BadInput, match=r"There is no measure of utility 'acuracy'. Did you mean 'accuracy'\?"):
        compared.frontier(utility="acuracy")
    with pytest.raises(BadInput, match="There is no measure of risk 'accuracy'"):
        compared.plot(risk="accuracy")


def test_as_json(compared: hr.Comparison) -> None:
    plain = json.loads(json.dumps(compared.to_dict()))
    assert plain["recommendation"]["reason"] == compared.recommendation.reason == str(compared.recommendation)
    assert len(plain["choices"]) == 8
    assert plain["measured"]["protocol"] == "2-fold cv"
    assert plain["frontier"][0] == {"method": "mondrian", "k": 25, "suppression_limit": None}


def test_how_it_looks_where_it_is_typed(compared: hr.Comparison) -> None:
    first, second, third = repr(compared).split("\n")
    assert first == "Comparison(mondrian, printed)"
    assert second.startswith("  8 choices, 8 released; 2-fold cv with naive-bayes;")
    assert third.strip() == compared.recommendation.reason
    shown = compared._repr_html_()
    assert "<pre>Comparison(mondrian, printed)" in shown
    assert "<svg" in shown
    assert shown != compared._repr_html_(), "ids of two of them must not meet"
