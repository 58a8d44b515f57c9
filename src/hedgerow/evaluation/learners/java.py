"""The Java machine in which Weka runs: one for the process, started when it is first needed.

Nobody stops it before the process ends, for it could not be started again. Weka's packages stay away, and what Java
prints is thrown away: Weka quotes cells. A machine that somebody else has started is used as it is.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Any, Final

from hedgerow.errors import HedgerowError, MissingExtra, translated
from hedgerow.trees.inducers.weka import check_weka

__all__ = ["java_class", "start_java"]

_OPTIONS: Final = (
    "-Xmx2g",
    "-Xrs",  # signals stay Python's: else Ctrl-C would end the process at once, with its temporary files left
    f"-XX:ErrorFile={os.devnull}",  # what Java writes when it is killed holds parts of its memory
    "-XX:+UseSerialGC",  # one thread: several processes may each have a machine
    "-Dweka.packageManager.loadPackages=false",
    "-Djava.awt.headless=true",
)

_one_at_a_time = threading.Lock()
_started_by: int | None = None
"""The process that started it."""


def start_java(what: str, instead: str) -> None:
    """Start the machine, unless it runs.

    Parameters
    ----------
    what : str
        What needs it, for messages.
    instead : str
        The sentence that says what does without Java.
    """
    global _started_by
    check_weka(what, instead)
    with _one_at_a_time:
        import jpype

        _refuse_forked()
        if not jpype.isJVMStarted():
            unusable = MissingExtra(f"{what} needs Java 11 or newer, and the Java here could not be started. {instead}")
            # A machine that is not found, is too old, or does not take the options: each has an error of its own.
            with translated(Exception, into=unusable):
                _start(jpype)
            _started_by = os.getpid()


def java_class(name: str) -> Any:
    """A class of Java or Weka; the machine must run."""
    import jpype

    _refuse_forked()
    return jpype.JClass(name)


def _refuse_forked() -> None:
    if _started_by not in (None, os.getpid()):
        raise HedgerowError(
            "Java was started before this process was forked, and does not live on in it. Start processes by 'spawn' "
            "or 'forkserver'."
        )


def _start(jpype: Any) -> None:
    handlers = list(logging.root.handlers)
    from weka.core import jvm

    # Importing that gives the root logger a handler, which is the user's to give.
    logging.root.handlers[:] = handlers
    jars: list[str] = []
    jvm.add_bundled_jars(jars)
    # Not by jvm.start(), which takes no options; but it must know.
    jpype.startJVM(*_OPTIONS, classpath=jars, convertStrings=True)
    jvm.started = True
    nowhere = jpype.JClass("java.io.PrintStream")(jpype.JClass("java.io.OutputStream").nullOutputStream())
    system = jpype.JClass("java.lang.System")
    system.setOut(nowhere)
    system.setErr(nowhere)
    jpype.JClass("weka.core.WekaPackageManager").loadPackages(False)
