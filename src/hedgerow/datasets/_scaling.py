"""Larger versions of a table, to measure how run times grow.

S. Kisilevich, L. Rokach, Y. Elovici, B. Shapira: Efficient multidimensional suppression for k-anonymity,
IEEE TKDE 22(3), 2010, section 5.8: every record once, and variations of it that keep a few attributes.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar, cast

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame

from hedgerow._internal.arrays import Longs
from hedgerow.datasets._sampling import Seed, generator
from hedgerow.errors import BadInput, check_int, translated

__all__ = ["scale_up"]

Frame = TypeVar("Frame", bound=IntoDataFrame)


def scale_up(
    df: Frame,
    factor: int,
    keep: int = 3,
    draw: Literal["marginal", "domain"] = "marginal",
    random_state: Seed = None,
) -> Frame:
    """Return the rows of a table, followed by ``factor - 1`` variations of each.

    A variation keeps the values of ``keep`` randomly chosen columns; the other values are drawn independently. Missing
    values are drawn like any other value.

    Parameters
    ----------
    df : pandas, polars or pyarrow table
        The original rows; an index is dropped.
    factor : int
        The factor by which the number of rows grows.
    keep : int
        The number of unchanged columns in each variation.
    draw : {"marginal", "domain"}
        Draw the other values with their frequencies in the column, or all distinct values equally often (as in the
        paper).
    random_state : int, numpy Generator or None
        The same number gives the same table.

    Returns
    -------
    table
        Of the same type, with the same columns and dtypes; variation ``v`` of row ``i`` is row ``v * n + i``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> hr.datasets.scale_up(pa.table({"a": [1, 2], "b": ["x", "y"]}), 3, keep=1, random_state=0).num_rows
    6
    """
    factor = check_int("factor", "scale_up", factor, 1)
    keep = check_int("keep", "scale_up", keep, 0)
    if draw not in ("marginal", "domain"):
        raise BadInput.parameter("draw", "scale_up", "'marginal' or 'domain'", draw)
    rng = generator("scale_up", random_state)
    frame = _opened(df)
    rows, columns = frame.shape
    if keep > columns:
        raise BadInput.parameter("keep", "scale_up", f"at most the {columns} columns of the table", keep)
    if not rows:
        raise BadInput("The table has no rows to vary. Give one with rows.")
    original = np.tile(np.arange(rows), factor)
    varied = slice(rows, None)
    still_to_keep = np.full(rows * (factor - 1), keep)
    taken = []
    for position, name in enumerate(frame.columns):
        column = frame.get_column(name)
        kept = rng.random(len(still_to_keep)) * (columns - position) < still_to_keep
        still_to_keep -= kept
        source = original.copy()
        source[varied] = np.where(kept, original[varied], _drawn(rng, column, draw, len(kept)))
        taken.append(nw.maybe_reset_index(column[source]))
    first, *others = taken
    return cast("Frame", nw.to_native(first.to_frame().with_columns(*others)))


def _drawn(rng: np.random.Generator, column: nw.Series[Any], draw: str, n: int) -> Longs:
    """Draw the rows whose values a column takes: any rows, or the first row of each distinct value."""
    if draw == "marginal":
        return rng.integers(0, len(column), n)
    distinct = np.flatnonzero(column.is_first_distinct().to_numpy())
    return distinct[rng.integers(0, len(distinct), n)]


def _opened(df: Frame) -> nw.DataFrame[Frame]:
    wrong = BadInput(f"The table must be a pandas, polars or pyarrow dataframe. Got {type(df).__name__} instead.")
    with translated(TypeError, into=wrong):
        return nw.from_native(df, eager_only=True)
