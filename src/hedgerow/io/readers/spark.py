"""The one way to PySpark, which is an extra."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final

from hedgerow.errors import BadInput, MissingExtra, translated

__all__ = [
    "Column",
    "DataFrame",
    "FAULTS",
    "Py4JError",
    "PySparkException",
    "PySparkLogger",
    "SparkConf",
    "SparkContext",
    "SparkSession",
    "StorageLevel",
    "Window",
    "cloudpickle",
    "functions",
    "launch_gateway",
    "own_words",
    "silence_logs",
    "types",
]


with (
    warnings.catch_warnings(),
    translated(ModuleNotFoundError, into=MissingExtra.for_extra("pyspark", "spark")),
):
    # It warns of pandas 3, of which nothing is used here: tables pass through Arrow.
    warnings.simplefilter("ignore", FutureWarning)
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, StorageLevel, cloudpickle
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import Column, DataFrame, SparkSession, Window, functions, types


# --------------------------------------------------------------------------------------------------
# Spark's faults in our words, and nothing of them on the screen: Spark quotes cells.
#
# Its messages come by three ways: as errors, which are translated; as lines that PySpark logs in JSON when it raises
# one; and as lines that the Java machine logs when a task fails. The last two are silenced while we work and come
# back after. What workers of a cluster log stays with them.


# A machine that has ended refuses connections.
FAULTS: Final = (PySparkException, Py4JError, ConnectionError)

_LOGGERS: Final = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


class own_words(translated[Exception]):  # noqa: N801 - read as a word, as translated is
    """Do some work of Spark quietly; an error is told in our words.

    Parameters
    ----------
    session : SparkSession
    into : exception or callable
        The error to raise instead of Spark's.
    """

    def __init__(self, session: Any, into: BaseException | Callable[[Exception], BaseException]) -> None:
        def told(error: Exception) -> BaseException:
            if _has_ended(session):
                return BadInput("Spark has ended in the middle of the work. Was it stopped, or short of memory?")
            return into if isinstance(into, BaseException) else into(error)

        super().__init__(*FAULTS, into=told)
        self._session = session

    def __enter__(self) -> None:
        _SILENCE.begin(self._session)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _SILENCE.end(self._session)
        super().__exit__(kind, error, trace)


def silence_logs(session: Any) -> None:
    """Silence a session of our own for good."""
    _SILENCE.begin(session)


def _has_ended(session: Any) -> bool:
    try:
        return bool(session.sparkContext._jsc.sc().isStopped())
    except Exception:  # whatever it is: nobody answers
        return True


class _Silence:
    """How loud the logs were before the first of those began who want silence; several threads may work at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._level: Any = None

    def begin(self, session: Any) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                # Where that fails, the work will fail too, and says why.
                with suppress(*FAULTS):
                    logs = session._jvm.org.apache.logging.log4j
                    self._level = logs.LogManager.getRootLogger().getLevel()
                    # Not Spark's setLogLevel, which forgets how loud a session began.
                    logs.core.config.Configurator.setRootLevel(logs.Level.OFF)
                _switch_loggers(off=True)

    def end(self, session: Any) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                with suppress(*FAULTS):
                    session._jvm.org.apache.logging.log4j.core.config.Configurator.setRootLevel(self._level)
                _switch_loggers(off=False)


def _switch_loggers(*, off: bool) -> None:
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).disabled = off


_SILENCE: Final = _Silence()
