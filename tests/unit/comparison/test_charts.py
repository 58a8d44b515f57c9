"""The chart: what is in it, and that it is drawn."""

from __future__ import annotations

import hedgerow as hr
from hedgerow.comparison._charts import datasets, highest, ticks
from hedgerow.comparison.choices import HIGHEST_RISK, Choice, kept_measures
from hedgerow.comparison.results import Comparison, Measured
from hedgerow.report.svg import COLOURS


def made_up(*choices: Choice) -> Comparison:
    return Comparison(choices, (HIGHEST_RISK, *kept_measures()), 0.05, Measured(100))


def one(method: str, k: int, kept: float) -> Choice:
    return Choice(method, k, k_reached=k, figures={"highest_risk": 1 / k, "ncp_published_kept": kept}, rows_lost=0.0)


def test_points_frontier_and_lines() -> None:
    comparison = made_up(one("a", 20, 0.8), one("b", 20, 0.8), one("b", 50, 0.7), Choice("c", 5, status="infeasible"))
    found = datasets(comparison, comparison.risk, comparison.utility)
    assert [(point["choice"], point["front"], point["chosen"], point["near"]) for point in found["points"]] == [
        ("a with k = 20", True, True, ""),
        ("b with k = 20", True, False, "k = 20"),  # of those that are alike the last has the label
        ("b with k = 50", True, False, "k = 50"),
    ]
    assert found["frontier"] == [
        {"risk": 0.02, "utility": 0.7},
        {"risk": 0.05, "utility": 0.8},
        {"risk": 0.05, "utility": 0.8},
    ]
    assert (found["baselines"], found["threshold"]) == ([], [{"risk": 0.05}])
    assert highest(found) == 1.1 * 0.05


def test_labels_that_would_cover_each_other_are_one() -> None:
    """The risks of 100 and 90 lie beside each other, and so do their utilities; 10 is far off, 80 is far above."""
    choices = (one("a", 100, 0.500), one("b", 90, 0.501), one("a", 80, 0.7), one("a", 10, 0.701))
    found = datasets(made_up(*choices), HIGHEST_RISK, kept_measures()[0])
    assert [point["near"] for point in found["points"]] == ["", "k = 100, 90", "k = 80", "k = 10"]


def test_labels_are_near_or_far_by_all_that_the_axis_shows() -> None:
    front = (one("a", 100, 0.78), one("b", 90, 0.80), one("a", 10, 0.85))
    near = {
        len(others): [
            point["near"]
            for point in datasets(made_up(*front, *others), HIGHEST_RISK, kept_measures()[0])["points"]
            if point["front"]
        ]
        for others in ((), (one("c", 5, 0.1),))
    }
    assert near == {0: ["k = 100", "k = 90", "k = 10"], 1: ["", "k = 100, 90", "k = 10"]}


def test_ends_of_the_axis() -> None:
    nothing = {"points": [{"risk": 0.0}], "threshold": []}
    assert highest(nothing) == 0.01
    assert ticks(0.01) == [0.0, 0.01]
    assert ticks(0.004) == [0.0, 0.004]
    assert ticks(0.35) == [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.33]


def test_it_is_a_chart_with_every_layer_that_has_data(compared: hr.Comparison) -> None:
    spec = compared.plot().to_dict()
    names = {layer["data"]["name"] for layer in spec["layer"]}
    assert names == {"points", "frontier", "baselines", "threshold"}
    assert spec["layer"][0]["encoding"]["y"]["title"] == "Accuracy (naive-bayes)"
    assert not any(sign in str(spec) for sign in COLOURS.values()), "these are for pages"
    other = compared.plot("average_risk", "ncp_kept").to_dict()
    assert {layer["data"]["name"] for layer in other["layer"]} == {"points", "frontier"}


def test_an_empty_one_can_be_drawn() -> None:
    assert made_up(Choice("a", 5, status="not begun")).plot().to_dict()["datasets"]["points"] == []


def test_worse_is_lower_also_where_lower_is_better(compared: hr.Comparison) -> None:
    for name, reverse in (("log_loss", True), ("accuracy", False)):
        (scale, *_) = (
            layer["encoding"]["y"]["scale"]
            for layer in compared.plot(utility=name).to_dict()["layer"]
            if layer["data"]["name"] == "frontier"
        )
        assert scale["reverse"] is reverse
