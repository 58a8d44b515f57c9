"""What privacy costs, in ρ of zero-concentrated differential privacy (zCDP), and what a ρ means to people.

A mechanism M is ρ-zCDP if, for all tables x and x' that differ by adding or removing one person and all α > 1, the
Rényi divergence of order α between M(x) and M(x') is at most ρα (M. Bun and T. Steinke, *Concentrated differential
privacy*, TCC 2016). Three facts make it an accountant:

* **It adds up.** A mechanism of ρ1, followed by one of ρ2 that sees the result of the first, is (ρ1 + ρ2)-zCDP.
* **It survives post-processing.** What is computed from the result alone costs nothing.
* **It grows with the square of a group.** Tables that differ by two people, or by replacing a person, have the
  divergence 4ρα.

**Membership.** An attacker says "member" for some results. Their advantage is the share of members for which they say
so minus that of the others, at most the total variation distance between M(x) and M(x'). For α → 1 the divergence is
that of Kullback and Leibler, hence at most ρ, and by Pinsker's inequality the distance is at most √(ρ/2). By that of
Bretagnolle and Huber it is at most √(1 - exp(-ρ)), which is smaller for ρ above 1.6. As ρ → 0, √(ρ/2) is the best that
holds for every ρ-zCDP mechanism: randomized response with the parameter ε has the advantage tanh(ε/2) ≈ ε/2, and a ρ of
about ε²/2. For a single continuous Gaussian 2Φ(√(ρ/2)) - 1 would hold, a fifth less. This is *not* claimed here, where
noise is discrete and mixed with choices.

**A secret of a known member** is the replacement of a person: the advantage for any property of theirs, such as
their label, is at most √(4ρ/2) = 2√(ρ/2).

**(ε, δ).** ρ-zCDP implies (ε, δ)-differential privacy with δ = exp((α - 1)(αρ - ε)) / (α - 1) · (1 - 1/α)^α for *every*
α > 1 (Canonne, Kamath and Steinke 2020, Corollary 13). So α is looked for in floating point, and the formula is
evaluated once, with 50 digits.

All figures are rounded against us: what is spent is an exact fraction, bounds are rounded up, budgets down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Final, Literal

from hedgerow.errors import BadInput, InternalError

__all__ = ["Accountant", "Budget", "Charge", "choice_epsilon", "gaussian_variance"]

_DIGITS: Final = 50
_SLACK: Final = Decimal(10) ** -40
"""More than the error of a bound that is evaluated with 50 digits, relative to it."""
_SHOWN_PARTS: Final = 10**6
_SHOWN: Final = 1 / Decimal(_SHOWN_PARTS)
"""The precision of what is reported."""
_STEPS: Final = 200
"""Halvings of an interval: enough for any double."""


@dataclass(frozen=True, order=True)
class Budget:
    """An amount of privacy loss: ρ of zero-concentrated differential privacy.

    Name it in the language that you know: :meth:`of_advantage` or :meth:`of_epsilon`. Amounts add up exactly.

    Parameters
    ----------
    rho : Fraction

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.privacy.Budget.of_advantage("0.05").rho
    Fraction(1, 200)
    >>> budget = hr.privacy.Budget.of_epsilon(1, 1e-5)
    >>> round(float(budget.rho), 4), budget.advantage, budget.label_advantage
    (0.0306, 0.123606, 0.247211)
    >>> (budget + budget).epsilon(1e-5)
    1.460045
    """

    rho: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.rho, Fraction) or self.rho < 0:
            raise BadInput.parameter("rho", "Budget", "a Fraction of at least 0", self.rho)

    @classmethod
    def of_advantage(cls, max_advantage: float | str | Fraction) -> Budget:
        """The budget for which an attacker tells members from others by at most so much better than chance.

        Parameters
        ----------
        max_advantage : float
            TPR - FPR, such as 0.05 for 5 points.
        """
        bound = _fraction("max_advantage", max_advantage)
        if not 0 < bound < 1:
            raise BadInput.parameter("max_advantage", "Budget", "between 0 and 1", max_advantage)
        return cls(2 * bound * bound)

    @classmethod
    def of_epsilon(cls, epsilon: float | str | Fraction, delta: float | str | Fraction) -> Budget:
        """The largest budget that implies (epsilon, delta)-differential privacy, rounded down.

        Parameters
        ----------
        epsilon : float
        delta : float
        """
        wanted, allowed = _fraction("epsilon", epsilon), _checked_delta(delta)
        if not 0 < wanted <= _MOST_EPSILON:
            raise BadInput.parameter("epsilon", "Budget", f"above 0 and at most {_MOST_EPSILON}", epsilon)
        low, high = Fraction(0), wanted  # ρ-zCDP has an ε above ρ for every small δ
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if _epsilon(middle, allowed) <= _decimal(wanted) else (low, middle)
        return cls(low)

    @property
    def advantage(self) -> float:
        """The most by which an attacker tells members from others better than chance: TPR - FPR."""
        return _advantage(self.rho)

    @property
    def label_advantage(self) -> float:
        """The most by which an attacker guesses a secret of a known member better than chance."""
        return _advantage(4 * self.rho)

    def epsilon(self, delta: float | str | Fraction) -> float:
        """The ε of (ε, δ)-differential privacy that this budget implies, rounded up."""
        return _rounded_up(_epsilon(self.rho, _checked_delta(delta)))

    def delta(self, epsilon: float | str | Fraction) -> float:
        """The δ of (ε, δ)-differential privacy that this budget implies, rounded up to three digits."""
        bound = _delta(self.rho, _fraction("epsilon", epsilon))
        with localcontext(prec=3, rounding=ROUND_CEILING):
            return float(+bound)

    def share(self, part: Fraction) -> Budget:
        """A part of this budget."""
        return Budget(self.rho * part)

    def __add__(self, other: Budget) -> Budget:
        return Budget(self.rho + other.rho)


@dataclass(frozen=True)
class Charge:
    """What a step of a mechanism spent.

    Parameters
    ----------
    step : str
    mechanism : {"discrete Gaussian", "exponential"}
    times : int
        How often it was used.
    sensitivity : int
        How much a person changes a vector of counts, in the Euclidean norm, or a score.
    parameter : Fraction
        The variance of the noise, or the ε of the exponential mechanism.
    """

    step: str
    mechanism: Literal["discrete Gaussian", "exponential"]
    times: int
    sensitivity: int
    parameter: Fraction

    @property
    def rho(self) -> Fraction:
        """What all of its uses cost."""
        if self.mechanism == "exponential":
            return self.times * self.parameter**2 / 8
        return self.times * Fraction(self.sensitivity**2) / (2 * self.parameter)


class Accountant:
    """Refuses what a budget does not have, and lists what was spent.

    >>> accountant = Accountant(Budget.of_advantage("0.05"))
    >>> accountant.spend(Charge("counts", "discrete Gaussian", 1, 1, Fraction(100)))
    >>> accountant.spent
    Budget(rho=Fraction(1, 200))
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.charges: list[Charge] = []

    @property
    def spent(self) -> Budget:
        """The sum of all charges."""
        return Budget(sum((charge.rho for charge in self.charges), Fraction(0)))

    def spend(self, charge: Charge) -> None:
        """Charge a step before it is carried out."""
        if self.spent.rho + charge.rho > self.budget.rho:
            raise InternalError("a step costs more than what is left of the privacy budget")
        self.charges.append(charge)


_MOST_EPSILON: Final = 64
"""Above it a promise means nothing."""
_HALVINGS: Final = 80
"""Of the interval that a budget lies in: it is lower than it might be by less than a relative 1e-20."""


def gaussian_variance(rho: Fraction, sensitivity: int) -> Fraction:
    """The variance of discrete Gaussian noise that costs at most ρ, rounded up to a fraction with a small denominator.

    Noise of the variance v costs sensitivity² / (2v).

    >>> gaussian_variance(Fraction(1, 50), 1)
    Fraction(25, 1)
    """
    exact = Fraction(sensitivity * sensitivity) / (2 * rho)
    return Fraction(math.ceil(exact * _PARTS), _PARTS)


_PARTS: Final = 64


def choice_epsilon(rho: Fraction) -> Fraction:
    """The ε of an exponential mechanism that costs at most ρ, which is ε² / 8; rounded down.

    >>> choice_epsilon(Fraction(1, 2))
    Fraction(2, 1)
    """
    return Fraction(isqrt(math.floor(8 * rho * _ROOTS * _ROOTS)), _ROOTS)


_ROOTS: Final = 2**20


def _advantage(rho: Fraction) -> float:
    # The square root is exact: the least integer whose square is not below.
    squared = math.ceil(rho / 2 * _SHOWN_PARTS**2)
    pinsker = (isqrt(squared - 1) + 1 if squared else 0) / _SHOWN_PARTS
    with localcontext(prec=_DIGITS):
        bretagnolle_huber = (1 - (-_decimal(rho)).exp()).sqrt()
        return min(pinsker, _rounded_up(bretagnolle_huber * (1 + _SLACK)))


def _epsilon(rho: Fraction, delta: Fraction) -> Decimal:
    """An ε that (ρ, δ) imply: the formula for δ, solved for ε, at the best α that a search meets."""
    if not rho:
        return Decimal(0)
    r, log_delta = float(rho), math.log(delta)

    def at(alpha: float) -> float:
        return r * alpha + ((alpha - 1) * math.log1p(-1 / alpha) - math.log(alpha) - log_delta) / (alpha - 1)

    alpha = _lowest(at)
    with localcontext(prec=_DIGITS):
        a, log_d = Decimal(alpha), _decimal(delta).ln()
        bound = _decimal(rho) * a + ((a - 1) * (1 - 1 / a).ln() - a.ln() - log_d) / (a - 1)
        return max(bound + abs(bound) * _SLACK + _SLACK, Decimal(0))


def _delta(rho: Fraction, epsilon: Fraction) -> Decimal:
    if not rho:
        return Decimal(0)
    r, e = float(rho), float(epsilon)

    def at(alpha: float) -> float:
        return (alpha - 1) * (alpha * r - e) - math.log(alpha - 1) + alpha * math.log1p(-1 / alpha)

    alpha = _lowest(at)
    with localcontext(prec=_DIGITS):
        a = Decimal(alpha)
        exponent = (a - 1) * (a * _decimal(rho) - _decimal(epsilon)) - (a - 1).ln() + a * (1 - 1 / a).ln()
        return min(exponent.exp() * (1 + _SLACK), Decimal(1))


def _lowest(of: Callable[[float], float]) -> float:
    """An α with a low value, by a search along its logarithm. Every α is valid; a bad one only costs precision."""
    low, high = math.log(1e-6), math.log(1e9)  # of α - 1
    for _ in range(_STEPS):
        third = (high - low) / 3
        if of(1 + math.exp(low + third)) < of(1 + math.exp(high - third)):
            high -= third
        else:
            low += third
    return 1 + math.exp((low + high) / 2)


def _decimal(exact: Fraction) -> Decimal:
    with localcontext(prec=_DIGITS):
        return Decimal(exact.numerator) / Decimal(exact.denominator)


def _rounded_up(bound: Decimal) -> float:
    """A bound to six decimals, upwards."""
    return float(bound.quantize(_SHOWN, rounding=ROUND_CEILING))


def _checked_delta(delta: float | str | Fraction) -> Fraction:
    exact = _fraction("delta", delta)
    if not 0 < exact < 1:
        raise BadInput.parameter("delta", "Budget", "between 0 and 1", delta)
    return exact


def _fraction(name: str, given: float | str | Fraction) -> Fraction:
    """A number as it is written: 0.1 is a tenth, and not the double next to it."""
    try:
        return given if isinstance(given, Fraction) else Fraction(str(given))
    except ValueError:
        raise BadInput.parameter(name, "Budget", "a number", given) from None
