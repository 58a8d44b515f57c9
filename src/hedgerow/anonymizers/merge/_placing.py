"""The kernels that place records in clusters which there are: each joins the one where it costs least."""

from __future__ import annotations

import numpy as np

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.boxes.kernels import Boxes, Shape, copy_box, enclose, joint_loss
from hedgerow.anonymizers.merge._clusters import Shares
from hedgerow.arrays import Bools, Floats, Longs

__all__ = ["boxes_around", "place"]


def place(shape: Shape, boxes: Boxes, around: Boxes, size: Longs, unit: Longs, weight: Longs, wanted: int) -> Shares:
    """Let records join the clusters where they cost least, one after the other.

    Parameters
    ----------
    around, size
        The boxes of the clusters and how many records they have; both grow.
    unit, weight : int arrays
        The records, in the order in which they come.
    wanted : int
        As long as there are clusters with fewer records, only these are joined.

    Notes
    -----
    O(records × clusters × columns), equal records counted once; a candidate is left as soon as it costs too much.
    """
    lacking = np.flatnonzero(size < wanted)
    # A unit is divided only where it fills a cluster up.
    found = np.empty((len(unit) + len(lacking), 3), dtype=np.int64)
    length = _place(shape, boxes, around, size, np.empty(len(size)), unit, weight, wanted, lacking, found)
    return Shares(*found[:length].T.copy())


@jit
def _place(
    shape: Shape,
    boxes: Boxes,
    around: Boxes,
    size: Longs,
    loss: Floats,
    unit: Longs,
    weight: Longs,
    wanted: int,
    lacking: Longs,
    found: Longs,
) -> int:
    """Write down the shares of the records; returns how many there are. ``loss`` is room for each cluster's."""
    shares = int64(0)
    lack = lacking.shape[0]
    for cluster in range(size.shape[0]):
        loss[cluster] = joint_loss(shape, around, cluster, around, cluster, np.inf)
    for at in range(unit.shape[0]):
        left = weight[at]
        while left > 0:
            best = np.inf
            chosen = chosen_at = int64(-1)
            chosen_joint = 0.0
            for among in range(lack if lack > 0 else size.shape[0]):
                cluster = lacking[among] if lack > 0 else among
                before = size[cluster] * loss[cluster]
                limit = (best + before) / (size[cluster] + 1)
                joint = joint_loss(shape, around, cluster, boxes, unit[at], limit)
                cost = (size[cluster] + 1) * joint - before
                # Beyond the limit the loss may be too low, and must not be taken even where rounding brings it under
                # the best.
                if joint <= limit and cost < best:
                    best = cost
                    chosen = cluster
                    chosen_at = among
                    chosen_joint = joint
            taken = min(left, wanted - size[chosen]) if lack > 0 else left
            enclose(shape, around, chosen, boxes, unit[at])
            size[chosen] += taken
            loss[chosen] = chosen_joint
            left -= taken
            found[shares, 0], found[shares, 1], found[shares, 2] = unit[at], chosen, taken
            shares += 1
            if lack > 0 and size[chosen] >= wanted:
                lack -= 1
                for among in range(chosen_at, lack):
                    lacking[among] = lacking[among + 1]
    return shares


def boxes_around(shape: Shape, boxes: Boxes, shares: Shares) -> Boxes:
    """The box around the units of each cluster."""
    clusters = int(shares.cluster.max()) + 1
    around = boxes.room_for(clusters)
    _surround(shape, boxes, shares.unit, shares.cluster, around, np.zeros(clusters, dtype=np.bool_))
    return around


@jit
def _surround(shape: Shape, boxes: Boxes, unit: Longs, cluster: Longs, around: Boxes, begun: Bools) -> None:
    """Widen the box of each cluster to hold its units."""
    for at in range(unit.shape[0]):
        one = cluster[at]
        if begun[one]:
            enclose(shape, around, one, boxes, unit[at])
        else:
            copy_box(around, one, boxes, unit[at])
            begun[one] = True
