"""From a frequency table to the groups of a partition: tuples, cells or records are laid out, cut, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.boxes.bits import BitLayout, bit_layout
from hedgerow.anonymizers.partition import _buckets
from hedgerow.anonymizers.partition._buckets import Items, Scales
from hedgerow.anonymizers.partition.threads import Cuts, partition_in_threads
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import Counted, FrequencyTable
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.metrics.cells import beyond_first, loss_of_nodes
from hedgerow.privacy import Requirement
from hedgerow.privacy.binding import Context, PackedRequirements
from hedgerow.recoding import Pieces, Shown

__all__ = [
    "Bound",
    "Measures",
    "Units",
    "cut_groups",
    "joins_of",
    "measures_of",
    "orders_of",
    "pieces_of_units",
    "units_of",
]

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
    context, packed = bound or Bound(*privacy.bind(counts, requirements))
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
        values = privacy.sensitive_codes(counts, context)[units.cell]
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
    columns = np.zeros((len(domains), _buckets.FACTS), dtype=np.int64)
    positions: list[Floats] = []
    joins: list[Floats] = []
    widths = np.zeros(len(domains))
    for at, (domain, order) in enumerate(zip(domains, orders, strict=True)):
        place = np.arange(domain.size, dtype=np.float64)
        if domain.numbers is not None:
            place[order[: len(domain.numbers)]] = domain.positions
        known = place[: len(domain.labels)]
        widths[at] = known[-1] - known[0] if len(known) else 0.0
        columns[at, _buckets.SIZE] = domain.size
        columns[at, _buckets.BEYOND_FIRST] = beyond_first(domain)
        columns[at, _buckets.CATEGORICAL] = domain.kind == "text" and not domain.ordered
        columns[at, _buckets.FIRST_POSITION] = sum(len(one) for one in positions)
        columns[at, _buckets.MISSING] = domain.missing_code
        columns[at, _buckets.TREE] = -1
        if shown[at] == "label":
            columns[at, _buckets.TREE] = sum(len(one) for one in joins)
            joins.append(joins_of(counts.hierarchies[domain.name], domain))
        positions.append(place)
    columns[counted, _buckets.SPAN] = -1
    columns[counted, _buckets.FIRST_SLOT] = layout.slots[:-1]
    columns[counted, _buckets.LAST_SLOT] = layout.slots[1:]
    columns[spanned, _buckets.SPAN] = np.arange(len(spanned))
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
