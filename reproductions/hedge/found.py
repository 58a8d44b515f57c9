"""What was found of Hedge: by seed on Adult's two files, by fold on the shared sets, and what was to be reached."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.statistics import Friedman, friedman
from reproductions.base import Result
from reproductions.hedge.experiments import SET_METHODS
from reproductions.hedge.measuring import EXACT, STRICT
from reproductions.kactus.comparing import Accuracies, Case

__all__ = ["CALLED", "HOPED", "REACH", "Best", "Choice", "Found"]

REACH: Final[Mapping[str, Mapping[int, float]]] = {
    STRICT: {10: 86.4, 100: 85.5, 1000: 83.8},
    EXACT: {10: 86.6, 100: 86.4, 1000: 85.4},
}
"""What boosting was to reach on Adult's test file at least, in percent, by k."""
HOPED: Final[Mapping[int, float]] = {10: 86.6, 100: 86.0, 1000: 84.8}
"""What was hoped for where every share is of at least k people."""

CALLED: Final[Mapping[str, str]] = {
    STRICT: "Hedge",
    EXACT: "Hedge, exact",
    "kactus": "kACTUS",
    "tds": "TDS",
    "tdr": "TDR",
    "kadet": "kADET",
    "mondrian": "Mondrian",
    "greedy": "greedy",
}

_LEAST_FOLDS: Final = 2  # one repetition

BySeed = Mapping[int, Result]
ByFold = Mapping[tuple[int, int], float]


class Choice(NamedTuple):
    """A learner, and how rows were written for it."""

    learner: str
    train: str
    test: str


class Best(NamedTuple):
    """The choice with the highest mean, and its accuracies in percent."""

    choice: Choice
    folds: ByFold

    @property
    def mean(self) -> float:
        """Over the folds that are done."""
        return statistics.fmean(self.folds.values())


@dataclass(frozen=True, eq=False)
class Found:
    """Results by what they are of.

    Attributes
    ----------
    raw : mapping of seed
        Learners that have Adult's train file as it is.
    learnt, disclosed : mapping of (method, k), then of seed
        Adult's train file, anonymized: what learners know of the test file, and what it tells of its people's labels.
    sets : mapping of (dataset, method, k), then of Choice, then of (repetition, fold)
        Accuracies on the shared sets, in percent.
    """

    raw: dict[int, Result] = field(default_factory=dict)
    learnt: dict[tuple[str, int], dict[int, Result]] = field(default_factory=lambda: defaultdict(dict))
    disclosed: dict[tuple[str, int], dict[int, Result]] = field(default_factory=lambda: defaultdict(dict))
    sets: dict[tuple[str, str, int | None], dict[Choice, dict[tuple[int, int], float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    @classmethod
    def of(cls, results: Iterable[Result]) -> Self:
        """Sort results."""
        found = cls()
        for one in results:
            if "dataset" in one:
                if one.get("accuracy") is not None:
                    choices = found.sets[one["dataset"], one["method"], one["k"]]
                    folds = choices.setdefault(Choice(one["learner"], one["train"], one["test"]), {})
                    folds[one["repetition"], one["fold"]] = 100 * one["accuracy"]
            elif "method" not in one:
                found.raw[one["seed"]] = one
            else:
                kind = found.disclosed if "alone" in one else found.learnt
                kind[one["method"], one["k"]][one["seed"]] = one
        return found

    def scores(self, method: str, k: int, learner: str) -> dict[int, float]:
        """The accuracies of a learner on Adult's test file by seed."""
        return {seed: one["accuracy"][learner] for seed, one in self.learnt.get((method, k), {}).items()}

    def best(self, dataset: str, method: str, k: int | None) -> Best | None:
        """What a method comes to on a set with its best learner and representation; raw rows are a method, too."""
        choices = {
            choice: folds
            for choice, folds in self.sets.get((dataset, method, k), {}).items()
            if choice.learner != MAJORITY
        }
        # Choices are compared by the folds that all of them have.
        shared = sorted(set.intersection(*(set(folds) for folds in choices.values()))) if choices else []
        if not shared:
            return None
        chosen = max(choices, key=lambda choice: statistics.fmean(choices[choice][fold] for fold in shared))
        return Best(chosen, {fold: choices[chosen][fold] for fold in shared})

    def accuracies(self, method: str, datasets: Sequence[str], ks: Sequence[int]) -> Accuracies:
        """Those of a method's best choice in every case."""
        bests = {Case(name, "all", "best", k): self.best(name, method, k) for name in datasets for k in ks}
        return {case: best.folds for case, best in bests.items() if best is not None}

    def known(self, dataset: str) -> tuple[float | None, float | None]:
        """The accuracy on a set of the majority, and of the best learner of raw rows."""
        every = self.sets.get((dataset, UNANONYMIZED, None), {})
        nothing = [statistics.fmean(folds.values()) for choice, folds in every.items() if choice.learner == MAJORITY]
        best = self.best(dataset, UNANONYMIZED, None)
        return (nothing[0] if nothing else None), (None if best is None else best.mean)

    def ranked(self, datasets: Sequence[str], ks: Sequence[int]) -> Friedman | None:
        """The ranks of all methods over the cases in which each has done a repetition, by the folds that all have."""
        methods = {name: self.accuracies(name, datasets, ks) for name in SET_METHODS}
        scores: dict[str, list[float]] = {name: [] for name in methods}
        for case in methods[STRICT]:
            shared = set.intersection(*(set(one.get(case, {})) for one in methods.values()))
            if len(shared) >= _LEAST_FOLDS:
                for name, one in methods.items():
                    scores[name].append(statistics.fmean(one[case][fold] for fold in shared))
        if len(scores[STRICT]) < 2:
            return None
        return friedman({CALLED[name]: values for name, values in scores.items()})
