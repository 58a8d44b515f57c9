"""Counts the drawn rows that equal rows of real people, and compares members with people who are not in the table.

Rows that are drawn from a release depend on nothing else, so equal rows reveal nothing more. Yet publishers are asked
for their number. By itself it means little: where columns have few values, most conceivable rows are somebody's. So the
share of the table's rows that were drawn is compared with the same share of people who were not in the table. Only the
difference is due to being in it.

**Where the figures appear.** They are computed from original rows. An attacker who knows all rows but one could compute
them for every guess of that row, and keep the guesses that fit. So no file contains them. In Python they are exact.
Where they are shown, they are rounded to whole percents, and to tens of percents if fewer than 1,000 rows were counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow._internal.notebook import NotebookRepr
from hedgerow._internal.rounding import share_told
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.io.domains import Domain

__all__ = ["EqualRows", "equal_rows"]


@dataclass(frozen=True, repr=False)
class EqualRows(NotebookRepr):
    """Shares of equal rows, over the quasi-identifiers and the target. Keep the exact figures to yourself.

    Attributes
    ----------
    drawn : float
        The share of the drawn rows that equal a row of the table.
    table : float
        The share of the table's rows that equal a drawn row.
    holdout : float, optional
        The same share of the rows of people who were not in the table, if some were given.
    rows : int
        The number of rows of the table, or of the holdout if it is smaller. It decides how exactly shares are shown.

    Examples
    --------
    >>> EqualRows(0.1249, 0.2561, 0.2449, 15_060)
    about 12% of the drawn rows equal a row of the table; about 26% of the table's rows equal a drawn one, and 24% of \
the rows of people who were not in it
    """

    drawn: float
    table: float
    holdout: float | None
    rows: int

    def __repr__(self) -> str:
        text = (
            f"about {self._shown(self.drawn)} of the drawn rows equal a row of the table; about "
            f"{self._shown(self.table)} of the table's rows equal a drawn one"
        )
        if self.holdout is None:
            return text
        return f"{text}, and {self._shown(self.holdout)} of the rows of people who were not in it"

    def _shown(self, share: float) -> str:
        return f"{share_told(share, self.rows):.0%}"


def equal_rows(drawn: FrequencyTable, table: FrequencyTable, holdout: FrequencyTable | None = None) -> EqualRows:
    """Compare the rows of two or three tables over the quasi-identifiers and the target.

    Parameters
    ----------
    drawn, table, holdout : FrequencyTable
        With the quasi-identifiers and the target of ``table``. Other counted columns are ignored.

    Notes
    -----
    O(cells of all tables), without a Python loop over them; it loops only over the distinct values of each column.
    """
    tables = [drawn, table] if holdout is None else [drawn, table, holdout]
    number, *others = _numbered(tables)
    shares = [_share(table, own, number) for table, own in zip(tables[1:], others, strict=True)]
    return EqualRows(
        drawn=_share(drawn, number, others[0]),
        table=shares[0],
        holdout=None if holdout is None else shares[1],
        rows=min(table.rows for table in tables[1:]),
    )


def _share(table: FrequencyTable, own: Ints, others: Ints) -> float:
    """The share of a table's rows whose number is among others."""
    met = np.zeros(int(max(own.max(), others.max())) + 1, dtype=bool)
    met[others] = True
    return float(table.cell_sizes[met[own]].sum() / table.rows)


def _numbered(tables: Sequence[FrequencyTable]) -> list[Ints]:
    """Number the cells of all tables, so that equal numbers mean equal values."""
    first = tables[0]
    columns, sizes = [], []
    for name in (*first.quasi, *(() if first.roles.target is None else (first.roles.target,))):
        codes, size = _common_codes([table.domains[name] for table in tables])
        pairs = zip(codes, tables, strict=True)
        columns.append(np.concatenate([numbers[table.codes_of(name)] for numbers, table in pairs]))
        sizes.append(size)
    cells = [len(table.cell_sizes) for table in tables]
    _, number = tabulate(columns, sizes, sum(cells))
    return np.split(number, np.cumsum(cells)[:-1])


def _common_codes(domains: Sequence[Domain]) -> tuple[list[Longs], int]:
    """The codes of each domain in their union, and the size of the union. Its last code is for missing values."""
    by_number = all(domain.numbers is not None and domain.kind == domains[0].kind for domain in domains)
    values = [domain.values.tolist() if by_number else domain.labels.tolist() for domain in domains]
    code = {value: at for at, value in enumerate(dict.fromkeys(value for some in values for value in some))}
    return [np.array([*map(code.__getitem__, some), len(code)], dtype=np.int64) for some in values], len(code) + 1
