"""Accuracies by case and fold, and what two methods differ by: on average, and case by case by the F-test."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hedgerow.errors import plural, required
from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.statistics import Friedman, FTest, five_by_two, friedman
from reproductions.base import Result
from reproductions.estimates import HALVES, Estimate
from reproductions.kactus.experiments import TREE

__all__ = [
    "FOLDS",
    "Accuracies",
    "Case",
    "Effect",
    "Found",
    "Tally",
    "beside",
    "effect",
    "only",
    "ranked",
    "signed",
    "tally",
    "tested",
]

FOLDS: Final = tuple((repetition, fold) for repetition in range(5) for fold in range(2))
"""Five times two."""

_LEAST_FOLDS: Final = 4


@dataclass(frozen=True)
class Case:
    """What accuracies are compared in: a set, its quasi-identifiers, an inducer and k."""

    dataset: str
    quasi: str
    learner: str
    k: int | None


Accuracies = Mapping[Case, Mapping[tuple[int, int], float]]
"""Of one method, in percent, by case, repetition and fold."""


@dataclass(frozen=True, eq=False)
class Found:
    """All accuracies, by method, hierarchies and how rows were written."""

    by: Mapping[tuple[str, str, str, str], Accuracies]

    @classmethod
    def of(cls, results: Iterable[Result]) -> Found:
        """Those of cells that were feasible; the tree of kADET is set beside J48."""
        found: dict[tuple[str, str, str, str], dict[Case, dict[tuple[int, int], float]]] = defaultdict(dict)
        for one in results:
            if one.get("accuracy") is None:  # refused, or not a matter of accuracy
                continue
            learner = "j48" if one["learner"] == TREE else one["learner"]
            case = Case(one["dataset"], one["quasi"], learner, one["k"])
            folds = found[one["method"], one["hierarchies"], one["train"], one["test"]].setdefault(case, {})
            folds[one["repetition"], one["fold"]] = 100 * one["accuracy"]
        return cls(found)

    def of_method(self, method: str, way: tuple[str, str], hierarchies: str = "none") -> Accuracies:
        """The accuracies of a method, none if it was not tried."""
        return self.by.get((method, hierarchies, *way), {})

    @property
    def raw(self) -> Accuracies:
        """What was learnt from rows as they are."""
        return self.of_method(UNANONYMIZED, ("raw", "raw"))


@dataclass(frozen=True)
class Effect:
    """By how many points one method differs from another, on average over cases.

    Attributes
    ----------
    by_fold : tuple of float
        The mean over all cases, in every fold in which all of them are done.
    cases : int
    """

    by_fold: tuple[float, ...]
    cases: int

    @property
    def mean(self) -> float:
        """Over all folds."""
        return statistics.fmean(self.by_fold)

    @property
    def estimate(self) -> Estimate:
        """The mean with its error, by the halves of 5×2 cross-validation."""
        found = Estimate.of(self.by_fold, HALVES)
        return required(found, "the folds of an effect")

    @property
    def whole(self) -> bool:
        """Whether all repetitions are done."""
        return len(self.by_fold) == len(FOLDS)

    def __str__(self) -> str:
        half = self.estimate.half
        within = "" if half is None or len(self.by_fold) < _LEAST_FOLDS else f" ± {half:.2f}"
        return f"{signed(self.mean)}{within} ({plural(self.cases, 'cases')}, {plural(len(self.by_fold), 'folds')})"


@dataclass(frozen=True)
class Tally:
    """In how many cases a method is significantly better or worse than another, of those with five repetitions."""

    better: int
    worse: int
    cases: int


def signed(points: float) -> str:
    """A difference with its sign.

    >>> signed(-3.456), signed(2)
    ('−3.46', '+2.00')
    """
    return f"{points:+.2f}".replace("-", "−")


def only(accuracies: Accuracies, holds: Callable[[Case], bool]) -> Accuracies:
    """Those of some cases."""
    return {case: folds for case, folds in accuracies.items() if holds(case)}


def beside(accuracies: Accuracies, others: Accuracies, same: Callable[[Case], Case]) -> Accuracies:
    """For each case what others have in the one that is the same to them: raw rows have no k, say."""
    return {case: others[same(case)] for case in accuracies if same(case) in others}


def effect(own: Accuracies, others: Accuracies) -> Effect | None:
    """By how much ``own`` is higher than ``others``; nothing if no case is done by both.

    Folds are done one after the other, and not all cases of the last ones are. As many folds are taken as have most
    cases among them in all.
    """
    both = {case: own[case].keys() & others[case].keys() for case in own if case in others}
    done_by = {
        number: [case for case, done in both.items() if done.issuperset(FOLDS[:number])]
        for number in range(1, len(FOLDS) + 1)
    }
    number = max(done_by, key=lambda number: (number * len(done_by[number]), number))
    cases = done_by[number]
    if not cases:
        return None
    means = (statistics.fmean(own[case][fold] - others[case][fold] for case in cases) for fold in FOLDS[:number])
    return Effect(tuple(means), len(cases))


def tested(own: Mapping[tuple[int, int], float], others: Mapping[tuple[int, int], float]) -> FTest | None:
    """The combined F-test of one case, if all five repetitions are done."""
    if any(fold not in own or fold not in others for fold in FOLDS):
        return None
    gaps = [own[fold] - others[fold] for fold in FOLDS]
    return five_by_two(list(zip(gaps[::2], gaps[1::2], strict=True)))


def tally(own: Accuracies, others: Accuracies) -> Tally:
    """Count the cases in which ``own`` is significantly higher or lower."""
    better = worse = cases = 0
    for case in own:
        test = tested(own[case], others.get(case, {}))
        if test is None:
            continue
        cases += 1
        if test.significant():
            higher = statistics.fmean(own[case][fold] - others[case][fold] for fold in FOLDS) > 0
            better, worse = better + higher, worse + (not higher)
    return Tally(better, worse, cases)


def ranked(methods: Mapping[str, Accuracies]) -> Friedman | None:
    """The ranks of methods over all cases that every one has done in all folds."""
    done = [{case for case, folds in one.items() if len(folds) == len(FOLDS)} for one in methods.values()]
    cases = [case for case in next(iter(methods.values())) if all(case in one for one in done)]
    if len(cases) < 2 or len(methods) < 2:
        return None
    return friedman({name: [statistics.fmean(one[case].values()) for case in cases] for name, one in methods.items()})
