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
from typing import Final

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.partition.cutting import pieces_of_units, units_of
from hedgerow.anonymizers.partition.hedging._kernels import best_cut, grow, split
from hedgerow.anonymizers.partition.threads import Cuts, join
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.recoding import Pieces

__all__ = ["Boxes", "cut_boxes", "regions_of"]

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
    context, packed = privacy.bind(counts, requirements)
    units = units_of(counts, context, relaxed=False)
    places, last_rank = _places(counts, orders, units.tuple)
    weight = units.weight.astype(np.float64)
    sums = np.column_stack([weight, points[units.tuple] * weight[:, None]])
    if units.cell is None:
        values = np.empty((len(sums), 0), dtype=np.int32)
    else:
        values = privacy.sensitive_codes(counts, context)[units.cell]
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
        return join(first, parts)
