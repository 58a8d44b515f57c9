"""Dealing out the bins of a class to its rows, without replacement, and drawing a value inside each.

All people of a class are laid in one pile by the bins that they are in, the pile is shuffled, and given to the class's
rows one by one: whichever row gets which bin is random, how many get it is not. Which value of the bin a row has is
drawn by the marginal, from those that its published cell allows; a number that stands for a piece of a range becomes
any number of the grid there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.errors import required
from hedgerow.learning.redrawing.original import original_values
from hedgerow.proportions import Spread

__all__ = ["ClassRows", "deal", "deal_values", "rows_by_class"]

# Up to here floats count without gaps.
_COUNTED = 2.0**53


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of a table in the order of their classes, beside the piles that they take from.

    Attributes
    ----------
    class_of_row : int array (rows,)
    sizes : int array (classes,)
        How many people the pile of each class holds.
    order : int array (rows,)
        The rows, class after class.
    place : int array (rows,)
        Which one of all piles, one after the other, each row of ``order`` takes.
    crowded : bool
        Whether some class has more rows than people, so that its pile is dealt out several times.
    """

    class_of_row: NDArray[np.int64]
    sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    crowded: bool


def rows_by_class(class_of_row: NDArray[np.int64], sizes: NDArray[np.int64]) -> ClassRows:
    """Line up the rows of each class before its pile; every row has a class."""
    order = np.argsort(class_of_row, kind="stable")
    rows = np.bincount(class_of_row, minlength=len(sizes))
    sorted_class = class_of_row[order]
    rank = np.arange(len(order)) - (np.cumsum(rows) - rows)[sorted_class]
    before = np.cumsum(sizes) - sizes
    place: NDArray[np.int64] = before[sorted_class] + np.remainder(rank, sizes[sorted_class])
    return ClassRows(class_of_row, sizes, order, place, bool((rows > sizes).any()))


def deal(records: NDArray[np.int64], rows: ClassRows, generator: np.random.Generator) -> NDArray[np.int64]:
    """Give every row one of the bins of its class.

    A class with as many rows as people gives out each bin as often as it has people; one with fewer rows gives out
    some of them; one with more rows gives out all of them as often as they fit, and some once more.

    Parameters
    ----------
    records : int array (bins,)
        The people of each bin, class after class.
    rows : ClassRows
    generator : numpy Generator

    Notes
    -----
    O(n log n) in the rows and the records of the release, without a loop over classes.

    Examples
    --------
    >>> one_class = rows_by_class(np.zeros(8, dtype=np.int64), np.array([4]))
    >>> bins = deal(np.array([3, 1]), one_class, np.random.default_rng(0))
    >>> np.bincount(bins).tolist()
    [6, 2]
    """
    piles = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
    people = np.repeat(np.arange(len(records)), records)[_shuffled(piles, generator)]
    # Rows that take the same place in the pile would share their bins in every column, were they not shuffled too.
    order = _shuffled(rows.class_of_row, generator) if rows.crowded else rows.order
    bins = np.empty(len(order), dtype=np.int64)
    bins[order] = people[rows.place]
    return bins


def deal_values(
    spread: Spread, rows: ClassRows, repeats: int, generator: np.random.Generator
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Give every row a value that its class may hold, ``repeats`` times.

    Returns
    -------
    values : Arrow array
        Distinct values.
    codes : int array (repeats * rows,)
        Which of them each row has, the whole table once for each repeat.
    """
    dealt = [_values_of_bins(spread, deal(spread.records, rows, generator), generator) for _ in range(repeats)]
    codes = np.concatenate(dealt)
    fractions = spread.step.denominator > 1
    values = original_values(spread.domain, fractions=fractions and spread.domain.kind == "number")
    wide = np.flatnonzero((spread.low < spread.high)[codes])
    if not len(wide):
        return values, codes
    numbers, index = np.unique(_on_grid(spread, codes[wide], generator), return_inverse=True)
    codes[wide] = len(values) + index
    return pa.concat_arrays([values, numbers_as(values.type, numbers)]), codes


def _values_of_bins(spread: Spread, bins: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """A value for each row, by the shares in its bin."""
    starts, codes, shares = spread.patterns
    reached = np.concatenate([[0.0], np.cumsum(shares)])
    begin, end = starts[spread.pattern[bins]], starts[spread.pattern[bins] + 1]
    ticket = reached[begin] + generator.random(len(bins)) * (reached[end] - reached[begin])
    entry = np.searchsorted(reached, ticket, side="right") - 1
    # Sums of shares are rounded.
    return np.asarray(codes[np.clip(entry, begin, end - 1)], dtype=np.int64)


def _on_grid(spread: Spread, codes: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    """A number of the grid in the piece that each value stands for; one that is a value itself is left to it."""
    low, high, scale = spread.low[codes], spread.high[codes], float(1 / spread.step)
    if not (np.maximum(np.abs(low), np.abs(high)) * scale < _COUNTED).all():
        part = generator.random(len(codes))
        return np.clip(low * (1 - part) + high * part, low, high)
    numbers = generator.integers(np.rint(low * scale), np.rint(high * scale), endpoint=True) / scale
    known = required(spread.domain.numbers, "the numbers of a column of numbers")
    return np.where(np.isin(numbers, known), known[codes], numbers)


def numbers_as(kind: pa.DataType, numbers: NDArray[np.float64]) -> pa.Array:
    """Numbers as a column of this type holds them; those of dates are days since 1970-01-01."""
    if pa.types.is_date(kind):
        return pa.array(np.floor(numbers).astype(np.int32), pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(np.rint(numbers * 86_400).astype(np.int64) * 1_000_000, pa.int64()).cast(kind)
    if pa.types.is_integer(kind):
        return pa.array(numbers.astype(np.int64)).cast(kind)
    return pa.array(numbers)


def _shuffled(group: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """An order in which groups ascend and each of them is shuffled: sorted by random keys that begin with the group."""
    random_bits = 63 - int(group.max(initial=0)).bit_length()
    return np.argsort((group << random_bits) | generator.integers(0, 1 << random_bits, len(group)))
