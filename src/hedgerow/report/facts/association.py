"""Whether columns still go together as they did.

Each column is cut into a few groups, before and after alike: numbers into ranges of about equally many records (a
published cell by its middle), other columns into their most frequent values or cells. Over these groups the measure is
the same on original and on published columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.domains import Domain
from hedgerow.metrics import cramers_v
from hedgerow.published import Interval, ValueSet, number_in, read
from hedgerow.report.facts.sections import Association, Pair
from hedgerow.report.facts.standing_for import kind_of_cells
from hedgerow.report.facts.subjects import Originals, Subject
from hedgerow.report.facts.wording import fraction
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["MOST_COLUMNS", "association"]

MOST_COLUMNS: Final = 12
"""A heatmap of more columns could not be read."""
_GROUPS: Final = 10
_DIGITS: Final = 2


class _Grouped(NamedTuple):
    """A column cut into groups: the group of each code."""

    group: Longs
    groups: int


def association(subject: Subject) -> Association | None:
    """How strongly columns go together; ``None`` for an audit, and where there are fewer than two columns."""
    published = subject.by_rows
    if published is None:
        return None
    others = dict.fromkeys((*((subject.target,) if subject.target else ()), *subject.sensitive))
    room = max(MOST_COLUMNS - len(others), 2)
    names = (*subject.quasi[:room], *others)[:MOST_COLUMNS]
    if len(names) < 2:
        return None
    after = _after(published, names)
    before = None if subject.originals is None else _before(subject.originals, names)
    digits = min(_DIGITS, subject.digits)
    pairs = []
    for first, second in combinations(names, 2):
        told = round(after[first, second], _DIGITS if before is None else digits)
        was = None if before is None else round(before[first, second], digits)
        pairs.append(Pair(first, second, was, told, None if was is None else round(told - was, digits)))
    changes = [abs(one.change) for one in pairs if one.change is not None]
    return Association(
        names,
        tuple(pairs),
        fraction(
            "mean change",
            sum(changes) / len(changes),
            digits,
            "By how much the strength of going together changed, on the average over all pairs.",
        )
        if changes
        else None,
        _measure(len(subject.quasi) + len(others) - len(names)),
    )


def _measure(left_out: int) -> str:
    said = (
        "Bias-corrected Cramér's V, 0 (nothing to do with each other) to 1 (one tells the other), over at most ten "
        "groups of each column: of original values before, of published cells after."
    )
    return said if not left_out else f"{said} {left_out:,} further columns are not shown."


def _after(published: ClassCounts, names: Sequence[str]) -> dict[tuple[str, str], float]:
    rows = published.cells.rows
    codes: dict[str, Ints | Longs] = {}
    grouped: dict[str, _Grouped] = {}
    for name in names:
        if name in published.columns:
            at = published.columns.index(name)
            codes[name], labels = published.codes[published.class_of_cell, at], published.labels[at]
        else:
            column = published.cells.sensitive[name]
            codes[name], labels = column.codes, column.labels
        grouped[name] = _of_cells(labels, np.bincount(codes[name], rows, len(labels)))
    return _strengths(names, grouped, [(codes, rows)])


def _before(originals: Originals, names: Sequence[str]) -> dict[tuple[str, str], float]:
    counts = originals.counts
    grouped = {name: _of_domain(counts.domains[name], counts.histogram(name)) for name in names}

    def parts() -> Iterator[tuple[Mapping[str, Ints], Longs]]:
        for part, _ in originals.recoding.in_parts(counts):
            yield {name: part.codes_of(name) for name in names}, part.cell_sizes

    return _strengths(names, grouped, parts())


def _strengths(
    names: Sequence[str],
    grouped: Mapping[str, _Grouped],
    parts: Iterable[tuple[Mapping[str, Ints | Longs], Longs]],
) -> dict[tuple[str, str], float]:
    """Count every pair of groups, part by part, and measure each pair of columns."""
    tables = {
        (first, second): np.zeros((grouped[first].groups, grouped[second].groups))
        for first, second in combinations(names, 2)
    }
    for codes, rows in parts:
        group = {name: grouped[name].group[codes[name]] for name in names}
        for (first, second), table in tables.items():
            key = group[first] * table.shape[1] + group[second]
            table += np.bincount(key, rows, table.size).reshape(table.shape)
    return {pair: cramers_v(table) for pair, table in tables.items()}


def _of_domain(domain: Domain, rows: Longs) -> _Grouped:
    if domain.numbers is None:
        return _frequent(rows)
    return _cut(np.append(domain.numbers, [np.nan] * domain.has_missing), rows)


def _of_cells(labels: Labels, rows: Longs | Floats) -> _Grouped:
    """Published cells: numbers and ranges by their middle; what is hidden or missing is a group of its own."""
    kind = kind_of_cells(labels.tolist())
    if kind == "text":
        return _frequent(rows)
    middle = np.full(len(labels), np.nan)
    for at, label in enumerate(labels.tolist()):
        said = read(label, kind)
        if isinstance(said, Interval):
            ends = [end for end in (said.low, said.high) if np.isfinite(end)]
            middle[at] = sum(end / len(ends) for end in ends)
        elif isinstance(said, ValueSet):
            known = [number for one in said.members if (number := number_in(one, kind)) is not None]
            middle[at] = np.mean(known) if known else np.nan
    return _cut(middle, rows)


def _frequent(rows: Longs | Floats) -> _Grouped:
    """The most frequent codes, and all others as one group."""
    shown = np.argsort(-rows, kind="stable")[: _GROUPS - 1]
    group = np.full(len(rows), _GROUPS - 1, dtype=np.int64)
    group[shown] = np.arange(len(shown))
    return _Grouped(group, _GROUPS)


def _cut(numbers: Floats, rows: Longs | Floats) -> _Grouped:
    """Ranges of about equally many records, by numbers; those without one are a group of their own."""
    group = np.full(len(numbers), _GROUPS - 1, dtype=np.int64)
    known: Bools = ~np.isnan(numbers)
    order = np.flatnonzero(known)[np.argsort(numbers[known], kind="stable")]
    held = rows[order].astype(np.float64)
    total = float(held.sum())
    if total:
        # By the middle of its records: equal numbers are one code, and stay together.
        place = (np.cumsum(held) - held / 2) / total
        group[order] = np.minimum((place * (_GROUPS - 1)).astype(np.int64), _GROUPS - 2)
    return _Grouped(group, _GROUPS)
