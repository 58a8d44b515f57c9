"""Limits on levels, kept for every method: what it sees is never finer, and each part that it sees has its own top.

The values of a limited column become the nodes of its finest level. The records are divided by the nodes that the
limited columns have at their coarsest levels, and the method is fitted to each part by itself. All records of a part
are below one node, which takes the place of whatever the method publishes above it, also of ``*``. So no group crosses
a limit, whatever the method does.

A part that cannot meet the requirements is lost as a whole, within the suppression limit. The rest of the limit is
shared among the parts by their records. t-closeness compares with all remaining records.

Records with the same nodes are alike to the method. If it divides them among groups, their order is drawn at random:
their original values must not decide, as groups would then reveal something finer than the finest level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from hedgerow._internal.arrays import Ints, Longs, tabulate
from hedgerow.anonymizers.budget import Fit
from hedgerow.core.cells import PublishedColumn
from hedgerow.core.counts import Counted, FrequencyTable, LargeTable
from hedgerow.core.recoding import (
    ByLabel,
    ColumnMap,
    PartRouter,
    Pieces,
    Recoding,
    RoutedPart,
    label_column,
)
from hedgerow.errors import Infeasible, plural, required
from hedgerow.hierarchies import EncodedHierarchy, Nodes, finest_nodes
from hedgerow.io.domains import CodeSets
from hedgerow.requirements import Requirement, context_of, unreachable

__all__ = [
    "Generalized",
    "Smaller",
    "cannot_keep",
    "concatenated",
    "dividing_columns",
    "fit_within_levels",
    "limited_columns",
    "refuse_levels",
    "top_of_codes",
]

Table = TypeVar("Table", FrequencyTable, LargeTable)


def limited_columns(counts: Counted) -> list[int]:
    """The places of the quasi-identifiers whose levels are limited."""
    return [at for at, name in enumerate(counts.quasi) if counts.hierarchies[name].limits is not None]


def fit_within_levels(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], allowed: int, seed: int | None
) -> Recoding:
    """Fit a method so that it keeps the limits of all columns.

    Parameters
    ----------
    fit : callable
        Fits a table under requirements, with a number of records that may be lost.
    counts : FrequencyTable
    requirements : sequence of Requirement
    allowed : int
        How many records may be lost.
    seed : int, optional
        Decides which of the records that are alike to the method go to which group.
    """
    parts = _parts(counts)
    # Before anything is fitted: parts that are too small.
    kept = [not unreachable(requirements, context_of(part.merged, requirements)) for part in parts]
    while True:
        left = allowed - sum(part.records for part, keeps in zip(parts, kept, strict=True) if not keeps)
        if left < 0 or not any(kept):
            raise cannot_keep(counts, requirements, allowed)
        remaining = [part for part, keeps in zip(parts, kept, strict=True) if keeps]
        fitted = [_fitted(fit, part, remaining, requirements, left) for part in remaining]
        if all(recoding is not None for recoding in fitted):
            joined = [(part, recoding) for part, recoding in zip(remaining, fitted, strict=True) if recoding]
            return _Joined(counts, joined, len(parts), np.random.default_rng(seed)).recoding()
        results = iter(fitted)
        kept = [keeps and next(results) is not None for keeps in kept]


def _fitted(
    fit: Fit, part: _Part, remaining: Sequence[_Part], requirements: Sequence[Requirement], left: int
) -> Recoding | None:
    """Fit a part with its share of the records that may still be lost; ``None`` if it cannot meet the requirements."""
    if part.records == part.counts.rows:
        return fit(part.merged, requirements, left)
    # What one part loses would change the distribution that the others are compared with.
    compares = len(remaining) > 1 and any(requirement.compares for requirement in requirements)
    share = 0 if compares else left * part.records // sum(one.records for one in remaining)
    table = part.within(remaining)
    if unreachable(requirements, context_of(table, requirements)):
        return None
    with suppress(Infeasible):
        return fit(table, requirements, share)
    return None


class Smaller(NamedTuple):
    """The parts into which the limits of some columns divide the records.

    Attributes
    ----------
    columns : tuple of int
    parts : int
    failing : int
        How many of them are smaller than a class must be.
    records : int
        The records of these.
    """

    columns: tuple[int, ...]
    parts: int
    failing: int
    records: int


def cannot_keep(counts: FrequencyTable, requirements: Sequence[Requirement], allowed: int) -> Infeasible:
    """The error for limits that cannot be kept; it names the column that forces most records apart."""
    needed = max(requirement.minimal_size for requirement in requirements)
    columns = dividing_columns(counts)
    found = []
    for chosen in [*((at,) for at in columns), tuple(columns)]:
        _, index = np.unique(_tops(counts, chosen), axis=0, return_inverse=True)
        sizes = np.bincount(index.reshape(-1), counts.tuple_sizes).astype(np.int64)
        few = sizes < needed
        found.append(Smaller(chosen, len(sizes), int(few.sum()), int(sizes[few].sum())))
    worst = max(found[:-1], key=lambda one: one.records)
    return refuse_levels(counts, requirements, worst if worst.records > allowed else found[-1], allowed)


def refuse_levels(counts: Counted, requirements: Sequence[Requirement], parts: Smaller, allowed: int) -> Infeasible:
    """The error for limits that cannot be kept, with the way out."""
    names = [counts.quasi[at] for at in parts.columns]
    levels = [_hierarchy(counts, at).coarsest for at in parts.columns]
    at_most = ", ".join(f"{name!r} at most at level {level}" for name, level in zip(names, levels, strict=True))
    why = "not all of them can meet it by themselves"
    if parts.failing:
        why = f"{parts.failing:,} of them with {plural(parts.records, 'records')} are too small"
    finest, coarser = _hierarchy(counts, parts.columns[0]).finest, levels[0] + 1
    return Infeasible(
        f"{', '.join(map(str, requirements))} cannot be met with {at_most}: that keeps {plural(parts.parts, 'parts')} "
        f"of the records apart, and {why}. {plural(allowed, 'records')} may be lost. Allow a coarser level "
        f"(levels={{{names[0]!r}: ({finest}, {coarser})}}, --level {names[0]}={finest}:{coarser}), let more records "
        "be lost (suppression_limit=, --suppression-limit), or lower the requirement."
    )


def dividing_columns(counts: Counted) -> list[int]:
    """The places of the limited columns that may not be suppressed altogether."""
    return [at for at in limited_columns(counts) if _hierarchy(counts, at).coarsest < _hierarchy(counts, at).height]


def _hierarchy(counts: Counted, at: int) -> EncodedHierarchy:
    return counts.hierarchies[counts.quasi[at]]


def _tops(counts: FrequencyTable, columns: Iterable[int]) -> Ints:
    """The nodes of each tuple at the coarsest levels of some columns, (tuples, columns)."""
    return np.stack([top_of_codes(counts, at)[counts.tuples[:, at]] for at in columns], axis=1)


def top_of_codes(counts: Counted, at: int) -> Ints:
    """The node of each value of a column at its coarsest level."""
    hierarchy = _hierarchy(counts, at)
    nodes: Ints = hierarchy.at_level[hierarchy.coarsest]
    return nodes


# --------------------------------------------------------------------------------------------------
# The parts of a table, with the nodes at the finest levels as values.


@dataclass(frozen=True, eq=False)
class Generalized:
    """The limited columns of a table by their places, with the nodes at their finest levels."""

    columns: Mapping[int, Nodes]

    @classmethod
    def of(cls, counts: Counted) -> Generalized:
        """Of the limited columns of a table."""
        of_columns = ((at, counts.quasi[at]) for at in limited_columns(counts))
        return cls({at: finest_nodes(counts.hierarchies[name], counts.domains[name]) for at, name in of_columns})

    def described(self, counts: Table) -> Table:
        """The table with the domains and hierarchies of the nodes; its codes stay those of values."""
        named = {counts.quasi[at]: nodes for at, nodes in self.columns.items()}
        return replace(
            counts,
            domains={**counts.domains, **{name: nodes.domain for name, nodes in named.items()}},
            hierarchies={**counts.hierarchies, **{name: nodes.hierarchy for name, nodes in named.items()}},
        )

    def counted(self, counts: FrequencyTable) -> FrequencyTable:
        """The same cells with nodes for values; tuples that became alike stay apart."""
        tuples = counts.tuples.copy()
        for at, nodes in self.columns.items():
            tuples[:, at] = nodes.code[tuples[:, at]]
        return replace(self.described(counts), tuples=tuples, links=None)

    def orders(self, orders: Sequence[Ints]) -> tuple[Ints, ...]:
        """The ranks of values, from the ranks of their nodes."""
        return tuple(
            order[self.columns[at].code].astype(np.int32) if at in self.columns else order
            for at, order in enumerate(orders)
        )


@dataclass(frozen=True, eq=False)
class _Part:
    """The records below certain nodes of the limited columns.

    Attributes
    ----------
    counts : FrequencyTable
        The whole table.
    nodes : Generalized
    top : mapping of int to int
        The node above all records of the part in each limited column, by its place.
    cells : int array
        The cells of the whole table that are in this part.
    merged : FrequencyTable
        The part with nodes for values.
    cell_of : int array
        The cell of ``merged`` for each of ``cells``.
    """

    counts: FrequencyTable
    nodes: Generalized
    top: Mapping[int, int]
    cells: Longs
    merged: FrequencyTable
    cell_of: Longs

    @property
    def records(self) -> int:
        """The number of its records."""
        return self.merged.rows

    def within(self, others: Sequence[_Part]) -> FrequencyTable:
        """The part as a part of the table that it makes up with others."""
        cells = np.concatenate([part.cells for part in others])
        whole = {
            name: np.bincount(
                self.counts.values_of(name)[cells], self.counts.cell_sizes[cells], self.counts.domains[name].size
            ).astype(np.int64)
            for name in self.counts.cell_columns
        }
        return replace(self.merged, whole=whole)


def _parts(counts: FrequencyTable) -> list[_Part]:
    """The parts of a table, in the order of their nodes."""
    columns, nodes = limited_columns(counts), Generalized.of(counts)
    tops, of_tuple = np.unique(_tops(counts, columns), axis=0, return_inverse=True)
    of_cell = of_tuple.reshape(-1)[counts.cell_tuple]
    order = np.argsort(of_cell, kind="stable")
    starts = np.searchsorted(of_cell[order], np.arange(len(tops) + 1))
    generalized = nodes.counted(counts)
    parts = []
    for number, top in enumerate(tops.tolist()):
        cells = order[starts[number] : starts[number + 1]]
        merged, cell_of = _merged(generalized, cells)
        parts.append(_Part(counts, nodes, dict(zip(columns, top, strict=True)), cells, merged, cell_of))
    return parts


def _merged(counts: FrequencyTable, cells: Longs) -> tuple[FrequencyTable, Longs]:
    """Some cells as a table, in which those that are alike are one; also the new number of each."""
    keys, values = counts.tuples[counts.cell_tuple[cells]], counts.cell_values[cells]
    sizes = [counts.domains[name].size for name in counts.quasi]
    widths = [int(column.max(initial=0)) + 1 for column in values.T]
    found, of_cell = tabulate([*keys.T, *values.T], [*sizes, *widths], len(cells))
    tuples, cell_tuple = tabulate(list(found[:, : len(sizes)].T), sizes, len(found))
    records = np.bincount(of_cell, counts.cell_sizes[cells], len(found)).astype(np.int64)
    table = replace(
        counts,
        tuples=np.ascontiguousarray(tuples, dtype=np.int32),
        tuple_sizes=np.bincount(cell_tuple, records, len(tuples)).astype(np.int64),
        cell_tuple=cell_tuple.astype(np.int32),
        cell_values=np.ascontiguousarray(found[:, len(sizes) :], dtype=np.int32),
        cell_sizes=records,
    )
    return table, of_cell.astype(np.int64)


# --------------------------------------------------------------------------------------------------
# The recodings of all parts as one recoding of the whole table.


class _Joined:
    """The recodings of the parts of a table.

    Parameters
    ----------
    counts : FrequencyTable
        The whole table.
    fitted : sequence of pairs
        The parts that are published, with their recodings.
    parts : int
        How many parts there are.
    random : Generator
        Decides the order of the records that are alike to the method.
    """

    def __init__(
        self, counts: FrequencyTable, fitted: Sequence[tuple[_Part, Recoding]], parts: int, random: np.random.Generator
    ) -> None:
        self._counts, self._fitted, self._parts, self._random = counts, fitted, parts, random
        numbers = [len(recoding.groups) for _, recoding in fitted]
        self._first = np.cumsum([0, *numbers[:-1]])

    def recoding(self) -> Recoding:
        """All groups with their records, and what they publish."""
        columns, values = self._columns()
        groups = np.stack(
            [
                np.concatenate(
                    [of_part[recoding.groups[:, at]] for of_part, (_, recoding) in zip(ways, self._fitted, strict=True)]
                )
                for at, ways in enumerate(values)
            ],
            axis=1,
        ).astype(np.int32)
        pieces = self._pieces()
        recodings = [recoding for _, recoding in self._fitted]
        first, alone = recodings[0], self._parts == 1
        lost = self._parts - len(recodings)
        facts = first.facts if alone else {"parts": self._parts, "parts_lost": lost}
        return replace(
            first,
            columns=columns,
            groups=groups,
            sizes=pieces.sizes(len(groups)),
            pieces=pieces,
            router=self._router(columns, values),
            levels=self._levels(first) if alone else None,
            facts=facts,
            warnings=tuple(dict.fromkeys(chain.from_iterable(recoding.warnings for recoding in recodings))),
            weak=next((recoding.weak for recoding in recodings if recoding.weak is not None), None),
            by_label=_by_label(recodings),
        )

    def _levels(self, recoding: Recoding) -> dict[str, int] | None:
        """The levels of a full-domain recoding, counted from the values as they are."""
        if recoding.levels is None:
            return None
        return {name: level + self._counts.hierarchies[name].finest for name, level in recoding.levels.items()}

    def _columns(self) -> tuple[tuple[PublishedColumn, ...], list[list[Ints]]]:
        """The published columns, and per column and part where each value of the part is among all."""
        columns, values = [], []
        for at, name in enumerate(self._counts.quasi):
            hierarchy = self._counts.hierarchies[name]
            if hierarchy.limits is None:
                column = concatenated([recoding.columns[at] for _, recoding in self._fitted])
                sizes = [len(recoding.columns[at]) for _, recoding in self._fitted]
                index = np.arange(len(column), dtype=np.int32)
            else:
                nodes = [_nodes(recoding.columns[at], part, at) for part, recoding in self._fitted]
                column, index = label_column(self._counts.domains[name], hierarchy, np.concatenate(nodes))
                sizes = [len(of_part) for of_part in nodes]
            columns.append(column)
            values.append(np.split(index, np.cumsum(sizes)[:-1]))
        return tuple(columns), values

    def _pieces(self) -> Pieces:
        """The pieces of the cells of the whole table."""
        cells, groups, sizes = [], [], []
        published = np.zeros(len(self._counts.cell_sizes), dtype=bool)
        for first, (part, recoding) in zip(self._first.tolist(), self._fitted, strict=True):
            cell, group, size = _dealt(part, required(recoding.pieces, "the pieces of a recoding"), self._random)
            cells.append(cell)
            groups.append(np.where(group < 0, -1, group + first))
            sizes.append(size)
            published[part.cells] = True
        rest = np.flatnonzero(~published)
        return Pieces.gathered(
            np.concatenate([*cells, rest]).astype(np.int32),
            np.concatenate([*groups, np.full(len(rest), -1)]).astype(np.int32),
            np.concatenate([*sizes, self._counts.cell_sizes[rest]]),
        )

    def _router(self, columns: Sequence[PublishedColumn], values: Sequence[Sequence[Ints]]) -> PartRouter | None:
        """How unseen rows find their part, and are recoded there; none if some part has no router."""
        parts = []
        for number, (part, recoding) in enumerate(self._fitted):
            router = recoding.router
            if router is None or isinstance(router, PartRouter):
                return None
            groups = np.arange(len(recoding.groups), dtype=np.int32) + np.int32(self._first[number])
            nodes = {at: _nodes_of_part(self._counts, at, part) for at in part.top}
            kept = tuple(of_column[number] for of_column in values)
            parts.append(RoutedPart(router, nodes, groups, kept))
        maps, codes = {}, {}
        for at, of_column in self._fitted[0][0].nodes.columns.items():
            hierarchy = _hierarchy(self._counts, at)
            maps[at] = ColumnMap(hierarchy, np.arange(len(hierarchy.parent), dtype=np.int32))
            codes[at] = np.full(len(of_column.node), -1, dtype=np.int32)
            codes[at][of_column.hierarchy.leaf_of] = np.arange(of_column.domain.size, dtype=np.int32)
        return PartRouter(maps, codes, parts)


def _nodes_of_part(counts: FrequencyTable, at: int, part: _Part) -> Ints:
    """For every node of a hierarchy the node of the part at or above it; -1 if it is not at or below its top."""
    hierarchy, node = _hierarchy(counts, at), part.nodes.columns[at].node
    place = np.full(len(hierarchy.parent), -1, dtype=np.int32)
    place[node] = np.arange(len(node), dtype=np.int32)
    inside = np.zeros(len(hierarchy.parent), dtype=bool)
    inside[part.top[at]] = True
    for below in range(part.top[at] + 1, len(inside)):
        above = hierarchy.parent[below]
        inside[below] = inside[above]
        if place[below] < 0:
            place[below] = place[above]
    return np.where(inside, place, -1).astype(np.int32)


def _nodes(column: PublishedColumn, part: _Part, at: int) -> Ints:
    """The node of the whole hierarchy that stands for each published value of a limited column in a part."""
    nodes, hierarchy = part.nodes.columns[at], _hierarchy(part.counts, at)
    top = part.top[at]
    hidden = np.array(column.kinds, dtype=np.str_) == "suppressed"
    if column.nodes is not None:
        found = nodes.node[column.nodes]
    else:
        covered = column.covered
        hidden |= covered.sizes == 0
        found = hierarchy.lca(
            covered.reduce(np.minimum, nodes.of_code, empty=top), covered.reduce(np.maximum, nodes.of_code, empty=top)
        )
    # All records of the part are below its top.
    return np.where(hidden | (hierarchy.lca(found, top) != top), top, found).astype(np.int32)


def _dealt(part: _Part, pieces: Pieces, random: np.random.Generator) -> tuple[Longs, Longs, Longs]:
    """The pieces of a part as pieces of the cells of the whole table; cells that are alike come in a random order."""
    sizes = part.counts.cell_sizes[part.cells]
    order = np.lexsort((random.permutation(len(part.cells)), part.cell_of))
    ends = np.cumsum(sizes[order])
    piece_ends = np.cumsum(pieces.size)
    # Both divide the same line of records, cell by cell of the part.
    bounds = np.union1d(ends, piece_ends)
    starts = np.concatenate([[0], bounds[:-1]])
    cell = part.cells[order][np.searchsorted(ends, starts, side="right")]
    group = pieces.group[np.searchsorted(piece_ends, starts, side="right")].astype(np.int64)
    return cell, group, (bounds - starts).astype(np.int64)


def concatenated(columns: Sequence[PublishedColumn]) -> PublishedColumn:
    """The published values of several parts, one part after the other."""
    if len(columns) == 1:
        return columns[0]
    sets = [column.covered for column in columns]
    before = np.cumsum([0, *(len(one.first) for one in sets)])
    starts = [one.starts[:-1] + begin for one, begin in zip(sets, before[:-1].tolist(), strict=True)]
    nodes = [column.nodes for column in columns if column.nodes is not None]
    return PublishedColumn(
        columns[0].domain,
        tuple(chain.from_iterable(column.texts for column in columns)),
        tuple(chain.from_iterable(column.kinds for column in columns)),
        CodeSets(
            np.concatenate([*starts, before[-1:]]).astype(np.int64),
            np.concatenate([one.first for one in sets]),
            np.concatenate([one.last for one in sets]),
        ),
        np.concatenate(nodes) if len(nodes) == len(columns) else None,
    )


def _by_label(recodings: Sequence[Recoding]) -> ByLabel | None:
    """The label margins that the parts ask for, if all of them ask; regions of different parts are different."""
    asked = [recoding.by_label for recoding in recodings]
    known = [one for one in asked if one is not None]
    if len(known) < len(asked):
        return None
    deepest = max(len(one.regions) for one in known)
    regions, before = [], 0
    for one in known:
        # A part with fewer levels repeats its last.
        levels = np.concatenate([one.regions, np.repeat(one.regions[-1:], deepest - len(one.regions), axis=0)])
        regions.append(levels + before)
        before += int(levels.max()) + 1
    weights = np.array([recoding.sizes.sum() for recoding in recodings], dtype=np.float64)
    strengths = np.average([one.strengths for one in known], axis=0, weights=weights)
    return ByLabel(np.concatenate(regions, axis=1), strengths, max(one.least for one in known))
