"""The errors to expect of a leaf."""

from __future__ import annotations

import pytest
from scipy.special import ndtri

from hedgerow._internal.jit import jit
from hedgerow.anonymizers.trees._pruning_kernels import added_errors as added_errors_kernel

Z = float(ndtri(0.75))


@jit
def added_errors(total: float, wrong: float, confidence: float, quantile: float) -> float:
    """Only kernels can call what is tested here."""
    return added_errors_kernel(total, wrong, confidence, quantile)


@pytest.mark.parametrize("total", [1.0, 6.0, 9.0])
def test_without_errors_the_limit_is_that_of_the_binomial(total: float) -> None:
    """No error in n records has the probability (1 − p)ⁿ, which is 0.25 at p = 1 − 0.25^(1/n)."""
    assert added_errors(total, 0.0, 0.25, Z) / total == pytest.approx(1 - 0.25 ** (1 / total))


def test_with_errors_the_limit_is_that_of_the_normal_approximation() -> None:
    """One error in 16, with the continuity correction: Wilson's upper limit is 0.155, the exact binomial's 0.160."""
    f, n = 1.5 / 16, 16.0
    upper = (f + Z * Z / (2 * n) + Z * (f / n - f * f / n + Z * Z / (4 * n * n)) ** 0.5) / (1 + Z * Z / n)
    assert (1 + added_errors(16.0, 1.0, 0.25, Z)) / 16 == pytest.approx(upper)
    assert upper == pytest.approx(0.1596, abs=0.01)


def test_expected_errors_grow_between_none_and_one_and_never_pass_the_records() -> None:
    none, half, one = (added_errors(10.0, wrong, 0.25, Z) for wrong in (0.0, 0.5, 1.0))
    assert half == pytest.approx((none + one) / 2)
    assert added_errors(3.0, 2.8, 0.25, Z) == pytest.approx(0.2)
