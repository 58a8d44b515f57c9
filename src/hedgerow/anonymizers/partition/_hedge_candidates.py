"""Candidates for a release: groups of several shapes, told in several ways; the rehearsal chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.threads import on_a_core_each
from hedgerow.anonymizers.budget import Reduced
from hedgerow.anonymizers.partition._hedge_groups import cut_axes, cut_boxes, regions_of
from hedgerow.anonymizers.partition._hedge_teacher import (
    Lesson,
    Table,
    boosting,
    check_teacher,
    order_of,
    readable,
    table_of,
    taught,
)
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.proportions import Lifts, Proportions, Spread, count_labels, count_proportions, tilted
from hedgerow.core.proportions.draw_rows import LabelledRows, deal_values, rows_by_class
from hedgerow.core.proportions.label_margins import proportions_to_publish
from hedgerow.core.recoding import (
    AxisRouter,
    ByLabel,
    CutTree,
    Pieces,
    Recoding,
    Shown,
    publish_groups,
    publish_regions,
)
from hedgerow.errors import Infeasible, required
from hedgerow.requirements import KAnonymity, Requirement
from hedgerow.risk import label_posterior

__all__ = ["Asked", "Fit", "Rehearsal", "best_candidate", "coarse_enough", "told_by_label"]


# --------------------------------------------------------------------------------------------------
# The rehearsal of a release: what would a learner know that has only what is told?
#
# The proportions of a candidate are pooled as they would be published, rows are drawn from them, and a booster learns
# from these. What it says of the original tuples is held against the teacher, who has not seen them: of labels how
# often it would be right if the teacher's probabilities were true, of numbers the squared difference. No row is held
# back for that, and no label is compared with one that it was learnt from.


# A candidate is known well enough by so many rows.
_MOST_ROWS: Final = 60_000
_DAY: Final = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Judges candidates for a release.

    Attributes
    ----------
    counts : FrequencyTable
    table : Table
    lesson : Lesson
    support : int
        Of how many people each published share is at least.
    seed : int
    """

    counts: FrequencyTable
    table: Table
    lesson: Lesson
    support: int
    seed: int

    def told(self, recoding: Recoding) -> Proportions:
        """What would be published beside the table."""
        # What groups publish is at hand: an empty text there is a value, and not what a file has for a missing one.
        recoding = replace(recoding, missing=())
        exact = count_proportions(self.counts, recoding)
        support = min(self.support, int(exact.sizes.sum()))
        return proportions_to_publish(exact, count_labels(self.counts, recoding), support)

    def score(self, recoding: Recoding) -> float:
        """What a learner would know of the original tuples; more is better."""
        rows, target = self._drawn(recoding)
        if self.table.labels and len(np.unique(target)) < 2:
            return 0.0
        first = np.searchsorted(self.counts.cell_tuple, np.arange(len(self.counts.tuples)))
        said = boosting(self.table, target, self.seed).fit(readable(rows), target).predict(self.table.rows[first])
        weights = self.counts.tuple_sizes / self.counts.rows
        if self.table.labels:
            return float(weights @ self.lesson.guess[np.arange(len(said)), said.astype(np.int64)])
        return -float(weights @ (said - self.lesson.guess[:, 0]) ** 2)

    def _drawn(self, recoding: Recoding) -> tuple[Floats, Longs | Floats]:
        """Rows as they would be redrawn, and their targets."""
        proportions = self.told(recoding)
        generator = np.random.default_rng(self.seed)
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = np.flatnonzero(pieces.group >= 0)
        piece = np.repeat(kept, pieces.size[kept])
        if len(piece) > _MOST_ROWS:
            piece = np.sort(generator.permutation(piece)[:_MOST_ROWS])
        cells = pieces.cell[piece]
        rows = rows_by_class(_class_of_group(proportions, recoding)[pieces.group[piece]], proportions.sizes)
        labels = (
            None if proportions.lifts is None else self.codes_of_labels(proportions.lifts)[self.table.target[cells]]
        )
        columns = []
        for at, (name, own) in enumerate(zip(self.counts.quasi, generator.spawn(len(self.counts.quasi)), strict=True)):
            spread = self.spread(proportions, name)
            tilt = tilted(proportions, name, spread)
            labelled = None if tilt is None or labels is None else LabelledRows(tilt, labels)
            columns.append(self._read(at, *deal_values(spread, rows, 1, own, labelled)))
        return np.column_stack(columns), self.table.target[cells]

    def spread(self, proportions: Proportions, name: str) -> Spread:
        """The values that each class may hold in a column, as a reader with the hierarchies would see it."""
        hierarchy = self.counts.hierarchies.get(name)
        source = None if hierarchy is None or hierarchy.automatic else hierarchy.source
        column = proportions.column(name)
        labels = column.labels(source)
        return column.spread(labels.values_below, labels.listed)

    def codes_of_labels(self, lifts: Lifts) -> Longs:
        """Which label of some lifts each of ours is, -1 if none."""
        domain = self.counts.domains[lifts.target]
        texts = np.array([None] * self.table.labels, dtype=object)
        known = self.table.label_of_code >= 0
        texts[self.table.label_of_code[known]] = np.array([*domain.labels, *[None] * domain.has_missing], object)[known]
        return lifts.codes_of(tuple(texts.tolist()))

    def placed(self, recoding: Recoding, proportions: Proportions, most: int) -> tuple[Ints, Longs]:
        """At most so many cells, chosen at random, and the class of each."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        some = np.flatnonzero(pieces.group >= 0)
        if len(some) > most:
            some = np.sort(np.random.default_rng(self.seed).permutation(some)[:most])
        return pieces.cell[some], _class_of_group(proportions, recoding)[pieces.group[some]]

    def label_counts(self, recoding: Recoding, proportions: Proportions) -> Floats:
        """How many records of each class have each label."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = pieces.group >= 0
        of_class = _class_of_group(proportions, recoding)[pieces.group[kept]]
        labels = self.table.target[pieces.cell[kept]].astype(np.int64)
        shape = len(proportions.sizes), self.table.labels
        key = of_class * shape[1] + labels
        return np.bincount(key, pieces.size[kept], shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def _read(self, at: int, values: pa.Array, codes: Longs) -> Floats:
        """Drawn values as learners read them."""
        domain, known = self.counts.domains[self.counts.quasi[at]], self.table.values[at]
        if domain.kind == "text":
            read = {label: known[code] for code, label in enumerate(domain.labels.tolist())}
            return np.array([read.get(value, np.nan) for value in values.to_pylist()])[codes]
        if pa.types.is_date(values.type):
            numbers = values.cast(pa.int32()).cast(pa.float64())
        elif pa.types.is_timestamp(values.type):
            numbers = pc.divide(values.cast(pa.int64()).cast(pa.float64(), safe=False), _DAY)
        else:
            numbers = values.cast(pa.float64(), safe=False)
        return domain.positions_of(numbers.to_numpy(zero_copy_only=False))[codes]


def _class_of_group(proportions: Proportions, recoding: Recoding) -> Longs:
    """The class that each group is of: groups that publish the same are one."""
    texts = {
        name: pa.array([column.texts[value] for value in recoding.groups[:, at].tolist()], pa.string())
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True))
    }
    return proportions.classes_of(nw.from_native(pa.table(texts), eager_only=True))


# --------------------------------------------------------------------------------------------------
# What is told by label, and how strongly: so that whoever reads it knows what the teacher does.
#
# Columns are drawn one by one inside a class, so two columns that say the same of the label would say it twice. The
# strengths of the columns are those with which a reader's guess, from the labels of a class and what is told of each
# column, comes closest to the teacher's probabilities: in cross entropy, over steps of a quarter, a column at a time.


_STEPS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROUNDS: Final = 3
# Strengths are known well enough by so many cells.
_MOST_CELLS: Final = 10_000
_ADDED: Final = 0.5  # people added to each label of a class, so that none is impossible


def told_by_label(rehearsal: Rehearsal, recoding: Recoding, regions: Longs) -> Recoding:
    """The recoding told of in regions, with the strength that fits each column where it is told by label.

    Parameters
    ----------
    rehearsal : Rehearsal
    recoding : Recoding
    regions : int array (levels, groups)
    """
    columns = len(recoding.quasi)
    full = replace(recoding, by_label=ByLabel(regions, np.ones(columns)))
    return replace(recoding, by_label=ByLabel(regions, _fitted(rehearsal, full)))


def _fitted(rehearsal: Rehearsal, full: Recoding) -> Floats:
    """The strength of each column."""
    counts, proportions = rehearsal.counts, rehearsal.told(full)
    cells, classes = rehearsal.placed(full, proportions, _MOST_CELLS)
    tuples = counts.cell_tuple[cells]
    weights = counts.cell_sizes[cells].astype(np.float64)
    weights /= weights.sum()
    guess = rehearsal.lesson.guess[tuples]
    chances = np.log(rehearsal.label_counts(full, proportions) + _ADDED)[classes]
    steps: dict[int, list[Floats]] = {}
    for at, name in enumerate(full.quasi):
        spread = rehearsal.spread(proportions, name)
        tilt = tilted(proportions, name, spread)
        if tilt is None or proportions.lifts is None:
            continue
        codes = spread.codes_of(counts.domains[name])[counts.tuples[tuples, at]]
        pools = np.where(codes < 0, -1, spread.pool[codes])
        known = rehearsal.codes_of_labels(proportions.lifts).tolist()
        tilts = [tilt.at(strength) for strength in _STEPS]
        steps[at] = [np.stack([one.log_ratios(classes, pools, label) for label in known], axis=1) for one in tilts]
    strengths = np.zeros(len(full.quasi))
    chosen = dict.fromkeys(steps, 0)
    logits = chances
    best = _cross_entropy(logits, guess, weights)
    for _ in range(_ROUNDS):
        before = best
        for at, tried in steps.items():
            others = logits - tried[chosen[at]]
            found = [_cross_entropy(others + one, guess, weights) for one in tried]
            chosen[at] = int(np.argmin(found))
            best, logits = found[chosen[at]], others + tried[chosen[at]]
        if best > before - 1e-6:
            break
    for at, step in chosen.items():
        strengths[at] = _STEPS[step]
    return strengths


def _cross_entropy(logits: Floats, guess: Floats, weights: Floats) -> float:
    """Between the reader's probabilities and the teacher's."""
    highest = logits.max(axis=1, keepdims=True)
    together = np.log(np.exp(logits - highest).sum(axis=1)) + highest[:, 0]
    return float(weights @ (together - (guess * logits).sum(axis=1)))


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


# --------------------------------------------------------------------------------------------------
# How much a release would tell of the labels of its people beyond what it tells of others.
#
# The records are halved at random. The method is fitted on one half, and an attacker who reads all that would be
# published guesses the labels of both: of members and of others of the same population. How much more often the guess
# is right for members is the excess; both halves take both parts. Where it is more than is allowed, groups are made
# twice as large, until it is not.


Fit = Callable[[FrequencyTable, Sequence[Requirement]], Recoding]
# A half of so few groups says nothing any more.
_FEWEST_GROUPS: Final = 2


def coarse_enough(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], most: float, support: int | None, seed: int
) -> tuple[Requirement, ...]:
    """The requirements, with larger groups if they have to be.

    Parameters
    ----------
    fit : callable
        From counts and requirements to a recoding.
    counts : FrequencyTable
    requirements : sequence of Requirement
    most : float
        The excess that is allowed, as a share of people.
    support : int, optional
        Of how many people each published share is; ``None`` if none is published.
    seed : int
    """
    demanded = max(one.minimal_size for one in requirements)
    if _FEWEST_GROUPS * demanded > counts.rows // 2:
        raise Infeasible(
            f"The table is too small to find out what is told of labels: a half must have room for {_FEWEST_GROUPS} "
            f"groups of {demanded:,} records. Leave max_excess out, or ask for a smaller k."
        )
    halves = _halves(counts, seed)
    size = demanded
    while _FEWEST_GROUPS * size <= counts.rows // 2:
        asked = (*requirements, *([KAnonymity(size)] if size > demanded else []))
        excess = float(np.mean([_excess(fit, counts, half, asked, support) for half in halves]))
        if excess <= most:
            return asked
        size *= 2
    raise Infeasible(
        f"Labels of people in the table can be told more often than those of others, by more than {most:.1%}, however "
        "large groups are. Allow more (max_excess), publish no proportions, or drop the target."
    )


def _halves(counts: FrequencyTable, seed: int) -> tuple[Longs, Longs]:
    """How many records of each cell are in either half."""
    random = np.random.default_rng(seed)
    record = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    one = random.permutation(record)[: len(record) // 2]
    first = np.bincount(one, minlength=len(counts.cell_sizes)).astype(np.int64)
    return first, counts.cell_sizes - first


def _excess(
    fit: Fit, counts: FrequencyTable, half: Longs, requirements: Sequence[Requirement], support: int | None
) -> float:
    """How much more often an attacker is right about members than about the others."""
    some = Reduced.of(counts, counts.cell_sizes - half).counts
    recoding = fit(some, requirements)
    proportions = None
    if support is not None:
        exact, labels = count_proportions(some, recoding), count_labels(some, recoding)
        proportions = proportions_to_publish(exact, labels, min(support, some.rows))
    said = label_posterior(some, recoding, counts.tuples, proportions, nearest=True).probabilities.argmax(axis=1)
    target = counts.values_of(required(counts.roles.target, "the target"))
    right = said[counts.cell_tuple] == target
    others = counts.cell_sizes - half
    return float(right @ half / half.sum() - right @ others / others.sum())
