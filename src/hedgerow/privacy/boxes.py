"""Boxes: regions of the domain with a noisy count of at least k, which show the label as well as they can.

The tree that cuts them is grown on rows that were drawn from the model (:mod:`hedgerow.privacy.model`), so that no cut
costs anything. Then the rows of each box are measured by label, and boxes with a noisy count below k are merged with
their neighbour in the tree.

This is post-processing. Nothing here can see a row: an import contract keeps the curator out.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.privacy.model import Drawn, consistent
from hedgerow.privacy.questions import Boxes, Grouping

__all__ = ["Counted", "grow", "merged"]


@dataclass(frozen=True, eq=False)
class Counted:
    """Boxes with their noisy counts, all of them at least k.

    Parameters
    ----------
    boxes : Boxes
    counts : int array
        By box and label, none below 0.
    """

    boxes: Boxes
    counts: Longs


@dataclass(frozen=True, eq=False)
class _Cut:
    """The best cut of a node."""

    gain: float
    column: int
    last: int
    """The last group that goes to the left."""


def grow(drawn: Drawn, groupings: Sequence[Grouping], least: int, most: int) -> Boxes:
    """Cut the domain where drawn rows of different labels come apart, the largest gain of information first.

    Parameters
    ----------
    drawn : Drawn
    groupings : sequence of Grouping
    least : int
        The least number of drawn rows of a box.
    most : int
        The largest number of boxes.
    """
    labels = int(drawn.label.max(initial=0)) + 1
    sizes = [grouping.groups for grouping in groupings]
    cuts: list[tuple[int, Bools]] = [(-1, np.zeros(0, dtype=bool))]
    children: list[tuple[int, int]] = [(0, 0)]
    waiting: list[tuple[float, int, _Cut, Longs]] = []

    def consider(node: int, rows: Longs) -> None:
        cut = _best_cut(drawn, rows, sizes, labels, least)
        if cut is not None:
            heapq.heappush(waiting, (-cut.gain, node, cut, rows))

    consider(0, np.arange(len(drawn.label)))
    leaves = 1
    while waiting and leaves < most:
        _, node, cut, rows = heapq.heappop(waiting)
        goes_left = drawn.groups[rows, cut.column] <= cut.last
        cuts[node] = (cut.column, groupings[cut.column].of_cell <= cut.last)
        children[node] = (len(cuts), len(cuts) + 1)
        for side in (rows[goes_left], rows[~goes_left]):
            cuts.append((-1, np.zeros(0, dtype=bool)))
            children.append((0, 0))
            consider(len(cuts) - 1, side)
        leaves += 1
    columns = np.array([column for column, _ in cuts], dtype=np.int32)
    return Boxes(columns, [left for _, left in cuts], np.array(children, dtype=np.int32))


def _best_cut(drawn: Drawn, rows: Longs, sizes: Sequence[int], labels: int, least: int) -> _Cut | None:
    if len(rows) < 2 * least:
        return None
    best: _Cut | None = None
    label = drawn.label[rows]
    for column, size in enumerate(sizes):
        counts = np.bincount(drawn.groups[rows, column].astype(np.int64) * labels + label, minlength=size * labels)
        left = np.cumsum(counts.reshape(size, labels), axis=0)[:-1].astype(np.float64)
        whole = np.bincount(label, minlength=labels).astype(np.float64)
        right = whole - left
        gains = _entropies(whole[None, :]) - _entropies(left) - _entropies(right)
        gains[np.minimum(left.sum(axis=1), right.sum(axis=1)) < least] = -1.0
        if len(gains) and gains.max() > (best.gain if best else 0.0):
            best = _Cut(float(gains.max()), column, int(gains.argmax()))
    return best


def _entropies(counts: Floats) -> Floats:
    """The entropy of each row of counts, times their sum."""
    sums = counts.sum(axis=1, keepdims=True)
    logs = np.log(np.maximum(counts, 1.0) / np.maximum(sums, 1.0))
    entropies: Floats = -(counts * logs).sum(axis=1)
    return entropies


def merged(boxes: Boxes, noisy: Longs, k: int) -> Counted | None:
    """Merge boxes with a noisy count below k; ``None`` if the whole table has fewer.

    Parameters
    ----------
    boxes : Boxes
    noisy : int array
        By box and label.
    k : int
    """
    sums = np.zeros((len(boxes.column), noisy.shape[1]), dtype=np.int64)
    sums[boxes.leaves] = noisy
    column, children = boxes.column.copy(), boxes.children
    for node in range(len(column) - 1, -1, -1):  # children come after their parents
        if column[node] < 0:
            continue
        pair = children[node]
        sums[node] = sums[pair].sum(axis=0)
        if (sums[pair].sum(axis=1) < k).any():
            column[node] = -1
    if sums[0].sum() < k:
        return None
    return _kept(Boxes(column, boxes.left, children), sums)


def _kept(boxes: Boxes, sums: Longs) -> Counted:
    """The nodes that can be reached, and consistent counts of the leaves."""
    reached = [0]
    for node in reached:
        if boxes.column[node] >= 0:
            reached.extend(boxes.children[node].tolist())
    place = {node: at for at, node in enumerate(reached)}
    children = [
        tuple(place[child] for child in boxes.children[node].tolist()) if boxes.column[node] >= 0 else (0, 0)
        for node in reached
    ]
    kept = Boxes(boxes.column[reached], [boxes.left[node] for node in reached], np.array(children, dtype=np.int32))
    return Counted(kept, np.array([_whole(sums[reached[leaf]]) for leaf in kept.leaves], dtype=np.int64))


def _whole(noisy: Longs) -> Longs:
    """The nearest counts that are whole, not negative, and have the same sum."""
    total = int(noisy.sum())
    shares = consistent(noisy.astype(np.float64), float(total))  # a box has at least k rows
    counts: Longs = np.floor(shares).astype(np.int64)
    missing = total - int(counts.sum())
    counts[np.argsort(counts - shares, kind="stable")[:missing]] += 1
    return counts
