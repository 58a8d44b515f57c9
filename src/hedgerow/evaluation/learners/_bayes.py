"""Naive Bayes on categories and binned numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.errors import check_int, required
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Training
from hedgerow.evaluation.learners.columns import Categories, Column, Columns, Numbers

__all__ = ["NaiveBayes"]


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Learner):
    """Naive Bayes on categories (scikit-learn's ``CategoricalNB``); numbers are binned by quantiles of training rows.

    Missing cells do not count: the probabilities of a column are learnt from rows that have a value, and a row is
    predicted from the columns that have a value.

    Parameters
    ----------
    bins : int
        The most bins of a column of numbers; there are fewer if quantiles are equal.
    alpha : float
        Added to every count.
    """

    name = "naive-bayes"
    tasks = frozenset({"classes"})

    bins: int = 10
    alpha: float = 1.0

    def __post_init__(self) -> None:
        check_int("bins", "NaiveBayes", self.bins, 2)

    def _fit(self, training: Training) -> Fitted:
        from sklearn.naive_bayes import CategoricalNB

        columns = Columns.of(training.table, training.missing)
        read = columns.read(training.table)
        edges = tuple(_edges(column.values, self.bins) if isinstance(column, Numbers) else None for column in read)
        every = np.arange(len(training.labels))
        likelihoods = []
        for column, cuts in zip(read, edges, strict=True):
            codes = _binned(column, cuts)
            known = codes >= 0
            if not known.any():
                likelihoods.append(np.zeros((len(every), 1)))
                continue
            # Each column is fitted separately, on the rows that have a value.
            model = CategoricalNB(alpha=self.alpha)
            model.partial_fit(codes[known, np.newaxis], training.codes[known], classes=every)
            likelihoods.append(model.feature_log_prob_[0])
        prior = np.log(np.bincount(training.codes) / len(training.codes))
        return FittedNaiveBayes(columns, edges, tuple(likelihoods), prior, training.labels)


@dataclass(frozen=True, eq=False)
class FittedNaiveBayes(Fitted):
    """The log-probabilities of naive Bayes: of each column (labels, categories), and of the labels."""

    columns: Columns
    edges: tuple[Floats | None, ...]
    likelihoods: tuple[Floats, ...]
    prior: Floats
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        logarithms = np.tile(self.prior, (table.num_rows, 1))
        for column, edges, likelihood in zip(self.columns.read(table), self.edges, self.likelihoods, strict=True):
            codes = _binned(column, edges)
            # The last entry is for the code of a missing cell, -1.
            logarithms += np.append(likelihood, np.zeros((len(self.labels), 1)), axis=1).T[codes]
        return Prediction.of_classes(self.labels, np.exp(logarithms - logarithms.max(axis=1, keepdims=True)))


def _edges(values: Floats, bins: int) -> Floats:
    """The edges of the bins: the quantiles of the known values, below the largest."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.empty(0)
    cuts = np.unique(np.quantile(known, np.arange(1, bins) / bins, method="inverted_cdf"))
    return np.asarray(cuts[cuts < known.max()])


def _binned(column: Column, edges: Floats | None) -> Longs:
    """The category or bin of each row; -1 for a missing cell. An edge belongs to the bin below it."""
    if isinstance(column, Categories):
        return column.codes.astype(np.int64)
    parts = np.searchsorted(required(edges, "the edges of numbers"), column.values)
    return np.where(np.isnan(column.values), -1, parts)
