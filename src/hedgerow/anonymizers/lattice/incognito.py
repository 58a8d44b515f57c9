"""Incognito: all full-domain generalizations that meet the requirements, found over growing subsets of the columns.

A requirement that holds for all columns holds for any of them, because with fewer columns classes unite. So a state of
some columns is judged only if all its parts with one column less were accepted. Within a subset, states are judged from
the bottom up. States above an accepted one are accepted without judging, and classes are rolled up from those of other
states. Of all solutions over all columns, the best by a metric is published.

K. LeFevre, D. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain k-Anonymity, SIGMOD 2005.

Deviations
----------
- Records may be lost only if further records in a class never break any of the requirements (k-anonymity, distinct
  l-diversity, p-sensitivity). Then a record that must be lost over some of the columns must be lost over all of them.
  With other requirements, nothing is lost, whatever the suppression limit.
- The paper leaves the choice among the solutions open. Here a metric decides, with ties as in ``optimal``.
- All monotone requirements are supported, each on the part of its shield that is in the subset.
- The states of a subset are an array over its levels instead of a graph, so that the pruning by subsets is a
  conjunction of arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._costs import cost_of
from hedgerow.anonymizers.lattice._judge import Judge, publish
from hedgerow.anonymizers.lattice._levels import above
from hedgerow.anonymizers.lattice._options import METRIC
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import METRICS
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["MOST_PARTIAL_STATES", "Incognito"]

MOST_PARTIAL_STATES: Final = 5_000_000
"""The most states, over all subsets of the columns together, that are searched."""

_Subset = tuple[int, ...]


class Incognito(Anonymizer):
    """All full-domain generalizations that meet the requirements within the suppression limit; the best by a metric.

    The recoding's facts give the number of ``solutions`` among the ``nodes`` of the lattice, the ``minimal`` ones, how
    many states of subsets were ``evaluated``, the ``metric`` and its ``value``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "m", "f", "m"]})
    >>> schema = hr.Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> hr.Incognito(k=2).anonymize(people, schema).recoding.facts["minimal"]
    [{'zip': 1, 'sex': 1}, {'zip': 2, 'sex': 0}]
    """

    name = "incognito"
    family = "lattice"
    keeps_levels = True
    suppression_by = "itself"
    paper = "LeFevre, DeWitt, Ramakrishnan (SIGMOD 2005)"

    metric: str = METRIC

    def uses_weights(self) -> bool:
        """Whether the metric is weighted."""
        return METRICS[self.metric].weighted

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        allowed = self._may_lose(counts) if all(requirement.kept_by_more for requirement in requirements) else 0
        judge = Judge.of(counts, requirements, allowed, metric=self.metric)
        lattice = judge.lattice
        cost = cost_of(self.metric, judge)
        _refuse(judge)
        accepted, evaluated = _solutions(judge)
        if not accepted.any():
            raise judge.refuse()
        minimal = np.argwhere(accepted & ~_above(accepted))
        # A more general state that loses fewer records can be better.
        candidates = minimal if cost.grows and not judge.allowance else np.argwhere(accepted)
        best = min(cost.state(levels) for levels in candidates.tolist())
        return publish(
            "incognito",
            judge,
            best.levels,
            facts={
                "nodes": lattice.size,
                "evaluated": evaluated,
                "solutions": int(accepted.sum()),
                "minimal": [lattice.named(levels) for levels in minimal.tolist()],
                "metric": self.metric,
                "value": cost.metric(cost.of(judge.verdict_at(best.levels))),
            },
        )


def _refuse(judge: Judge) -> None:
    if not judge.keeps:
        broken = next(requirement for requirement in judge.requirements if not requirement.monotone)
        raise BadInput(
            f"Incognito needs monotone requirements, and {broken} is not: generalizing may break it. Use 'optimal'."
        )
    heights = judge.lattice.heights
    partial = prod(height + 2 for height in heights)
    if partial > MOST_PARTIAL_STATES:
        raise BadInput(
            f"The subsets of the {len(heights)} quasi-identifiers have {partial:,} combinations of levels, more than "
            f"the {MOST_PARTIAL_STATES:,} that Incognito searches. Use 'optimal', with a time_limit if necessary."
        )


def _solutions(judge: Judge) -> tuple[Bools, int]:
    """Which states of all columns are accepted, and how many states of subsets were judged."""
    columns = range(len(judge.lattice.heights))
    smaller: dict[_Subset, Bools] = {(): np.ones((), dtype=bool)}
    evaluated = 0
    for number in range(1, len(columns) + 1):
        current = {}
        for subset in combinations(columns, number):
            # A state is a candidate if all its parts with one column less are accepted.
            candidates = np.ones([judge.lattice.heights[column] + 1 for column in subset], dtype=bool)
            for at in range(number):
                candidates &= np.expand_dims(smaller[subset[:at] + subset[at + 1 :]], at)
            current[subset], judged = _accepted(judge, subset, candidates)
            evaluated += judged
        smaller = current
    return smaller[tuple(columns)], evaluated


def _accepted(judge: Judge, subset: _Subset, candidates: Bools) -> tuple[Bools, int]:
    """Judge the candidates of a subset from the bottom up, the other columns at their roots."""
    accepted = np.zeros_like(candidates)
    states = np.argwhere(candidates)
    evaluated = 0
    for state in states[np.argsort(states.sum(axis=1), kind="stable")].tolist():
        if accepted[tuple(state)]:
            continue
        levels = list(judge.lattice.heights)
        for column, level in zip(subset, state, strict=True):
            levels[column] = level
        evaluated += 1
        if judge.verdict_at(levels).accepted:
            accepted[above(state)] = True
    return accepted, evaluated


def _above(accepted: Bools) -> Bools:
    """Which states are one level of one column above an accepted one."""
    result = np.zeros_like(accepted)
    for axis in range(accepted.ndim):
        result |= np.delete(np.insert(accepted, 0, False, axis), -1, axis)
    return result
