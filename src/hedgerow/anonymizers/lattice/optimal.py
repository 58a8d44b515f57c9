"""The optimal full-domain generalization: the best state of the lattice by a metric, with proof.

Every column is published at one level of its hierarchy. A share of the records may be lost: those of violating classes.
:mod:`hedgerow.anonymizers.lattice._judge` judges states and says what follows for others,
:mod:`~hedgerow.anonymizers.lattice._costs` bounds the metrics, and :mod:`~hedgerow.anonymizers.lattice._search`
searches the lattice, after OLA and Flash.

K. El Emam et al.: A Globally Optimal k-Anonymity Method for the De-Identification of Health Data, JAMIA 16(5), 2009;
F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn: Flash: Efficient, Stable and Optimal K-Anonymity, PASSAT 2012.

Deviations
----------
- The papers assume that states more general than an accepted one are accepted, also if records are lost. That holds
  for k-anonymity, and is not assumed for requirements for which it does not hold.
- The papers take the best of the minimal states. If records may be lost, a more general state loses fewer and can be
  better, so all accepted states are compared.
- Ties go to the lowest sum of levels, then to the first state in the order of the columns.
- ``c_avg`` is relative to the largest class size that a requirement demands, as in the audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._costs import Cost, CostedState, cost_of
from hedgerow.anonymizers.lattice._judge import Judge, publish
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.anonymizers.lattice._options import METRIC, Deadline
from hedgerow.anonymizers.lattice._search import SearchEnd, descend, search
from hedgerow.anonymizers.lattice.datafly import climb
from hedgerow.anonymizers.parameters import number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import METRICS
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["MOST_STATES", "OptimalLattice"]

MOST_STATES: Final = 2_000_000
"""The largest lattice that is searched exhaustively: some hundred megabytes, and minutes on a usual table."""


class OptimalLattice(Anonymizer):
    """The best full-domain generalization by a metric: every column at one level of its hierarchy, with proof.

    The recoding's facts say whether the optimum is ``proved``, how many ``nodes`` the lattice has, how many of them
    were ``evaluated`` and how many ``tagged`` (decided without evaluation), the ``metric`` and its ``value``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> release = OptimalLattice(k=2).anonymize(people, schema)
    >>> release.recoding.levels, release.recoding.facts["proved"]
    ({'zip': 1, 'sex': 0}, True)
    """

    name = "optimal"
    family = "lattice"
    suppression_by = "itself"
    paper = "El Emam et al. (JAMIA 2009); Kohlmayer et al. (PASSAT 2012)"

    metric: str = METRIC
    time_limit: float | None = number(
        "Seconds after which the search stops and the best state so far is released. Without it, a lattice of more "
        "than two million combinations of levels is refused.",
        default=None,
        least=0,
        trials=(5.0,),
    )

    def uses_weights(self) -> bool:
        """Whether the metric is weighted."""
        return METRICS[self.metric].weighted

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        judge = Judge.of(counts, requirements, self._may_lose(counts), metric=self.metric)
        lattice = judge.lattice
        cost = cost_of(self.metric, judge)
        if self.time_limit is None and lattice.size > MOST_STATES:
            raise BadInput(
                f"The hierarchies of the {len(lattice.heights)} quasi-identifiers have {lattice.size:,} combinations "
                f"of levels, more than the {MOST_STATES:,} that are searched to the end. Give OptimalLattice a "
                "time_limit in seconds to get the best state found by then."
            )
        outcome = _searched(judge, cost, self.time_limit)
        if outcome.best is None:
            raise judge.refuse()
        levels = outcome.best.levels
        return publish(
            "optimal",
            judge,
            levels,
            facts={
                "proved": outcome.proved,
                "nodes": lattice.size,
                "evaluated": outcome.evaluated,
                "tagged": outcome.tagged,
                "metric": self.metric,
                "value": cost.metric(cost.of(judge.verdict_at(levels))),
            },
            warnings=() if outcome.proved else (_unproved(lattice, outcome),),
        )


def _searched(judge: Judge, cost: Cost, time_limit: float | None) -> SearchEnd:
    """Search exhaustively, or within the time limit, starting with Datafly's state so that there is a result."""
    deadline = Deadline(time_limit)
    if time_limit is None:
        return search(judge, cost, deadline)
    *_, last = climb(judge)
    start = CostedState.at(last.classes.levels, cost.of(last)) if last.accepted else None
    if judge.lattice.size <= MOST_STATES:
        return search(judge, cost, deadline, start)
    starts = [judge.lattice.heights] if start is None else [start.levels, judge.lattice.heights]
    return descend(judge, cost, deadline, starts)


def _unproved(lattice: Lattice, outcome: SearchEnd) -> str:
    return (
        f"The time limit ended the search after {outcome.evaluated:,} of {lattice.size:,} combinations of levels; "
        "there may be a better one."
    )
