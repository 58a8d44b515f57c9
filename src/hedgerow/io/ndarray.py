"""Arrays as tables with the columns ``x0``, ``x1``, …, validated like in scikit-learn's estimators, and back.

Numbers stay numbers, and the columns of an object array may contain text. The result is an array again: of the input's
type if that can represent it, of numbers if all columns are numbers, otherwise of objects.

**Deviations** from scikit-learn: messages about arrays begin like scikit-learn's, so that tools recognize them, but
never show the array. Booleans in an array are the numbers 0 and 1, and NaN is a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray

from hedgerow.errors import BadInput, translated
from hedgerow.io.frames import OpenFrame, as_arrow, is_relation, open_frame, without_column
from hedgerow.schema import Schema

__all__ = ["Labelled", "WrongType", "is_matrix", "open_labelled", "open_matrix", "positions"]


class WrongType(BadInput, TypeError):
    """The input is not a table; scikit-learn expects a TypeError for this."""


def positions(width: int) -> list[str]:
    """Names for unnamed columns.

    >>> positions(2)
    ['x0', 'x1']
    """
    return [f"x{at}" for at in range(width)]


def is_matrix(X: Any) -> bool:
    """Whether an object is an array-like whose columns have no names, and not a dataframe."""
    if is_relation(X) or nw.dependencies.is_into_dataframe(X):
        return False
    return isinstance(X, list | tuple) or _is_sparse(X) or hasattr(X, "__array__")


def _is_sparse(X: Any) -> bool:
    """Whether an object is a sparse SciPy array, without importing SciPy."""
    return type(X).__module__.startswith("scipy.sparse")


def open_matrix(X: Any, owner: str, *, allow_nan: bool = True) -> OpenFrame:
    """Validate an array like scikit-learn and make it a frame; ``owner`` is the calling class, for messages.

    Examples
    --------
    >>> opened = open_matrix([[1, 2.5], [3, 4.5]], "Mondrian")
    >>> opened.frame.columns, opened.back(opened.frame).tolist()
    (['x0', 'x1'], [[1.0, 2.5], [3.0, 4.5]])
    """
    if _is_sparse(X):
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
    _refuse_unwelcome_numbers(array, owner, allow_nan=allow_nan)
    table = pa.table({name: _column(array[:, at], name) for at, name in enumerate(positions(array.shape[1]))})
    return OpenFrame(nw.from_native(table, eager_only=True), lambda frame: _as_matrix(frame, array.dtype))


def _as_matrix(frame: nw.DataFrame[Any], dtype: DTypeLike) -> NDArray[Any]:
    """The cells of a frame as one array. A missing number becomes nan, any other missing cell ``None``."""
    numeric = {name for name in frame.columns if frame[name].dtype.is_numeric()}
    columns = [_numbers(frame[name]) if name in numeric else _objects(frame[name]) for name in frame.columns]
    if len(numeric) < len(columns) or np.dtype(dtype) == object:
        cells = np.empty((len(frame), len(columns)), dtype=object)
        for at, column in enumerate(columns):
            cells[:, at] = column
        return cells
    array = np.column_stack(columns)
    with np.errstate(invalid="ignore"):
        same = array.astype(dtype)
    return same if np.array_equal(same.astype(array.dtype), array, equal_nan=True) else array


def _numbers(column: nw.Series[Any]) -> NDArray[Any]:
    """A column of numbers. Integers stay integers if none is missing."""
    return np.asarray(as_arrow(column).to_numpy())


def _objects(column: nw.Series[Any]) -> NDArray[Any]:
    cells = np.empty(len(column), dtype=object)
    cells[:] = column.to_list()
    return cells


def _as_numpy(X: Any) -> NDArray[Any]:
    with translated(ValueError, into=BadInput("X is no table: its rows differ in length.")):
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            # numpy turned all cells into text; keep their own types.
            array = np.asarray(X, dtype=object)
    if array.dtype.kind == "S":
        raise BadInput("X holds bytes. Decode them to text or make them numbers.")
    if array.dtype.kind == "V":
        raise WrongType("X is a structured array. Give a dataframe instead.")
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


# --------------------------------------------------------------------------------------------------
# The input of a step of an imbalanced-learn pipeline as one table: X, with y as its target.


@dataclass(frozen=True, eq=False)
class Labelled:
    """A training table with its classes.

    Attributes
    ----------
    opened : OpenFrame
        X, and the function that restores its type.
    labels : array
        The classes of its rows.
    schema : Schema
        The roles of the columns, with y as the target.
    target : str
        The name of the column with y.
    from_array : bool
        Whether X is an array, whose columns have no names.
    given : Any
        y as the caller passed it.
    """

    opened: OpenFrame
    labels: NDArray[Any]
    schema: Schema
    target: str
    from_array: bool
    given: Any = None

    @property
    def table(self) -> Any:
        """X with y as a column."""
        return nw.to_native(self.opened.frame.with_columns(self.opened.series(self.target, self.labels)))

    def parted(self, published: Any) -> tuple[nw.DataFrame[Any], NDArray[Any]]:
        """The features of a table with the same columns, and its classes in the type of y."""
        frame = nw.from_native(published, eager_only=True)
        classes = frame[self.target].to_numpy()
        return without_column(frame, self.target), classes.astype(self.labels.dtype, copy=False)

    def as_given(self, classes: NDArray[Any]) -> Any:
        """Classes in the form of y: a series with its name and type, as in imbalanced-learn, or an array."""
        if not nw.dependencies.is_into_series(self.given):
            return classes
        series = nw.from_native(self.given, series_only=True)
        if nw.dependencies.is_pandas_series(self.given):
            return type(self.given)(classes, name=self.given.name, dtype=self.given.dtype)
        return nw.to_native(nw.new_series(series.name, classes, series.dtype, backend=series.implementation))


def open_labelled(X: Any, y: Any, schema: Schema | None, owner: str) -> Labelled:
    """Open the arguments of ``fit_resample``; ``owner`` is the class of that method, for messages.

    Examples
    --------
    >>> labelled = open_labelled(np.array([[39, 1], [50, 0]]), ["no", "yes"], None, "Mondrian")
    >>> labelled.opened.frame.columns, labelled.target
    (['x0', 'x1'], 'target')
    """
    if schema is not None and not isinstance(schema, Schema):
        raise BadInput.parameter("schema", owner, "a hedgerow.Schema", type(schema).__name__)
    from_array = is_matrix(X)
    opened = open_matrix(X, owner) if from_array else open_frame(X)
    given = Schema() if schema is None else schema
    target = given.target or _free_name(opened.frame.columns)
    if y is None:
        raise BadInput(f"{owner} requires y to be passed, but the target y is None. Give one class for each row of X.")
    labels = np.asarray(y)
    if labels.shape != (len(opened.frame),):
        raise BadInput(f"y must hold one class for each of the {len(opened.frame)} rows of X.")
    return Labelled(opened, labels, replace(given, target=target), target, from_array, y)


def _free_name(columns: Sequence[str]) -> str:
    name = "target"
    while name in columns:
        name += "_"
    return name
