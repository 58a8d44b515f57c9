"""Larger tables with the columns of a given one, to measure how run times grow.

S. Kisilevich, L. Rokach, Y. Elovici, B. Shapira: Efficient multidimensional suppression for k-anonymity,
IEEE TKDE 22(3), 2010, section 5.8: every record once, and variations of it in which a few attributes are
kept.
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

    In a variation ``keep`` columns, chosen anew for each, hold the original's values, and the others are
    drawn independently. A missing value is drawn like any other.

    Parameters
    ----------
    df : pandas, polars or pyarrow table
        The original rows; an index is dropped.
    factor : int
        How many times as many rows to return.
    keep : int
        How many columns of each variation stay as they were.
    draw : {"marginal", "domain"}
        Draw the other values as frequently as they occur in the column, or each different value equally
        often (which is what the paper says).
    random_state : int, numpy Generator or None
        The same number gives the same table.

    Returns
    -------
    table
        Of the same type, with the same columns and dtypes; variation ``v`` of row ``i`` is row ``v * n + i``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> scale_up(pa.table({"a": [1, 2], "b": ["x", "y"]}), 3, keep=1, random_state=0).num_rows
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
    """Draw rows to take a column's values from: any row, or one row for each different value."""
    if draw == "marginal":
        return rng.integers(0, len(column), n)
    different = np.flatnonzero(column.is_first_distinct().to_numpy())
    return different[rng.integers(0, len(different), n)]


def _opened(df: Frame) -> nw.DataFrame[Frame]:
    other = BadInput(f"The table must be a pandas, polars or pyarrow one. Got {type(df).__name__} instead.")
    with translated(TypeError, into=other):
        return nw.from_native(df, eager_only=True)
