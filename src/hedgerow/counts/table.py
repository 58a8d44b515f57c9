"""The frequency table: distinct tuples of the quasi-identifiers, and below them cells, with counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.counts.encoding import EncodedColumn
from hedgerow.counts.grouping import tabulate
from hedgerow.counts.homes import Links, at_home_domain, numbers_of_parts
from hedgerow.domains import AT_HOME, Domain
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
    links : Links, optional
        Whose the tuples are, where people are counted.
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
    links: Links | None = None

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

    def with_homes(self, home: Longs) -> tuple[FrequencyTable, Ints]:
        """The same table, in which rows at home are cells of their own.

        Parameters
        ----------
        home : int array (cells,)
            How many rows of each cell are at home.

        Returns
        -------
        table : FrequencyTable
        numbers : int array (cells, 2)
            The new numbers of the rows of each cell that are away and at home; -1 where there are none.
        """
        numbers = numbers_of_parts(self.cell_sizes - home, home)
        cell, at_home = np.nonzero(numbers >= 0)
        sizes = np.stack([self.cell_sizes - home, home], axis=1)
        table = replace(
            self,
            domains={**self.domains, AT_HOME: at_home_domain()},
            cell_tuple=self.cell_tuple[cell],
            cell_values=np.column_stack([self.cell_values[cell], at_home.astype(np.int32)]),
            cell_sizes=sizes[cell, at_home],
        )
        return table, numbers

    @property
    def at_home(self) -> Bools | None:
        """Which cells are of rows at home, one row for each person; ``None`` if rows are counted."""
        return None if AT_HOME not in self.domains else self.values_of(AT_HOME) == 1

    @property
    def people(self) -> int:
        """The number of people; of records, if nobody tells people apart."""
        return self.rows if self.at_home is None else int(self.cell_sizes[self.at_home].sum())

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

    def _place(self, column: str) -> int:
        """Where the codes of a column stand in ``cell_values``; last of all, whether the rows are at home."""
        return self.cell_columns.index(column) if column != AT_HOME else len(self.cell_columns)

    def values_of(self, column: str) -> Ints:
        """The codes of a target or sensitive column, one per cell."""
        return self.cell_values[:, self._place(column)]

    def codes_of(self, column: str) -> Ints:
        """The codes of any counted column, one per cell."""
        if column in self.quasi:
            return np.asarray(self.tuples[self.cell_tuple, self.quasi.index(column)], dtype=np.int32)
        return self.values_of(column)

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
