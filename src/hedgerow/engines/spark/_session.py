"""A session of Spark for one command: quiet, and gone with all its files when the command ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, MissingExtra, translated
from hedgerow.io.readers.spark import FAULTS, SparkConf, SparkContext, SparkSession, launch_gateway, silence_logs
from hedgerow.io.scratch import Scratch

__all__ = ["open_session"]

_NO_JAVA: Final = "Spark needs Java 17 or newer, which {}. Type: sudo apt install openjdk-17-jre-headless"
_MASTERS: Final = ("local", "spark://", "yarn", "k8s://")
_PATIENCE: Final = 20.0  # seconds
_BEGUN_BY_SUBMIT: Final = "PYSPARK_GATEWAY_PORT" in os.environ


@contextmanager
def open_session(master: str | None = None, temp: Path | None = None) -> Iterator[Any]:
    """Open a session for a ``with`` block; a running session is used.

    Parameters
    ----------
    master : str, optional
        Where Spark runs, such as ``"local[2]"`` or ``"spark://host:7077"``; that of ``spark-submit``, or all cores of
        this machine if not given.
    temp : Path, optional
        Where a session on this machine keeps what does not fit into memory.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    _check_java()
    with Scratch(within=temp) as folder:
        session = _begin(master, folder)
        try:
            silence_logs(session)
            yield session
        finally:
            _end(session)


def _check_java() -> None:
    """Refuse to start without Java: Spark's own message does not say what to do."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home) / "bin" / "java") if home else "java") is None:
        raise MissingExtra(_NO_JAVA.format("is not here"))


def _begin(master: str | None, folder: Path) -> Any:
    named = master if master is not None or _BEGUN_BY_SUBMIT else "local[*]"
    failed = BadInput(f"Spark cannot be started on {named!r}. Check --master, and that it can be reached from here.")
    if named is not None and not named.startswith(_MASTERS):
        raise failed
    local = named is not None and (named == "local" or named.startswith("local["))
    settings = {
        "spark.app.name": "hedgerow",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.executor.syncLogLevel.enabled": "true",  # workers quote cells too
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **(_of_one_machine(folder) if local else {}),
        **({} if named is None else {"spark.master": named}),
    }
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    unusable = MissingExtra(_NO_JAVA.format("could not be started"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas 3: tables pass through Arrow
        with translated(*FAULTS, into=unusable):
            # The output of Java is discarded, because it quotes cells.
            nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            gateway = launch_gateway(conf=conf, popen_kwargs=nowhere)
        with translated(*FAULTS, ValueError, into=failed):
            SparkContext._ensure_initialized(gateway=gateway)
            context = SparkContext(conf=SparkConf().setAll(list(settings.items())))
            if local:
                # The workers are on this machine, and so is all that this Python has.
                context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
            return SparkSession(context)


def _of_one_machine(folder: Path) -> dict[str, str]:
    """Settings for one process of Java that does all the work: it gets a quarter of the memory, 1 GB at least."""
    # Windows does not report how much there is.
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": f"{max(1024, memory // 4 // 1024**2)}m",
        # Spark leaves rows in files while it works. Here they go with the folder, whatever happens.
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": "32",  # its 200 are for many machines
    }


def _end(session: Any) -> None:
    """Stop Spark and Java: the folder can be removed only when nothing writes to it any more."""
    gateway = SparkContext._gateway
    with suppress(*FAULTS):
        session.stop()
    process = getattr(gateway, "proc", None)
    if process is not None:
        with suppress(*FAULTS):
            gateway.shutdown()
        process.stdin.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        SparkContext._gateway = SparkContext._jvm = None
