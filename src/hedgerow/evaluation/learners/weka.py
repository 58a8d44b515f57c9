"""Learners of Weka (Frank, Hall & Witten, The WEKA Workbench, 2016): J48, PART, naive Bayes, logistic regression.

Weka runs in this process and reads ARFF files in a folder that only this user can read. They contain numbered columns,
categories and labels: no text of the table reaches Weka. Columns are numbers or categories
(:mod:`hedgerow.evaluation.learners.columns`); a missing cell is ``?``.
"""

from __future__ import annotations

import logging
import os
import threading
from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints
from hedgerow.anonymizers.trees.inducers.j48 import check_weka
from hedgerow.errors import BadInput, HedgerowError, MissingExtra, check_int, translated
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Training
from hedgerow.evaluation.learners.columns import Categories, Column, Columns, Numbers, plain_table
from hedgerow.io.scratch import Scratch

__all__ = ["J48", "PART", "WekaLearner", "WekaLogistic", "WekaNaiveBayes", "java_class", "start_java"]


# --------------------------------------------------------------------------------------------------
# The Java machine for Weka: one for the process, started on first use.
#
# It runs until the process ends, since it cannot be started again. Weka's packages are not loaded. Java's output is
# discarded, because Weka quotes cells. A machine that other code has started is used unchanged.


_OPTIONS: Final = (
    "-Xmx2g",
    "-Xrs",  # leaves signals to Python; otherwise Ctrl-C would end the process at once, and leave temporary files
    f"-XX:ErrorFile={os.devnull}",  # a crash report contains parts of the memory
    "-XX:+UseSerialGC",  # one thread, since several processes may each have a machine
    "-Dweka.packageManager.loadPackages=false",
    "-Djava.awt.headless=true",
)

_one_at_a_time = threading.Lock()
_started_by: int | None = None
"""The process that started the machine."""


def start_java(what: str, instead: str) -> None:
    """Start the machine if it does not run yet.

    Parameters
    ----------
    what : str
        The learner that needs it, for messages.
    instead : str
        A sentence that names an alternative without Java.
    """
    global _started_by
    check_weka(what, instead)
    with _one_at_a_time:
        import jpype

        _refuse_forked()
        if not jpype.isJVMStarted():
            unusable = MissingExtra(f"{what} needs Java 11 or newer, and the Java here could not be started. {instead}")
            # There are different errors for a machine that is missing, too old, or refuses the options.
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
            "Java was started before this process was forked, and does not survive a fork. Start processes by 'spawn' "
            "or 'forkserver'."
        )


def _start(jpype: Any) -> None:
    handlers = list(logging.root.handlers)
    from weka.core import jvm

    # The import adds a handler to the root logger, which only the user should do.
    logging.root.handlers[:] = handlers
    jars: list[str] = []
    jvm.add_bundled_jars(jars)
    # Not by jvm.start(), which accepts no options; but weka must know that Java runs.
    jpype.startJVM(*_OPTIONS, classpath=jars, convertStrings=True)
    jvm.started = True
    nowhere = jpype.JClass("java.io.PrintStream")(jpype.JClass("java.io.OutputStream").nullOutputStream())
    system = jpype.JClass("java.lang.System")
    system.setOut(nowhere)
    system.setErr(nowhere)
    jpype.JClass("weka.core.WekaPackageManager").loadPackages(False)


class WekaLearner(Learner):
    """A classifier of Weka: its Java class, its options, and a sentence that names an alternative without Java."""

    tasks = frozenset({"classes"})
    weka_class: ClassVar[str]
    instead: ClassVar[str]

    @abstractmethod
    def _options(self) -> list[str]:
        """The parameters as Weka's options."""

    def _fit(self, training: Training) -> Fitted:
        start_java(f"The learner {self.name!r}", self.instead)
        columns = Columns.of(training.table, training.missing)
        failed = HedgerowError(f"Weka could not learn with {self.name!r}. Java may lack memory. {self.instead}")
        with Scratch() as folder, translated(java_class("java.lang.Throwable"), into=failed):
            rows = _loaded(folder / "rows.arff", columns.read(training.table), training.labels, training.codes)
            model = java_class(self.weka_class)()
            model.setOptions(self._options())
            model.buildClassifier(rows)
        return FittedWeka(self.name, model, columns, training.labels)


@dataclass(frozen=True, eq=False)
class FittedWeka(Fitted):
    """A classifier inside Java, with the reading of columns."""

    name: str
    model: Any
    columns: Columns
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        unknown = np.full(table.num_rows, -1, dtype=np.int32)
        failed = HedgerowError(f"Weka could not predict with {self.name!r}. Java may lack memory.")
        with Scratch() as folder, translated(java_class("java.lang.Throwable"), into=failed):
            rows = _loaded(folder / "rows.arff", self.columns.read(table), self.labels, unknown)
            # All rows in one call; the result is read as a block of memory.
            shares = np.array(self.model.distributionsForInstances(rows), dtype=np.float64)
        return Prediction.of_classes(self.labels, shares)


@dataclass(frozen=True, kw_only=True)
class _Pruned(WekaLearner):
    confidence: float = 0.25
    min_objects: int = 2
    pruned: bool = True

    def __post_init__(self) -> None:
        if not _is_number(self.confidence) or not 0 < self.confidence <= 0.5:
            must = "a number above 0 and at most 0.5"
            raise BadInput.parameter("confidence", type(self).__name__, must, self.confidence)
        check_int("min_objects", type(self).__name__, self.min_objects, 1)

    def _options(self) -> list[str]:
        # Weka refuses a confidence without pruning.
        pruning = ["-C", repr(float(self.confidence))] if self.pruned else ["-U"]
        return [*pruning, "-M", str(self.min_objects)]


@dataclass(frozen=True, kw_only=True)
class J48(_Pruned):
    """J48, Weka's C4.5.

    Parameters
    ----------
    confidence : float
        Controls pruning: smaller values prune more; above 0 and at most 0.5.
    min_objects : int
        At least two branches of a split have at least this many records.
    pruned : bool
        Whether to prune the tree.
    laplace : bool
        Whether to smooth the probabilities of a leaf.
    """

    name = "j48"
    weka_class = "weka.classifiers.trees.J48"
    instead = "The learner 'c45' grows the same trees without Java."

    laplace: bool = False

    def _options(self) -> list[str]:
        return [*super()._options(), *["-A"] * self.laplace]


@dataclass(frozen=True, kw_only=True)
class PART(_Pruned):
    """PART, rules from partial C4.5 trees; for the parameters see :class:`J48`."""

    name = "part"
    weka_class = "weka.classifiers.rules.PART"
    instead = "The learner 'c45' does without Java."


@dataclass(frozen=True, kw_only=True)
class WekaNaiveBayes(WekaLearner):
    """Weka's naive Bayes.

    Parameters
    ----------
    numbers : {"normal", "kernel", "discretize"}
        The distribution of numbers: normal, a normal kernel around each training value, or bins that separate the
        labels.
    """

    name = "weka-naive-bayes"
    weka_class = "weka.classifiers.bayes.NaiveBayes"
    instead = "The learner 'naive-bayes' does without Java."

    numbers: str = "normal"

    def __post_init__(self) -> None:
        if self.numbers not in _NUMBERS:
            must = " or ".join(map(repr, _NUMBERS))
            raise BadInput.parameter("numbers", "WekaNaiveBayes", must, self.numbers)

    def _options(self) -> list[str]:
        return list(_NUMBERS[self.numbers])


_NUMBERS: Final[dict[str, tuple[str, ...]]] = {"normal": (), "kernel": ("-K",), "discretize": ("-D",)}


@dataclass(frozen=True, kw_only=True)
class WekaLogistic(WekaLearner):
    """Weka's logistic regression.

    Parameters
    ----------
    ridge : float
        The penalty on the squares of the weights.
    max_iter : int, optional
        The most steps; by default until it converges.
    """

    name = "weka-logistic"
    weka_class = "weka.classifiers.functions.Logistic"
    instead = "The learner 'logistic' does without Java."

    ridge: float = 1e-8
    max_iter: int | None = None

    def __post_init__(self) -> None:
        if not _is_number(self.ridge) or self.ridge < 0:
            raise BadInput.parameter("ridge", "WekaLogistic", "a number >= 0", self.ridge)
        if self.max_iter is not None:
            check_int("max_iter", "WekaLogistic", self.max_iter, 1, must="an int >= 1 or None")

    def _options(self) -> list[str]:
        return ["-R", repr(float(self.ridge)), "-M", str(-1 if self.max_iter is None else self.max_iter)]


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _loaded(path: Path, columns: tuple[Column, ...], labels: tuple[str, ...], codes: Ints) -> Any:
    """Rows in Weka, loaded from a file; the class is the last attribute."""
    write_rows(path, columns, labels, codes)
    loader = java_class("weka.core.converters.ArffLoader")()
    loader.setFile(java_class("java.io.File")(str(path)))
    rows = loader.getDataSet()
    rows.setClassIndex(rows.numAttributes() - 1)
    return rows


def write_rows(path: Path, columns: tuple[Column, ...], labels: tuple[str, ...], codes: Ints) -> None:
    """Write rows for Weka, with numbers in place of all names, categories and labels.

    The header is the same for training and test rows. A categorical column without categories becomes numeric, since a
    nominal attribute needs values.
    """
    from hedgerow.learning.export import write_arff

    written = [_numbered(at, column) for at, column in enumerate((*columns, Categories("class", labels, codes)))]
    declared = {column.name: column.labels for column in written if isinstance(column, Categories)}
    table = plain_table(written)
    write_arff(path, "rows", dict(zip(table.column_names, table.columns, strict=True)), declared=declared)


def _numbered(at: int, column: Column) -> Column:
    name = f"a{at}"
    if isinstance(column, Numbers):
        return Numbers(name, column.values)
    if not column.labels:
        return Numbers(name, np.full(len(column.codes), np.nan))
    return Categories(name, tuple(f"v{code}" for code in range(len(column.labels))), column.codes)
