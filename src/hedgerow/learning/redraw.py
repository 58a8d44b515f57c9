"""Redraws a release as a table of original values, on which any learner can train to predict raw rows.

Published proportions are dealt out to the rows (:mod:`hedgerow.core.proportions`). Without them, a value is drawn from
those that the cell may stand for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.cells import (
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
from hedgerow.core.counts import original_values
from hedgerow.core.proportions import Drawn, Proportions, deal_columns, published_texts, with_drawn
from hedgerow.errors import BadInput, is_int
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.io.domains import Domain
from hedgerow.io.frames import OpenFrame, open_frame
from hedgerow.io.values import COUNTED
from hedgerow.learning._inputs import generator_of, loaded, refuse_unknown_columns
from hedgerow.learning._published import proportions_given
from hedgerow.release import Release

__all__ = ["PossibleValues", "Seed", "Shares", "check_shares", "draw", "possible_values", "redraw"]


# --------------------------------------------------------------------------------------------------
# Drawing a value for every published cell without proportions.
#
# :func:`hedgerow.core.cells.read` gives the values that a cell may stand for; ``*`` stands for any value of the column.
# The values of a column are those it publishes alone or in a set, and the leaves that a hierarchy lists. An interval
# without any of them stands for all numbers in it with the column's decimals; a label without values below it is kept.


# With more decimals, floats near 1 leave gaps.
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
        Whether all values that a cell may stand for are equally probable, or in proportion to the rows that publish
        each of them alone. If no row does, they are equally probable.
    repeats : int
    generator : numpy Generator

    Returns
    -------
    values : Arrow array
        Distinct values.
    codes : int array (repeats * rows,)
        The code of each row's value: the whole table, repeated.

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
    """A known value for each row whose cell may stand for one, otherwise -1."""
    width = np.diff(possible.starts)
    of_member = np.repeat(np.arange(len(width)), width)
    weight = np.ones(len(possible.members), dtype=np.int64)
    if shares == "frequency":
        records = possible.records[possible.members]
        occurs = np.bincount(of_member, records, len(width)) > 0
        weight = np.where(occurs[of_member], records, weight)
    # Weights and tickets are integers, so that rounding never draws a value of weight 0.
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
    """A number with the column's decimals between the ends of each cell."""
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
    """The distinct cells of a published column, with the values that each may stand for.

    Attributes
    ----------
    domain : Domain
        The values of the column, including missing if some cell may stand for it.
    records : int array (domain.size,)
        The number of rows that publish each value alone.
    cell_of_row : int array (rows,)
    starts, members : int arrays
        Cell ``i`` may stand for the codes ``members[starts[i]:starts[i + 1]]``; none for an interval or ``*`` without
        known values.
    low, high : float arrays (cells,)
        The smallest and the largest number that such an interval or ``*`` may stand for; nan for other cells.
    decimals : int
        The digits after the decimal point of the column's numbers.
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
    cells = _with_ends(cells, domain)
    coder = _CellCodes(domain, _intervals(cells))
    codes = [coder.codes(cell) for cell in cells]
    starts = np.concatenate([[0], np.cumsum(list(map(len, codes)))]).astype(np.int64)
    members = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    alone = np.array([isinstance(cell, frozenset) and len(cell) == 1 for cell in cells], dtype=bool)
    records = np.bincount(members[starts[:-1][alone]], rows[alone], domain.size).astype(np.int64)
    ends = [_NO_ENDS if len(known) else coder.ends(cell) for cell, known in zip(cells, codes, strict=True)]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    cell_of_row = (np.cumsum(all_rows > 0) - 1)[index]
    return PossibleValues(domain, records, cell_of_row, starts, members, low, high, coder.decimals)


def _intervals(cells: Iterable[Possible]) -> list[Interval]:
    return [cell for cell in cells if isinstance(cell, Interval)]


def _with_ends(cells: Sequence[Possible], domain: Domain) -> list[Possible]:
    """The cells of a column, with half-open intervals ended at its range."""
    reach = Reach.of(_intervals(cells), () if domain.numbers is None else domain.numbers.tolist())
    return [reach.ended(cell) if isinstance(cell, Interval) else cell for cell in cells]


def _open_as_values(published: Sequence[str | None], cells: Sequence[Possible]) -> list[Possible]:
    """The cells of a column. If it also has text, a cell that looks like a half-open interval (``<18``) is a value."""
    is_open = [isinstance(cell, Interval) and not cell.bounded for cell in cells]
    named = {value for cell in cells if isinstance(cell, frozenset) for value in cell if value is not None}
    if not any(is_open) or not named or kind_of_texts(named) == "number":
        return list(cells)
    return [frozenset((text,)) if alone else cell for text, cell, alone in zip(published, cells, is_open, strict=True)]


def _domain(name: str, cells: Sequence[Possible], listed: Iterable[str]) -> Domain:
    """The values that the cells name or the hierarchy lists."""
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
    # A column without any published value has only missing values.
    return replace(domain, has_missing=None in named or not (len(domain.labels) or intervals))


class _CellCodes:
    """Converts the cells of a column to codes of its domain or to ends of its numbers."""

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
        """The smallest and largest number that a cell without known values may stand for."""
        inside = [cell] if isinstance(cell, Interval) else self._intervals
        step = 10.0**-self.decimals
        last = [interval.high if interval.closed else max(interval.low, interval.high - step) for interval in inside]
        return min(interval.low for interval in inside), round(max(last), self.decimals)


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
        A release, the path of a saved release, or a published dataframe (pandas, polars, pyarrow or a DuckDB relation).
    repeats : int
        How many times to draw each record, independently.
    random_state : int, numpy Generator or None
        The same number gives the same table for the same release. Every new release is shuffled anew, so it gives
        another table.
    shares : {"auto", "proportions", "uniform", "frequency"}
        The probabilities of the values that a cell may stand for. ``"proportions"``: each bin exactly as often as the
        class has people in it, and the values in it by their overall frequency. ``"uniform"``: all equal.
        ``"frequency"``: in proportion to the rows that publish each value alone; all equal if no row does. ``"auto"``:
        proportions if there are any, else frequency.
    proportions : Proportions or path, optional
        For a dataframe, or instead of those of the release.
    quasi : sequence of str, optional
        The columns to draw; by default the quasi-identifiers of the release or of the proportions.
    hierarchies : mapping of column to hierarchy, optional
        As in a :class:`~hedgerow.Schema`, to draw values for labels; by default those of the release.

    Returns
    -------
    table
        Of the same type, with the same columns: all rows in order, ``repeats`` times. Drawn columns contain whole
        numbers, numbers, dates or text, and null for missing values. The other columns are unchanged.

    Notes
    -----
    Without proportions, only the table is used. ``*`` may stand for any value that the column publishes alone or in a
    set, or that a hierarchy lists. An interval stands for those of them that it contains or, without any, for any
    number with the column's decimals. A label without a known value below it is kept, and a column that publishes
    nothing stays missing.

    Examples
    --------
    Each of three people lives in a different town. The files name none of these towns, so they are drawn as missing:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    >>> release = hr.anonymize(people, schema, method="datafly", k=3, publish_proportions=True)
    >>> towns = redraw(release, random_state=0)["town"].to_pylist()
    >>> towns.count("Ulm"), towns.count("Bern"), towns.count(None)
    (6, 3, 3)
    >>> published = pa.table({"age": ["{20|21}", "20", "*"], "ill": ["n", "n", "y"]})
    >>> redraw(published, 2, random_state=0, quasi=["age"], shares="frequency")["age"].to_pylist()
    [20, 20, 20, 20, 20, 20]
    """
    if not is_int(repeats, 1):
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
        drawn = deal_columns(
            source.proportions, source.opened.frame, source.quasi, source.hierarchies, repeats, generator
        )
    else:
        drawn = _draw(source, "uniform" if shares == "uniform" else "frequency", repeats, generator)
    return with_drawn(source.opened, drawn, np.arange(repeats * len(source.opened.frame)))


def check_shares(shares: object, owner: str) -> None:
    """Refuse an unknown value of ``shares``."""
    if shares not in _SHARES:
        raise BadInput.parameter("shares", owner, f"one of {', '.join(map(repr, _SHARES))}", shares)


@dataclass(frozen=True, eq=False)
class _Source:
    """A published table with its quasi-identifiers, proportions and hierarchies."""

    opened: OpenFrame
    quasi: tuple[str, ...]
    proportions: Proportions | None
    hierarchies: Mapping[str, Hierarchy]


def _draw(
    source: _Source, shares: Literal["uniform", "frequency"], repeats: int, generator: np.random.Generator
) -> dict[str, Drawn]:
    """Draw values for the cells of each column; columns of numbers, dates or truth values need none."""
    missing = ("",) if source.proportions is None else source.proportions.missing
    drawn: dict[str, Drawn] = {}
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
    """Open a release or a published table, and check the parameters about it."""
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise BadInput.parameter("hierarchies", "redraw", "a mapping of columns", type(hierarchies).__name__)
    if isinstance(quasi, str):
        raise BadInput.parameter("quasi", "redraw", "a list of column names", quasi)
    given = {} if hierarchies is None else dict(hierarchies)
    source = _source(release, proportions)
    if quasi is None and proportions is None and not isinstance(release, Release):
        raise BadInput("A published table does not name its quasi-identifiers. Name them in quasi=.")
    names = source.quasi if quasi is None else tuple(quasi)
    refuse_unknown_columns((*names, *given), source.opened.frame.columns)
    known = {**source.hierarchies, **{name: hierarchy_of(spec, name) for name, spec in given.items()}}
    return replace(source, quasi=names, hierarchies=known)


def _source(release: Any, proportions: Proportions | None) -> _Source:
    """A release or a published table with everything it is known to contain."""
    if isinstance(release, Release):
        own = release.proportions if proportions is None else proportions
        return _Source(open_frame(release.table), release.quasi, own, release.label_hierarchies)
    return _Source(open_frame(release), () if proportions is None else proportions.quasi, proportions, {})
