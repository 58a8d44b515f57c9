"""Whether columns are still associated as they were.

Every column is cut into a few groups: numbers into ranges of about equally many records, other columns into their most
frequent values. The association of two columns is measured over pairs of groups. For the published table it is what a
reader would estimate: the records of a class are spread evenly over all that its cells may stand for, each column
independently. So detail that is lost within classes shows as a weaker association, and no association is made up.
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
from hedgerow.report.facts._distributions import kind_of_cells
from hedgerow.report.facts._subject import Originals, Subject
from hedgerow.report.facts.figures import Figure, fraction
from hedgerow.report.facts.sections import Association, Pair
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
# A column cut into a few groups, and how its published cells are divided among them.


GROUPS: Final = 10
"""A column has at most this many groups; the last group holds missing values, or all rare values."""


class Grouped(NamedTuple):
    """The group of each code of a column; for numbers also where each group but the first begins."""

    group: Longs
    ends: Floats | None


def group_domain(domain: Domain, rows: Longs) -> Grouped:
    """Cut the values of a column into groups."""
    if domain.numbers is None:
        return _frequent(rows)
    return _cut(np.append(domain.numbers, [np.nan] * domain.has_missing), rows)


def group_cells(labels: Sequence[str | None], rows: Longs | Floats) -> Grouped:
    """Cut a column that is published unchanged, if only its text is known, into groups."""
    kind = kind_of_cells(labels)
    if kind == "text":
        return _frequent(rows)
    numbers = [None if label is None else number_in(label, kind) for label in labels]
    return _cut(np.array(numbers, dtype=np.float64), rows)


def _frequent(rows: Longs | Floats) -> Grouped:
    """The most frequent codes, and a group of all others."""
    shown = np.argsort(-rows, kind="stable")[: GROUPS - 1]
    group = np.full(len(rows), GROUPS - 1, dtype=np.int64)
    group[shown] = np.arange(len(shown))
    return Grouped(group, None)


def _cut(numbers: Floats, rows: Longs | Floats) -> Grouped:
    """Ranges of about equally many records; records without a number are a separate group."""
    group = np.full(len(numbers), GROUPS - 1, dtype=np.int64)
    known = ~np.isnan(numbers)
    order = np.flatnonzero(known)[np.argsort(numbers[known], kind="stable")]
    held = rows[order].astype(np.float64)
    if not held.sum():
        return Grouped(group, np.empty(0))
    # The middle of its records decides the group of a number, so that equal numbers stay together.
    place = (np.cumsum(held) - held / 2) / held.sum()
    _, groups = np.unique((place * (GROUPS - 1)).astype(np.int64), return_inverse=True)
    group[order] = groups
    first = np.flatnonzero(np.diff(groups)) + 1
    return Grouped(group, numbers[order][first])


def shares_of_published(column: PublishedColumn, grouped: Grouped, rows: Longs | Floats) -> Floats:
    """Divide each published value of a column among groups of its original values, evenly over what it covers.

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
    """The same for cells of which only the text is known, over groups made from the cells."""
    kind = kind_of_cells(labels)
    meanings = [None if label is None else read(label, kind) for label in labels]
    hidden = np.array([meaning is not None and not isinstance(meaning, Interval | ValueSet) for meaning in meanings])
    spread = _along(meanings, rows, kind) if kind != "text" else _by_members(meanings, rows)
    spread[[at for at, meaning in enumerate(meanings) if meaning is None], GROUPS - 1] = 1.0
    return _like_the_rest(spread, hidden, rows)


def _along(meanings: Sequence[object], rows: Longs | Floats, kind: Kind) -> Floats:
    """Divide numbers, ranges and sets of numbers among ranges of about equally many records."""
    reach = Reach.of([meaning for meaning in meanings if isinstance(meaning, Interval)], ())
    spans = [_spans(meaning, kind, reach) for meaning in meanings]
    middles = [np.mean([low / 2 + high / 2 for low, high in several]) if several else np.nan for several in spans]
    ends = _cut(np.array(middles), rows).ends
    shares = np.zeros((len(spans), GROUPS))
    for at, several in enumerate(spans):
        for low, high in several:
            shares[at] += _over(ends if ends is not None else np.empty(0), low, high) / len(several)
    return shares


def _spans(meaning: object, kind: Kind, reach: Reach) -> list[tuple[float, float]]:
    """The ranges or numbers that a cell stands for."""
    if isinstance(meaning, Interval):
        ended = reach.ended(meaning)
        return [(ended.low, ended.high)]
    members = meaning.members if isinstance(meaning, ValueSet) else ()
    numbers = [number_in(member, kind) for member in members]
    return [(number, number) for number in numbers if number is not None]


def _over(ends: Floats, low: float, high: float) -> Floats:
    """Divide a range by ends.

    >>> _over(np.array([10.0, 20.0]), 5.0, 15.0)[:3].tolist(), _over(np.array([10.0]), 10.0, 10.0)[:2].tolist()
    ([0.5, 0.5, 0.0], [0.0, 1.0])
    """
    shares = np.zeros(GROUPS)
    if high <= low:
        shares[np.searchsorted(ends, low, side="right")] = 1.0
        return shares
    borders = np.clip(np.concatenate([[-np.inf], ends, [np.inf]]), low, high)
    shares[: len(ends) + 1] = np.diff(borders / 2) / (high / 2 - low / 2)
    return shares


def _by_members(meanings: Sequence[object], rows: Longs | Floats) -> Floats:
    """Divide values, labels and sets among the most frequent values and labels."""
    named: dict[str | None, float] = {}
    members = [tuple(meaning.members) if isinstance(meaning, ValueSet) else () for meaning in meanings]
    for several, held in zip(members, rows.tolist(), strict=True):
        for member in several:
            named[member] = named.get(member, 0.0) + held / len(several)
    grouped = _frequent(np.array(list(named.values()), dtype=np.float64))
    place = dict(zip(named, grouped.group.tolist(), strict=True))
    shares = np.zeros((len(members), GROUPS))
    for at, several in enumerate(members):
        for member in several:
            shares[at, place[member]] += 1.0 / len(several)
    return shares


def _like_the_rest(shares: Floats, hidden: Bools, rows: Longs | Floats) -> Floats:
    """Every cell as shares that add up to 1; a hidden cell is taken to be like the rest."""
    shares = np.where(hidden[:, np.newaxis], 0.0, shares)
    sums = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, sums, out=np.zeros_like(shares), where=sums > 0)
    rest = rows.astype(np.float64) @ shares
    rest = rest / rest.sum() if rest.sum() else np.full(GROUPS, 1.0 / GROUPS)
    return np.where(sums > 0, shares, rest)


MOST_COLUMNS: Final = 12
"""A heatmap of more columns would be illegible."""
_DIGITS: Final = 2

_Names = tuple[str, str]
_Tables = dict[_Names, Floats]


class _Cells(NamedTuple):
    """Rows of classes, with the groups of the columns in clear."""

    of_class: Longs
    groups: Mapping[str, Longs]
    rows: Longs


class _View(NamedTuple):
    """A reader's view: the cell of each class in each column, and how it is divided among the groups of the column.

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
    """Measure how strongly columns are associated; ``None`` for an audit, and with fewer than two columns."""
    published, originals = subject.by_rows, subject.originals
    if published is None:
        return None
    protected = subject.protected
    quasi = subject.quasi[: max(MOST_COLUMNS - len(protected), 2)]
    others = protected[: MOST_COLUMNS - len(quasi)]
    names = (*quasi, *others)
    if len(names) < 2:
        return None
    view = _as_published(published, quasi, others) if originals is None else _as_recoded(originals, quasi, others)
    before = {} if originals is None else _strengths(_original(originals, names))
    after = _strengths(_estimated(view, quasi, others))
    digits = _DIGITS if originals is None else min(_DIGITS, subject.digits)
    pairs = tuple(_pair(pair, before.get(pair), after[pair], digits) for pair in combinations(names, 2))
    left_out = len(subject.quasi) + len(protected) - len(names)
    return Association(names, pairs, _mean_change(pairs, digits), _measure(left_out))


def _pair(names: _Names, before: float | None, after: float, digits: int) -> Pair:
    after = round(after, digits)
    if before is None:
        return Pair(*names, None, after, None)
    before = round(before, digits)
    return Pair(*names, before, after, round(after - before, digits))


def _mean_change(pairs: Sequence[Pair], digits: int) -> Figure | None:
    changes = [abs(pair.change) for pair in pairs if pair.change is not None]
    if not changes:
        return None
    meaning = "The average change of the strength of association over all pairs, whatever its direction."
    return fraction("mean change", sum(changes) / len(changes), digits, meaning)


def _measure(left_out: int) -> str:
    text = (
        "Bias-corrected Cramér's V over at most ten groups of each column: 0 means no association, 1 that one "
        "column determines the other. After: as a reader would estimate, with what a cell leaves open spread evenly."
    )
    return text if not left_out else f"{text} {left_out:,} further columns are not shown."


def _strengths(tables: _Tables) -> dict[_Names, float]:
    return {pair: cramers_v(table) for pair, table in tables.items()}


def _original(originals: Originals, names: Sequence[str]) -> _Tables:
    """The original records in each pair of groups, part by part."""
    counts = originals.counts
    grouped = {name: group_domain(counts.domains[name], counts.histogram(name)).group for name in names}
    tables = {pair: np.zeros((GROUPS, GROUPS)) for pair in combinations(names, 2)}
    for part, _ in originals.recoding.in_parts(counts):
        group = {name: grouped[name][part.codes_of(name)] for name in names}
        for (first, second), table in tables.items():
            table += _paired(group[first], group[second], part.cell_sizes, GROUPS)
    return tables


def _paired(first: Longs, second: Longs, rows: Longs, firsts: int) -> Floats:
    """The rows with each pair of codes; the second codes are groups."""
    table = np.bincount(first * GROUPS + second, rows, firsts * GROUPS)
    return table.reshape(firsts, GROUPS).astype(np.float64)


def _as_recoded(originals: Originals, quasi: Sequence[str], others: Sequence[str]) -> _View:
    """The release by its recoding: what every cell covers is known."""
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

    return _View(cells, shares, sizes, in_clear)


def _as_published(published: ClassCounts, quasi: Sequence[str], others: Sequence[str]) -> _View:
    """The release by the text of its cells."""
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
    return _View(cells, shares, published.sizes, lambda: [_Cells(published.class_of_cell, of_cell, rows)])


def _estimated(view: _View, quasi: Sequence[str], others: Sequence[str]) -> _Tables:
    """The published records that a reader would estimate in each pair of groups."""
    tables: _Tables = {}
    for first, second in combinations(quasi, 2):
        width = len(view.shares[second])
        key, place = np.unique(view.cells[first] * width + view.cells[second], return_inverse=True)
        rows = np.bincount(place, view.sizes, len(key))
        left, right = view.shares[first][key // width], view.shares[second][key % width]
        tables[first, second] = (left * rows[:, np.newaxis]).T @ right
    known = {(name, other): np.zeros((len(view.shares[name]), GROUPS)) for name in quasi for other in others}
    tables |= {pair: np.zeros((GROUPS, GROUPS)) for pair in combinations(others, 2)}
    for part in view.in_clear() if others else ():
        for (name, other), table in known.items():
            table += _paired(view.cells[name][part.of_class], part.groups[other], part.rows, len(table))
        for first, second in combinations(others, 2):
            tables[first, second] += _paired(part.groups[first], part.groups[second], part.rows, GROUPS)
    tables |= {(name, other): view.shares[name].T @ table for (name, other), table in known.items()}
    return tables
