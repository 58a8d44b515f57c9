"""Building what groups publish where a method decides which columns a group shows: values and means, the rest hidden.

A number or date that is shown is the mean (or the median) over the group, one for all its records; nothing if only
some have one. It has at most one digit more than the column's numbers: with more, a mean would tell the values that it
is made of. Groups whose means round alike are one class. A category is shown where all records of the group hold the
same one; otherwise it is suppressed, or the set of those they hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.counts import Counted, FrequencyTable, distinct_pairs
from hedgerow.domains import Domain
from hedgerow.published import PublishedColumn, PublishedValues
from hedgerow.recoding.pieces import Pieces

__all__ = ["GroupTally", "PublishedValues", "publish_shown", "publish_tallied"]

_Described = tuple[PublishedColumn, Ints]


def publish_shown(
    counts: FrequencyTable,
    pieces: Pieces,
    shown: Bools,
    as_sets: Bools | None = None,
    numbers: Literal["mean", "median"] = "mean",
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by the columns that it shows.

    Parameters
    ----------
    counts : FrequencyTable
    pieces : Pieces
        Which cells make up which group.
    shown : bool array (groups, quasi-identifiers)
        Which columns each group shows.
    as_sets : bool array (groups, quasi-identifiers), optional
        Which categories a group shows as the set of values it holds, if it holds several.
    numbers : {"mean", "median"}
        What stands for the numbers of a group; the median is the lower one of two.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        Which published value each group has.
    """
    kept = pieces.group >= 0
    group, size = pieces.group[kept], pieces.size[kept]
    of_tuple = counts.cell_tuple[pieces.cell[kept]]
    told = (GroupTally(group, counts.tuples[of_tuple, at], size) for at in range(len(counts.quasi)))
    return publish_tallied(counts, told, shown, as_sets, numbers)


class GroupTally(NamedTuple):
    """How many records of which group hold which code of one column, in any order and maybe in several rows."""

    group: Ints
    code: Ints
    size: Longs


def publish_tallied(
    counts: Counted,
    tallies: Iterable[GroupTally],
    shown: Bools,
    as_sets: Bools | None,
    numbers: Literal["mean", "median"],
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by what it holds of each column; see :func:`publish_shown`."""
    columns, values = [], np.empty(shown.shape, dtype=np.int32)
    for at, (name, tally) in enumerate(zip(counts.quasi, tallies, strict=True)):
        domain = counts.domains[name]
        held = _Held(domain, *tally, shown[:, at])
        if domain.kind == "text":
            several = np.zeros(len(shown), dtype=bool) if as_sets is None else as_sets[:, at]
            column, values[:, at] = _categories(held, several)
        else:
            column, values[:, at] = _statistics(held, numbers)
        columns.append(column)
    return tuple(columns), values


@dataclass(frozen=True, eq=False)
class _Held:
    """One column: what the records of each group hold, and which groups show it."""

    domain: Domain
    group: Ints
    codes: Ints
    size: Longs
    shown: Bools


def _categories(held: _Held, several: Bools) -> _Described:
    domain, groups = held.domain, len(held.shown)
    wanted = (held.shown | several)[held.group]
    starts, members = distinct_pairs(held.group[wanted], held.codes[wanted], groups, domain.size)
    n_held = np.diff(starts)
    code = np.full(groups, -1, dtype=np.int64)
    alone = n_held == 1
    code[alone] = members[starts[:-1][alone]]
    codes, index = np.unique(code, return_inverse=True)
    published = PublishedValues(domain)
    new = [published.suppressed() if one < 0 else published.value(int(one)) for one in codes.tolist()]
    result = np.array(new, dtype=np.int32)[index]
    for group in np.flatnonzero(several & (n_held > 1)).tolist():
        result[group] = published.set(members[starts[group] : starts[group + 1]])
    return published.column(), result


def _statistics(held: _Held, numbers: Literal["mean", "median"]) -> _Described:
    domain, groups = held.domain, len(held.shown)
    missing = held.codes == domain.missing_code
    known = held.shown[held.group] & ~missing
    records = np.bincount(held.group[known], held.size[known], groups).astype(np.float64)
    # Where some have a number and others none, a mean would be said of both: nothing is shown.
    gaps = np.bincount(held.group[missing], minlength=groups) > 0
    of_group = np.flatnonzero((records > 0) & ~gaps)
    # A mean of dates would be a day on which nobody was born.
    averaged = numbers == "mean" and domain.kind != "date"
    statistic = (_means if averaged else _medians)(held, known, records)
    published = PublishedValues(domain)
    result = np.full(groups, published.suppressed(), dtype=np.int32)
    distinct, index = np.unique(statistic[of_group], return_inverse=True)
    new = np.array([published.mean(one) for one in distinct.tolist()], dtype=np.int32)
    result[of_group] = new[index]
    only_missing = held.shown & gaps & (records == 0)
    if only_missing.any():
        result[only_missing] = published.value(domain.missing_code)
    return published.column(), result


def _means(held: _Held, known: Bools, records: Floats) -> Floats:
    domain, group = held.domain, held.group[known]
    # Shares of positions are added, not values, so that the sum of large numbers does not overflow.
    share = held.size[known] / records[group]
    return domain.at(np.bincount(group, domain.positions[held.codes[known]] * share, len(records)))


def _medians(held: _Held, known: Bools, records: Floats) -> Floats:
    group, code, size = held.group[known], held.codes[known], held.size[known]
    order = np.lexsort((code, group))
    group, code = group[order], code[order]
    before = np.cumsum(records) - records
    reached = np.cumsum(size[order]) - before[group]
    # The first record of each group that has half of it at or below.
    first = np.flatnonzero(2 * reached >= records[group])
    result = np.zeros(len(records))
    result[group[first[::-1]]] = held.domain.values[code[first[::-1]]]
    return result
