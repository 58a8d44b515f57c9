"""What was found of the proportional representation: scores by seed."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from reproductions.base import Result
from reproductions.estimates import THIRDS, Estimate
from reproductions.proportional.measuring import RAW, REPRESENTATIONS, TRAININGS

__all__ = ["Found", "NOT_ANONYMOUS"]

NOT_ANONYMOUS: Final = 1
"""The k of raw rows."""

BySeed = dict[int, float]


@dataclass(frozen=True)
class Found:
    """The scores of one table in one order.

    Attributes
    ----------
    scores : mapping of (training, test representation, k)
        By seed.
    trained : mapping of training
        How many networks there are, and how many of them tell no rows apart (``dead``).
    ks : tuple of int
        Those that were tested, without raw rows.
    results : tuple of results
    """

    scores: Mapping[tuple[str, str, int], BySeed]
    trained: Mapping[str, int]
    dead: Mapping[str, int]
    ks: tuple[int, ...]
    results: tuple[Result, ...]

    @classmethod
    def of(cls, results: Sequence[Result], table: str, order: str, *, dead: bool = False) -> Self:
        """The results of a table and an order; of networks that tell rows apart, or of the ``dead`` too."""
        own = [one for one in results if (one["table"], one["order"]) == (table, order)]
        scores: dict[tuple[str, str, int], BySeed] = defaultdict(dict)
        for one in own:
            for test, by_k in one["scores"].items() if dead or one["alive"] else ():
                for k, score in by_k.items():
                    scores[one["training"], test, int(k)][one["seed"]] = score
        ks = {int(k) for one in own for by_k in one["scores"].values() for k in by_k}
        return cls(
            scores,
            {name: sum(one["training"] == name for one in own) for name in TRAININGS},
            {name: sum(one["training"] == name and not one["alive"] for one in own) for name in TRAININGS},
            tuple(sorted(ks - {NOT_ANONYMOUS})),
            tuple(own),
        )

    def score(self, training: str, test: str, k: int) -> BySeed:
        """The scores by seed."""
        return self.scores.get((training, test, k), {})

    def gap(self, own: tuple[str, str, int], other: tuple[str, str, int]) -> Estimate | None:
        """The score of one training, representation and k less that of another, with the same seeds."""
        return Estimate.of_gaps(self.score(*own), self.score(*other), THIRDS)

    def gaps_by_seed(self, pairs: Iterable[tuple[tuple[str, str, int], tuple[str, str, int]]]) -> list[float]:
        """The mean difference over all pairs, one for each seed: over the pairs both networks of which are alive."""
        gaps: dict[int, list[float]] = defaultdict(list)
        for own, other in pairs:
            one, two = self.score(*own), self.score(*other)
            for seed in one.keys() & two.keys():
                gaps[seed].append(one[seed] - two[seed])
        return [statistics.fmean(gaps[seed]) for seed in sorted(gaps)]

    def leads_over(self, level: float, k: int) -> list[float]:
        """By how much networks of raw rows are above a level at one k, on average over representations, by seed."""
        scores = [self.score(RAW, one, k) for one in REPRESENTATIONS]
        seeds = set.intersection(*(set(one) for one in scores))
        return [statistics.fmean(one[seed] for one in scores) - level for seed in sorted(seeds)]

    def mean_score(self, test: str, k: int) -> float | None:
        """The mean score of networks of raw rows."""
        own = self.score(RAW, test, k)
        return statistics.fmean(own.values()) if own else None

    @property
    def deviation(self) -> float | None:
        """How far networks of different seeds lie apart, on average over all that was tested."""
        known = [statistics.stdev(own.values()) for own in self.scores.values() if len(own) > 1]
        return statistics.fmean(known) if known else None

    @property
    def few_classes(self) -> int:
        """At how many k no more than two classes are left."""
        return sum(number <= 2 for number in (self.last("classes") or {}).values())

    def best(self, trainings: Sequence[str], tests: Sequence[str]) -> tuple[int, int]:
        """Of how many k and trainings the own representation is the best on average, and how many there are."""
        own_best = cases = 0
        for training in trainings:
            for k in self.ks:
                means = {one: statistics.fmean(own.values()) for one in tests if (own := self.score(training, one, k))}
                cases += bool(means)
                own_best += bool(means) and max(means, key=lambda one: means[one]) == training
        return own_best, cases

    def last(self, name: str) -> Any:
        """What the last result says, if there is one."""
        return self.results[-1][name] if self.results else None
