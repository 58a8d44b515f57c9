"""Drawing a value for every published cell, where no proportions tell how many of its records hold which."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.learning.redrawing.original import original_values
from hedgerow.learning.redrawing.possible import Possible

__all__ = ["draw"]

# Up to here floats count without gaps.
_COUNTED = 2.0**53


def draw(
    possible: Possible, shares: Literal["uniform", "frequency"], repeats: int, generator: np.random.Generator
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Draw a value for every row, ``repeats`` times.

    Parameters
    ----------
    possible : Possible
    shares : {"uniform", "frequency"}
        Whether each value that a cell may stand for is equally probable, or as probable as the column publishes it
        alone; where it publishes none of them alone, equally.
    repeats : int
    generator : numpy Generator

    Returns
    -------
    values : Arrow array
        Distinct values.
    codes : int array (repeats * rows,)
        Which of them each row has, the whole table once for each repeat.

    Examples
    --------
    >>> import narwhals as nw
    >>> from hedgerow.learning.redrawing.possible import possible_values
    >>> sex = nw.new_series("sex", ["{F|M}", "F", "*"], backend="pyarrow")
    >>> values, codes = draw(possible_values(sex, None, ()), "frequency", 2, np.random.default_rng(0))
    >>> values.take(codes).to_pylist()
    ['F', 'F', 'F', 'F', 'F', 'F']
    """
    cell = np.tile(possible.cell_of_row, repeats)
    values = original_values(possible.domain, fractions=possible.decimals > 0)
    codes = _members(possible, shares, cell, generator)
    on_grid = np.flatnonzero(codes < 0)
    if not len(on_grid):
        return values, codes
    numbers = _on_grid(possible, cell[on_grid], generator)
    distinct, index = np.unique(numbers, return_inverse=True)
    codes[on_grid] = len(values) + index
    return pa.concat_arrays([values, pa.array(distinct).cast(values.type)]), codes


def _members(
    possible: Possible, shares: str, cell: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """A known value for each row whose cell may stand for one, -1 for the others."""
    width = np.diff(possible.starts)
    of_member = np.repeat(np.arange(len(width)), width)
    weight = np.ones(len(possible.members), dtype=np.int64)
    if shares == "frequency":
        records = possible.records[possible.members]
        occurs = np.bincount(of_member, records, len(width)) > 0
        weight = np.where(occurs[of_member], records, weight)
    # Whole numbers are drawn and summed, so that no value of weight 0 is ever met by rounding.
    reached = np.concatenate([[0], np.cumsum(weight)])
    before, after = reached[possible.starts[:-1]], reached[possible.starts[1:]]
    codes = np.full(len(cell), -1, dtype=np.int64)
    only = width[cell] == 1
    codes[only] = possible.members[possible.starts[cell[only]]]
    several = np.flatnonzero(width[cell] > 1)
    ticket = generator.integers(before[cell[several]], after[cell[several]])
    codes[several] = possible.members[np.searchsorted(reached, ticket, side="right") - 1]
    return codes


def _on_grid(possible: Possible, cell: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    """A number of the column's grid between the ends of each cell."""
    low, high, scale = possible.low[cell], possible.high[cell], 10.0**possible.decimals
    with np.errstate(over="ignore"):
        steps = np.round((high - low) * scale)
    if not (steps < _COUNTED).all():
        part = generator.random(len(cell))
        return np.clip(low * (1 - part) + high * part, low, high)
    number = low + generator.integers(0, steps.astype(np.int64), endpoint=True) / scale
    return np.clip(np.round(number, possible.decimals), low, high)
