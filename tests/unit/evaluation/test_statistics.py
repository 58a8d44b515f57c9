"""Tests of significance against the papers' figures, other libraries and what must not matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlxtend.evaluate import combined_ftest_5x2cv
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hedgerow.errors import BadInput
from hedgerow.evaluation import Friedman, FTest, bonferroni_dunn, five_by_two, friedman

# J. Demšar, JMLR 7, 2006, Table 6: AUC of C4.5 on 14 data sets, as it is and with parameters tuned.
DEMSAR_NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
DEMSAR_TABLE = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        # Voting is printed 0.975 twice, but with the ranks 2 and 3: the scores differ in a digit that is not shown.
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)
# His Table 5(b), for 2 to 10 classifiers. For 9 at 0.05 it says 2.724, which is a slip: the quantile is 2.734.
DEMSAR_QUANTILES = {
    0.05: (1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773),
    0.10: (1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539),
}

PAIRS = ((0.02, 0.03), (0.02, 0.01), (0.03, 0.03), (0.01, 0.02), (0.02, 0.03))


def named(table: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """The columns of a table of scores, each with the name of a method."""
    columns = np.asarray(table).T
    return dict(zip(names or [f"m{at}" for at in range(len(columns))], columns, strict=True))


@pytest.fixture
def demsar() -> Friedman:
    """The worked example of Demšar's section 3.2.2."""
    return friedman(named(DEMSAR_TABLE, DEMSAR_NAMES))


# ---- two learners


def test_five_by_two_by_hand() -> None:
    """In hundredths: 54 over 2 · (0.5 + 0.5 + 0 + 0.5 + 0.5)."""
    test = five_by_two(PAIRS)
    assert test.statistic == pytest.approx(54 / 4)
    assert test.p == pytest.approx(stats.f.sf(13.5, 10, 5))


def test_the_critical_value_of_the_paper() -> None:
    """Alpaydin (1999): the learners differ, with a confidence of 0.95, if F is larger than 4.74."""
    # F is (x² + 1) / (x − 1)², so this x makes it 4.74.
    x = (4.74 + math.sqrt(2 * 4.74 - 1)) / (4.74 - 1)
    test = five_by_two([*[(0, 0)] * 4, (x, 1)])
    assert test.statistic == pytest.approx(4.74)
    assert test.p == pytest.approx(0.05, abs=2e-4)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_five_by_two_equals_mlxtend(seed: int) -> None:
    X, y = make_classification(n_samples=120, n_features=5, flip_y=0.1, random_state=seed)
    one, other = DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()
    expected, p = combined_ftest_5x2cv(one, other, X, y, random_seed=seed)

    def difference(training: Any, testing: Any) -> float:
        first, second = (learner.fit(X[training], y[training]) for learner in (one, other))
        return float(first.score(X[testing], y[testing]) - second.score(X[testing], y[testing]))

    draws = np.random.RandomState(seed)
    differences = []
    for _ in range(5):
        halves = train_test_split(np.arange(len(y)), test_size=0.5, random_state=draws.randint(low=0, high=32767))
        differences.append([difference(*halves), difference(*reversed(halves))])
    test = five_by_two(differences)
    assert test.statistic == pytest.approx(expected, rel=1e-9)
    assert test.p == pytest.approx(p, rel=1e-9)
    assert expected > 0  # or nothing was compared


def test_learners_that_never_differ() -> None:
    assert five_by_two([(0, 0)] * 5) == FTest(0.0, 1.0)


@pytest.mark.parametrize("pairs", [[(0.1, 0.1)] * 5, [(0.1, 0.1), (-0.3, -0.3), (0, 0), (0.7, 0.7), (1 / 3, 1 / 3)]])
def test_learners_that_differ_without_variance(pairs: list[tuple[float, float]]) -> None:
    assert five_by_two(pairs) == FTest(math.inf, 0.0)


def test_significance_is_at_a_level() -> None:
    assert FTest(4.0, 0.05).significant()
    assert not FTest(4.0, 0.0501).significant()
    assert not FTest(4.0, 0.05).significant(alpha=0.01)
    assert FTest(4.0, 0.05).significant(alpha=0.1)


pairs_of_numbers = st.lists(st.tuples(*[st.integers(-1000, 1000)] * 2), min_size=5, max_size=5)


@given(pairs_of_numbers)
def test_which_learner_comes_first_does_not_matter(pairs: list[tuple[int, int]]) -> None:
    assert five_by_two([(-one, -other) for one, other in pairs]) == five_by_two(pairs)


@given(pairs_of_numbers, st.permutations(range(5)))
def test_the_order_of_folds_and_repetitions_does_not_matter(pairs: list[tuple[int, int]], order: list[int]) -> None:
    expected = five_by_two(pairs)
    test = five_by_two([pairs[at][::-1] for at in order])
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p == pytest.approx(expected.p)


@pytest.mark.parametrize("unit", [1e-250, 1e-6, 1e250])
def test_the_unit_of_the_scores_does_not_matter(unit: float) -> None:
    test = five_by_two(np.array(PAIRS) * unit)
    assert test.statistic == pytest.approx(13.5)


@pytest.mark.parametrize(
    "pairs",
    [
        PAIRS[:4],
        [*PAIRS, (0.1, 0.2)],
        [0.1] * 10,
        [(0.1, 0.2, 0.3)] * 5,
        [*PAIRS[:4], (0.1,)],
        [*PAIRS[:4], (0.1, math.nan)],
        [*PAIRS[:4], (0.1, math.inf)],
        [*PAIRS[:4], (0.1, None)],
        [("0.1", "0.2")] * 5,
        [(True, False)] * 5,
        [],
        None,
    ],
)
def test_what_is_not_five_pairs(pairs: Any) -> None:
    with pytest.raises(BadInput, match="'differences' parameter of five_by_two must be five pairs of finite numbers"):
        five_by_two(pairs)


# ---- several methods


def test_the_example_of_demsar(demsar: Friedman) -> None:
    assert {name: round(rank, 3) for name, rank in demsar.ranks.items()} == {
        "C4.5": 3.143,
        "C4.5+m": 2.000,
        "C4.5+cf": 2.893,
        "C4.5+m+cf": 1.964,
    }
    assert demsar.cases == 14
    assert round(demsar.chi2, 2) == 9.28
    assert round(demsar.statistic, 2) == 3.69
    assert demsar.p == pytest.approx(stats.f.sf(demsar.statistic, 3, 39))


def test_friedman_equals_scipy_without_ties() -> None:
    random = np.random.default_rng(0)
    for methods, cases in [(3, 10), (5, 7), (8, 40)]:
        table = random.normal(size=(cases, methods)) + np.arange(methods) / 4
        test = friedman(named(table))
        assert test.chi2 == pytest.approx(stats.friedmanchisquare(*table.T).statistic)
        assert list(test.ranks.values()) == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0))
        above = (cases - 1) * test.chi2
        assert test.statistic == pytest.approx(above / (cases * (methods - 1) - test.chi2))
        assert test.p == pytest.approx(stats.f.sf(test.statistic, methods - 1, (methods - 1) * (cases - 1)))


def test_ties_are_not_corrected() -> None:
    """SciPy divides by 1 − Σ(t³ − t) / (N k (k² − 1)): here one pair among three, in one of four cases."""
    table = np.array([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 2, 1]])
    corrected = stats.friedmanchisquare(*table.T).statistic
    assert friedman(named(table)).chi2 == pytest.approx(corrected * (1 - 6 / (4 * 24)))


def test_two_methods() -> None:
    """Ranks 1.2 and 1.8: chi² = 12 · 5 / 6 · 2 · 0.3² = 1.8, and F = 4 · 1.8 / (5 − 1.8)."""
    test = friedman({"a": [2, 2, 2, 2, 1], "b": [1, 1, 1, 1, 2]})
    assert dict(test.ranks) == {"a": 1.2, "b": 1.8}
    assert test.chi2 == pytest.approx(1.8)
    assert test.statistic == pytest.approx(2.25)
    assert test.p == pytest.approx(stats.f.sf(2.25, 1, 4))


@pytest.mark.parametrize("methods", range(2, 9))
@pytest.mark.parametrize("cases", [2, 3, 7, 11])
def test_perfect_agreement(methods: int, cases: int) -> None:
    test = friedman(named(np.tile(np.arange(methods), (cases, 1))))
    assert list(test.ranks.values()) == list(range(methods, 0, -1))
    assert test.chi2 == pytest.approx(cases * (methods - 1))
    assert (test.statistic, test.p) == (math.inf, 0.0)


def test_methods_that_never_differ() -> None:
    test = friedman({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3]})
    assert test == Friedman({"a": 2.0, "b": 2.0, "c": 2.0}, 3, 0.0, 0.0, 1.0)


tables = st.integers(2, 6).flatmap(
    lambda methods: st.lists(
        st.lists(st.integers(-3, 3), min_size=methods, max_size=methods),
        min_size=2,
        max_size=8,
    )
)


@given(tables)
def test_ranks_are_those_of_scipy_with_ties(table: list[list[int]]) -> None:
    ranks = stats.rankdata(-np.array(table), axis=1).mean(axis=0)
    assert list(friedman(named(table)).ranks.values()) == pytest.approx(ranks)


@given(tables, st.randoms(use_true_random=False))
def test_permuting_methods_permutes_their_ranks(table: list[list[int]], random: Any) -> None:
    scores = named(table)
    order = sorted(scores, key=lambda _: random.random())
    test = friedman({name: scores[name] for name in order})
    assert list(test.ranks) == order
    assert test == friedman(scores)


@given(tables, st.data())
def test_a_constant_that_is_added_to_a_case_changes_nothing(table: list[list[int]], data: st.DataObject) -> None:
    constants = data.draw(st.lists(st.integers(-100, 100), min_size=len(table), max_size=len(table)))
    assert friedman(named(np.array(table) + np.array(constants)[:, None])) == friedman(named(table))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "two or more names"),
        ({"a": [1, 2]}, r"two or more names of methods to their scores\. Got \['a'\] instead"),
        ({1: [1, 2], 2: [2, 1]}, "two or more names"),
        ([[1, 2], [2, 1]], "Got 'list' instead"),
        ({"a": [1, 2], "b": [1]}, "scores of 'b' must be two or more finite numbers"),
        ({"a": [1], "b": [2]}, "scores of 'a'"),
        ({"a": [1, 2], "b": [1, math.nan]}, "scores of 'b'"),
        ({"a": [1, -math.inf], "b": [1, 2]}, "scores of 'a'"),
        ({"a": [1, 2], "b": ["1", "2"]}, "scores of 'b'"),
        ({"a": [1, 2], "b": [1, None]}, "scores of 'b'"),
        ({"a": [1, 2], "b": [[1, 2], [3, 4]]}, "scores of 'b'"),
        ({"a": [1, 2], "b": [[1, 2], [3]]}, "scores of 'b'"),
        ({"a": [1, 2], "b": 3}, "scores of 'b'"),
        ({"a": [1, 2], "b": [1, 2, 3]}, "'a' has 2 scores, 'b' has 3"),
    ],
)
def test_scores_that_cannot_be_ranked(scores: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        friedman(scores)


# ---- against a control


def test_the_comparison_of_demsar(demsar: Friedman) -> None:
    dunn = bonferroni_dunn(demsar, "C4.5")
    assert (dunn.control, dunn.alpha) == ("C4.5", 0.05)
    # Printed 2.394 · √(4·5 / (6·14)) = 1.16, which is 1.168 cut off, not rounded.
    assert dunn.critical_difference == pytest.approx(2.394 * math.sqrt(20 / 84), abs=5e-4)
    assert math.floor(dunn.critical_difference * 100) == 116
    assert {name: round(gap, 3) for name, gap in dunn.differences.items()} == {
        "C4.5+m": -1.143,
        "C4.5+cf": -0.250,
        "C4.5+m+cf": -1.179,
    }
    # "C4.5+m+cf performs significantly better", and C4.5+m is just below the critical difference.
    assert dunn.worse_than == ("C4.5+m+cf",)
    assert dunn.better_than == ()


def test_a_weaker_level_finds_more(demsar: Friedman) -> None:
    dunn = bonferroni_dunn(demsar, "C4.5", alpha=0.10)
    assert round(dunn.critical_difference, 2) == 1.04
    assert dunn.worse_than == ("C4.5+m", "C4.5+m+cf")


def test_the_other_way_round(demsar: Friedman) -> None:
    dunn = bonferroni_dunn(demsar, "C4.5+m+cf")
    assert dunn.better_than == ("C4.5",)
    assert dunn.worse_than == ()
    assert dunn.differences["C4.5"] == pytest.approx(33 / 28)


@pytest.mark.parametrize("alpha", DEMSAR_QUANTILES)
def test_the_quantiles_of_demsar(alpha: float) -> None:
    for methods, expected in enumerate(DEMSAR_QUANTILES[alpha], 2):
        test = Friedman({f"m{at}": (methods + 1) / 2 for at in range(methods)}, 6, 0.0, 0.0, 1.0)
        dunn = bonferroni_dunn(test, "m0", alpha)
        quantile = dunn.critical_difference / math.sqrt(methods * (methods + 1) / 36)
        assert round(quantile, 3) == expected
        assert quantile == pytest.approx(stats.norm.isf(alpha / (2 * (methods - 1))), rel=1e-12)


def test_a_difference_as_large_as_the_critical_one_counts() -> None:
    test = Friedman({"a": 1.0, "b": 2.0, "c": 3.0}, 10, 20.0, math.inf, 0.0)
    dunn = bonferroni_dunn(test, "b")
    at_the_edge = type(dunn)("b", 0.05, 1.0, dunn.differences)
    assert (at_the_edge.better_than, at_the_edge.worse_than) == (("c",), ("a",))
    beyond = type(dunn)("b", 0.05, math.nextafter(1.0, 2.0), dunn.differences)
    assert (beyond.better_than, beyond.worse_than) == ((), ())


def test_a_control_that_is_not_there(demsar: Friedman) -> None:
    with pytest.raises(BadInput, match=r"There is no method 'C4.5\+n'. Did you mean 'C4.5\+m'\?"):
        bonferroni_dunn(demsar, "C4.5+n")


@pytest.mark.parametrize("alpha", [0, 1, -0.05, 5, math.nan, "0.05", True, None])
def test_what_is_no_level(alpha: Any, demsar: Friedman) -> None:
    with pytest.raises(BadInput, match="'alpha' parameter of bonferroni_dunn must be a number between 0 and 1"):
        bonferroni_dunn(demsar, "C4.5", alpha)
    with pytest.raises(BadInput, match="'alpha' parameter of significant must be a number between 0 and 1"):
        FTest(4.0, 0.05).significant(alpha)
