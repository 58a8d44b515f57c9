"""What published cells may stand for, as far as the published column and its hierarchy tell.

A value stands for itself, a set for its members, a label for the leaves of its hierarchy below it, an interval for the
numbers in it, and ``*`` for any value of the column. The values of a column are those it publishes alone or in a set,
and the leaves of a hierarchy that lists them. An interval that holds none of them stands for all the numbers of the
column's grid in it; a label with none below it stays as it is.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import Hierarchy
from hedgerow.learning.redrawing.labels import domain_of, labels_below
from hedgerow.proportions import published_texts
from hedgerow.values import Interval, Suppressed, ValueSet, parse

__all__ = ["Possible", "possible_values"]

_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
# Of more digits a float near 1 has no whole grid.
_FINEST: Final = 15
_NO_ENDS: Final = (math.nan, math.nan)

# The values that a cell names (``None`` is missing), or what it says without naming any.
Cell = tuple[str | None, ...] | Interval | Suppressed


@dataclass(frozen=True, eq=False)
class Possible:
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
    records: NDArray[np.int64]
    cell_of_row: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    decimals: int


def possible_values(column: nw.Series[Any], hierarchy: Hierarchy | None, missing: Sequence[str]) -> Possible:
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
    labels = labels_below(hierarchy, column.name, published)
    cells = [_cell(text, labels.values_below) for text in published]
    reading = _Reading(_domain(column.name, cells, labels.listed), _intervals(cells))
    codes = [reading.codes(cell) for cell in cells]
    starts = np.concatenate([[0], np.cumsum([len(some) for some in codes])]).astype(np.int64)
    members = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    alone = np.array([isinstance(cell, tuple) and len(cell) == 1 for cell in cells], dtype=bool)
    records = np.bincount(members[starts[:-1][alone]], rows[alone], reading.domain.size).astype(np.int64)
    ends = [_NO_ENDS if len(some) else reading.ends(cell) for cell, some in zip(cells, codes, strict=True)]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    cell_of_row = (np.cumsum(all_rows > 0) - 1)[index]
    return Possible(reading.domain, records, cell_of_row, starts, members, low, high, reading.decimals)


def _cell(text: str | None, values_below: Mapping[str, list[str]]) -> Cell:
    cell = parse(text)
    if isinstance(cell, Suppressed):
        return cell
    if text is not None and text in values_below:
        return tuple(values_below[text])
    if isinstance(cell, ValueSet):
        return tuple(cell.members)
    return cell if isinstance(cell, Interval) else (text,)


def _intervals(cells: Iterable[Cell]) -> list[Interval]:
    return [cell for cell in cells if isinstance(cell, Interval)]


def _domain(name: str, cells: Sequence[Cell], listed: Iterable[str]) -> Domain:
    """The values that the cells name and those that the hierarchy lists."""
    named = {value for cell in cells if isinstance(cell, tuple) for value in cell}
    domain = domain_of(name, {value for value in named if value is not None}.union(listed))
    intervals = _intervals(cells)
    if intervals and not len(domain.labels):
        domain = Domain(name, "number", domain.labels, np.empty(0))
    if intervals and domain.kind != "number":
        raise BadInput(
            f"The column {name!r} publishes intervals beside values that are not numbers. If they are labels of a "
            "hierarchy, give it."
        )
    if domain.kind == "text" and len(domain.labels) and all(map(_is_date, domain.labels.tolist())):
        domain = replace(domain, kind="date")
    # A column that says nothing at all has only missing values.
    return replace(domain, has_missing=None in named or not (len(domain.labels) or intervals))


def _is_date(text: str) -> bool:
    if not _ISO_DATE.match(text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


class _Reading:
    """The cells of a column as codes of its domain or as ends of its numbers."""

    def __init__(self, domain: Domain, intervals: Sequence[Interval]) -> None:
        self.domain = domain
        keys = domain.labels if domain.numbers is None else domain.numbers
        self._code = {key: code for code, key in enumerate(keys.tolist())}
        ends = np.unique([end for interval in intervals for end in (interval.low, interval.high)])
        grid = Domain(domain.name, "number", np.empty(0, dtype=np.str_), ends)
        self.decimals = min(max(domain.decimals, grid.decimals), _FINEST)
        self._intervals = intervals

    def codes(self, cell: Cell) -> NDArray[np.int64]:
        """The known values that a cell may stand for."""
        domain = self.domain
        if isinstance(cell, tuple):
            return np.array(sorted(map(self._code_of, cell)), dtype=np.int64)
        if isinstance(cell, Suppressed):
            return np.arange(len(domain.labels) if len(domain.labels) or self._intervals else domain.size)
        first = np.searchsorted(domain.values, cell.low)
        return np.arange(first, np.searchsorted(domain.values, cell.high, "right" if cell.closed else "left"))

    def _code_of(self, value: str | None) -> int:
        if value is None:
            return self.domain.missing_code
        return self._code[value if self.domain.numbers is None else float(value)]

    def ends(self, cell: Cell) -> tuple[float, float]:
        """The smallest and largest number on the grid that a cell without known values may stand for."""
        inside = [cell] if isinstance(cell, Interval) else self._intervals
        step = 10.0**-self.decimals
        last = [one.high if one.closed else max(one.low, one.high - step) for one in inside]
        return min(one.low for one in inside), round(max(last), self.decimals)
