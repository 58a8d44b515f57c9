"""Datafly: always generalize the column with the most distinct values, and suppress the few records that remain.

L. Sweeney: Datafly: a system for providing anonymity in medical data, Database Security XI, 1998; Achieving
k-Anonymity Privacy Protection Using Generalization and Suppression, IJUFKS 10(5), 2002, section 4.

Deviations
----------
- The original stops when at most k records violate, and suppresses these. Here a share of all records may be lost, by
  default none.
- Columns that no requirement concerns are not generalized.
- The number of distinct values of a column is divided by its weight, so heavy columns are generalized late.
- All requirements are supported, each on its shield; see :mod:`hedgerow.anonymizers.lattice._judge`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._judge import Judge, Judgement, publish
from hedgerow.anonymizers.lattice._levels import Levels, lifted
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.requirements import Requirement

__all__ = ["Datafly", "climb"]

# Small enough to stand for a weight of 0, and large enough to divide by.
_LEAST: Final = 1e-200


class Datafly(Anonymizer):
    """Always generalize the column with the most distinct values; the few violating records that remain are lost.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> schema = hr.Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> hr.Datafly(k=2).anonymize(people, schema).recoding.levels
    {'zip': 1, 'sex': 0}
    """

    name = "datafly"
    family = "lattice"
    keeps_levels = True
    suppression_by = "itself"
    paper = "Sweeney (1998; IJUFKS 2002)"

    def uses_weights(self) -> bool:
        """The number of distinct values of a column is divided by its weight."""
        return True

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        judge = Judge.of(counts, requirements, self._may_lose(counts))
        verdicts = list(climb(judge))
        if not verdicts[-1].accepted:
            raise judge.refuse()
        facts = {"evaluated": len(verdicts), "nodes": judge.lattice.size}
        return publish("datafly", judge, verdicts[-1].classes.levels, facts=facts)


def climb(judge: Judge) -> Iterator[Judgement]:
    """The verdicts on the states of Datafly's path, up to the first accepted one or the root."""
    lattice = judge.lattice
    levels: Levels = (0,) * len(lattice.heights)
    # Columns without weight are generalized first.
    weights = [max(weight, _LEAST) for weight in lattice.counts.roles.column_weights]
    while True:
        verdict = judge.verdict_at(levels)
        yield verdict
        open_columns = [at for at in sorted(judge.columns) if levels[at] < lattice.heights[at]]
        if verdict.accepted or not open_columns:
            return
        most = max(open_columns, key=lambda at: lattice.distinct(at, levels[at]) / weights[at])
        levels = lifted(levels, most)
