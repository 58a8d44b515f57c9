"""PySpark, an optional dependency, is imported only here."""

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
    # PySpark warns about pandas 3, which is not used here: tables pass through Arrow.
    warnings.simplefilter("ignore", FutureWarning)
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, StorageLevel, cloudpickle
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import Column, DataFrame, SparkSession, Window, functions, types


# --------------------------------------------------------------------------------------------------
# Spark's messages quote cells, so its errors are reworded and nothing of them appears on the screen.
#
# Messages come in three ways: as errors, which are translated; as lines that PySpark logs in JSON when it raises an
# error; and as lines that the Java machine logs when a task fails. The last two are silenced during the work and
# restored afterwards. Logs of a cluster's workers stay on the workers.


# A Java machine that has ended refuses connections.
FAULTS: Final = (PySparkException, Py4JError, ConnectionError)

_LOGGERS: Final = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


class own_words(translated[Exception]):  # noqa: N801 - reads as a word, like translated
    """Work with Spark quietly, and replace its errors by one of ours.

    Parameters
    ----------
    session : SparkSession
    into : exception or callable
        The error to raise instead of Spark's.
    """

    def __init__(self, session: Any, into: BaseException | Callable[[Exception], BaseException]) -> None:
        def reworded(error: Exception) -> BaseException:
            if _has_ended(session):
                return BadInput("Spark has ended in the middle of the work. Was it stopped, or short of memory?")
            return into if isinstance(into, BaseException) else into(error)

        super().__init__(*FAULTS, into=reworded)
        self._session = session

    def __enter__(self) -> None:
        _SILENCE.begin(self._session)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _SILENCE.end(self._session)
        super().__exit__(kind, error, trace)


def silence_logs(session: Any) -> None:
    """Silence a session that Hedgerow started, for good."""
    _SILENCE.begin(session)


def _has_ended(session: Any) -> bool:
    try:
        return bool(session.sparkContext._jsc.sc().isStopped())
    except Exception:  # any error means that Spark does not answer
        return True


class _Silence:
    """Silences Spark's logs while at least one thread needs it, then restores their level."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._level: Any = None

    def begin(self, session: Any) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                # If this fails, the work fails as well and explains why.
                with suppress(*FAULTS):
                    logs = session._jvm.org.apache.logging.log4j
                    self._level = logs.LogManager.getRootLogger().getLevel()
                    # Not by Spark's setLogLevel, which forgets the first level of a session.
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
