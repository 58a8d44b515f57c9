"""Cut a frequency table into groups: lay out its tuples, cells or records, cut them, and read the groups back."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import BitLayout, Bools, Floats, Ints, Longs, bit_layout
from hedgerow.anonymizers.partition._kernels import (
    BEYOND_FIRST,
    CATEGORICAL,
    FACTS,
    FIRST_POSITION,
    FIRST_SLOT,
    LAST_SLOT,
    MISSING,
    SIZE,
    SPAN,
    TREE,
    Items,
    Scales,
    new_buckets,
    partition,
)
from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.core.metrics.cells import beyond_first, loss_of_nodes
from hedgerow.core.recoding import Pieces, Shown
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain
from hedgerow.requirements import KAnonymity, Requirement, bind, sensitive_codes
from hedgerow.requirements.binding import Context, PackedRequirements

__all__ = [
    "Binding",
    "CutRules",
    "Cuts",
    "EXACT",
    "Measures",
    "CutUnits",
    "blocks_of",
    "cut_groups",
    "cut_in_threads",
    "cut_items",
    "graft",
    "joins_of",
    "measures_of",
    "near_groups",
    "orders_of",
    "pieces_of_units",
    "units_to_cut",
]


@dataclass(frozen=True, eq=False)
class CutRules:
    """How a table is cut.

    Attributes
    ----------
    orders : tuple of int arrays
        Per column, the rank of each code: columns are cut in this order.
    shown : sequence of {"set", "interval", "label"}
        How each column is published, which decides what a group loses. Labels need the order of their hierarchy.
    by_loss : bool
        Take the cut that leaves the least loss, instead of the median of the widest column.
    relaxed : bool
        Whether records with equal values may go to different groups.
    widest_only : bool
        Without ``by_loss``: if the widest column cannot be cut, try no other column.
    cut_column_only : bool
        Count only the loss of the column that is cut. Where regions are published, a cut leaves the others unchanged.
    """

    orders: tuple[Ints, ...]
    shown: Sequence[Shown]
    by_loss: bool = True
    relaxed: bool = False
    widest_only: bool = False
    cut_column_only: bool = False


class Binding(NamedTuple):
    """Requirements bound to a table: the sensitive columns that they read, and packed arrays for kernels."""

    context: Context
    packed: PackedRequirements


class Cuts(NamedTuple):
    """The tree of cuts, and the range of items of each leaf; a child below zero is the leaf ``-1 - child``."""

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints
    start: Longs
    end: Longs

    def shifted(self, nodes: int, leaves: int, items: int) -> Cuts:
        """The same tree, renumbered to follow this many nodes, leaves and items."""
        left, right = (np.where(child < 0, child - leaves, child + nodes) for child in (self.left, self.right))
        return self._replace(left=left, right=right, start=self.start + items, end=self.end + items)


def cut_groups(
    counts: FrequencyTable, requirements: Sequence[Requirement], rules: CutRules, binding: Binding | None = None
) -> tuple[Pieces, Cuts]:
    """Cut a table until no further cut is allowed.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
        What each group has to satisfy.
    rules : CutRules
    binding : Binding, optional
        The requirements as bound to a larger table of which ``counts`` is a part.

    Returns
    -------
    pieces : Pieces
        Which cells make up which group.
    cuts : Cuts
        The tree of cuts; its leaves are the groups.
    """
    binding = binding or Binding(*bind(counts, requirements))
    units = units_to_cut(counts, binding.context, rules.relaxed)
    measures = measures_of(counts, rules)
    items = _items(counts, binding.context, units, rules, measures)
    cut = cut_items if len(items.weights) < _WORTHWHILE else cut_in_threads
    cuts = cut(items, measures.scales, binding, rules)
    group = np.empty(len(units.weight), dtype=np.int32)
    group[items.origin] = np.repeat(np.arange(len(cuts.start), dtype=np.int32), cuts.end - cuts.start)
    return pieces_of_units(counts, units, group), cuts


def orders_of(counts: Counted, order: str, shown: Sequence[Shown]) -> tuple[Ints, ...]:
    """Per column, the rank of each code: numbers by value, text in its order or in the hierarchy's order of leaves.

    Columns that publish labels of a hierarchy are always in its order.
    """
    orders = []
    for name, how in zip(counts.quasi, shown, strict=True):
        domain, hierarchy = counts.domains[name], counts.hierarchies[name]
        prefers_hierarchy = order == "hierarchy" or (order == "auto" and not hierarchy.automatic)
        by_hierarchy = how == "label" or (domain.kind == "text" and prefers_hierarchy)
        orders.append(hierarchy.order if by_hierarchy else np.arange(domain.size, dtype=np.int32))
    return tuple(orders)


class CutUnits(NamedTuple):
    """What is cut: tuples, cells where sensitive values count, or single records where cuts are relaxed."""

    tuple: Ints
    cell: Ints | None
    weight: Longs


def units_to_cut(counts: FrequencyTable, context: Context, relaxed: bool) -> CutUnits:
    """The units that the requirements and the rules ask for."""
    if relaxed:
        cell = np.repeat(np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
        return CutUnits(counts.cell_tuple[cell], cell, np.ones(len(cell), dtype=np.int64))
    if context.columns:
        return CutUnits(counts.cell_tuple, np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    return CutUnits(np.arange(len(counts.tuples), dtype=np.int32), None, counts.tuple_sizes)


def pieces_of_units(counts: FrequencyTable, units: CutUnits, group: Ints) -> Pieces:
    """How many records of each cell go to which group, from the group of each unit."""
    if units.cell is None:
        return Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    if len(units.cell) == len(counts.cell_sizes):
        return Pieces.whole(group, counts.cell_sizes)
    groups = int(group.max()) + 1
    pairs, sizes = np.unique(units.cell.astype(np.int64) * groups + group, return_counts=True)
    cell, of_group = np.divmod(pairs, groups)
    return Pieces(cell.astype(np.int32), of_group.astype(np.int32), sizes.astype(np.int64))


def _items(counts: FrequencyTable, context: Context, units: CutUnits, rules: CutRules, measures: Measures) -> Items:
    """Lay the units out for the kernel, which moves them: nothing is shared with the counts."""
    ranks = np.stack([order[counts.tuples[units.tuple, at]] for at, order in enumerate(rules.orders)], axis=1)
    bits = measures.layout.sets(ranks[:, measures.counted])
    values = np.empty((len(ranks), 0), dtype=np.int32)
    if units.cell is not None:
        values = sensitive_codes(counts, context)[units.cell]
    origin = np.arange(len(ranks), dtype=np.int32)
    return Items(np.ascontiguousarray(ranks), bits, values, units.weight.copy(), origin)


# --------------------------------------------------------------------------------------------------
# How wide sets of values are.


# A column with more categories is measured by the span of its ranks.
_MOST_COUNTED = 512


class Measures(NamedTuple):
    """How wide sets of values are: the columns measured by how many values occur, their bits, and all scales."""

    counted: list[int]
    layout: BitLayout
    scales: Scales


def measures_of(counts: Counted, rules: CutRules) -> Measures:
    """How wide sets of values of each column are.

    Text that is published as sets loses by how many values a group holds; other columns are measured by their bounds.
    """
    domains = [counts.domains[name] for name in counts.quasi]
    sizes = np.array([domain.size for domain in domains])
    facts = np.zeros((len(domains), FACTS), dtype=np.int64)
    facts[:, [SPAN, TREE]] = -1
    facts[:, SIZE] = sizes
    facts[:, FIRST_POSITION] = np.cumsum(sizes) - sizes
    widths = np.zeros(len(domains))
    positions: list[Floats] = []
    joins = [np.zeros(0)]
    counted = []
    for at, (domain, order, how) in enumerate(zip(domains, rules.orders, rules.shown, strict=True)):
        facts[at, BEYOND_FIRST] = beyond_first(domain)
        facts[at, CATEGORICAL] = domain.kind == "text" and not domain.ordered
        facts[at, MISSING] = domain.missing_code
        if how == "set" and domain.kind == "text" and domain.size <= _MOST_COUNTED:
            counted.append(at)
        if how == "label":
            facts[at, TREE] = sum(map(len, joins))
            joins.append(joins_of(counts.hierarchies[domain.name], domain))
        position = np.arange(domain.size, dtype=np.float64)
        if domain.numbers is not None:
            position[order[: len(domain.numbers)]] = domain.positions
        known = position[: len(domain.labels)]
        widths[at] = known[-1:].sum() - known[:1].sum()
        positions.append(position)
    layout = bit_layout(sizes[counted].tolist())
    facts[counted, FIRST_SLOT], facts[counted, LAST_SLOT] = layout.slots[:-1], layout.slots[1:]
    spanned = np.setdiff1d(np.arange(len(domains)), counted)
    facts[spanned, SPAN] = np.arange(len(spanned))
    scales = Scales(
        facts,
        spanned,
        layout.words,
        layout.masks,
        np.concatenate(positions),
        widths,
        counts.column_weights,
        np.concatenate(joins),
    )
    return Measures(counted, layout, scales)


_JOINS: Final[WeakKeyDictionary[EncodedHierarchy, tuple[Domain, Floats]]] = WeakKeyDictionary()
"""What was computed for a hierarchy, as long as it lives: a method that is fitted to many parts asks for it often."""


def joins_of(hierarchy: EncodedHierarchy, domain: Domain) -> Floats:
    """What two neighbouring leaves lose at the lowest node above both, then the most among 2, 4, 8, … neighbours."""
    known = _JOINS.get(hierarchy)
    if known is None or known[0] is not domain:
        known = _JOINS[hierarchy] = domain, _joins(hierarchy, domain)
    return known[1]


def _joins(hierarchy: EncodedHierarchy, domain: Domain) -> Floats:
    by_rank = hierarchy.leaf_of[np.argsort(hierarchy.order, kind="stable")]
    row = np.zeros(domain.size)
    row[:-1] = loss_of_nodes(hierarchy, domain, "ncp", hierarchy.lca(by_rank[:-1], by_rank[1:]))
    rows = [row]
    while 2 << (len(rows) - 1) < domain.size:
        half = 1 << (len(rows) - 1)
        wider = rows[-1].copy()
        wider[:-half] = np.maximum(rows[-1][:-half], rows[-1][half:])
        rows.append(wider)
    return np.concatenate(rows)


# --------------------------------------------------------------------------------------------------
# Cutting on several cores: the first cuts one after the other, then each part in a thread of its own.
#
# How a range is cut depends on nothing outside it, so the groups and their numbers are the same on any number of
# cores. Threads suffice, because kernels run without Python's lock. numba's own parallel loops would need a threading
# layer that does not survive a fork.


# With fewer items, a second thread costs more than it saves.
_WORTHWHILE = 20_000
# The first cuts divide the items into about this many parts, enough that all threads end at about the same time.
_PARTS = 16


def cut_items(items: Items, scales: Scales, binding: Binding, rules: CutRules, stop_at: int = 0) -> Cuts:
    """Cut a range of items until no cut is allowed, or until parts have at most ``stop_at`` items."""
    packed = binding.packed
    most = int(min(len(items.weights), items.weights.sum() // packed.minimal_size)) + 1
    cuts, leaves = np.zeros((most, 5), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
    waiting = np.zeros((most + 1, 4), dtype=np.int64)
    waiting[0] = 0, len(items.weights), -1, 0
    inner, outer = partition(
        items,
        scales,
        new_buckets(scales, items.bits.shape[1], int(binding.context.offsets[-1])),
        packed.formulas,
        packed.minimal_size,
        stop_at,
        rules.relaxed or None,
        None if rules.by_loss else np.zeros(len(scales.columns)),
        rules.widest_only or None,
        rules.cut_column_only or None,
        cuts,
        leaves,
        waiting,
    )
    column, threshold, single, left, right = cuts[:inner].T
    return Cuts(column, threshold, single > 0, left, right, leaves[:outer, 0], leaves[:outer, 1])


def cut_in_threads(items: Items, scales: Scales, binding: Binding, rules: CutRules) -> Cuts:
    """The same as :func:`cut_items`, on all cores."""
    first = cut_items(items, scales, binding, rules, len(items.weights) // _PARTS)
    parts = [items.between(start, end) for start, end in zip(first.start, first.end, strict=True)]
    cut = partial(cut_items, scales=scales, binding=binding, rules=rules)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return graft(first, list(pool.map(cut, parts)))


def graft(first: Cuts, parts: Sequence[Cuts]) -> Cuts:
    """Put the trees of the parts in the place of the first tree's leaves."""
    nodes = np.cumsum([len(tree.column) for tree in (first, *parts)])
    leaves = np.cumsum([0, *(len(part.start) for part in parts)])
    # A leaf of the first tree becomes the root of its part's tree, or a leaf if its part was not cut.
    root = np.where(np.diff(nodes) > 0, nodes[:-1], -1 - leaves[:-1])
    left, right = (np.where(child < 0, root[-1 - child], child) for child in (first.left, first.right))
    trees = [first._replace(left=left, right=right, start=first.start[:0], end=first.end[:0])]
    for at, part in enumerate(parts):
        trees.append(part.shifted(int(nodes[at]), int(leaves[at]), int(first.start[at])))
    column, threshold, single, left, right, start, end = map(np.concatenate, zip(*trees, strict=True))
    return Cuts(column, threshold, single, left.astype(np.int32), right.astype(np.int32), start, end)


# --------------------------------------------------------------------------------------------------
# Blocks: Mondrian's cuts divide a table with many distinct rows into blocks, which methods then process separately.
#
# Comparing every class with every other takes time quadratic in their number. A block that will be merged satisfies all
# requirements, so that merging everything in it always suffices.


EXACT: Final = 32_768
"""Up to this many distinct rows, every class is compared with every other."""

# A block has at least about this many distinct rows.
_BLOCK = 1_024
# Blocks of near groups have at least about this many pairs of a tuple and a group; fewer in a table with many tuples.
_PAIRS = 131_072
_PAIRS_OF_MANY = 32_768
_MANY = 65_536


def blocks_of(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown]
) -> list[NDArray[np.int64]]:
    """The cells of each block; all cells of a tuple are in one block, and a small table is a single block."""
    if len(counts.tuples) <= EXACT:
        return [np.arange(len(counts.cell_sizes), dtype=np.int64)]
    block = _block_of_cell(counts, requirements, shown, _BLOCK)
    order = np.argsort(block, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(block[order])) + 1)


def near_groups(counts: FrequencyTable, pieces: Pieces, shown: Sequence[Shown]) -> NDArray[np.int64]:
    """The block of each group: the one that holds most of its records. Groups of one block lie near each other.

    Every tuple of a block is compared with each of its groups, so a block has fewer tuples where groups are small.
    """
    pairs = _PAIRS if len(counts.tuples) <= _MANY else _PAIRS_OF_MANY
    tuples_of_group = len(counts.tuples) / (int(pieces.group.max()) + 1)
    block = _block_of_cell(counts, [], shown, math.ceil(math.sqrt(pairs * tuples_of_group)))
    blocks = int(block.max()) + 1
    pair, which = np.unique(pieces.group.astype(np.int64) * blocks + block[pieces.cell], return_inverse=True)
    group, of_group = np.divmod(pair, blocks)
    records = np.bincount(which, pieces.size)
    # For each group, the block with most records comes first; ties go to the lowest block.
    order = np.lexsort((of_group, -records, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.unique(of_group[order][first], return_inverse=True)[1].astype(np.int64)


def _block_of_cell(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown], tuples: int
) -> NDArray[np.int32]:
    """The block of each cell: blocks have at least about this many tuples, and satisfy all requirements."""
    records = min(max(int(counts.rows * tuples / len(counts.tuples)), 1), counts.rows)
    rules = CutRules(orders_of(counts, "auto", shown), shown)
    pieces, _ = cut_groups(counts, [*requirements, KAnonymity(records)], rules)
    return pieces.group
