"""The meaning of a table's cells in a column: a node, or, for a set or an interval, several nodes below another.

A set covers its members; a set of all values of a node equals that node. An interval covers the known numbers in it;
without any, it covers the finest intervals that it overlaps, by width. Both have a lowest node above everything they
cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import CellKind, Interval, ValueSet, Vocabulary
from hedgerow.core.proportions import Spread
from hedgerow.errors import BadInput, InternalError
from hedgerow.hierarchies import NOWHERE
from hedgerow.learning.encoders._column import Column, Unknown
from hedgerow.learning.encoders._nodes import ROOT

__all__ = ["Covers", "covers_of", "shares_of_classes", "shares_of_covers"]


@dataclass(frozen=True, eq=False)
class Covers:
    """The meanings of the distinct cells of a table in a column.

    Attributes
    ----------
    of_cell : int array (cells,)
        The meaning of each cell; cells at the same node share a meaning.
    node : int array (meanings,)
        The lowest node above everything that the cell covers.
    whole : bool array (meanings,)
        Whether the cell covers that whole node; otherwise it is a set or an interval that covers a part of it.
    texts : tuple of str
        The texts of sets and intervals that are not nodes, in the order of ``parted``.
    spread, frequent : csr array (meanings, nodes)
        The number of values of a set or an interval at each node; the same, weighted by the rows that publish them
        alone.
    inside : csr array (meanings, nodes)
        The nodes that lie entirely in a set or an interval.
    """

    of_cell: Longs
    node: Longs
    whole: Bools
    texts: tuple[str, ...]
    spread: csr_array
    frequent: csr_array
    inside: csr_array

    @property
    def parted(self) -> Longs:
        """The meanings that are sets or intervals, not nodes."""
        return np.flatnonzero(~self.whole)


def covers_of(column: Column, cells: Vocabulary, unknown: Unknown) -> Covers:
    """Find the meanings of the distinct cells of a table."""
    if "text" not in (cells.stored, column.kind) and cells.stored != column.kind:
        raise _of_another_kind(column, cells)
    cells = column.read(cells)
    node = np.full(len(cells), ROOT, dtype=np.int64)
    values = cells.which(CellKind.VALUE)
    node[values], known = column.place([cells.texts[at] for at in values.tolist()], cells.numbers[values], unknown)
    if _is_no_text(column, cells, known):
        raise _of_another_kind(column, cells)
    absent = cells.which(CellKind.MISSING)
    if len(absent) and column.nodes.missing == NOWHERE:
        column.refuse_unknown(1, unknown)
    elif len(absent):
        node[absent] = column.nodes.missing
    apart: dict[int, ValueSet | Interval] = {}
    for at, several in cells.several.items():
        node[at] = column.places.get(cells.texts[at], column.places.get(str(several), NOWHERE))
        if node[at] == NOWHERE:
            apart[at] = several
    return _Parts(column, len(cells), apart, unknown).covers(node)


def _is_no_text(column: Column, cells: Vocabulary, known: Bools) -> bool:
    """Whether a column that held text now has other values only. Without any label it has not revealed its kind."""
    was_text = column.kind == "text" and len(column.domain.labels) > 0
    return was_text and cells.stored != "text" and len(known) > 0 and not known.any()


def _of_another_kind(column: Column, cells: Vocabulary) -> BadInput:
    held = "text" if column.kind == "text" else f"{column.kind}s"
    return BadInput(
        f"The column {column.name!r} held {held} in training and holds {cells.stored}s now. Make it {held}."
    )


class _Covered(NamedTuple):
    """The values that cells cover: their nodes and weights, and how many of them the column knows."""

    cell: Longs
    node: Longs
    weight: Floats
    frequent: Floats
    counted: Floats


class _Parts:
    """The sets and intervals of a table, with the number of their values at each node."""

    def __init__(self, column: Column, size: int, cells: Mapping[int, ValueSet | Interval], unknown: Unknown) -> None:
        self.column = column
        self.size = size
        self.cells = cells
        sets = {at: list(cell.members) for at, cell in cells.items() if isinstance(cell, ValueSet)}
        intervals = [self._interval(at, cell) for at, cell in cells.items() if isinstance(cell, Interval)]
        self.entries = _Covered(*map(np.concatenate, zip(self._sets(sets, unknown), *intervals, strict=True)))

    def _interval(self, at: int, interval: Interval) -> _Covered:
        """The known numbers in an interval; without any, the finest intervals that it overlaps, weighted by width."""
        column = self.column
        first = int(np.searchsorted(column.known, interval.low, side="left"))
        last = int(np.searchsorted(column.known, interval.high, side="right" if interval.closed else "left"))
        nodes = len(column.nodes)
        if first < last:
            at_nodes = column.known_node[first:last]
            weight = np.bincount(at_nodes, minlength=nodes).astype(np.float64)
            frequent = np.bincount(at_nodes, column.known_alone[first:last], nodes).astype(np.float64)
        else:
            weight = frequent = self._overlap(interval)
        held = np.flatnonzero(weight)
        return _Covered(np.full(len(held), at), held, weight[held], frequent[held], weight[held])

    def _overlap(self, interval: Interval) -> Floats:
        nodes = self.column.nodes
        weight = np.zeros(len(nodes))
        if nodes.low is not None and nodes.high is not None:
            low, high = nodes.spans
            common = np.minimum(high, interval.high) - np.maximum(low, interval.low)
            weight = np.where(nodes.finest, np.nan_to_num(np.maximum(common, 0.0)), 0.0)
        if not weight.any():
            weight[ROOT] = 1.0
        return weight

    def _sets(self, sets: Mapping[int, list[str | None]], unknown: Unknown) -> _Covered:
        """The members of all sets, placed at once."""
        column = self.column
        listed = list(chain.from_iterable(sets.values()))
        distinct = dict.fromkeys(listed)
        present = [member for member in distinct if member is not None]
        numbers = np.array([column.number_of(member) for member in present], dtype=np.float64)
        nodes, known = column.place(present, numbers, unknown)
        if column.by_ends:
            known &= column.is_known(numbers)
        # The missing member comes after the others.
        missing = column.nodes.missing
        if None in distinct and missing == NOWHERE:
            column.refuse_unknown(1, unknown)
        nodes = np.append(nodes, max(missing, ROOT))
        known = np.append(known, missing != NOWHERE)
        frequent = np.append(self._frequencies(present, numbers), 0.0 if missing == NOWHERE else column.alone[missing])
        code: dict[str | None, int] = {member: at for at, member in enumerate([*present, None])}
        sizes = np.array(list(map(len, sets.values())), dtype=np.int64)
        cell = np.repeat(np.array(list(sets), dtype=np.int64), sizes)
        member = np.array([code[value] for value in listed], dtype=np.int64)
        return _Covered(cell, nodes[member], np.ones(len(member)), frequent[member], known[member].astype(np.float64))

    def _frequencies(self, texts: list[str], numbers: Floats) -> Floats:
        """The number of rows that published each value alone."""
        column = self.column
        if column.kind != "number" or not len(column.known):
            return np.array([column.alone_text.get(text, 0.0) for text in texts], dtype=np.float64)
        at = np.minimum(np.searchsorted(column.known, numbers), len(column.known) - 1)
        return np.where(column.known[at] == numbers, column.known_alone[at], 0.0)

    def _lowest(self) -> tuple[Longs, Bools]:
        """For each cell the lowest node above everything it covers, and whether it is a set of all values there."""
        nodes, entries = self.column.nodes, self.entries
        first = np.full(self.size, len(nodes), dtype=np.int64)
        last = np.full(self.size, ROOT, dtype=np.int64)
        np.minimum.at(first, entries.cell, entries.node)
        np.maximum.at(last, entries.cell, entries.node)
        lowest = nodes.lca(np.minimum(first, last), last)
        counted = np.bincount(entries.cell, entries.counted, self.size)
        exact = np.zeros(self.size, dtype=bool)
        for at, several in self.cells.items():
            if isinstance(several, ValueSet):
                exact[at] = counted[at] == nodes.total[lowest[at]]
            elif self.column.by_ends:
                while not nodes.holds(int(lowest[at]), several):
                    lowest[at] = nodes.parent[lowest[at]]
        return lowest, exact

    def covers(self, node: Longs) -> Covers:
        """Give cells at the same node one meaning, and every set or interval that is not a node its own."""
        whole = np.ones(self.size, dtype=bool)
        several = np.array(list(self.cells), dtype=np.int64)
        lowest, exact = self._lowest()
        node[several], whole[several] = lowest[several], exact[several]
        held, of_whole = np.unique(node[whole], return_inverse=True)
        apart = np.flatnonzero(~whole)
        of_cell = np.empty(self.size, dtype=np.int64)
        of_cell[whole] = of_whole
        of_cell[apart] = len(held) + np.arange(len(apart))
        entries = self.entries
        used = ~whole[entries.cell]
        pairs = (of_cell[entries.cell[used]], entries.node[used])
        shape = (len(held) + len(apart), len(self.column.nodes))
        return Covers(
            of_cell,
            np.concatenate([held, node[apart]]),
            np.arange(shape[0]) < len(held),
            tuple(str(self.cells[at]) for at in apart.tolist()),
            csr_array((entries.weight[used], pairs), shape=shape),
            csr_array((entries.frequent[used], pairs), shape=shape),
            self._inside(csr_array((entries.counted[used], pairs), shape=shape), of_cell, whole),
        )

    def _inside(self, counted: csr_array, of_cell: Longs, whole: Bools) -> csr_array:
        """The nodes entirely inside each set (all their values are members) or interval (by its ends)."""
        nodes = self.column.nodes
        by_ends = {
            int(of_cell[at]): nodes.inside(cell)
            for at, cell in self.cells.items()
            if isinstance(cell, Interval) and self.column.by_ends and not whole[at]
        }
        covered = csr_array(counted @ nodes.up).tocoo()
        full = (covered.data == nodes.total[covered.col]) & (covered.data > 0)
        full &= ~np.isin(covered.row, list(by_ends))
        rows = np.concatenate([covered.row[full], *(np.full(len(held), row) for row, held in by_ends.items())])
        columns = np.concatenate([covered.col[full], *by_ends.values()])
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=counted.shape)


# --------------------------------------------------------------------------------------------------
# Shares: the probability of each node for a record of a cell or of a class.
#
# A leaf has the share of its values; every other node has the sum of those below it. The values that a cell may stand
# for share it equally, or in proportion to the rows that publish each of them alone.


def shares_of_covers(column: Column, covers: Covers, *, by_frequency: bool) -> csr_array:
    """The share of each node in every meaning, (meanings, nodes)."""
    whole = _below(column, covers.node[covers.whole], by_frequency)
    spread = _scaled(covers.spread[covers.parted], _selves(covers.node[covers.parted], len(column.nodes)))
    if by_frequency:
        spread = _scaled(covers.frequent[covers.parted], spread)
    stacked = _stacked(covers, whole, _expanded(column, spread, by_frequency))
    return csr_array(stacked @ column.nodes.up)


def shares_of_classes(column: Column, spread: Spread, classes: Longs, unknown: Unknown) -> csr_array:
    """The share of each node in some classes of a release, (classes, nodes)."""
    domain, nodes = spread.domain, column.nodes
    labels = domain.labels.tolist()
    numbers = np.array([column.number_of(label) for label in labels], dtype=np.float64)
    node, _ = column.place(labels, numbers, unknown)
    if domain.has_missing and nodes.missing < 0:
        column.refuse_unknown(1, unknown)
    node = np.append(node, max(nodes.missing, ROOT))
    at_node = _selves(node[: domain.size], len(nodes))
    records = csr_array(spread.matrix[classes] @ at_node)
    shares = _scaled(records, _selves(np.zeros(len(classes), dtype=np.int64), len(nodes)))
    return csr_array(_expanded(column, shares, by_frequency=False) @ nodes.up)


def _below(column: Column, at: Longs, by_frequency: bool) -> csr_array:
    """The shares of the values at or below some nodes; without known values, of the leaves there, by width."""
    nodes = column.nodes
    below = nodes.down[at]
    width = np.ones(len(nodes))
    if nodes.low is not None and nodes.high is not None:
        low, high = nodes.spans
        width = np.where(high > low, high - low, 1.0)
    leaves = _scaled(csr_array(below @ diags_array(nodes.bottom * width)), _selves(at, len(nodes)))
    shares = _scaled(csr_array(below @ diags_array(nodes.own)), leaves)
    return _scaled(csr_array(below @ diags_array(column.alone)), shares) if by_frequency else shares


def _expanded(column: Column, shares: csr_array, by_frequency: bool) -> csr_array:
    """Shares of inner nodes, divided among the values below them."""
    inner = ~column.nodes.bottom
    at = np.unique(shares.indices[inner[shares.indices]]).astype(np.int64)
    if not len(at):
        return shares
    moved = shares[:, at] @ _below(column, at, by_frequency)
    return csr_array(shares @ diags_array((~inner).astype(np.float64)) + moved)


def _selves(at: Longs, nodes: int) -> csr_array:
    """A row for each node, with 1 at that node."""
    return csr_array((np.ones(len(at)), at, np.arange(len(at) + 1)), shape=(len(at), nodes))


def _scaled(rows: csr_array, otherwise: csr_array) -> csr_array:
    """Scale each row to add up to 1; an empty row is replaced by that of ``otherwise``."""
    total = np.asarray(rows.sum(axis=1)).ravel()
    empty = total <= 0
    factor = np.divide(1.0, total, out=np.zeros(len(total)), where=~empty)
    scaled = csr_array(diags_array(factor) @ rows) if len(total) else rows
    if not empty.any():
        return scaled
    return csr_array(scaled + diags_array(empty.astype(np.float64)) @ otherwise)


def _stacked(covers: Covers, whole: csr_array, parted: csr_array) -> csr_array:
    """The rows of nodes followed by those of sets and intervals, which is the order of the meanings."""
    if not covers.whole[: whole.shape[0]].all():
        raise InternalError("the meanings of cells are not in their order")
    return csr_array(vstack([whole, parted], format="csr"))
