"""Candidates for a release: groups of several shapes, with and without label margins. The best score wins."""

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
    TeacherSpace,
    TrainingTable,
    boosting,
    check_teacher,
    order_by_teacher,
    readable_rows,
    teach,
    training_table,
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

__all__ = ["Fit", "HedgeOptions", "Scorer", "best_candidate", "limit_excess", "with_label_margins"]


# --------------------------------------------------------------------------------------------------
# The score of a candidate: how much does a learner know that has only what would be published?
#
# The proportions of a candidate are pooled as for publication, rows are drawn from them, and a booster trains on these
# rows. Its predictions for the original tuples are compared with the estimates of the teacher, which has not seen them:
# for labels, how often it would be right if the teacher's probabilities were true; for numbers, the squared difference.
# So no row has to be held back, and no label is compared with a prediction that was trained on it.


# This many rows estimate a score well enough.
_MOST_ROWS: Final = 60_000
_DAY: Final = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores candidates by training on rows drawn from them.

    Attributes
    ----------
    counts : FrequencyTable
    table : TrainingTable
    teacher_space : TeacherSpace
    support : int
        The least number of people behind a published share.
    seed : int
    """

    counts: FrequencyTable
    table: TrainingTable
    teacher_space: TeacherSpace
    support: int
    seed: int

    def proportions(self, recoding: Recoding) -> Proportions:
        """The proportions that would be published beside the table."""
        # Groups are not read from a file here: an empty text is a value, not a missing one.
        recoding = replace(recoding, missing=())
        exact = count_proportions(self.counts, recoding)
        support = min(self.support, int(exact.sizes.sum()))
        return proportions_to_publish(exact, count_labels(self.counts, recoding), support)

    def score(self, recoding: Recoding) -> float:
        """How well a learner predicts the original tuples; more is better."""
        rows, target = self._drawn(recoding)
        if self.table.labels and len(np.unique(target)) < 2:
            return 0.0
        first = np.searchsorted(self.counts.cell_tuple, np.arange(len(self.counts.tuples)))
        learner = boosting(self.table, target, self.seed).fit(readable_rows(rows), target)
        predicted = learner.predict(self.table.rows[first])
        weights = self.counts.tuple_sizes / self.counts.rows
        estimates = self.teacher_space.estimates
        if self.table.labels:
            return float(weights @ estimates[np.arange(len(predicted)), predicted.astype(np.int64)])
        return -float(weights @ (predicted - estimates[:, 0]) ** 2)

    def _drawn(self, recoding: Recoding) -> tuple[Floats, Longs | Floats]:
        """Redrawn rows, and their targets."""
        proportions = self.proportions(recoding)
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
            columns.append(self._numbers(at, *deal_values(spread, rows, 1, own, labelled)))
        return np.column_stack(columns), self.table.target[cells]

    def spread(self, proportions: Proportions, name: str) -> Spread:
        """The values that each class may hold in a column, as a reader with the hierarchies would see them."""
        hierarchy = self.counts.hierarchies.get(name)
        source = None if hierarchy is None or hierarchy.automatic else hierarchy.source
        column = proportions.column(name)
        labels = column.labels(source)
        return column.spread(labels.values_below, labels.listed)

    def codes_of_labels(self, lifts: Lifts) -> Longs:
        """The number that each of our labels has in ``lifts``; -1 if it has none."""
        domain = self.counts.domains[lifts.target]
        texts = np.array([None] * self.table.labels, dtype=object)
        known = self.table.label_of_code >= 0
        texts[self.table.label_of_code[known]] = np.array([*domain.labels, *[None] * domain.has_missing], object)[known]
        return lifts.codes_of(tuple(texts.tolist()))

    def sample(self, recoding: Recoding, proportions: Proportions, most: int) -> tuple[Ints, Longs]:
        """At most this many cells, chosen at random, and the class of each."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = np.flatnonzero(pieces.group >= 0)
        if len(kept) > most:
            kept = np.sort(np.random.default_rng(self.seed).permutation(kept)[:most])
        return pieces.cell[kept], _class_of_group(proportions, recoding)[pieces.group[kept]]

    def label_counts(self, recoding: Recoding, proportions: Proportions) -> Floats:
        """How many records of each class have each label."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = pieces.group >= 0
        of_class = _class_of_group(proportions, recoding)[pieces.group[kept]]
        labels = self.table.target[pieces.cell[kept]].astype(np.int64)
        shape = len(proportions.sizes), self.table.labels
        key = of_class * shape[1] + labels
        return np.bincount(key, pieces.size[kept], shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def _numbers(self, at: int, values: pa.Array, codes: Longs) -> Floats:
        """Drawn values of a column as learners read them."""
        domain, known = self.counts.domains[self.counts.quasi[at]], self.table.values[at]
        if domain.kind == "text":
            number_of = {label: known[code] for code, label in enumerate(domain.labels.tolist())}
            return np.array([number_of.get(value, np.nan) for value in values.to_pylist()])[codes]
        if pa.types.is_date(values.type):
            numbers = values.cast(pa.int32()).cast(pa.float64())
        elif pa.types.is_timestamp(values.type):
            numbers = pc.divide(values.cast(pa.int64()).cast(pa.float64(), safe=False), _DAY)
        else:
            numbers = values.cast(pa.float64(), safe=False)
        return domain.positions_of(numbers.to_numpy(zero_copy_only=False))[codes]


def _class_of_group(proportions: Proportions, recoding: Recoding) -> Longs:
    """The class of each group: groups that publish the same values form one class."""
    texts = {
        name: pa.array([column.texts[value] for value in recoding.groups[:, at].tolist()], pa.string())
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True))
    }
    return proportions.classes_of(nw.from_native(pa.table(texts), eager_only=True))


# --------------------------------------------------------------------------------------------------
# Label margins, and how strongly each column should follow them.
#
# Columns are drawn one by one inside a class, so two columns that carry the same information about the label would
# count it twice. A reader combines the labels of a class with the margins of each column; the strengths are those for
# which the reader's guess comes closest to the teacher's probabilities. They minimize the cross entropy, in steps of a
# quarter, one column at a time.


_STEPS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROUNDS: Final = 3
# This many cells estimate strengths well enough.
_MOST_CELLS: Final = 10_000
_ADDED: Final = 0.5  # people added to each label of a class, so that no label is impossible


def with_label_margins(scorer: Scorer, recoding: Recoding, regions: Longs) -> Recoding:
    """The recoding with label margins, their strength chosen per column.

    Parameters
    ----------
    scorer : Scorer
    recoding : Recoding
    regions : int array (levels, groups)
        The regions over which margins are published.
    """
    full = replace(recoding, by_label=ByLabel(regions, np.ones(len(recoding.quasi))))
    return replace(recoding, by_label=ByLabel(regions, _margin_strengths(scorer, full)))


def _margin_strengths(scorer: Scorer, full: Recoding) -> Floats:
    """The best strength of each column, found by coordinate descent from zero."""
    counts, proportions = scorer.counts, scorer.proportions(full)
    cells, classes = scorer.sample(full, proportions, _MOST_CELLS)
    weights = counts.cell_sizes[cells].astype(np.float64)
    weights /= weights.sum()
    estimates = scorer.teacher_space.estimates[counts.cell_tuple[cells]]
    steps = _log_ratios_of_steps(scorer, full, proportions, cells, classes)
    chosen = dict.fromkeys(steps, 0)
    logits = np.log(scorer.label_counts(full, proportions) + _ADDED)[classes]
    best = _cross_entropy(logits, estimates, weights)
    for _ in range(_ROUNDS):
        before = best
        for at, ratios in steps.items():
            others = logits - ratios[chosen[at]]
            losses = [_cross_entropy(others + ratio, estimates, weights) for ratio in ratios]
            chosen[at] = int(np.argmin(losses))
            best, logits = losses[chosen[at]], others + ratios[chosen[at]]
        if best > before - 1e-6:
            break
    return np.array([_STEPS[chosen.get(at, 0)] for at in range(len(full.quasi))])


def _log_ratios_of_steps(
    scorer: Scorer, full: Recoding, proportions: Proportions, cells: Ints, classes: Longs
) -> dict[int, list[Floats]]:
    """For each column with label margins, what it adds to the logits of each cell, at every strength."""
    counts, lifts = scorer.counts, proportions.lifts
    steps: dict[int, list[Floats]] = {}
    if lifts is None:
        return steps
    labels = scorer.codes_of_labels(lifts).tolist()
    for at, name in enumerate(full.quasi):
        spread = scorer.spread(proportions, name)
        tilt = tilted(proportions, name, spread)
        if tilt is None:
            continue
        codes = spread.codes_of(counts.domains[name])[counts.tuples[counts.cell_tuple[cells], at]]
        pools = np.where(codes < 0, -1, spread.pool[codes])
        tilts = [tilt.at(strength) for strength in _STEPS]
        steps[at] = [
            np.stack([scaled.log_ratios(classes, pools, label) for label in labels], axis=1) for scaled in tilts
        ]
    return steps


def _cross_entropy(logits: Floats, estimates: Floats, weights: Floats) -> float:
    """Between the reader's probabilities and the teacher's."""
    highest = logits.max(axis=1, keepdims=True)
    together = np.log(np.exp(logits - highest).sum(axis=1)) + highest[:, 0]
    return float(weights @ (together - (estimates * logits).sum(axis=1)))


# --------------------------------------------------------------------------------------------------
# The candidates, and the choice among them.


Tree = Literal["space", "teacher", "label"]
# The most regions with label margins, at each level. With more, in trials on halves of Adult, a learner knew no more,
# and an attacker knew more of the labels of people in the table.
_REGIONS: Final = (1, 2, 4)
# With label margins, classes are up to ``_LARGEST`` times as large, as long as there can be ``_CLASSES`` of them. On
# halves of Adult a learner then knew as much, and an attacker less of the labels of people in the table.
_LARGEST, _CLASSES = 10, 20
# With more labels than these, each has too few people for margins.
_MOST_LABELS: Final = 10
# With a smaller support, label margins give away the labels of the people that they count: on Adult, with Mondrian's
# groups at k = 10, an attacker's lead on members over others rose from 2 to 4 points.
_FEWEST_BY_LABEL: Final = 50


@dataclass(frozen=True, eq=False)
class HedgeOptions:
    """The parameters of Hedge that candidates depend on.

    Attributes
    ----------
    name : str
        The name of the method.
    shape : {"auto", "box", "axis"}
    shown : sequence of {"set", "interval", "label"}
    teacher : object
    folds : int
    support : int, optional
        The least number of people behind a published share; ``None`` if no proportions are published.
    by_label : bool
        Whether label margins may be published.
    seed : int
    as_regions : bool
        Whether groups publish the regions that were cut out, instead of the values that they hold.
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


def best_candidate(options: HedgeOptions, counts: FrequencyTable, requirements: Sequence[Requirement]) -> Recoding:
    """The candidate from which a learner knows most."""
    table = training_table(counts, "Hedge")
    check_teacher(table, options.teacher, "Hedge")
    teacher_space = teach(counts, table, options.teacher, options.folds, options.seed)
    maker = _CandidateMaker(options, counts, requirements, table, teacher_space)
    shapes = maker.shapes()
    if options.support is None:
        return shapes[0]()
    scorer = Scorer(counts, table, teacher_space, options.support, options.seed)
    candidates = [make() for make in shapes]
    if _label_margins_are_safe(options, table):
        candidates += _with_margins(maker, scorer, maker.larger_boxes())
    return candidates[int(np.argmax(_scores(scorer, candidates)))]


def _label_margins_are_safe(options: HedgeOptions, table: TrainingTable) -> bool:
    """Whether label margins are allowed, and each counts enough people."""
    enough_people = options.support is not None and options.support >= _FEWEST_BY_LABEL
    return options.by_label and enough_people and 2 <= table.labels <= _MOST_LABELS


def _with_margins(maker: _CandidateMaker, scorer: Scorer, boxes: Sequence[Recoding]) -> list[Recoding]:
    return on_a_core_each(partial(maker.with_margins, scorer), boxes, scorer.counts.rows)


def _scores(scorer: Scorer, candidates: Sequence[Recoding]) -> list[float]:
    return on_a_core_each(scorer.score, candidates, scorer.counts.rows)


@dataclass(frozen=True, eq=False)
class _CandidateMaker:
    """Makes candidates."""

    options: HedgeOptions
    counts: FrequencyTable
    requirements: Sequence[Requirement]
    table: TrainingTable
    teacher_space: TeacherSpace

    def shapes(self) -> list[Callable[[], Recoding]]:
        """What makes the candidates without label margins."""
        shape = self.options.shape
        boxes: list[Callable[[], Recoding]] = []
        if shape != "axis":
            boxes = [partial(self.boxes, tree) for tree in self._trees]
        # Groups along axes are not boxes. They publish too little where shares are pooled, and have no regions.
        with_axes = shape == "auto" and self.options.support == 1 and not self.options.as_regions
        return [*boxes, self.axes] if shape == "axis" or with_axes else boxes

    def boxes(self, tree: Tree, times: int = 1) -> Recoding:
        """Boxes, cut in one of three spaces; each has at least ``times`` the people that are required."""
        boxes = cut_boxes(self.counts, self.requirements, self._orders, self._points(tree), times)
        return self._recoding(boxes.pieces, CutTree(*boxes.cuts[:5], self._orders), tree)

    def larger_boxes(self) -> list[Recoding]:
        """The boxes of every tree, as large as label margins need them."""
        if self.options.shape == "axis":
            return []
        demanded = max(requirement.minimal_size for requirement in self.requirements)
        times = max(1, min(_LARGEST, self.counts.rows // (_CLASSES * demanded)))
        return [self.boxes(tree, times) for tree in self._trees]

    def axes(self) -> Recoding:
        """Groups along the main axes of the points, which are not boxes."""
        axes = cut_axes(self.counts, self.requirements, self.teacher_space)
        return self._recoding(axes.pieces, axes.router, "axes")

    def with_margins(self, scorer: Scorer, boxes: Recoding) -> Recoding:
        """The same boxes, with label margins over regions."""
        pieces = required(boxes.pieces, "how the cells of a table go to groups")
        points = self._points(boxes.facts["groups by"])
        levels: list[Longs] = []
        numbered = 0
        for most in _REGIONS:
            regions = regions_of(self.counts, self._orders, points, pieces, most, scorer.support)
            if not levels or len(np.unique(regions)) > len(np.unique(levels[-1])):
                levels.append(numbered + regions)
                numbered = int(levels[-1].max()) + 1
        return with_label_margins(scorer, boxes, np.stack(levels))

    @property
    def _trees(self) -> tuple[Tree, ...]:
        return ("space", "teacher", "label") if self.table.labels else ("space", "teacher")

    def _points(self, tree: Tree) -> Floats:
        if tree == "space":
            return self.teacher_space.points
        if tree == "teacher":
            return self.teacher_space.points[:, : self.teacher_space.teacher_dimensions]
        shares = np.zeros((len(self.counts.tuples), self.table.labels))
        np.add.at(shares, (self.counts.cell_tuple, self.table.target.astype(np.int64)), self.counts.cell_sizes)
        shares /= self.counts.tuple_sizes[:, None]
        return np.asarray(shares - np.average(shares, axis=0, weights=self.counts.tuple_sizes))

    @cached_property
    def _orders(self) -> tuple[Ints, ...]:
        return tuple(self._order(at, how) for at, how in enumerate(self.options.shown))

    def _order(self, at: int, how: Shown) -> Ints:
        """Labels are cut in their hierarchy's order, ordered values in their own, others by what the teacher adds."""
        domain = self.counts.domains[self.counts.quasi[at]]
        if how == "label":
            return self.counts.hierarchies[domain.name].order
        if domain.kind != "text" or domain.ordered:
            return np.arange(domain.size, dtype=np.int32)
        return order_by_teacher(self.counts, at, self.teacher_space)

    def _recoding(self, pieces: Pieces, router: CutTree | AxisRouter, tree: str) -> Recoding:
        groups = int(pieces.group.max()) + 1
        if self.options.as_regions and isinstance(router, CutTree):
            columns, values = publish_regions(self.counts, router, groups, self.options.shown)
        else:
            columns, values = publish_groups(self.counts, pieces, groups, self.options.shown)
        return Recoding(
            method=self.options.name,
            quasi=self.counts.quasi,
            columns=columns,
            groups=values,
            sizes=pieces.sizes(groups),
            pieces=pieces,
            router=router,
            facts={"groups by": tree},
        )


# --------------------------------------------------------------------------------------------------
# max_excess: how much more a release reveals about the labels of its people than about those of others.
#
# The records are halved at random. The method is fitted on one half, and an attacker who reads everything that would be
# published guesses the labels of both halves: of members, and of others of the same population. The excess is how much
# more often the guess is right for members; each half is once the members. While the excess is too large, groups are
# made twice as large.


Fit = Callable[[FrequencyTable, Sequence[Requirement]], Recoding]
# With fewer groups, a half shows nothing.
_FEWEST_GROUPS: Final = 2


def limit_excess(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], most: float, support: int | None, seed: int
) -> tuple[Requirement, ...]:
    """The requirements, with larger groups if the excess would otherwise be too large.

    Parameters
    ----------
    fit : callable
        From counts and requirements to a recoding.
    counts : FrequencyTable
    requirements : sequence of Requirement
    most : float
        The excess that is allowed, as a share of people.
    support : int, optional
        The least number of people behind a published share; ``None`` if no proportions are published.
    seed : int
    """
    demanded = max(requirement.minimal_size for requirement in requirements)
    if _FEWEST_GROUPS * demanded > counts.rows // 2:
        raise Infeasible(
            f"The table is too small to measure the excess: half of it must have room for {_FEWEST_GROUPS} groups of "
            f"{demanded:,} records. Leave max_excess out, or choose a smaller k."
        )
    halves = _halves(counts, seed)
    size = demanded
    while _FEWEST_GROUPS * size <= counts.rows // 2:
        stricter = (*requirements, *([KAnonymity(size)] if size > demanded else []))
        excess = float(np.mean([_excess(fit, counts, half, stricter, support) for half in halves]))
        if excess <= most:
            return stricter
        size *= 2
    raise Infeasible(
        f"However large groups are, an attacker guesses the labels of people in the table right more often than those "
        f"of others, by more than {most:.1%}. Allow more (max_excess), publish no proportions, or drop the target."
    )


def _halves(counts: FrequencyTable, seed: int) -> tuple[Longs, Longs]:
    """How many records of each cell are in either half."""
    random = np.random.default_rng(seed)
    cell_of_record = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    drawn = random.permutation(cell_of_record)[: len(cell_of_record) // 2]
    first = np.bincount(drawn, minlength=len(counts.cell_sizes)).astype(np.int64)
    return first, counts.cell_sizes - first


def _excess(
    fit: Fit, counts: FrequencyTable, half: Longs, requirements: Sequence[Requirement], support: int | None
) -> float:
    """How much more often an attacker is right about members than about others."""
    members = Reduced.of(counts, counts.cell_sizes - half).counts
    recoding = fit(members, requirements)
    proportions = None
    if support is not None:
        exact, labels = count_proportions(members, recoding), count_labels(members, recoding)
        proportions = proportions_to_publish(exact, labels, min(support, members.rows))
    posterior = label_posterior(members, recoding, counts.tuples, proportions, nearest=True)
    guessed = posterior.probabilities.argmax(axis=1)
    target = counts.values_of(required(counts.roles.target, "the target"))
    right = guessed[counts.cell_tuple] == target
    others = counts.cell_sizes - half
    return float(right @ half / half.sum() - right @ others / others.sum())
