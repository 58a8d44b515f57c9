"""What a step of an imbalanced-learn pipeline is given, as one table: X, and y as its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.frames import OpenFrame, open_frame, without_column
from hedgerow.matrices import is_matrix, open_matrix
from hedgerow.schema import Schema

__all__ = ["Labelled", "open_labelled"]


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
