"""Exact noise: discrete Gaussians and the exponential mechanism, drawn from the system's randomness.

A floating-point sampler has gaps between its values, and from these an attacker reads what the noise should hide (I.
Mironov, *On significance of the least significant bits for differential privacy*, CCS 2012). Nothing here is a
floating-point number: every draw is a comparison of an integer with a uniform integer.

C. L. Canonne, G. Kamath and T. Steinke, *The discrete Gaussian for differential privacy*, NeurIPS 2020: their Algorithm
1 is :func:`bernoulli_exp`, Algorithm 2 is ``_discrete_laplace`` and Algorithm 3 is :func:`discrete_gaussian`.

**Deviation**: many draws run side by side. A draw does not depend on the others, so each has the distribution of the
paper. Arrays hold 64-bit integers as long as these suffice, then Python's integers of any size.

How long a draw takes depends on its value. Timing is outside the guarantee.
"""

from __future__ import annotations

import os
import secrets
from fractions import Fraction
from math import isqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Longs, Words
from hedgerow.errors import InternalError

__all__ = ["bernoulli_exp", "choose", "discrete_gaussian", "uniform"]

Integers: TypeAlias = NDArray[Any]
"""An array of 64-bit integers, or of Python's."""

_LARGEST: Final = 2**62
"""What products must stay below to fit into 64 bits."""
_WORDS: Final = 2**64
_MARGIN: Final = 16
"""Draws beyond the expected number, so that a round of rejection is rarely repeated."""


def uniform(below: int, size: int) -> Integers:
    """Independent integers from 0 to ``below - 1``, all equally probable.

    A word of the system's randomness is drawn again if it is above the last multiple of ``below``.

    >>> uniform(1, 3).tolist()
    [0, 0, 0]
    """
    if below < 1:
        raise InternalError("a uniform draw has no values")
    if below > _LARGEST:
        return np.array([secrets.randbelow(below) for _ in range(size)], dtype=object)
    last = _WORDS - _WORDS % below - 1
    words = _words(size)
    while (again := np.flatnonzero(words > last)).size:
        words[again] = _words(again.size)
    return (words % np.uint64(below)).astype(np.int64)


def _words(size: int) -> Words:
    return np.frombuffer(os.urandom(8 * size), dtype=np.uint64).copy()


def bernoulli_exp(numerators: Integers, denominator: int) -> Bools:
    """One independent draw for each ``γ = numerator / denominator >= 0``: true with the probability exp(-γ).

    Algorithm 1 of the paper. For γ up to 1, let K be the first k at which a draw with the probability γ/k fails; then K
    exceeds k with the probability γ^k / k!, so K is odd with the probability 1 - γ + γ²/2! - … = exp(-γ). A larger γ
    takes this for its fraction, and for 1 as often as its whole part says.

    >>> bernoulli_exp(np.array([0, 10**6]), 1).tolist()
    [True, False]
    """
    whole, part = numerators // denominator, numerators % denominator
    drawn = _bernoulli_exp_part(part, denominator)
    alive = np.flatnonzero(drawn & (whole > 0))
    done = 0
    while alive.size:
        passed = _bernoulli_exp_part(np.ones(alive.size, dtype=np.int64), 1)
        drawn[alive[~passed]] = False
        done += 1
        alive = alive[passed]
        alive = alive[whole[alive] > done]
    return drawn


def _bernoulli_exp_part(numerators: Integers, denominator: int) -> Bools:
    """The draws of :func:`bernoulli_exp` for γ from 0 to 1."""
    odd = np.zeros(len(numerators), dtype=bool)
    alive = np.arange(len(numerators))
    k = 0
    while alive.size:
        k += 1
        odd[alive] = k % 2 == 1
        alive = alive[uniform(denominator * k, alive.size) < numerators[alive]]
    return odd


def _discrete_laplace(scale: int, size: int) -> Longs:
    """Draws of y with a probability proportional to exp(-|y| / scale), as many as are accepted of ``size`` tries.

    Algorithm 2 of the paper, for an integer scale. A magnitude is ``u + scale * v``: u is uniform and accepted with the
    probability exp(-u / scale), v counts successes of probability exp(-1). Of the two zeros, one is rejected.
    """
    rest = uniform(scale, size)
    rest = rest[bernoulli_exp(rest, scale)].astype(np.int64)
    multiples = np.zeros(rest.size, dtype=np.int64)
    alive = np.arange(rest.size)
    while alive.size:
        alive = alive[_bernoulli_exp_part(np.ones(alive.size, dtype=np.int64), 1)]
        multiples[alive] += 1
    magnitudes = rest + scale * multiples
    negative = uniform(2, magnitudes.size) == 1
    drawn: Longs = np.where(negative, -magnitudes, magnitudes)[~(negative & (magnitudes == 0))]
    return drawn


def discrete_gaussian(variance: Fraction, size: int) -> Longs:
    """Independent draws of y with a probability proportional to exp(-y² / (2 variance)), over all integers.

    Algorithm 3 of the paper: a discrete Laplace y of the scale t = ⌊√variance⌋ + 1 is accepted with the probability
    exp(-(\\|y\\| - variance / t)² / (2 variance)). With the variance s / d, the exponent is
    (d t \\|y\\| - s)² / (2 s d t²).

    Theorem 4 of the paper: added to integer counts, of which a person changes the vector by at most Δ in the Euclidean
    norm, this noise is Δ² / (2 variance)-zCDP (Theorem 14 for vectors).

    Parameters
    ----------
    variance : Fraction
        Above 0. The variance of the draws is at most this.
    size : int
    """
    if variance <= 0:
        raise InternalError("noise has no variance")
    s, d = variance.numerator, variance.denominator
    t = isqrt(s // d) + 1
    denominator = 2 * s * d * t * t
    drawn: list[Longs] = []
    missing = size
    while missing > 0:
        tried = _discrete_laplace(t, 3 * missing + _MARGIN)
        magnitudes: Integers = np.abs(tried)
        if max((d * t * int(magnitudes.max(initial=0)) + s) ** 2, denominator) >= _LARGEST:
            magnitudes = magnitudes.astype(object)
        accepted = bernoulli_exp((d * t * magnitudes - s) ** 2, denominator)
        drawn.append(tried[accepted][:missing])
        missing -= len(drawn[-1])
    return np.concatenate(drawn) if drawn else np.zeros(0, dtype=np.int64)


def choose(scores: Longs, epsilon: Fraction, sensitivity: int) -> int:
    """Draw an index with a probability proportional to exp(epsilon · score / (2 sensitivity)): exponential mechanism.

    F. McSherry and K. Talwar, *Mechanism design via differential privacy*, FOCS 2007. An index is drawn uniformly and
    accepted with the probability exp(-epsilon (best - score) / (2 sensitivity)), until one is accepted, so that the
    distribution is exact.

    Its cost is epsilon² / 8 in zCDP (M. Cesar and R. Rogers, *Bounding, concentrating, and truncating*, ALT 2021). A
    person moves every score by at most the sensitivity, up or down, and so the logarithm of the ratio of an index's
    probabilities by an amount in an interval of the length epsilon. Let Z be this logarithm, drawn from the second
    table, and K(α) = log E exp(αZ). Then K(0) = K(1) = 0, and K'' is a variance of Z, at most epsilon²/4. Hence
    K(α) - α(α - 1) epsilon²/8 is concave and 0 at 0 and 1, so not above 0 for α > 1, and the Rényi divergence
    K(α) / (α - 1) is at most α epsilon²/8.

    Parameters
    ----------
    scores : int array
    epsilon : Fraction
    sensitivity : int
        How much a person may change any score.
    """
    rate = epsilon / (2 * sensitivity)
    behind: Integers = (scores.max() - scores).astype(object) * rate.numerator
    while True:
        tried = uniform(len(scores), len(scores) + _MARGIN)
        accepted = np.flatnonzero(bernoulli_exp(behind[tried], rate.denominator))
        if accepted.size:
            return int(tried[accepted[0]])
