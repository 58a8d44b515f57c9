"""Reading a column, raw or published, as its distinct cells: each is read once, however many rows have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from statistics import median_low
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.cells._notation import (
    NO_LABELS,
    Interval,
    Leaves,
    Suppressed,
    ValueSet,
    number_in,
    over_leaves,
    parse,
)
from hedgerow.core.counts import BadValues, dictionary_of, encode_column, is_text
from hedgerow.errors import translated
from hedgerow.io.domains import Kind
from hedgerow.io.frames import as_arrow

__all__ = ["CellKind", "Reach", "Vocabulary", "read_vocabulary"]


# --------------------------------------------------------------------------------------------------
# The reach of a published column: where an open interval such as ``≥90`` ends for learners.
#
# The release does not publish it, and learners must not read the original numbers. So an open interval ends with the
# column's other published numbers if some lie in it, and else it is as wide as other intervals of the column. It does
# not reach below 0 if nothing else does.


@dataclass(frozen=True)
class Reach:
    """The smallest and the largest number that a column publishes, and how wide its intervals are.

    Examples
    --------
    >>> reach = Reach.of([Interval(18, 20), Interval(20, 25), Interval(90, float("inf"))], [97.0])
    >>> reach.ended(Interval(90, float("inf"))), reach.ended(Interval(-float("inf"), 18))
    (Interval(low=90, high=97.0, closed=True), Interval(low=16, high=18, closed=False))
    """

    lowest: float
    highest: float
    width: float

    @classmethod
    def of(cls, intervals: Iterable[Interval], numbers: Iterable[float] = ()) -> Reach:
        """Find the reach of published intervals and numbers."""
        listed = list(intervals)
        ends = [end for interval in listed for end in (interval.low, interval.high)]
        known = [float(number) for number in (*ends, *numbers) if np.isfinite(number)]
        lowest, highest = min(known, default=0.0), max(known, default=0.0)
        bounded = [interval for interval in listed if interval.bounded and interval.low < interval.high]
        widths = [interval.high - interval.low for interval in bounded]
        # An actual width, so that ends stay on the column's grid.
        width = median_low(widths) if widths else highest - lowest
        return cls(lowest, highest, width if 0 < width < np.inf else 1.0)

    def ended(self, interval: Interval) -> Interval:
        """The interval, with ends that are numbers."""
        low, high, closed = interval.low, interval.high, interval.closed
        if low == -np.inf:
            low = self.lowest if self.lowest < high else high - self.width
            if self.lowest >= 0 < high:
                low = max(low, 0.0)
        if high == np.inf:
            closed = self.highest > low
            high = self.highest if closed else low + self.width
        return Interval(low, high, closed)


class CellKind(IntEnum):
    """The kind of a cell: a value or a label, several values, or nothing."""

    VALUE = 0
    SET = 1
    INTERVAL = 2
    SUPPRESSED = 3
    MISSING = 4


_KINDS: Final = {
    str: CellKind.VALUE,
    ValueSet: CellKind.SET,
    Interval: CellKind.INTERVAL,
    Suppressed: CellKind.SUPPRESSED,
    type(None): CellKind.MISSING,
}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The distinct cells of a column.

    Attributes
    ----------
    index : int array (rows,)
        The cell of each row.
    kinds : int array (cells,)
        The :class:`CellKind` of each.
    texts : tuple of str
        The texts of the cells; numbers in their shortest form.
    numbers : float array (cells,)
        The number of a value, or the days since 1970 of a date; else nan.
    several : mapping of cell to ValueSet or Interval
    stored : {"number", "text", "date"}
        How the table stores the column.
    categorical : bool
        Whether the table stores it as categories, which stay categories even if they look like numbers.
    """

    index: Longs
    kinds: NDArray[np.int8]
    texts: tuple[str, ...]
    numbers: Floats
    several: dict[int, ValueSet | Interval]
    stored: Kind
    categorical: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def rows(self) -> Longs:
        """How many rows have each cell."""
        return np.bincount(self.index, minlength=len(self.texts))

    def which(self, kind: CellKind) -> Longs:
        """The cells of one kind."""
        return np.flatnonzero(self.kinds == kind)

    def members(self) -> list[str | None]:
        """The distinct members of all sets; ``None`` is a missing value."""
        sets = (cell.members for cell in self.several.values() if isinstance(cell, ValueSet))
        return list(dict.fromkeys(member for members in sets for member in members))

    def intervals(self) -> list[Interval]:
        """The intervals."""
        return [cell for cell in self.several.values() if isinstance(cell, Interval)]

    def read_as(self, kind: Kind, leaves: Leaves = NO_LABELS) -> Vocabulary:
        """The same cells in a column of this kind, under these labels.

        A label in a set is replaced by the values below it. In a column of text an interval is only a label.
        """
        kinds, numbers = self.kinds, self.numbers
        several = {
            at: over_leaves(cell, leaves) if isinstance(cell, ValueSet) else cell for at, cell in self.several.items()
        }
        if kind == "text":
            kinds = np.where(kinds == CellKind.INTERVAL, CellKind.VALUE, kinds).astype(np.int8)
            several = {at: cell for at, cell in several.items() if isinstance(cell, ValueSet)}
        elif self.stored == "text":
            read = [
                number_in(text, kind) if value else None
                for text, value in zip(self.texts, kinds == CellKind.VALUE, strict=True)
            ]
            numbers = np.array(read, dtype=np.float64)
        return replace(self, kinds=kinds, several=several, numbers=numbers)

    def within(self, reach: Reach) -> Vocabulary:
        """The same cells, with open intervals that end where the column does."""
        several = {at: reach.ended(cell) if isinstance(cell, Interval) else cell for at, cell in self.several.items()}
        return replace(self, several=several)


def read_vocabulary(column: nw.Series[Any], missing: Sequence[str] = ("",), *, published: bool = True) -> Vocabulary:
    """Read the distinct cells of a column.

    Parameters
    ----------
    column : narwhals Series
    missing : sequence of str
        Texts that mean "no value", besides null and nan.
    published : bool
        Whether sets, intervals and ``*`` mean what they do in a release; else they are text like any other.

    Examples
    --------
    >>> words = read_vocabulary(nw.new_series("age", ["{20|21}", "39", "*", "39"], backend="pyarrow"))
    >>> words.texts, words.kinds.tolist(), words.index.tolist()
    (('{20|21}', '39', '*'), [1, 0, 3], [0, 1, 2, 1])
    """
    values = as_arrow(column)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    if is_text(values.type.value_type if pa.types.is_dictionary(values.type) else values.type):
        return _read_texts(column.name, values, missing, published)
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        encoded = encode_column(column.name, values, missing=missing)
    domain = encoded.domain
    known = len(domain.labels)
    return Vocabulary(
        encoded.codes.astype(np.int64),
        np.array([CellKind.VALUE] * known + [CellKind.MISSING] * domain.has_missing, dtype=np.int8),
        (*domain.labels.tolist(), *[""] * domain.has_missing),
        np.append(np.full(known, np.nan) if domain.numbers is None else domain.numbers, [np.nan] * domain.has_missing),
        {},
        domain.kind,
    )


def _read_texts(name: str, values: pa.ChunkedArray, missing: Sequence[str], published: bool) -> Vocabulary:
    codes, distinct = dictionary_of(name, values)
    absent = codes < 0
    cells: list[str | None] = [*distinct.to_pylist(), *[None] * bool(absent.any())]
    texts: list[str] = []
    kinds = np.empty(len(cells), dtype=np.int8)
    several: dict[int, ValueSet | Interval] = {}
    for at, text in enumerate(cells):
        cell = None if text is None or text in missing else parse(text) if published else text
        if isinstance(cell, ValueSet) and len(cell.members) == 1:
            (cell,) = cell.members  # a value that would otherwise read as something else
            text = cell
        if isinstance(cell, ValueSet | Interval):
            several[at] = cell
        texts.append(text if text is not None and cell is not None else "")
        kinds[at] = _KINDS[type(cell)]
    index = np.where(absent, len(distinct), codes).astype(np.int64)
    categorical = pa.types.is_dictionary(values.type)
    return Vocabulary(index, kinds, tuple(texts), np.full(len(texts), np.nan), several, "text", categorical)
