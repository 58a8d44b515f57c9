"""Groups that are boxes: a regression tree in teacher space, every leaf of which meets the requirements.

The first cuts part the table into regions that each hold enough people of every label, so that proportions can be told
by label there; then every region is cut by itself until no cut is allowed.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

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

__all__ = ["Boxes", "cut_boxes"]

_MOST_PLACES: Final = 256


@dataclass(frozen=True, eq=False)
class Boxes:
    """Which cells make up which group, the cuts between them, and the region of each group."""

    pieces: Pieces
    cuts: Cuts
    regions: Ints


def cut_boxes(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    points: Floats,
    *,
    label_of_cell: Longs | None = None,
    regions: int = 1,
    support: int = 1,
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
    label_of_cell : int array (cells,), optional
        Numbers of labels, where there shall be several regions.
    regions : int
        At most so many.
    support : int
        The people of each label that each region has at least.
    """
    context, packed = privacy.bind(counts, requirements)
    units = units_of(counts, context, relaxed=False)
    places, last_rank = _places(counts, orders, units.tuple)
    labels = _labels(counts, units.cell, label_of_cell) if regions > 1 and label_of_cell is not None else None
    weight = units.weight.astype(np.float64)
    known = [] if labels is None else [labels]
    sums = np.column_stack([weight, *known, points[units.tuple] * weight[:, None]])
    if units.cell is None:
        values = np.empty((len(sums), 0), dtype=np.int32)
    else:
        values = privacy.sensitive_codes(counts, context)[units.cell]
    growth = _Growth(places, sums, 0 if labels is None else labels.shape[1], values, packed, int(context.offsets[-1]))
    first = growth.regions(regions, support)
    cuts, region = growth.finished(first)
    threshold = np.array([last_rank[column][place] for column, place in zip(cuts.column, cuts.threshold, strict=True)])
    group = np.empty(len(sums), dtype=np.int32)
    group[growth.order] = np.repeat(np.arange(len(cuts.start), dtype=np.int32), cuts.end - cuts.start)
    return Boxes(pieces_of_units(counts, units, group), cuts._replace(threshold=threshold.astype(np.int32)), region)


def _labels(counts: FrequencyTable, cell: Ints | None, label_of_cell: Longs) -> Floats:
    """How many records of each unit have which label."""
    count = int(label_of_cell.max()) + 1
    owner = counts.cell_tuple if cell is None else np.arange(len(label_of_cell))
    size = len(counts.tuples) if cell is None else len(label_of_cell)
    flat = np.bincount(owner.astype(np.int64) * count + label_of_cell, counts.cell_sizes, size * count)
    return flat.reshape(size, count)


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
        self, places: Ints, sums: Floats, labels: int, values: Ints, packed: PackedRequirements, sensitive: int
    ) -> None:
        self.order = np.arange(len(sums), dtype=np.int64)
        self.places, self.sums, self.labels, self.values = places, sums, labels, values
        self.least = packed.minimal_size
        self.packed = packed.formulas
        self.sensitive = sensitive

    def _scratch(self) -> tuple[Any, ...]:
        width, columns = self.sums.shape[1], self.places.shape[1]
        return (
            np.zeros((int(self.places.max(initial=0)) + 1, width)),
            np.zeros(width),
            np.zeros(width),
            np.zeros((columns, 2)),
            np.zeros((columns, 2), dtype=np.int64),
            np.zeros((2, 1 + self.sensitive), dtype=np.int64),
        )

    def regions(self, most: int, support: int) -> Cuts:
        """Cut the range that gains most, until there are so many or none can be cut."""
        scratch = self._scratch()
        found: list[list[int]] = []  # column, place, left, right
        done: list[tuple[int, int, int, int]] = []  # start, end, the cut it came from, and its side
        waiting: list[tuple[float, int, int, int, int, int, int]] = []

        def look(start: int, end: int, parent: int, side: int) -> None:
            column = -1
            if self.labels:
                column = best_cut(
                    self.order, self.places, self.sums, self.labels, self.values, self.packed, self.least,
                    support, start, end, *scratch,
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
        start, end = (np.array([one[which] for one in ranges], dtype=np.int64) for which in (0, 1))
        return Cuts(cuts[:, 0], cuts[:, 1], np.zeros(len(cuts), dtype=bool), cuts[:, 2], cuts[:, 3], start, end)

    def finished(self, first: Cuts) -> tuple[Cuts, Ints]:
        """Cut every region to its end, side by side; also the region of each leaf."""

        def cut(start: int, end: int) -> Cuts:
            records = self.sums[self.order[start:end], 0].sum()
            most = int(min(end - start, records // self.least)) + 1
            cuts, leaves = np.zeros((most, 4), dtype=np.int32), np.zeros((most, 2), dtype=np.int64)
            waiting = np.zeros((most + 1, 4), dtype=np.int64)
            inner, outer = grow(
                self.order, self.places, self.sums, self.labels, self.values, self.packed, self.least, start, end,
                *self._scratch(), cuts, leaves, waiting,
            )  # fmt: skip
            column, place, left, right = cuts[:inner].T
            # Ranges are told from the start of their region.
            return Cuts(
                column, place, np.zeros(inner, dtype=bool), left, right, leaves[:outer, 0] - start,
                leaves[:outer, 1] - start,
            )  # fmt: skip

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(cut, first.start.tolist(), first.end.tolist()))
        joined = join(first, parts)
        region = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.start) for part in parts])
        return joined, region
