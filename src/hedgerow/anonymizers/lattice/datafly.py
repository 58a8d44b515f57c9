"""Datafly: generalize the column with the most distinct values, again and again, and suppress the few that remain.

L. Sweeney: Datafly: a system for providing anonymity in medical data, Database Security XI, 1998; Achieving
k-Anonymity Privacy Protection Using Generalization and Suppression, IJUFKS 10(5), 2002, section 4.

Deviations
----------
- The original stops when at most k records violate, and suppresses these; here it is a share of all records that may
  be lost, none if not given.
- Columns that no requirement speaks of are not generalized.
- Any requirement is met, each on its shield; see :mod:`hedgerow.anonymizers.lattice.judging`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedgerow.anonymizers.lattice.judging import Judge, Verdict, allowance_of
from hedgerow.anonymizers.lattice.levels import Lattice, Levels
from hedgerow.anonymizers.lattice.publishing import publish
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding

__all__ = ["climb", "datafly"]


def datafly(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    *,
    seed: int | None = None,  # noqa: ARG001 - every method has one; nothing is left to chance
    suppression_limit: float = 0.0,
) -> Recoding:
    """Generalize greedily; :class:`hedgerow.Datafly` explains the parameters.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.anonymizers.line import prepare
    >>> from hedgerow.privacy import KAnonymity
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> prepared = prepare(people, schema, [KAnonymity(2)], random_state=0)
    >>> datafly(prepared.counts, prepared.requirements).levels
    {'zip': 1, 'sex': 0}
    """
    lattice = Lattice(counts, (one.column for one in requirements if one.column is not None))
    judge = Judge(lattice, requirements, allowance_of(counts.rows, suppression_limit))
    verdicts = list(climb(judge))
    if not verdicts[-1].accepted:
        raise judge.refuse()
    levels = verdicts[-1].classes.levels
    return publish("datafly", judge, levels, facts={"evaluated": len(verdicts), "nodes": lattice.size})


def climb(judge: Judge) -> Iterator[Verdict]:
    """The states that Datafly goes through, up to the first that is accepted; the last may be the root."""
    lattice = judge.lattice
    levels: Levels = (0,) * len(lattice.heights)
    while True:
        verdict = judge.verdict(lattice.classes(levels))
        yield verdict
        open_columns = [at for at in sorted(judge.columns) if levels[at] < lattice.heights[at]]
        if verdict.accepted or not open_columns:
            return
        most = max(open_columns, key=lambda at: lattice.distinct(at, levels[at]))
        levels = (*levels[:most], levels[most] + 1, *levels[most + 1 :])
