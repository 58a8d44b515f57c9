"""Learners of scikit-learn: logistic regression, ridge, a small neural network, boosting, or any other estimator.

scikit-learn is imported when a learner is fitted.
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
# Fitting a scikit-learn estimator, and predicting with it.
#
# Both use one thread, so that the same seed gives the same result, and learners in several processes do not wait for
# each other.


def fit(estimator: Any, matrix: Any, training: Training) -> None:
    """Fit an estimator, ignoring warnings that it has not converged."""
    from sklearn.exceptions import ConvergenceWarning

    with _one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(matrix, training.values if training.task == "numbers" else training.names)


def ask(estimator: Any, matrix: Any, labels: tuple[str, ...]) -> Prediction:
    """The prediction of a fitted estimator, in the order of ``labels``; without probabilities, its label has 1."""
    with _one_thread():
        sure = not hasattr(estimator, "predict_proba")
        predicted = estimator.predict(matrix) if sure or not labels else estimator.predict_proba(matrix)
    if not labels:
        return Prediction.of_numbers(np.asarray(predicted, dtype=np.float64).ravel())
    place = {label: at for at, label in enumerate(labels)}
    shares = np.zeros((matrix.shape[0], len(labels)))
    if sure:
        shares[np.arange(len(shares)), [place[str(label)] for label in predicted]] = 1.0
    else:
        shares[:, [place[str(label)] for label in estimator.classes_]] = predicted
    return Prediction.of_classes(labels, shares)


@contextmanager
def _one_thread() -> Iterator[None]:
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    with threadpool_limits(limits=1):
        yield


# --------------------------------------------------------------------------------------------------
# A numeric matrix from plain columns, for linear models and networks.
#
# Numbers are standardized by the mean and deviation of the training rows; a missing number is the mean, which is 0.
# A category has a feature for each label, 1 or 0; all of them are 0 if it is missing. Columns with at most one distinct
# number in the training rows are left out.


DENSE: Final = 20_000_000
"""The most cells of a dense matrix, which takes 160 MB."""


_FAR: Final = 1e6
"""The largest standardized number. Training values exceed it only among more than 10^12; larger values are clipped."""


@dataclass(frozen=True)
class Scale:
    """The standardization of a column of numbers, which are first divided by the largest so that squares are finite."""

    largest: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Scale | None:
        """The scale of training values; ``None`` if they are all equal or missing."""
        known = values[~np.isnan(values)]
        largest = float(np.abs(known).max(initial=0.0)) or 1.0
        known = known / largest
        if not len(known) or known.min() == known.max():
            return None
        return cls(largest, float(known.mean()), float(known.std()))

    def standardized(self, values: Floats) -> Floats:
        """The values as deviations from the mean; 0 for missing values."""
        with np.errstate(over="ignore"):
            deviations = (values / self.largest - self.mean) / self.deviation
        return np.clip(np.nan_to_num(deviations), -_FAR, _FAR)


@dataclass(frozen=True)
class Features:
    """The features of the columns of the training rows.

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
    """For each column its scale, its number of labels, or ``None``."""

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Features:
        """The features of training rows."""
        parts = (Scale.of(column.values) if isinstance(column, Numbers) else len(column.labels) for column in columns)
        return cls(tuple(parts))

    @property
    def width(self) -> int:
        """The number of features."""
        return sum(part if isinstance(part, int) else part is not None for part in self.parts)

    def matrix(self, columns: Sequence[Column], *, sparse: bool = False) -> Any:
        """The features of rows: an array or, for a large table and if allowed, a sparse matrix."""
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
        """The non-zero cells, column by column: their rows, features and values."""
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
    """A learner with an estimator for standardized numbers and a feature for each category."""

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
    """A fitted estimator, with the features of rows."""

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
    """A small neural network, trained by Adam. A numeric target is standardized, and predictions are converted back."""

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
    """Any scikit-learn classifier or regressor, or an object with the same interface.

    It is cloned before it is fitted, and every ``random_state`` gets the seed. For a classifier without probabilities,
    the predicted label has the probability 1.

    Parameters
    ----------
    estimator : estimator
    name : str, optional
        Its name in tables; by default its class.

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
# Boosted trees of scikit-learn, which support categories and missing values.


_MOST_CATEGORIES: Final = 255
"""The most categories of a column that scikit-learn's boosting accepts."""


@dataclass(frozen=True, kw_only=True)
class Boosting(Learner):
    """Gradient-boosted trees, which support categories and missing values.

    The rarest of more than 255 categories become missing. All ``max_iter`` trees are grown.
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
        if not any(coding.kept):
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
    """Fitted boosted trees, with the reading and coding of columns."""

    estimator: Any
    columns: Columns
    coding: Coding
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        return ask(self.estimator, self.coding.coded(self.columns.read(table)), self.labels)


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns for boosting: numbers unchanged, categories with new codes, at most 255 of them.

    Attributes
    ----------
    kept : tuple of bool
        Whether each column has a value in the training rows; other columns are left out.
    codes : tuple of int arrays
        The new code of each category, -1 for dropped categories and, at the end, for missing cells; ``None`` for a
        column of numbers.
    """

    kept: tuple[bool, ...]
    codes: tuple[Longs | None, ...]

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Coding:
        """The coding of training rows."""
        kept = [
            bool(column.labels) if isinstance(column, Categories) else not np.isnan(column.values).all()
            for column in columns
        ]
        codes = [_most_frequent(column) if isinstance(column, Categories) else None for column in columns]
        return cls(tuple(kept), tuple(codes))

    @property
    def categorical(self) -> list[bool]:
        """Whether each kept column is categorical."""
        return [codes is not None for codes, kept in zip(self.codes, self.kept, strict=True) if kept]

    def coded(self, columns: Sequence[Column]) -> Floats:
        """Rows as numbers and codes, with nan for missing cells."""
        coded = []
        for column, codes, kept in zip(columns, self.codes, self.kept, strict=True):
            if kept and isinstance(column, Numbers):
                coded.append(column.values)
            elif kept and isinstance(column, Categories):
                new = required(codes, "the codes of a category")[column.codes]
                coded.append(np.where(new < 0, np.nan, new))
        return np.column_stack(coded)


def _most_frequent(column: Categories) -> Longs:
    """A new code for each category, -1 for the rarest of too many; the last entry is for missing cells."""
    times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    new = np.full(len(times) + 1, -1, dtype=np.int64)
    kept = np.sort(np.argsort(-times, kind="stable")[:_MOST_CATEGORIES])
    new[kept] = np.arange(len(kept))
    return new
