"""Greedy merging and KACA on random tables, taxonomies and requirements, beside one that compares rows in fractions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pytest
from box_kernels import enclose, single_loss
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from weights import even_weights

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.boxes.layout import LossName, described
from hedgerow.anonymizers.merge.greedy import Greedy
from hedgerow.anonymizers.merge.kaca import KACA
from hedgerow.core.cells import Interval, parse
from hedgerow.core.metrics import METRICS
from hedgerow.core.recoding import Recoding, shown_as
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

NAMES = ("letter", "flat", "number", "rank")
LETTERS = list("abcdef")
some = examples(40)
Value = str | int | None
Row = tuple[Value, ...]
METRIC_NAMES: tuple[LossName, ...] = get_args(LossName)


class Job(NamedTuple):
    prepared: pipeline.Prepared
    tuples: list[Row]  # in the order of their values, missing last
    sizes: list[int]
    ill: list[Counter[str]]
    weights: tuple[Fraction, ...]


@st.composite
def taxonomies(draw: st.DrawFn, leaves: list[str]) -> dict[str, Any]:
    """A taxonomy in any order and up to three levels high, also with a node above only one, or called as the root."""

    def inside(parts: list[str], height: int) -> Any:
        if height == 0 or (len(parts) < 2 and not draw(st.booleans())):
            return parts
        cuts = sorted(draw(st.sets(st.integers(1, max(len(parts) - 1, 1)), max_size=2)) - {len(parts)})
        pieces = [parts[low:high] for low, high in itertools.pairwise([0, *cuts, len(parts)])]
        return {f"{height}:{'+'.join(piece)}": inside(piece, height - 1) for piece in pieces}

    root = draw(st.sampled_from(["*", "all"]))
    return {root: inside(draw(st.permutations(leaves)), draw(st.integers(0, 3)))}


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """Letters with and without a taxonomy, numbers with intervals and with a taxonomy, an illness, requirements."""
    rows = draw(st.integers(2, 24))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gap = 0.15 if draw(st.booleans()) else 0.0

    def column(values: Sequence[Any]) -> list[Any]:
        held = values[: draw(st.integers(1, len(values)))]
        return [None if generator.random() < gap else held[at] for at in generator.integers(0, len(held), rows)]

    cells = [column(LETTERS), column(LETTERS[:3]), column([0, 1, 4, 5, 9, 30, 31]), column([1, 2, 3, 5])]
    assume(all(any(cell is not None for cell in one) for one in cells))
    ill = generator.choice(["flu", "cold", "ulcer"], rows).tolist()
    table = pa.table({**dict(zip(NAMES, cells, strict=True)), "ill": ill})
    hierarchies = {"letter": draw(taxonomies(LETTERS)), "rank": draw(taxonomies(["1", "2", "3", "5"]))}
    weights = draw(even_weights(len(NAMES)))
    weighed = {name: float(weight) for name, weight in zip(NAMES, weights, strict=True)}
    schema = Schema(quasi=NAMES, sensitive=["ill"], hierarchies=hierarchies, weights=weighed)
    requirements: list[Requirement] = [KAnonymity(draw(st.integers(1, min(rows, 6))))]
    if len(set(ill)) > 1 and draw(st.booleans()):
        requirements.append(LDiversity(draw(st.integers(2, len(set(ill)))), "ill"))
    found: dict[Row, Counter[str]] = {}
    for *row, illness in zip(*cells, ill, strict=True):
        found.setdefault(tuple(row), Counter())[illness] += 1
    order = sorted(found, key=lambda row: [(cell is None, cell if cell is not None else 0) for cell in row])
    prepared = pipeline.prepare(table, schema, requirements, random_state=0)
    return Job(prepared, order, [found[row].total() for row in order], [found[row] for row in order], weights)


class Tree:
    """A hierarchy as paths: of each value of the column, the labels of the nodes above it, from the root on."""

    def __init__(self, job: Job, at: int) -> None:
        self.values = {row[at] for row in job.tuples}
        self.leaves: list[tuple[str | None, ...]] = []
        hierarchy = job.prepared.counts.hierarchies[NAMES[at]]
        ((self.root, nested),) = hierarchy.to_tree().items()
        self._walk((self.root,), nested)
        if None in self.values:
            self.leaves.append((self.root, None))
        self.height = max(len(path) - 1 for path in self.leaves)
        self.path = {
            value: next(path for path in self.leaves if path[-1] == (None if value is None else str(value)))
            for value in self.values
        }

    def _walk(self, path: tuple[str | None, ...], nested: dict[str, Any]) -> None:
        for label, below in nested.items():
            if below:
                self._walk((*path, label), below)
            else:
                self.leaves.append((*path, label))

    def above(self, values: Sequence[Value]) -> tuple[str | None, ...]:
        paths = [self.path[value] for value in values]
        depth = next((at for at, labels in enumerate(zip(*paths, strict=False)) if len(set(labels)) > 1), None)
        return paths[0] if depth is None else paths[0][:depth]

    def lost(self, values: Sequence[Value], metric: LossName) -> Fraction:
        """What each of the values loses when all are published as the lowest node above them."""
        node = self.above(values)
        below = [path for path in self.leaves if path[: len(node)] == node]
        if metric == "nllm":
            return Fraction(len(below) - 1, max(len(self.leaves) - 1, 1))
        if metric == "prec":
            return Fraction(0 if node in self.leaves else self.height - len(node) + 1, self.height)
        if metric == "distortion":
            return Fraction(self.height - len(node) + 1, self.height)
        held = [value for value in self.values if self.path[value] in below]
        numbers = [value for value in self.values if isinstance(value, int)]
        if node in self.leaves:
            return Fraction(0)
        if node == ("*",):
            return Fraction(1)
        if not numbers:
            return Fraction(len(held) - 1, max(len(self.values) - 1, 1))
        smallest, largest = min(numbers), max(numbers)
        written = parse(str(node[-1]))
        if isinstance(written, Interval) and smallest < largest:
            return Fraction(min(written.high, largest) - max(written.low, smallest)) / (largest - smallest)
        return spread(held, self.values)


def spread(held: Sequence[Value], all_values: set[Value]) -> Fraction:
    """The certainty penalty of the values that a class holds."""
    if len(set(held)) == 1:
        return Fraction(0)
    numbers = [value for value in all_values if isinstance(value, int)]
    if not numbers:
        return Fraction(len(set(held)) - 1, len(all_values) - 1)
    if None in held:
        return Fraction(1)
    inside = [value for value in held if isinstance(value, int)]
    return Fraction(max(inside) - min(inside), max(numbers) - min(numbers))


def merged_slowly(
    job: Job, metric: LossName, *, ranges: bool = False, waits: np.ndarray[Any, Any] | None = None
) -> set[frozenset[int]]:
    """The classes, found by looking at everything again before each merge."""
    trees = [Tree(job, at) for at in range(len(NAMES))]

    def size(one: list[int]) -> int:
        return sum(job.sizes[at] for at in one)

    def total(one: list[int]) -> Fraction:
        if metric == "discernibility":
            return Fraction(size(one) ** 2)
        values = list(zip(*(job.tuples[at] for at in one), strict=True))
        if ranges:
            lost = [spread(held, tree.values) for held, tree in zip(values, trees, strict=True)]
        else:
            lost = [tree.lost(held, metric) for held, tree in zip(values, trees, strict=True)]
        return size(one) * sum((weight * each for weight, each in zip(job.weights, lost, strict=True)), Fraction(0))

    def described_as(one: list[int]) -> list[Any]:
        values = list(zip(*(job.tuples[at] for at in one), strict=True))
        if not ranges:
            return [tree.above(held) for held, tree in zip(values, trees, strict=True)]
        return [_range_or_set(held) for held in values]

    def holds(one: list[int]) -> bool:
        ill = sum((job.ill[at] for at in one), Counter[str]())
        return all(
            ill.total() >= each.k if isinstance(each, KAnonymity) else len(ill) >= each.l  # type: ignore[attr-defined]
            for each in job.prepared.requirements
        )

    classes = [[at] for at in range(len(job.tuples))]
    due: dict[tuple[int, ...], float] = {(at,): 0.0 if waits is None else waits[0, at] for at in range(len(classes))}
    made = 0
    while len(classes) > 1 and (waiting := [one for one in classes if not holds(one)]):
        one = min(waiting, key=lambda each: (size(each) if waits is None else due[tuple(each)], each[0]))
        others = [each for each in classes if each is not one]
        other = min(others, key=lambda each: (total(sorted(one + each)) - total(one) - total(each), each[0]))
        together = sorted(one + other)
        classes = [each for each in classes if each is not one and each is not other]
        for alike in [each for each in classes if described_as(each) == described_as(together)]:
            together = sorted(together + alike)
            classes.remove(alike)
        classes.append(together)
        if waits is not None and not holds(together):
            due[tuple(together)] = due[tuple(one)] + waits[1, made]
            made += 1
    return {frozenset(one) for one in classes}


def _range_or_set(held: Sequence[Value]) -> Any:
    numbers = [value for value in held if isinstance(value, int)]
    if not numbers:
        return frozenset(held)
    return (None if None in held else min(numbers), max(numbers))


def classes_of(job: Job, recoding: Recoding) -> set[frozenset[int]]:
    assert recoding.pieces is not None
    group_of_tuple = dict(zip(job.prepared.counts.cell_tuple.tolist(), recoding.pieces.group.tolist(), strict=True))
    groups: dict[int, set[int]] = {}
    for at, group in group_of_tuple.items():
        groups.setdefault(group, set()).add(at)
    return {frozenset(one) for one in groups.values()}


@pytest.mark.parametrize("metric", METRIC_NAMES)
@given(job=jobs())
@some
def test_the_same_classes_as_found_slowly(metric: LossName, job: Job) -> None:
    counts = job.prepared.counts
    recoding = Greedy(metric=metric, publish="label").fit_counts(counts, job.prepared.requirements)
    assert classes_of(job, recoding) == merged_slowly(job, metric)


@given(job=jobs())
@some
def test_the_same_ranges_and_sets_as_found_slowly(job: Job) -> None:
    counts = job.prepared.counts
    recoding = Greedy(metric="ncp", publish="interval").fit_counts(counts, job.prepared.requirements)
    assert classes_of(job, recoding) == merged_slowly(job, "ncp", ranges=True)


@given(job=jobs(), seed=st.integers(0, 2**32 - 1))
@some
def test_kaca_finds_the_same_classes_as_found_slowly(job: Job, seed: int) -> None:
    """The turns are drawn from the seed as the method draws them; all else is found by looking at everything."""
    counts = job.prepared.counts
    waits = np.random.default_rng(seed).exponential(size=(2, len(counts.tuples)))
    recoding = KACA(publish="label").fit_counts(counts, job.prepared.requirements, seed=seed)
    assert classes_of(job, recoding) == merged_slowly(job, "distortion", waits=waits)


@given(job=jobs(), metric=st.sampled_from(METRIC_NAMES), improve=st.booleans())
@some
def test_released_rows_meet_the_requirements(job: Job, metric: LossName, improve: bool) -> None:
    """Counted on the rows themselves; none is lost, and no two groups are published alike."""
    counts = job.prepared.counts
    for recoding in (
        Greedy(metric=metric, improve=improve).fit_counts(counts, job.prepared.requirements),
        Greedy(metric="ncp", publish="interval", improve=improve).fit_counts(counts, job.prepared.requirements),
        KACA(improve=improve).fit_counts(counts, job.prepared.requirements, seed=1),
    ):
        rows = pipeline.finish(job.prepared, recoding, {}).table.to_pylist()
        assert len(rows) == counts.rows
        classes: dict[Row, Counter[str]] = {}
        for row in rows:
            classes.setdefault(tuple(row[name] for name in NAMES), Counter())[row["ill"]] += 1
        assert sorted(one.total() for one in classes.values()) == sorted(recoding.sizes.tolist())
        for each in job.prepared.requirements:
            if isinstance(each, KAnonymity):
                assert min(one.total() for one in classes.values()) >= each.k
            elif isinstance(each, LDiversity):
                assert min(map(len, classes.values())) >= each.l


def lost_by_boxes(job: Job, recoding: Recoding, metric: LossName, *, ranges: bool) -> float:
    """What all records lose in the boxes of their classes, as kernels count it, over the cells."""
    counts = job.prepared.counts
    shape, boxes, _, _ = described(counts, metric, shown_as(counts, "interval" if ranges else "label")).whole()
    total = 0.0
    for one in classes_of(job, recoding):
        first, *others = sorted(one)
        for other in others:
            enclose(shape, boxes, first, boxes, other)
        total += sum(job.sizes[at] for at in one) * single_loss(shape, boxes, first)
    return total / (counts.rows * len(NAMES))


@given(job=jobs())
@some
def test_losses_are_those_of_the_metrics(job: Job) -> None:
    """What guides the merges adds up to the metric of what is published."""
    counts, requirements = job.prepared.counts, job.prepared.requirements
    recoding = Greedy(publish="label").fit_counts(counts, requirements)
    value = {name: METRICS[name].function(counts, recoding) for name in ("nllm", "ncp_published", "prec", "distortion")}
    assert lost_by_boxes(job, recoding, "nllm", ranges=False) == pytest.approx(value["nllm"])
    assert lost_by_boxes(job, recoding, "ncp", ranges=False) == pytest.approx(value["ncp_published"])
    assert lost_by_boxes(job, recoding, "prec", ranges=False) == pytest.approx(1.0 - value["prec"])
    untouched = Greedy(publish="label").fit_counts(counts, [KAnonymity(1)])
    climbed = lost_by_boxes(job, recoding, "distortion", ranges=False) - lost_by_boxes(
        job, untouched, "distortion", ranges=False
    )
    assert climbed == pytest.approx(value["distortion"])
    by_range = Greedy(metric="ncp", publish="interval").fit_counts(counts, requirements)
    assert lost_by_boxes(job, by_range, "ncp", ranges=True) == pytest.approx(METRICS["ncp"].function(counts, by_range))
    assert METRICS["discernibility"].function(counts, recoding) == sum(size**2 for size in recoding.sizes.tolist())


@given(job=jobs(), metric=st.sampled_from(METRIC_NAMES))
@some
def test_a_smaller_k_is_a_stage_on_the_way(job: Job, metric: LossName) -> None:
    """Every class for k lies within one for a larger k."""
    counts = job.prepared.counts
    stages = [
        classes_of(job, Greedy(metric=metric, publish="label").fit_counts(counts, [KAnonymity(k)]))
        for k in range(1, counts.rows + 1)
    ]
    for fine, coarse in itertools.pairwise(stages):
        assert all(any(one <= other for other in coarse) for one in fine)
