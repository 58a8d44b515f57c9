"""What was printed of hybrid kACTUS, and what we found, by cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final, Self

from reproductions.base import Result
from reproductions.estimates import TENTHS, Estimate
from reproductions.hybrid.measuring import KS, LEARNERS, TARGETS

__all__ = ["ALL", "CELLS", "PRINTED", "PRINTED_ORIGINAL", "STATED", "Found", "Kind"]

PRINTED: Final[Mapping[tuple[str, str], tuple[float, ...]]] = {
    ("heart-statlog", "j48"): (79.25, 82.59, 75.55, 75.55, 75.55, 75.55),
    ("heart-statlog", "weka-naive-bayes"): (81.85, 84.07, 82.22, 82.22, 82.22, 80.74),
    ("sonar", "j48"): (71.63, 72.11, 72.11, 72.11, 72.11, 72.11),
    ("sonar", "weka-naive-bayes"): (67.78, 85.09, 86.05, 84.13, 84.13, 84.13),
    ("haberman", "j48"): (76.79, 74.18, 73.85, 70.26, 73.20, 72.22),
    ("haberman", "weka-naive-bayes"): (75.16, 74.83, 75.81, 74.50, 72.87, 73.85),
}
"""Table 3, by k."""

PRINTED_ORIGINAL: Final[Mapping[tuple[str, str], float]] = {
    ("heart-statlog", "j48"): 76.66,
    ("heart-statlog", "weka-naive-bayes"): 83.70,
    ("sonar", "j48"): 71.15,
    ("sonar", "weka-naive-bayes"): 67.78,
    ("haberman", "j48"): 71.89,
    ("haberman", "weka-naive-bayes"): 74.83,
}
"""The text below table 3; cut after two digits, as all figures there."""

STATED: Final[Mapping[str, str]] = {"heart-statlog": "age, sex, thal", "sonar": "all", "haberman": "age, year"}
"""The quasi-identifiers that the paper states; of heart-statlog those that its table 2 suppresses."""

ALL: Final[Mapping[str, str]] = dict.fromkeys(TARGETS, "all")
"""All columns, so that the tree asks what the paper's asks."""

BySeed = dict[int, float]


@dataclass(frozen=True)
class Kind:
    """A reading of the experiment: the quasi-identifiers of each table, the method, and what is anonymized."""

    quasi: Mapping[str, str]
    method: str
    reading: str


@dataclass(frozen=True)
class Found:
    """Accuracies by seed, and what is known of the releases.

    Attributes
    ----------
    original : mapping of (table, learner)
    anonymized : mapping of (table, quasi, method, reading, k, learner)
    releases : mapping of (table, quasi, method, reading, k)
        The results, one for each seed.
    """

    original: Mapping[tuple[str, str], BySeed] = field(default_factory=lambda: defaultdict(dict))
    anonymized: Mapping[tuple[Any, ...], BySeed] = field(default_factory=lambda: defaultdict(dict))
    releases: Mapping[tuple[Any, ...], list[Result]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, results: Sequence[Result]) -> Self:
        """Sort results by what they are of."""
        found = cls()
        for one in results:
            cell = tuple(one[name] for name in ("table", "quasi", "method", "reading", "k") if name in one)
            if len(cell) > 1:
                found.releases[cell].append(one)
            for name, accuracy in one["accuracy"].items():
                if len(cell) > 1:
                    found.anonymized[(*cell, name)][one["seed"]] = accuracy
                else:
                    found.original[one["table"], name][one["seed"]] = accuracy
        return found

    def scores(self, kind: Kind, table: str, learner: str, k: int) -> BySeed:
        """The accuracies of a cell by seed."""
        return self.anonymized.get((table, kind.quasi[table], kind.method, kind.reading, k, learner), {})

    def gap(self, kind: Kind, table: str, learner: str, k: int) -> Estimate | None:
        """The accuracy of a cell less that on the original table, in the same folds."""
        return Estimate.of_gaps(self.scores(kind, table, learner, k), self.original.get((table, learner), {}), TENTHS)

    def gaps_by_seed(self, kind: Kind, *tables: str) -> list[float]:
        """The mean difference of the cells of some tables, or of all, from their originals, by seed."""
        cells = [cell for cell in CELLS if cell[0] in (tables or TARGETS)]
        pairs = [(self.scores(kind, *cell), self.original.get(cell[:2], {})) for cell in cells]
        seeds = set.intersection(*(own.keys() & original.keys() for own, original in pairs))
        return [fmean(own[seed] - original[seed] for own, original in pairs) for seed in sorted(seeds)]

    def released(self, kind: Kind) -> Iterator[tuple[int, list[Result]]]:
        """The k and the results of every table and k."""
        for table in TARGETS:
            for k in KS:
                yield k, self.releases.get((table, kind.quasi[table], kind.method, kind.reading, k), [])


CELLS: Final = tuple((table, learner, k) for table in TARGETS for learner in LEARNERS for k in KS)
"""The 36 cells of table 3."""
