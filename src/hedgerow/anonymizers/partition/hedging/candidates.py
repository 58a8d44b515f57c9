"""Candidates for a release: groups of several shapes, told in several ways; the rehearsal chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Literal

import numpy as np

from hedgerow.anonymizers.partition.hedging.axes import cut_axes
from hedgerow.anonymizers.partition.hedging.boxes import cut_boxes, regions_of
from hedgerow.anonymizers.partition.hedging.rehearsing import Rehearsal
from hedgerow.anonymizers.partition.hedging.teaching import Lesson, Table, check_teacher, order_of, table_of, taught
from hedgerow.anonymizers.partition.hedging.telling import told_by_label
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import required
from hedgerow.privacy import Requirement
from hedgerow.recoding import AxisRouter, CutTree, Pieces, Recoding, Shown, publish_groups, publish_regions
from hedgerow.threads import on_a_core_each

__all__ = ["Asked", "best_candidate"]

Tree = Literal["space", "teacher", "label"]
# In at most so many regions columns are told, at each level. With more of them a learner knew no more in trials on
# halves of Adult, and an attacker knew more of the labels of those in the table.
_REGIONS: Final = (1, 2, 4)
# Where columns are told of regions, classes are up to so many times as large, as long as there may be as many of them:
# on halves of Adult a learner then knew as much, and an attacker less of the labels of those in the table.
_LARGEST, _CLASSES = 10, 20
# With more labels than these each of them has too few people to be told of.
_MOST_LABELS: Final = 10
# Where fewer people may be told of, columns told by label give away the labels of these very people: on Adult, with
# Mondrian's groups at k = 10, an attacker knew 2 points more of members than of others, and 4 once they were told.
_FEWEST_BY_LABEL: Final = 50


@dataclass(frozen=True, eq=False)
class Asked:
    """What the method is asked for.

    Attributes
    ----------
    name : str
        The method's.
    shape : {"auto", "box", "axis"}
    shown : sequence of {"set", "interval", "label"}
    teacher : object
    folds : int
    support : int, optional
        Of how many people each published share is; ``None`` if none is published.
    by_label : bool
        Whether columns may be told by label.
    seed : int
    as_regions : bool
        Whether groups publish the regions that were cut out, instead of what they hold.
    """

    name: str
    shape: Literal["auto", "box", "axis"]
    shown: Sequence[Shown]
    teacher: Any
    folds: int
    support: int | None
    by_label: bool
    seed: int
    as_regions: bool = False


def best_candidate(asked: Asked, counts: FrequencyTable, requirements: Sequence[Requirement]) -> Recoding:
    """The candidate whose learner would know most."""
    table = table_of(counts, "Hedge")
    check_teacher(table, asked.teacher, "Hedge")
    lesson = taught(counts, table, asked.teacher, asked.folds, asked.seed)
    making = _Making(asked, counts, requirements, table, lesson)
    shapes: list[Callable[[], Recoding]] = []
    if asked.shape != "axis":
        trees: tuple[Tree, ...] = ("space", "teacher", "label") if table.labels else ("space", "teacher")
        shapes += [partial(making.boxes, tree) for tree in trees]
    # Where shares are pooled, groups that are no boxes tell too little; and they have no regions.
    if asked.shape == "axis" or (asked.shape == "auto" and asked.support == 1 and not asked.as_regions):
        shapes.append(making.axes)
    if asked.support is None:
        return shapes[0]()
    rehearsal = Rehearsal(counts, table, lesson, asked.support, asked.seed)
    candidates = [make() for make in shapes]
    if asked.by_label and asked.support >= _FEWEST_BY_LABEL and 2 <= table.labels <= _MOST_LABELS:
        demanded = max(one.minimal_size for one in requirements)
        times = max(1, min(_LARGEST, counts.rows // (_CLASSES * demanded)))
        boxes = [made for made in candidates if made.facts["groups by"] != "axes"]
        candidates += _all_told(making, rehearsal, [making.boxes(made.facts["groups by"], times) for made in boxes])
    return candidates[int(np.argmax(_scores(rehearsal, candidates)))]


def _all_told(making: _Making, rehearsal: Rehearsal, boxes: Sequence[Recoding]) -> list[Recoding]:
    return on_a_core_each(partial(making.told, rehearsal), boxes, rehearsal.counts.rows)


def _scores(rehearsal: Rehearsal, candidates: Sequence[Recoding]) -> list[float]:
    return on_a_core_each(rehearsal.score, candidates, rehearsal.counts.rows)


@dataclass(frozen=True, eq=False)
class _Making:
    """Makes candidates."""

    asked: Asked
    counts: FrequencyTable
    requirements: Sequence[Requirement]
    table: Table
    lesson: Lesson

    def boxes(self, tree: Tree, times: int = 1) -> Recoding:
        """Boxes, cut by one of three spaces; each has at least so many times the people that are required."""
        boxes = cut_boxes(self.counts, self.requirements, self._orders, self._points(tree), times)
        cuts = boxes.cuts
        router = CutTree(cuts.column, cuts.threshold, cuts.single, cuts.left, cuts.right, self._orders)
        return self._recoding(boxes.pieces, router, tree)

    def axes(self) -> Recoding:
        """Groups that are no boxes."""
        axes = cut_axes(self.counts, self.requirements, self.lesson)
        return self._recoding(axes.pieces, axes.router, "axes")

    def told(self, rehearsal: Rehearsal, made: Recoding) -> Recoding:
        """The same boxes, told of in regions and by label."""
        pieces = required(made.pieces, "how the cells of a table go to groups")
        points = self._points(made.facts["groups by"])
        levels: list[Longs] = []
        known = 0
        for most in _REGIONS:
            regions = regions_of(self.counts, self._orders, points, pieces, most, rehearsal.support)
            if not levels or len(np.unique(regions)) > len(np.unique(levels[-1])):
                levels.append(known + regions)
                known = int(levels[-1].max()) + 1
        return told_by_label(rehearsal, made, np.stack(levels))

    def _points(self, tree: Tree) -> Floats:
        if tree == "space":
            return self.lesson.points
        if tree == "teacher":
            return self.lesson.points[:, : self.lesson.said]
        shares = np.zeros((len(self.counts.tuples), self.table.labels))
        np.add.at(shares, (self.counts.cell_tuple, self.table.target.astype(np.int64)), self.counts.cell_sizes)
        shares /= self.counts.tuple_sizes[:, None]
        return np.asarray(shares - np.average(shares, axis=0, weights=self.counts.tuple_sizes))

    @cached_property
    def _orders(self) -> tuple[Ints, ...]:
        return tuple(self._order(at, how) for at, how in enumerate(self.asked.shown))

    def _order(self, at: int, how: Shown) -> Ints:
        """Numbers and what has an order are cut in it, what is shown as nodes in the hierarchy's, others by meaning."""
        domain = self.counts.domains[self.counts.quasi[at]]
        if how == "label":
            return self.counts.hierarchies[domain.name].order
        if domain.kind != "text" or domain.ordered:
            return np.arange(domain.size, dtype=np.int32)
        return order_of(self.counts, at, self.lesson)

    def _recoding(self, pieces: Pieces, router: CutTree | AxisRouter, tree: str) -> Recoding:
        groups = int(pieces.group.max()) + 1
        if self.asked.as_regions and isinstance(router, CutTree):
            columns, values = publish_regions(self.counts, router, groups, self.asked.shown)
        else:
            columns, values = publish_groups(self.counts, pieces, groups, self.asked.shown)
        sizes: Longs = np.bincount(pieces.group, pieces.size, groups).astype(np.int64)
        return Recoding(
            method=self.asked.name,
            quasi=self.counts.quasi,
            columns=columns,
            groups=values,
            sizes=sizes,
            pieces=pieces,
            router=router,
            facts={"groups by": tree},
        )
