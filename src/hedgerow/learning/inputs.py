"""What learners are given: dataframes and releases by the names of their columns, arrays as scikit-learn takes them.

A dataframe or DuckDB relation stays as it is, and unseen rows are found by name: their columns may stand in another
order, and others may stand between them. A release is its table without the target. An array or a list of lists is
checked as scikit-learn's own estimators check it and becomes a frame with the columns ``x0``, ``x1``, …; numbers stay
numbers, and the columns of an object array may hold text.

**Deviations** from scikit-learn: the messages for arrays begin as its own, so that tools know them, but never
show the array; booleans in an array are the numbers 0 and 1 and NaN is a missing value; a frame whose columns are in
another order is welcome.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from hedgerow.errors import BadInput, listing, translated
from hedgerow.frames import OpenFrame, is_relation, open_frame
from hedgerow.release import Release

__all__ = ["WrongType", "labels_of_release", "open_training", "open_unseen"]


class WrongType(BadInput, TypeError):
    """No table to learn from; scikit-learn expects a TypeError there."""


def open_training(estimator: BaseEstimator, X: Any) -> OpenFrame:
    """Open the table that an estimator is fitted on, and note its columns.

    Sets ``n_features_in_``, and ``feature_names_in_`` if the columns have names.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier()
    >>> open_training(model, [[1.5, 7], [2.5, 8]]).frame.columns, model.n_features_in_
    (['x0', 'x1'], 2)
    >>> unseen = open_unseen(model, np.array([[3.5, 9]])).frame
    >>> unseen["x0"].to_list(), unseen["x1"].to_list()
    ([3.5], [9.0])
    """
    opened, named = _open(estimator, X)
    columns = opened.frame.columns
    if not columns or not len(opened.frame):
        raise BadInput(
            f"The table has no rows or no columns. {type(estimator).__name__} needs at least one of each to be fitted."
        )
    estimator.n_features_in_ = len(columns)
    if named:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return opened


def open_unseen(estimator: BaseEstimator, X: Any, *, optional: Sequence[str] = ()) -> OpenFrame:
    """Open a table for a fitted estimator; its columns then have the names they had in training.

    A frame may have further columns, in any order, which are kept. Where only one of both tables has names, columns
    are matched by position, with scikit-learn's warning.

    Parameters
    ----------
    estimator : estimator
        Fitted on what :func:`open_training` opened.
    X : dataframe, DuckDB relation, Release or array
    optional : sequence of str
        Columns of the training table that may be absent.
    """
    opened, named = _open(estimator, X)
    owner = type(estimator).__name__
    trained = getattr(estimator, "feature_names_in_", None)
    if named and trained is not None:
        absent = [name for name in trained if name not in opened.frame.columns and name not in optional]
        if absent:
            raise BadInput(f"The table lacks columns that {owner} was trained with: {listing(absent)}. Add them.")
        return opened
    names = _positions(estimator.n_features_in_) if trained is None else trained.tolist()
    needed = [name for name in names if name not in optional]
    width = len(opened.frame.columns)
    if width not in (len(names), len(needed)):
        raise BadInput(f"X has {width} features, but {owner} is expecting {len(needed)} features as input.")
    if named:
        warnings.warn(f"X has feature names, but {owner} was fitted without feature names", UserWarning, stacklevel=3)
    elif trained is not None:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names", UserWarning, stacklevel=3
        )
    return _renamed(opened, names if width == len(names) else needed)


def labels_of_release(release: Release) -> NDArray[Any]:
    """The labels that a release publishes, in the order of its rows.

    Raises
    ------
    BadInput
        If the release has no target.
    """
    if release.target is None:
        raise BadInput("The release has no target. Give y, or name the target in the schema.")
    return np.asarray(open_frame(release.table).frame[release.target].to_numpy())


def _open(estimator: BaseEstimator, X: Any) -> tuple[OpenFrame, bool]:
    """Open what is given, and say whether its columns have names."""
    if _is_array(X):
        return _open_array(estimator, X), False
    if nw.dependencies.is_pandas_dataframe(X) and len(X.columns) and not any(isinstance(one, str) for one in X.columns):
        # pandas numbers the columns of a frame that is made without names.
        return open_frame(X.set_axis(_positions(X.shape[1]), axis=1)), False
    if not isinstance(X, Release):
        return open_frame(X), True  # which refuses what is no table
    opened = open_frame(X.table)
    return (opened if X.target is None else replace(opened, frame=opened.frame.drop(X.target))), True


def _positions(width: int) -> list[str]:
    """The names of columns that have none."""
    return [f"x{at}" for at in range(width)]


def _renamed(opened: OpenFrame, names: Sequence[str]) -> OpenFrame:
    return replace(opened, frame=opened.frame.rename(dict(zip(opened.frame.columns, names, strict=True))))


def _is_array(X: Any) -> bool:
    """Whether something is read by position: what numpy can read and no dataframe library claims."""
    if isinstance(X, Release) or is_relation(X) or nw.dependencies.is_into_dataframe(X):
        return False
    return isinstance(X, list | tuple) or scipy.sparse.issparse(X) or hasattr(X, "__array__")


def _open_array(estimator: BaseEstimator, X: Any) -> OpenFrame:
    """Check an array as scikit-learn does and make it a frame."""
    owner = type(estimator).__name__
    if scipy.sparse.issparse(X):
        raise WrongType(f"Sparse data was passed for X, but {owner} needs dense data. Use '.toarray()'.")
    array = _as_numpy(X)
    if np.iscomplexobj(array):
        raise BadInput("Complex data not supported. Give real numbers.")
    if array.ndim != 2:
        raise BadInput(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a row for each record and a "
            "column for each feature."
        )
    for what, axis in (("sample", 0), ("feature", 1)):
        if not array.shape[axis]:
            raise BadInput(
                f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required by {owner}."
            )
    _refuse_unwelcome_numbers(array, owner, allow_nan=get_tags(estimator).input_tags.allow_nan)
    table = pa.table({name: _column(array[:, at], name) for at, name in enumerate(_positions(array.shape[1]))})
    return OpenFrame(nw.from_native(table, eager_only=True), lambda frame: frame.to_numpy())


def _as_numpy(X: Any) -> NDArray[Any]:
    with translated(ValueError, into=BadInput("X is no table: its rows differ in length.")):
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            # numpy made text of everything; the cells themselves know better.
            array = np.asarray(X, dtype=object)
    if array.dtype.kind == "S":
        raise BadInput("X holds bytes. Decode them to text or make them numbers.")
    if array.dtype.kind == "V":
        raise WrongType("X is an array of records. Give a dataframe instead.")
    return array


def _refuse_unwelcome_numbers(array: NDArray[Any], owner: str, *, allow_nan: bool) -> None:
    if array.dtype.kind == "O":
        numbers = np.array([cell for cell in array.ravel() if isinstance(cell, float | np.floating)], dtype=np.float64)
        absent = any(cell is None for cell in array.ravel())
    else:
        numbers = array if array.dtype.kind == "f" else np.empty(0)
        absent = array.dtype.kind in "mM" and bool(np.isnat(array).any())
    if np.isinf(numbers).any():
        raise BadInput("Input X contains infinity or a number too large for float64. Remove it or make it missing.")
    if not allow_nan and (absent or np.isnan(numbers).any()):
        raise BadInput(f"Input X contains NaN. {owner} does not accept missing values encoded as NaN: fill them in.")


def _column(cells: NDArray[Any], name: str) -> pa.Array:
    """A column of an array as Arrow; floats of any width are compared as float64."""
    kind = cells.dtype.kind
    if kind == "f":
        return pa.array(np.ascontiguousarray(cells, dtype=np.float64), from_pandas=True)
    if kind == "b":
        return pa.array(cells.astype(np.int64))
    if kind != "O":
        return pa.array(np.ascontiguousarray(cells))

    def mixed(_error: Exception) -> Exception:
        if not all(cell is None or isinstance(cell, str | int | float | np.generic) for cell in cells):
            return _no_values(name)
        return BadInput(
            f"The column {name!r} mixes types or has numbers beyond 64 bits. Make it all text or all numbers."
        )

    with translated(pa.ArrowException, TypeError, ValueError, OverflowError, into=mixed):
        column = pa.array(cells.tolist(), from_pandas=True)
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise _no_values(name)
    return column.cast(pa.int64()) if pa.types.is_boolean(column.type) else column


def _no_values(name: str) -> WrongType:
    return WrongType(f"The column {name!r} holds objects: each argument must be a string or a real number.")
