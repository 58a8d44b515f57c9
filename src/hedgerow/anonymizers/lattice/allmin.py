"""AllMin: the least generalization of whole columns, by a search on the heights of the lattice.

The height of a state is the sum of its levels. If no state of some height meets the requirement, no state of a lower
height does. So a binary search finds the lowest height with a solution. All states of that height that meet the
requirement are minimal solutions, and the one with the highest precision is published.

P. Samarati: Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; Arca, Hewett: Data privacy
with heuristic anonymisation, section 5.1.2.

Deviations
----------
- Arca and Hewett call the search binary, but in their example it goes down height by height from the middle. So does
  ``search="linear"``, which first judges the unchanged table, without counting it, as they do. They do not say what
  happens if the middle height has no solution; here the search then goes up.
- Neither paper chooses among several minimal solutions. Here precision (Prec) decides, with columns counted by their
  weights, then the order of the columns. Heights are sums of levels, whatever the weights are.
- The search by height assumes that a more general state meets every requirement that a less general one meets. This
  fails if records may be lost and the requirement is entropy or recursive l-diversity, t-closeness or (alpha, k). Then
  heights are searched from 0 upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._costs import cost_of
from hedgerow.anonymizers.lattice._judge import Judge, publish
from hedgerow.anonymizers.lattice._levels import Levels, above, below, lifted
from hedgerow.anonymizers.lattice.optimal import MOST_STATES
from hedgerow.anonymizers.parameters import choice
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["AllMin"]

# The accepted states of a height.
_Solutions = Callable[[int], list[Levels]]


class AllMin(Anonymizer):
    """The least generalization of whole columns: the lowest sum of levels.

    The recoding's facts list the ``heights`` in the order of the search, how many ``states`` they have together, how
    many of these were ``evaluated`` (the others follow from them), and the ``minimal`` solutions.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "m", "f", "m"]})
    >>> schema = hr.Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> recoding = hr.AllMin(k=2).anonymize(people, schema).recoding
    >>> recoding.facts["heights"], recoding.levels
    ([1, 2], {'zip': 2, 'sex': 0})
    """

    name = "allmin"
    family = "lattice"
    keeps_levels = True
    suppression_by = "itself"
    paper = "Samarati (IEEE TKDE 2001)"

    search: Literal["binary", "linear"] = choice(
        "Halve the range of sums of levels, or go down from the middle step by step, as Arca and Hewett do."
    )

    def uses_weights(self) -> bool:
        """Precision, which is weighted, chooses among the minimal solutions."""
        return True

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        judge = Judge.of(counts, requirements, self._may_lose(counts))
        lattice = judge.lattice
        if lattice.size > MOST_STATES:
            raise BadInput(
                f"The hierarchies of the {len(lattice.heights)} quasi-identifiers have {lattice.size:,} combinations "
                f"of levels, more than the {MOST_STATES:,} that AllMin searches. Use fewer columns or lower "
                "hierarchies, or the method 'optimal' with a time_limit."
            )
        examined = _Examined(judge)
        if not judge.nested:
            minimal = _upwards(examined.solutions, 0, sum(lattice.heights))
        elif self.search == "binary":
            minimal = _binary(examined.solutions, sum(lattice.heights))
        else:
            minimal = _linear(examined, (0,) * len(lattice.heights), sum(lattice.heights))
        if not minimal:
            raise judge.refuse()
        precision = cost_of("prec", judge)
        best = min(precision.state(levels) for levels in minimal)
        return publish(
            "allmin",
            judge,
            best.levels,
            facts={
                "heights": examined.heights,
                "states": examined.states,
                "evaluated": examined.evaluated,
                "nodes": lattice.size,
                "minimal": [lattice.named(levels) for levels in minimal],
            },
        )


class _Examined:
    """The searched heights in order, the number of their states, and which states are accepted or refused.

    Few states have to be judged. A state is refused if a more general one is, and more general states have fewer
    classes to count. So the search follows a path up from a state, and halves it until the state is decided.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge, self._lattice = judge, judge.lattice
        shape = [height + 1 for height in judge.lattice.heights]
        totals = sum(np.indices(shape, sparse=True), np.zeros(shape, dtype=np.int64)).ravel()
        self._order = np.argsort(totals, kind="stable")
        self._starts = np.searchsorted(totals[self._order], np.arange(sum(judge.lattice.heights) + 2))
        self._accepted = np.zeros(shape, dtype=bool)
        self._refused = np.zeros(shape, dtype=bool)
        self.heights: list[int] = []
        self.states = 0
        self.evaluated = 0

    def solutions(self, height: int) -> list[Levels]:
        """The accepted states of a height, in lexicographic order."""
        numbers = self._order[self._starts[height] : self._starts[height + 1]]
        self.heights.append(height)
        self.states += len(numbers)
        states = np.stack(np.unravel_index(numbers, self._accepted.shape), axis=1).tolist()
        return [tuple(state) for state in states if self.accepts(tuple(state))]

    def accepts(self, state: Levels) -> bool:
        """Whether a state meets the requirements; its height does not count as searched."""
        path: list[Levels] = [] if self._accepted[state] or self._refused[state] else self._path(state)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._judged(path[middle]) else (middle + 1, high)
        return bool(self._accepted[state])

    def _path(self, state: Levels) -> list[Levels]:
        """From a state up to the root; columns with the fewest distinct values go first."""
        path = [state]
        while self._judge.nested and (
            columns := [at for at, level in enumerate(path[-1]) if level < self._lattice.heights[at]]
        ):
            least = min(columns, key=lambda at: self._lattice.distinct(at, path[-1][at]))
            path.append(lifted(path[-1], least))
        return path

    def _judged(self, state: Levels) -> bool:
        if self._accepted[state] or self._refused[state]:
            return bool(self._accepted[state])
        self.evaluated += 1
        verdict = self._judge.verdict_at(state)
        if verdict.accepted:
            self._accepted[above(state) if self._judge.nested else state] = True
        else:
            self._refused[below(state) if verdict.refutes_below else state] = True
        return verdict.accepted


def _binary(solutions: _Solutions, highest: int) -> list[Levels]:
    """Find the lowest height with a solution by halving the range."""
    low, high = 0, highest
    best: list[Levels] | None = None
    while low < high:
        middle = (low + high) // 2
        here = solutions(middle)
        if here:
            high, best = middle, here
        else:
            low = middle + 1
    return solutions(high) if best is None else best


def _linear(examined: _Examined, unchanged: Levels, highest: int) -> list[Levels]:
    """From the middle down while there are solutions; up if the middle has none."""
    if examined.accepts(unchanged):
        return [unchanged]
    best = examined.solutions(highest // 2)
    if not best:
        return _upwards(examined.solutions, highest // 2 + 1, highest)
    for height in range(highest // 2 - 1, 0, -1):
        here = examined.solutions(height)
        if not here:
            break
        best = here
    return best


def _upwards(solutions: _Solutions, lowest: int, highest: int) -> list[Levels]:
    return next(filter(None, map(solutions, range(lowest, highest + 1))), [])
