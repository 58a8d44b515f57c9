"""How long a full run takes, by the seconds that finished cells have recorded, and those of cells like them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from hedgerow.errors import plural
from hedgerow.evaluation.jobs import Job, Measurement, TrialOf
from hedgerow.evaluation.store import Store

__all__ = ["Effort", "identities"]

Result = Mapping[str, Any]
_Kind = tuple[object, ...]

_CORES: Final = 2


def identities(job: Job) -> list[tuple[str, Mapping[str, Any]]]:
    """The keys of a job's cells, each with what its result says of itself."""
    inner = getattr(job, "job", job)  # of one that is postponed
    if isinstance(inner, TrialOf):
        return [(cell.key, cell.names) for cell in inner.trial.cells]
    if isinstance(inner, Measurement):
        return [(key, inner.arguments) for key in inner.keys]
    return [(key, {}) for key in job.keys]


@dataclass(frozen=True)
class Effort:
    """The seconds of a full run.

    Attributes
    ----------
    seconds : float
        Of all cells whose kind records any.
    unknown : int
        How many cells are of a kind that records none.
    """

    seconds: float
    unknown: int

    @classmethod
    def of(cls, jobs: Sequence[Job], store: Store) -> Self:
        """Add up what is recorded, and for unfinished cells the mean of the kind that is most like them."""
        means = _Means()
        for job in jobs:
            for kinds, taken in _recorded(job, store):
                if taken is not None:
                    means.add(kinds, taken)
        seconds, unknown = 0.0, 0
        for job in jobs:
            for kinds, taken in _recorded(job, store):
                one = means.of(kinds) if taken is None else taken
                seconds += one or 0.0
                unknown += one is None and kinds[0][0] != "anonymizing"
        return cls(seconds, unknown)

    def __str__(self) -> str:
        if not self.seconds:
            return "Cells record no seconds, so that nothing is known of how long a full run takes."
        hours = self.seconds / 3600 / _CORES
        told = f"{hours:.1f} hours" if hours >= 1 else plural(max(1, round(60 * hours)), "minutes")
        lacking = f"; {self.unknown:,} cells record none, and come on top" if self.unknown else ""
        return f"A full run takes at least {told} on two cores: so many seconds have cells recorded{lacking}."


@dataclass
class _Means:
    known: dict[_Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kinds: Sequence[_Kind], taken: float) -> None:
        for kind in kinds:
            self.known[kind].append(taken)

    def of(self, kinds: Sequence[_Kind]) -> float | None:
        return next((statistics.fmean(self.known[kind]) for kind in kinds if kind in self.known), None)


def _recorded(job: Job, store: Store) -> Iterator[tuple[Sequence[_Kind], float | None]]:
    """The kinds of each part of a job, the narrowest first, and its seconds if it is finished and has recorded them."""
    inner = getattr(job, "job", job)
    name = inner.name if isinstance(inner, Measurement) else "trial"
    anonymizing: float | None = None
    named: Mapping[str, Any] = {}
    for key, named in identities(job):
        result = store.get(key) or {}
        what, where, method = named.get("learner"), named.get("dataset", named.get("table")), named.get("method")
        yield [(name, what, where, method, named.get("rows")), (name, what, where), (name, what)], _seconds(result)
        anonymizing = result.get("anonymizing_seconds", anonymizing)
    if isinstance(inner, TrialOf) and inner.trial.treatment.method is not None:
        where, method = named.get("dataset"), named.get("method")
        yield [("anonymizing", where, method), ("anonymizing", method)], anonymizing


def _seconds(result: Result) -> float | None:
    if "tree_seconds" in result:
        return float(result["tree_seconds"] + result["other_seconds"])
    taken = result.get("seconds", result.get("learning_seconds"))
    return None if taken is None else float(taken)
