"""The distribution of a column over groups of at least k people: before and after, or only as it is published.

Original values are named where enough people hold them. Of what is published, values and labels are named where enough
rows have them; sets are not, since a set may name a value of few people. Numbers and dates come in ranges with round
ends. What a cell leaves open is spread as published proportions tell it, or else evenly over what it may stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain, Kind
from hedgerow.report.facts._standing_for import (
    Standing,
    kind_of_cells,
    merged,
    range_label,
    round_ends,
    spread_over,
    standing_for_published,
)
from hedgerow.report.facts.figures import Bar, BarKind
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["Holding", "Pooled", "Told", "bars_before_and_after", "bars_in_clear", "bars_published", "most_held"]


# --------------------------------------------------------------------------------------------------
# Who holds the values of a column, and how values of few are pooled.
#
# A value may be named only if at least k people hold it, or k rows where nobody tells people apart. All others are
# told together; and if these are too few as well, the rarest values that could be named join them.


@dataclass(frozen=True, eq=False)
class Holding:
    """Which records hold which code of a column.

    Attributes
    ----------
    codes : int array (cells,)
        The code of each cell: some records that are alike.
    rows : int array (cells,)
        Its rows.
    size : int
        How many codes there are.
    person : int array (cells,), optional
        Whose the cell is, where people are counted.
    is_representative : bool array (cells,), optional
        Which cells are of rows at home, of which each person has one: never more of them than people.
    """

    codes: Ints | Longs
    rows: Longs
    size: int
    person: Ints | None = None
    is_representative: Bools | None = None

    @classmethod
    def of_cells(cls, published: ClassCounts, codes: Ints | Longs, size: int) -> Holding:
        """A column of the published table."""
        return cls(codes, published.cells.rows, size, published.cells.people)

    @classmethod
    def of_original(cls, counts: Counted, column: str) -> Holding:
        """A counted column of the original table."""
        size = counts.domains[column].size
        if isinstance(counts, FrequencyTable) and counts.is_representative is not None:
            return cls(counts.codes_of(column), counts.cell_sizes, size, is_representative=counts.is_representative)
        return cls(np.arange(size), counts.histogram(column), size)

    def rows_in(self, group: Longs, groups: int) -> Longs:
        """The rows of groups of codes."""
        return np.bincount(group[self.codes], self.rows, groups).astype(np.int64)

    def holders_in(self, group: Longs, groups: int) -> Longs:
        """The people of groups of codes, none counted twice; or their rows."""
        at = group[self.codes]
        if self.person is not None:
            pairs = np.unique(np.stack([at, self.person]), axis=1)
            return np.bincount(pairs[0], minlength=groups).astype(np.int64)
        if self.is_representative is not None:
            return np.bincount(at[self.is_representative], self.rows[self.is_representative], groups).astype(np.int64)
        return self.rows_in(group, groups)


class Pooled(NamedTuple):
    """The codes that may be named, most frequent first, and the group of each code; the last group is of all others."""

    shown: list[int]
    group: Longs


def most_held(holding: Holding, fewest: int, most: int) -> Pooled | None:
    """The most frequent codes that enough people hold; ``None`` if even all codes together have too few.

    Examples
    --------
    Of the codes 0 to 3, the last two have too few holders, also together: code 1 joins them.

    >>> held = Holding(np.arange(4), np.array([9, 4, 1, 1]), 4)
    >>> most_held(held, 4, 10).shown, most_held(held, 2, 10).shown
    ([0], [0, 1])
    """
    alone = np.arange(holding.size)
    rows, holders = holding.rows_in(alone, holding.size), holding.holders_in(alone, holding.size)
    order = np.lexsort((alone, -rows))
    shown: list[int] = [code for code in order.tolist() if holders[code] >= fewest][:most]
    while True:
        group = np.full(holding.size, len(shown), dtype=np.int64)
        group[shown] = np.arange(len(shown))
        if holding.rows_in(group, len(shown) + 1)[-1] == 0:
            return Pooled(shown, group)
        if holding.holders_in(group, len(shown) + 1)[-1] >= fewest:
            return Pooled(shown, group)
        if not shown:
            return None
        shown.pop()


_MOST: Final = 12
_MISSING: Final = "no value"
_EMPTY: Final = "empty"  # of a column of numbers, what is hidden is empty too
_HIDDEN: Final = "*"
_SEVERAL: Final = "several values"


class Told(NamedTuple):
    """How exactly bars are told: each of at least ``fewest`` holders, with so many digits after the point."""

    fewest: int
    digits: int


class _Group(NamedTuple):
    """One bar to be; rows and not shares."""

    label: str
    kind: BarKind
    before: float | None
    after: float


def bars_before_and_after(
    domain: Domain,
    holding: Holding,
    standing: Standing,
    told: Told,
    hierarchy: EncodedHierarchy | None = None,
) -> tuple[Bar, ...]:
    """A quasi-identifier: how often original values occur, and how often a reader of the release would take them to.

    Parameters
    ----------
    domain : Domain
        The original values.
    holding : Holding
        Who holds them.
    standing : Standing
        What the published cells stand for.
    told : Told
    hierarchy : EncodedHierarchy, optional
        By whose labels values are told together, where there are too many to name.
    """
    before = holding.rows_in(np.arange(domain.size), domain.size)
    if domain.numbers is not None:
        groups = _ranged(domain, holding, before, standing, told.fewest)
    elif (above := _above(domain, hierarchy)) is not None:
        labels, node = above
        size = len(labels)
        rows_before = np.bincount(node, before, size).astype(np.int64)
        rows_after = np.bincount(node, standing.codes, size).astype(np.float64)
        above_them = replace(holding, codes=node[holding.codes], size=size)
        groups = _named(labels, above_them, rows_before, rows_after, told.fewest)
    else:
        groups = _named(_labels(domain), holding, before, standing.codes, told.fewest, ordered=domain.ordered)
    if groups and standing.hidden:
        groups.append(_Group(_HIDDEN, "suppressed", 0.0, standing.hidden))
    return _bars(groups, float(before.sum()), standing.everybody, told.digits)


def bars_in_clear(domain: Domain, holding: Holding, after: Longs, told: Told, *, before: bool) -> tuple[Bar, ...]:
    """A column that is published as it is.

    Parameters
    ----------
    domain : Domain
        Its values.
    holding : Holding
        Who holds them.
    after : int array (codes,)
        How many published rows have each.
    told : Told
    before : bool
        Whether the rows of ``holding`` are original ones, to be told beside the published ones.
    """
    rows = holding.rows_in(np.arange(domain.size), domain.size)
    if domain.numbers is None:
        groups = _named(_labels(domain), holding, rows, after.astype(np.float64), told.fewest, ordered=domain.ordered)
    else:
        groups = _ranged(domain, holding, rows, Standing.of_codes(domain, after), told.fewest)
    if not before:
        groups = [one._replace(before=None) for one in groups]
    return _bars(groups, float(rows.sum()), float(after.sum()), told.digits)


def bars_published(labels: Labels, holding: Holding, told: Told) -> tuple[Bar, ...]:
    """A quasi-identifier as it is published, where nothing else may be told."""
    kind = kind_of_cells(labels.tolist())
    rows = holding.rows_in(np.arange(holding.size), holding.size)
    standing = standing_for_published(labels.tolist(), rows, kind)
    if kind == "text":
        groups = _plain_cells(labels, holding, standing, told.fewest)
    else:
        groups = _published_ranges(standing, kind, told.fewest)
    groups += _special(standing)
    return _bars(groups, None, float(rows.sum()), told.digits)


def _special(standing: Standing) -> list[_Group]:
    """What is no value: these tell nothing of anybody, however few they are."""
    found = [
        _Group(_SEVERAL, "several", None, standing.several),
        _Group(_EMPTY, "missing", None, standing.missing),
        _Group(_HIDDEN, "suppressed", None, standing.hidden),
    ]
    return [one for one in found if one.after]


def _labels(domain: Domain) -> list[str | None]:
    return [*domain.labels.tolist(), *[None] * domain.has_missing]


def _named(
    labels: Sequence[str | None],
    holding: Holding,
    before: Longs,
    after: Floats,
    fewest: int,
    *,
    ordered: bool = False,
) -> list[_Group]:
    """Values by name, the most frequent ones; all others together."""
    pooled = most_held(holding, fewest, _MOST)
    if pooled is None:
        return []
    groups = len(pooled.shown) + 1
    sums = np.bincount(pooled.group, before, groups), np.bincount(pooled.group, after, groups)
    found = []
    for code in sorted(pooled.shown) if ordered else pooled.shown:
        at, text = int(pooled.group[code]), labels[code]
        kind: BarKind = "missing" if text is None else "value"
        found.append(_Group(_MISSING if text is None else text, kind, float(sums[0][at]), float(sums[1][at])))
    if sums[0][-1] or sums[1][-1]:
        found.append(_Group(_others(found), "others", float(sums[0][-1]), float(sums[1][-1])))
    return found


def _above(domain: Domain, hierarchy: EncodedHierarchy | None) -> tuple[list[str | None], Longs] | None:
    """The lowest level of a hierarchy with few enough labels, and which of them each value has, if values are many."""
    if hierarchy is None or domain.size <= _MOST + 1:
        return None
    for level in hierarchy.at_level[1:]:
        nodes, label_of = np.unique(level, return_inverse=True)
        if 1 < len(nodes) <= _MOST:
            return [hierarchy.labels[node] for node in nodes.tolist()], label_of.astype(np.int64)
    return None


def _others(groups: Iterable[_Group]) -> str:
    """What all others are called, unless a value is called so."""
    taken, label = {one.label for one in groups}, "others"
    while label in taken:
        label = f"all {label}"
    return label


def _plain_cells(labels: Labels, holding: Holding, standing: Standing, fewest: int) -> list[_Group]:
    """Published values and labels by name; sets, hidden and missing cells are not among them."""
    inside = standing.plain[holding.codes]
    some = replace(
        holding,
        codes=holding.codes[inside],
        rows=holding.rows[inside],
        person=None if holding.person is None else holding.person[inside],
    )
    rows = some.rows_in(np.arange(some.size), some.size)
    found = _named(labels.tolist(), some, rows, rows.astype(np.float64), fewest)
    if not found and rows.any():
        return [_Group(_others(()), "others", None, float(rows.sum()))]
    return [
        one._replace(before=None, kind="published" if one.kind == "value" else one.kind) for one in found if one.after
    ]


def _ranged(domain: Domain, holding: Holding, before: Longs, standing: Standing, fewest: int) -> list[_Group]:
    """Ranges of a column of numbers or dates, each of enough holders."""
    numbers = domain.values
    ends = _ends(domain, holding, fewest)
    if ends is None:
        return []
    missing = len(ends) + 1
    group = np.full(domain.size, missing, dtype=np.int64)
    group[: len(numbers)] = np.searchsorted(ends, numbers, side="right")
    rows, held = np.bincount(group, before, missing + 1), holding.holders_in(group, missing + 1)
    after = np.append(spread_over(ends, standing.spans), standing.missing)
    borders = [-np.inf, *ends, np.inf]
    found = [
        _Group(range_label(borders[at], borders[at + 1], domain.kind), "range", float(rows[at]), float(after[at]))
        for at in range(missing)
    ]
    if not rows[-1] and not after[-1]:
        return found
    last = _Group(_MISSING, "missing", float(rows[-1]), float(after[-1]))
    if held[-1] >= fewest or not rows[-1]:
        return [*found, last]
    # Too few lack a value: they are told together with the range of the fewest.
    least = found.pop(int(np.argmin(held[:-1])))
    joined = _Group(_others(found), "others", (least.before or 0) + (last.before or 0), least.after + last.after)
    return [*found, joined]


def _ends(domain: Domain, holding: Holding, fewest: int) -> list[float] | None:
    """Round ends between which enough people lie; ``None`` if all together are too few."""
    numbers = domain.values
    codes = len(numbers)
    everybody = np.ones(domain.size, dtype=np.int64)
    everybody[:codes] = 0
    if not codes or holding.holders_in(everybody, 2)[0] < fewest:
        return None
    held = np.cumsum(holding.holders_in(np.arange(domain.size), domain.size)[:codes])
    inner = min(fewest, int(held[-1]))
    low = float(numbers[np.searchsorted(held, inner)])
    high = float(numbers[np.searchsorted(held, held[-1] - inner, side="right")])
    ends = round_ends(low, high, _MOST - 2, domain.kind, whole=bool((numbers == np.floor(numbers)).all()))
    while ends:
        group = np.full(domain.size, len(ends) + 1, dtype=np.int64)
        group[:codes] = np.searchsorted(ends, numbers, side="right")
        joined = merged(holding.holders_in(group, len(ends) + 2)[:-1].tolist(), fewest)
        # A person may hold several values: people of joined ranges are counted anew.
        if len(np.unique(joined)) == len(joined):
            break
        ends = [end for end, left, right in zip(ends, joined[:-1], joined[1:], strict=True) if left != right]
    return ends


def _published_ranges(standing: Standing, kind: Kind, fewest: int) -> list[_Group]:
    """Ranges of what is published, each of enough rows."""
    spans = standing.spans
    if not len(spans.rows):
        return []
    middle = spans.low / 2 + spans.high / 2
    order = np.argsort(middle, kind="stable")
    held = np.cumsum(spans.rows[order])
    if held[-1] < fewest:
        return [_Group(_others(()), "others", None, float(held[-1]))]
    low = float(middle[order][np.searchsorted(held, min(fewest, held[-1]))])
    high = float(middle[order][min(np.searchsorted(held, held[-1] - fewest, side="right"), len(held) - 1)])
    whole = bool((spans.low == np.floor(spans.low)).all())
    ends = round_ends(low, high, _MOST - 2, kind, whole=whole)
    joined = merged(spread_over(ends, spans).tolist(), fewest)
    ends = [end for end, left, right in zip(ends, joined[:-1], joined[1:], strict=True) if left != right]
    borders = [-np.inf, *ends, np.inf]
    return [
        _Group(range_label(borders[at], borders[at + 1], kind), "range", None, float(rows))
        for at, rows in enumerate(spread_over(ends, spans))
    ]


def _bars(groups: Sequence[_Group], before: float | None, after: float, digits: int) -> tuple[Bar, ...]:
    """Shares instead of rows; a single range of everything tells nothing."""
    if len(groups) == 1 and groups[0].kind in ("range", "others"):
        return ()
    return tuple(
        Bar(
            one.label,
            one.kind,
            None if one.before is None or not before else round(one.before / before, digits),
            round(one.after / after, digits) if after else 0.0,
        )
        for one in groups
    )
