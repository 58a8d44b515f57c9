"""Counts of a table whose distinct tuples do not fit into memory: an engine keeps them, and provides parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from hedgerow._internal.arrays import Ints, Longs, Words
from hedgerow.core.counts._encoding import EncodedColumn
from hedgerow.core.counts._table import Counted, FrequencyTable, remarks_of
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain
from hedgerow.schema import Roles

__all__ = [
    "CodedTuples",
    "FirstCuts",
    "Grouped",
    "LargeTable",
    "MemoryLimit",
    "Part",
    "Sets",
    "SpreadTuples",
    "Tally",
    "ValueTally",
]


class FirstCuts(NamedTuple):
    """A tree of cuts by ranks that divides tuples among leaves, which are numbered from left to right.

    A rank that is at most the threshold goes left, or only the one at it where ``single`` is set. A child is a node, or
    the leaf ``-1 - child``. A tree without nodes is the leaf 0.
    """

    column: Sequence[int]
    threshold: Sequence[int]
    single: Sequence[bool]
    left: Sequence[int]
    right: Sequence[int]


class Sets(NamedTuple):
    """The columns that are collected as sets: their places, the first bit of each, and the words of a set."""

    columns: Sequence[int]
    first: Sequence[int]
    width: int


class Tally(NamedTuple):
    """The contents of some leaves, by the rank of one column: one row for each leaf and rank that occurs.

    Attributes
    ----------
    leaf, rank : int arrays
    cells, records : int arrays
        How many there are.
    low, high : int arrays (rows, spanned columns)
        The least and the greatest rank.
    words : array (rows, words)
        One bit for each rank that occurs in the columns that are collected as sets.
    """

    leaf: Longs
    rank: Longs
    cells: Longs
    records: Longs
    low: Ints
    high: Ints
    words: Words


class ValueTally(NamedTuple):
    """How many records of each leaf and rank have which code of a target or sensitive column."""

    leaf: Longs
    rank: Longs
    code: Longs
    records: Longs


class CodedTuples(Protocol):
    """The coded cells of a table as an engine keeps them, out of memory.

    To choose its first cuts, a method reads sums, extremes and unions over all cells, by one grouped query for each
    column. Then the cells are put in the order of the leaves, once, and each leaf is fetched by itself.
    """

    def rank(self, orders: Sequence[Ints]) -> None:
        """Lay the cells out by the ranks of their codes in each quasi-identifier, before the first cut."""
        ...

    def tally(self, cuts: FirstCuts, leaves: Sequence[int], column: int, spanned: Sequence[int], sets: Sets) -> Tally:
        """The contents of some leaves, by the rank of a quasi-identifier."""
        ...

    def tally_values(self, cuts: FirstCuts, leaves: Sequence[int], column: int, name: str) -> ValueTally:
        """How often the values of a target or sensitive column occur in some leaves, by the rank of a column."""
        ...

    def divide(self, cuts: FirstCuts, leaves: int) -> Longs:
        """Number the cells in the order of the leaves, and within a leaf in lexicographic order.

        The numbers of a leaf go from ``starts[leaf]`` up to ``starts[leaf + 1]``.
        """
        ...

    def arrange(self, groups: int) -> Longs:
        """Number the cells anew in the order of their groups, and within a group in lexicographic order.

        Afterwards they have no groups. The numbers of a group go from ``starts[group]`` up to ``starts[group + 1]``.
        """
        ...

    def part(self, start: int, end: int) -> FrequencyTable:
        """The cells in a range of numbers; within a leaf they are in lexicographic order."""
        ...

    def assign(self, start: int, groups: Ints) -> None:
        """Store the groups of the cells from a number on."""
        ...

    def assigned(self, start: int, end: int) -> Ints:
        """The groups of the cells in a range of numbers."""
        ...

    def codes(self, cells: Longs | Ints) -> Ints:
        """The codes of all counted columns that a few cells have, those of the quasi-identifiers first."""
        ...


class Part(NamedTuple):
    """A leaf that a method works on by itself.

    Attributes
    ----------
    start, end : int
        The numbers of its cells.
    others : int
        The number of groups before its own that are not from earlier parts.
    """

    start: int
    end: int
    others: int


class Grouped(NamedTuple):
    """The result of work on a part: the group of each cell, from 0 on, the number of groups, and other findings."""

    groups: Ints
    number: int
    found: Any


Work = Callable[[FrequencyTable], Grouped]


@runtime_checkable
class SpreadTuples(Protocol):
    """Tuples on several machines, which can work on them where they are; not every engine offers it."""

    def finish(self, parts: Sequence[Part], work: Work) -> list[Any] | None:
        """Work on each part where it is, and store the groups of its cells; ``None`` if the machines there cannot.

        The work is pickled. Returns the other findings of each part.
        """
        ...


@dataclass(frozen=True)
class MemoryLimit:
    """How many cells fit into memory at once, the name of this limit, and how to raise it."""

    most: int
    name: str = "the memory limit"
    advice: str = "Raise the limit (--memory-limit)"

    def exceeded(self, cells: int, above: str) -> BadInput:
        """The error for a table that is too large; ``above`` names what is impossible above the limit."""
        return BadInput(
            f"The table has {cells:,} distinct tuples of the counted columns, and {self.most:,} of them fit into "
            f"{self.name}. Above that {above}. {self.advice}, or generalize columns beforehand."
        )


@dataclass(frozen=True, eq=False)
class LargeTable(Counted):
    """How many records share each combination of values, out of memory.

    Attributes
    ----------
    roles, domains, hierarchies, remarks
        As those of a :class:`FrequencyTable`, and so is ``whole``.
    records : int
        The number of records.
    cells : int
        The distinct combinations of all counted columns.
    limit : MemoryLimit
        How many of them fit into memory at once.
    kept : CodedTuples
        The cells themselves.
    """

    roles: Roles
    domains: Mapping[str, Domain]
    records: int
    cells: int
    limit: MemoryLimit
    kept: CodedTuples
    hierarchies: Mapping[str, EncodedHierarchy] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    whole: Mapping[str, Longs] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        roles: Roles,
        columns: Mapping[str, EncodedColumn],
        records: int,
        cells: int,
        limit: MemoryLimit,
        kept: CodedTuples,
    ) -> LargeTable:
        """The counts of encoded columns whose cells are kept somewhere."""
        domains = {name: columns[name].domain for name in roles.counted}
        remarks = remarks_of(columns[name] for name in roles.counted)
        return cls(roles, domains, records, cells, limit, kept, remarks=remarks)

    @property
    def most(self) -> int:
        """How many cells fit into memory at once."""
        return self.limit.most

    def exceeds(self, above: str) -> BadInput:
        """The error for a task that is impossible with so many cells."""
        return self.limit.exceeded(self.cells, above)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.records

    @property
    def people(self) -> int:
        """The number of records: no column identifies people in so large a table."""
        return self.records

    def histogram(self, column: str) -> Longs:
        """How many records have each value of a counted column."""
        domain = self.domains[column]
        known = np.zeros(0, dtype=np.int64) if domain.records is None else domain.records
        return np.append(known, self.records - known.sum()) if domain.has_missing else known

    def quasi_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the quasi-identifiers that a few cells have."""
        return self.kept.codes(cells)[:, : len(self.quasi)]

    def value_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the target and the sensitive columns that a few cells have."""
        return self.kept.codes(cells)[:, len(self.quasi) :]

    def with_hierarchies(self, hierarchies: Mapping[str, EncodedHierarchy]) -> LargeTable:
        """The same counts with the hierarchies of the quasi-identifiers."""
        return replace(self, hierarchies=hierarchies)

    def part(self, start: int, end: int) -> FrequencyTable:
        """The cells in a range of numbers, in memory."""
        return self.kept.part(start, end).with_hierarchies(self.hierarchies)

    def chunk(self, start: int, end: int) -> FrequencyTable:
        """As many cells from a number on as fit into memory, all cells of a tuple together."""
        last = min(start + self.most, end)
        counts = self.part(start, last)
        if last < end and len(counts.tuples) > 1:
            # The last tuple may go on.
            counts = self.part(start, start + int(np.searchsorted(counts.cell_tuple, len(counts.tuples) - 1)))
        return counts

    def chunks(self, start: int, end: int) -> Iterator[tuple[int, FrequencyTable]]:
        """The cells in a range of numbers, as many at a time as fit into memory, with the number of the first."""
        while start < end:
            counts = self.chunk(start, end)
            yield start, counts
            start += len(counts.cell_sizes)

    def finish(self, parts: Sequence[Part], work: Work) -> list[Any]:
        """Work on each part, and store the groups of its cells; returns the other findings.

        The work is done where the cells are kept, if possible, or else here, part by part.
        """
        if isinstance(self.kept, SpreadTuples):
            results = self.kept.finish(parts, partial(_with_hierarchies, self.hierarchies, work))
            if results is not None:
                return results
        results, before = [], 0
        for part in parts:
            done = work(self.part(part.start, part.end))
            self.kept.assign(part.start, done.groups + np.int32(before + part.others))
            before += done.number
            results.append(done.found)
        return results


def _with_hierarchies(hierarchies: Mapping[str, EncodedHierarchy], work: Work, counts: FrequencyTable) -> Grouped:
    return work(counts.with_hierarchies(hierarchies))
