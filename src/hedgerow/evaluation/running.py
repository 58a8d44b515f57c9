"""Run work side by side, repetition by repetition, and keep every finished cell."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.core.proportions import RESULTS_VERSION
from hedgerow.evaluation.cells import Treatment, Trial, key_of, library_versions
from hedgerow.evaluation.learners.base import changed, defaults_of
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable
from hedgerow.evaluation.trying import Stage, attempt
from hedgerow.io.connections import end_quietly
from hedgerow.io.scratch import Scratch

__all__ = ["Advance", "Job", "Measurement", "Results", "TrialOf", "finished", "found_in", "run"]

Results = list[dict[str, Any]]


class Job(Protocol):
    """Work for one process, which finishes one cell or several."""

    @property
    def order(self) -> tuple[int, int]:
        """Which repetition and fold it is of: the first of all jobs are done first."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its cells."""
        ...

    def left(self, store: Store) -> Job | None:
        """What of it is still to be done."""
        ...

    def staged(self, folder: Path) -> Callable[[], Results]:
        """What a process has to call; whatever it needs is written to a folder first."""
        ...


@dataclass(frozen=True, eq=False)
class TrialOf:
    """A trial with a table."""

    table: EvaluatedTable
    random_state: int
    trial: Trial

    @property
    def order(self) -> tuple[int, int]:
        """The repetition and the fold."""
        return self.trial.split.repetition, self.trial.split.fold

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its cells."""
        return tuple(cell.key for cell in self.trial.cells)

    def left(self, store: Store) -> TrialOf | None:
        """The trial with those cells that are not known."""
        unknown = tuple(cell for cell in self.trial.cells if store.get(cell.key) is None)
        return replace(self, trial=replace(self.trial, cells=unknown)) if unknown else None

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table out, once for all trials."""
        return partial(attempt, Stage.of(self.table, folder, self.random_state), self.trial)


@dataclass(frozen=True, eq=False)
class Measurement:
    """A cell of its own kind: whatever a function of a module finds out.

    Parameters
    ----------
    name : str
        What the function is known by, wherever it stands: part of the key.
    measure : callable
        Called with the arguments in a process of its own; returns what JSON can hold.
    arguments : mapping
        What JSON can hold: they are part of the key, unless they are the function's defaults, and of the result.
    data : str
        The digest of the data that it reads.
    method : Anonymizer, optional
        What it anonymizes with.
    proportions : bool
        Whether it makes use of published proportions, whose version is then part of the key.
    weka : bool
        Whether it learns with Weka.
    version : int
        Raised when the function begins to find other things.
    repetition : int
        The first repetition of everything is done first.
    """

    name: str
    measure: Callable[..., Mapping[str, Any]]
    arguments: Mapping[str, Any]
    data: str
    _: KW_ONLY
    method: Anonymizer | None = None
    proportions: bool = False
    weka: bool = False
    version: int = 1
    repetition: int = 0

    @property
    def order(self) -> tuple[int, int]:
        """The repetition."""
        return self.repetition, 0

    @property
    def keys(self) -> tuple[str, ...]:
        """Its one key."""
        return (self._key,)

    @cached_property
    def _key(self) -> str:
        spelled = {
            "measurement": self.name,
            "version": self.version,
            "arguments": changed(self.arguments, defaults_of(self.measure)),
            "data": self.data,
            "treatment": Treatment(method=self.method).spelled(),
            "versions": library_versions(weka=self.weka),
        }
        if self.proportions:
            spelled["proportions"] = RESULTS_VERSION
        return key_of(spelled)

    def left(self, store: Store) -> Measurement | None:
        """Itself, if it is not known."""
        return self if store.get(self.keys[0]) is None else None

    def staged(self, folder: Path) -> Callable[[], Results]:  # noqa: ARG002 - its arguments are all it needs
        """Nothing is written."""
        return partial(_measured, self)


def _measured(one: Measurement) -> Results:
    return [{"key": one.keys[0], **one.arguments, **one.measure(**one.arguments)}]


@dataclass(frozen=True)
class Advance:
    """How far a run is: finished cells of all, and the seconds that the rest will take if it goes on like this."""

    done: int
    all: int
    seconds_left: float


def run(
    jobs: Sequence[Job],
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
    jobs : sequence of Job
        Within a repetition they are begun in this order.
    store : Store
        Knows finished cells, and is told of each new one.
    workers : int, optional
        How many processes; one for each core if not given. With 1 all is done in this one.
    advance : callable, optional
        Told of every finished job.
    seconds : float, optional
        After which no further job is begun, and those that run are stopped; what they did is lost. They are finished
        where a process cannot be woken: on Windows, and outside its main thread.
    """
    left = [rest for job in jobs if (rest := job.left(store)) is not None]
    left.sort(key=lambda job: job.order)
    wanted = sum(len(job.keys) for job in jobs)
    known = wanted - sum(len(job.keys) for job in left)
    began, done = time.monotonic(), known
    # A table is staged in it: what a killed run leaves behind only its owner can read, and the next one removes it.
    with Scratch() as folder:
        work = [job.staged(folder) for job in left]
        with closing(_results(work, workers or os.cpu_count() or 1, began, seconds)) as found:
            for results in _until(found, None if seconds is None else began + seconds):
                store.add(results)
                done += len(results)
                if advance is not None:
                    spent = time.monotonic() - began
                    advance(Advance(done, wanted, spent / (done - known) * (wanted - done)))
    return done == wanted


def found_in(store: Store, jobs: Sequence[Job]) -> list[Mapping[str, Any]]:
    """The results of those cells of some jobs that are finished."""
    found = (store.get(key) for job in jobs for key in job.keys)
    return [one for one in found if one is not None]


def finished(store: Store, trials: Sequence[Trial]) -> list[Mapping[str, Any]]:
    """The results of those cells of some trials that are finished, under the names that they have in these.

    An earlier run may have called the same method by another name.
    """
    found = ((store.get(cell.key), cell.names) for trial in trials for cell in trial.cells)
    return [{**one, **names} for one, names in found if one is not None]


class _TimeIsOver(BaseException):
    """Raised in the midst of work. Nothing that looks for errors may take it for one."""


def _until(found: Generator[Results], end: float | None) -> Iterator[Results]:
    """What is found until the time is over. Nothing is broken off while a result is kept."""
    try:
        while True:
            with _alarm(end):
                results = next(found, None)
            if results is None:
                return
            yield results
    except _TimeIsOver:
        return


@contextmanager
def _alarm(end: float | None) -> Iterator[None]:
    """Raise when the time is over: at once, or between two steps of Python where a kernel is running."""
    if end is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    left = end - time.monotonic()
    if left <= 0:
        raise _TimeIsOver
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, left)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(*_: object) -> None:
    raise _TimeIsOver


def _results(
    work: Sequence[Callable[[], Results]], workers: int, began: float, seconds: float | None
) -> Generator[Results]:
    def begun() -> Iterator[Callable[[], Results]]:
        for one in work:
            if seconds is not None and time.monotonic() - began > seconds:
                return
            yield one

    if workers == 1 or len(work) < 2:
        for one in begun():
            yield one()
        return

    from joblib import Parallel, delayed

    # Processes of their own, each with a Java machine of its own if it needs one.
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=workers, batch_size=1)
    with _deaf():
        found = pool(delayed(_called)(one) for one in begun())
    yield from found


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started meanwhile do not hear Ctrl-C. A terminal tells all of them; this one stops them."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    # Not by a mask, which the libraries that start processes take away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _called(work: Callable[[], Results]) -> Results:
    """Do the work on one thread for each process: threads of several would wait for each other."""
    from threadpoolctl import threadpool_limits

    end_quietly()
    with threadpool_limits(1):
        return work()
