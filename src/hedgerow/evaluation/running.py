"""Run trials side by side, repetition by repetition, and keep every finished cell."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hedgerow.evaluation.cells import Trial
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable
from hedgerow.evaluation.trying import Stage, attempt

__all__ = ["Advance", "Batch", "run"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Trials with one table."""

    table: EvaluatedTable
    random_state: int
    trials: Sequence[Trial]


@dataclass(frozen=True)
class Advance:
    """How far a run is: finished cells of all, and the seconds that the rest will take if it goes on like this."""

    done: int
    all: int
    seconds_left: float | None


def run(
    batches: Iterable[Batch],
    store: Store,
    *,
    workers: int | None = None,
    advance: Callable[[Advance], None] | None = None,
    seconds: float | None = None,
) -> bool:
    """Run what is not known yet; say whether all of it was run.

    The first repetition of everything comes first, so that whenever it is stopped, what was done can be compared.

    Parameters
    ----------
    batches : sequence of Batch
    store : Store
        Knows finished cells, and is told of each new one.
    workers : int, optional
        How many processes; one for each core if not given. With 1 all is done in this one.
    advance : callable, optional
        Told of every finished trial.
    seconds : float, optional
        After which no further trial is begun.
    """
    known, todo = 0, []
    for batch in batches:
        for trial in batch.trials:
            unknown = tuple(cell for cell in trial.cells if store.get(cell.key) is None)
            known += len(trial.cells) - len(unknown)
            if unknown:
                todo.append((batch, replace(trial, cells=unknown)))
    todo.sort(key=lambda one: (one[1].split.repetition, one[1].split.fold))
    wanted = known + sum(len(trial.cells) for _, trial in todo)
    began, done = time.monotonic(), known
    with tempfile.TemporaryDirectory(prefix="hedgerow-") as folder:
        work = [(Stage.of(batch.table, Path(folder), batch.random_state), trial) for batch, trial in todo]
        with closing(_results(work, workers or os.cpu_count() or 1, began, seconds)) as found:
            for results in found:
                store.add(results)
                done += len(results)
                if advance is not None:
                    spent = time.monotonic() - began
                    advance(Advance(done, wanted, spent / (done - known) * (wanted - done)))
    return done == wanted


def _results(
    work: Sequence[tuple[Stage, Trial]], workers: int, began: float, seconds: float | None
) -> Iterator[list[dict[str, Any]]]:
    def begun() -> Iterator[tuple[Stage, Trial]]:
        for one in work:
            if seconds is not None and time.monotonic() - began > seconds:
                return
            yield one

    if workers == 1 or len(work) < 2:
        for stage, trial in begun():
            yield attempt(stage, trial)
        return

    from joblib import Parallel, delayed

    # Processes of their own, each with a Java machine of its own if it needs one.
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=workers, batch_size=1)
    yield from pool(delayed(attempt)(stage, trial) for stage, trial in begun())
