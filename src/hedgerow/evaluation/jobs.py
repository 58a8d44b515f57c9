"""Runs jobs in parallel, repetition by repetition, and stores every finished cell."""

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
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.trials import Stage, attempt
from hedgerow.io.connections import end_quietly
from hedgerow.io.scratch import Scratch

__all__ = ["Advance", "Job", "Measurement", "Results", "TrialOf", "finished", "found_in", "run"]

Results = list[dict[str, Any]]


class Job(Protocol):
    """Work for one process, which finishes one cell or several."""

    @property
    def order(self) -> tuple[int, int]:
        """Its repetition and fold; jobs run in this order."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its cells."""
        ...

    def left(self, store: Store) -> Job | None:
        """The part of the job whose results are not stored yet."""
        ...

    def staged(self, folder: Path) -> Callable[[], Results]:
        """The function that a process has to call. Its data are written to a folder first."""
        ...


@dataclass(frozen=True, eq=False)
class TrialOf:
    """A trial with a table."""

    table: OpenedTable
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
        """The trial with the cells that are not stored."""
        unknown = tuple(cell for cell in self.trial.cells if store.get(cell.key) is None)
        return replace(self, trial=replace(self.trial, cells=unknown)) if unknown else None

    def staged(self, folder: Path) -> Callable[[], Results]:
        """Write the table out, once for all trials."""
        return partial(attempt, Stage.of(self.table, folder, self.random_state), self.trial)


@dataclass(frozen=True, eq=False)
class Measurement:
    """A special cell: the result of any function.

    Parameters
    ----------
    name : str
        The name of the function in the key, independent of its module.
    measure : callable
        Called with the arguments in a separate process; returns a JSON object.
    arguments : mapping
        JSON values. They are part of the result and, unless they are the function's defaults, of the key.
    data : str
        The digest of the data that it reads.
    method : Anonymizer, optional
        The method that it uses.
    proportions : bool
        Whether it uses published proportions, whose version is then part of the key.
    weka : bool
        Whether it learns with Weka.
    version : int
        Raised when the results of the function change.
    repetition : int
        Lower repetitions run first.
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
        """Itself, unless its result is stored."""
        return self if store.get(self.keys[0]) is None else None

    def staged(self, folder: Path) -> Callable[[], Results]:  # noqa: ARG002 - its arguments are all it needs
        """The function to call; nothing is written."""
        return partial(_measured, self)


def _measured(job: Measurement) -> Results:
    return [{"key": job.keys[0], **job.arguments, **job.measure(**job.arguments)}]


@dataclass(frozen=True)
class Advance:
    """The progress of a run: finished cells, all cells, and the estimated seconds for the rest."""

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
    """Run jobs whose results are not stored yet; return whether all were run.

    All jobs of the first repetition come first, so that the results are comparable whenever the run is stopped.

    Parameters
    ----------
    jobs : sequence of Job
        Within a repetition they start in this order.
    store : Store
        Contains finished cells; new results are added to it.
    workers : int, optional
        The number of processes; by default one for each core. With 1 everything runs in this process.
    advance : callable, optional
        Called after every finished job.
    seconds : float, optional
        The time after which no further job starts and running jobs are stopped, without results. On Windows and outside
        the main thread a job cannot be interrupted, and finishes.
    """
    left = [rest for job in jobs if (rest := job.left(store)) is not None]
    left.sort(key=lambda job: job.order)
    wanted = sum(len(job.keys) for job in jobs)
    known = wanted - sum(len(job.keys) for job in left)
    began, done = time.monotonic(), known
    # The folder contains the table. If the run is killed, only its owner can read it, and the next run removes it.
    with Scratch() as folder:
        work = [job.staged(folder) for job in left]
        with closing(_results(work, workers or os.cpu_count() or 1, began, seconds)) as running:
            for results in _until(running, None if seconds is None else began + seconds):
                store.add(results)
                done += len(results)
                if advance is not None:
                    spent = time.monotonic() - began
                    advance(Advance(done, wanted, spent / (done - known) * (wanted - done)))
    return done == wanted


def found_in(store: Store, jobs: Sequence[Job]) -> list[Mapping[str, Any]]:
    """The results of the finished cells of some jobs."""
    results = (store.get(key) for job in jobs for key in job.keys)
    return [result for result in results if result is not None]


def finished(store: Store, trials: Sequence[Trial]) -> list[Mapping[str, Any]]:
    """The results of the finished cells of some trials, with the names that the cells have there.

    An earlier run may have given the same method another name.
    """
    results = ((store.get(cell.key), cell.names) for trial in trials for cell in trial.cells)
    return [{**result, **names} for result, names in results if result is not None]


class _TimeIsOver(BaseException):
    """Raised during work. It is no Exception, so that handlers of errors do not catch it."""


def _until(running: Generator[Results], end: float | None) -> Iterator[Results]:
    """Results until the time is over. Storing a result is not interrupted."""
    try:
        while True:
            with _alarm(end):
                results = next(running, None)
            if results is None:
                return
            yield results
    except _TimeIsOver:
        return


@contextmanager
def _alarm(end: float | None) -> Iterator[None]:
    """Raise when the time is over, as soon as Python runs: a running kernel finishes first."""
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
    def jobs_in_time() -> Iterator[Callable[[], Results]]:
        for job in work:
            if seconds is not None and time.monotonic() - began > seconds:
                return
            yield job

    if workers == 1 or len(work) < 2:
        for job in jobs_in_time():
            yield job()
        return

    from joblib import Parallel, delayed

    # Separate processes, each with a separate Java machine if it needs Java.
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=workers, batch_size=1)
    with _without_interrupts():
        results = pool(delayed(_called)(job) for job in jobs_in_time())
    yield from results


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started in this block ignore Ctrl-C, which a terminal sends to all; this process stops them."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    # Not by a signal mask, which the libraries that start processes reset.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _called(work: Callable[[], Results]) -> Results:
    """Do the work on a single thread, so that the threads of several processes do not wait for each other."""
    from threadpoolctl import threadpool_limits

    end_quietly()
    with threadpool_limits(1):
        return work()
