"""The groups of Hedge: boxes cut by a regression tree in teacher space, or groups along the main axes of its points.

Every leaf of the regression tree meets the requirements. Regions are unions of groups, over which label margins are
published. They come from a second, small tree in the same space, whose leaves each hold enough people; a group belongs
to the region that holds most of its people. The two trees are separate because their aims conflict: the first puts
people with equal labels together, while margins need regions in which labels differ.
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
from hedgerow.anonymizers.partition._hedge_teacher import TeacherSpace
from hedgerow.anonymizers.partition.cuts import Cuts, graft, pieces_of_units, units_to_cut
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import AxisRouter, Pieces
from hedgerow.requirements import Requirement, bind, sensitive_codes
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["AxisGroups", "BoxGroups", "cut_axes", "cut_boxes", "regions_of"]


_MOST_PLACES: Final = 256
# With fewer units, a second thread costs more than it saves.
_WORTHWHILE: Final = 5_000
_PARTS: Final = 16


@dataclass(frozen=True, eq=False)
class BoxGroups:
    """Which cells make up which group, and the cuts between them."""

    pieces: Pieces
    cuts: Cuts


def cut_boxes(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    points: Floats,
    times: int = 1,
) -> BoxGroups:
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
        Each group has at least this many times the people that are required.
    """
    context, packed = bind(counts, requirements)
    units = units_to_cut(counts, context, relaxed=False)
    places, last_rank = _places(counts, orders, units.tuple)
    weight = units.weight.astype(np.float64)
    sums = np.column_stack([weight, points[units.tuple] * weight[:, None]])
    if units.cell is None:
        values = np.empty((len(sums), 0), dtype=np.int32)
    else:
        values = sensitive_codes(counts, context)[units.cell]
    least = packed.minimal_size * times
    growth = _Growth(places, sums, values, counts.column_weights, least, packed, int(context.offsets[-1]))
    # Cores finish the parts side by side.
    cuts = growth.finished(growth.first(_PARTS if len(sums) > _WORTHWHILE else 1))
    threshold = np.array([last_rank[column][place] for column, place in zip(cuts.column, cuts.threshold, strict=True)])
    group = np.empty(len(sums), dtype=np.int32)
    group[growth.order] = np.repeat(np.arange(len(cuts.start), dtype=np.int32), cuts.end - cuts.start)
    return BoxGroups(pieces_of_units(counts, units, group), cuts._replace(threshold=threshold.astype(np.int32)))


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
        The most regions.
    support : int
        The least number of people in each region of the tree.
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
    """The place of each unit in each column, and the last rank of each place. A place is a run of ranks."""
    places, last = np.empty((len(of_tuple), len(orders)), dtype=np.int32), []
    for at, (name, order) in enumerate(zip(counts.quasi, orders, strict=True)):
        size = counts.domains[name].size
        records = np.zeros(size, dtype=np.int64)
        records[order] = counts.histogram(name)
        place = np.arange(size)
        if size > _MOST_PLACES:
            # Places hold about equally many records; with this many values, a rank more or less hardly matters.
            place = np.minimum((np.cumsum(records) - records) * _MOST_PLACES // records.sum(), _MOST_PLACES - 1)
            place = np.unique(place, return_inverse=True)[1]
        places[:, at] = place[order[counts.tuples[of_tuple, at]]]
        last.append(np.searchsorted(place, np.arange(place[-1] + 1), side="right") - 1)
    return places, last


class _Growth:
    """A regression tree while it grows."""

    def __init__(
        self,
        places: Ints,
        sums: Floats,
        values: Ints,
        column_weights: Floats,
        least: int,
        packed: PackedRequirements | None,
        sensitive: int,
    ) -> None:
        self.order = np.arange(len(sums), dtype=np.int64)
        self.places, self.sums, self.values = places, sums, values
        self.column_weights = column_weights
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
        """Always cut the range that gains most, until there are ``most`` ranges or none can be cut."""
        scratch = self._scratch()
        cuts: list[list[int]] = []  # column, place, left, right
        done: list[tuple[int, int, int, int]] = []  # start, end, the parent cut, and the side of it
        waiting: list[tuple[float, int, int, int, int, int, int]] = []

        def rate(start: int, end: int, parent: int, side: int) -> None:
            column = best_cut(
                self.order, self.places, self.sums, self.values, self.column_weights, self.packed, self.least,
                start, end, *scratch,
            )  # fmt: skip
            if column < 0:
                done.append((start, end, parent, side))
            else:
                score = float(scratch[3][column].max())
                heapq.heappush(waiting, (-score, start, end, parent, side, column, int(scratch[4][column, 0])))

        rate(0, len(self.order), -1, 0)
        while waiting and len(waiting) + len(done) < most:
            _, start, end, parent, side, column, place = heapq.heappop(waiting)
            middle = split(self.order, self.places, start, end, column, place)
            if parent >= 0:
                cuts[parent][2 + side] = len(cuts)
            cuts.append([column, place, 0, 0])
            at = len(cuts) - 1
            rate(start, middle, at, 0)
            rate(middle, end, at, 1)
        ranges = sorted([*done, *(candidate[1:5] for candidate in waiting)])
        for leaf, (_, _, parent, side) in enumerate(ranges):
            if parent >= 0:
                cuts[parent][2 + side] = -1 - leaf
        columns, places, left, right = np.array(cuts, dtype=np.int32).reshape(-1, 4).T
        starts, ends = np.array([leaf[:2] for leaf in ranges], dtype=np.int64).T
        return Cuts(columns, places, np.zeros(len(cuts), dtype=bool), left, right, starts, ends)

    def finished(self, first: Cuts) -> Cuts:
        """Cut every part until no cut is allowed, side by side."""

        def cut(start: int, end: int) -> Cuts:
            records = self.sums[self.order[start:end], 0].sum()
            most = int(min(end - start, records // self.least)) + 1
            cuts, leaves = np.zeros((most, 4), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
            waiting = np.zeros((most + 1, 4), dtype=np.int64)
            inner, outer = grow(
                self.order, self.places, self.sums, self.values, self.column_weights, self.packed, self.least,
                start, end, *self._scratch(), cuts, leaves, waiting,
            )  # fmt: skip
            column, place, left, right = cuts[:inner].T
            # Ranges count from the start of their part.
            return Cuts(
                column, place, np.zeros(inner, dtype=bool), left, right, leaves[:outer, 0] - start,
                leaves[:outer, 1] - start,
            )  # fmt: skip

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(cut, first.start.tolist(), first.end.tolist()))
        return graft(first, parts)


# --------------------------------------------------------------------------------------------------
# Groups along axes: the table is halved again and again along the main axis of its points.
#
# Each step takes the direction in which the points of a part vary most, and cuts where both sides have room for equally
# many groups, so that there are as many groups as the records allow. The groups are balls rather than boxes. That is
# closer to what a teacher knows, but harder to describe to a reader.


# Where the cut in the middle is not allowed, these shares of the records go left.
_OTHER_SHARES = (0.4, 0.6, 0.25, 0.75)
# How many directions are tried.
_DIRECTIONS = 2


class AxisGroups(NamedTuple):
    """Which cells make up which group, and the router for unseen rows."""

    pieces: Pieces
    router: AxisRouter


class _Cut(NamedTuple):
    """Points go left whose place along the direction is at most the threshold."""

    direction: Floats
    threshold: float
    left: Longs


def cut_axes(counts: FrequencyTable, requirements: Sequence[Requirement], teacher_space: TeacherSpace) -> AxisGroups:
    """Cut a table into groups of points that lie close together."""
    context, packed = bind(counts, requirements)
    units = units_to_cut(counts, context, relaxed=False)
    points = teacher_space.points[units.tuple]
    values = None if units.cell is None else sensitive_codes(counts, context)[units.cell]
    halving = _Halving(points, units.tuple, units.weight, values, int(context.offsets[-1]), packed)
    group = halving.groups()
    directions, thresholds, left, right = halving.tree()
    router = AxisRouter(
        teacher_space.added, teacher_space.share, teacher_space.centre, directions, thresholds, left, right
    )
    return AxisGroups(pieces_of_units(counts, units, group), router)


class _Halving:
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
            part, parent, side = waiting.pop()
            cut = self._cut(part)
            if cut is None:
                group[part] = leaves
                child, leaves = -1 - leaves, leaves + 1
            else:
                child = len(self.nodes)
                self.nodes.append((cut.direction, cut.threshold))
                self.children.append([0, 0])
                goes_left = np.isin(np.arange(len(part)), cut.left)
                waiting.append((part[~goes_left], child, 1))
                waiting.append((part[goes_left], child, 0))
            if parent >= 0:
                self.children[parent][side] = child
        return group

    def tree(self) -> tuple[Floats, Floats, Ints, Ints]:
        """The tree: directions, thresholds, and the children of each cut."""
        directions = np.array([direction for direction, _ in self.nodes]).reshape(-1, self.points.shape[1])
        thresholds = np.array([threshold for _, threshold in self.nodes], dtype=np.float64)
        left, right = np.array(self.children, dtype=np.int32).reshape(-1, 2).T
        return directions, thresholds, left, right

    def _cut(self, part: Longs) -> _Cut | None:
        weights = self.weights[part].astype(np.float64)
        total = weights.sum()
        if total < 2 * self.least or len(part) < 2:
            return None
        points = self.points[part]
        centred = points - (weights @ points) / total
        _, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
        directions = range(1, min(_DIRECTIONS, axes.shape[1]) + 1)
        # Equal points with different values are separated only where no other cut is allowed.
        for together, at in [*((True, at) for at in directions), (False, 1)]:
            direction = axes[:, -at]
            # The sign of an axis is arbitrary.
            direction = direction if direction[np.abs(direction).argmax()] > 0 else -direction
            along = np.round(points @ direction, 12)
            order = np.lexsort((self.of_tuple[part], along))
            reached = np.cumsum(weights[order])
            rooms = int(total // self.least)
            for share in ((rooms // 2) / rooms, *_OTHER_SHARES):
                place = int(np.searchsorted(reached, share * total - 1e-9))
                last = self._last_left(part, order, along if together else None, place)
                if last is not None:
                    return _Cut(direction, float(along[order[last]]), order[: last + 1])
        return None

    def _last_left(self, part: Longs, order: Longs, along: Floats | None, place: int) -> int | None:
        """The last item of the left side, at ``place`` or next to it, such that both sides may be groups.

        A tuple stays on one side, and so do tuples with equal places ``along`` an axis, if these are given.
        """
        tuples = self.of_tuple[part][order]
        for near in (place, place - 1, place + 1):
            if (
                not 0 <= near < len(order) - 1
                or tuples[near] == tuples[near + 1]
                or (along is not None and along[order[near]] == along[order[near + 1]])
            ):
                continue
            if self._holds(part[order[: near + 1]]) and self._holds(part[order[near + 1 :]]):
                return near
        return None

    def _holds(self, part: Longs) -> bool:
        """Whether a part satisfies all requirements."""
        size = int(self.weights[part].sum())
        if size < self.least:
            return False
        if self.values is None or not len(self.packed.kind):
            return True
        from hedgerow.requirements.formulas import all_hold

        histogram = np.zeros(self.sensitive, dtype=np.int64)
        for which in range(self.values.shape[1]):
            np.add.at(histogram, self.values[part, which], self.weights[part])
        return bool(all_hold(self.packed, size, histogram))
