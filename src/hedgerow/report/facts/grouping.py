"""A column cut into a few groups, and how its published cells are shared among these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.published import Interval, PublishedColumn, Reach, ValueSet, number_in, read
from hedgerow.report.facts.standing_for import kind_of_cells

__all__ = ["GROUPS", "Grouped", "group_cells", "group_domain", "shares_of_cells", "shares_of_published"]

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
