"""Arrays as tables: the columns ``x0``, ``x1``, …, checked as scikit-learn's own estimators check them, and back.

Numbers stay numbers, and the columns of an object array may hold text. What comes back is an array again: of the type
that came in where that can hold it, of numbers where all columns are numbers, and else of objects.

**Deviations** from scikit-learn: the messages for arrays begin as its own, so that tools know them, but never
show the array; booleans in an array are the numbers 0 and 1 and NaN is a missing value.
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
    """No table to learn from; scikit-learn expects a TypeError there."""


def positions(width: int) -> list[str]:
    """The names of columns that have none.

    >>> positions(2)
    ['x0', 'x1']
    """
    return [f"x{at}" for at in range(width)]


def is_matrix(X: Any) -> bool:
    """Whether something is read by position: what numpy can read and no dataframe library claims."""
    if is_relation(X) or nw.dependencies.is_into_dataframe(X):
        return False
    return isinstance(X, list | tuple) or _is_sparse(X) or hasattr(X, "__array__")


def _is_sparse(X: Any) -> bool:
    """Whether something is a sparse array of SciPy, which is not imported for that."""
    return type(X).__module__.startswith("scipy.sparse")


def open_matrix(X: Any, owner: str, *, allow_nan: bool = True) -> OpenFrame:
    """Check an array as scikit-learn does and make it a frame; ``owner`` is who asks for it.

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
    """The cells of a frame as one array; a missing number is nan, any other missing cell ``None``."""
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
    """A column of numbers; whole ones stay whole where none is missing."""
    return np.asarray(as_arrow(column).to_numpy())


def _objects(column: nw.Series[Any]) -> NDArray[Any]:
    cells = np.empty(len(column), dtype=object)
    cells[:] = column.to_list()
    return cells


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


# --------------------------------------------------------------------------------------------------
# What a step of an imbalanced-learn pipeline is given, as one table: X, and y as its target.


@dataclass(frozen=True, eq=False)
class Labelled:
    """A training table with its classes.

    Attributes
    ----------
    opened : OpenFrame
        X, and the way back to its type.
    labels : array
        The classes of its rows.
    schema : Schema
        The roles of the columns; y is the target.
    target : str
        The column of y.
    from_array : bool
        Whether X is an array, whose columns have no names.
    given : Any
        The classes as they were given.
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
        """The features of a table like this one, and the classes in the type of y."""
        frame = nw.from_native(published, eager_only=True)
        classes = frame[self.target].to_numpy()
        return without_column(frame, self.target), classes.astype(self.labels.dtype, copy=False)

    def as_given(self, classes: NDArray[Any]) -> Any:
        """Classes as y was given: a series with its name and type, as imbalanced-learn gives it; else an array."""
        if not nw.dependencies.is_into_series(self.given):
            return classes
        series = nw.from_native(self.given, series_only=True)
        if nw.dependencies.is_pandas_series(self.given):
            return type(self.given)(classes, name=self.given.name, dtype=self.given.dtype)
        return nw.to_native(nw.new_series(series.name, classes, series.dtype, backend=series.implementation))


def open_labelled(X: Any, y: Any, schema: Schema | None, owner: str) -> Labelled:
    """Open what ``fit_resample`` is given; ``owner`` is whose method it is.

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
