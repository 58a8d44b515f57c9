"""Equivalence classes of a release, and what its columns say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.view import ReleaseView, shared_view, view_of
from hedgerow.core.recoding import PublishedColumn, Recoding
from hedgerow.errors import BadInput
from hedgerow.hierarchies import taxonomy
from hedgerow.io.domains import CodeSets

Build = Callable[..., tuple[FrequencyTable, Recoding]]


def test_groups_that_publish_the_same_are_one_class(build: Build) -> None:
    counts, recoding = build({"job": list("abab")}, [0, 0, 1, 1])
    view = ReleaseView(counts, recoding)
    assert view.sizes.tolist() == [4]
    assert view.columns[0].tight.sizes.tolist() == [2]


def test_values_written_alike_are_one_and_the_widest_counts(build: Build) -> None:
    """A column of means writes a suppressed cell as null, as it writes a missing value."""
    counts, recoding = build({"age": [1.0, None]}, [0, 1])
    column = PublishedColumn(
        counts.domains["age"],
        (None, None),
        ("value", "suppressed"),
        CodeSets.of(np.array([0, 1, 3]), np.array([1, 0, 1], dtype=np.int32)),
    )
    view = ReleaseView(counts, replace(recoding, columns=(column,), groups=np.array([[1], [0]], dtype=np.int32)))
    assert view.sizes.tolist() == [2]
    assert view.columns[0].suppressed.tolist() == [True]


def test_lost_records_and_empty_groups_are_no_classes(build: Build) -> None:
    counts, recoding = _with_gap(build)
    view = ReleaseView(counts, recoding)
    assert (sorted(view.sizes.tolist()), view.lost, view.rows) == ([1, 2], 1, 4)


def _with_gap(build: Build) -> tuple[FrequencyTable, Recoding]:
    """Group 0 of a release is told to hold nothing."""
    counts, recoding = build({"job": list("aabc")}, [0, 0, 1, -1])
    assert recoding.pieces is not None
    pieces = replace(recoding.pieces, group=np.where(recoding.pieces.group >= 0, recoding.pieces.group + 1, -1))
    return counts, replace(recoding, pieces=pieces, groups=np.vstack([[[2]], recoding.groups]).astype(np.int32))


def test_sets_may_be_empty() -> None:
    sets = CodeSets.of(np.array([0, 0, 2, 2]), np.array([1, 2], dtype=np.int32))
    assert sets.reduce(np.maximum, np.array([5, 6, 7]), -1).tolist() == [-1, 7, -1]


def test_published_nodes_are_taken_as_they_are(build: Build) -> None:
    """A label with a single child covers what the child covers, and still stands a level higher."""
    chain = taxonomy({"Any": {"Upper": {"Lower": ["a", "b"]}, "Other": {"Single": ["c"]}}})
    counts, recoding = build({"job": list("abc")}, [0, 0, 1], publish="label", hierarchies={"job": chain})
    labels = counts.hierarchies["job"].labels
    assert [labels[node] for node in ReleaseView(counts, recoding).columns[0].nodes] == ["Lower", "c"]
    (column,) = recoding.columns
    nodes = np.array([labels.index("Upper"), labels.index("c"), 0], dtype=np.int32)
    raised = replace(recoding, columns=(replace(column, nodes=nodes),))
    assert [labels[node] for node in ReleaseView(counts, raised).columns[0].nodes] == ["Upper", "c"]


def test_a_shared_view_serves_its_own_release_only(build: Build) -> None:
    counts, recoding = build({"job": list("ab")}, [0, 0])
    other = replace(recoding)
    with shared_view(counts, recoding) as view:
        assert view_of(counts, recoding) is view
        assert view_of(counts, other) is not view
    assert view_of(counts, recoding) is not view


def test_a_public_recoding_has_no_losses(build: Build) -> None:
    counts, recoding = build({"job": list("ab")}, [0, 0])
    with pytest.raises(BadInput, match="cannot be measured"):
        ReleaseView(counts, replace(recoding, pieces=None))
