"""Groups that are no boxes: the table is halved again and again along the main axis of its points.

Each step looks along the direction in which the points of a part vary most, and cuts where as many groups find room on
both sides; so there are as many groups as the records allow. Groups are balls rather than boxes, which is closer to
what a teacher knows, and farther from what a reader can describe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.partition.cutting import pieces_of_units, units_of
from hedgerow.anonymizers.partition.hedging.teaching import Lesson
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.recoding import AxisRouter, Pieces

__all__ = ["Axes", "cut_axes"]

# Where the cut in the middle is not allowed, these shares of the records go left.
_OTHER_SHARES = (0.4, 0.6, 0.25, 0.75)
# So many directions are tried.
_DIRECTIONS = 2


class Axes(NamedTuple):
    """Which cells make up which group, and the way of unseen rows to them."""

    pieces: Pieces
    router: AxisRouter


class _Cut(NamedTuple):
    """Points whose place along a direction is at most the threshold go left."""

    direction: Floats
    threshold: float
    left: Longs


def cut_axes(counts: FrequencyTable, requirements: Sequence[Requirement], lesson: Lesson) -> Axes:
    """Cut a table into groups of points that lie close together."""
    context, packed = privacy.bind(counts, requirements)
    units = units_of(counts, context, relaxed=False)
    # The cells of one tuple stay together.
    points = lesson.points[units.tuple]
    values = None if units.cell is None else privacy.sensitive_codes(counts, context)[units.cell]
    cutting = _Cutting(points, units.tuple, units.weight, values, int(context.offsets[-1]), packed)
    group = cutting.groups()
    directions, thresholds, left, right = cutting.tree()
    router = AxisRouter(lesson.added, lesson.share, lesson.centre, directions, thresholds, left, right)
    return Axes(pieces_of_units(counts, units, group), router)


class _Cutting:
    """Halves parts until no cut is allowed."""

    def __init__(
        self,
        points: Floats,
        of_tuple: Ints,
        weights: Longs,
        values: Ints | None,
        sensitive: int,
        packed: PackedRequirements,
    ) -> None:
        self.points, self.of_tuple, self.weights, self.values = points, of_tuple, weights, values
        self.sensitive, self.packed, self.least = sensitive, packed, packed.minimal_size
        self.nodes: list[tuple[Floats, float]] = []
        self.children: list[list[int]] = []

    def groups(self) -> Ints:
        """The group of each unit."""
        group = np.empty(len(self.points), dtype=np.int32)
        waiting: list[tuple[Longs, int, int]] = [(np.arange(len(self.points)), -1, 0)]
        leaves = 0
        while waiting:
            some, parent, side = waiting.pop()
            cut = self._cut(some)
            if cut is None:
                group[some] = leaves
                child, leaves = -1 - leaves, leaves + 1
            else:
                child = len(self.nodes)
                self.nodes.append((cut.direction, cut.threshold))
                self.children.append([0, 0])
                goes_left = np.isin(np.arange(len(some)), cut.left)
                waiting.append((some[~goes_left], child, 1))
                waiting.append((some[goes_left], child, 0))
            if parent >= 0:
                self.children[parent][side] = child
        return group

    def tree(self) -> tuple[Floats, Floats, Ints, Ints]:
        """The cuts: directions, thresholds, and where both sides go."""
        directions = np.array([one for one, _ in self.nodes]).reshape(-1, self.points.shape[1])
        thresholds = np.array([threshold for _, threshold in self.nodes], dtype=np.float64)
        left, right = np.array(self.children, dtype=np.int32).reshape(-1, 2).T
        return directions, thresholds, left, right

    def _cut(self, some: Longs) -> _Cut | None:
        weights = self.weights[some].astype(np.float64)
        total = weights.sum()
        if total < 2 * self.least or len(some) < 2:
            return None
        points = self.points[some]
        centred = points - (weights @ points) / total
        _, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
        tried = range(1, min(_DIRECTIONS, axes.shape[1]) + 1)
        # Tuples that lie together are parted, by their values, only where no other cut is allowed.
        for together, at in [*((True, at) for at in tried), (False, 1)]:
            direction = axes[:, -at]
            # The sign of an axis is chance.
            direction = direction if direction[np.abs(direction).argmax()] > 0 else -direction
            along = np.round(points @ direction, 12)
            order = np.lexsort((self.of_tuple[some], along))
            reached = np.cumsum(weights[order])
            rooms = int(total // self.least)
            for share in ((rooms // 2) / rooms, *_OTHER_SHARES):
                place = int(np.searchsorted(reached, share * total - 1e-9))
                found = self._at(some, order, along if together else None, place)
                if found is not None:
                    return _Cut(direction, float(along[order[found]]), order[: found + 1])
        return None

    def _at(self, some: Longs, order: Longs, along: Floats | None, place: int) -> int | None:
        """The last place of the left side at or next to one, if both sides may be groups; tuples are not parted.

        Nor are those with equal places ``along`` an axis, if they are given.
        """
        tuples = self.of_tuple[some][order]
        for near in (place, place - 1, place + 1):
            if (
                not 0 <= near < len(order) - 1
                or tuples[near] == tuples[near + 1]
                or (along is not None and along[order[near]] == along[order[near + 1]])
            ):
                continue
            if self._holds(some[order[: near + 1]]) and self._holds(some[order[near + 1 :]]):
                return near
        return None

    def _holds(self, some: Longs) -> bool:
        size = int(self.weights[some].sum())
        if size < self.least:
            return False
        if self.values is None or not len(self.packed.kind):
            return True
        from hedgerow.privacy.formulas import all_hold

        histogram = np.zeros(self.sensitive, dtype=np.int64)
        for which in range(self.values.shape[1]):
            np.add.at(histogram, self.values[some, which], self.weights[some])
        return bool(all_hold(self.packed, size, histogram))
