"""From a frequency table to the groups of a partition: tuples, cells or records are laid out, cut, and read back."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.boxes.layout import BitLayout, bit_layout
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
    "Bound",
    "Cuts",
    "EXACT",
    "Measures",
    "Units",
    "blocks_of",
    "cut_groups",
    "joins_of",
    "measures_of",
    "near_groups",
    "orders_of",
    "partition_in_threads",
    "pieces_of_units",
    "units_of",
]


# --------------------------------------------------------------------------------------------------
# Partitioning on several cores: the first cuts one after the other, then every part in a thread of its own.
#
# A range is cut by what is in it and by nothing else, so the groups and their numbers are the same on any number of
# cores. Threads suffice, because kernels run without Python's lock; numba's own parallel loops would bring a
# threading layer that does not survive a fork.


# Below so many items a second thread costs more than it brings.
_WORTHWHILE = 20_000
# Into about so many parts the first cuts divide the items: enough that threads end at about the same time.
_PARTS = 16


class Cuts(NamedTuple):
    """The tree of cuts and the ranges of its leaves; a child below zero is the leaf ``-1 - child``."""

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints
    start: Longs
    end: Longs


def partition_in_threads(
    items: Items,
    scales: Scales,
    values: int,
    packed: PackedRequirements,
    *,
    by_loss: bool,
    relaxed: bool,
    alone: bool = False,
) -> Cuts:
    """Partition all items; see :func:`hedgerow.anonymizers.partition._kernels.partition`.

    ``values`` is the length of the concatenated sensitive histograms.
    """

    def cut(part: Items, leave: int) -> Cuts:
        most = int(min(len(part.weights), part.weights.sum() // packed.minimal_size)) + 1
        cuts, leaves = np.zeros((most, 5), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
        waiting = np.zeros((most + 1, 4), dtype=np.int64)
        waiting[0] = 0, len(part.weights), -1, 0
        inner, outer = partition(
            part,
            scales,
            new_buckets(scales, part.bits.shape[1], values),
            packed if len(packed.kind) else None,
            packed.minimal_size,
            leave,
            relaxed or None,
            None if by_loss else np.zeros(len(scales.columns)),
            alone or None,
            cuts,
            leaves,
            waiting,
        )
        column, threshold, single, left, right = cuts[:inner].T
        return Cuts(column, threshold, single > 0, left, right, leaves[:outer, 0], leaves[:outer, 1])

    if len(items.weights) < _WORTHWHILE:
        return cut(items, 0)
    first = cut(items, len(items.weights) // _PARTS)
    parts = [_range(items, start, end) for start, end in zip(first.start, first.end, strict=True)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return join(first, list(pool.map(cut, parts, [0] * len(parts))))


def _range(items: Items, start: int, end: int) -> Items:
    """The items of a range, not copied: what a kernel moves there moves in the whole."""
    return Items(
        items.ranks[start:end],
        items.bits[start:end],
        items.values[start:end],
        items.weights[start:end],
        items.origin[start:end],
    )


def join(first: Cuts, parts: Sequence[Cuts]) -> Cuts:
    """Put the trees of the parts in the place of the first tree's leaves."""
    inner = np.cumsum([len(first.column), *(len(part.column) for part in parts)])
    leaves = np.cumsum([0, *(len(part.start) for part in parts)])
    # What a leaf of the first tree becomes: the root of its part's tree, or the one group that its part is.
    root = np.where(np.diff(inner) > 0, inner[:-1], -1 - leaves[:-1])

    def child(of_first: NDArray[np.int32], of_parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
        replaced = np.where(of_first < 0, root[np.minimum(-1 - of_first, len(parts) - 1)], of_first)
        moved = [np.where(nodes < 0, nodes - leaves[at], nodes + inner[at]) for at, nodes in enumerate(of_parts)]
        return np.concatenate([replaced, *moved]).astype(np.int32)

    return Cuts(
        column=np.concatenate([first.column, *(part.column for part in parts)]),
        threshold=np.concatenate([first.threshold, *(part.threshold for part in parts)]),
        single=np.concatenate([first.single, *(part.single for part in parts)]),
        left=child(first.left, [part.left for part in parts]),
        right=child(first.right, [part.right for part in parts]),
        start=np.concatenate([part.start + start for part, start in zip(parts, first.start, strict=True)]),
        end=np.concatenate([part.end + start for part, start in zip(parts, first.start, strict=True)]),
    )


_MOST_COUNTED = 512


def cut_groups(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    shown: Sequence[Shown],
    *,
    by_loss: bool,
    relaxed: bool,
    alone: bool = False,
    bound: Bound | None = None,
) -> tuple[Pieces, Cuts]:
    """Cut a table until no cut is allowed; which cells make up which group, and the cuts.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
        What each group has to satisfy.
    orders : sequence of int arrays
        Per column, the rank of each code: columns are cut in this order.
    shown : sequence of {"set", "interval", "label"}
        How each column will be shown, and what a group loses by that. Labels need the order of their hierarchy.
    by_loss : bool
        Whether the cut is taken that leaves the least loss, instead of the median of the widest column.
    relaxed : bool
        Whether records with equal values may be split between groups.
    alone : bool
        Whether the loss is that of the column that is cut: where regions are published, the others stay as they are.
    bound : Bound, optional
        The requirements as they bind a whole of which this is a part.
    """
    context, packed = bound or Bound(*bind(counts, requirements))
    units = units_of(counts, context, relaxed)
    measures = measures_of(counts, orders, shown)
    items = _items(counts, context, orders, units, measures)
    values = int(context.offsets[-1])
    cuts = partition_in_threads(items, measures.scales, values, packed, by_loss=by_loss, relaxed=relaxed, alone=alone)
    group = np.empty(len(units.weight), dtype=np.int32)
    group[items.origin] = np.repeat(np.arange(len(cuts.start), dtype=np.int32), cuts.end - cuts.start)
    return pieces_of_units(counts, units, group), cuts


class Bound(NamedTuple):
    """Requirements as they bind a table: the sensitive columns that they read, and packed arrays for kernels."""

    context: Context
    packed: PackedRequirements


class Measures(NamedTuple):
    """How wide sets of values are: the columns measured by how many values occur, their bits, and all scales."""

    counted: list[int]
    layout: BitLayout
    scales: Scales


def measures_of(counts: Counted, orders: Sequence[Ints], shown: Sequence[Shown]) -> Measures:
    """How wide sets of values of each column are."""
    counted = _counted(counts, shown)
    layout = bit_layout([counts.domains[counts.quasi[at]].size for at in counted])
    return Measures(counted, layout, _scales(counts, orders, shown, counted, layout))


def orders_of(counts: Counted, order: str, shown: Sequence[Shown]) -> tuple[Ints, ...]:
    """Per column, the rank of each code: numbers by value, text in its order, or the hierarchy's order of leaves.

    What is shown as nodes of a hierarchy is always in its order.
    """
    orders = []
    for name, how in zip(counts.quasi, shown, strict=True):
        domain, hierarchy = counts.domains[name], counts.hierarchies[name]
        by_hierarchy = order == "hierarchy" or (order == "auto" and not hierarchy.automatic)
        told = how == "label" or (domain.kind == "text" and by_hierarchy)
        orders.append(hierarchy.order if told else np.arange(domain.size, dtype=np.int32))
    return tuple(orders)


class Units(NamedTuple):
    """What is partitioned: tuples, cells where sensitive values count, or single records if relaxed."""

    tuple: Ints
    cell: Ints | None
    weight: Longs


def units_of(counts: FrequencyTable, context: Context, relaxed: bool) -> Units:
    """What is partitioned under some requirements."""
    if relaxed:
        cell = np.repeat(np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
        return Units(counts.cell_tuple[cell], cell, np.ones(len(cell), dtype=np.int64))
    if context.columns:
        return Units(counts.cell_tuple, np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    return Units(np.arange(len(counts.tuples), dtype=np.int32), None, counts.tuple_sizes)


def _items(counts: FrequencyTable, context: Context, orders: Sequence[Ints], units: Units, measures: Measures) -> Items:
    """Lay the units out for the kernel, which moves them: nothing of the counts is shared."""
    ranks = np.stack([order[counts.tuples[units.tuple, at]] for at, order in enumerate(orders)], axis=1)
    bits = measures.layout.sets([ranks[:, at] for at in measures.counted], len(ranks))
    if units.cell is None:
        values = np.empty((len(ranks), 0), dtype=np.int32)
    else:
        values = sensitive_codes(counts, context)[units.cell]
    origin = np.arange(len(ranks), dtype=np.int32)
    return Items(np.ascontiguousarray(ranks), bits, values, units.weight.copy(), origin)


def _counted(counts: Counted, shown: Sequence[Shown]) -> list[int]:
    """The columns whose loss is how many values a group holds; the others are measured by their bounds."""
    return [
        at
        for at, (name, how) in enumerate(zip(counts.quasi, shown, strict=True))
        if how == "set" and counts.domains[name].kind == "text" and counts.domains[name].size <= _MOST_COUNTED
    ]


def _scales(
    counts: Counted, orders: Sequence[Ints], shown: Sequence[Shown], counted: Sequence[int], layout: BitLayout
) -> Scales:
    domains = [counts.domains[name] for name in counts.quasi]
    spanned = [at for at in range(len(domains)) if at not in counted]
    columns = np.zeros((len(domains), FACTS), dtype=np.int64)
    positions: list[Floats] = []
    joins: list[Floats] = []
    widths = np.zeros(len(domains))
    for at, (domain, order) in enumerate(zip(domains, orders, strict=True)):
        place = np.arange(domain.size, dtype=np.float64)
        if domain.numbers is not None:
            place[order[: len(domain.numbers)]] = domain.positions
        known = place[: len(domain.labels)]
        widths[at] = known[-1] - known[0] if len(known) else 0.0
        columns[at, SIZE] = domain.size
        columns[at, BEYOND_FIRST] = beyond_first(domain)
        columns[at, CATEGORICAL] = domain.kind == "text" and not domain.ordered
        columns[at, FIRST_POSITION] = sum(len(one) for one in positions)
        columns[at, MISSING] = domain.missing_code
        columns[at, TREE] = -1
        if shown[at] == "label":
            columns[at, TREE] = sum(len(one) for one in joins)
            joins.append(joins_of(counts.hierarchies[domain.name], domain))
        positions.append(place)
    columns[counted, SPAN] = -1
    columns[counted, FIRST_SLOT] = layout.slots[:-1]
    columns[counted, LAST_SLOT] = layout.slots[1:]
    columns[spanned, SPAN] = np.arange(len(spanned))
    measured = np.array(spanned, dtype=np.int64)
    return Scales(
        columns,
        measured,
        layout.words,
        layout.masks,
        np.concatenate(positions),
        widths,
        counts.column_weights,
        np.concatenate([np.zeros(0), *joins]),
    )


def joins_of(hierarchy: EncodedHierarchy, domain: Domain) -> Floats:
    """What neighbours in the order of the leaves lose at the lowest node above both, and so on for powers of two."""
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


def pieces_of_units(counts: FrequencyTable, units: Units, group: Ints) -> Pieces:
    """From groups of units to how many records of each cell go where."""
    if units.cell is None:
        return Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    if len(units.cell) == len(counts.cell_sizes):
        return Pieces.whole(group, counts.cell_sizes)
    groups = int(group.max()) + 1
    pairs, sizes = np.unique(units.cell.astype(np.int64) * groups + group, return_counts=True)
    cell, of_group = np.divmod(pairs, groups)
    return Pieces(cell.astype(np.int32), of_group.astype(np.int32), sizes.astype(np.int64))


# --------------------------------------------------------------------------------------------------
# Blocks: a table with many distinct rows is cut into parts that lie near each other, and each is worked on by itself.
#
# Comparing all classes with all takes time with the square of their number; the cuts are Mondrian's. Where a block is
# merged, all requirements hold for it, so that merging everything in it always suffices.


EXACT: Final = 32_768
"""Up to so many distinct rows all classes are compared with all."""

# A block has at least about so many distinct rows.
_BLOCK = 1_024
# Groups are near each other in blocks with at least about so many pairs of a tuple and a group; fewer in a table with
# many tuples.
_PAIRS = 131_072
_PAIRS_OF_MANY = 32_768
_MANY = 65_536


def blocks_of(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown]
) -> list[NDArray[np.int64]]:
    """The cells of each block, a tuple's together: all in one block if distinct rows are few."""
    if len(counts.tuples) <= EXACT:
        return [np.arange(len(counts.cell_sizes), dtype=np.int64)]
    block = _block_of_cell(counts, requirements, shown, _BLOCK)
    order = np.argsort(block, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(block[order])) + 1)


def near_groups(counts: FrequencyTable, pieces: Pieces, shown: Sequence[Shown]) -> NDArray[np.int64]:
    """Which groups lie near each other: the block of each, where it has most of its records.

    Every tuple of a block is compared with every group of it, so a block has fewer tuples where groups are small.
    """
    pairs = _PAIRS if len(counts.tuples) <= _MANY else _PAIRS_OF_MANY
    tuples_of_group = len(counts.tuples) / (int(pieces.group.max()) + 1)
    block = _block_of_cell(counts, [], shown, math.ceil(math.sqrt(pairs * tuples_of_group)))
    blocks = int(block.max()) + 1
    pair, which = np.unique(pieces.group.astype(np.int64) * blocks + block[pieces.cell], return_inverse=True)
    group, of_group = np.divmod(pair, blocks)
    records = np.bincount(which, pieces.size)
    # The most frequent block of each group first, of equals the first.
    order = np.lexsort((of_group, -records, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    found: NDArray[np.int64] = of_group[order][first]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _block_of_cell(
    counts: FrequencyTable, requirements: Sequence[Requirement], shown: Sequence[Shown], tuples: int
) -> NDArray[np.int32]:
    """Cut the table into blocks of at least about so many tuples, in which all requirements hold."""
    records = min(max(int(counts.rows * tuples / len(counts.tuples)), 1), counts.rows)
    wanted = [*requirements, KAnonymity(records)]
    pieces, _ = cut_groups(counts, wanted, orders_of(counts, "auto", shown), shown, by_loss=True, relaxed=False)
    return pieces.group
