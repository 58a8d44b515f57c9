"""From a release back to a table in the original domain: any learner trains on it, and predicts raw rows.

Every quasi-identifier of every record is drawn anew. Where a release publishes proportions, the bins that the people
of a class are in are dealt out to its records, so that each class has exactly as many of each bin as the original;
which record of the class has which one is random. Inside a bin a value is drawn by the marginal of the column, as far
as the published cell allows; a number that stands for a piece of a range becomes any number of the grid there. Without
proportions a value is drawn from what the cell says (:mod:`hedgerow.learning.drawing`).

J. Shao, J. Beckford: Learning decision trees from anonymized data, section IV, names three ways to map a generalized
value to an original one: at random, the most frequent one, and by the distribution in the original table.

**Deviations**: the distribution is that of each class as far as its bins tell it, met exactly instead of on average,
and only inside them that of the whole table; the most frequent value is never taken for all, because the others would
vanish.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import BadInput, is_whole, required
from hedgerow.frames import OpenFrame, open_frame
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy, hierarchy_of
from hedgerow.learning.drawing import COUNTED, draw, original_values, possible_values
from hedgerow.learning.estimators import generator_of, refuse_unknown_columns
from hedgerow.learning.inputs import loaded
from hedgerow.learning.published import proportions_given
from hedgerow.proportions import Proportions, Spread
from hedgerow.published import published_labels
from hedgerow.release import Release

__all__ = ["Seed", "Shares", "check_shares", "redraw"]

Shares = Literal["auto", "proportions", "uniform", "frequency"]
Seed = int | np.random.Generator | None

_SHARES: Final = get_args(Shares)


def redraw(
    release: Any,
    repeats: int = 1,
    random_state: Seed = None,
    *,
    shares: Shares = "auto",
    proportions: Proportions | str | Path | None = None,
    quasi: Iterable[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> Any:
    """Turn a release back into a table in the original domain.

    Parameters
    ----------
    release : Release, path or dataframe
        A dataframe (pandas, polars, pyarrow or a DuckDB relation) as it was published; a path is that of a saved
        release.
    repeats : int
        How many times to draw each record, independently.
    random_state : int, numpy Generator or None
        The same number gives the same table.
    shares : {"auto", "proportions", "uniform", "frequency"}
        How probable the values are that a cell may stand for. ``"proportions"``: each bin exactly as often as the class
        has people in it, and values in it by the marginal. ``"uniform"``: equally. ``"frequency"``: as often as the
        column publishes each of them alone, and equally where it publishes none of them alone. ``"auto"``: proportions
        if there are any, else frequency.
    proportions : Proportions or path, optional
        For a dataframe, or instead of those of the release.
    quasi : sequence of str, optional
        The columns to draw; by default the quasi-identifiers of the release or of the proportions.
    hierarchies : mapping of column to hierarchy, optional
        Whatever a :class:`~hedgerow.Schema` takes, for labels that are to be drawn; by default those that the release
        was made with.

    Returns
    -------
    table
        Of the same type, with the same columns: ``repeats`` times all rows in their order. Drawn columns hold whole
        numbers, numbers, dates or text, and null where a value is missing; the others are as they were.

    Notes
    -----
    Without proportions nothing is known but what the table publishes: ``*`` may stand for any value that the column
    publishes alone or in a set or that a hierarchy lists; an interval for those of them that it holds, or, if there
    are none, for any number of the column's grid; a label without a known value below it stays as it is, and a column
    that publishes nothing at all stays missing.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    >>> release = hr.anonymize(people, schema, method="datafly", k=3, publish_proportions=True)
    >>> towns = redraw(release, random_state=0)["town"].to_pylist()
    >>> towns.count("Ulm"), towns.count("Bern"), set(towns) - {"Ulm", "Bern"} <= {"Bonn", "Kiel", "Nice"}
    (6, 3, True)
    >>> published = pa.table({"age": ["{20|21}", "20", "*"], "ill": ["n", "n", "y"]})
    >>> redraw(published, 2, random_state=0, quasi=["age"], shares="frequency")["age"].to_pylist()
    [20, 20, 20, 20, 20, 20]
    """
    if not is_whole(repeats, 1):
        raise BadInput.parameter("repeats", "redraw", "an int >= 1", repeats)
    generator = generator_of(random_state, "redraw")
    check_shares(shares, "redraw")
    source = _open(loaded(release), proportions_given(proportions, "redraw"), quasi, hierarchies)
    if shares == "proportions" and source.proportions is None:
        raise BadInput(
            "There are no proportions to redraw from. Anonymize with publish_proportions=True, or say "
            "shares='frequency'."
        )
    if source.proportions is not None and shares in ("auto", "proportions"):
        drawn = _deal(source, source.proportions, repeats, generator)
    else:
        drawn = _draw(source, "uniform" if shares == "uniform" else "frequency", repeats, generator)
    return source.assemble(drawn, repeats)


def check_shares(shares: object, owner: str) -> None:
    """Refuse what is no way to share."""
    if shares not in _SHARES:
        raise BadInput.parameter("shares", owner, f"one of {', '.join(map(repr, _SHARES))}", shares)


# Distinct values, and which of them each row has.
_Drawn = tuple[pa.Array, NDArray[np.integer]]


@dataclass(frozen=True, eq=False)
class _Source:
    """A published table, and what is known of it."""

    opened: OpenFrame
    quasi: tuple[str, ...]
    proportions: Proportions | None
    hierarchies: Mapping[str, Hierarchy]

    def assemble(self, drawn: Mapping[str, _Drawn], repeats: int) -> Any:
        """The table with its drawn columns."""
        frame = self.opened.frame
        rows = np.tile(np.arange(len(frame)), repeats)
        columns: dict[str, nw.Series[Any]] = {}
        for name in frame.columns:
            if name in drawn:
                values, codes = drawn[name]
                columns[name] = self._series(name, values)[codes]
            else:
                columns[name] = frame[name] if repeats == 1 else frame[name][rows]
        return self.opened.assemble(columns)

    def _series(self, name: str, values: pa.Array) -> nw.Series[Any]:
        # pandas has no type of its own for days.
        if pa.types.is_date(values.type) and self.opened.frame.implementation.is_pandas_like():
            values = values.cast(pa.timestamp("us"))
        return self.opened.series(name, values)


def _deal(source: _Source, proportions: Proportions, repeats: int, generator: np.random.Generator) -> dict[str, _Drawn]:
    """Deal out the bins of each class, anew for each repeat, and draw inside them."""
    columns = [proportions.column(name) for name in source.quasi]
    class_of_row = proportions.classes_of(source.opened.frame)
    unknown = class_of_row < 0
    if unknown.any():
        raise BadInput(
            f"The proportions know no class for {int(unknown.sum())} rows, first for row {int(unknown.argmax()) + 1}. "
            "Give the proportions of this very release, and its quasi-identifiers as they were published."
        )
    rows = rows_by_class(class_of_row, proportions.sizes)

    def dealt(at: int, own: np.random.Generator) -> _Drawn:
        column = columns[at]
        labels = published_labels(source.hierarchies.get(column.name), column.name, column.texts)
        return deal_values(column.spread(labels.values_below), rows, repeats, own)

    # Each column has random numbers of its own, so that it does not matter which thread is first.
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(dealt, range(len(columns)), generator.spawn(len(columns)))
        return dict(zip(source.quasi, results, strict=True))


def _draw(
    source: _Source, shares: Literal["uniform", "frequency"], repeats: int, generator: np.random.Generator
) -> dict[str, _Drawn]:
    """Draw from what each cell says; a column of numbers, dates or truth values says all."""
    missing = ("",) if source.proportions is None else source.proportions.missing
    drawn: dict[str, _Drawn] = {}
    for name, own in zip(source.quasi, generator.spawn(len(source.quasi)), strict=True):
        column = source.opened.frame[name]
        if not (column.dtype.is_numeric() or column.dtype.is_temporal() or column.dtype == nw.Boolean):
            possible = possible_values(column, source.hierarchies.get(name), missing)
            drawn[name] = draw(possible, shares, repeats, own)
    return drawn


def _open(
    release: Any,
    proportions: Proportions | None,
    quasi: Iterable[str] | None,
    hierarchies: Mapping[str, Any] | None,
) -> _Source:
    """Open a release or a published table, and check what is said of it."""
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise BadInput.parameter("hierarchies", "redraw", "a mapping of columns", type(hierarchies).__name__)
    if isinstance(quasi, str):
        raise BadInput.parameter("quasi", "redraw", "a list of column names", quasi)
    known: dict[str, Hierarchy] = {}
    if isinstance(release, Release):
        opened = open_frame(release.table)
        proportions = release.proportions if proportions is None else proportions
        quasi = release.quasi if quasi is None else quasi
        # Only how a column generalizes, never the values it was encoded for: they may not be published.
        sources = {
            name: one.source if isinstance(one, EncodedHierarchy) else one
            for name, one in release.given_hierarchies.items()
        }
        known = {name: source for name, source in sources.items() if source is not None}
    else:
        opened = open_frame(release)
        if quasi is None and proportions is not None:
            quasi = proportions.quasi
        if quasi is None:
            raise BadInput("A published table does not tell its quasi-identifiers. Name them in quasi=.")
    names = tuple(quasi)
    refuse_unknown_columns((*names, *(hierarchies or ())), opened.frame.columns)
    known |= {name: hierarchy_of(spec, name) for name, spec in (hierarchies or {}).items()}
    return _Source(opened, names, proportions, known)


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

    class_of_row: Longs
    sizes: Longs
    order: Longs
    place: Longs
    crowded: bool


def rows_by_class(class_of_row: Longs, sizes: Longs) -> ClassRows:
    """Line up the rows of each class before its pile; every row has a class."""
    order = np.argsort(class_of_row, kind="stable")
    rows = np.bincount(class_of_row, minlength=len(sizes))
    sorted_class = class_of_row[order]
    rank = np.arange(len(order)) - (np.cumsum(rows) - rows)[sorted_class]
    before = np.cumsum(sizes) - sizes
    place: Longs = before[sorted_class] + np.remainder(rank, sizes[sorted_class])
    return ClassRows(class_of_row, sizes, order, place, bool((rows > sizes).any()))


def deal(records: Longs, rows: ClassRows, generator: np.random.Generator) -> Longs:
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
) -> tuple[pa.Array, Longs]:
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
    return pa.concat_arrays([values, _numbers_as(values.type, numbers)]), codes


def _values_of_bins(spread: Spread, bins: Longs, generator: np.random.Generator) -> Longs:
    """A value for each row, by the shares in its bin."""
    starts, codes, shares = spread.patterns
    reached = np.concatenate([[0.0], np.cumsum(shares)])
    begin, end = starts[spread.pattern[bins]], starts[spread.pattern[bins] + 1]
    ticket = reached[begin] + generator.random(len(bins)) * (reached[end] - reached[begin])
    entry = np.searchsorted(reached, ticket, side="right") - 1
    # Sums of shares are rounded.
    return np.asarray(codes[np.clip(entry, begin, end - 1)], dtype=np.int64)


def _on_grid(spread: Spread, codes: Longs, generator: np.random.Generator) -> Floats:
    """A number of the grid in the piece that each value stands for; one that is a value itself is left to it."""
    low, high, scale = spread.low[codes], spread.high[codes], float(1 / spread.step)
    if not (np.maximum(np.abs(low), np.abs(high)) * scale < COUNTED).all():
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
    """An order in which groups ascend and each of them is shuffled: sorted by random keys that begin with the group."""
    random_bits = 63 - int(group.max(initial=0)).bit_length()
    return np.argsort((group << random_bits) | generator.integers(0, 1 << random_bits, len(group)))
