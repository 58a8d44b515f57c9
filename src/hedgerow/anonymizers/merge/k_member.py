"""k-member clustering: a cluster takes, one after the other, the records that make it lose least, until it complies.

A cluster starts with the record furthest from the last one that was taken, so that outliers are found early; it then
takes the record with which its loss grows least. When too few records are left for another cluster, each joins the
cluster whose loss it raises least. J.-W. Byun, A. Kamra, E. Bertino, N. Li: Efficient k-Anonymization Using Clustering
Techniques, DASFAA 2007. The paper was not at hand: the method is told from memory of its pseudo-code.

Deviations
----------
- Numbers are described by their range and categories by their set, as they are published; the loss is NCP. The paper
  climbs a taxonomy for categories. The distance of two records is the loss of a record in the box around both, in which
  columns count by their weights.
- Equal records that satisfy the requirements by themselves are a cluster from the start, all of them. The paper's takes
  k of them and leaves the others for further clusters. There are then never more clusters than distinct rows.
- A cluster is finished when all requirements hold for it, not only k. Where records that join a finished cluster break
  a requirement, clusters are merged, the smallest with the one where it costs least.
- Of records that are equally far or near, the one with the rarest values is taken, then the first in the order of the
  table's values. On Adult that loses about a hundredth less than the order of the values alone; on other tables it
  was sometimes better and sometimes worse. Up to the smallest size a class may have, equal records come together.
  The records that are left join in that order. Only the record from which the first cluster is furthest is drawn.
- The search is exact but does not look at every record at every step: a record comes no nearer to a growing cluster.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and clustered inside each; the manifest
  says so.
- ``improve=True`` lets clusters exchange records afterwards while the total loss falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.merge._clusters import Clustering

if TYPE_CHECKING:
    from hedgerow.anonymizers.merge._clusters import Shares, UnitBlock

__all__ = ["KMember", "grown_from"]

# So many candidates of a cluster are kept at hand.
_AT_HAND = 256


class KMember(Clustering):
    """Grow clusters one after the other, each by the record that makes it lose least.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = KMember(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name = "k-member"
    paper = "Byun, Kamra, Bertino, Li (DASFAA 2007)"

    def _clusters(self, block: UnitBlock, chance: np.random.Generator) -> Shares:
        records = int(block.open.sum())
        # From a record that is drawn.
        return grown_from(block, int(block.unit_of(chance.integers(records)))) if records else block.finished


def grown_from(block: UnitBlock, start: int) -> Shares:
    """Clusters of a block by k-member's rule, the first furthest from a unit; they need not all comply."""
    from hedgerow.anonymizers.merge._cluster_kernels import grow_clusters
    from hedgerow.anonymizers.merge._clusters import Shares, joined, single_units

    order = _rarest_first(block)
    rows = block.rows.at(order)
    units = single_units(block.units.weight[order], block.units.values[order], block.units.histogram)
    place = int(np.flatnonzero(order == start)[0])
    grown, left = grow_clusters(rows, units, block.open[order], block.packed, place, _AT_HAND)
    shares = block.beside_finished(grown._replace(unit=order[grown.unit]))
    rest = np.flatnonzero(left)
    if len(shares.unit) == 0:
        return Shares(order[rest], np.zeros(len(rest), dtype=np.int64), left[rest])
    return joined(block, shares, order[rest], left[rest], wanted=0)


def _rarest_first(block: UnitBlock) -> Longs:
    """Units by how rare their values are: one over the records that hold the same, added over the columns."""
    rarity = np.zeros(len(block.cluster))
    for column in (*block.rows.numbers.T, *block.rows.codes.T, *block.rows.nodes.T):
        _, value = np.unique(column, return_inverse=True)
        rarity += 1.0 / np.bincount(value, block.units.weight)[value]
    # Equally rare but for rounding is equally rare.
    return np.argsort(-np.round(rarity, 12), kind="stable")
