"""OKA, one-pass k-means: records join the nearest of n/k clusters, then large clusters feed the small ones.

As many records as there can be classes are drawn, each the first of a cluster. Every other record joins the cluster
nearest to it, which is described anew at once. Then clusters with more than k records give up those furthest from their
centre; these fill the clusters with fewer than k, each the one nearest to it, and what is still left joins the nearest
of all. J.-L. Lin, M.-C. Wei: An Efficient Clustering Method for k-Anonymization, PAIS 2008. The paper was not at hand:
the method is told from memory.

Deviations
----------
- The nearest cluster is the one whose loss the record raises least, with numbers described by their range,
  categories by their set, and columns counted by their weights. Only by its distance to a centre, a record would often
  widen a cluster more than need be.
- The centre of a cluster has the mean of each number; a category is as far from it as the share of records that hold
  another value, times what one more value loses. Where nodes of a hierarchy are shown, the centre has the value that
  most records hold, and another is as far from it as both lose where they meet.
- Equal records that satisfy the requirements by themselves are a cluster from the start, and take part only in the last
  step; the number of clusters is that of the other records over k.
- There are at most as many clusters as distinct rows. What is given up comes in the order of the table, not drawn.
- k is the smallest size that a class may have. Clusters for which not all requirements hold after that are merged, the
  smallest with the one where it costs least.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and clustered inside each; the manifest
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
    """Send all records to the nearest of n/k clusters in one pass, then even the clusters out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = OKA(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
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
            # A block has a class at least: too few are left only where equal records are some.
            rest = np.flatnonzero(weight)
            return joined(block, block.finished, rest, weight[rest], wanted=0)
        drawn = chance.choice(int(weight.sum()), clusters, replace=False)
        return from_centres(block, np.sort(block.unit_of(drawn)))


def from_centres(block: UnitBlock, first: Longs) -> Shares:
    """Both passes, from the units with which clusters start."""
    from hedgerow.anonymizers.merge._clusters import Shares, joined

    weight = block.open
    left = weight - np.bincount(first, minlength=len(weight))
    rest = np.flatnonzero(left)
    start = Shares(first, np.arange(len(first)), np.ones(len(first), dtype=np.int64))
    passed = joined(block, start, rest, left[rest], wanted=0)
    kept, unit, size = _adjusted(block, passed, block.packed.minimal_size)
    return joined(block, block.beside_finished(kept), unit, size, wanted=block.packed.minimal_size)


def _adjusted(block: UnitBlock, shares: Shares, k: int) -> tuple[Shares, Longs, Longs]:
    """The k records of each cluster that are nearest to its centre, and the units and numbers of the others."""
    from hedgerow.anonymizers.merge._clusters import Shares

    order = np.lexsort((shares.unit, distances(block, shares), shares.cluster))
    unit, cluster, size = (array[order] for array in shares)
    ends = np.cumsum(size)
    begins = np.searchsorted(cluster, cluster)
    # How many records of the cluster are nearer.
    before = ends - size - (ends - size)[begins]
    kept = np.clip(k - before, 0, size)
    given = np.bincount(unit, size - kept, len(block.cluster)).astype(np.int64)
    some = kept > 0
    units = np.flatnonzero(given)
    return Shares(unit[some], cluster[some], kept[some]), units, given[units]


def distances(block: UnitBlock, shares: Shares) -> Floats:
    """How far the records of each share are from the centre of their cluster."""
    clusters = int(shares.cluster.max()) + 1
    sizes = np.bincount(shares.cluster, shares.size, clusters)
    total = np.zeros(len(shares.unit))
    rows = block.rows
    for number, scale, most in zip(rows.numbers[shares.unit].T, rows.scale, rows.most, strict=True):
        mean = np.bincount(shares.cluster, shares.size * number, clusters) / sizes
        total += np.minimum(np.abs(number - mean[shares.cluster]) * scale, most)
    for code in block.rows.codes[shares.unit].T:
        _, pair = np.unique(shares.cluster * len(block.rows.share_of_value) + code, return_inverse=True)
        held = np.bincount(pair, shares.size)[pair] / sizes[shares.cluster]
        total += (1.0 - held) * block.rows.share_of_value[code]
    trees, _, loss = block.rows.pairs
    for tree, node in enumerate(block.rows.nodes[shares.unit].T):
        total += _from_most(shares, node, loss[trees[tree, 0] :], int(trees[tree, 1]), clusters)
    # Equally far but for rounding is equally far.
    return np.round(total, 9)


def _from_most(shares: Shares, node: Ints, loss: Floats, width: int, clusters: int) -> Floats:
    """What each value and the one that most records of its cluster hold lose together."""
    pairs, pair = np.unique(shares.cluster * width + node, return_inverse=True)
    held = np.bincount(pair, shares.size)
    cluster, value = np.divmod(pairs, width)
    order = np.lexsort((value, -held, cluster))
    most = np.zeros(clusters, dtype=np.int64)
    first = np.unique(cluster[order], return_index=True)[1]
    most[cluster[order][first]] = value[order][first]
    lost: Floats = loss[most[shares.cluster] * width + node]
    return lost
