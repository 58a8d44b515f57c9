"""Boosted trees of scikit-learn, which take categories and missing values as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import required
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Training
from hedgerow.evaluation.learners.columns import Categories, Column, Columns, Numbers
from hedgerow.evaluation.learners.estimators import ask, fit

__all__ = ["Boosting"]

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
