"""Columns that others determine: a postcode tells the town, a date of birth tells the year.

Found on counts: a column determines another one if nearly all rows with one of its values have one value of the other.
Only rows whose value others have too can tell that, so columns whose values nearly all differ determine nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow.advice.drawing import some_rows
from hedgerow.advice.profiles import Profile
from hedgerow.arrays import Ints, Longs
from hedgerow.counts import tabulate

__all__ = ["Dependency", "dependencies"]

_MOST_ROWS: Final = 20_000
_MOST_COLUMNS: Final = 60
_FEWEST_ROWS: Final = 30  # with a value that others have too
_ERROR: Final = 0.02  # of the rows may differ, of those that would if the other column were unknown


@dataclass(frozen=True)
class Dependency:
    """One column determines another.

    Attributes
    ----------
    by, column : str
        ``by`` determines ``column``.
    both_ways : bool
        Whether it is the other way round as well: two names of the same.
    coarser : bool
        Whether ``column`` only says less exactly what ``by`` says, in the same order: the year of a date.
    """

    by: str
    column: str
    both_ways: bool
    coarser: bool


def dependencies(profiles: Mapping[str, Profile]) -> tuple[Dependency, ...]:
    """Find which columns determine which others, among those with values that several rows have."""
    usable = [one for one in profiles.values() if not one.unusable and one.distinct >= 2]
    usable = sorted(usable, key=lambda one: one.distinct)[:_MOST_COLUMNS]
    codes = {one.name: one.codes[some_rows(len(one.codes), _MOST_ROWS)] for one in usable}
    determined = {
        (by.name, other.name)
        for by in usable
        for other in usable
        if by is not other and by.distinct >= other.distinct and _determines(codes[by.name], codes[other.name])
    }
    # Two columns with equally many values were asked both ways.
    return tuple(
        Dependency(by, column, (column, by) in determined, _same_order(profiles[by], profiles[column], codes))
        for by, column in sorted(determined)
    )


def _determines(codes: Ints, other: Ints) -> bool:
    """Whether rows with one value have one value of the other column, beyond what chance would do."""
    pairs, at = tabulate([codes, other], [int(codes.max()) + 1, int(other.max()) + 1], len(codes))
    sizes = np.bincount(at)
    values = np.bincount(codes)
    shared = values > 1
    rows = int(values[shared].sum())
    if rows < _FEWEST_ROWS:
        return False
    most = np.zeros(len(values), dtype=np.int64)
    np.maximum.at(most, pairs[:, 0], sizes)
    wrong = int((values - most)[shared].sum())
    among = other[shared[codes]]
    chance = _wrong_by_chance(values[shared], np.bincount(among))
    return wrong <= _ERROR * chance and chance >= _FEWEST_ROWS / 6


def _wrong_by_chance(values: Longs, others: Longs) -> float:
    """About how many rows would differ from the most frequent one of their value if the columns were unrelated."""
    share = float(others.max() / max(others.sum(), 1))
    # Of two rows at least one is the most frequent, so that pairs differ less often than rows of large groups.
    return float(((1 - share) * (values - 1)).sum()) / 2


def _same_order(by: Profile, column: Profile, codes: Mapping[str, Ints]) -> bool:
    """Whether larger values go with larger values, so that one column is the other in less detail."""
    if by.kind == "text" or column.kind == "text" or by.missing or column.missing:
        return False
    fine, coarse = codes[by.name], codes[column.name]
    ordered = coarse[np.argsort(fine, kind="stable")]
    down = bool((np.diff(ordered.astype(np.int64)) > 0).any())
    up = bool((np.diff(ordered.astype(np.int64)) < 0).any())
    return not (down and up) and len(np.unique(coarse)) < len(np.unique(fine))
