"""Threads: numpy, Arrow and kernels do most of their work without holding Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Thread
from typing import Final, TypeVar

__all__ = ["start_thread", "concurrently", "on_a_core_each", "side_by_side"]

_FEW_ROWS: Final = 20_000  # starting threads takes longer than the work

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def side_by_side(work: Callable[[_Item], _Result], items: Iterable[_Item], rows: int) -> list[_Result]:
    """The result for each item, in their order, on as many threads as there are cores if the rows are many.

    >>> side_by_side(len, ["a", "bc"], rows=2)
    [1, 2]
    """
    if rows < _FEW_ROWS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def on_a_core_each(work: Callable[[_Item], _Result], items: Iterable[_Item], rows: int) -> list[_Result]:
    """The same for work that would spread over all cores by itself: each item stays on one core.

    So its sums are the same on any number of cores, and threads do not fight for them.
    """
    from threadpoolctl import threadpool_limits

    def alone(item: _Item) -> _Result:
        # OpenMP has a limit for each thread; linear algebra has one limit, which only the outer block may reset.
        with threadpool_limits(1, user_api="openmp"):
            return work(item)

    with threadpool_limits(1):
        return side_by_side(alone, items, rows)


def start_thread(work: Callable[[], _Result], rows: int) -> Callable[[], _Result]:
    """Start some work on its own thread if the rows are many; the returned function waits for the result or error.

    >>> start_thread(lambda: 6 * 7, rows=1_000_000)()
    42
    """
    if rows < _FEW_ROWS:
        return cache(work)
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future.result


@contextmanager
def concurrently(work: Callable[[], _Result], rows: int) -> Iterator[Callable[[], _Result]]:
    """Do some work while a ``with`` block runs; the block ends only after that work.

    >>> with concurrently(lambda: 6 * 7, rows=1_000_000) as product:
    ...     pass
    >>> product()
    42
    """
    if rows < _FEW_ROWS:
        yield cache(work)
        return
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(work).result
