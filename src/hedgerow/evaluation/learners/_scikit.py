"""Learners of scikit-learn that add features up: logistic regression, ridge, a small neural network; and any other.

scikit-learn is imported when something is learnt.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.errors import BadInput, required
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Task, Training, as_json
from hedgerow.evaluation.learners.columns import Categories, Column, Columns, Numbers

__all__ = ["Boosting", "Features", "Linear", "Logistic", "MLP", "Scikit", "ask", "fit"]


# --------------------------------------------------------------------------------------------------
# Fitting an estimator of scikit-learn, and asking it.
#
# It works on one thread, so that the same seed gives the same answer, and learners in several processes do not wait
# for each other.


def fit(estimator: Any, matrix: Any, training: Training) -> None:
    """Fit an estimator; one that has not converged after its last step is taken as it is."""
    from sklearn.exceptions import ConvergenceWarning

    with _one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(matrix, training.values if training.task == "numbers" else training.names)


def ask(estimator: Any, matrix: Any, labels: tuple[str, ...]) -> Prediction:
    """What a fitted estimator says, in the order of our labels; one that tells no probabilities is sure."""
    with _one_thread():
        sure = not hasattr(estimator, "predict_proba")
        said = estimator.predict(matrix) if sure or not labels else estimator.predict_proba(matrix)
    if not labels:
        return Prediction.of_numbers(np.asarray(said, dtype=np.float64).ravel())
    place = {label: at for at, label in enumerate(labels)}
    shares = np.zeros((matrix.shape[0], len(labels)))
    if sure:
        shares[np.arange(len(shares)), [place[str(label)] for label in said]] = 1.0
    else:
        shares[:, [place[str(label)] for label in estimator.classes_]] = said
    return Prediction.of_classes(labels, shares)


@contextmanager
def _one_thread() -> Iterator[None]:
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    with threadpool_limits(limits=1):
        yield


# --------------------------------------------------------------------------------------------------
# A matrix of numbers from plain columns, for learners that add features up.
#
# Numbers are standardized by the mean and deviation of the training rows, and a missing one is the mean, which is 0.
# A category is a feature for each label, 1 or 0, and all of them are 0 where it is missing. Columns of which the
# training rows tell nothing, with one number or none, are left out.


DENSE: Final = 20_000_000
"""The most cells of a matrix that is stored with all its zeros; they take 160 MB."""


_FAR: Final = 1e6
"""In deviations. No training value is so far from the mean of fewer than 10^12; others are brought as near."""


@dataclass(frozen=True)
class Scale:
    """How a column of numbers is standardized; divided by the largest first, so that no square of it overflows."""

    largest: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Scale | None:
        """The scale of training values; none if they are all alike, or missing."""
        known = values[~np.isnan(values)]
        largest = float(np.abs(known).max(initial=0.0)) or 1.0
        known = known / largest
        if not len(known) or known.min() == known.max():
            return None
        return cls(largest, float(known.mean()), float(known.std()))

    def standardized(self, values: Floats) -> Floats:
        """The values in deviations from the mean, the mean for missing ones."""
        with np.errstate(over="ignore"):
            deviations = (values / self.largest - self.mean) / self.deviation
        return np.clip(np.nan_to_num(deviations), -_FAR, _FAR)


@dataclass(frozen=True)
class Features:
    """Which features the columns of the training rows have.

    Examples
    --------
    >>> age = Numbers("age", np.array([20.0, 40.0, np.nan]))
    >>> sky = Categories("sky", ("blue", "grey"), np.array([1, -1, 0], np.int32))
    >>> Features.of([age, sky]).matrix([age, sky])
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  0.],
           [ 0.,  1.,  0.]])
    """

    parts: tuple[Scale | int | None, ...]
    """Of each column: its scale, or how many labels it has, or nothing."""

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Features:
        """The features of training rows."""
        return cls(tuple(Scale.of(one.values) if isinstance(one, Numbers) else len(one.labels) for one in columns))

    @property
    def width(self) -> int:
        """How many features there are."""
        return sum(part if isinstance(part, int) else part is not None for part in self.parts)

    def matrix(self, columns: Sequence[Column], *, sparse: bool = False) -> Any:
        """The features of rows: an array, or for a large table a sparse matrix if that is welcome."""
        rows = len(columns[0].codes if isinstance(columns[0], Categories) else columns[0].values)
        entries = self._entries(columns)
        if sparse and rows * self.width > DENSE:
            from scipy.sparse import csr_array

            at, feature, value = map(np.concatenate, zip(*entries, strict=True))
            return csr_array((value, (at, feature)), shape=(rows, self.width))
        matrix = np.zeros((rows, self.width))
        for at, feature, value in entries:
            matrix[at, feature] = value
        return matrix

    def _entries(self, columns: Sequence[Column]) -> Iterator[tuple[Longs, Longs, Floats]]:
        """The cells that are not 0, column by column: their rows, their features, what they hold."""
        start = 0
        for column, part in zip(columns, self.parts, strict=True):
            if isinstance(column, Categories) and isinstance(part, int):
                known = np.flatnonzero(column.codes >= 0)
                yield known, start + column.codes[known].astype(np.int64), np.ones(len(known))
                start += part
            elif isinstance(column, Numbers) and isinstance(part, Scale):
                every = np.arange(len(column.values))
                yield every, np.full(len(every), start), part.standardized(column.values)
                start += 1


_CLASSES: Final[frozenset[Task]] = frozenset({"classes"})
_NUMBERS: Final[frozenset[Task]] = frozenset({"numbers"})


class OnFeatures(Learner):
    """A learner with an estimator that takes standardized numbers and a feature for each category."""

    @abstractmethod
    def _estimator(self, training: Training) -> Any:
        """The estimator to fit."""

    def _fit(self, training: Training) -> Fitted:
        from sklearn.utils import get_tags

        columns = Columns.of(training.table, training.missing)
        read = columns.read(training.table)
        features = Features.of(read)
        if not features.width:
            return training.constant()
        estimator = self._estimator(training)
        sparse = bool(get_tags(estimator).input_tags.sparse)
        fit(estimator, features.matrix(read, sparse=sparse), training)
        return FittedOnFeatures(estimator, columns, features, sparse, training.labels)


@dataclass(frozen=True, eq=False)
class FittedOnFeatures(Fitted):
    """An estimator, and how rows become its features."""

    estimator: Any
    columns: Columns
    features: Features
    sparse: bool
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        matrix = self.features.matrix(self.columns.read(table), sparse=self.sparse)
        return ask(self.estimator, matrix, self.labels)


@dataclass(frozen=True, kw_only=True)
class Logistic(OnFeatures):
    """Logistic regression with scikit-learn's penalty ``1 / C`` on the squares of the weights."""

    name = "logistic"
    tasks = _CLASSES

    C: float = 1.0
    max_iter: int = 1000

    def _estimator(self, training: Training) -> Any:  # noqa: ARG002 - it draws nothing
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.C, max_iter=self.max_iter)


@dataclass(frozen=True, kw_only=True)
class Linear(OnFeatures):
    """Linear regression with the penalty ``alpha`` on the squares of the weights (ridge)."""

    name = "linear"
    tasks = _NUMBERS

    alpha: float = 1.0

    def _estimator(self, training: Training) -> Any:  # noqa: ARG002 - it draws nothing
        from sklearn.linear_model import Ridge

        return Ridge(alpha=self.alpha)


@dataclass(frozen=True, kw_only=True)
class MLP(OnFeatures):
    """A small neural network, trained by Adam. Numbers to be learnt are standardized, and the answer brought back."""

    name = "mlp"
    tasks = _CLASSES | _NUMBERS

    hidden_layer_sizes: Sequence[int] = (5, 2)
    learning_rate_init: float = 0.001
    batch_size: int = 200
    max_iter: int = 500
    n_iter_no_change: int = 10
    alpha: float = 0.0001

    def _estimator(self, training: Training) -> Any:
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.neural_network import MLPClassifier, MLPRegressor
        from sklearn.preprocessing import StandardScaler

        kind = MLPClassifier if training.task == "classes" else MLPRegressor
        network = kind(
            hidden_layer_sizes=tuple(self.hidden_layer_sizes),
            solver="adam",
            learning_rate_init=self.learning_rate_init,
            batch_size=min(self.batch_size, training.table.num_rows),
            max_iter=self.max_iter,
            n_iter_no_change=self.n_iter_no_change,
            alpha=self.alpha,
            random_state=training.random_state,
        )
        if training.task == "classes":
            return network
        return TransformedTargetRegressor(network, transformer=StandardScaler())


@dataclass(frozen=True, eq=False)
class Scikit(OnFeatures):
    """Any classifier or regressor of scikit-learn, or one with its manners.

    It is cloned before it is fitted, and gets the seed wherever it has a ``random_state``. A classifier that tells no
    probabilities is sure of what it says.

    Parameters
    ----------
    estimator : estimator
    name : str, optional
        What tables call it; its class if not given.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = Scikit(KNeighborsClassifier(1))
    >>> fitted = nearest.fit(pa.table({"x": [1, 2, 9]}), pa.array(["a", "a", "b"]), task="classes", random_state=0)
    >>> nearest.name, fitted.predict(pa.table({"x": [8, 0]})).predicted.tolist()
    ('KNeighborsClassifier', ['b', 'a'])
    """

    estimator: Any
    name: str = ""
    tasks: frozenset[Task] = field(init=False)

    def __post_init__(self) -> None:
        from sklearn.base import is_classifier, is_regressor

        tasks = _CLASSES if is_classifier(self.estimator) else _NUMBERS if is_regressor(self.estimator) else None
        if tasks is None:
            must = "a classifier or regressor with the methods of scikit-learn"
            raise BadInput.parameter("estimator", "Scikit", must, type(self.estimator).__name__)
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(self, "name", self.name or type(self.estimator).__name__)

    def spelled(self) -> dict[str, Any]:
        return {"name": self.name, "estimator": as_json(self.estimator)}

    def _estimator(self, training: Training) -> Any:
        from sklearn.base import clone

        estimator = clone(self.estimator)
        seeds = [name for name in estimator.get_params() if f"__{name}".endswith("__random_state")]
        return estimator.set_params(**dict.fromkeys(seeds, training.random_state))


# --------------------------------------------------------------------------------------------------
# Boosted trees of scikit-learn, which take categories and missing values as they are.


_MOST_CATEGORIES: Final = 255
"""Of a column that scikit-learn's boosting takes."""


@dataclass(frozen=True, kw_only=True)
class Boosting(Learner):
    """Trees, each of which corrects those before it; categories and missing values are taken as they are.

    Of more than 255 categories the rarest are missing. All ``max_iter`` trees are grown.
    """

    name = "boosting"
    tasks = frozenset({"classes", "numbers"})

    max_iter: int = 100
    learning_rate: float = 0.1
    max_leaf_nodes: int = 31
    min_samples_leaf: int = 20

    def _fit(self, training: Training) -> Fitted:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        columns = Columns.of(training.table, training.missing)
        coding = Coding.of(columns.read(training.table))
        if not any(coding.told):
            return training.constant()
        kind = HistGradientBoostingClassifier if training.task == "classes" else HistGradientBoostingRegressor
        estimator = kind(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            categorical_features=coding.categorical,
            early_stopping=False,
            random_state=training.random_state,
        )
        fit(estimator, coding.coded(columns.read(training.table)), training)
        return FittedBoosting(estimator, columns, coding, training.labels)


@dataclass(frozen=True, eq=False)
class FittedBoosting(Fitted):
    """Boosted trees, how columns are read, and how they are coded."""

    estimator: Any
    columns: Columns
    coding: Coding
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        return ask(self.estimator, self.coding.coded(self.columns.read(table)), self.labels)


@dataclass(frozen=True, eq=False)
class Coding:
    """How boosting takes columns: numbers as they are, categories by new codes, at most 255 of them.

    Attributes
    ----------
    told : tuple of bool
        Which columns the training rows tell something of; the others are left out.
    codes : tuple of int arrays
        The new code of each category, -1 for those that are not kept and, at the end, for missing cells; nothing for
        a column of numbers.
    """

    told: tuple[bool, ...]
    codes: tuple[Longs | None, ...]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Coding:
        """The coding of training rows."""
        told = (bool(one.labels) if isinstance(one, Categories) else not np.isnan(one.values).all() for one in columns)
        return cls(tuple(told), tuple(_most_frequent(one) if isinstance(one, Categories) else None for one in columns))

    @property
    def categorical(self) -> list[bool]:
        """Which of the columns that are not left out are categories."""
        return [codes is not None for codes, told in zip(self.codes, self.told, strict=True) if told]

    def coded(self, columns: Sequence[Column]) -> Floats:
        """Rows as numbers and codes, nan where a cell is missing."""
        coded = []
        for column, codes, told in zip(columns, self.codes, self.told, strict=True):
            if told and isinstance(column, Numbers):
                coded.append(column.values)
            elif told and isinstance(column, Categories):
                new = required(codes, "the codes of a category")[column.codes]
                coded.append(np.where(new < 0, np.nan, new))
        return np.column_stack(coded)


def _most_frequent(column: Categories) -> Longs:
    """A new code for each category of a column, -1 for the rarest of too many; the last entry serves missing cells."""
    times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    new = np.full(len(times) + 1, -1, dtype=np.int64)
    kept = np.sort(np.argsort(-times, kind="stable")[:_MOST_CATEGORIES])
    new[kept] = np.arange(len(kept))
    return new
