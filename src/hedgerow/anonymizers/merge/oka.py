"""OKA, one-pass k-means: records join the nearest of n/k clusters, then large clusters fill the small clusters.

As many records as there can be classes are drawn, each the first of a cluster. Every other record joins the nearest
cluster, whose description is updated at once. Then clusters with more than k records give up the records furthest from
their centre. Each of these joins the nearest cluster with fewer than k records, and when no such cluster is left, the
nearest of all. J.-L. Lin, M.-C. Wei: An Efficient Clustering Method for k-Anonymization, PAIS 2008. The paper was not
available: the method is described from memory.

Deviations
----------
- The nearest cluster is the one whose loss the record raises least, with numbers described by their range, categories
  by their set, and columns counted by their weights. By its distance to a centre alone, a record would often widen a
  cluster more than necessary.
- The centre of a cluster has the mean of each number. The distance of a category is the share of records with another
  value, times the loss by one more value. If labels of a hierarchy are published, the centre has the most frequent
  value, and the distance of another is the loss at the lowest node above both.
- Equal records that satisfy the requirements by themselves form a cluster from the start, and take part only in the
  last step. The number of clusters is the number of the other records over k.
- There are at most as many clusters as distinct rows. Records that are given up come in the order of the table, not at
  random.
- k is the smallest size that a class may have. Clusters that still violate a requirement are then merged: the smallest
  with the one where that costs least.
- A table with many distinct rows is first cut into blocks by Mondrian's cuts, and clustered inside each; the manifest
  says so.
- ``improve=True`` lets clusters exchange records afterwards while the total loss falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.merge._clusters import Clustering

if TYPE_CHECKING:
    from hedgerow.anonymizers.merge._clusters import Shares, UnitBlock

__all__ = ["OKA", "distances", "from_centres"]


class OKA(Clustering):
    """Assign all records to the nearest of n/k clusters in one pass, then move records from large to small clusters.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = hr.OKA(k=3, random_state=0).anonymize(people, hr.Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name = "oka"
    paper = "Lin, Wei (PAIS 2008)"

    def _clusters(self, block: UnitBlock, chance: np.random.Generator) -> Shares:
        from hedgerow.anonymizers.merge._clusters import joined

        weight = block.open
        clusters = min(int(weight.sum()) // block.packed.minimal_size, int(np.count_nonzero(weight)))
        if clusters == 0:
            # A block has room for a class, so equal records have formed one if too few records are left.
            rest = np.flatnonzero(weight)
            return joined(block, block.finished, rest, weight[rest], wanted=0)
        drawn = chance.choice(int(weight.sum()), clusters, replace=False)
        return from_centres(block, np.sort(block.unit_of(drawn)))


def from_centres(block: UnitBlock, first: Longs) -> Shares:
    """The clusters after both passes; each starts with one of the units ``first``."""
    from hedgerow.anonymizers.merge._clusters import Shares, joined

    weight = block.open
    left = weight - np.bincount(first, minlength=len(weight))
    rest = np.flatnonzero(left)
    start = Shares(first, np.arange(len(first)), np.ones(len(first), dtype=np.int64))
    passed = joined(block, start, rest, left[rest], wanted=0)
    kept, unit, size = _adjusted(block, passed, block.packed.minimal_size)
    return joined(block, block.beside_finished(kept), unit, size, wanted=block.packed.minimal_size)


def _adjusted(block: UnitBlock, shares: Shares, k: int) -> tuple[Shares, Longs, Longs]:
    """The k records of each cluster nearest to its centre; then the units and numbers of the records given up."""
    from hedgerow.anonymizers.merge._clusters import Shares

    order = np.lexsort((shares.unit, distances(block, shares), shares.cluster))
    unit, cluster, size = (array[order] for array in shares)
    ends = np.cumsum(size)
    begins = np.searchsorted(cluster, cluster)
    # The number of records of the same cluster that are nearer.
    before = ends - size - (ends - size)[begins]
    kept = np.clip(k - before, 0, size)
    given = np.bincount(unit, size - kept, len(block.cluster)).astype(np.int64)
    keeps = kept > 0
    units = np.flatnonzero(given)
    return Shares(unit[keeps], cluster[keeps], kept[keeps]), units, given[units]


def distances(block: UnitBlock, shares: Shares) -> Floats:
    """The distance of the records of each share from the centre of their cluster."""
    from hedgerow.anonymizers.merge._cluster_kernels import losses_together

    clusters = int(shares.cluster.max()) + 1
    sizes = np.bincount(shares.cluster, shares.size, clusters)
    total = np.zeros(len(shares.unit))
    rows = block.rows
    for number, scale, most in zip(rows.numbers[shares.unit].T, rows.scale, rows.most, strict=True):
        mean = np.bincount(shares.cluster, shares.size * number, clusters) / sizes
        total += np.minimum(np.abs(number - mean[shares.cluster]) * scale, most)
    for code in rows.codes[shares.unit].T:
        _, pair = np.unique(shares.cluster * len(rows.share_of_value) + code, return_inverse=True)
        held = np.bincount(pair, shares.size)[pair] / sizes[shares.cluster]
        total += (1.0 - held) * rows.share_of_value[code]
    for node in rows.nodes[shares.unit].T:
        total += losses_together(rows, node, _most_frequent(shares, node, clusters)[shares.cluster])
    # Rounding errors must not break ties.
    return np.round(total, 9)


def _most_frequent(shares: Shares, node: Ints, clusters: int) -> Ints:
    """The most frequent value of each cluster."""
    width = int(node.max()) + 1
    pairs, pair = np.unique(shares.cluster * width + node, return_inverse=True)
    held = np.bincount(pair, shares.size)
    cluster, value = np.divmod(pairs, width)
    order = np.lexsort((value, -held, cluster))
    most = np.zeros(clusters, dtype=np.int32)
    first = np.unique(cluster[order], return_index=True)[1]
    most[cluster[order][first]] = value[order][first]
    return most
