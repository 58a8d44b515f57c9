"""Clustering: whether a model of the released rows groups people as a model of the original rows does.

As in B. C. M. Fung, K. Wang, L. Wang, P. C. K. Hung, "Privacy-Preserving Data Publishing for Cluster Analysis", Data &
Knowledge Engineering 68(6), 2009, the clusters of the release are compared with those of the original rows.

**Deviations**: a release is shuffled, so that nobody can match its rows with the original ones. So the clusters are
learnt from the release, and rows that no method has seen are assigned to them: once by the model of the release, once
by the model of the original rows. The two assignments are compared by the adjusted Rand index (L. Hubert, P. Arabie,
"Comparing Partitions", Journal of Classification 2, 1985), which needs no matching of clusters: 1 if both are the same,
0 on average if they have nothing to do with each other. The paper takes the F-measure.

The baseline of unanonymized rows is another model of the same original rows, with other random starts or other sampled
rows: an index as high as its says that the release costs nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.errors import check_int
from hedgerow.evaluation.analyses.base import Analysis, Material
from hedgerow.evaluation.learners._scikit import Features
from hedgerow.evaluation.learners.columns import Columns
from hedgerow.evaluation.ways import Way
from hedgerow.release import Release

__all__ = ["Agglomerative", "KMeans"]

Assign = Callable[[Any], Longs]
"""A function that gives the cluster of each row of a matrix."""


@dataclass(frozen=True, kw_only=True)
class _Clustering(Analysis):
    """An analysis that learns clusters of rows, as learners read them, and assigns other rows to them.

    Parameters
    ----------
    clusters : int
        The number of clusters; fewer if there are fewer distinct rows.
    """

    task = "clustering"

    clusters: int = 5

    def __post_init__(self) -> None:
        check_int("clusters", type(self).__name__, self.clusters, 2)

    def check(self, way: Way) -> None:
        """Every way of writing rows gives features."""

    def measure(self, material: Material) -> Mapping[str, float | None]:
        from sklearn.metrics import adjusted_rand_score

        part, tests, seed = material.part, material.tests, material.random_state
        names = part.features
        missing = tuple(part.schema.missing)
        truth = self._assigned(part.table.select(names), tests.select(names), missing, seed)
        written = material.written()
        # A baseline starts elsewhere: a second model of the same rows with the same seed would be the same model.
        own_seed = seed if isinstance(material.release, Release) else seed + 1
        found = self._assigned(written.features, written.test(tests), missing, own_seed)
        return {"adjusted_rand": float(adjusted_rand_score(truth, found))}

    def _assigned(self, rows: pa.Table, tests: pa.Table, missing: tuple[str, ...], seed: int) -> Longs:
        """The cluster of each test row, by a model of other rows."""
        from threadpoolctl import threadpool_limits

        columns = Columns.of(rows, missing)
        read = columns.read(rows)
        features = Features.of(read)
        nowhere = np.zeros(tests.num_rows, dtype=np.int64)
        if not features.width:
            return nowhere
        matrix = features.matrix(read)
        clusters = _distinct(matrix, self.clusters)
        if clusters < 2:
            return nowhere
        with threadpool_limits(limits=1):
            return self._learnt(matrix, clusters, seed)(features.matrix(columns.read(tests)))

    @abstractmethod
    def _learnt(self, matrix: Any, clusters: int, seed: int) -> Assign:
        """Learn clusters from the rows of a matrix."""


@dataclass(frozen=True, kw_only=True)
class KMeans(_Clustering):
    """k-means of scikit-learn on standardized numbers and one feature for each category.

    Parameters
    ----------
    clusters : int
        The number of clusters; fewer if there are fewer distinct rows.
    starts : int
        How often it starts anew; the best result counts.
    """

    name = "k-means"

    starts: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("starts", "KMeans", self.starts, 1)

    def _learnt(self, matrix: Any, clusters: int, seed: int) -> Assign:
        from sklearn.cluster import KMeans as Estimator

        model = Estimator(clusters, n_init=self.starts, random_state=seed % 2**32).fit(matrix)
        return lambda rows: np.asarray(model.predict(rows), dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Agglomerative(_Clustering):
    """Agglomerative clustering of scikit-learn (Ward) of sampled rows; a row belongs to the cluster with the next mean.

    Parameters
    ----------
    clusters : int
        The number of clusters; fewer if there are fewer distinct rows.
    rows : int
        The most rows that are clustered, since time and memory grow with their square.
    """

    name = "agglomerative"

    rows: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("rows", "Agglomerative", self.rows, 2)

    def _learnt(self, matrix: Any, clusters: int, seed: int) -> Assign:
        from sklearn.cluster import AgglomerativeClustering
        from sklearn.metrics import pairwise_distances_argmin

        sampled = matrix
        if len(matrix) > self.rows:
            sampled = matrix[np.random.default_rng([seed, 2]).choice(len(matrix), self.rows, replace=False)]
        label = AgglomerativeClustering(min(clusters, len(sampled))).fit_predict(sampled)
        means = np.stack([sampled[label == cluster].mean(axis=0) for cluster in np.unique(label)])
        return lambda rows: np.asarray(pairwise_distances_argmin(rows, means), dtype=np.int64)


def _distinct(matrix: Floats, most: int) -> int:
    """The number of distinct rows of a matrix, counted up to a limit.

    >>> _distinct(np.array([[1.0, 2], [1, 2], [3, 4], [5, 6]]), 2)
    2
    """
    seen: set[bytes] = set()
    for row in matrix:
        seen.add(row.tobytes())
        if len(seen) == most:
            break
    return len(seen)
