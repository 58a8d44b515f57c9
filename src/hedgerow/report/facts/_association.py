"""Whether columns still go together as they did.

Every column is cut into a few groups: numbers into ranges of about equally many records, other columns into their most
frequent values. How strongly two columns go together is measured over pairs of groups. Of the published table it is
what a reader would reckon: the records of a class are spread evenly over all that its cells may stand for, one column
independently of the other. So what is lost within classes shows as a weaker association, and none is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import Interval, PublishedColumn, Reach, ValueSet, number_in, read
from hedgerow.core.metrics import cramers_v
from hedgerow.io.domains import Domain, Kind
from hedgerow.report.facts._sections import Association, Pair
from hedgerow.report.facts._standing_for import kind_of_cells
from hedgerow.report.facts._subjects import Originals, Subject
from hedgerow.report.facts.wording import fraction
from hedgerow.verifier import ClassCounts

__all__ = [
    "GROUPS",
    "Grouped",
    "MOST_COLUMNS",
    "association",
    "group_cells",
    "group_domain",
    "shares_of_cells",
    "shares_of_published",
]


# --------------------------------------------------------------------------------------------------
# A column cut into a few groups, and how its published cells are shared among these.


GROUPS: Final = 10
"""So many groups a column has at most; the last one is for what is missing, or for all that is rare."""


class Grouped(NamedTuple):
    """The group of each code of a column, and of numbers where the groups begin, but for the first."""

    group: Longs
    ends: Floats | None


def group_domain(domain: Domain, rows: Longs) -> Grouped:
    """Cut the values of a column into groups."""
    if domain.numbers is None:
        return _frequent(rows)
    return _cut(np.append(domain.numbers, [np.nan] * domain.has_missing), rows)


def group_cells(labels: Sequence[str | None], rows: Longs | Floats) -> Grouped:
    """Cut a column into groups that is published as it is, and of which only the text is known."""
    kind = kind_of_cells(labels)
    if kind == "text":
        return _frequent(rows)
    numbers = [None if label is None else number_in(label, kind) for label in labels]
    return _cut(np.array(numbers, dtype=np.float64), rows)


def _frequent(rows: Longs | Floats) -> Grouped:
    """The most frequent codes, and all others as one group."""
    shown = np.argsort(-rows, kind="stable")[: GROUPS - 1]
    group = np.full(len(rows), GROUPS - 1, dtype=np.int64)
    group[shown] = np.arange(len(shown))
    return Grouped(group, None)


def _cut(numbers: Floats, rows: Longs | Floats) -> Grouped:
    """Ranges of about equally many records; those without a number are a group of their own."""
    group = np.full(len(numbers), GROUPS - 1, dtype=np.int64)
    known = ~np.isnan(numbers)
    order = np.flatnonzero(known)[np.argsort(numbers[known], kind="stable")]
    held = rows[order].astype(np.float64)
    if not held.sum():
        return Grouped(group, np.empty(0))
    # By the middle of its records, so that equal numbers stay together.
    place = (np.cumsum(held) - held / 2) / held.sum()
    _, found = np.unique((place * (GROUPS - 1)).astype(np.int64), return_inverse=True)
    group[order] = found
    first = np.flatnonzero(np.diff(found)) + 1
    return Grouped(group, numbers[order][first])


def shares_of_published(column: PublishedColumn, grouped: Grouped, rows: Longs | Floats) -> Floats:
    """How each published value of a column is shared among groups of its original values: evenly over what it covers.

    Returns
    -------
    float array (published values, groups)
    """
    kinds = np.array(column.kinds, dtype=np.str_)
    shares = np.zeros((len(column), GROUPS))
    for group in range(GROUPS):
        shares[:, group] = column.covered.reduce(np.add, (grouped.group == group).astype(np.int64))
    for at in np.flatnonzero(kinds == "number").tolist():
        number = number_in(column.texts[at], column.domain.kind)
        if number is not None and grouped.ends is not None:
            shares[at, np.searchsorted(grouped.ends, number, side="right")] = 1.0
    return _like_the_rest(shares, kinds == "suppressed", rows)


def shares_of_cells(labels: Sequence[str | None], rows: Longs | Floats) -> Floats:
    """The same of cells of which only the text is known, over groups that are made of them."""
    kind = kind_of_cells(labels)
    meanings = [None if label is None else read(label, kind) for label in labels]
    hidden = np.array([meaning is not None and not isinstance(meaning, Interval | ValueSet) for meaning in meanings])
    spread = _along(meanings, rows, kind) if kind != "text" else _by_members(meanings, rows)
    spread[[at for at, meaning in enumerate(meanings) if meaning is None], GROUPS - 1] = 1.0
    return _like_the_rest(spread, hidden, rows)


def _along(meanings: Sequence[object], rows: Longs | Floats, kind: Kind) -> Floats:
    """Numbers, ranges and sets of numbers over ranges of about equally many records."""
    reach = Reach.of([one for one in meanings if isinstance(one, Interval)], ())
    spans: list[list[tuple[float, float]]] = []
    for meaning in meanings:
        if isinstance(meaning, Interval):
            ended = reach.ended(meaning)
            spans.append([(ended.low, ended.high)])
        elif isinstance(meaning, ValueSet):
            numbers = [number_in(one, kind) for one in meaning.members]
            spans.append([(one, one) for one in numbers if one is not None])
        else:
            spans.append([])
    middles = [np.mean([low / 2 + high / 2 for low, high in one]) if one else np.nan for one in spans]
    ends = _cut(np.array(middles), rows).ends
    shares = np.zeros((len(spans), GROUPS))
    for at, several in enumerate(spans):
        for low, high in several:
            shares[at] += _over(ends if ends is not None else np.empty(0), low, high) / len(several)
    return shares


def _over(ends: Floats, low: float, high: float) -> Floats:
    """How a range is divided by ends.

    >>> _over(np.array([10.0, 20.0]), 5.0, 15.0)[:3].tolist(), _over(np.array([10.0]), 10.0, 10.0)[:2].tolist()
    ([0.5, 0.5, 0.0], [0.0, 1.0])
    """
    found = np.zeros(GROUPS)
    if high <= low:
        found[np.searchsorted(ends, low, side="right")] = 1.0
        return found
    borders = np.clip(np.concatenate([[-np.inf], ends, [np.inf]]), low, high)
    found[: len(ends) + 1] = np.diff(borders / 2) / (high / 2 - low / 2)
    return found


def _by_members(meanings: Sequence[object], rows: Longs | Floats) -> Floats:
    """Values, labels and sets over the values and labels that are named most often."""
    named: dict[str | None, float] = {}
    members = [tuple(one.members) if isinstance(one, ValueSet) else () for one in meanings]
    for several, held in zip(members, rows.tolist(), strict=True):
        for one in several:
            named[one] = named.get(one, 0.0) + held / len(several)
    grouped = _frequent(np.array(list(named.values()), dtype=np.float64))
    place = dict(zip(named, grouped.group.tolist(), strict=True))
    shares = np.zeros((len(members), GROUPS))
    for at, several in enumerate(members):
        for one in several:
            shares[at, place[one]] += 1.0 / len(several)
    return shares


def _like_the_rest(shares: Floats, hidden: Bools, rows: Longs | Floats) -> Floats:
    """Every cell as shares that add up to 1; a hidden one tells no more than that it is like the rest."""
    shares = np.where(hidden[:, np.newaxis], 0.0, shares)
    sums = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, sums, out=np.zeros_like(shares), where=sums > 0)
    rest = rows.astype(np.float64) @ shares
    rest = rest / rest.sum() if rest.sum() else np.full(GROUPS, 1.0 / GROUPS)
    return np.where(sums > 0, shares, rest)


MOST_COLUMNS: Final = 12
"""A heatmap of more columns could not be read."""
_DIGITS: Final = 2

_Names = tuple[str, str]
_Tables = dict[_Names, Floats]


class _Cells(NamedTuple):
    """Rows of classes, with the groups of the columns that are published as they are."""

    of_class: Longs
    groups: Mapping[str, Longs]
    rows: Longs


class _Shown(NamedTuple):
    """What a reader sees: which cell each class has, and how that is shared among the groups of its column.

    Attributes
    ----------
    cells : mapping of quasi-identifier to int array (classes,)
    shares : mapping of quasi-identifier to float array (published cells, groups)
    sizes : int array (classes,)
    in_clear : callable
        The other columns, part by part.
    """

    cells: Mapping[str, Longs]
    shares: Mapping[str, Floats]
    sizes: Longs
    in_clear: Callable[[], Iterable[_Cells]]


def association(subject: Subject) -> Association | None:
    """How strongly columns go together; ``None`` for an audit, and where there are fewer than two columns."""
    published = subject.by_rows
    if published is None:
        return None
    others = tuple(dict.fromkeys((*((subject.target,) if subject.target else ()), *subject.sensitive)))
    quasi = subject.quasi[: max(MOST_COLUMNS - len(others), 2)]
    others = others[: MOST_COLUMNS - len(quasi)]
    names = (*quasi, *others)
    if len(names) < 2:
        return None
    originals = subject.originals
    digits = _DIGITS if originals is None else min(_DIGITS, subject.digits)
    before = None if originals is None else _strengths(_original(originals, names))
    shown = _as_published(published, quasi, others) if originals is None else _as_recoded(originals, quasi, others)
    after = _strengths(_reckoned(shown, quasi, others))
    pairs = []
    for first, second in combinations(names, 2):
        told = round(after[first, second], digits)
        was = None if before is None else round(before[first, second], digits)
        pairs.append(Pair(first, second, was, told, None if was is None else round(told - was, digits)))
    changes = [abs(one.change) for one in pairs if one.change is not None]
    mean = None
    if changes:
        meaning = "By how much the strength of going together changed, on the average over all pairs."
        mean = fraction("mean change", sum(changes) / len(changes), digits, meaning)
    everything = len(subject.quasi) + len({subject.target, *subject.sensitive} - {None})
    return Association(names, tuple(pairs), mean, _measure(everything - len(names)))


def _measure(left_out: int) -> str:
    said = (
        "Bias-corrected Cramér's V over at most ten groups of each column: 0 is nothing to do with each other, 1 is "
        "that one tells the other. After: as a reader would reckon, what a cell leaves open being spread evenly."
    )
    return said if not left_out else f"{said} {left_out:,} further columns are not shown."


def _strengths(tables: _Tables) -> dict[_Names, float]:
    return {pair: cramers_v(table) for pair, table in tables.items()}


def _original(originals: Originals, names: Sequence[str]) -> _Tables:
    """How many original records are in each pair of groups, part by part."""
    counts = originals.counts
    grouped = {name: group_domain(counts.domains[name], counts.histogram(name)).group for name in names}
    tables = {pair: np.zeros((GROUPS, GROUPS)) for pair in combinations(names, 2)}
    for part, _ in originals.recoding.in_parts(counts):
        group = {name: grouped[name][part.codes_of(name)] for name in names}
        for (first, second), table in tables.items():
            table += _paired(group[first], group[second], part.cell_sizes, GROUPS)
    return tables


def _paired(first: Longs, second: Longs, rows: Longs, firsts: int) -> Floats:
    """How many rows have each pair of codes; the second ones are groups."""
    found = np.bincount(first * GROUPS + second, rows, firsts * GROUPS)
    return found.reshape(firsts, GROUPS).astype(np.float64)


def _as_recoded(originals: Originals, quasi: Sequence[str], others: Sequence[str]) -> _Shown:
    """The release as its recoding tells it: what every cell covers is known."""
    counts, recoding = originals.counts, originals.recoding
    grouped = {name: group_domain(counts.domains[name], counts.histogram(name)) for name in (*quasi, *others)}
    sizes = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(len(recoding.groups))
    cells, shares = {}, {}
    for name in quasi:
        at = recoding.quasi.index(name)
        cells[name] = recoding.groups[:, at].astype(np.int64)
        rows = np.bincount(cells[name], sizes, len(recoding.columns[at]))
        shares[name] = shares_of_published(recoding.columns[at], grouped[name], rows)

    def in_clear() -> Iterator[_Cells]:
        for part, pieces in recoding.in_parts(counts):
            kept = pieces.group >= 0
            cell = pieces.cell[kept]
            groups = {name: grouped[name].group[part.values_of(name)[cell]] for name in others}
            yield _Cells(pieces.group[kept].astype(np.int64), groups, pieces.size[kept])

    return _Shown(cells, shares, sizes, in_clear)


def _as_published(published: ClassCounts, quasi: Sequence[str], others: Sequence[str]) -> _Shown:
    """The release as its cells read."""
    cells, shares = {}, {}
    for name in quasi:
        at = published.columns.index(name)
        labels = published.labels[at].tolist()
        cells[name] = published.codes[:, at].astype(np.int64)
        shares[name] = shares_of_cells(labels, np.bincount(cells[name], published.sizes, len(labels)))
    codes = published.cells.sensitive
    rows = published.cells.rows
    groups = {
        name: group_cells(codes[name].labels.tolist(), np.bincount(codes[name].codes, rows, len(codes[name].labels)))
        for name in others
    }
    of_cell = {name: groups[name].group[codes[name].codes] for name in others}
    return _Shown(cells, shares, published.sizes, lambda: [_Cells(published.class_of_cell, of_cell, rows)])


def _reckoned(shown: _Shown, quasi: Sequence[str], others: Sequence[str]) -> _Tables:
    """How many published records a reader would reckon to be in each pair of groups."""
    tables: _Tables = {}
    for first, second in combinations(quasi, 2):
        width = len(shown.shares[second])
        key, place = np.unique(shown.cells[first] * width + shown.cells[second], return_inverse=True)
        rows = np.bincount(place, shown.sizes, len(key))
        left, right = shown.shares[first][key // width], shown.shares[second][key % width]
        tables[first, second] = (left * rows[:, np.newaxis]).T @ right
    known = {(name, other): np.zeros((len(shown.shares[name]), GROUPS)) for name in quasi for other in others}
    tables |= {pair: np.zeros((GROUPS, GROUPS)) for pair in combinations(others, 2)}
    for part in shown.in_clear() if others else ():
        for (name, other), table in known.items():
            table += _paired(shown.cells[name][part.of_class], part.groups[other], part.rows, len(table))
        for first, second in combinations(others, 2):
            tables[first, second] += _paired(part.groups[first], part.groups[second], part.rows, GROUPS)
    tables |= {(name, other): shown.shares[name].T @ table for (name, other), table in known.items()}
    return tables
