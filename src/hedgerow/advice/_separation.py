"""By which columns people could be found: how well each tells rows apart, and how well a few together do.

Distinction and separation are those of Motwani and Xu (Efficient algorithms for masking and finding quasi-identifiers,
2007): the share of different values among the rows, and the share of all pairs of rows that have different values.
Combinations are found greedily: the column that separates most beside those before it comes next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.advice._profiles import some_rows
from hedgerow.core.counts import alike

__all__ = ["Combination", "combinations", "percent", "separation", "together"]

_MOST_ROWS: Final = 20_000
_MOST_COLUMNS: Final = 40
_LARGEST: Final = 4


@dataclass(frozen=True)
class Combination:
    """A few columns together.

    Attributes
    ----------
    columns : tuple of str
        In the order in which they were found.
    distinction : float
        The share of different combinations among the rows.
    separation : float
        The share of pairs of rows that differ.
    alone : float
        The share of rows that no other row equals in all of them.
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float
    alone: float


def percent(share: float) -> str:
    """Write a share; nearly all is not all, and nearly none not none.

    >>> percent(0.25), percent(0.9999), percent(1.0), percent(0.001)
    ('25%', '99%', '100%', '1%')
    """
    return f"{share:.0%}" if share in (0, 1) else f"{min(99, max(1, round(100 * share)))}%"


def separation(codes: Ints | Longs) -> float:
    """The share of pairs of rows that a column tells apart.

    >>> separation(np.array([0, 0, 1, 1]))
    0.6666666666666667
    """
    rows = len(codes)
    if rows < 2:
        return 0.0
    sizes = np.bincount(codes).astype(np.float64)
    return float(1 - (sizes * (sizes - 1)).sum() / (rows * (rows - 1.0)))


def combinations(columns: Mapping[str, Ints], largest: int = _LARGEST) -> tuple[Combination, ...]:
    """The columns that tell people apart best: one, and then always one more.

    Parameters
    ----------
    columns : mapping of column to codes
        One code for each row.
    largest : int
        How many columns a combination has at most.
    """
    if not columns:
        return ()
    rows = some_rows(len(next(iter(columns.values()))), _MOST_ROWS)
    columns = {name: codes[rows] for name, codes in columns.items()}
    ranked = sorted(columns, key=lambda name: -separation(columns[name]))[:_MOST_COLUMNS]
    found: list[Combination] = []
    known: Longs | None = None
    chosen: list[str] = []
    while ranked and len(chosen) < largest:
        tried = {name: _beside(known, columns[name]) for name in ranked}
        best = max(ranked, key=lambda name: separation(tried[name]))
        known = tried[best]
        chosen.append(best)
        ranked.remove(best)
        found.append(_combination(chosen, known))
        if found[-1].alone == 1:
            break
    return tuple(found)


def together(columns: Mapping[str, Ints]) -> Combination:
    """All columns together, of which there is at least one."""
    rows = some_rows(len(next(iter(columns.values()))), _MOST_ROWS)
    return _combination(list(columns), alike([codes[rows] for codes in columns.values()]))


def _beside(known: Longs | None, codes: Ints) -> Longs:
    return alike([codes] if known is None else [known, codes])


def _combination(chosen: Sequence[str], known: Longs) -> Combination:
    sizes = np.bincount(known)
    sizes = sizes[sizes > 0]
    rows = len(known)
    shares = len(sizes) / rows, separation(known), float((sizes == 1).sum()) / rows
    # Exact figures of original rows would be a fingerprint of the table.
    return Combination(tuple(chosen), *(round(share, 3) for share in shares))
