"""How a command ends: its exit status, and one sentence on stderr if it failed.

0 done; 1 a bug; 2 wrong usage or bad input; 3 the requirement cannot be met or does not hold; 130 and 143
interrupted; 141 the reader of the output has gone. Texts of foreign exceptions are never shown: they may quote cells.
"""

from __future__ import annotations

import os
import re
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
_SECRETIVE_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]+:/{1,2})[^\s'\"]*[@?=;][^\s'\"]*", re.IGNORECASE)
_LEFT = "nothing is left half written."


class Stopped(BaseException):
    """The process was asked to stop. No library below catches it, and temporary files are still removed.

    Parameters
    ----------
    left : str
        What is left behind. Code that keeps something on purpose describes it here.
    """

    def __init__(self, left: str = _LEFT) -> None:
        super().__init__(left)
        self.left = left


class _Signals:
    """Which signal asked the process to stop, if one did."""

    received: int | None = None
    at: float = 0.0

    def stop(self, number: int, _frame: FrameType | None) -> None:
        # A second, impatient signal must not interrupt the removal of temporary files.
        if self.received is None or time.monotonic() - self.at > _PATIENCE:
            self.received, self.at = number, time.monotonic()
            raise Stopped

    def lost(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Send the signal again if it interrupted a finalizer, where Python drops exceptions and would go on."""
        if unraisable.exc_type is not Stopped or self.received is None:
            sys.__unraisablehook__(unraisable)
            return
        number, self.received = self.received, None
        threading.Timer(_MOMENT, _send, [number]).start()


def _send(number: int) -> None:
    """Send a signal to the main thread, which may be waiting for a file or a socket."""
    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, number)
    else:
        signal.raise_signal(number)


class _NoPandas(MetaPathFinder):
    """Hides pandas, which pyarrow imports wherever it is installed. Only PySpark needs it; commands would wait for it.

    pyarrow remembers the answer, so pandas is hidden only in a process of our own without third-party methods.
    """

    def find_spec(self, fullname: str, *_where: Any) -> None:
        """Find no module, and report pandas as not installed."""
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
            # DuckDB answers a signal with an error of its own, so the signal comes first.
            if signals.received is not None:
                return _stopped(error, signals.received, own_process=arguments is None)
            return _failed(error, sys.argv[1:] if arguments is None else arguments)
    return status if isinstance(status, int) else 0


def _stopped(error: BaseException, number: int, *, own_process: bool) -> int:
    """Report that the command was stopped, and return the exit status."""
    if own_process and "duckdb" in sys.modules:
        from hedgerow.io.connections import end_quietly

        end_quietly()
    return _say(f"stopped; {error.left if isinstance(error, Stopped) else _LEFT}", 128 + number)


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
            # After a stop, nothing must interrupt the removal of temporary files.
            signal.signal(number, handler if signals.received is None else signal.SIG_IGN)


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    """Report in one sentence why the command failed, and return the exit status."""
    if os.environ.get("HEDGEROW_TRACEBACK") == "1":
        traceback.print_exception(error)
    if isinstance(error, SystemExit) and error.code == 0:
        return 0  # a shell asked for completions
    if isinstance(error, SystemExit | BrokenPipeError):
        # Only rich and typer end like this, if the reader of the output has gone (hedgerow methods | head -1).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    if isinstance(error, HedgerowError):
        from hedgerow.cli._headerless import without_first_lines

        return _say(_without_passwords(without_first_lines(str(error), arguments)), error.exit_status)
    mistake = _mistake(error, arguments)
    if mistake is not None:
        return _say(_without_passwords(mistake), _BAD_INPUT)
    return _say(
        f"This is a bug in Hedgerow ({type(error).__name__}). Please report it. To see its place, set the environment "
        "variable HEDGEROW_TRACEBACK=1 (the text may quote cells of the table).",
        _BUG,
    )


def _without_passwords(message: str) -> str:
    """Hide addresses that may hold a password, before the host or among parameters.

    >>> _without_passwords("There is no folder 'postgresql://me:secret@localhost'.")
    "There is no folder 'postgresql://…'."
    >>> _without_passwords("There is no folder 'spark://host:7077'.")
    "There is no folder 'spark://host:7077'."
    """
    return _SECRETIVE_ADDRESS.sub(r"\1…", message)


def _mistake(error: BaseException, arguments: Sequence[str]) -> str | None:
    """What to change, if a foreign error means a file, the memory or the usage; ``None`` if it means a bug."""
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename!r})" if isinstance(error.filename, str) else ""
        return f"The operating system refused a file: {error.strerror}{place}."
    if isinstance(error, MemoryError):
        return "The table does not fit into memory. Add --memory-limit 2GB (what you have), or name fewer columns."
    from hedgerow.cli._usage import wrong_usage

    return wrong_usage(error, arguments)


def _say(sentence: str, status: int) -> int:
    print(f"hedgerow: {sentence}", file=sys.stderr)  # noqa: T201 - the one place that writes an error
    return status
