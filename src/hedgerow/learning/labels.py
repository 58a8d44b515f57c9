"""The labels and weights that a classifier is given, checked and coded.

**Deviations** from scikit-learn: labels that are whole numbers may be written as floats, and the messages never show
a label.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import BadInput, amount, translated
from hedgerow.learning.inputs import labels_of_release
from hedgerow.release import Release

__all__ = ["coded_labels", "labels_given", "weights_of"]


def labels_given(X: Any, y: Any, owner: str) -> Any:
    """The labels as they are given, or else those of the release that is learnt from."""
    if y is not None:
        return y
    if isinstance(X, Release):
        return labels_of_release(X)
    raise BadInput(f"{owner} requires y to be passed, but the target y is None. Only a release brings its own.")


def coded_labels(y: Any, rows: int) -> tuple[NDArray[Any], Longs]:
    """The distinct labels, sorted, and which of them each row has; none may be missing."""
    labels = np.asarray(y)
    if labels.shape == (rows, 1):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Give one class for each row: y.ravel() does.",
            DataConversionWarning,
            stacklevel=3,
        )
        labels = labels.ravel()
    if labels.shape != (rows,):
        raise BadInput(f"y must hold one class for each of the {amount(rows, 'rows')} of X.")
    if labels.dtype.kind == "c":
        raise BadInput("Complex data not supported in y. Give one class for each row.")
    mixed = BadInput("y mixes types or holds objects. Make it all text or all numbers.")
    with translated(pa.ArrowException, TypeError, ValueError, into=mixed):
        known = pa.array(labels, from_pandas=True)
    if known.null_count:
        first_null = known.is_null().index(True).as_py() + 1
        raise BadInput(
            f"y has no class in {amount(known.null_count, 'rows')}, first in row {first_null}. Remove these rows."
        )
    if labels.dtype.kind == "f" and (np.isinf(labels).any() or (labels != np.trunc(labels)).any()):
        raise BadInput("Unknown label type: y holds numbers that are not whole. A classifier needs classes.")
    # Only the distinct labels are sorted: sorting a million texts would take longer than growing the tree.
    index = known.dictionary_encode().indices.to_numpy()
    first = np.empty(index.max() + 1, dtype=np.int64)
    first[index[::-1]] = np.arange(rows - 1, -1, -1)
    classes, rank = np.unique(labels[first], return_inverse=True)
    return classes, rank[index]


def weights_of(sample_weight: Any, rows: int) -> Floats | None:
    """The weight of each row, if any are given."""
    if sample_weight is None:
        return None
    with translated(TypeError, ValueError, into=BadInput("sample_weight must hold numbers.")):
        weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (rows,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise BadInput(f"sample_weight must hold one number >= 0 for each of the {amount(rows, 'rows')} of X.")
    if not math.fsum(weights):
        raise BadInput("sample_weight is zero in all rows. A tree needs at least one record.")
    return weights
