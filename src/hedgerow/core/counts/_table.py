"""The frequency table: distinct tuples of the quasi-identifiers, and below them cells, with counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs, tabulate
from hedgerow.core.counts._encoding import EncodedColumn
from hedgerow.core.counts._people import Links, Marks
from hedgerow.errors import BadInput, check_int
from hedgerow.hierarchies import EncodedHierarchy, intervals
from hedgerow.io.domains import AT_HOME, STRATUM, Domain
from hedgerow.schema import Roles

__all__ = [
    "Counted",
    "FrequencyTable",
    "check_bins",
    "holds_classes",
    "in_bins",
    "refuse_many_numbers",
    "remarks_of",
    "exact_remarks",
]


# --------------------------------------------------------------------------------------------------
# The properties of every counted table, wherever its tuples are.


class Counted(ABC):
    """A counted table: its roles, domains and hierarchies, and how often each value occurs.

    A :class:`~hedgerow.core.counts.FrequencyTable` also has its tuples in memory; a
    :class:`~hedgerow.core.counts.LargeTable` provides them part by part.
    """

    roles: Roles
    domains: Mapping[str, Domain]
    hierarchies: Mapping[str, EncodedHierarchy]
    remarks: tuple[str, ...]
    whole: Mapping[str, Longs]

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of records."""

    @property
    @abstractmethod
    def people(self) -> int:
        """The number of people; of records, if no column identifies people."""

    @abstractmethod
    def histogram(self, column: str) -> Longs:
        """How many records have each value of a counted column."""

    @abstractmethod
    def quasi_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the quasi-identifiers that some cells have, (cells, quasi-identifiers)."""

    @abstractmethod
    def value_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the target and the sensitive columns that some cells have, (cells, such columns)."""

    @abstractmethod
    def with_hierarchies(self, hierarchies: Mapping[str, EncodedHierarchy]) -> Self:
        """The same counts with the hierarchies of the quasi-identifiers."""

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
        """The target and sensitive columns."""
        return self.roles.counted[len(self.roles.quasi) :]


_NEARLY: Final = 0.9  # a column of text with at least this share of numbers gets a remark


@dataclass(frozen=True, eq=False)
class FrequencyTable(Counted):
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
        The tuples of each person, where people are counted.
    remarks : tuple of str
        How columns were read, for the publisher of the table.
    whole : mapping of column to int array
        Of a part of a table: how many records of the whole table have each value of a sensitive column, for
        requirements that compare classes with it.
    strays : mapping of column to int
        For each column with a remark, how many of its records are not numbers. It is exact, so it is for the publisher
        only.
    hidden: tuple of str
        The internal columns of ``cell_values``, after the target and the sensitive columns.
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
    strays: Mapping[str, int] = field(default_factory=dict)
    links: Links | None = None
    whole: Mapping[str, Longs] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @classmethod
    def from_columns(
        cls, roles: Roles, columns: Mapping[str, EncodedColumn], weights: Longs | None, rows: int
    ) -> tuple[FrequencyTable, Ints]:
        """Count encoded columns; also returns the cell of each row."""
        counted = roles.counted
        codes = [columns[name].codes for name in counted]
        cells, row_cell = tabulate(codes, [columns[name].domain.size for name in counted], rows)
        cell_sizes = np.bincount(row_cell, weights, len(cells)).astype(np.int64)
        return cls.from_cells(roles, columns, [(cells, cell_sizes)], len(cells)), row_cell

    @classmethod
    def from_cells(
        cls,
        roles: Roles,
        columns: Mapping[str, EncodedColumn],
        batches: Iterable[tuple[Ints, Longs]],
        cells: int,
    ) -> FrequencyTable:
        """Join cells that come in batches, in lexicographic order.

        Parameters
        ----------
        roles : Roles
        columns : mapping of column to EncodedColumn
            The counted columns; their codes are not read.
        batches : iterable of pairs
            The codes of cells, (cells, columns), and their records.
        cells : int
            The number of all cells.
        """
        counted, quasi = roles.counted, len(roles.quasi)
        tuples = np.empty((cells, quasi), dtype=np.int32)
        cell_tuple = np.empty(cells, dtype=np.int32)
        cell_values = np.empty((cells, len(counted) - quasi), dtype=np.int32)
        cell_sizes = np.empty(cells, dtype=np.int64)
        done = found = 0
        for codes, sizes in batches:
            here = slice(done, done + len(codes))
            # Cells are in lexicographic order, so a tuple's cells stand together.
            starts = np.ones(len(codes), dtype=bool)
            starts[1:] = (codes[1:, :quasi] != codes[:-1, :quasi]).any(axis=1)
            if found and len(codes):
                starts[0] = (codes[0, :quasi] != tuples[found - 1]).any()
            number = np.cumsum(starts) + (found - 1)
            cell_tuple[here], cell_values[here], cell_sizes[here] = number, codes[:, quasi:], sizes
            new = int(starts.sum())
            tuples[found : found + new] = codes[starts, :quasi]
            done, found = done + len(codes), found + new
        # In place: a copy would need as much again.
        tuples.resize((found, quasi), refcheck=False)
        return cls(
            roles=roles,
            domains={name: columns[name].domain for name in counted},
            tuples=tuples,
            tuple_sizes=np.bincount(cell_tuple, cell_sizes, found).astype(np.int64),
            cell_tuple=cell_tuple,
            cell_values=cell_values,
            cell_sizes=cell_sizes,
            remarks=remarks_of(columns[name] for name in counted),
            strays={name: columns[name].strays for name in counted if columns[name].nearly >= _NEARLY},
        )

    def with_people(self, marks: Marks) -> tuple[FrequencyTable, Ints, Ints]:
        """The same table, in which rows that stand for people are cells of their own.

        Parameters
        ----------
        marks : Marks
            What the first row of a person in a cell stands for.

        Returns
        -------
        table : FrequencyTable
        marked : int array (marks,)
            The new number of each marked row's cell.
        rest : int array (cells,)
            The new number of the other rows of each cell; -1 where there are none.
        """
        cells = len(self.cell_sizes)
        left = self.cell_sizes - np.bincount(marks.cell, minlength=cells)
        kept = np.flatnonzero(left)
        unmarked = np.broadcast_to(marks.unmarked, (len(kept), len(marks.unmarked)))
        codes = np.concatenate([marks.codes, unmarked])
        columns = [np.concatenate([marks.cell, kept]), *codes.T]
        distinct, number = tabulate(columns, [cells, *(one.size for one in marks.domains.values())], len(codes))
        records = np.concatenate([np.ones(len(marks.cell), dtype=np.int64), left[kept]])
        table = replace(
            self,
            domains={**self.domains, **marks.domains},
            hidden=(*self.hidden, *marks.domains),
            cell_tuple=self.cell_tuple[distinct[:, 0]],
            cell_values=np.column_stack([self.cell_values[distinct[:, 0]], distinct[:, 1:]]).astype(np.int32),
            cell_sizes=np.bincount(number, records, len(distinct)).astype(np.int64),
        )
        rest = np.full(cells, -1, dtype=np.int32)
        rest[kept] = number[len(marks.cell) :]
        return table, number[: len(marks.cell)].astype(np.int32), rest

    def in_strata(self, row_cell: Ints, strata: Longs) -> tuple[FrequencyTable, Ints]:
        """The same table, in which records of different strata are different cells; also the cell of each row.

        Parameters
        ----------
        row_cell : int array (rows,)
            The cell of each row in this table.
        strata : int array (rows,)
            The stratum of each row, numbered from 0 on.
        """
        number = int(strata.max()) + 1
        parts, new_cell = tabulate([row_cell, strata.astype(np.int32)], [len(self.cell_sizes), number], len(row_cell))
        cell, stratum = parts.T
        table = replace(
            self,
            domains={**self.domains, STRATUM: Domain(STRATUM, "text", np.arange(number).astype(np.str_))},
            hidden=(*self.hidden, STRATUM),
            cell_tuple=self.cell_tuple[cell],
            cell_values=np.column_stack([self.cell_values[cell], stratum]).astype(np.int32),
            cell_sizes=np.bincount(new_cell, minlength=len(parts)).astype(np.int64),
        )
        return table, new_cell

    @property
    def is_representative(self) -> Bools | None:
        """Which cells hold representative records, one for each person; ``None`` if rows are counted."""
        return None if AT_HOME not in self.domains else self.values_of(AT_HOME) == 1

    @property
    def people(self) -> int:
        """The number of people; of records, if no column identifies people."""
        return self.rows if self.is_representative is None else int(self.cell_sizes[self.is_representative].sum())

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.tuple_sizes.sum())

    def quasi_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the quasi-identifiers that some cells have."""
        return np.asarray(self.tuples[self.cell_tuple[cells]], dtype=np.int32)

    def value_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the target and the sensitive columns that some cells have."""
        return np.asarray(self.cell_values[cells, : len(self.cell_columns)], dtype=np.int32)

    def with_hierarchies(self, hierarchies: Mapping[str, EncodedHierarchy]) -> FrequencyTable:
        """The same counts with the hierarchies of the quasi-identifiers."""
        return replace(self, hierarchies=hierarchies)

    def values_of(self, column: str) -> Ints:
        """The codes of a target or sensitive column, or of an internal one, one per cell."""
        return self.cell_values[:, (*self.cell_columns, *self.hidden).index(column)]

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


def remarks_of(columns: Iterable[EncodedColumn]) -> tuple[str, ...]:
    """Columns of text that are nearly all numbers, which is more often a mistake than not."""
    why = f"at least {_NEARLY:.0%} of its records are numbers, but not all"
    return tuple(_read_as_text(column.domain.name, why) for column in columns if column.nearly >= _NEARLY)


def exact_remarks(counts: FrequencyTable) -> dict[str, str]:
    """The remarks on columns of text that are nearly all numbers, each with the exact form for the publisher.

    Whoever knows all records but one could see from the exact number whether that one is a number.
    """
    exact = [
        _read_as_text(name, f"{strays:,} of its records {'is no number' if strays == 1 else 'are no numbers'}")
        for name, strays in counts.strays.items()
    ]
    return dict(zip(counts.remarks, exact, strict=True))


def _read_as_text(column: str, why: str) -> str:
    return (
        f"The column {column!r} is read as text: {why}. If the others mean 'no value', name them as missing; to find "
        f"them, say that it holds numbers (--kind {column}=number)."
    )


# --------------------------------------------------------------------------------------------------
# A target of numbers in bins: for methods that learn from classes, while the numbers are published.


_MOST_CLASSES: Final = 20  # more different numbers are a scale, not classes


def in_bins(counts: FrequencyTable, bins: int) -> FrequencyTable:
    """The same cells, with another target: the numbers of the target in bins with about equally many people.

    The target itself stays among the columns that requirements may speak of.

    Parameters
    ----------
    counts : FrequencyTable
        With a target.
    bins : int
        The number of bins at most; fewer if equal numbers would have to be separated.
    """
    target = check_bins(bins, counts.roles.target)
    domain = counts.domains[target]
    if domain.kind != "number":
        raise BadInput(f"target_bins cuts numbers, and the target {target!r} holds none. Leave target_bins out.")
    cut = intervals(quantiles=bins, levels=()).encode(domain)
    # Directly below the root: intervals, or the numbers themselves where they are few.
    nodes, bin_of_code = np.unique(cut.at_level[cut.height - 1], return_inverse=True)
    labels = [label for label in (cut.labels[node] for node in nodes.tolist()) if label is not None]
    name = _free_name(counts, f"{target} in bins")
    codes = bin_of_code[counts.values_of(target)].astype(np.int32)
    records = np.bincount(codes, counts.cell_sizes, len(nodes))[: len(labels)].astype(np.int64)
    binned = Domain(name, "text", np.array(labels), None, domain.has_missing, records, ordered=True)
    return replace(
        counts,
        roles=replace(counts.roles, target=name, sensitive=counts.cell_columns),
        domains={**counts.domains, name: binned},
        cell_values=np.column_stack([codes, counts.cell_values]),
    )


def check_bins(bins: object, target: str | None) -> str:
    """The target; refused if the number of bins is wrong or there is no target to cut."""
    check_int("target_bins", "anonymize", bins, 2, must="None or an int >= 2")
    if target is None:
        raise BadInput("target_bins needs a target, and none is named. Name the column of the class too.")
    return target


def refuse_many_numbers(counts: Counted, owner: str) -> None:
    """Refuse a target whose numbers are no classes, and say what to do."""
    target = counts.roles.target
    if target is None:
        return
    domain = counts.domains[target]
    if not holds_classes(domain):
        what = "numbers with fractions" if _has_fractions(domain) else f"{len(domain.labels):,} different numbers"
        raise BadInput(
            f"The target {target!r} holds {what}, and {owner} learns from classes. Say target_bins=4 "
            "(--target-bins 4): it then learns from four bins with about equally many people, and the numbers are "
            "published unchanged."
        )


def holds_classes(domain: Domain) -> bool:
    """Whether the values of a column are classes: text, dates, or few whole numbers."""
    return domain.kind != "number" or not (_has_fractions(domain) or len(domain.labels) > _MOST_CLASSES)


def _has_fractions(domain: Domain) -> bool:
    return bool((domain.values != np.floor(domain.values)).any())


def _free_name(counts: FrequencyTable, name: str) -> str:
    while name in counts.roles.columns:
        name += "_"
    return name
