"""An attacker who reads the proportions of a release, and knows that every value that they name occurs.

Nothing of Hedgerow is imported here: the JSON is read as it stands, and what follows from it is found by linear
programs. The constraints are those of a flow (bins to values), so that the smallest and the largest count are whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from cases import Case, Column
from covering import as_number, covers, is_missing, measured, members_of, same

__all__ = ["Pool", "fixed_counts", "named_by_few", "pools_of"]

_MOST_VARIABLES: Final = 4000
_EXACT: Final = 1e-6


class Pool(NamedTuple):
    """A pool: the values that it names (``None`` is a missing one), and how far it reaches if it is a range.

    One that names none holds what lies in its range or below its node, or whatever is left.
    """

    text: str | None
    named: tuple[str | None, ...]
    low: float = math.nan
    high: float = math.nan


def pools_of(told: Mapping[str, Any]) -> list[Pool]:
    """The pools of a column of proportions, of format 2 or 3."""
    stored = told["pools"]
    texts: list[str | None] = stored["texts"]
    alone: list[bool] = stored.get("alone", [])
    low, high = ([_end(one) for one in stored.get(name, [None] * len(texts))] for name in ("low", "high"))
    found = []
    for at, text in enumerate(texts):
        if alone:  # format 3 says which pools are one value
            named = _values(text) if alone[at] else ()
        elif low[at] < high[at] or (not math.isnan(low[at]) and math.isnan(high[at])):
            named = (None,) if text is not None and text.startswith("{") else ()
        else:
            named = _values(text)
        found.append(Pool(text, named, low[at], high[at]))
    return found


def _values(text: str | None) -> tuple[str | None, ...]:
    """The values of a cell that is one, or a set of them."""
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return (text,)
    return tuple(members_of(text))


def _end(stored: Any) -> float:
    return math.nan if stored is None else float(stored)


def named_by_few(
    case: Case, column: Column, told: Mapping[str, Any], least: int, cells: Sequence[Any], people: Sequence[Any]
) -> Iterator[str]:
    """Say what a column of proportions names that fewer than ``least`` people have.

    Parameters
    ----------
    case : Case
    column : Column
        The original column.
    told : mapping
        Its proportions.
    least : int
    cells : sequence
        What the published table shows in the column.
    people : sequence
        Whose each original row is.
    """
    missing = (*case.missing, "")
    holders: Counter[Any] = Counter()
    for value, _ in {(value, person) for value, person in zip(column.cells, people, strict=True)}:
        holders[None if is_missing(value, missing) else value] += 1

    def held(value: str | None) -> int:
        return sum(count for one, count in holders.items() if _alike(value, one, missing))

    pools = pools_of(told)
    few = sum(0 < held(value) < least for pool in pools for value in pool.named)
    if few:
        yield f"The pools of {column.name!r} name {few} values that fewer than {least} people have"
    numbers = {number: count for value, count in holders.items() if (number := measured(value, column)) is not None}
    step = Fraction(told["step"])
    ranges = [pool for pool in pools if pool.low < pool.high]
    # Where two ranges meet is a number of the grid that parts enough people from enough others.
    cuts = {pool.low for pool in ranges} & {pool.high for pool in ranges}
    reach = told["pools"].get("reach") or ()
    ends = {end for pool in ranges for end in (pool.low, pool.high) if math.isfinite(end)} - cuts | set(reach)
    # Whoever asked for the release named these, and its labels show them.
    ends -= set(column.hierarchy.get("edges", ())) if isinstance(column.hierarchy, dict) else set()
    odd = sum(0 < numbers.get(end, least) < least and not _round(end, step) for end in ends)
    if odd:
        yield f"{odd} ends of ranges of {column.name!r} are numbers that fewer than {least} people have, and not round"
    shown = list(dict.fromkeys(cells))
    visible = {text for text in told["texts"] if any(_shows(cell, text, column, missing) for cell in shown)}
    if visible != set(told["texts"]):
        yield f"The texts of {column.name!r} hold {len(set(told['texts']) - visible)} that the table does not show"
    listed = told["pools"].get("listed", {})
    named = {member for text in told["texts"] for member in _values(text)}
    if set(listed) - named:
        yield f"The pools of {column.name!r} list {len(set(listed) - named)} values that no cell names"


def _alike(text: str | None, cell: Any, missing: Sequence[str]) -> bool:
    if text is None or is_missing(cell, missing):
        return (text is None or text in missing) and is_missing(cell, missing)
    return same(text, cell)


def _shows(cell: Any, text: str | None, column: Column, missing: Sequence[str]) -> bool:
    """Whether a cell shows what a text of the proportions says.

    A file may write a day with its midnight, and a column that is published as it was shows ``{a|b}`` without braces.
    """
    members = _values(text)
    if _alike(text, cell, missing) or (len(members) == 1 and _alike(members[0], cell, missing)):
        return True
    dated = column.kind in ("date", "datetime") and measured(cell, column)
    return dated is not False and dated is not None and dated == measured(text, column)


def _round(end: float, step: Fraction) -> bool:
    """Whether a number is a public end, such as a multiple of two or five of what the column is written in.

    A second is no whole part of a day in binary, so the float nearest to a multiple counts. On a fine grid several
    multiples have the same float: the one that is written counts, too.
    """
    multiples = (Fraction(str(end)) / step, Fraction(round(Fraction(end) / step)))
    return any(float(places * step) == end and (places % 2 == 0 or places % 5 == 0) for places in multiples)


def fixed_counts(case: Case, column: Column, told: Mapping[str, Any], sizes: Sequence[int], least: int) -> list[str]:
    """The numbers of fewer than ``least`` people that follow from the proportions of a column, and not from the table.

    What is counted are the people who have a value: in the whole release, and in each class.
    """
    pools = pools_of(told)
    nodes: list[tuple[int, str | Pool | None]] = []
    for at, pool in enumerate(pools):
        nodes += [(at, value) for value in pool.named] if pool.named and not pool.low < pool.high else [(at, pool)]
    bins = list(_bins(told, sizes))
    fitting = [_fitting(case, column, text, [node for _, node in nodes]) for text in told["texts"]]
    shown = [fitting[text] for text in told["published"]]
    told_of = _Flow(
        [
            (
                of_class,
                people,
                [at for at, (pool, _) in enumerate(nodes) if first <= pool <= last and shown[of_class][at]],
            )
            for of_class, first, last, people in bins
        ],
        named=[at for at, (_, node) in enumerate(nodes) if not isinstance(node, Pool)],
        nodes=len(nodes),
    )
    table = _Flow(
        [(at, people, [node for node, fits in enumerate(shown[at]) if fits]) for at, people in enumerate(sizes)],
        named=[],
        nodes=len(nodes),
    )
    if told_of.size > _MOST_VARIABLES or table.size > _MOST_VARIABLES:
        return []
    found = []
    for at, (_, node) in enumerate(nodes):
        if isinstance(node, Pool):
            continue
        for of_class in (None, *range(len(sizes))):
            fixed = told_of.fixed(at, of_class, least)
            if fixed is not None and table.fixed(at, of_class, least) is None:
                where = "the release" if of_class is None else "a class"
                found.append(f"that {fixed} people of {where} have one value of {column.name!r}")
    return found


def _bins(told: Mapping[str, Any], sizes: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """The class of each bin, its first and its last pool, and its people; what is not told is the rest of the class."""
    starts = told["starts"]
    for of_class, size in enumerate(sizes):
        here = range(starts[of_class], starts[of_class + 1])
        known = sum(told["records"][at] or 0 for at in here)
        for at in here:
            people = told["records"][at]
            yield of_class, told["first"][at], told["last"][at], size - known if people is None else people


def _fitting(case: Case, column: Column, text: str | None, nodes: Sequence[str | Pool | None]) -> list[bool]:
    """What a published cell may stand for. A value that has a pool of its own stands for nothing else."""
    members = _values(text)
    value = members[0] if len(members) == 1 else text
    itself = [not isinstance(node, Pool) and _alike(node, value, (*case.missing, "")) for node in nodes]
    return itself if any(itself) else [_fits(case, column, text, node) for node in nodes]


def _fits(case: Case, column: Column, text: str | None, node: str | Pool | None) -> bool:
    """Whether a published cell may stand for a value, or for something of a pool that names none."""
    if isinstance(node, Pool):
        interval = as_number(text) if text is not None else None
        return interval is None or math.isnan(node.low) or node.low <= interval < node.high
    return covers(text, node, column, (*case.missing, ""))


class _Flow:
    """People who flow from bins to values: how many of which bin may have which value."""

    def __init__(self, bins: Sequence[tuple[int, int, Sequence[int]]], named: Sequence[int], nodes: int) -> None:
        # A cell that fits nothing known, such as a mean, says nothing here.
        edges = [
            (at, of_class, node)
            for at, (of_class, _, possible) in enumerate(bins)
            for node in (possible or range(nodes))
        ]
        self.size = len(edges)
        self._class = np.array([of_class for _, of_class, _ in edges], dtype=np.int64)
        self._node = np.array([node for _, _, node in edges], dtype=np.int64)
        bin_of_edge = np.array([at for at, _, _ in edges], dtype=np.int64)
        ones = np.ones(self.size)
        every = np.arange(self.size)
        self._equal = csr_array((ones, (bin_of_edge, every)), shape=(len(bins), self.size))
        self._people = np.array([people for _, people, _ in bins], dtype=np.float64)
        # Every named value occurs.
        row_of_node = {node: row for row, node in enumerate(named)}
        kept = np.isin(self._node, list(named))
        rows = [row_of_node[node] for node in self._node[kept].tolist()]
        self._least = csr_array((-ones[kept], (rows, every[kept])), shape=(len(named), self.size))
        self._some = self._solved(np.zeros(self.size)) if self.size <= _MOST_VARIABLES else None

    def fixed(self, node: int, of_class: int | None, least: int) -> int | None:
        """How many people have a value, if that follows and they are some, but fewer than ``least``."""
        counted = (self._node == node) & ((self._class == of_class) if of_class is not None else True)
        if self._some is None or not counted.any() or not 0.5 < float(self._some[counted].sum()) < least - 0.5:
            return None
        weights = counted.astype(np.float64)
        ends = [self._solved(sign * weights) for sign in (1.0, -1.0)]
        if ends[0] is None or ends[1] is None:
            return None
        low, high = (float(one @ weights) for one in ends)
        return round(low) if high - low < _EXACT else None

    def _solved(self, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Any:
        program: dict[str, Any] = {"A_eq": self._equal, "b_eq": self._people, "bounds": (0, None)}
        if self._least.shape[0]:
            program |= {"A_ub": self._least, "b_ub": -np.ones(self._least.shape[0])}
        solved = linprog(weights, **program)
        return solved.x if solved.success else None
