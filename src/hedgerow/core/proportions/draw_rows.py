"""Drawing rows of ordinary values, as a function of the release alone.

Every quasi-identifier of every row is drawn anew. The bins of a class are dealt out to its rows, so that each class has
exactly as many people in each bin as the original; it is random which row of the class has which bin. Inside a bin a
value is drawn by the marginal of the column, as far as the published cell allows; a number that stands for a piece of a
range becomes any number of the grid there. Only the published table, its proportions and the meaning of published
labels are read.

Where a column has label margins, the rows of each class and label are drawn separately, each by itself, by the shares
of the class times the factors of region and label (:mod:`hedgerow.core.proportions._ipf`).

J. Shao, J. Beckford: Learning decision trees from anonymized data, section IV, names three ways to map a generalized
value to an original value: at random, the most frequent value, and by the distribution in the original table.

**Deviations**: the distribution is that of each class as far as its bins show it, met exactly instead of on average,
and only inside bins that of the whole table; the most frequent value is never taken for all rows, because the other
values would vanish.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.counts import original_values
from hedgerow.core.proportions._ipf import Tilt, tilted
from hedgerow.core.proportions._margins import ANYONE
from hedgerow.core.proportions._proportions import Proportions
from hedgerow.core.proportions._spreading import Spread
from hedgerow.errors import BadInput, plural, required
from hedgerow.hierarchies import Hierarchy
from hedgerow.io.frames import OpenFrame
from hedgerow.io.sanitize import assemble
from hedgerow.io.values import COUNTED

__all__ = ["ClassRows", "Drawn", "LabelledRows", "deal", "deal_columns", "deal_values", "rows_by_class", "with_drawn"]

Drawn = tuple[pa.Array, NDArray[np.integer]]
"""Distinct values, and which of them each row has."""


def deal_columns(
    proportions: Proportions,
    frame: nw.DataFrame[Any],
    quasi: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    repeats: int,
    generator: np.random.Generator,
) -> dict[str, Drawn]:
    """Deal out the bins of each class to the rows of a published table, anew for each repeat, and draw inside them.

    Parameters
    ----------
    proportions : Proportions
    frame : narwhals DataFrame
        The published table, or a part of it.
    quasi : sequence of str
        The columns to draw.
    hierarchies : mapping of column to Hierarchy
        What published labels stand for.
    repeats : int
    generator : numpy Generator

    Returns
    -------
    mapping of column to Drawn
        The whole table once for each repeat.
    """
    columns = [proportions.column(name) for name in quasi]
    class_of_row = proportions.classes_of(frame)
    unknown = class_of_row < 0
    if unknown.any():
        raise BadInput(
            f"The proportions know no class for {plural(int(unknown.sum()), 'rows')}, first for row "
            f"{int(unknown.argmax()) + 1}. Give the proportions of this very release, and its quasi-identifiers "
            "as they were published."
        )
    rows = rows_by_class(class_of_row, proportions.sizes)
    lifts = proportions.lifts
    label_of_row = None if lifts is None else lifts.labels_of(frame, proportions.missing)

    def dealt(at: int, own: np.random.Generator) -> Drawn:
        column = columns[at]
        labels = column.labels(hierarchies.get(column.name))
        spread = column.spread(labels.values_below, labels.listed)
        tilt = None if label_of_row is None else tilted(proportions, column.name, spread)
        labelled = None if tilt is None or label_of_row is None else LabelledRows(tilt, label_of_row)
        return deal_values(spread, rows, repeats, own, labelled)

    # Each column has its own random numbers, so that the order of the threads does not matter.
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(dealt, range(len(columns)), generator.spawn(len(columns)))
        return dict(zip(quasi, results, strict=True))


def with_drawn(opened: OpenFrame, drawn: Mapping[str, Drawn], rows: Longs) -> Any:
    """A published table with its drawn columns, in its original type.

    Parameters
    ----------
    opened : OpenFrame
        The published table.
    drawn : mapping of column to Drawn
        The whole table once for each repeat.
    rows : int array
        Which rows of all repeats in a row the table gets, in this order.
    """
    frame = opened.frame
    published = rows % len(frame) if len(frame) else rows
    unchanged = np.array_equal(rows, np.arange(len(frame)))
    columns: dict[str, nw.Series[Any]] = {}
    for name in frame.columns:
        if name in drawn:
            values, codes = drawn[name]
            columns[name] = _series(opened, name, values)[codes if unchanged else codes[rows]]
        else:
            columns[name] = frame[name] if unchanged else frame[name][published]
    return opened.back(assemble(opened, columns))


def _series(opened: OpenFrame, name: str, values: pa.Array) -> nw.Series[Any]:
    # pandas has no type for days.
    if pa.types.is_date(values.type) and opened.frame.implementation.is_pandas_like():
        values = values.cast(pa.timestamp("us"))
    return opened.series(name, values)


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of a table in the order of their classes, and the pile of each class from which they take.

    Attributes
    ----------
    class_of_row : int array (rows,)
    sizes : int array (classes,)
        The number of people in the pile of each class.
    order : int array (rows,)
        The rows, class after class.
    place : int array (rows,)
        Which position in all piles together each row of ``order`` takes.
    crowded : bool
        Whether some class has more rows than people, so that its pile is dealt out several times.
    """

    class_of_row: Longs
    sizes: Longs
    order: Longs
    place: Longs
    crowded: bool


def rows_by_class(class_of_row: Longs, sizes: Longs) -> ClassRows:
    """Assign the rows of each class to its pile; every row has a class."""
    order = np.argsort(class_of_row, kind="stable")
    rows = np.bincount(class_of_row, minlength=len(sizes))
    sorted_class = class_of_row[order]
    rank = np.arange(len(order)) - (np.cumsum(rows) - rows)[sorted_class]
    before = np.cumsum(sizes) - sizes
    place: Longs = before[sorted_class] + np.remainder(rank, sizes[sorted_class])
    return ClassRows(class_of_row, sizes, order, place, bool((rows > sizes).any()))


def deal(records: Longs, rows: ClassRows, generator: np.random.Generator) -> Longs:
    """Give every row one of the bins of its class.

    In a class with as many rows as people each bin is given out as often as it has people. A class with fewer rows
    gives out some of them; a class with more rows gives out all of them as often as they fit, and some once more.

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
    # Without shuffling, rows with the same position in the pile would share their bins in every column.
    order = _shuffled(rows.class_of_row, generator) if rows.crowded else rows.order
    bins = np.empty(len(order), dtype=np.int64)
    bins[order] = people[rows.place]
    return bins


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """The labels of the rows of a table, and how values depend on them.

    Attributes
    ----------
    tilt : Tilt
    label_of_row : int array (rows,)
        The codes of the labels; :data:`~hedgerow.core.proportions._margins.ANYONE` if the label is unknown.
    """

    tilt: Tilt
    label_of_row: Longs


def deal_values(
    spread: Spread,
    rows: ClassRows,
    repeats: int,
    generator: np.random.Generator,
    labelled: LabelledRows | None = None,
) -> tuple[pa.Array, Longs]:
    """Give every row a value that its class may hold, ``repeats`` times; by its label if there are label margins.

    Returns
    -------
    values : Arrow array
        Distinct values.
    codes : int array (repeats * rows,)
        The value of each row, the whole table once for each repeat.
    """
    dealt = [_values_of_bins(spread, deal(spread.records, rows, generator), generator) for _ in range(repeats)]
    codes = np.concatenate(dealt)
    if labelled is not None:
        _draw_by_label(codes.reshape(repeats, -1), spread, rows.class_of_row, labelled, generator)
    fractions = spread.step.denominator > 1
    values = original_values(spread.domain, fractions=fractions and spread.domain.kind == "number")
    wide = np.flatnonzero((spread.low < spread.high)[codes])
    if not len(wide):
        return values, codes
    numbers, index = np.unique(_on_grid(spread, codes[wide], generator), return_inverse=True)
    codes[wide] = len(values) + index
    return pa.concat_arrays([values, _numbers_as(values.type, numbers)]), codes


def _values_of_bins(spread: Spread, bins: Longs, generator: np.random.Generator) -> Longs:
    """A value for each row, by the shares in its bin."""
    values = np.empty(len(bins), dtype=np.int64)
    part, pattern = generator.random(len(bins)), spread.pattern[bins]
    order = np.argsort(pattern, kind="stable")
    ascending = pattern[order]
    before = 0.0
    for first, block in spread.patterns.blocks():
        # The sums go on from block to block, so that they are the same however the patterns are divided.
        reached = np.cumsum(np.concatenate([[before], block.shares]))
        before = reached[-1]
        rows = order[slice(*np.searchsorted(ascending, [first, first + len(block.starts) - 1]))]
        begin, end = block.starts[pattern[rows] - first], block.starts[pattern[rows] - first + 1]
        values[rows] = block.codes[_drawn(reached, begin, end, part[rows])]
    return values


def _drawn(reached: Floats, begin: Longs, end: Longs, part: Floats) -> Longs:
    """The entry from ``begin`` to before ``end`` in which each part of their sum lies."""
    entry = np.searchsorted(reached, reached[begin] + part * (reached[end] - reached[begin]), side="right") - 1
    # Sums of shares are rounded.
    return np.clip(entry, begin, end - 1)


def _draw_by_label(
    codes: Longs, spread: Spread, class_of_row: Longs, labelled: LabelledRows, generator: np.random.Generator
) -> None:
    """Draw the values again for rows with label margins, (repeats, rows). O(entries) for each label."""
    tilt, label_of_row = labelled.tilt, labelled.label_of_row
    rows_of: dict[int, tuple[Longs, Floats]] = {}
    for label in range(ANYONE, tilt.labels):
        some = np.flatnonzero((label_of_row == label) & tilt.varies[class_of_row])
        if len(some):
            rows_of[label] = some, generator.random((len(codes), len(some)))
    before = dict.fromkeys(rows_of, 0.0)
    for first, held in spread.blocks() if rows_of else ():
        starts, values = held.indptr.astype(np.int64), held.indices
        of_entry = first + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        for label, (some, part) in rows_of.items():
            weights = held.data * tilt.weights(of_entry, spread.pool[values], label)
            # The sums go on from block to block, so that they are the same however the classes are divided.
            reached = np.cumsum(np.concatenate([[before[label]], weights]))
            before[label] = reached[-1]
            own = class_of_row[some] - first
            here = np.flatnonzero((own >= 0) & (own < len(starts) - 1))
            begin, end = starts[own[here]], starts[own[here] + 1]
            codes[:, some[here]] = values[_drawn(reached, begin, end, part[:, here])]


def _on_grid(spread: Spread, codes: Longs, generator: np.random.Generator) -> Floats:
    """A number of the grid in the piece that each value stands for, except numbers that are values themselves."""
    low, high, scale = spread.low[codes], spread.high[codes], float(1 / spread.step)
    if not (np.maximum(np.abs(low), np.abs(high)) < COUNTED / scale).all():
        part = generator.random(len(codes))
        return np.clip(low * (1 - part) + high * part, low, high)
    numbers = generator.integers(np.rint(low * scale), np.rint(high * scale), endpoint=True) / scale
    known = required(spread.domain.numbers, "the numbers of a column of numbers")
    return np.where(np.isin(numbers, known), known[codes], numbers)


def _numbers_as(kind: pa.DataType, numbers: Floats) -> pa.Array:
    """Numbers as a column of this type holds them; those of dates are days since 1970-01-01."""
    if pa.types.is_date(kind):
        return pa.array(np.floor(numbers).astype(np.int32), pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(np.rint(numbers * 86_400).astype(np.int64) * 1_000_000, pa.int64()).cast(kind)
    if pa.types.is_integer(kind):
        return pa.array(numbers.astype(np.int64)).cast(kind)
    return pa.array(numbers)


def _shuffled(group: Longs, generator: np.random.Generator) -> Longs:
    """An order in which groups ascend and are shuffled inside: sorted by random keys that begin with the group."""
    random_bits = 63 - int(group.max(initial=0)).bit_length()
    return np.argsort((group << random_bits) | generator.integers(0, 1 << random_bits, len(group)))
