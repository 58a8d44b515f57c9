"""AllMin: the least generalizations by whole columns, found by the height of the states in the lattice.

The height of a state is the sum of its levels. If no state of some height meets the requirement, none of a lower one
does, so the lowest height that has a solution is found by a binary search on heights; all states of it that meet the
requirement are minimal solutions, and the one with the highest precision is published.

P. Samarati: Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; Arca, Hewett: Data privacy
with heuristic anonymisation, section 5.1.2.

Deviations
----------
- Arca and Hewett call the search binary, but in their example it goes down height by height from the middle:
  ``search="linear"`` does, and judges the table as it is before, uncounted, as they do. They do not say what is done
  if the middle height has no solution: then it goes up.
- Neither paper chooses among several minimal solutions; here precision (Prec) does, in which columns count by their
  weights, then the order of the columns. Heights are sums of levels, whatever columns weigh.
- The search by height rests on the conclusion that a more general state meets what a less general one does. Where it
  does not hold (records may be lost and the requirement is entropy or recursive l-diversity, t-closeness or
  (alpha, k)), heights are searched from 0 upwards.
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
    """The least generalization by whole columns: the lowest sum of levels, found by a search on it.

    The recoding's facts tell the ``heights`` in the order of the search, how many ``states`` they have together, how
    many were ``evaluated`` (from which the others follow), and the ``minimal`` solutions.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "m", "f", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> recoding = AllMin(k=2).anonymize(people, schema).recoding
    >>> recoding.facts["heights"], recoding.levels
    ([1, 2], {'zip': 2, 'sex': 0})
    """

    name = "allmin"
    family = "lattice"
    suppression_by = "itself"
    paper = "Samarati (IEEE TKDE 2001)"

    search: Literal["binary", "linear"] = choice(
        "Halve the range of sums of levels; or go down from the middle one by one, as Arca and Hewett do."
    )

    def uses_weights(self) -> bool:
        """Of the minimal solutions the precision chooses."""
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
        best = min(precision.found(one) for one in minimal)
        return publish(
            "allmin",
            judge,
            best.levels,
            facts={
                "heights": examined.heights,
                "states": examined.states,
                "evaluated": examined.evaluated,
                "nodes": lattice.size,
                "minimal": [lattice.named(one) for one in minimal],
            },
        )


class _Examined:
    """The heights that were looked at, in order, how many states they have, and what is known of all states.

    Few states have to be judged: where a more general one does not meet the requirement, a state does not either, and
    more general ones have fewer classes to count. So a path is followed up from a state and halved until it is known.
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
        """Whether a state meets the requirements, without counting it as examined."""
        path: list[Levels] = [] if self._accepted[state] or self._refused[state] else self._path(state)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._judged(path[middle]) else (middle + 1, high)
        return bool(self._accepted[state])

    def _path(self, state: Levels) -> list[Levels]:
        """From a state up to the root; the columns that tell records apart least go first."""
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
    """Halve the heights between one without a solution and one with."""
    low, high = 0, highest
    found: list[Levels] | None = None
    while low < high:
        middle = (low + high) // 2
        here = solutions(middle)
        if here:
            high, found = middle, here
        else:
            low = middle + 1
    return solutions(high) if found is None else found


def _linear(examined: _Examined, as_it_is: Levels, highest: int) -> list[Levels]:
    """From the middle down, while there are solutions; up, if there are none."""
    if examined.accepts(as_it_is):
        return [as_it_is]
    found = examined.solutions(highest // 2)
    if not found:
        return _upwards(examined.solutions, highest // 2 + 1, highest)
    for height in range(highest // 2 - 1, 0, -1):
        here = examined.solutions(height)
        if not here:
            break
        found = here
    return found


def _upwards(solutions: _Solutions, lowest: int, highest: int) -> list[Levels]:
    return next(filter(None, map(solutions, range(lowest, highest + 1))), [])
