"""Scores: of predictions accuracy, AUC, F1 and log loss of classes, R² and mean absolute error of numbers.

The scores of analyses are computed in :mod:`hedgerow.evaluation.analyses`; their names, titles and directions are here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats
from hedgerow.errors import BadInput
from hedgerow.evaluation.learners import Prediction
from hedgerow.evaluation.tables import AnyTask, Task

__all__ = ["BETTER_WHEN_LOWER", "SCORES", "SCORE_TITLES", "SHARES", "named_score", "scores_of"]

SCORES: Final[dict[AnyTask, tuple[str, ...]]] = {
    "classes": ("accuracy", "auc", "f1", "log_loss"),
    "numbers": ("r2", "mae"),
    "clustering": ("adjusted_rand",),
    "association": ("rules_f1", "rules_kept", "rules_invented", "itemsets_kept", "itemsets_invented"),
    "queries": ("median_error", "mean_error"),
    "estimates": ("overlap", "estimate_error"),
}
"""The scores of each task; the first is the default."""

SCORE_TITLES: Final = {
    "accuracy": "Accuracy",
    "auc": "AUC",
    "f1": "F1",
    "log_loss": "Log loss",
    "r2": "R²",
    "mae": "Mean absolute error",
    "adjusted_rand": "Adjusted Rand index",
    "rules_f1": "F1 of rules",
    "rules_kept": "Rules kept",
    "rules_invented": "Rules invented",
    "itemsets_kept": "Itemsets kept",
    "itemsets_invented": "Itemsets invented",
    "median_error": "Median relative error",
    "mean_error": "Mean relative error",
    "overlap": "Overlap of confidence intervals",
    "estimate_error": "Relative error of estimates",
}
"""The names of scores in charts."""

BETTER_WHEN_LOWER: Final = frozenset(
    {"log_loss", "mae", "rules_invented", "itemsets_invented", "median_error", "mean_error", "estimate_error"}
)

SHARES: Final = frozenset(
    {"accuracy", "auc", "f1", "rules_f1", "rules_kept", "rules_invented", "itemsets_kept", "itemsets_invented"}
    | {"median_error", "mean_error", "overlap", "estimate_error"}
)
"""The scores that are shown in percent."""

_LEAST: Final = 1e-15  # the least probability, so that a single row does not decide the log loss


def named_score(given: str | None, task: AnyTask) -> str:
    """The named score, by default the first of the task.

    >>> named_score(None, "numbers")
    'r2'
    """
    known = SCORES[task]
    if given is not None and given not in known:
        raise BadInput.unknown("score", str(given), known, f"Scores of {task} are {', '.join(known)}.")
    return known[0] if given is None else given


def scores_of(prediction: Prediction, target: pa.ChunkedArray, task: Task) -> dict[str, float | None]:
    """All scores of a prediction; ``None`` for an undefined score.

    AUC and F1 compare each class with all others. AUC is averaged over the classes, weighted by their rows; with two
    classes both have the same. F1 is averaged over the classes with equal weights. AUC needs rows of two classes.
    """
    if task == "numbers":
        return _of_numbers(prediction.values, target.to_numpy())
    truth = np.asarray(target.to_pylist(), dtype=object)
    labels = sorted({*prediction.labels, *truth.tolist()})
    shares = np.zeros((len(truth), len(labels)))
    shares[:, [labels.index(label) for label in prediction.labels]] = prediction.probabilities
    code = np.searchsorted(np.array(labels, dtype=object), truth)
    predicted = np.searchsorted(np.array(labels, dtype=object), prediction.predicted)
    return {
        "accuracy": float((predicted == code).mean()),
        "auc": _auc(shares, code),
        "f1": _f1(predicted, code, len(labels)),
        "log_loss": float(-np.log(np.maximum(shares[np.arange(len(code)), code], _LEAST)).mean()),
    }


def _of_numbers(predicted: Floats, truth: Floats) -> dict[str, float | None]:
    spread = float(((truth - truth.mean()) ** 2).sum())
    return {
        "r2": 1 - float(((truth - predicted) ** 2).sum()) / spread if spread else None,
        "mae": float(np.abs(truth - predicted).mean()),
    }


def _auc(shares: Floats, code: np.ndarray) -> float | None:
    from scipy.stats import rankdata

    total, rows = 0.0, len(code)
    held = np.flatnonzero(np.bincount(code, minlength=shares.shape[1]))
    if len(held) < 2:
        return None
    for label in held:
        inside = code == label
        number = int(inside.sum())
        ranks = rankdata(shares[:, label])[inside].sum()
        total += number * float((ranks - number * (number + 1) / 2) / (number * (rows - number)))
    return total / rows


def _f1(predicted: np.ndarray, code: np.ndarray, labels: int) -> float:
    right = np.bincount(code[predicted == code], minlength=labels)
    both = np.bincount(code, minlength=labels) + np.bincount(predicted, minlength=labels)
    held = np.bincount(code, minlength=labels) > 0
    return float((2 * right[held] / both[held]).mean())
