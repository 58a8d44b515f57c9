"""The base of k-member and OKA: from blocks of records through clusters to the recoding.

A cluster may take some records of a tuple and leave the others, so a cluster is a list of shares. Clusters that do not
comply in the end are merged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units
from hedgerow.anonymizers.boxes.layout import Described, described, units_of
from hedgerow.anonymizers.merge._blocks import grouped_in_blocks, recoding_of
from hedgerow.anonymizers.merge._cluster_kernels import Rows, Shares, boxes_around, complete, place
from hedgerow.anonymizers.merge._greedy_kernels import merge_greedily
from hedgerow.anonymizers.parameters import IMPROVE, PUBLISH
from hedgerow.anonymizers.partition.cuts import blocks_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Publish, Recoding, Shown, publish_groups, shown_as
from hedgerow.requirements import Requirement, bind
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["Clustering", "Merging", "Shares", "UnitBlock", "cluster_blocks", "joined", "single_units"]


class UnitBlock(NamedTuple):
    """Records that are clustered together: the whole table, or a block of it.

    Attributes
    ----------
    shape, boxes, units, packed
        A unit is a cell: the records of one tuple with the same sensitive values.
    cluster : int array (units,)
        The cluster that the records of its tuple form from the start; -1 if they do not satisfy the requirements.
    rows : Rows
        The values of the same units.
    """

    shape: Shape
    boxes: Boxes
    units: Units
    packed: PackedRequirements
    cluster: Longs
    rows: Rows

    @property
    def open(self) -> Longs:
        """How many records of each unit have no cluster from the start."""
        return np.where(self.cluster < 0, self.units.weight, 0)

    @property
    def finished(self) -> Shares:
        """The clusters of equal records that exist from the start."""
        unit = np.flatnonzero(self.cluster >= 0)
        return Shares(unit, self.cluster[unit], self.units.weight[unit])

    def unit_of(self, records: ArrayLike) -> Longs:
        """The units of records without a cluster, which are numbered in the order of their units."""
        return np.asarray(np.searchsorted(np.cumsum(self.open), records, side="right"))

    def beside_finished(self, shares: Shares) -> Shares:
        """The clusters that exist from the start, followed by these."""
        return _concatenated(self.finished, shares._replace(cluster=shares.cluster + int(self.cluster.max()) + 1))


def joined(block: UnitBlock, shares: Shares, unit: Longs, weight: Longs, wanted: int) -> Shares:
    """Let further records join clusters, first those with fewer than ``wanted`` records."""
    around = boxes_around(block.shape, block.boxes, shares)
    return _concatenated(shares, place(block.shape, block.boxes, around, shares.sizes, unit, weight, wanted))


def _concatenated(first: Shares, second: Shares) -> Shares:
    """The shares of both."""
    return Shares(*(np.concatenate(arrays) for arrays in zip(first, second, strict=True)))


def cluster_blocks(
    method: str,
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    cluster: Callable[[UnitBlock, np.random.Generator], Shares],
    *,
    seed: int | None,
    improve: bool,
    publish: Publish = "auto",
) -> Recoding:
    """Cluster the records of each block, merge clusters that do not comply, and publish the values they hold.

    Parameters
    ----------
    cluster : callable
        From a block to clusters that contain all its records.
    """
    shown = shown_as(counts, publish)
    context, packed = bind(counts, requirements)
    blocks = blocks_of(counts, requirements, shown)
    whole = described(counts, "ncp", shown)
    units = units_of(counts, context)
    alone = _complete_alone(units, packed)[counts.cell_tuple]
    units = single_units(counts.cell_sizes, units.values, units.histogram)
    chances = np.random.SeedSequence(seed).spawn(len(blocks))

    def clustered(at: int) -> Pieces:
        block = _block(whole.at(counts.cell_tuple[blocks[at]]), units, packed, alone, blocks[at])
        shares = _merged(block, cluster(block, np.random.default_rng(chances[at])))
        return Pieces(blocks[at][shares.unit].astype(np.int32), shares.cluster.astype(np.int32), shares.size)

    pieces = grouped_in_blocks(counts, requirements, whole, shown, len(blocks), clustered, improve=improve)
    columns, values = publish_groups(counts, pieces, int(pieces.group.max()) + 1, shown)
    return recoding_of(method, counts, columns, values, pieces, len(blocks))


def _complete_alone(tuples: Units, packed: PackedRequirements) -> Longs:
    """The cluster of each tuple whose records satisfy the requirements by themselves; -1 for the others."""
    compliant = complete(tuples, packed)
    return np.where(compliant, np.cumsum(compliant) - 1, -1)


def _rows(compared: Described) -> Rows:
    """The values of the cells, for the clustering kernels."""
    shape, boxes, codes, sizes = compared
    first = np.cumsum([0, *sizes[:-1]], dtype=np.int32)[: len(sizes)]
    return Rows(
        np.ascontiguousarray(boxes.ends[:, : len(shape.scale)]),
        shape.scale,
        shape.most,
        codes + first,
        np.repeat(shape.share, sizes),
        boxes.nodes,
        shape.run,
        shape.minima,
        shape.power,
        shape.loss,
    )


def single_units(size: Longs, values: Ints, histogram: int) -> Units:
    """Units of one cell each."""
    return Units(size, np.arange(len(size) + 1, dtype=np.int64), size, values, histogram)


def _block(compared: Described, units: Units, packed: PackedRequirements, alone: Longs, cells: Longs) -> UnitBlock:
    """A block of cells; ``units`` are all cells, and ``alone`` has their clusters that exist from the start."""
    cluster = alone[cells]
    cluster[cluster >= 0] = np.unique(cluster[cluster >= 0], return_inverse=True)[1]
    return UnitBlock(
        compared.shape,
        compared.boxes,
        single_units(units.weight[cells], units.values[cells], units.histogram),
        packed,
        cluster,
        _rows(compared),
    )


def _merged(block: UnitBlock, shares: Shares) -> Shares:
    """Merge clusters until all satisfy the requirements."""
    sizes = shares.sizes
    if block.packed.formulas is None and sizes.min() >= block.packed.minimal_size:
        return shares
    around = boxes_around(block.shape, block.boxes, shares)
    order = np.argsort(shares.cluster, kind="stable")
    ends = np.searchsorted(shares.cluster[order], np.arange(len(sizes) + 1)).astype(np.int64)
    values = block.units.values[shares.unit[order]]
    units = Units(sizes, ends, shares.size[order], values, block.units.histogram)
    into = merge_greedily(block.shape, around, units, block.packed, np.empty(0), False)
    return shares._replace(cluster=np.unique(into, return_inverse=True)[1].astype(np.int64)[shares.cluster])


# --------------------------------------------------------------------------------------------------
# The base classes.


class Merging(Anonymizer):
    """A method that merges records or classes by their distance."""

    family = "merge"
    tight = True

    publish: Publish = PUBLISH
    improve: bool = IMPROVE

    def uses_weights(self) -> bool:
        """The distance is weighted."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)


class Clustering(Merging):
    """A method that clusters records; subclasses say by which rule."""

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        return cluster_blocks(
            self.name, counts, requirements, self._clusters, seed=seed, improve=self.improve, publish=self.publish
        )

    @abstractmethod
    def _clusters(self, block: UnitBlock, chance: np.random.Generator) -> Shares:
        """Clusters that contain all records of a block. Those that do not comply are merged later."""
