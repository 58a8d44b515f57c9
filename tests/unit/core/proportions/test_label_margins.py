"""Lifting: who counts where people are told by label, and which bins they are told in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.cells import PublishedColumn, PublishedKind
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.proportions import ExactLabels, ExactProportions, Proportions, count_labels, count_proportions
from hedgerow.core.proportions._kernels import runs_of_pools
from hedgerow.core.proportions._margins import ANYONE
from hedgerow.core.proportions.label_margins import counting_classes, proportions_to_publish
from hedgerow.core.recoding import ByLabel, Pieces, Recoding
from hedgerow.engines import open_source
from hedgerow.io.domains import CodeSets

Row = tuple[str, str, str, str]
"""The part that is a class, two columns that are open in it, and the label."""


def exact(rows: list[Row], **asked: Any) -> tuple[ExactProportions, ExactLabels]:
    """Every part is a class, and publishes nothing of the other columns."""
    part, first, second, label = map(list, zip(*rows, strict=True))
    people = pa.table({"part": part, "first": first, "second": second, "label": label})
    schema = hr.Schema(quasi=["part", "first", "second"], target="label")
    counts = open_source(people).count(schema, schema.resolve(people.column_names)).counts
    assert isinstance(counts, FrequencyTable)
    recoding = by_part(counts)
    recoding = replace(recoding, by_label=_asked(len(recoding.groups), **asked))
    labels = count_labels(counts, recoding)
    assert labels is not None
    return count_proportions(counts, recoding), labels


def _asked(groups: int, regions: list[int] | None = None, **more: Any) -> ByLabel:
    return ByLabel(np.array([[0] * groups if regions is None else regions]), np.ones(3), **more)


def by_part(counts: FrequencyTable) -> Recoding:
    columns = []
    for name, domain in ((name, counts.domains[name]) for name in counts.quasi):
        codes = np.arange(domain.size, dtype=np.int32)
        if name == "part":
            alone: PublishedKind = "value"
            texts = tuple(domain.labels.tolist())
            columns.append(
                PublishedColumn(domain, texts, (alone,) * domain.size, CodeSets.of(np.arange(domain.size + 1), codes))
            )
        else:
            columns.append(
                PublishedColumn(domain, ("*",), ("suppressed",), CodeSets.of(np.array([0, domain.size]), codes))
            )
    parts = counts.tuples[counts.cell_tuple, 0].astype(np.int32)
    groups = np.zeros((int(parts.max()) + 1, 3), dtype=np.int32)
    groups[:, 0] = np.arange(len(groups))
    sizes = np.bincount(parts, counts.cell_sizes).astype(np.int64)
    return Recoding("by part", counts.quasi, tuple(columns), groups, sizes, Pieces.whole(parts, counts.cell_sizes))


def told(rows: list[Row], support: int, **asked: Any) -> Proportions:
    return proportions_to_publish(*exact(rows, **asked), support)


OPEN: list[Row] = [("A", "a", "x", "n"), ("A", "b", "y", "n"), ("A", "a", "y", "y"), ("A", "b", "x", "y")]


def test_a_class_counts_if_each_label_is_open_in_two_columns() -> None:
    assert counting_classes(exact(OPEN)[1]).tolist() == [True]


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ([("B", "a", "x", "n"), ("B", "b", "y", "n"), ("B", "b", "y", "y")], "one person has a label"),
        ([("B", "a", "x", "n"), ("B", "b", "y", "n"), *[("B", "b", "y", "y")] * 2], "two have the same values"),
        ([*OPEN[:2], ("B", "a", "x", "y"), ("B", "a", "y", "y")], "two differ in one column"),
        ([("B", "a", "x", "n"), ("B", "b", "x", "n")], "the class is open in one column"),
    ],
)
def test_a_class_does_not_count_where(last: list[Row], why: str) -> None:
    moved = [("B", *row[1:]) for row in last]
    assert counting_classes(exact([*OPEN, *moved])[1]).tolist() == [True, False], why


def test_only_people_of_classes_that_count_are_told() -> None:
    alone: list[Row] = [("B", "a", "x", "n")] * 3 + [("B", "b", "y", "n")] * 3 + [("B", "b", "y", "y")]
    lifts = told(OPEN * 3 + alone, 3).lifts
    assert lifts is not None
    assert lifts.class_of_pair.tolist() == [0, 0]
    assert lifts.people.tolist() == [6, 6]
    assert {name: column.records.tolist() for name, column in lifts.columns.items()} == {
        "first": [3, 3, 3, 3, 6, 6],
        "second": [3, 3, 3, 3, 6, 6],
    }


def test_regions_are_told_apart_and_the_few_not_at_all() -> None:
    other = [("B", *row[1:]) for row in OPEN]
    lifts = told([*OPEN * 3, *other], 3, regions=[1, 0]).lifts
    assert lifts is not None
    assert lifts.regions.tolist() == [[1, 0]]
    assert lifts.columns["first"].region.tolist() == [1, 1, 1]
    assert lifts.columns["first"].label.tolist() == [0, 1, ANYONE]


def test_groups_that_publish_the_same_are_one_class_of_the_smallest_region() -> None:
    people = pa.table({"age": [20, 21, 20, 21] * 3, "sex": ["F", "M", "M", "F"] * 3, "ill": ["n", "n", "y", "y"] * 3})
    schema = hr.Schema(quasi=["age", "sex"], target="ill")
    counts = open_source(people).count(schema, schema.resolve(people.column_names)).counts
    assert isinstance(counts, FrequencyTable)
    recoding = hr.anonymize(people, schema, k=12).recoding
    pieces = recoding.pieces
    assert pieces is not None
    twice = replace(
        recoding,
        groups=np.repeat(recoding.groups, 2, axis=0),
        pieces=replace(pieces, group=(np.arange(len(pieces.group)) % 2).astype(np.int32)),
        by_label=ByLabel(np.array([[0, 0], [5, 2]]), np.ones(2)),
    )
    labels = count_labels(counts, twice)
    assert labels is not None
    assert labels.regions.tolist() == [[0], [2]]


def test_a_column_of_no_strength_is_not_told_by_label() -> None:
    rows, labels = exact(OPEN * 3)
    labels = replace(labels, strengths=np.array([1.0, 0.0, 0.5]))
    lifts = proportions_to_publish(rows, labels, 3).lifts
    assert lifts is not None
    assert {name: column.strength for name, column in lifts.columns.items()} == {"first": 0.0, "second": 0.5}
    assert lifts.columns["first"].label.tolist() == [ANYONE]
    assert lifts.columns["second"].label.tolist() == [0, 1, ANYONE]


def test_every_level_is_told() -> None:
    other = [("B", *row[1:]) for row in OPEN]
    rows, labels = exact([*OPEN * 3, *other * 3])
    labels = replace(labels, regions=np.array([[0, 0], [1, 2]]))
    lifts = proportions_to_publish(rows, labels, 3).lifts
    assert lifts is not None
    first = lifts.columns["first"]
    assert list(zip(first.region.tolist(), first.label.tolist(), strict=True)) == [
        (region, label) for region in range(3) for label in (0, 1, ANYONE)
    ]
    assert first.records.tolist() == [6, 6, 6, 6, 12, 12, *[3, 3, 3, 3, 6, 6] * 2]


def test_a_method_may_ask_for_larger_bins() -> None:
    rows = OPEN * 6
    small, large = told(rows, 3).lifts, told(rows, 3, least=7).lifts
    assert small is not None
    assert small.columns["first"].records.tolist() == [6, 6, 6, 6, 12, 12]
    assert large is not None
    assert large.columns["first"].records.tolist() == [12, 12]


def test_nothing_changes_beside_the_lifts() -> None:
    rows, labels = exact(OPEN * 3)
    with_lifts, without = (proportions_to_publish(rows, one, 3).to_dict() for one in (labels, None))
    assert with_lifts.pop("lifts")
    assert with_lifts == without


def test_two_people_are_no_bin_though_the_support_is_two() -> None:
    pooled = told(OPEN * 2, 2).lifts
    assert pooled is not None
    assert pooled.columns["first"].label.tolist() == [ANYONE]
    exactly = told(OPEN, 1).lifts
    assert exactly is not None
    assert exactly.columns["first"].records.tolist() == [1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("people", "first", "records"),
    [
        ([5, 5, 5], [0, 1, 2], [5, 5, 5]),
        ([0, 5, 0, 5, 0], [0, 3], [5, 5]),
        ([3, 3, 3, 3, 3], [0, 2], [6, 9]),
        ([9, 2, 7], [0, 2], [11, 7]),
        ([7, 2, 9], [0, 1], [7, 11]),
        ([2, 9, 2], [0], [13]),
        ([2, 2], [], []),
    ],
)
def test_runs_are_the_whole_column_and_none_has_too_few(
    people: list[int], first: list[int], records: list[int]
) -> None:
    starts, begins, numbers = runs_of_pools(np.array([people]), 5)
    assert (starts.tolist(), begins.tolist(), numbers.tolist()) == ([0, len(first)], first, records)
