"""Tests whether learners or methods differ by more than chance.

Two learners on one data set are compared by five repetitions of two-fold cross-validation (:func:`five_by_two`).
Several methods in several cases are compared by their ranks (:func:`friedman`), then each method with a control that
was chosen in advance (:func:`bonferroni_dunn`).

E. Alpaydin: Combined 5 × 2 cv F Test for Comparing Supervised Classification Learning Algorithms, Neural Computation
11(8), 1999. J. Demšar: Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006, section 3.2.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, ndtri

from hedgerow._internal.arrays import Floats
from hedgerow.errors import BadInput

__all__ = ["BonferroniDunn", "FTest", "Friedman", "bonferroni_dunn", "five_by_two", "friedman"]

_REPETITIONS: Final = 5
_FOLDS: Final = 2


@dataclass(frozen=True)
class FTest:
    """The test whether two learners differ.

    Parameters
    ----------
    statistic : float
        0 if they never differ, infinite if they differ by the same in both folds of every repetition.
    p : float
        The probability of a statistic at least as large if both learners are equally good.
    """

    statistic: float
    p: float

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether the two differ, at a level of significance."""
        return self.p <= _level(alpha, "significant")


@dataclass(frozen=True)
class Friedman:
    """The test whether any of several methods differ.

    Parameters
    ----------
    ranks : mapping of name to float
        The average rank of each method; 1 is the best.
    cases : int
        The number of cases that the ranks are averaged over.
    chi2 : float
        Friedman's statistic.
    statistic : float
        Iman and Davenport's statistic, which is less conservative. It is infinite if all cases rank the methods alike.
    p : float
        The probability of a ``statistic`` at least as large if all methods are equally good.
    """

    ranks: Mapping[str, float]
    cases: int
    chi2: float
    statistic: float
    p: float


@dataclass(frozen=True)
class BonferroniDunn:
    """The methods that differ from a control.

    Parameters
    ----------
    control : str
        The method that all others are compared with.
    alpha : float
        The probability that any of the comparisons finds a difference by chance alone.
    critical_difference : float
        The least distance of significantly different average ranks.
    differences : mapping of name to float
        The average rank of each other method minus that of the control; positive if the control is better.
    """

    control: str
    alpha: float
    critical_difference: float
    differences: Mapping[str, float]

    @property
    def better_than(self) -> tuple[str, ...]:
        """The methods that the control is significantly better than."""
        return tuple(name for name, gap in self.differences.items() if gap >= self.critical_difference)

    @property
    def worse_than(self) -> tuple[str, ...]:
        """The methods that the control is significantly worse than."""
        return tuple(name for name, gap in self.differences.items() if -gap >= self.critical_difference)


def five_by_two(differences: ArrayLike) -> FTest:
    r"""Compare two learners on one data set by five repetitions of two-fold cross-validation.

    .. math:: F = \frac{\sum_i \sum_j d_{ij}^2}{2 \sum_i s_i^2},
        \qquad s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    It has about an F distribution with 10 and 5 degrees of freedom if both learners are equally good.

    Parameters
    ----------
    differences : five pairs of float
        For each repetition the score of one learner minus that of the other, in the first fold and in the second.

    Raises
    ------
    BadInput
        If there are not five pairs, or if not all of them are finite numbers.

    References
    ----------
    E. Alpaydin: Combined 5 × 2 cv F Test for Comparing Supervised Classification Learning Algorithms, Neural
    Computation 11(8), 1999.

    Examples
    --------
    >>> test = five_by_two([(0.02, 0.03), (0.02, 0.01), (0.03, 0.03), (0.01, 0.02), (0.02, 0.03)])
    >>> round(test.statistic, 3), round(test.p, 4), test.significant()
    (13.5, 0.0051, True)
    """
    given = _numbers(differences)
    if given is None or given.shape != (_REPETITIONS, _FOLDS):
        raise BadInput.parameter("differences", "five_by_two", "five pairs of finite numbers", differences)
    largest = float(np.abs(given).max())
    if largest == 0:
        return FTest(0.0, 1.0)
    # The statistic does not depend on the unit, and squares of numbers up to 1 do not overflow.
    first, second = (given / largest).T
    # (first - second)² is twice the variance, and exactly 0 where both folds agree.
    spread = float(((first - second) ** 2).sum())
    statistic = _ratio(float((first**2 + second**2).sum()), spread)
    return FTest(statistic, float(fdtrc(_REPETITIONS * _FOLDS, _REPETITIONS, statistic)))


def friedman(scores: Mapping[str, ArrayLike]) -> Friedman:
    r"""Compare several methods by their ranks in several cases.

    .. math:: \chi^2 = \frac{12 N}{k (k + 1)} \sum_j \left( R_j - \frac{k + 1}{2} \right)^2,
        \qquad F = \frac{(N - 1) \chi^2}{N (k - 1) - \chi^2}

    :math:`R_j` is the average rank of one of :math:`k` methods in :math:`N` cases. :math:`F` has about an F
    distribution with :math:`k - 1` and :math:`(k - 1)(N - 1)` degrees of freedom if all methods are equally good.
    Methods with the same score share the mean of their ranks. As in Demšar's paper neither statistic is corrected for
    such ties: with many of them the test finds less.

    Parameters
    ----------
    scores : mapping of name to sequence of float
        For each method its score in every case (a data set, a k, a learner …), in the same order for all. Higher is
        better.

    Raises
    ------
    BadInput
        If there are fewer than two methods or cases, if one method has more scores than another, or if not all are
        finite numbers.

    References
    ----------
    J. Demšar: Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> test = friedman({"plain": [0.7, 0.8, 0.6, 0.9], "tuned": [0.8, 0.9, 0.7, 0.9], "random": [0.5, 0.6, 0.5, 0.5]})
    >>> test.ranks
    {'plain': 1.875, 'tuned': 1.125, 'random': 3.0}
    >>> round(test.chi2, 3), round(test.statistic, 3), round(test.p, 4)
    (7.125, 24.429, 0.0013)
    """
    table = _table(scores)
    methods, cases = table.shape
    above = (table[:, None] < table).sum(axis=(1, 2))
    alike = (table[:, None] == table).sum(axis=(1, 2))  # including itself
    # Twice the sums of the ranks, and their distances from the mean, are integers: nothing is rounded.
    doubled: list[int] = (2 * above + alike + cases).tolist()
    spread = 3 * sum((ranks - cases * (methods + 1)) ** 2 for ranks in doubled)
    most = cases**2 * methods * (methods**2 - 1)
    statistic = _ratio((cases - 1) * spread, most - spread)
    return Friedman(
        ranks={name: ranks / (2 * cases) for name, ranks in zip(scores, doubled, strict=True)},
        cases=cases,
        chi2=spread / (cases * methods * (methods + 1)),
        statistic=statistic,
        p=float(fdtrc(methods - 1, (methods - 1) * (cases - 1), statistic)),
    )


def bonferroni_dunn(friedman: Friedman, control: str, alpha: float = 0.05) -> BonferroniDunn:
    r"""Compare each method with a control, after :func:`friedman` has found that they differ.

    Two methods differ if their average ranks are at least

    .. math:: q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    apart, where :math:`q_\alpha` is the two-sided quantile of the normal distribution at :math:`\alpha / (k - 1)`.

    Parameters
    ----------
    friedman : Friedman
        The average ranks.
    control : str
        The method to compare with. Choose it before you see the scores.
    alpha : float
        The level of significance of all comparisons together.

    Raises
    ------
    BadInput
        If the control is not one of the methods, or alpha is not between 0 and 1.

    References
    ----------
    J. Demšar: Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> test = friedman({"plain": [0.7, 0.8, 0.6, 0.9], "tuned": [0.8, 0.9, 0.7, 0.9], "random": [0.5, 0.6, 0.5, 0.5]})
    >>> dunn = bonferroni_dunn(test, "tuned")
    >>> round(dunn.critical_difference, 3), dunn.differences, dunn.better_than, dunn.worse_than
    (1.585, {'plain': 0.75, 'random': 1.875}, ('random',), ())
    """
    ranks = friedman.ranks
    if control not in ranks:
        raise BadInput.unknown("method", str(control), ranks)
    level = _level(alpha, "bonferroni_dunn")
    methods = len(ranks)
    quantile = -float(ndtri(level / (2 * (methods - 1))))
    return BonferroniDunn(
        control=control,
        alpha=level,
        critical_difference=quantile * math.sqrt(methods * (methods + 1) / (6 * friedman.cases)),
        differences={name: rank - ranks[control] for name, rank in ranks.items() if name != control},
    )


def _table(scores: Any) -> Floats:
    """The scores, a row for each method."""
    if not isinstance(scores, Mapping) or len(scores) < 2 or not all(isinstance(name, str) for name in scores):
        must = "a mapping of two or more names of methods to their scores"
        got = list(scores) if isinstance(scores, Mapping) else type(scores).__name__
        raise BadInput.parameter("scores", "friedman", must, got)
    rows = [_row(name, given) for name, given in scores.items()]
    lengths = list(map(len, rows))
    if len(set(lengths)) > 1:
        fewer, more = np.argmin(lengths), np.argmax(lengths)
        names = list(scores)
        raise BadInput(
            f"Every method needs one score for each case. {names[fewer]!r} has {lengths[fewer]} scores, "
            f"{names[more]!r} has {lengths[more]}. Leave out cases that not all methods have."
        )
    return np.stack(rows)


def _row(name: str, given: Any) -> Floats:
    """The scores of a method."""
    row = _numbers(given)
    if row is None or row.ndim != 1 or len(row) < 2:
        raise BadInput(f"The scores of {name!r} must be two or more finite numbers. Leave out cases without a score.")
    return row


def _numbers(given: Any) -> Floats | None:
    """An array of finite numbers, ``None`` for anything else."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(np.float64)


def _level(alpha: Any, owner: str) -> float:
    real = isinstance(alpha, numbers.Real) and not isinstance(alpha, bool)
    if not (real and 0 < float(alpha) < 1):
        raise BadInput.parameter("alpha", owner, "a number between 0 and 1", alpha)
    return float(alpha)


def _ratio(above: float, below: float) -> float:
    """A quotient, infinite for a divisor of 0."""
    return above / below if below else math.inf
