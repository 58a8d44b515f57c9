"""Drawing a value for every published cell, where no proportions tell how many of its records hold which.

What a cell may stand for, :func:`hedgerow.published.read` says; ``*`` stands for any value of the column. The values of
a column are those it publishes alone or in a set, and the leaves of a hierarchy that lists them. An interval that holds
none of them stands for all the numbers of the column's grid in it; a label with none below it stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow.arrays import Floats, Longs
from hedgerow.counts import original_values
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import Hierarchy
from hedgerow.proportions import published_texts
from hedgerow.published import (
    Interval,
    Possible,
    Reach,
    Suppressed,
    domain_of,
    kind_of_texts,
    number_in,
    published_labels,
    read,
    stands_for,
)
from hedgerow.values import COUNTED

__all__ = ["PossibleValues", "draw", "possible_values"]

# Of more digits a float near 1 has no whole grid.
_FINEST: Final = 15
_NO_ENDS: Final = (math.nan, math.nan)


def draw(
    possible: PossibleValues, shares: Literal["uniform", "frequency"], repeats: int, generator: np.random.Generator
) -> tuple[pa.Array, Longs]:
    """Draw a value for every row, ``repeats`` times.

    Parameters
    ----------
    possible : PossibleValues
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


def _members(possible: PossibleValues, shares: str, cell: Longs, generator: np.random.Generator) -> Longs:
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


def _on_grid(possible: PossibleValues, cell: Longs, generator: np.random.Generator) -> Floats:
    """A number of the column's grid between the ends of each cell."""
    low, high, scale = possible.low[cell], possible.high[cell], 10.0**possible.decimals
    with np.errstate(over="ignore"):
        steps = np.round((high - low) * scale)
    if not (steps < COUNTED).all():
        part = generator.random(len(cell))
        return np.clip(low * (1 - part) + high * part, low, high)
    number = low + generator.integers(0, steps.astype(np.int64), endpoint=True) / scale
    return np.clip(np.round(number, possible.decimals), low, high)


@dataclass(frozen=True, eq=False)
class PossibleValues:
    """The distinct cells of a published column and what each may stand for.

    Attributes
    ----------
    domain : Domain
        The values of the column; missing is one of them if some cell may stand for it.
    records : int array (domain.size,)
        How many rows publish each of them alone.
    cell_of_row : int array (rows,)
    starts, members : int arrays
        Cell ``i`` may stand for the codes ``members[starts[i]:starts[i + 1]]``; there are none for an interval, or
        ``*``, in which no value is known.
    low, high : float arrays (cells,)
        The smallest and the largest number that such a cell may stand for; nan for all others.
    decimals : int
        The digits after the point of the column's numbers.
    """

    domain: Domain
    records: Longs
    cell_of_row: Longs
    starts: Longs
    members: Longs
    low: Floats
    high: Floats
    decimals: int


def possible_values(column: nw.Series[Any], hierarchy: Hierarchy | None, missing: Sequence[str]) -> PossibleValues:
    """Read a published column.

    Examples
    --------
    >>> age = nw.new_series("age", ["*", "21", "[30,40)", "{20|21}"], backend="pyarrow")
    >>> possible = possible_values(age, None, ("",))
    >>> possible.domain.labels.tolist(), possible.records.tolist(), np.diff(possible.starts).tolist()
    (['20', '21'], [0, 1], [2, 1, 0, 2])
    >>> possible.low[2].item(), possible.high[2].item()
    (30.0, 39.0)
    """
    texts, index = published_texts(column, "text", missing)
    all_rows = np.bincount(index, minlength=len(texts))
    occurring = np.flatnonzero(all_rows)
    published, rows = [texts[at] for at in occurring.tolist()], all_rows[occurring]
    labels = published_labels(hierarchy, column.name, published)
    cells = [stands_for(read(text, leaves=labels.values_below)) for text in published]
    cells = _open_as_values(published, cells)
    domain = _domain(column.name, cells, labels.listed)
    reach = Reach.of(_intervals(cells), () if domain.numbers is None else domain.numbers.tolist())
    cells = [reach.ended(cell) if isinstance(cell, Interval) else cell for cell in cells]
    reading = _CellCodes(domain, _intervals(cells))
    codes = [reading.codes(cell) for cell in cells]
    starts = np.concatenate([[0], np.cumsum([len(some) for some in codes])]).astype(np.int64)
    members = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    alone = np.array([isinstance(cell, frozenset) and len(cell) == 1 for cell in cells], dtype=bool)
    records = np.bincount(members[starts[:-1][alone]], rows[alone], reading.domain.size).astype(np.int64)
    ends = [_NO_ENDS if len(some) else reading.ends(cell) for cell, some in zip(cells, codes, strict=True)]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    cell_of_row = (np.cumsum(all_rows > 0) - 1)[index]
    return PossibleValues(reading.domain, records, cell_of_row, starts, members, low, high, reading.decimals)


def _intervals(cells: Iterable[Possible]) -> list[Interval]:
    return [cell for cell in cells if isinstance(cell, Interval)]


def _open_as_values(published: Sequence[str | None], cells: Sequence[Possible]) -> list[Possible]:
    """The cells of a column; beside text that is no number, what looks like an open interval (``<18``) is a value."""
    is_open = [isinstance(cell, Interval) and not cell.bounded for cell in cells]
    named = {value for cell in cells if isinstance(cell, frozenset) for value in cell if value is not None}
    if not any(is_open) or not named or kind_of_texts(named) == "number":
        return list(cells)
    return [frozenset((text,)) if alone else cell for text, cell, alone in zip(published, cells, is_open, strict=True)]


def _domain(name: str, cells: Sequence[Possible], listed: Iterable[str]) -> Domain:
    """The values that the cells name and those that the hierarchy lists."""
    named = {value for cell in cells if isinstance(cell, frozenset) for value in cell}
    domain = domain_of(name, {value for value in named if value is not None}.union(listed))
    intervals = _intervals(cells)
    if intervals and not len(domain.labels):
        domain = Domain(name, "number", domain.labels, np.empty(0))
    if intervals and domain.kind != "number":
        raise BadInput(
            f"The column {name!r} publishes intervals beside values that are not numbers. If they are labels of a "
            "hierarchy, give it."
        )
    # A column that says nothing at all has only missing values.
    return replace(domain, has_missing=None in named or not (len(domain.labels) or intervals))


class _CellCodes:
    """The cells of a column as codes of its domain or as ends of its numbers."""

    def __init__(self, domain: Domain, intervals: Sequence[Interval]) -> None:
        self.domain = domain
        keys = domain.labels if domain.numbers is None else domain.numbers
        self._code: dict[Any, int] = {key: code for code, key in enumerate(keys.tolist())}
        ends = np.unique([end for interval in intervals for end in (interval.low, interval.high)])
        grid = Domain(domain.name, "number", np.empty(0, dtype=np.str_), ends)
        self.decimals = min(max(domain.decimals, grid.decimals), _FINEST)
        self._intervals = intervals

    def codes(self, cell: Possible) -> Longs:
        """The known values that a cell may stand for."""
        domain = self.domain
        if isinstance(cell, frozenset):
            return np.array(sorted(map(self._code_of, cell)), dtype=np.int64)
        if isinstance(cell, Suppressed):
            return np.arange(len(domain.labels) if len(domain.labels) or self._intervals else domain.size)
        first = np.searchsorted(domain.values, cell.low)
        return np.arange(first, np.searchsorted(domain.values, cell.high, "right" if cell.closed else "left"))

    def _code_of(self, value: str | None) -> int:
        if value is None:
            return self.domain.missing_code
        return self._code[value if self.domain.numbers is None else number_in(value, self.domain.kind)]

    def ends(self, cell: Possible) -> tuple[float, float]:
        """The smallest and largest number on the grid that a cell without known values may stand for."""
        inside = [cell] if isinstance(cell, Interval) else self._intervals
        step = 10.0**-self.decimals
        last = [one.high if one.closed else max(one.low, one.high - step) for one in inside]
        return min(one.low for one in inside), round(max(last), self.decimals)
