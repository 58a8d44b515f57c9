"""Making a failing case small: leave out rows, columns, requirements and options while it fails in the same way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cases import Case, Column
from running import Outcome, run

__all__ = ["shrunk"]

_PLAIN: Mapping[str, Any] = {
    "source": "pyarrow",
    "saved": "parquet",
    "missing": ("",),
    "null_text": "",
    "seed": 0,
    "proportions": False,
    "weights": {},
}


def shrunk(case: Case, outcome: Outcome, judge: Callable[[Case], Outcome] = run, until: float = math.inf) -> Case:
    """The smallest case found in time that has the same kind of outcome and the same words."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _candidates(case):
            if time.monotonic() > until:
                return case
            found = judge(candidate)
            if (found.kind, found.message) == (outcome.kind, outcome.message):
                case, smaller = candidate, True
                break
    return case


def _candidates(case: Case) -> Iterator[Case]:
    """Smaller cases, those that leave out most first."""
    if case.times > 1:
        yield replace(case, times=1)
        yield replace(case, times=(case.times + 1) // 2)
    part = case.rows // 2
    while part:
        for start in range(0, case.rows, part):
            if case.rows - part >= 1:
                yield _without_rows(case, start, start + part)
        part //= 2
    for column in case.columns:
        if not _needed(case, column):
            yield _without_column(case, column)
    for at in range(len(case.require)):
        if len(case.require) > 1 or case.k is not None:
            yield replace(case, require=(*case.require[:at], *case.require[at + 1 :]))
    for name in case.options:
        yield replace(case, options={one: value for one, value in case.options.items() if one != name})
    if case.destination:
        yield replace(case, destination=False)
    for name, value in _PLAIN.items():
        if getattr(case, name) != value:
            yield replace(case, **{name: value})
    for column in case.columns:
        if column.categorical:
            yield _with(case, replace(column, categorical=False))
        if column.hierarchy is not None:
            yield _with(case, replace(column, hierarchy=None))
        values = list(dict.fromkeys(map(repr, column.cells)))
        for first in values[: 1 if len(values) > 1 else 0]:
            same = next(cell for cell in column.cells if repr(cell) == first)
            yield _with(case, replace(column, cells=(same,) * case.rows))


def _needed(case: Case, column: Column) -> bool:
    return column.role == "quasi" and len(case.of_role("quasi")) == 1


def _without_rows(case: Case, start: int, end: int) -> Case:
    """Without some rows; rows keep their names, and no k is more than all of them."""
    columns = []
    for column in case.columns:
        cells = (*column.cells[:start], *column.cells[end:])
        named = column.name == "row" and column.role == "insensitive"
        columns.append(replace(column, cells=tuple(f"row-{row}" for row in range(len(cells))) if named else cells))
    left = len(columns[0].cells)
    require = tuple(
        {**one, **{name: min(one[name], left) for name in ("k", "p", "l") if name in one}} for one in case.require
    )
    return replace(case, columns=tuple(columns), k=None if case.k is None else min(case.k, left), require=require)


def _without_column(case: Case, column: Column) -> Case:
    """Without a column and what is required of it."""
    require = []
    for one in case.require:
        shield = [name for name in one.get("shield") or () if name != column.name]
        if one.get("column") != column.name and (shield or not one.get("shield")):
            require.append({**one, "shield": shield or None} if one.get("shield") else one)
    k = case.k if case.k is not None or require else 1
    columns = tuple(
        replace(one, part_of=None if one.part_of == column.name else one.part_of)
        for one in case.columns
        if one is not column
    )
    weights = {name: weight for name, weight in case.weights.items() if name != column.name}
    return replace(case, columns=columns, k=k, require=tuple(require), weights=weights)


def _with(case: Case, column: Column) -> Case:
    """With another column in place of the one of its name."""
    return replace(case, columns=tuple(column if one.name == column.name else one for one in case.columns))
