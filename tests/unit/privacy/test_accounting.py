"""What a ρ means: golden values, bounds that hold, rounding against us, and sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from hedgerow.errors import BadInput, InternalError
from hedgerow.privacy.accounting import Accountant, Budget, Charge, choice_epsilon, gaussian_variance

RHOS = st.fractions(min_value=Fraction(1, 10_000), max_value=Fraction(3), max_denominator=10_000)


@pytest.mark.parametrize(("epsilon", "rho", "points"), [(1, 0.0305, 12.4), (2, 0.1082, 23.3), (3, 0.2242, 33.5)])
def test_budgets_of_epsilon_at_delta_1e_5(epsilon: int, rho: float, points: float) -> None:
    budget = Budget.of_epsilon(epsilon, "1e-5")
    assert math.floor(float(budget.rho) * 10_000) / 10_000 == rho
    assert round(100 * budget.advantage, 1) == points
    assert budget.epsilon("1e-5") == epsilon
    assert budget.delta(epsilon) == 1e-5


def test_a_budget_of_an_advantage_is_exact() -> None:
    assert Budget.of_advantage(0.05) == Budget(Fraction(1, 200))
    assert Budget.of_advantage(0.05).advantage == 0.05
    assert Budget.of_advantage(0.05).label_advantage == 0.1


@settings(deadline=None)
@given(RHOS, st.sampled_from(["1e-5", "1e-6", "0.01"]))
def test_conversions_are_not_below_the_best_of_a_fine_grid(rho: Fraction, delta: str) -> None:
    """An independent formula, at a hundred thousand α: no bound of ours is better than the truth allows."""
    alpha = 1 + np.geomspace(1e-4, 1e6, 100_000)
    r, d = float(rho), float(delta)
    epsilons = alpha * r + np.log(1 / (alpha * d)) / (alpha - 1) + np.log1p(-1 / alpha)
    best = max(float(epsilons.min()), 0.0)
    assert best * (1 - 1e-9) - 1e-9 <= Budget(rho).epsilon(delta) <= best + 2e-6 + 1e-6 * best


@settings(deadline=None)
@given(RHOS)
def test_budgets_of_epsilon_do_not_promise_too_much(rho: Fraction) -> None:
    epsilon = Budget(rho).epsilon("1e-5")
    again = Budget.of_epsilon(str(epsilon), "1e-5")
    assert rho <= again.rho * (1 + Fraction(1, 10**15))  # epsilon was rounded up
    assert again.epsilon("1e-5") <= epsilon


@settings(deadline=None)
@given(RHOS)
def test_bounds_hold_for_the_gaussian(rho: Fraction) -> None:
    """The exact advantage and δ of Gaussian noise (Balle and Wang, ICML 2018) are below the bounds for every ρ-zCDP."""
    mean = math.sqrt(2 * float(rho))
    assert 2 * norm.cdf(mean / 2) - 1 <= Budget(rho).advantage
    assert 2 * norm.cdf(mean) - 1 <= Budget(rho).label_advantage
    for epsilon in (0.5, 2.0):
        exact = norm.cdf(mean / 2 - epsilon / mean) - math.exp(epsilon) * norm.cdf(-mean / 2 - epsilon / mean)
        assert exact <= Budget(rho).delta(epsilon)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
def test_the_advantage_is_the_best_that_holds_for_every_mechanism(epsilon: float) -> None:
    """Randomized response reaches the bound as ε goes to 0: a smaller constant would be wrong."""
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    alphas = 1 + np.geomspace(1e-3, 1e2, 2_000)
    divergence = np.log(p**alphas * (1 - p) ** (1 - alphas) + (1 - p) ** alphas * p ** (1 - alphas)) / (alphas - 1)
    rho = float((divergence / alphas).max())
    bound = Budget(Fraction(rho)).advantage
    assert 2 * p - 1 <= bound + 1e-6
    assert 2 * p - 1 >= 0.9 * bound


@settings(deadline=None)
@given(RHOS)
def test_steps_cost_at_most_what_they_were_given(rho: Fraction) -> None:
    for most_rows in (1, 3):
        gaussian = Charge("", "discrete Gaussian", 1, most_rows, gaussian_variance(rho, most_rows))
        assert rho * Fraction(9, 10) <= gaussian.rho <= rho or gaussian.parameter <= 1
        assert gaussian.rho <= rho
    chosen = Charge("", "exponential", 1, 1, choice_epsilon(rho))
    assert rho * Fraction(999, 1000) <= chosen.rho <= rho


@pytest.mark.parametrize("rows", [2, 5])
def test_the_exponential_mechanism_costs_an_eighth_of_epsilon_squared(rows: int) -> None:
    """Brute force: scores of neighbours differ by at most 1, and every order of the divergence stays below."""
    rng = np.random.default_rng(0)
    epsilon = 1.3
    alphas = 1 + np.geomspace(1e-3, 1e2, 200)
    largest = 0.0
    for _ in range(300):
        scores = rng.integers(-3, 4, size=rows)
        other = scores + rng.integers(-1, 2, size=rows)
        one, two = (np.exp(epsilon * s / 2) / np.exp(epsilon * s / 2).sum() for s in (scores, other))
        divergences = np.log((one ** alphas[:, None] * two ** (1 - alphas[:, None])).sum(axis=1)) / (alphas - 1)
        largest = max(largest, float((divergences / alphas).max()))
    assert 0.5 * epsilon**2 / 8 < largest <= epsilon**2 / 8


def test_an_accountant_adds_up_and_refuses_what_is_not_left() -> None:
    accountant = Accountant(Budget(Fraction(1, 10)))
    step = Charge("counts", "discrete Gaussian", 2, 1, Fraction(25))
    accountant.spend(step)
    accountant.spend(Charge("chosen", "exponential", 1, 1, Fraction(2, 5)))
    assert accountant.spent == Budget(Fraction(1, 25) + Fraction(1, 50))
    with pytest.raises(InternalError, match="privacy budget"):
        accountant.spend(step.__class__("more", "discrete Gaussian", 1, 1, Fraction(10)))
    assert len(accountant.charges) == 2


@pytest.mark.parametrize("given_", [0, 1, -0.1, "x", float("nan")])
def test_impossible_advantages_are_refused(given_: float) -> None:
    with pytest.raises(BadInput, match="max_advantage"):
        Budget.of_advantage(given_)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (65, 0.1), (1, 0), (1, 1), ("x", 0.1)])
def test_impossible_epsilons_are_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(BadInput, match=r"'(epsilon|delta)' parameter"):
        Budget.of_epsilon(epsilon, delta)
