"""From a state of the lattice to the recoding that publishes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.anonymizers.lattice.judging import Judge
from hedgerow.anonymizers.lattice.levels import Levels
from hedgerow.recoding import Recoding, recode_by_nodes

__all__ = ["publish"]


def publish(
    method: str, judge: Judge, levels: Levels, *, facts: Mapping[str, Any], warnings: Sequence[str] = ()
) -> Recoding:
    """Publish an accepted state: every column at its level, the records of violating classes lost."""
    lattice = judge.lattice
    classes, of_tuple = lattice.classes_of_tuples(levels)
    verdict = judge.verdict(classes)
    return recode_by_nodes(
        method,
        lattice.counts,
        lattice.nodes(levels),
        lost=verdict.lost[of_tuple] if verdict.records else None,
        levels=lattice.named(levels),
        facts=facts,
        warnings=warnings,
    )
