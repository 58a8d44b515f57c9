"""Exact noise: its distribution, at a false alarm of at most 1e-6 for each test, and what these tests would catch."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.privacy import noise
from hedgerow.privacy.noise import bernoulli_exp, choose, discrete_gaussian, uniform

FALSE_ALARM = 1e-6
DRAWS = 200_000


def probability(drawn: Longs, variance: Fraction) -> float:
    """How probable a discrete Gaussian makes what is at least as far from it as these draws: a test of chi-square."""
    deviation = math.sqrt(variance)
    reach = math.ceil(12 * deviation) + 2
    values = np.arange(-reach, reach + 1)
    shares: Floats = np.exp(-(values.astype(np.float64) ** 2) / (2 * float(variance)))
    expected = shares / shares.sum() * len(drawn)
    # At most a hundred cells with enough draws in each.
    cell = np.floor(np.cumsum(expected) / max(len(drawn) / 100, 20)).astype(np.int64)
    cell = np.unique(cell, return_inverse=True)[1]
    counted = np.bincount(cell[np.clip(drawn, -reach, reach) + reach], minlength=cell.max() + 1)
    wanted = np.bincount(cell, weights=expected)
    enough = wanted >= 5
    counted, wanted = (
        np.append(counted[enough], counted[~enough].sum()),
        np.append(wanted[enough], wanted[~enough].sum()),
    )
    keep = wanted > 0
    return float(stats.chisquare(counted[keep], wanted[keep] * counted.sum() / wanted[keep].sum()).pvalue)


@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1), Fraction(7, 3), Fraction(20), Fraction(10_000)])
def test_draws_have_the_distribution_of_the_discrete_gaussian(variance: Fraction) -> None:
    assert probability(discrete_gaussian(variance, DRAWS), variance) > FALSE_ALARM


def test_large_variances_are_drawn_with_integers_of_any_size() -> None:
    drawn = discrete_gaussian(Fraction(10**12), 5_000)
    assert stats.kstest(drawn / 1e6, "norm").pvalue > FALSE_ALARM


@pytest.mark.parametrize("variance", [Fraction(1), Fraction(20), Fraction(10_000)])
@pytest.mark.parametrize("factor", [Fraction(1, 4), Fraction(19, 20)])
def test_less_noise_is_caught(variance: Fraction, factor: Fraction) -> None:
    assert probability(discrete_gaussian(variance * factor, DRAWS), variance) < FALSE_ALARM


@settings(deadline=None)
@given(st.fractions(min_value=Fraction(1, 50), max_value=Fraction(10**7)), st.integers(0, 40))
def test_as_many_are_drawn_as_are_wanted(variance: Fraction, size: int) -> None:
    drawn = discrete_gaussian(variance, size)
    assert drawn.dtype == np.int64
    assert drawn.shape == (size,)


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 3), (1, 3), (1, 1), (7, 3), (5, 1), (10**30, 3 * 10**30)])
def test_bernoulli_draws_have_the_probability_of_the_exponential(numerator: int, denominator: int) -> None:
    numerators = np.full(DRAWS // 10, numerator, dtype=object if numerator > 2**62 else np.int64)
    drawn = int(bernoulli_exp(numerators, denominator).sum())
    wanted = math.exp(-numerator / denominator)
    assert stats.binomtest(drawn, len(numerators), wanted).pvalue > FALSE_ALARM


def test_uniform_draws_reject_words_that_would_make_some_values_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all words of four bits, each of three values gets five: the last word is drawn again."""
    words = iter([np.arange(16, dtype=np.uint64), np.array([15], dtype=np.uint64), np.array([4], dtype=np.uint64)])
    monkeypatch.setattr(noise, "_WORDS", 16)
    monkeypatch.setattr(noise, "_words", lambda size: next(words))
    assert np.bincount(uniform(3, 16)).tolist() == [5, 6, 5]  # 4 is 1 modulo 3
    assert next(words, None) is None


@pytest.mark.parametrize("below", [2**62, 2**62 + 1, 3 * 2**80])
def test_uniform_draws_stay_below_large_numbers(below: int) -> None:
    drawn = [int(value) for value in uniform(below, 2_000)]
    assert all(0 <= value < below for value in drawn)
    assert stats.kstest(np.array([value / below for value in drawn]), "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_choices_have_the_distribution_of_the_exponential_mechanism(epsilon: Fraction) -> None:
    scores, sensitivity = np.array([4, 0, 3, -2]), 2
    drawn = np.bincount([choose(scores, epsilon, sensitivity) for _ in range(4_000)], minlength=4)
    shares = np.exp(float(epsilon) * scores / (2 * sensitivity))
    assert stats.chisquare(drawn, shares / shares.sum() * 4_000).pvalue > FALSE_ALARM


def test_a_choice_that_ignores_the_factor_of_two_is_caught() -> None:
    scores, epsilon = np.array([4, 0, 3, -2]), Fraction(3)
    drawn = np.bincount([choose(scores, 2 * epsilon, 2) for _ in range(4_000)], minlength=4)
    shares = np.exp(float(epsilon) * scores / 4)
    assert stats.chisquare(drawn, shares / shares.sum() * 4_000).pvalue < FALSE_ALARM


@pytest.mark.parametrize(
    "draw",
    [
        lambda: discrete_gaussian(Fraction(10**6), 20),
        lambda: uniform(2**60, 20),
    ],
)
def test_no_seed_decides_what_is_drawn(draw: Callable[[], Longs]) -> None:
    np.random.seed(1)  # noqa: NPY002 - the legacy generator that a caller may have seeded
    first = draw().tolist()
    np.random.seed(1)  # noqa: NPY002
    assert draw().tolist() != first
