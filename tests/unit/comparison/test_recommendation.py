"""The frontier and the recommendation, on choices whose answer is worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hedgerow.comparison._recommendation import Baseline, deciding, pareto, recommend, size_for
from hedgerow.comparison.choices import (
    HIGHEST_RISK,
    Cells,
    Choice,
    Measure,
    find_measure,
    kept_measures,
    score_measures,
)

ACCURACY, AUC, F1, LOG_LOSS = score_measures("classes", "income", ["c45"])
KEPT = find_measure(kept_measures(), "ncp_kept", "utility")
UTILITIES = [ACCURACY, AUC, F1, LOG_LOSS, KEPT]


def choice(method: str, k: int, accuracy: float | None = None, error: float = 0.0, **known: Any) -> Choice:
    """A choice whose smallest class is of k records."""
    scores = {} if accuracy is None else {"accuracy": accuracy}
    figures = {"highest_risk": 1 / k, "average_risk": 0.5 / k, **scores, **known.pop("figures", {})}
    errors = {"accuracy": error} if error else {}
    return Choice(method, k, known.pop("limit", None), k_reached=k, figures=figures, errors=errors, **known)


def labels(found: tuple[Choice, ...]) -> list[str]:
    return [one.label for one in found]


def test_the_frontier_has_what_nothing_else_beats() -> None:
    found = pareto(
        [
            choice("a", 5, 0.85),  # the best score
            choice("b", 10, 0.80),
            choice("c", 10, 0.79),  # beaten by b: the same risk, less
            choice("d", 50, 0.70),  # the lowest risk
            choice("e", 5, 0.80),  # beaten by b: more risk, the same
        ],
        HIGHEST_RISK,
        ACCURACY,
    )
    assert labels(found) == ["d with k = 50", "b with k = 10", "a with k = 5"]


def test_what_is_alike_in_both_is_all_there() -> None:
    alike = [choice("a", 10, 0.8), choice("b", 10, 0.8), choice("c", 5, 0.8)]
    assert labels(pareto(alike, HIGHEST_RISK, ACCURACY)) == ["a with k = 10", "b with k = 10"]


def test_where_lower_is_better_the_lowest_is_on_the_frontier() -> None:
    losses = [choice("a", 10, figures={"log_loss": 0.4}), choice("b", 10, figures={"log_loss": 0.6})]
    assert labels(pareto(losses, HIGHEST_RISK, LOG_LOSS)) == ["a with k = 10"]


def test_what_is_not_known_or_weak_is_not_on_the_frontier() -> None:
    unknown = [choice("a", 10), Choice("b", 5, status="infeasible"), choice("c", 5, 0.9, status="weak")]
    assert pareto(unknown, HIGHEST_RISK, ACCURACY) == ()
    assert pareto([], HIGHEST_RISK, ACCURACY) == ()


@pytest.mark.parametrize(
    ("threshold", "size"), [(0.33, 3), (0.2, 5), (0.09, 11), (0.05, 20), (0.1, 10), (0.3, 4), (0.001, 1000), (1.0, 1)]
)
def test_thresholds_name_class_sizes(threshold: float, size: int) -> None:
    assert size_for(threshold) == size


def test_the_best_within_the_threshold() -> None:
    found = recommend(
        [choice("a", 5, 0.85), choice("b", 20, 0.80), choice("c", 50, 0.70)],
        UTILITIES,
        threshold=0.05,
        baselines={"accuracy": Baseline(0.9, 0.6)},
    )
    assert found.choice is not None
    assert (found.choice.label, found.size) == ("b with k = 20", 20)
    assert found.reason == (
        "2 of 3 choices keep the highest risk within 5% (classes of 20 records or more). Of these, b with k = 20 keeps "
        "most: accuracy (c45) 80%, against 90% from unanonymized rows and 60% by majority."
    )


def test_within_one_standard_error_what_risks_less() -> None:
    choices = [choice("a", 20, 0.80, error=0.02), choice("b", 50, 0.79), choice("c", 100, 0.77)]
    found = recommend(choices, UTILITIES, threshold=0.05)
    assert found.choice is choices[1]
    assert "The best of these is a with k = 20: accuracy (c45) 80%." in found.reason
    near = "Within one standard error of it (2%) is b with k = 50 (79%), which risks less: 2% at most."
    assert near in found.reason
    # Without it, the best one is taken.
    exact = [choice("a", 20, 0.80), *choices[1:]]
    assert recommend(exact, UTILITIES, threshold=0.05).choice is exact[0]


def test_of_equals_the_lowest_risk_then_the_fewest_lost_rows_then_the_first() -> None:
    lower = choice("b", 50, 0.8)
    found = recommend([choice("a", 20, 0.8), lower], UTILITIES, threshold=0.05)
    assert found.choice is lower
    lossless = choice("b", 20, 0.8)
    assert recommend([choice("a", 20, 0.8, limit=0.02), lossless], UTILITIES, threshold=0.05).choice is lossless
    first = choice("z", 20, 0.8)
    assert recommend([first, choice("a", 20, 0.8)], UTILITIES, threshold=0.05).choice is first


def test_why_one_of_those_that_are_near_is_preferred() -> None:
    best = choice("a", 20, 0.80, error=0.02)
    calmer = choice("b", 20, 0.79, figures={"average_risk": 0.001})
    assert "which risks less on average" in recommend([best, calmer], UTILITIES, threshold=0.05).reason
    lossy = choice("a", 20, 0.80, error=0.02, limit=0.02)
    assert "which may lose fewer rows" in recommend([lossy, choice("b", 20, 0.79)], UTILITIES, threshold=0.05).reason
    assert "which was named first" in recommend([choice("b", 20, 0.79), best], UTILITIES, threshold=0.05).reason


def test_nothing_within_the_threshold() -> None:
    found = recommend([choice("a", 5, 0.8), choice("b", 10, 0.7)], UTILITIES, threshold=0.05, counted="people")
    assert found.choice is None
    assert found.reason == (
        "No choice keeps the highest risk within 5% (classes of 20 people or more). The lowest is 10%, by b with "
        "k = 10. Ask for a larger k, or name another threshold."
    )


def test_nothing_at_all() -> None:
    refused = [Choice("a", 5, status="infeasible", reason="No."), Choice("b", 5, status="not begun")]
    found = recommend(refused, UTILITIES, threshold=0.05)
    assert found.choice is None
    assert found.reason.startswith("No release keeps both its guarantee")
    assert found.reason.endswith("1 choice is not finished: that may change it.")
    assert recommend([], UTILITIES, threshold=0.05).choice is None


def test_what_keeps_nothing_or_is_weak_is_not_taken() -> None:
    worthless = choice("a", 100, 0.9, warnings=("The table keeps nothing.",))
    weak = choice("b", 100, 0.9, status="weak")
    sound = choice("c", 20, 0.7)
    found = recommend([worthless, weak, sound], UTILITIES, threshold=0.05)
    assert found.choice is sound
    assert "1 of 3 choices keeps" in found.reason
    assert "1 more does so by keeping next to nothing." in found.reason
    assert recommend([worthless, weak], UTILITIES, threshold=0.05).choice is None


def test_a_score_that_tells_nothing_does_not_decide() -> None:
    choices = [
        choice("a", 20, 0.9, figures={"auc": 0.6, "ncp_kept": 0.2}),
        choice("b", 20, 0.9, figures={"auc": 0.7, "ncp_kept": 0.9}),
    ]
    idle = {"accuracy": Baseline(0.9, 0.9), "auc": Baseline(0.8, 0.5)}
    found = recommend(choices, UTILITIES, threshold=0.05, baselines=idle)
    assert found.choice is choices[1]
    assert "no learner beats the majority (accuracy (c45)), so AUC (c45) decides" in found.reason
    all_idle = {one.name: Baseline(0.5, 0.5) for one in UTILITIES[:-1]}
    assert (
        "so detail kept (1 − ncp) decides" in recommend(choices, UTILITIES, threshold=0.05, baselines=all_idle).reason
    )


def test_a_measure_that_few_choices_have_does_not_decide() -> None:
    """One of three has a score yet: it is no reason to take it."""
    kept = {"ncp_kept": 0.5}
    choices = [choice("a", 20, 0.5, figures=kept), *(choice(name, 20, figures={"ncp_kept": 0.9}) for name in "bc")]
    assert deciding(UTILITIES, choices, {}) == (KEPT, [])
    assert recommend(choices, UTILITIES, threshold=0.05).choice is choices[1]


def test_if_nothing_is_left_to_learn_it_says_so() -> None:
    choices = [choice("a", 20, 0.6), choice("b", 5, 0.8)]
    found = recommend(choices, UTILITIES, threshold=0.05, baselines={"accuracy": Baseline(0.9, 0.6)})
    assert found.void
    assert "None of these beats the majority" in found.reason
    better = recommend(choices, UTILITIES, threshold=0.2, baselines={"accuracy": Baseline(0.9, 0.6)})
    assert "majority:" not in better.reason
    assert not better.void


def test_without_any_measure_the_lowest_risk() -> None:
    found = recommend([choice("a", 20), choice("b", 50)], UTILITIES, threshold=0.05)
    assert found.choice is not None
    assert found.choice.label == "b with k = 50"
    assert "What they keep is not known." in found.reason


def test_a_measure_in_words() -> None:
    assert Measure("mae", "Mean error", "", "utility", lower_is_better=True, share=False).told(12.345) == "12.3"


def test_of_what_risks_the_same_it_takes_what_shows_more() -> None:
    """A person sees cells: of two choices that serve as well, nobody would take the one full of stars."""
    starred = choice("a", 20, 0.80, error=0.02, figures={"ncp_published_kept": 0.2})
    detailed = choice("b", 20, 0.79, figures={"ncp_published_kept": 0.9, "average_risk": 0.04})
    found = recommend([starred, detailed], UTILITIES, threshold=0.05)
    assert found.choice is detailed
    assert "which risks no more and keeps more detail as written: 90% against 20%" in found.reason


def test_what_the_cells_and_the_proportions_show_is_said() -> None:
    taken = choice("optimal", 20, 0.8, cells=Cells(0.05, 0.15, 0.8), alike=(5, 10), figures={"surest_guess": 0.93})
    reason = recommend([taken], UTILITIES, threshold=0.05).reason
    assert "Of its cells, 5% are as they were, 15% generalized, 80% suppressed (*)." in reason
    assert "guess a hidden value with a certainty of up to 93%" in reason
    assert "The very same table results from k = 5 and k = 10." in reason
    silent = replace(taken, figures={**taken.figures, "surest_guess": 0.0})
    assert (
        "Its proportions show no share of a single hidden value."
        in recommend([silent], UTILITIES, threshold=0.05).reason
    )


def test_of_the_same_table_the_largest_k_is_taken() -> None:
    small, large = choice("a", 20, 0.8, alike=(25,)), choice("a", 20, 0.8, alike=(20,))
    large = replace(large, k=25)
    assert recommend([small, large], UTILITIES, threshold=0.05).choice is large
    near = replace(large, figures={**large.figures, "accuracy": 0.75})
    found = recommend([choice("b", 20, 0.8, error=0.1), near], UTILITIES, threshold=0.05)
    assert "which promises a larger k" in found.reason


def test_a_target_that_decides_nothing_is_named() -> None:
    """The learner beats the majority by less than it varies from part to part."""
    choices = [choice("a", 20, 0.77, figures={"ncp_kept": 0.2}), choice("b", 20, 0.76, figures={"ncp_kept": 0.9})]
    scores = {one.name: Baseline(0.77, 0.76, error=0.02) for one in (ACCURACY, AUC, F1)}
    found = recommend(choices, UTILITIES, threshold=0.05, baselines={**scores, "log_loss": Baseline(0.5, 0.5)})
    assert found.choice is choices[1]
    assert "no learner beats the majority by more than a standard error (accuracy (c45), " in found.reason
    assert "the target decides nothing here, so detail kept (1 − ncp) decides." in found.reason
    clear = {one.name: Baseline(0.8, 0.76, error=0.02) for one in UTILITIES[:4]}
    assert recommend(choices, UTILITIES, threshold=0.05, baselines=clear).choice is choices[0]
