"""Learners of scikit-learn that add features up: logistic regression, ridge, a small neural network; and any other.

scikit-learn is imported when something is learnt.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from hedgerow.errors import BadInput
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Task, Training, as_json
from hedgerow.evaluation.learners.columns import Columns
from hedgerow.evaluation.learners.estimators import ask, fit
from hedgerow.evaluation.learners.features import Features

__all__ = ["MLP", "Linear", "Logistic", "Scikit"]

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
