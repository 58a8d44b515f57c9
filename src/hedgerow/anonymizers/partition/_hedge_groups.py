"""Groups that are boxes: a regression tree in teacher space, every leaf of which meets the requirements.

Regions are unions of groups, over which proportions can be told by label. They come from a second, small tree in the
same space, each leaf of which holds enough people of every label; a group is of the region that most of its people are
in. The first tree knows nothing of that: made to keep labels together, it would keep them from being told apart.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.partition._hedge_kernels import best_cut, grow, split
from hedgerow.anonymizers.partition._hedge_teacher import Lesson
from hedgerow.anonymizers.partition.cuts import Cuts, graft, pieces_of_units, units_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import AxisRouter, Pieces
from hedgerow.requirements import Requirement, bind, sensitive_codes
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["Axes", "Boxes", "cut_axes", "cut_boxes", "regions_of"]


_MOST_PLACES: Final = 256
# Below so many units a second thread costs more than it brings.
_WORTHWHILE: Final = 5_000
_PARTS: Final = 16


@dataclass(frozen=True, eq=False)
class Boxes:
    """Which cells make up which group, and the cuts between them."""

    pieces: Pieces
    cuts: Cuts


def cut_boxes(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    points: Floats,
    times: int = 1,
) -> Boxes:
    """Cut a table into boxes in which points lie close together.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
        What each group has to satisfy.
    orders : sequence of int arrays
        Per column, the rank of each code: columns are cut in this order.
    points : float array (tuples, dimensions)
    times : int
        How many times the people that are required each group has at least.
    """
    context, packed = bind(counts, requirements)
    units = units_of(counts, context, relaxed=False)
    places, last_rank = _places(counts, orders, units.tuple)
    weight = units.weight.astype(np.float64)
    sums = np.column_stack([weight, points[units.tuple] * weight[:, None]])
    if units.cell is None:
        values = np.empty((len(sums), 0), dtype=np.int32)
    else:
        values = sensitive_codes(counts, context)[units.cell]
    least = packed.minimal_size * times
    growth = _Growth(places, sums, values, counts.column_weights, least, packed, int(context.offsets[-1]))
    # Into parts for which cores can work side by side.
    cuts = growth.finished(growth.first(_PARTS if len(sums) > _WORTHWHILE else 1))
    threshold = np.array([last_rank[column][place] for column, place in zip(cuts.column, cuts.threshold, strict=True)])
    group = np.empty(len(sums), dtype=np.int32)
    group[growth.order] = np.repeat(np.arange(len(cuts.start), dtype=np.int32), cuts.end - cuts.start)
    return Boxes(pieces_of_units(counts, units, group), cuts._replace(threshold=threshold.astype(np.int32)))


def regions_of(
    counts: FrequencyTable, orders: Sequence[Ints], points: Floats, pieces: Pieces, regions: int, support: int
) -> Longs:
    """The region of each group.

    Parameters
    ----------
    counts, orders, points
        As for :func:`cut_boxes`.
    pieces : Pieces
        Which cells make up which group.
    regions : int
        At most so many.
    support : int
        The people of each part at least.
    """
    of_tuple = np.arange(len(counts.tuples), dtype=np.int32)
    places, _ = _places(counts, orders, of_tuple)
    weight = counts.tuple_sizes.astype(np.float64)
    sums = np.column_stack([weight, points * weight[:, None]])
    nothing = np.empty((len(sums), 0), dtype=np.int32)
    growth = _Growth(places, sums, nothing, counts.column_weights, support, None, 0)
    first = growth.first(regions)
    part = np.empty(len(sums), dtype=np.int64)
    part[growth.order] = np.repeat(np.arange(len(first.start)), first.end - first.start)
    kept = pieces.group >= 0
    groups = int(pieces.group.max()) + 1
    key = pieces.group[kept].astype(np.int64) * len(first.start) + part[counts.cell_tuple[pieces.cell[kept]]]
    held = np.bincount(key, pieces.size[kept], groups * len(first.start)).reshape(groups, -1)
    return np.unique(held.argmax(axis=1), return_inverse=True)[1].astype(np.int64)


def _places(counts: FrequencyTable, orders: Sequence[Ints], of_tuple: Ints) -> tuple[Ints, list[Longs]]:
    """The place of each unit in each column, and the last rank of each place."""
    places, last = np.empty((len(of_tuple), len(orders)), dtype=np.int32), []
    for at, (name, order) in enumerate(zip(counts.quasi, orders, strict=True)):
        size = counts.domains[name].size
        records = np.zeros(size, dtype=np.int64)
        records[order] = counts.histogram(name)
        place = np.arange(size)
        if size > _MOST_PLACES:
            # About as many records at each place; a rank more or less decides nothing there.
            place = np.minimum((np.cumsum(records) - records) * _MOST_PLACES // records.sum(), _MOST_PLACES - 1)
            place = np.unique(place, return_inverse=True)[1]
        places[:, at] = place[order[counts.tuples[of_tuple, at]]]
        last.append(np.searchsorted(place, np.arange(place[-1] + 1), side="right") - 1)
    return places, last


class _Growth:
    """A tree that grows, region by region."""

    def __init__(
        self,
        places: Ints,
        sums: Floats,
        values: Ints,
        leaning: Floats,
        least: int,
        packed: PackedRequirements | None,
        sensitive: int,
    ) -> None:
        self.order = np.arange(len(sums), dtype=np.int64)
        self.places, self.sums, self.values = places, sums, values
        self.leaning = leaning
        self.least = least
        self.packed = None if packed is None else packed.formulas
        self.sensitive = sensitive

    def _scratch(self) -> tuple[Floats, Floats, Floats, Floats, Longs, Floats, Longs]:
        width, columns = self.sums.shape[1], self.places.shape[1]
        places = int(self.places.max(initial=0)) + 1
        return (
            np.zeros((places, width)),
            np.zeros(width),
            np.zeros(width),
            np.zeros((columns, 2)),
            np.zeros((columns, 2), dtype=np.int64),
            np.zeros((columns, places)),
            np.zeros((2, 1 + self.sensitive), dtype=np.int64),
        )

    def first(self, most: int) -> Cuts:
        """Cut the range that gains most, until there are so many or none can be cut."""
        scratch = self._scratch()
        found: list[list[int]] = []  # column, place, left, right
        done: list[tuple[int, int, int, int]] = []  # start, end, the cut it came from, and its side
        waiting: list[tuple[float, int, int, int, int, int, int]] = []

        def look(start: int, end: int, parent: int, side: int) -> None:
            column = best_cut(
                self.order, self.places, self.sums, self.values, self.leaning, self.packed, self.least, start, end,
                *scratch,
            )  # fmt: skip
            if column < 0:
                done.append((start, end, parent, side))
            else:
                score = float(scratch[3][column].max())
                heapq.heappush(waiting, (-score, start, end, parent, side, column, int(scratch[4][column, 0])))

        look(0, len(self.order), -1, 0)
        while waiting and len(waiting) + len(done) < most:
            _, start, end, parent, side, column, place = heapq.heappop(waiting)
            middle = split(self.order, self.places, start, end, column, place)
            if parent >= 0:
                found[parent][2 + side] = len(found)
            found.append([column, place, 0, 0])
            at = len(found) - 1
            look(start, middle, at, 0)
            look(middle, end, at, 1)
        ranges = sorted([*done, *((one[1], one[2], one[3], one[4]) for one in waiting)])
        for leaf, (_, _, parent, side) in enumerate(ranges):
            if parent >= 0:
                found[parent][2 + side] = -1 - leaf
        cuts = np.array(found, dtype=np.int32).reshape(-1, 4)
        starts, ends = (np.array([one[which] for one in ranges], dtype=np.int64) for which in (0, 1))
        return Cuts(cuts[:, 0], cuts[:, 1], np.zeros(len(cuts), dtype=bool), cuts[:, 2], cuts[:, 3], starts, ends)

    def finished(self, first: Cuts) -> Cuts:
        """Cut every part to its end, side by side."""

        def cut(start: int, end: int) -> Cuts:
            records = self.sums[self.order[start:end], 0].sum()
            most = int(min(end - start, records // self.least)) + 1
            cuts, leaves = np.zeros((most, 4), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
            waiting = np.zeros((most + 1, 4), dtype=np.int64)
            inner, outer = grow(
                self.order, self.places, self.sums, self.values, self.leaning, self.packed, self.least, start, end,
                *self._scratch(), cuts, leaves, waiting,
            )  # fmt: skip
            column, place, left, right = cuts[:inner].T
            # Ranges are told from the start of their part.
            return Cuts(
                column, place, np.zeros(inner, dtype=bool), left, right, leaves[:outer, 0] - start,
                leaves[:outer, 1] - start,
            )  # fmt: skip

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(cut, first.start.tolist(), first.end.tolist()))
        return graft(first, parts)


# --------------------------------------------------------------------------------------------------
# Groups that are no boxes: the table is halved again and again along the main axis of its points.
#
# Each step looks along the direction in which the points of a part vary most, and cuts where as many groups find room
# on both sides; so there are as many groups as the records allow. Groups are balls rather than boxes, which is closer
# to what a teacher knows, and farther from what a reader can describe.


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
    context, packed = bind(counts, requirements)
    units = units_of(counts, context, relaxed=False)
    # The cells of one tuple stay together.
    points = lesson.points[units.tuple]
    values = None if units.cell is None else sensitive_codes(counts, context)[units.cell]
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
        from hedgerow.requirements.formulas import all_hold

        histogram = np.zeros(self.sensitive, dtype=np.int64)
        for which in range(self.values.shape[1]):
            np.add.at(histogram, self.values[some, which], self.weights[some])
        return bool(all_hold(self.packed, size, histogram))
