"""The frequency table: distinct tuples of the quasi-identifiers, and below them cells, with counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts.encoding import EncodedColumn
from hedgerow.counts.grouping import tabulate
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.schema import Roles

__all__ = ["FrequencyTable"]

_NEARLY: Final = 0.9  # from this share of numbers on, a column of text is remarked on


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """How many records share each combination of values; no method sees more than this.

    A *tuple* is a distinct combination of quasi-identifier codes; a *cell* is a tuple with one label and one
    combination of sensitive values. Both are in lexicographic order, so that all engines give the same table.

    Attributes
    ----------
    roles : Roles
        The roles of the columns.
    domains : mapping of column to Domain
        For every quasi-identifier, the target and every sensitive column.
    hierarchies : mapping of column to EncodedHierarchy
        For every quasi-identifier.
    tuples : int array (tuples, quasi-identifiers)
    tuple_sizes : int array (tuples,)
    cell_tuple : int array (cells,)
        The tuple of each cell, ascending.
    cell_values : int array (cells, len(cell_columns))
        Codes of the target and sensitive columns.
    cell_sizes : int array (cells,)
    remarks : tuple of str
        What whoever publishes the table should know of how it was read.
    """

    roles: Roles
    domains: Mapping[str, Domain]
    tuples: Ints
    tuple_sizes: Longs
    cell_tuple: Ints
    cell_values: Ints
    cell_sizes: Longs
    hierarchies: Mapping[str, EncodedHierarchy] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @classmethod
    def from_columns(
        cls, roles: Roles, columns: Mapping[str, EncodedColumn], weights: Longs | None, rows: int
    ) -> tuple[FrequencyTable, Ints]:
        """Count encoded columns; also returns the cell of each row."""
        counted = roles.counted
        quasi = len(roles.quasi)
        codes = [columns[name].codes for name in counted]
        cells, row_cell = tabulate(codes, [columns[name].domain.size for name in counted], rows)
        cell_sizes = np.bincount(row_cell, weights, len(cells)).astype(np.int64)
        # Cells are in lexicographic order, so a tuple's cells stand together.
        starts = np.ones(len(cells), dtype=bool)
        starts[1:] = (cells[1:, :quasi] != cells[:-1, :quasi]).any(axis=1)
        cell_tuple = (np.cumsum(starts) - 1).astype(np.int32)
        table = cls(
            roles=roles,
            domains={name: columns[name].domain for name in counted},
            tuples=np.ascontiguousarray(cells[starts, :quasi]),
            tuple_sizes=np.add.reduceat(cell_sizes, np.flatnonzero(starts)),
            cell_tuple=cell_tuple,
            cell_values=np.ascontiguousarray(cells[:, quasi:]),
            cell_sizes=cell_sizes,
            remarks=tuple(remark for name in counted for remark in _remarks(columns[name])),
        )
        return table, row_cell

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.tuple_sizes.sum())

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the codes."""
        return self.roles.quasi

    @property
    def column_weights(self) -> Floats:
        """How much each quasi-identifier counts in losses; their mean is 1."""
        return np.array(self.roles.column_weights)

    @property
    def cell_columns(self) -> tuple[str, ...]:
        """The target and sensitive columns, in the order of ``cell_values``."""
        return self.roles.counted[len(self.roles.quasi) :]

    def values_of(self, column: str) -> Ints:
        """The codes of a target or sensitive column, one per cell."""
        return self.cell_values[:, self.cell_columns.index(column)]

    def histogram(self, column: str) -> Longs:
        """How many records have each value of a counted column."""
        size = self.domains[column].size
        if column in self.quasi:
            codes, weights = self.tuples[:, self.quasi.index(column)], self.tuple_sizes
        else:
            codes, weights = self.values_of(column), self.cell_sizes
        return np.bincount(codes, weights, size).astype(np.int64)


def _remarks(column: EncodedColumn) -> list[str]:
    """Text that is nearly all numbers is more often a mistake than not."""
    if column.nearly < _NEARLY:
        return []
    name = column.domain.name
    return [
        f"The column {name!r} is taken for text: at least {_NEARLY:.0%} of its records are numbers, but not all. If "
        f"the others mean 'no value', name them as missing; to be told of them, say that it holds numbers (--kind "
        f"{name}=number)."
    ]
