"""The results of an evaluation: all cells, mean scores, and tests whether differences exceed chance."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final, Literal

import narwhals as nw
import pyarrow as pa

from hedgerow.errors import BadInput, plural
from hedgerow.evaluation.cells import BASELINES, NO_INFORMATION, UNANONYMIZED
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, SCORES, named_score
from hedgerow.evaluation.statistics import BonferroniDunn, Friedman, FTest, bonferroni_dunn, five_by_two, friedman
from hedgerow.evaluation.tables import AnyTask

__all__ = ["MAJORITY", "Contrast", "Evaluation", "Tests", "mean_score", "paired"]

MAJORITY: Final = "majority"
"""The learner that knows only the class frequencies."""

_NAMES: Final = ("method", "k", "train", "test", "learner", "repetition", "fold", "status", "reason")
_RELEASE: Final = ("ncp_published", "prec", "suppressed", "classes", "k_reached")
_SECONDS: Final = ("anonymizing_seconds", "learning_seconds")

Result = Mapping[str, Any]


@dataclass(frozen=True)
class Contrast:
    """One method at one k, compared with unanonymized rows or another method, with one learner.

    Attributes
    ----------
    learner, method, k, other
        The compared treatments; ``other`` is the other method, or ``"unanonymized"``.
    difference : float
        The mean score minus that of the other.
    test : FTest
        The combined F-test of five times two folds.
    """

    learner: str
    method: str
    k: int | None
    other: str
    difference: float
    test: FTest


@dataclass(frozen=True)
class Tests:
    """Tests whether scores differ by more than chance.

    Attributes
    ----------
    score : str
    contrasts : tuple of Contrast
        Every method at every k with every learner, compared with unanonymized rows and with the control.
    friedman : Friedman, optional
        The test of the methods' ranks over all learners and k, if there are at least two methods and two cases.
    dunn : BonferroniDunn, optional
        Each method compared with the control.
    """

    score: str
    contrasts: tuple[Contrast, ...]
    friedman: Friedman | None = None
    dunn: BonferroniDunn | None = None

    def diagram(self) -> Any:
        """The average ranks with the critical difference, as an Altair chart."""
        from hedgerow.evaluation.charts import critical_difference_diagram

        if self.dunn is None or self.friedman is None:
            raise BadInput("A diagram of ranks needs two methods and two cases. Evaluate more methods, learners or k.")
        return critical_difference_diagram(self.dunn, self.friedman)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The results of :func:`hedgerow.evaluate`.

    Attributes
    ----------
    results : tuple of mappings
        One for each cell: a learner, trained on the release of one training part, or an analysis of it.
    task : {"classes", "numbers", "clustering", "association", "queries", "estimates"}
    protocol : str
        How rows were divided.
    methods : tuple of str
        The names of the methods, in the given order; the first is the control.
    backend : str
        The dataframe library of tables.
    """

    results: tuple[Result, ...]
    task: AnyTask
    protocol: str
    methods: tuple[str, ...]
    backend: Literal["pandas", "polars", "pyarrow"] = "pyarrow"

    def __repr__(self) -> str:
        learners = sorted({str(result["learner"]) for result in self.results} - {MAJORITY})
        return (
            f"Evaluation({', '.join(self.methods)}; {', '.join(learners)})\n"
            f"  {plural(len(self.results), 'cells')} by {self.protocol}; see .table(), .plot(), .tests()"
        )

    @cached_property
    def frame(self) -> Any:
        """A row for every cell: its names, its scores, the losses of the release, and the seconds."""
        return self._native(tidy(self.results, self.task))

    def _native(self, table: pa.Table) -> Any:
        return nw.from_arrow(table, backend=self.backend).to_native()

    def table(self, score: str | None = None) -> Any:
        """The mean of a score over all test parts: a row for each learner and method, a column for each k.

        Null means that a method was infeasible in some part.

        Parameters
        ----------
        score : str, optional
            ``"accuracy"``, ``"auc"``, ``"f1"`` or ``"log_loss"``; ``"r2"`` or ``"mae"`` of numbers;
            ``"adjusted_rand"`` of clustering; ``"rules_f1"``, ``"rules_kept"``, ``"rules_invented"``,
            ``"itemsets_kept"`` or ``"itemsets_invented"`` of association; ``"median_error"`` or ``"mean_error"`` of
            queries; ``"overlap"`` or ``"estimate_error"`` of estimates.
        """
        name = named_score(score, self.task)
        means = self._means(name)
        rows = []
        for learner, train, test in self._learned():
            for method in self.methods:
                row: dict[str, Any] = {"learner": learner, "train": train, "test": test, "method": method}
                row[self.floor] = means.get(self._floor_of(learner))
                row[UNANONYMIZED] = means.get((learner, "raw", "raw", UNANONYMIZED, None))
                row |= {_named(k): means.get((learner, train, test, method, k)) for k in self.ks}
                rows.append(row)
        return self._native(pa.Table.from_pylist(rows))

    @property
    def ks(self) -> list[int | None]:
        """Every k that was tried."""
        tried = {result["k"] for result in self.results if result["method"] not in BASELINES}
        return sorted(tried, key=lambda k: (k is not None, k or 0))

    def _learned(self) -> list[tuple[str, str, str]]:
        """The combinations of learner and ways of writing rows."""
        treated = (result for result in self.results if result["method"] not in BASELINES)
        return list(dict.fromkeys((result["learner"], result["train"], result["test"]) for result in treated))

    @property
    def floor(self) -> str:
        """The name of the lower baseline: ``"majority"`` of learners, ``"no-information"`` of analyses."""
        return MAJORITY if self.task in ("classes", "numbers") else NO_INFORMATION

    def _floor_of(self, learner: str) -> tuple[Any, ...]:
        """The names of the cells of that baseline. The majority is a learner, and the same for all learners."""
        if self.floor == MAJORITY:
            return (MAJORITY, "raw", "raw", UNANONYMIZED, None)
        return (learner, "raw", "raw", NO_INFORMATION, None)

    def _cells(self) -> dict[tuple[Any, ...], list[Result]]:
        """The results of all parts, by learner, ways of writing rows, method and k."""
        cells: dict[tuple[Any, ...], list[Result]] = defaultdict(list)
        for result in self.results:
            names = (result["learner"], result["train"], result["test"], result["method"], result["k"])
            cells[names].append(result)
        return cells

    def _means(self, score: str) -> dict[tuple[Any, ...], float | None]:
        return {names: mean_score(results, score) for names, results in self._cells().items()}

    def tests(self, score: str | None = None, *, control: str | None = None, alpha: float = 0.05) -> Tests:
        """Test whether methods differ from unanonymized rows, and from a control, by more than chance.

        Parameters
        ----------
        score : str, optional
            As in :meth:`table`.
        control : str, optional
            The method that the others are compared with, by default the first. Choose it before you see results.
        alpha : float
            The level of significance of Bonferroni-Dunn.
        """
        name = named_score(score, self.task)
        chosen = self.methods[0] if control is None else control
        if chosen not in self.methods:
            raise BadInput.unknown("method", str(chosen), self.methods)
        if self.protocol != "5x2cv":
            raise BadInput(f"The tests need five times two folds, not {self.protocol}. Evaluate with protocol='5x2cv'.")
        ranks = self._ranked(name)
        return Tests(
            name,
            tuple(self._contrasts(name, chosen)),
            ranks,
            None if ranks is None else bonferroni_dunn(ranks, chosen, alpha),
        )

    def _contrasts(self, score: str, control: str) -> Iterable[Contrast]:
        cells = self._cells()
        for learner, train, test in self._learned():
            raw = cells[learner, "raw", "raw", UNANONYMIZED, None]
            for method in self.methods:
                for k in self.ks:
                    own = cells[learner, train, test, method, k]
                    others = [(UNANONYMIZED, raw)]
                    if method != control:
                        others.append((control, cells[learner, train, test, control, k]))
                    for other, theirs in others:
                        pairs = paired(own, theirs, score)
                        if pairs is not None:
                            mean = statistics.fmean(difference for pair in pairs for difference in pair)
                            yield Contrast(learner, method, k, other, mean, five_by_two(pairs))

    def _ranked(self, score: str) -> Friedman | None:
        """The methods' ranks over all cases in which all of them were feasible."""
        sign = -1.0 if score in BETTER_WHEN_LOWER else 1.0
        means = {cell: sign * mean for cell, mean in self._means(score).items() if mean is not None}
        learned = product(self._learned(), self.ks)
        cases = [[(*learner, method, k) for method in self.methods] for learner, k in learned]
        feasible = [case for case in cases if means.keys() >= set(case)]
        if len(self.methods) < 2 or len(feasible) < 2:
            return None
        return friedman({method: [means[case[at]] for case in feasible] for at, method in enumerate(self.methods)})

    def plot(self, score: str | None = None) -> Any:
        """The score against k, a line for each method and a panel for each learner, as an Altair chart."""
        from hedgerow.evaluation.charts import score_chart

        return score_chart(self, named_score(score, self.task))


def tidy(results: Sequence[Result], task: AnyTask) -> pa.Table:
    """Results as a table that always has the same columns."""
    known = (*_NAMES, *SCORES[task], *_RELEASE, *_SECONDS, "key")
    added = dict.fromkeys(name for result in results for name in result if name not in known)
    texts = {"method", "train", "test", "learner", "status", "reason", *added}
    whole = {"k", "repetition", "fold", "classes", "k_reached"}
    columns = {}
    for name in (*added, *known[:-1]):
        kind = pa.string() if name in texts else pa.int64() if name in whole else pa.float64()
        columns[name] = pa.array([result.get(name) for result in results], kind)
    return pa.table(columns)


def mean_score(results: Sequence[Result], score: str) -> float | None:
    """The mean of a score, if every part has one."""
    scores = [result.get(score) for result in results]
    return None if not scores or None in scores else statistics.fmean(value for value in scores if value is not None)


def paired(own: Sequence[Result], others: Sequence[Result], score: str) -> list[tuple[float, float]] | None:
    """The differences of two scores in both folds of each of five repetitions, if all are known."""

    def by_fold(results: Sequence[Result]) -> dict[tuple[int, int], float]:
        known = (result for result in results if result.get(score) is not None)
        return {(result["repetition"], result["fold"]): result[score] for result in known}

    mine, theirs = by_fold(own), by_fold(others)
    folds = [(repetition, fold) for repetition in range(5) for fold in range(2)]
    if any(fold not in mine or fold not in theirs for fold in folds):
        return None
    gaps = [mine[fold] - theirs[fold] for fold in folds]
    return list(zip(gaps[::2], gaps[1::2], strict=True))


def _named(k: int | None) -> str:
    return "as required" if k is None else f"k={k}"
