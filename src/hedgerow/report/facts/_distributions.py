"""The distribution of a column over groups of at least k people: before and after, or only as published.

Original values are named where enough people hold them. Published values and labels are named where enough rows have
them; sets are not named, since a set may contain a value of few people. Numbers and dates come in ranges with round
ends. What a cell leaves open is spread by the published proportions, or else evenly over what the cell may stand for.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.cells import (
    Interval,
    PublishedColumn,
    Reach,
    Suppressed,
    ValueSet,
    date_of_days,
    kind_of_texts,
    number_in,
    parse,
    read,
)
from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.core.proportions import Spread
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import BELOW, EPOCH, FROM, format_interval
from hedgerow.report.facts.figures import Bar, BarKind
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = [
    "Holders",
    "Pooled",
    "Spans",
    "Estimate",
    "Precision",
    "bars_before_and_after",
    "bars_in_clear",
    "bars_published",
    "kind_of_cells",
    "merge_ranges",
    "most_held",
    "range_label",
    "round_ends",
    "spread_over",
    "estimate_by_proportions",
    "estimate_recoded",
    "estimate_published",
]


# --------------------------------------------------------------------------------------------------
# Ranges of numbers and dates, with round ends so that no end reveals a value, and the rows in each range.


_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_MONTHS: Final = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_DAYS_A_MONTH: Final = 30.44


def round_ends(low: float, high: float, most: int, kind: Kind, *, whole: bool) -> list[float]:
    """At most so many round numbers between two others, which cut the line into ranges; the outer ranges are open.

    Parameters
    ----------
    low, high : float
        Most of the column lies between them.
    most : int
    kind : {"number", "date", "text"}
        Ends of dates are first days of months or years.
    whole : bool
        Whether the column has whole numbers only.

    Examples
    --------
    >>> round_ends(17, 79, 8, "number", whole=True)
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    >>> [date_of_days(end) for end in round_ends(0, 900, 8, "date", whole=True)]
    ['1970-07-01', '1971-01-01', '1971-07-01', '1972-01-01']
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return []
    if kind == "date":
        return _first_days(low, high, most)
    step = _round_step((high - low) / most, whole=whole)
    if step is None:
        return []
    first, last = math.floor(low / step) + 1, math.floor(high / step)
    # More than ten above the limit means that rounding has broken the step.
    ends = [float(f"{multiple * step:.12g}") for multiple in range(first, min(last, first + most + 10) + 1)]
    return [end for end in dict.fromkeys(ends) if low < end <= high]


def _round_step(width: float, *, whole: bool) -> float | None:
    """The smallest round step of at least a width; ``None`` if the width is too small for a float."""
    power = 10.0 ** math.floor(math.log10(width)) if width > 0 else 0.0
    if not power > 0:
        return None
    step = next(power * step for step in _STEPS if power * step >= width * (1 - 1e-9))
    return max(step, 1.0) if whole else step


def _first_days(low: float, high: float, most: int) -> list[float]:
    wide = (high - low) / most / _DAYS_A_MONTH
    months = next((step for step in _MONTHS if step >= wide), _MONTHS[-1])
    start, end = (EPOCH + dt.timedelta(days=days) for days in (low, high))
    place = (start.year * 12 + start.month - 1) // months * months
    ends: list[float] = []
    while place <= end.year * 12 + end.month - 1:
        year, month = divmod(place, 12)
        if year >= 1:
            days = (dt.datetime(year, month + 1, 1) - EPOCH) / dt.timedelta(days=1)
            if low < days <= high:
                ends.append(days)
        place += months
    return ends


def range_label(low: float, high: float, kind: Kind) -> str:
    """The label of a range.

    >>> range_label(-math.inf, 20, "number"), range_label(20, 30, "number"), range_label(31, math.inf, "date")
    ('<20', '[20,30)', '≥1970-02-01')
    """
    if (low, high) == (-math.inf, math.inf):
        return "all"
    if kind != "date":
        return format_interval(low, high)
    if low == -math.inf:
        return f"{BELOW}{date_of_days(high)}"
    if high == math.inf:
        return f"{FROM}{date_of_days(low)}"
    return f"[{date_of_days(low)},{date_of_days(high)})"


def merge_ranges(held: Sequence[float], fewest: int) -> Longs:
    """Join neighbouring ranges until each has enough holders: the new number of each range.

    Empty ranges between others join them. If all together have too few holders, they become one range.

    >>> merge_ranges([1, 5, 0, 2, 2, 9, 1], 3).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    number, inside = 0, 0.0
    numbers = []
    for holders in held:
        numbers.append(number)
        inside += holders
        if inside >= fewest:
            number, inside = number + 1, 0.0
    # The rest at the end is too small, and belongs to the range before.
    return np.minimum(np.array(numbers, dtype=np.int64), max(number - 1, 0))


class Spans(NamedTuple):
    """Rows that are spread evenly from ``low`` to ``high``, which may be the same number.

    Attributes
    ----------
    low, high : float arrays (spans,)
    rows : float array (spans,)
        The rows in each span.
    """

    low: Floats
    high: Floats
    rows: Floats


def spread_over(ends: Sequence[float], spans: Spans) -> Floats:
    """The rows between the ends, those below the first and above the last included.

    >>> spread_over([20, 30], Spans(np.array([10.0, 25.0]), np.array([30.0, 25.0]), np.array([4.0, 1.0]))).tolist()
    [2.0, 3.0, 0.0]
    """
    result = np.zeros(len(ends) + 1)
    point = spans.high <= spans.low
    np.add.at(result, np.searchsorted(np.asarray(ends), spans.low[point], side="right"), spans.rows[point])
    low, high, rows = spans.low[~point], spans.high[~point], spans.rows[~point]
    # Halves keep the difference of large numbers from overflowing.
    width = high / 2 - low / 2
    for at, (begin, end) in enumerate(zip([-math.inf, *ends], [*ends, math.inf], strict=True)):
        inside = np.minimum(high, end) / 2 - np.maximum(low, begin) / 2
        result[at] += float((rows * np.clip(inside / width, 0.0, 1.0)).sum())
    return result


class Estimate(NamedTuple):
    """The rows of a column as a reader of the published cells would spread them.

    Attributes
    ----------
    codes : float array (codes,)
        The rows of each value of the column, where the values are known.
    spans : Spans
        The rows along the line of numbers or days; nothing for text.
    missing, hidden, several : float
        Rows without a value, with ``*``, and with a cell that only names several values.
    plain : bool array (cells,)
        Which published cells are a single value or label.
    """

    codes: Floats
    spans: Spans
    missing: float
    hidden: float
    several: float
    plain: Bools

    @property
    def everybody(self) -> float:
        """All rows."""
        shown = self.spans.rows if len(self.spans.rows) else self.codes
        return float(shown.sum()) + self.missing + self.hidden + self.several

    @classmethod
    def of_codes(cls, domain: Domain, rows: Longs) -> Estimate:
        """The estimate for rows whose values are published."""
        weight = rows.astype(np.float64)
        known = np.arange(domain.size) < len(domain.labels)
        numbers = np.empty(0) if domain.numbers is None else domain.numbers
        spans = Spans(numbers, numbers, weight[: len(numbers)])
        return cls(weight, spans, float(weight[~known].sum()), 0.0, 0.0, known)


def estimate_recoded(published: PublishedColumn, rows: Longs) -> Estimate:
    """The estimate if the original values are known: ranges by their ends, other cells by what they cover."""
    domain = published.domain
    weight = rows.astype(np.float64)
    kinds = np.array(published.kinds, dtype=np.str_)
    hidden = float(weight[kinds == "suppressed"].sum())
    width = published.widths.astype(np.float64)
    shown = (kinds != "suppressed") & (width > 0)
    of_code = np.divide(weight, width, out=np.zeros(len(weight)), where=shown)
    codes = published.covered.spread(of_code, domain.size)
    if domain.numbers is None:
        nothing = np.empty(0)
        return Estimate(codes, Spans(nothing, nothing, nothing), 0.0, hidden, 0.0, kinds == "value")
    written = _written(published, domain)
    others = np.setdiff1d(np.arange(len(weight)), list(written))
    on_line = published.covered.only(others).spread(of_code[others], domain.size)
    numbers = domain.values
    ends = np.array(list(written.values()), dtype=np.float64).reshape(-1, 2)
    spans = Spans(
        np.concatenate([numbers, ends[:, 0]]),
        np.concatenate([numbers, ends[:, 1]]),
        np.concatenate([on_line[: len(numbers)], weight[list(written)]]),
    )
    return Estimate(codes, spans, float(on_line[len(numbers) :].sum()), hidden, 0.0, kinds == "value")


def estimate_by_proportions(domain: Domain, spread: Spread) -> Estimate:
    """The estimate by published proportions: how many people hold each value, or are in a piece of a range."""
    people = np.asarray(spread.matrix.sum(axis=0), dtype=np.float64).ravel()
    known = spread.domain
    held, missing = people[: len(known.labels)], float(people[len(known.labels) :].sum())
    codes, nothing = np.zeros(domain.size), np.empty(0)
    if domain.numbers is not None:
        spans = Spans(spread.low[: len(held)], spread.high[: len(held)], held)
        return Estimate(codes, spans, missing, 0.0, 0.0, nothing.astype(bool))
    place = {label: code for code, label in enumerate(domain.labels.tolist())}
    at = np.array([place.get(label, -1) for label in known.labels.tolist()], dtype=np.int64)
    np.add.at(codes, at[at >= 0], held[at >= 0])
    if missing:
        codes[domain.missing_code] += missing
    return Estimate(codes, Spans(nothing, nothing, nothing), 0.0, float(held[at < 0].sum()), 0.0, nothing.astype(bool))


def _written(published: PublishedColumn, domain: Domain) -> dict[int, tuple[float, float]]:
    """The ends of the published values that are a range, or a number that stands for a group."""
    ends = {}
    first, last = float(domain.values[0]), float(domain.values[-1])
    for at, (kind, text) in enumerate(zip(published.kinds, published.texts, strict=True)):
        if kind == "number" and text is not None:
            number = number_in(text, domain.kind)
            ends[at] = (number, number) if number is not None else (first, last)
        elif kind in ("interval", "label"):
            meaning = read(text, domain.kind)
            if isinstance(meaning, Interval):
                high = max(min(meaning.high, last), first)
                ends[at] = (min(max(meaning.low, first), high), high)
    return ends


def estimate_published(labels: Sequence[str | None], rows: Longs, kind: Kind) -> Estimate:
    """The estimate for cells of which only the text is known."""
    meanings = [_meaning(label, kind) for label in labels]
    numbers = (number_in(meaning, kind) for meaning in meanings if isinstance(meaning, str))
    intervals = [meaning for meaning in meanings if isinstance(meaning, Interval)]
    reach = Reach.of(intervals, [number for number in numbers if number is not None])
    missing = hidden = several = 0.0
    spans: list[tuple[float, float, float]] = []
    for meaning, held in zip(meanings, rows.tolist(), strict=True):
        if meaning is None:
            missing += held
        elif isinstance(meaning, Suppressed):
            hidden += held
        else:
            ranges = _ranges(meaning, kind, reach)
            several += held * ranges.count(None) / max(len(ranges), 1)
            spans += [(*ends, held / len(ranges)) for ends in ranges if ends is not None]
    low, high, weight = np.array(spans, dtype=np.float64).reshape(-1, 3).T
    plain = np.array([isinstance(meaning, str) for meaning in meanings], dtype=bool)
    return Estimate(np.empty(0), Spans(low, high, weight), missing, hidden, several, plain)


def _ranges(meaning: str | ValueSet | Interval, kind: Kind, reach: Reach) -> list[tuple[float, float] | None]:
    """The ranges or numbers that a cell may stand for, equally likely; ``None`` for what is neither."""
    if isinstance(meaning, Interval):
        ended = reach.ended(meaning)
        return [(ended.low, ended.high)]
    if kind == "text":
        return [] if isinstance(meaning, str) else [None]
    members = (meaning,) if isinstance(meaning, str) else meaning.members
    numbers = [number_in(member, kind) for member in members]
    return [None if number is None else (number, number) for number in numbers]


def _meaning(label: str | None, kind: Kind) -> str | ValueSet | Interval | Suppressed | None:
    """The meaning of a cell; a single value or label is its text."""
    if label is None:
        return None
    meaning = read(label, kind)
    if isinstance(meaning, ValueSet) and len(meaning.members) == 1:
        (alone,) = meaning.members
        return alone
    return meaning if isinstance(meaning, ValueSet | Interval | Suppressed) else label


_SAMPLE: Final = 50
"""After this many values, a column is checked for being text, which its first cells mostly show."""


def kind_of_cells(labels: Sequence[str | None]) -> Kind:
    """The kind of a published column: numbers or dates if all its values and ranges are such, else text.

    >>> kind_of_cells(["[20,30)", "35", "{20|21}", "*", None]), kind_of_cells(["02139", "021**"])
    ('number', 'text')
    >>> kind_of_cells(["[2020-01-01,2021-01-01)", "2021-05-01"]), kind_of_cells(["*"])
    ('date', 'text')
    """
    values: list[str] = []
    kinds: set[Kind] = set()
    sampled = False
    for label in labels:
        if len(values) >= _SAMPLE and not sampled:
            sampled = True
            if kind_of_texts(values) == "text":
                return "text"
        kind, members = _content(label)
        kinds |= kind
        values += members
    if values:
        kinds.add(kind_of_texts(values))
    return kinds.pop() if len(kinds) == 1 else "text"


def _content(label: str | None) -> tuple[set[Kind], list[str]]:
    """The kind of the range that a cell is, if it is one, and the values that it names."""
    meaning = None if label is None else parse(label)
    if isinstance(meaning, ValueSet):
        return set(), [member for member in meaning.members if member is not None]
    if isinstance(meaning, Interval):
        return {"number"}, []
    if not isinstance(meaning, str):
        return set(), []
    return ({"date"}, []) if isinstance(read(meaning, "date"), Interval) else (set(), [meaning])


# --------------------------------------------------------------------------------------------------
# Who holds the values of a column, and how values of few people are pooled.
#
# A value may be named only if at least k people hold it, or k rows where people are unknown. All other values are
# pooled. If the pool has too few people as well, the rarest values that could be named join it.


@dataclass(frozen=True, eq=False)
class Holders:
    """Which records hold which code of a column.

    Attributes
    ----------
    codes : int array (cells,)
        The code of each cell; a cell is a set of equal records.
    rows : int array (cells,)
        The rows of each cell.
    size : int
        The number of codes.
    person : int array (cells,), optional
        The person of each cell, where people are counted.
    is_representative : bool array (cells,), optional
        Which cells consist of representative records. Each person has one, so they are never more than people.
    """

    codes: Ints | Longs
    rows: Longs
    size: int
    person: Ints | None = None
    is_representative: Bools | None = None

    @classmethod
    def of_cells(cls, published: ClassCounts, codes: Ints | Longs, size: int) -> Holders:
        """A column of the published table."""
        return cls(codes, published.cells.rows, size, published.cells.people)

    @classmethod
    def of_original(cls, counts: Counted, column: str) -> Holders:
        """A counted column of the original table."""
        size = counts.domains[column].size
        if isinstance(counts, FrequencyTable) and counts.is_representative is not None:
            return cls(counts.codes_of(column), counts.cell_sizes, size, is_representative=counts.is_representative)
        return cls(np.arange(size), counts.histogram(column), size)

    def rows_in(self, group: Longs, groups: int) -> Longs:
        """The rows of groups of codes."""
        return np.bincount(group[self.codes], self.rows, groups).astype(np.int64)

    def holders_in(self, group: Longs, groups: int) -> Longs:
        """The people of groups of codes, each counted once; or their rows."""
        at = group[self.codes]
        if self.person is not None:
            pairs = np.unique(np.stack([at, self.person]), axis=1)
            return np.bincount(pairs[0], minlength=groups).astype(np.int64)
        if self.is_representative is not None:
            return np.bincount(at[self.is_representative], self.rows[self.is_representative], groups).astype(np.int64)
        return self.rows_in(group, groups)


class Pooled(NamedTuple):
    """The codes that may be named, most frequent first, and the group of each code; the last group holds all others."""

    shown: list[int]
    group: Longs


def most_held(holders: Holders, fewest: int, most: int) -> Pooled | None:
    """The most frequent codes that enough people hold; ``None`` if even all codes together have too few.

    Examples
    --------
    Of the codes 0 to 3, the last two have too few holders, also together: code 1 joins them.

    >>> holders = Holders(np.arange(4), np.array([9, 4, 1, 1]), 4)
    >>> most_held(holders, 4, 10).shown, most_held(holders, 2, 10).shown
    ([0], [0, 1])
    """
    alone = np.arange(holders.size)
    rows, people = holders.rows_in(alone, holders.size), holders.holders_in(alone, holders.size)
    order = np.lexsort((alone, -rows))
    shown: list[int] = [code for code in order.tolist() if people[code] >= fewest][:most]
    while True:
        group = np.full(holders.size, len(shown), dtype=np.int64)
        group[shown] = np.arange(len(shown))
        if holders.rows_in(group, len(shown) + 1)[-1] == 0:
            return Pooled(shown, group)
        if holders.holders_in(group, len(shown) + 1)[-1] >= fewest:
            return Pooled(shown, group)
        if not shown:
            return None
        shown.pop()


_MOST: Final = 12
_MISSING: Final = "no value"
_EMPTY: Final = "empty"  # in a column of numbers, hidden cells are empty too
_HIDDEN: Final = "*"
_SEVERAL: Final = "several values"


class Precision(NamedTuple):
    """The precision of bars: each has at least ``fewest`` holders; shares have ``digits`` digits after the point."""

    fewest: int
    digits: int


class _BarRows(NamedTuple):
    """A bar with its rows, before they become shares."""

    label: str
    kind: BarKind
    before: float | None
    after: float


def bars_before_and_after(
    domain: Domain,
    holders: Holders,
    estimate: Estimate,
    precision: Precision,
    hierarchy: EncodedHierarchy | None = None,
) -> tuple[Bar, ...]:
    """A quasi-identifier: how often original values occur, and how often a reader of the release would estimate.

    Parameters
    ----------
    domain : Domain
        The original values.
    holders : Holders
        Who holds them.
    estimate : Estimate
        The estimate from the published cells.
    precision : Precision
    hierarchy : EncodedHierarchy, optional
        Its labels pool values, where there are too many to name.
    """
    before = holders.rows_in(np.arange(domain.size), domain.size)
    if domain.numbers is not None:
        groups = _ranged(domain, holders, before, estimate, precision.fewest)
    elif (above := _above(domain, hierarchy)) is not None:
        labels, node = above
        size = len(labels)
        rows_before = np.bincount(node, before, size).astype(np.int64)
        rows_after = np.bincount(node, estimate.codes, size).astype(np.float64)
        above_them = replace(holders, codes=node[holders.codes], size=size)
        groups = _named(labels, above_them, rows_before, rows_after, precision.fewest)
    else:
        groups = _named(_labels(domain), holders, before, estimate.codes, precision.fewest, ordered=domain.ordered)
    if groups and estimate.hidden:
        groups.append(_BarRows(_HIDDEN, "suppressed", 0.0, estimate.hidden))
    return _bars(groups, float(before.sum()), estimate.everybody, precision.digits)


def bars_in_clear(
    domain: Domain, holders: Holders, after: Longs, precision: Precision, *, before: bool
) -> tuple[Bar, ...]:
    """A column that is published unchanged.

    Parameters
    ----------
    domain : Domain
        Its values.
    holders : Holders
        Who holds them.
    after : int array (codes,)
        The published rows of each value.
    precision : Precision
    before : bool
        Whether the rows of ``holders`` are original rows, to be shown beside the published rows.
    """
    rows = holders.rows_in(np.arange(domain.size), domain.size)
    if domain.numbers is None:
        groups = _named(
            _labels(domain), holders, rows, after.astype(np.float64), precision.fewest, ordered=domain.ordered
        )
    else:
        groups = _ranged(domain, holders, rows, Estimate.of_codes(domain, after), precision.fewest)
    if not before:
        groups = [group._replace(before=None) for group in groups]
    return _bars(groups, float(rows.sum()), float(after.sum()), precision.digits)


def bars_published(labels: Labels, holders: Holders, precision: Precision) -> tuple[Bar, ...]:
    """A quasi-identifier as it is published, where nothing else may be shown."""
    kind = kind_of_cells(labels.tolist())
    rows = holders.rows_in(np.arange(holders.size), holders.size)
    estimate = estimate_published(labels.tolist(), rows, kind)
    if kind == "text":
        groups = _plain_cells(labels, holders, estimate, precision.fewest)
    else:
        groups = _published_ranges(estimate, kind, precision.fewest)
    groups += _special(estimate)
    return _bars(groups, None, float(rows.sum()), precision.digits)


def _special(estimate: Estimate) -> list[_BarRows]:
    """Cells without a single value or range; their bars reveal nothing about anybody, however few cells there are."""
    bars = [
        _BarRows(_SEVERAL, "several", None, estimate.several),
        _BarRows(_EMPTY, "missing", None, estimate.missing),
        _BarRows(_HIDDEN, "suppressed", None, estimate.hidden),
    ]
    return [bar for bar in bars if bar.after]


def _labels(domain: Domain) -> list[str | None]:
    return [*domain.labels.tolist(), *[None] * domain.has_missing]


def _named(
    labels: Sequence[str | None],
    holders: Holders,
    before: Longs,
    after: Floats,
    fewest: int,
    *,
    ordered: bool = False,
) -> list[_BarRows]:
    """The most frequent values by name, and all others together."""
    pooled = most_held(holders, fewest, _MOST)
    if pooled is None:
        return []
    groups = len(pooled.shown) + 1
    sums = np.bincount(pooled.group, before, groups), np.bincount(pooled.group, after, groups)
    bars = []
    for code in sorted(pooled.shown) if ordered else pooled.shown:
        at, text = int(pooled.group[code]), labels[code]
        kind: BarKind = "missing" if text is None else "value"
        bars.append(_BarRows(_MISSING if text is None else text, kind, float(sums[0][at]), float(sums[1][at])))
    if sums[0][-1] or sums[1][-1]:
        bars.append(_BarRows(_others(bars), "others", float(sums[0][-1]), float(sums[1][-1])))
    return bars


def _above(domain: Domain, hierarchy: EncodedHierarchy | None) -> tuple[list[str | None], Longs] | None:
    """For a column of many values: the lowest level of its hierarchy with few labels, and the label of each value."""
    if hierarchy is None or domain.size <= _MOST + 1:
        return None
    for level in hierarchy.at_level[1:]:
        nodes, label_of = np.unique(level, return_inverse=True)
        if 1 < len(nodes) <= _MOST:
            return [hierarchy.labels[node] for node in nodes.tolist()], label_of.astype(np.int64)
    return None


def _others(groups: Iterable[_BarRows]) -> str:
    """The label for all other values, which differs from every other label."""
    taken, label = {group.label for group in groups}, "others"
    while label in taken:
        label = f"all {label}"
    return label


def _plain_cells(labels: Labels, holders: Holders, estimate: Estimate, fewest: int) -> list[_BarRows]:
    """Published values and labels by name, without sets, hidden and missing cells."""
    inside = estimate.plain[holders.codes]
    some = replace(
        holders,
        codes=holders.codes[inside],
        rows=holders.rows[inside],
        person=None if holders.person is None else holders.person[inside],
    )
    rows = some.rows_in(np.arange(some.size), some.size)
    bars = _named(labels.tolist(), some, rows, rows.astype(np.float64), fewest)
    if not bars and rows.any():
        return [_BarRows(_others(()), "others", None, float(rows.sum()))]
    return [
        bar._replace(before=None, kind="published" if bar.kind == "value" else bar.kind) for bar in bars if bar.after
    ]


def _ranged(domain: Domain, holders: Holders, before: Longs, estimate: Estimate, fewest: int) -> list[_BarRows]:
    """Ranges of a column of numbers or dates, each with enough holders."""
    numbers = domain.values
    ends = _ends(domain, holders, fewest)
    if ends is None:
        return []
    missing = len(ends) + 1
    group = np.full(domain.size, missing, dtype=np.int64)
    group[: len(numbers)] = np.searchsorted(ends, numbers, side="right")
    rows, held = np.bincount(group, before, missing + 1), holders.holders_in(group, missing + 1)
    after = np.append(spread_over(ends, estimate.spans), estimate.missing)
    borders = [-np.inf, *ends, np.inf]
    bars = [
        _BarRows(range_label(borders[at], borders[at + 1], domain.kind), "range", float(rows[at]), float(after[at]))
        for at in range(missing)
    ]
    if not rows[-1] and not after[-1]:
        return bars
    last = _BarRows(_MISSING, "missing", float(rows[-1]), float(after[-1]))
    if held[-1] >= fewest or not rows[-1]:
        return [*bars, last]
    # Too few people lack a value: they join the range with the fewest holders.
    least = bars.pop(int(np.argmin(held[:-1])))
    joined = _BarRows(_others(bars), "others", (least.before or 0) + (last.before or 0), least.after + last.after)
    return [*bars, joined]


def _ends(domain: Domain, holders: Holders, fewest: int) -> list[float] | None:
    """Round ends with enough people between them; ``None`` if all people together are too few."""
    numbers = domain.values
    codes = len(numbers)
    everybody = np.ones(domain.size, dtype=np.int64)
    everybody[:codes] = 0
    if not codes or holders.holders_in(everybody, 2)[0] < fewest:
        return None
    held = np.cumsum(holders.holders_in(np.arange(domain.size), domain.size)[:codes])
    inner = min(fewest, int(held[-1]))
    low = float(numbers[np.searchsorted(held, inner)])
    high = float(numbers[np.searchsorted(held, held[-1] - inner, side="right")])
    ends = round_ends(low, high, _MOST - 2, domain.kind, whole=bool((numbers == np.floor(numbers)).all()))
    while ends:
        group = np.full(domain.size, len(ends) + 1, dtype=np.int64)
        group[:codes] = np.searchsorted(ends, numbers, side="right")
        joined = merge_ranges(holders.holders_in(group, len(ends) + 2)[:-1].tolist(), fewest)
        # A person may hold several values, so the people of joined ranges are counted anew.
        if len(np.unique(joined)) == len(joined):
            break
        ends = [end for end, left, right in zip(ends, joined[:-1], joined[1:], strict=True) if left != right]
    return ends


def _published_ranges(estimate: Estimate, kind: Kind, fewest: int) -> list[_BarRows]:
    """Ranges of the published cells, each with enough rows."""
    spans = estimate.spans
    if not len(spans.rows):
        return []
    middle = spans.low / 2 + spans.high / 2
    order = np.argsort(middle, kind="stable")
    held = np.cumsum(spans.rows[order])
    if held[-1] < fewest:
        return [_BarRows(_others(()), "others", None, float(held[-1]))]
    low = float(middle[order][np.searchsorted(held, min(fewest, held[-1]))])
    high = float(middle[order][min(np.searchsorted(held, held[-1] - fewest, side="right"), len(held) - 1)])
    whole = bool((spans.low == np.floor(spans.low)).all())
    ends = round_ends(low, high, _MOST - 2, kind, whole=whole)
    joined = merge_ranges(spread_over(ends, spans).tolist(), fewest)
    ends = [end for end, left, right in zip(ends, joined[:-1], joined[1:], strict=True) if left != right]
    borders = [-np.inf, *ends, np.inf]
    return [
        _BarRows(range_label(borders[at], borders[at + 1], kind), "range", None, float(rows))
        for at, rows in enumerate(spread_over(ends, spans))
    ]


def _bars(groups: Sequence[_BarRows], before: float | None, after: float, digits: int) -> tuple[Bar, ...]:
    """Turn rows into shares; a single bar of everything is left out."""
    if len(groups) == 1 and groups[0].kind in ("range", "others"):
        return ()
    return tuple(
        Bar(
            group.label,
            group.kind,
            None if group.before is None or not before else round(group.before / before, digits),
            round(group.after / after, digits) if after else 0.0,
        )
        for group in groups
    )
