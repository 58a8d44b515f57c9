"""A table as shares of values: what a reader counts where a cell may stand for several values.

A cell that may stand for several values counts for each of them with an equal share: the assumption of uniform spread,
by which the papers on Mondrian and Anatomy answer queries from generalized tables. A known value has the share 1, so
original and redrawn rows are read in the same way. The reader knows the domain of each column: ``*`` stands for all
of its values, and an interval for those that lie in it. Null in a quasi-identifier is read as ``*`` if no original cell
is missing, since it is a value that was not published or could not be redrawn; and in columns that are published as
numbers, where it stands in the place of ``*``.
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
from hedgerow.core.cells import Interval, Possible, Suppressed, number_in, published_labels, read, stands_for
from hedgerow.core.counts import EncodedColumn, is_text
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
        return np.append(mask, np.zeros(int(domain.has_missing), dtype=bool))


@dataclass(frozen=True, eq=False)
class SpreadColumn:
    """The rows of a column, each divided among the values that its cell may stand for.

    Attributes
    ----------
    domain : Domain
        The values of the original rows.
    cell_of_row : int array (rows,)
    shares : csr_array (cells, domain.size)
        The share of each value in each distinct cell. They add up to less than 1 if the cell may also stand for
        values that no original row has.
    """

    domain: Domain
    cell_of_row: Longs
    shares: csr_array

    def of_rows(self, condition: Condition) -> Floats:
        """The part of each row that meets a condition."""
        of_cells: Floats = np.asarray(self.shares @ condition.holds(self.domain).astype(np.float64))
        return of_cells[self.cell_of_row]


def original_rows(part: OpenedTable) -> dict[str, SpreadColumn]:
    """The original rows, whose cells are single values."""
    return {name: _single(part.encoded(name)) for name in part.columns}


def _single(encoded: EncodedColumn) -> SpreadColumn:
    from scipy.sparse import eye_array

    domain = encoded.domain
    return SpreadColumn(domain, encoded.codes.astype(np.int64), eye_array(domain.size, format="csr"))


def spread_rows(material: Material, draws: int, original: Mapping[str, SpreadColumn]) -> dict[str, SpreadColumn]:
    """The rows that a reader has of a release, as shares of the values of the original rows."""
    release, rows = material.release, material.rows(draws)
    domains = {name: column.domain for name, column in original.items()}
    missing = material.part.schema.missing
    if not isinstance(release, Release):
        return spread(rows, domains, missing=missing)
    drawn = material.way.train == "redrawn" and release.proportions is not None
    as_numbers = set() if drawn else {name for name in release.quasi if not is_text(rows[name].type)}
    hidden = [name for name in release.quasi if name in as_numbers or not domains[name].has_missing]
    return spread(rows, domains, missing=missing, hierarchies=release.label_hierarchies, hidden=hidden)


def spread(
    table: pa.Table,
    domains: Mapping[str, Domain],
    *,
    missing: Sequence[str] = ("",),
    hierarchies: Mapping[str, Hierarchy] = MappingProxyType({}),
    hidden: Collection[str] = (),
) -> dict[str, SpreadColumn]:
    """Read every column of a table as shares of values.

    Parameters
    ----------
    table : Table
        Redrawn or published rows.
    domains : mapping of str to Domain
        The original values of each column.
    missing : sequence of str
        Texts that mean "no value".
    hierarchies : mapping of str to Hierarchy, optional
        For labels that stand for the values below them.
    hidden : collection of str
        The columns whose null cells are suppressed.

    Examples
    --------
    >>> ages = Domain("age", "number", np.array(["20", "21", "25", "30"]), np.array([20.0, 21, 25, 30]))
    >>> published = spread(pa.table({"age": ["[20,30)", "{25|30}", "*"]}), {"age": ages})
    >>> published["age"].of_rows(Condition("age", low=21, high=25)).round(2).tolist()
    [0.67, 0.5, 0.5]
    """
    columns = {}
    for name in table.column_names:
        domain = domains[name]
        series = nw.from_native(table[name], series_only=True).alias(name)
        texts, index = published_texts(series, domain.kind, missing)
        if name in hidden:
            texts[-1] = SUPPRESSED_TEXT  # the last text is for null
        columns[name] = SpreadColumn(domain, index, _shares(domain, texts, hierarchies.get(name)))
    return columns


def _shares(domain: Domain, texts: Sequence[str | None], hierarchy: Hierarchy | None) -> csr_array:
    """The share of each value of a domain in each cell."""
    from scipy.sparse import csr_array

    leaves = published_labels(hierarchy, domain.name, [text for text in texts if text is not None]).values_below
    meanings = [stands_for(read(text, domain.kind, leaves)) for text in texts]
    code_of = {label: code for code, label in enumerate(domain.labels.tolist())}
    codes = [_codes(domain, code_of, meaning) for meaning in meanings]
    widths = np.array([len(of_cell) for of_cell in codes], dtype=np.int64)
    cell, value = np.repeat(np.arange(len(texts)), widths), np.concatenate([np.empty(0, dtype=np.int64), *codes])
    known = value >= 0
    share = 1 / np.repeat(widths, widths)
    return csr_array((share[known], (cell[known], value[known])), shape=(len(texts), domain.size))


def _codes(domain: Domain, code_of: Mapping[str, int], meaning: Possible) -> Longs:
    """The values that a cell may stand for; -1 for each that no original row has."""
    if isinstance(meaning, Suppressed):
        return np.arange(len(domain.labels))
    if isinstance(meaning, Interval):
        first = int(np.searchsorted(domain.values, meaning.low))
        end = int(np.searchsorted(domain.values, meaning.high, "right" if meaning.closed else "left"))
        return np.arange(first, end) if first < end else _nearest(domain, (meaning.low + meaning.high) / 2)
    codes = [_code(domain, code_of, value) for value in sorted(meaning, key=str)]
    return np.concatenate([np.empty(0, dtype=np.int64), *codes])


def _code(domain: Domain, code_of: Mapping[str, int], value: str | None) -> Longs:
    if value is None:
        return np.array([domain.missing_code])
    if domain.numbers is None:
        return np.array([code_of.get(value, -1)])
    number = number_in(value, domain.kind)
    return np.array([-1]) if number is None else _nearest(domain, number)


def _nearest(domain: Domain, number: float) -> Longs:
    """The original number that is next to another, since redrawn numbers may lie between the original ones."""
    values = domain.values
    if not len(values):
        return np.array([-1])
    at = int(np.clip(np.searchsorted(values, number), 1, max(len(values) - 1, 1)))
    return np.array([at if at < len(values) and values[at] - number < number - values[at - 1] else at - 1])
