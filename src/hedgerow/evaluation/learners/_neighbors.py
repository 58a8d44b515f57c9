"""The nearest neighbours, on the same features as other learners, with all rows that are equally near.

In a release all rows of a class are alike, so that many training rows have the same distance. As in Weka's IBk, all
rows that are as near as the last neighbour count; scikit-learn takes those that come first in the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.errors import BadInput, check_int
from hedgerow.evaluation.learners._scikit import Features
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Training
from hedgerow.evaluation.learners.columns import Columns

__all__ = ["KNN"]

_CELLS: Final = 10_000_000
"""The most distances at a time, which take 80 MB."""

_SLACK: Final = 1e-6
"""Distances that differ by less are equal: they are computed by scalar products, which round."""


@dataclass(frozen=True, kw_only=True)
class KNN(Learner):
    """The nearest neighbours among the training rows, by the Euclidean distance of their features.

    With an encoder as ``train``, distances are those of its representation: oneClass, fillParent, fillChild or
    proportional.

    Parameters
    ----------
    neighbors : int
        How many training rows decide; more if others are as near as the last of them.
    weights : {"uniform", "distance"}
        Whether all of these count the same, or in inverse proportion to their distance.
    """

    name = "knn"
    tasks = frozenset({"classes", "numbers"})

    neighbors: int = 5
    weights: Literal["uniform", "distance"] = "uniform"

    def __post_init__(self) -> None:
        check_int("neighbors", "KNN", self.neighbors, 1)
        if self.weights not in ("uniform", "distance"):
            raise BadInput.parameter("weights", "KNN", "'uniform' or 'distance'", self.weights)

    def _fit(self, training: Training) -> Fitted:
        columns = Columns.of(training.table, training.missing)
        read = columns.read(training.table)
        features = Features.of(read)
        if not features.width:
            return training.constant()
        points, of_row = np.unique(features.matrix(read), axis=0, return_inverse=True)
        rows = np.bincount(of_row.ravel(), minlength=len(points))
        return FittedKNN(self, columns, features, points, rows, _held(training, of_row.ravel()), training.labels)


def _held(training: Training, of_row: Longs) -> Floats:
    """What the rows of each distinct point hold: how many have each label, or the sum of their numbers."""
    if training.task == "numbers":
        sums = np.bincount(of_row, training.values).astype(np.float64)
        return sums[:, np.newaxis]
    labels = len(training.labels)
    counted = np.bincount(of_row * labels + training.codes, minlength=(int(of_row.max()) + 1) * labels)
    return counted.reshape(-1, labels).astype(np.float64)


@dataclass(frozen=True, eq=False)
class FittedKNN(Fitted):
    """The distinct training rows, with how many rows each stands for, and what these hold."""

    learner: KNN
    columns: Columns
    features: Features
    points: Floats
    rows: Longs
    held: Floats
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        from threadpoolctl import threadpool_limits

        matrix = self.features.matrix(self.columns.read(table))
        size = max(_CELLS // len(self.points), 1)
        with threadpool_limits(limits=1):
            parts = [self._weighted(matrix[at : at + size]) for at in range(0, len(matrix), size)]
        held, counted = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Prediction.of_classes(self.labels, held) if self.labels else Prediction.of_numbers(held[:, 0] / counted)

    def _weighted(self, matrix: Floats) -> tuple[Floats, Floats]:
        """What the neighbours of some rows hold, and how many they are, both weighted."""
        from sklearn.metrics import euclidean_distances

        distance = euclidean_distances(matrix, self.points)
        reach = self._reach(distance)
        weight = (distance <= (reach + _SLACK * np.maximum(reach, 1))[:, np.newaxis]).astype(np.float64)
        if self.learner.weights == "distance":
            weight /= np.maximum(distance, _SLACK)
        return weight @ self.held, weight @ self.rows

    def _reach(self, distance: Floats) -> Floats:
        """The distance of the last neighbour; each point may stand for several rows."""
        most = min(self.learner.neighbors, len(self.points))
        near = np.argpartition(distance, most - 1, axis=1)[:, :most]
        near = np.take_along_axis(near, np.take_along_axis(distance, near, axis=1).argsort(axis=1), axis=1)
        enough = self.rows[near].cumsum(axis=1) >= self.learner.neighbors
        last = np.where(enough.any(axis=1), enough.argmax(axis=1), most - 1)[:, np.newaxis]
        return np.take_along_axis(distance, np.take_along_axis(near, last, axis=1), axis=1)[:, 0]
