"""A table as shares of values: what a reader counts where a cell may stand for several values.

A cell that may stand for several values counts for each of them with an equal share: the assumption of uniform spread,
by which the papers on Mondrian and Anatomy answer queries from generalized tables. A known value has the share 1, so
original and redrawn rows are read in the same way. The reader knows the domain of each column: ``*`` stands for all
of its values, and an interval for those that lie in it. A quasi-identifier that is published as numbers has null in
the place of ``*``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.counts import is_text
from hedgerow.core.proportions import published_texts
from hedgerow.evaluation.analyses.base import Material
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.hierarchies import Hierarchy
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.release import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Condition", "SpreadColumn", "original_rows", "spread", "spread_rows"]


@dataclass(frozen=True)
class Condition:
    """A condition on one column: one of some labels, or a number from ``low`` to ``high``, both included.

    >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
    >>> Condition("age", low=25, high=60).holds(ages).tolist()
    [False, True, True]
    """

    column: str
    labels: frozenset[str] = frozenset()
    low: float = np.inf
    high: float = -np.inf

    def holds(self, domain: Domain) -> Bools:
        """Whether it holds for each value of a domain; it never holds for a missing value."""
        if domain.numbers is None:
            mask = np.array([label in self.labels for label in domain.labels.tolist()], dtype=bool)
        else:
            mask = (domain.values >= self.low) & (domain.values <= self.high)
        return np.append(mask, [False] * domain.has_missing)


@dataclass(frozen=True, eq=False)
class SpreadColumn:
    """The rows of a column, each divided among the values that its cell may stand for.

    Attributes
    ----------
    domain : Domain
        The values of the original rows, and those that the release or its hierarchies add.
    cell_of_row : int array (rows,)
    shares : csr_array (cells, domain.size)
        The share of each value in each distinct cell; none for a cell that may stand for no known value.
    """

    domain: Domain
    cell_of_row: Longs
    shares: csr_array

    def of_rows(self, condition: Condition) -> Floats:
        """The part of each row that meets a condition."""
        of_cells: Floats = np.asarray(self.shares @ condition.holds(self.domain).astype(np.float64))
        return of_cells[self.cell_of_row]


def spread_rows(material: Material, draws: int, original: Mapping[str, SpreadColumn]) -> dict[str, SpreadColumn]:
    """The rows that a reader has of a release, as shares of the values of the original rows."""
    release, rows = material.release, material.rows(draws)
    domains = {name: column.domain for name, column in original.items()}
    missing = material.part.schema.missing
    if not isinstance(release, Release):
        return spread(rows, missing, domains)
    drawn = material.way.train == "redrawn" and release.proportions is not None
    hidden = [] if drawn else [name for name in release.quasi if not is_text(rows[name].type)]
    return spread(rows, missing, domains, release.label_hierarchies, hidden)


def original_rows(part: OpenedTable) -> dict[str, SpreadColumn]:
    """The original rows, whose cells are single values."""
    return spread(part.table.select(part.columns), part.schema.missing)


def spread(
    table: pa.Table,
    missing: Sequence[str] = ("",),
    domains: Mapping[str, Domain] = MappingProxyType({}),
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    hidden: Collection[str] = (),
) -> dict[str, SpreadColumn]:
    """Read every column of a table as shares of values.

    Parameters
    ----------
    table : Table
        Original, redrawn or published rows.
    missing : sequence of str
        Texts that mean "no value".
    domains : mapping of str to Domain, optional
        The original values of a column, which its cells may stand for besides those that the table itself names.
    hierarchies : mapping of str to Hierarchy, optional
        For labels that stand for the values below them.
    hidden : collection of str
        The columns whose null cells are suppressed.

    Examples
    --------
    >>> people = pa.table({"age": [20, 21, 25, 30]})
    >>> domains = {"age": spread(people)["age"].domain}
    >>> published = spread(pa.table({"age": ["[20,30)", "{25|30}", "*"]}), domains=domains)
    >>> published["age"].of_rows(Condition("age", low=21, high=25)).round(2).tolist()
    [0.67, 0.5, 0.5]
    """
    columns = {}
    for name in table.column_names:
        series = nw.from_native(table[name], series_only=True).alias(name)
        texts, index = published_texts(series, "text", missing)
        if name in hidden:
            texts[-1] = SUPPRESSED_TEXT  # the last text is for null
        columns[name] = _spread(name, texts, index, domains.get(name), hierarchies.get(name), missing)
    return columns


def _spread(
    name: str,
    texts: Sequence[str | None],
    index: Longs,
    domain: Domain | None,
    hierarchy: Hierarchy | None,
    missing: Sequence[str],
) -> SpreadColumn:
    from scipy.sparse import csr_array

    from hedgerow.learning.redraw import possible_values

    known = [] if domain is None else domain.labels.tolist()
    # The values of the domain are read as further rows, so that generalized cells may stand for them too.
    of_rows = np.append(index, len(texts) + np.arange(len(known)))
    cells = pa.chunked_array([pa.array([*texts, *known], pa.large_string()).take(pa.array(of_rows))])
    possible = possible_values(nw.from_native(cells, series_only=True).alias(name), hierarchy, missing)
    widths = np.diff(possible.starts)
    of_member = 1 / np.repeat(widths, widths)
    shape = len(widths), possible.domain.size
    shares = csr_array((of_member, possible.members, possible.starts), shape=shape)
    return SpreadColumn(possible.domain, possible.cell_of_row[: len(index)], shares)
