"""Clusters: what k-member and OKA share around their rule, from blocks of records to the recoding.

A cluster may take some of the records of a tuple and leave the others, so shares are counted; clusters that do not
comply in the end are merged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import privacy
from hedgerow.anonymizers.boxes.improving import improved
from hedgerow.anonymizers.boxes.kernels import Boxes, Shape, Units
from hedgerow.anonymizers.boxes.layout import described, units_of
from hedgerow.anonymizers.merge._clusters import Rows, Shares, boxes_around, complete, place
from hedgerow.anonymizers.merge._greedy import merge_greedily
from hedgerow.anonymizers.partition.blocks import blocks_of, near_groups
from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Pieces, Recoding, publish_groups

__all__ = ["Block", "Shares", "both", "cluster_blocks", "joined", "single_units"]


class Block(NamedTuple):
    """Records that are clustered together, all of the table or some.

    Attributes
    ----------
    shape, boxes, units, packed
        A unit is a cell: the records of one tuple with the same sensitive values.
    cluster : int array (units,)
        The cluster that the records of its tuple are by themselves, -1 if they do not satisfy the requirements.
    rows : Rows
        The same units, value by value.
    """

    shape: Shape
    boxes: Boxes
    units: Units
    packed: Any
    cluster: Longs
    rows: Rows

    @property
    def open(self) -> Longs:
        """How many records of each unit are to be clustered."""
        return np.where(self.cluster < 0, self.units.weight, 0)

    @property
    def finished(self) -> Shares:
        """The clusters of equal records that there are from the start."""
        unit = np.flatnonzero(self.cluster >= 0)
        return Shares(unit, self.cluster[unit], self.units.weight[unit])


def joined(block: Block, shares: Shares, unit: Longs, weight: Longs, wanted: int) -> Shares:
    """Let further records join clusters, first those with fewer than ``wanted`` records."""
    clusters = int(shares.cluster.max()) + 1
    around = boxes_around(block.shape, block.boxes, shares.unit, shares.cluster, clusters)
    sizes = np.bincount(shares.cluster, shares.size, clusters).astype(np.int64)
    return both(shares, place(block.shape, block.boxes, around, sizes, unit, weight, wanted))


def both(one: Shares, other: Shares) -> Shares:
    """All shares of two."""
    return Shares(*(np.concatenate(arrays) for arrays in zip(one, other, strict=True)))


def cluster_blocks(
    method: str,
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    cluster: Callable[[Block, np.random.Generator], Shares],
    *,
    seed: int | None,
    improve: bool,
) -> Recoding:
    """Cluster the records of each block, merge what does not comply, and publish ranges and sets.

    Parameters
    ----------
    cluster : callable
        From a block to clusters that hold all its records.
    """
    context, packed = privacy.bind(counts, requirements)
    blocks = blocks_of(counts, requirements)
    whole = _whole(counts, units_of(counts, context), packed)
    chances = np.random.SeedSequence(seed).spawn(len(blocks))

    def clustered(cells: Longs, chance: np.random.SeedSequence) -> Shares:
        block = _block(whole, cells)
        shares = _merged(block, cluster(block, np.random.default_rng(chance)))
        return shares._replace(unit=cells[shares.unit])

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(clustered, blocks, chances))
    groups_of_block = [int(one.cluster.max()) + 1 for one in found]
    starts = np.repeat(np.cumsum([0, *groups_of_block[:-1]]), [len(one.unit) for one in found])
    unit, group, size = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    pieces = Pieces.gathered(unit.astype(np.int32), (group + starts).astype(np.int32), size)
    if improve:
        pieces = improved(counts, requirements, pieces, near_groups(counts, pieces))
    groups = int(pieces.group.max()) + 1
    columns, values = publish_groups(counts, pieces, groups, "interval")
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=columns,
        groups=values,
        sizes=np.bincount(pieces.group, pieces.size, groups).astype(np.int64),
        pieces=pieces,
        facts={"blocks": len(blocks)},
    )


def _whole(counts: FrequencyTable, tuples: Units, packed: Any) -> Block:
    """The whole table as one block."""
    shape, boxes = described(counts, "ncp", ranges=True)
    by_itself = complete(tuples, packed)
    cluster = np.where(by_itself, np.cumsum(by_itself) - 1, -1)
    return Block(
        shape,
        boxes.at(counts.cell_tuple),
        single_units(counts.cell_sizes, tuples.values, tuples.histogram),
        packed,
        cluster[counts.cell_tuple].astype(np.int64),
        _rows(counts, shape, boxes),
    )


def _rows(counts: FrequencyTable, shape: Shape, boxes: Boxes) -> Rows:
    """Cells, value by value."""
    sets = [at for at, name in enumerate(counts.quasi) if counts.domains[name].kind == "text"]
    sizes = [counts.domains[counts.quasi[at]].size for at in sets]
    codes = counts.tuples[:, sets] + np.cumsum([0, *sizes[:-1]], dtype=np.int32)[: len(sets)]
    return Rows(
        boxes.low[counts.cell_tuple],
        shape.scale,
        np.ascontiguousarray(codes[counts.cell_tuple], dtype=np.int32),
        np.repeat(shape.share, sizes),
    )


def single_units(size: Longs, values: NDArray[np.int32], histogram: int) -> Units:
    """Units of one cell each."""
    return Units(size, np.arange(len(size) + 1, dtype=np.int64), size, values, histogram)


def _block(whole: Block, cells: Longs) -> Block:
    units = whole.units
    cluster = whole.cluster[cells]
    numbered = np.unique(cluster[cluster >= 0], return_inverse=True)[1]
    cluster[cluster >= 0] = numbered
    return whole._replace(
        boxes=whole.boxes.at(cells),
        units=single_units(units.weight[cells], units.values[cells], units.histogram),
        cluster=cluster,
        rows=whole.rows._replace(numbers=whole.rows.numbers[cells], codes=whole.rows.codes[cells]),
    )


def _merged(block: Block, shares: Shares) -> Shares:
    """Merge clusters until all satisfy the requirements."""
    clusters = int(shares.cluster.max()) + 1
    sizes = np.bincount(shares.cluster, shares.size, clusters).astype(np.int64)
    if block.packed.formulas is None and sizes.min() >= block.packed.minimal_size:
        return shares
    around = boxes_around(block.shape, block.boxes, shares.unit, shares.cluster, clusters)
    order = np.argsort(shares.cluster, kind="stable")
    ends = np.searchsorted(shares.cluster[order], np.arange(clusters + 1)).astype(np.int64)
    units = Units(
        sizes,
        ends,
        shares.size[order],
        block.units.values[shares.unit[order]],
        block.units.histogram,
    )
    into = merge_greedily(block.shape, around, units, block.packed, np.empty(0), False)
    return shares._replace(cluster=np.unique(into, return_inverse=True)[1].astype(np.int64)[shares.cluster])
