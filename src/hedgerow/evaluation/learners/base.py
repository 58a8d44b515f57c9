"""The interface of learners: train on rows, and predict others.

Rows are an Arrow table of features, without the target. Its cells are raw or published values: numbers, text such as
``{a|b}``, ``[20,30)`` or ``Europe``, and ``*``.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any, ClassVar, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.errors import BadInput, HedgerowError, translated

__all__ = [
    "Constant",
    "Fitted",
    "Learner",
    "Majority",
    "Prediction",
    "Task",
    "Training",
    "as_json",
    "changed",
    "defaults_of",
]


Task = Literal["classes", "numbers"]

_SLACK: Final = 1e-6  # J48 treats probabilities that differ by less as equal


@dataclass(frozen=True, eq=False)
class Prediction:
    """A learner's prediction for each row: the probabilities of all labels, or a number.

    Attributes
    ----------
    labels : tuple of str
        All labels of the training rows, sorted; none if the target is numbers.
    probabilities : float array (rows, labels)
        Each row adds up to 1.
    values : float array (rows,)
        The numbers; none if the target is classes.

    Examples
    --------
    >>> answer = Prediction.of_classes(("dry", "rain"), np.array([[3.0, 1.0], [2.0, 2.0]]))
    >>> answer.probabilities.tolist(), answer.predicted.tolist()
    ([[0.75, 0.25], [0.5, 0.5]], ['dry', 'dry'])
    """

    labels: tuple[str, ...] = ()
    probabilities: Floats = field(default_factory=lambda: np.empty((0, 0)))
    values: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of_classes(cls, labels: Sequence[str], shares: Floats) -> Prediction:
        """Labels in proportion to their shares; all equal in a row without shares."""
        totals = shares.sum(axis=1, keepdims=True)
        _refuse_no_numbers(totals)
        known = np.where(totals > 0, shares, 1.0)
        return cls(labels=tuple(labels), probabilities=known / known.sum(axis=1, keepdims=True))

    @classmethod
    def of_numbers(cls, values: Floats) -> Prediction:
        """A number for each row."""
        _refuse_no_numbers(values)
        return cls(values=values)

    @property
    def predicted(self) -> NDArray[Any]:
        """The first label with the highest probability, or the number.

        As in Weka's J48, probabilities that differ by less than a millionth are equal, since rounding decides which is
        larger.
        """
        if not self.labels:
            return self.values
        highest = self.probabilities.max(axis=1, keepdims=True)
        first = (self.probabilities >= highest - _SLACK).argmax(axis=1)
        return np.asarray(np.array(self.labels, dtype=object)[first])


class Fitted(ABC):
    """A fitted learner."""

    def predict(self, table: pa.Table) -> Prediction:
        """Predict each row. Columns are found by name; further columns are ignored."""
        if not table.num_rows:
            raise BadInput("There are no rows to predict. Give at least one.")
        return self._predict(table)

    @abstractmethod
    def _predict(self, table: pa.Table) -> Prediction:
        """Predict at least one row."""


@dataclass(frozen=True, eq=False)
class Constant(Fitted):
    """The same prediction for every row, if there is nothing to learn.

    >>> Constant(Prediction.of_classes(("dry",), np.ones((1, 1)))).predict(pa.table({"sky": ["a", "b"]})).predicted
    array(['dry', 'dry'], dtype=object)
    """

    answer: Prediction

    def _predict(self, table: pa.Table) -> Prediction:
        rows = table.num_rows
        return Prediction(
            self.answer.labels,
            np.repeat(self.answer.probabilities, rows, axis=0),
            np.repeat(self.answer.values, rows),
        )


@dataclass(frozen=True, eq=False)
class Training:
    """Training rows with a checked target.

    Attributes
    ----------
    table : Table
        The features.
    task : {"classes", "numbers"}
    random_state : int
        The seed.
    missing : tuple of str
        Texts that mean "no value", besides null.
    labels : tuple of str
        The labels, sorted; ``codes`` contains the code of each row's label.
    values : float array
        The target, if the task is numbers.
    """

    table: pa.Table
    task: Task
    random_state: int
    missing: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    codes: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    values: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def names(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(np.array(self.labels, dtype=object)[self.codes])

    @property
    def alike(self) -> bool:
        """Whether all rows have the same label or number."""
        return len(self.labels) == 1 or bool(len(self.values) and (self.values == self.values[0]).all())

    def constant(self) -> Constant:
        """The prediction for a row without any features."""
        if self.task == "numbers":
            return Constant(Prediction.of_numbers(self.values.mean(keepdims=True)))
        shares = np.bincount(self.codes, minlength=len(self.labels)).astype(np.float64)
        return Constant(Prediction.of_classes(self.labels, shares[np.newaxis]))


class Learner(ABC):
    """The base class of learners. A subclass is a frozen dataclass of its parameters, and learns in ``_fit``.

    Attributes
    ----------
    name : str
        Its name in tables and charts.
    tasks : set of str
        The tasks that it can learn: ``"classes"``, ``"numbers"`` or both.
    results_version : int
        Raised when a default or the learner's results change; stored results are then stale.
    """

    name: str
    tasks: frozenset[Task]
    results_version: ClassVar[int] = 1

    def spelled(self) -> dict[str, Any]:
        """The name, the version of its results, and the parameters that differ from their defaults, as JSON.

        Adding a parameter with a default does not change this.
        """
        given: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        parameters = changed({name: getattr(self, name) for name in given}, defaults_of(type(self)))
        return {"name": self.name, "results": self.results_version, **parameters}

    def fit(
        self,
        table: pa.Table,
        target: pa.Array | pa.ChunkedArray,
        *,
        task: Task,
        random_state: int,
        missing: Sequence[str] = (),
    ) -> Fitted:
        """Train on rows.

        Parameters
        ----------
        table : Table
            The features of the training rows.
        target : Arrow array
            The values to predict: text for classes, floats for numbers; without null.
        task : {"classes", "numbers"}
        random_state : int
            The seed.
        missing : sequence of str
            Texts that mean "no value", besides null.
        """
        if task not in self.tasks:
            raise BadInput(f"The learner {self.name!r} does not learn {task}, only {' and '.join(sorted(self.tasks))}.")
        if not table.num_rows or not table.num_columns:
            raise BadInput("The training table has no rows or no columns. A learner needs at least one of each.")
        if len(target) != table.num_rows:
            raise BadInput(f"The target must hold one value for each of the {table.num_rows} training rows.")
        if target.null_count:
            raise BadInput(f"The target is missing in {target.null_count} training rows. Remove these rows.")
        training = Training(table, task, random_state, tuple(missing), **_target(target, task))
        return training.constant() if training.alike else self._fit(training)

    @abstractmethod
    def _fit(self, training: Training) -> Fitted:
        """Train on checked rows with at least two labels or numbers."""


def as_json(value: Any) -> Any:
    """A parameter as JSON. An object that JSON cannot represent, such as a hierarchy, is represented by its content.

    The result does not name modules, so that a class or a function may move within its package. See
    :func:`_stable_name`.

    >>> as_json({"k": (1, np.int64(2)), "how": None})
    {'k': [1, 2], 'how': None}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): as_json(content) for name, content in value.items()}
    if isinstance(value, Set):
        return sorted(map(as_json, value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return list(map(as_json, value))
    return _object_as_json(value)


def _object_as_json(value: Any) -> Any:
    """A file, class, function, estimator or other object as JSON."""
    if isinstance(value, Path):
        return {"file": value.name, "sha256": _digest(value.read_bytes()) if value.is_file() else None}
    if callable(value) and hasattr(value, "__qualname__"):  # a class or a function
        return _stable_name(value)
    kind = type(value)
    name = _stable_name(kind)
    if hasattr(value, "get_params"):  # an estimator of scikit-learn
        return {"class": name, **changed(value.get_params(deep=False), defaults_of(kind))}
    if is_dataclass(kind):
        given = {parameter.name: getattr(value, parameter.name) for parameter in fields(kind)}
        return {"class": name, **changed(given, defaults_of(kind))}
    with translated(Exception, into=_nameless(kind)):  # any error of its class
        return {"class": name, "sha256": _digest(_pickled(value))}


def changed(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults, as JSON.

    >>> changed({"k": 5, "cut": "loss"}, {"k": 2, "cut": "loss"})
    {'k': 5}
    """
    every = {name: as_json(value) for name, value in given.items()}
    return {
        name: value
        for name, value in every.items()
        if name not in defaults
        or json.dumps(value, sort_keys=True) != json.dumps(as_json(defaults[name]), sort_keys=True)
    }


def defaults_of(called: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a class or function that have a default, by name."""
    try:
        parameters = inspect.signature(called).parameters
    except ValueError:  # some functions written in C have no signature
        return {}
    defaults = {name: given.default for name, given in parameters.items() if given.default is not given.empty}
    if is_dataclass(called):
        for parameter in fields(called):
            if parameter.name in defaults and parameter.default_factory is not MISSING:
                defaults[parameter.name] = parameter.default_factory()
    return defaults


def _stable_name(named: Any) -> str:
    """The name of a class or a function in keys: its ``stable_name`` if it declares one, else package and name.

    If a package has several classes of the same name, each declares a ``stable_name``.
    """
    declared = vars(named).get("stable_name") if hasattr(named, "__dict__") else None
    if isinstance(declared, str):
        return declared
    if "<" in named.__qualname__:
        raise _nameless(named)
    return f"{(named.__module__ or 'builtins').partition('.')[0]}.{named.__qualname__}"


def _nameless(named: Any) -> BadInput:
    name = f"{named.__module__}.{named.__qualname__}"
    return BadInput(f"A learner has {name!r} as a parameter, which cannot be identified. Define it in a module.")


class _Pickler(pickle.Pickler):
    """Pickles content, with classes and functions by their stable names."""

    def persistent_id(self, obj: Any) -> str | None:
        return _stable_name(obj) if isinstance(obj, type | FunctionType | BuiltinFunctionType) else None


def _pickled(value: Any) -> bytes:
    with io.BytesIO() as content:
        _Pickler(content, protocol=4).dump(value)
        return content.getvalue()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _target(target: pa.Array | pa.ChunkedArray, task: Task) -> dict[str, Any]:
    """The target as the fields of :class:`Training`."""
    column = target if isinstance(target, pa.ChunkedArray) else pa.chunked_array([target])
    if task == "numbers":
        values = column.cast(pa.float64()).to_numpy()
        if not np.isfinite(values).all():
            raise BadInput("The target holds NaN or infinite numbers. Remove these rows.")
        return {"values": values}
    texts = column.cast(pa.large_string())
    labels = sorted(pc.unique(texts).to_pylist())
    return {"labels": tuple(labels), "codes": pc.index_in(texts, pa.array(labels, texts.type)).to_numpy()}


def _refuse_no_numbers(predicted: Floats) -> None:
    if not np.isfinite(predicted).all():
        raise HedgerowError("The learner ended with NaN or infinite numbers. Are some numbers of the table very large?")


# --------------------------------------------------------------------------------------------------
# The baseline.


@dataclass(frozen=True)
class Majority(Learner):
    """Predicts the same for every row: the class frequencies of the training rows, or their mean."""

    name = "majority"
    tasks = frozenset({"classes", "numbers"})

    def _fit(self, training: Training) -> Fitted:
        return training.constant()
