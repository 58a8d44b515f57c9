"""The curator: the only object that sees the rows of a table. All that leaves it is noisy, and is charged before.

The steps of the proof, for tables that differ by adding or removing one person with at most m rows:

* **Counts.** Every row is in exactly one cell of a question. A person changes its counts by a vector of non-negative
  integers with the sum of at most m, whose Euclidean norm is at most m. Discrete Gaussian noise of the variance v then
  costs m² / (2v).
* **A choice.** The score of a candidate is Σ \\|count - expected\\| - penalty, where expected and penalty come from
  noisy values. By the triangle inequality a person changes it by at most m, whatever the number of labels. The
  exponential mechanism with ε costs ε² / 8.

What was asked may depend on earlier answers: zCDP composes adaptively.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.privacy.accounting import Accountant, Budget, Charge, choice_epsilon, gaussian_variance
from hedgerow.privacy.coded import Coded
from hedgerow.privacy.noise import choose, discrete_gaussian
from hedgerow.privacy.questions import Candidate, Cells, Measured

__all__ = ["Curator", "counted", "score"]


class Curator:
    """Answers questions about a table with noisy values, within a budget.

    Parameters
    ----------
    rows : Coded
    accountant : Accountant
    """

    def __init__(self, rows: Coded, accountant: Accountant) -> None:
        self.__rows = rows
        self.__scores: dict[Candidate, int] = {}
        self._accountant = accountant

    def measure(self, step: str, questions: Sequence[Cells], budget: Budget) -> list[Measured]:
        """The noisy counts of each question, which share the budget equally.

        Parameters
        ----------
        step : str
            Its name in the ledger.
        questions : sequence of Cells
        budget : Budget
        """
        sensitivity = self.__rows.most_rows
        variance = gaussian_variance(budget.rho / len(questions), sensitivity)
        self._accountant.spend(Charge(step, "discrete Gaussian", len(questions), sensitivity, variance))
        answers = []
        for question in questions:
            exact = counted(self.__rows, question)
            noise = discrete_gaussian(variance, exact.size).reshape(exact.shape)
            answers.append(Measured(exact + noise, variance))
        return answers

    def choose(self, step: str, candidates: Sequence[Candidate], budget: Budget) -> int:
        """The index of a candidate, drawn by the exponential mechanism.

        Parameters
        ----------
        step : str
            Its name in the ledger.
        candidates : sequence of Candidate
        budget : Budget
        """
        epsilon: Fraction = choice_epsilon(budget.rho)
        sensitivity = self.__rows.most_rows
        self._accountant.spend(Charge(step, "exponential", 1, sensitivity, epsilon))
        return choose(np.array([self.__score(candidate) for candidate in candidates]), epsilon, sensitivity)

    def __score(self, candidate: Candidate) -> int:
        if candidate not in self.__scores:
            self.__scores[candidate] = score(self.__rows, candidate)
        return self.__scores[candidate]

    def __repr__(self) -> str:
        return "Curator()"


def counted(rows: Coded, question: Cells) -> Longs:
    """The exact counts, by cell and label."""
    shape = (*question.shape, rows.labels)
    places = question.places(rows.codes) * rows.labels + rows.label
    return np.bincount(places, minlength=int(np.prod(shape))).astype(np.int64).reshape(shape)


def score(rows: Coded, candidate: Candidate) -> int:
    """How far the exact counts of a candidate are from what is expected."""
    return int(np.abs(counted(rows, candidate.table) - candidate.expected).sum()) - candidate.penalty
