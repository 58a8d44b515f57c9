"""The finished cells of ID3, by what they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal

from reproductions.base import Result
from reproductions.estimates import Estimate, slope
from reproductions.id3.experiments import OWN_WAY
from reproductions.id3.measuring import Partition

__all__ = ["Answer", "Found"]

Answer = Literal["accuracy", "untied"]
"""As Hedgerow answers, or with ties decided as in a program that knows no order of classes."""


class Found:
    """Results by condition.

    Parameters
    ----------
    results : sequence of mappings
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self.originals = {one["numbers"]: one for one in results if "numbers" in one}
        learnt = [one for one in results if "way" in one]
        self._learnt: dict[tuple[int, int, str, str], list[Result]] = {}
        for one in sorted(learnt, key=lambda one: int(one["run"])):
            self._learnt.setdefault((one["k"], one["quasi"], one["partition"], one["way"]), []).append(one)
        self._releases = {
            (one["k"], one["quasi"], one["partition"]): one
            for one in results
            if "partition" in one and "way" not in one
        }

    def release(self, k: int, quasi: int, partition: Partition = "strict") -> Result | None:
        """What a release is like."""
        return self._releases.get((k, quasi, partition))

    def cells(self, k: int, quasi: int, partition: Partition = "strict", way: str = OWN_WAY) -> Sequence[Result]:
        """The runs of one condition, in their order."""
        return self._learnt.get((k, quasi, partition, way), [])

    def values(
        self, k: int, quasi: int, partition: Partition = "strict", way: str = OWN_WAY, answer: Answer = "untied"
    ) -> list[float]:
        """The accuracies of all runs, in percent."""
        return [float(one[answer]) for one in self.cells(k, quasi, partition, way) if answer in one]

    def estimate(
        self, k: int, quasi: int, partition: Partition = "strict", way: str = OWN_WAY, answer: Answer = "untied"
    ) -> Estimate | None:
        """Their mean."""
        return Estimate.of(self.values(k, quasi, partition, way, answer))

    def original(self, answer: Answer = "untied") -> float | None:
        """The accuracy that the original rows give, in percent; columns of numbers are left out."""
        one = self.originals.get("ignore")
        return None if one is None else float(one[answer])

    def change(self, k: int, quasi: int, answer: Answer = "untied") -> Estimate | None:
        """By how much a release changes the accuracy; less than 0 where it falls."""
        before = self.original(answer)
        if before is None:
            return None
        return Estimate.of([after - before for after in self.values(k, quasi, answer=answer)])

    def step(self, k: int, few: int, more: int) -> Estimate | None:
        """By how much the accuracy changes with more quasi-identifiers, run by run."""
        pairs = zip(self.values(k, few), self.values(k, more), strict=False)
        return Estimate.of([after - before for before, after in pairs])

    def spread(self, k: int, quasi: int, runs: int = 3) -> float | None:
        """How far the first runs are apart; none if there are fewer."""
        values = self.values(k, quasi)[:runs]
        return max(values) - min(values) if len(values) == runs else None

    def root(self, k: int, quasi: int, way: str = OWN_WAY) -> str | None:
        """The column that most runs ask first."""
        roots = Counter(str(one["root"]) for one in self.cells(k, quasi, way=way))
        return roots.most_common(1)[0][0] if roots else None

    def rise(self, across: Sequence[tuple[tuple[int, int], float]]) -> Estimate | None:
        """The slope of the accuracy against a number that each condition has, run by run; none if one is missing."""
        by_run = zip(*(self.values(*condition) for condition, _ in across), strict=False)
        slopes = [slope([number for _, number in across], values) for values in by_run]
        return Estimate.of([one.mean for one in slopes if one is not None])

    def lead(self, way: str, other: str, conditions: Sequence[tuple[int, int]]) -> Estimate | None:
        """By how much one way is above another on average over conditions, run by run, as Hedgerow answers.

        A way that draws nothing has one run, which stands beside all of the other's. None if a condition is missing.
        """
        one, two = (
            [self.values(*condition, way=each, answer="accuracy") for condition in conditions] for each in (way, other)
        )
        runs = max((len(values) for values in (*one, *two)), default=0)
        complete = [run for run in range(runs) if all(len(values) == 1 or run < len(values) for values in (*one, *two))]
        if not all((*one, *two)):
            return None
        return Estimate.of([fmean(map(_of_run(run), one)) - fmean(map(_of_run(run), two)) for run in complete])


def _of_run(run: int) -> Callable[[Sequence[float]], float]:
    return lambda values: values[0] if len(values) == 1 else values[run]
