"""How a command ends: its exit status, and one sentence on stderr if it failed.

0 done; 1 a bug; 2 wrong usage or bad input; 3 the requirement cannot be met or does not hold; 130 and 143
interrupted; 141 nobody reads the output. Whatever happens, no text of a foreign exception is shown: it may quote cells.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

from hedgerow.errors import HedgerowError

__all__ = ["Stopped", "main"]

_BUG = 1
_BAD_INPUT = 2
_CLOSED_PIPE = 128 + 13
_PATIENCE = 5.0  # seconds
_MOMENT = 0.01  # seconds
_LEFT = "nothing is left half written."


class Stopped(BaseException):
    """The process was asked to stop. No library below catches it, and temporary files are still removed.

    Parameters
    ----------
    left : str
        What is left behind: whoever keeps something on purpose says so here.
    """

    def __init__(self, left: str = _LEFT) -> None:
        super().__init__(left)
        self.left = left


class _Signals:
    """Which signal asked the process to stop, if one did."""

    received: int | None = None
    at: float = 0.0

    def stop(self, number: int, _frame: FrameType | None) -> None:
        # Who is impatient and asks again must not break off the removal of temporary files.
        if self.received is None or time.monotonic() - self.at > _PATIENCE:
            self.received, self.at = number, time.monotonic()
            raise Stopped

    def lost(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Ask again if a finalizer was interrupted: Python drops whatever is raised there, and would go on."""
        if unraisable.exc_type is not Stopped or self.received is None:
            sys.__unraisablehook__(unraisable)
            return
        number, self.received = self.received, None
        threading.Timer(_MOMENT, _ask, [number]).start()


def _ask(number: int) -> None:
    """Send a signal to the main thread, which may be waiting for a file or a socket."""
    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, number)
    else:
        signal.raise_signal(number)


class _NoPandas(MetaPathFinder):
    """pyarrow imports pandas wherever it is installed. A command needs none, and would wait for it; PySpark needs it.

    pyarrow remembers the answer, so it is given only in a process of our own, and never to methods of others.
    """

    def find_spec(self, fullname: str, *_where: Any) -> None:
        """Find nothing, and say that pandas is not there."""
        if fullname == "pandas" and "pyspark" not in sys.modules:
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``hedgerow``; those of the process if not given.
    """
    if arguments is None and not entry_points(group="hedgerow.methods"):
        sys.meta_path.insert(0, _NoPandas())
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign gets a question mark instead of a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    with _stopping() as signals:
        try:
            from hedgerow.cli._app import app
            from hedgerow.cli._headerless import forget_tables

            forget_tables()

            status = app(args=arguments, prog_name="hedgerow", standalone_mode=False)
        except BaseException as error:
            # DuckDB answers a signal with an error of its own, so the signal is asked first.
            if signals.received is not None:
                if arguments is None:
                    _end_quietly()
                left = error.left if isinstance(error, Stopped) else _LEFT
                return _say(f"stopped; {left}", 128 + signals.received)
            return _failed(error, sys.argv[1:] if arguments is None else arguments)
    return status if isinstance(status, int) else 0


@contextmanager
def _stopping() -> Iterator[_Signals]:
    signals = _Signals()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, signals.stop) for number in numbers}
    hook, sys.unraisablehook = sys.unraisablehook, signals.lost
    try:
        yield signals
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            # After a stop the process ends, and what is still to be removed then must not be broken off either.
            signal.signal(number, handler if signals.received is None else signal.SIG_IGN)


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    """Say in one sentence why the command failed, and return the exit status."""
    if os.environ.get("HEDGEROW_TRACEBACK") == "1":
        traceback.print_exception(error)
    if isinstance(error, SystemExit) and error.code == 0:
        return 0  # a shell was told how a word may go on
    if isinstance(error, SystemExit | BrokenPipeError):
        # Only rich and typer leave this way, when whoever reads the output has gone (hedgerow methods | head -1).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    if isinstance(error, HedgerowError):
        from hedgerow.cli._headerless import without_first_lines

        return _say(without_first_lines(str(error), arguments), error.exit_status)
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename!r})" if isinstance(error.filename, str) else ""
        return _say(f"The operating system refused a file: {error.strerror}{place}.", _BAD_INPUT)
    if isinstance(error, MemoryError):
        return _say(
            "The table does not fit into memory. Say how much there is (--memory-limit 2GB), or name fewer columns.",
            _BAD_INPUT,
        )
    # Newer releases of typer carry a click of their own, older ones use the package: known by its method.
    usage = getattr(error, "format_message", None)
    if callable(usage):
        context = getattr(error, "ctx", None)
        command = "hedgerow" if context is None else context.command_path
        said = str(usage())
        return _say(f"{said if said.endswith(('.', '?')) else said + '.'} Type {command} --help.", _BAD_INPUT)
    return _say(
        f"This is a bug in Hedgerow ({type(error).__name__}). Please report it; with the environment variable "
        "HEDGEROW_TRACEBACK=1 its place is shown (the text may quote cells of the table).",
        _BUG,
    )


def _end_quietly() -> None:
    """A process of our own that is stopped says what there is to say itself."""
    if "duckdb" in sys.modules:
        from hedgerow.io.connections import end_quietly

        end_quietly()


def _say(sentence: str, status: int) -> int:
    print(f"hedgerow: {sentence}", file=sys.stderr)  # noqa: T201 - the one place that writes an error
    return status
