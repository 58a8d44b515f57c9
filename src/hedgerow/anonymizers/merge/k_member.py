"""k-member clustering: clusters grow one after the other, always by the record that adds least loss.

A cluster starts with the record furthest from the last record of the cluster before, so that outliers come early. It
grows until it complies. When too few records are left for another cluster, each joins the cluster whose loss it raises
least. J.-W. Byun, A. Kamra, E. Bertino, N. Li: Efficient k-Anonymization Using Clustering Techniques, DASFAA 2007. The
paper was not available: the method follows its pseudo-code from memory.

Deviations
----------
- Numbers are described by their range and categories by their set, as they are published, and the loss is NCP. The
  paper uses a hierarchy for categories. The distance of two records is the weighted loss of a record in the box around
  both.
- Equal records that satisfy the requirements by themselves form one cluster from the start. The paper takes k of them
  and leaves the others for further clusters. So there are never more clusters than distinct rows.
- A cluster is finished when all requirements hold for it, not only k. If records that join a finished cluster break a
  requirement, clusters are merged: the smallest with the one where that costs least.
- Ties between equally far or near records go to the record with the rarest values, then to the first in the order of
  the table's values. On Adult this loses about one percent less than the order alone; on other tables it was sometimes
  better and sometimes worse. Equal records join together until the cluster has the smallest allowed size. The records
  that are left join in the same order. Only the record from which the first cluster is furthest is drawn at random.
- The search is exact, but does not examine every record at every step: no record comes nearer to a growing cluster.
- A table with many distinct rows is first cut into blocks by Mondrian's cuts, and clustered inside each; the manifest
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

# How many candidates a cluster examines at every step.
_CANDIDATES = 256


class KMember(Clustering):
    """Grow clusters one after the other, always by the record that adds least loss.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = hr.KMember(k=3, random_state=0).anonymize(people, hr.Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name = "k-member"
    paper = "Byun, Kamra, Bertino, Li (DASFAA 2007)"

    def _clusters(self, block: UnitBlock, chance: np.random.Generator) -> Shares:
        records = int(block.open.sum())
        return grown_from(block, int(block.unit_of(chance.integers(records)))) if records else block.finished


def grown_from(block: UnitBlock, start: int) -> Shares:
    """Clusters of a block by k-member's rule, the first furthest from ``start``; some may not comply."""
    from hedgerow.anonymizers.merge._cluster_kernels import grow_clusters
    from hedgerow.anonymizers.merge._clusters import Shares, joined, single_units

    order = _rarest_first(block)
    rows = block.rows.at(order)
    units = single_units(block.units.weight[order], block.units.values[order], block.units.histogram)
    place = int(np.flatnonzero(order == start)[0])
    grown, left = grow_clusters(rows, units, block.open[order], block.packed, place, _CANDIDATES)
    shares = block.beside_finished(grown._replace(unit=order[grown.unit]))
    rest = np.flatnonzero(left)
    if len(shares.unit) == 0:
        return Shares(order[rest], np.zeros(len(rest), dtype=np.int64), left[rest])
    return joined(block, shares, order[rest], left[rest], wanted=0)


def _rarest_first(block: UnitBlock) -> Longs:
    """Units in the order of the rarity of their values: the sum over the columns of 1 / records with the same value."""
    rarity = np.zeros(len(block.cluster))
    for column in (*block.rows.numbers.T, *block.rows.codes.T, *block.rows.nodes.T):
        _, value = np.unique(column, return_inverse=True)
        rarity += 1.0 / np.bincount(value, block.units.weight)[value]
    # Rounding errors must not break ties.
    return np.argsort(-np.round(rarity, 12), kind="stable")
