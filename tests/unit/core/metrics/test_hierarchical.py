"""Levels, steps and leaves on a tree with a short branch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import distortion, loss, nllm, prec
from hedgerow.core.recoding import PublishedColumn, Recoding
from hedgerow.errors import BadInput
from hedgerow.hierarchies import Hierarchy, taxonomy
from hedgerow.io.domains import CodeSets

Build = Callable[..., tuple[FrequencyTable, Recoding]]

# Height 3; "retired" hangs directly below the root; "typist" does not occur.
JOBS = taxonomy({"Any": {"Work": {"Office": ["boss", "clerk", "typist"], "Field": ["farmer"]}, "retired": {}}})
ROWS = ["boss", "clerk", "farmer", "retired"]


@pytest.fixture(params=["set", "label"])
def publish(request: pytest.FixtureRequest) -> str:
    """Both ways of writing stand at the same node."""
    return str(request.param)


@pytest.mark.parametrize(
    ("groups", "levels", "steps"),
    [
        ([0, 1, 2, 3], 0, 0),
        ([0, 0, 1, 2], 2 * 1, 2 * 1),  # Office
        ([0, 1, 1, 2], 2 * 2, 2 * 2),  # Work, from two steps below
        ([0, 1, 2, 2], 2 * 3, 3 + 1),  # Any, from three steps below and from one
        ([0, 0, 1, -1], 2 * 1 + 3, 2 * 1 + 1),  # retired is lost: at the root, one step
    ],
)
def test_levels_and_steps(build: Build, publish: str, groups: list[int], levels: int, steps: int) -> None:
    release = build({"job": ROWS}, groups, publish=publish, hierarchies={"job": JOBS})
    assert prec(*release) == pytest.approx(1 - levels / 3 / 4)
    assert distortion(*release) == pytest.approx(steps / 3 / 4)


def test_columns_count_by_their_weights(build: Build, publish: str) -> None:
    """The job of four records climbs 2 of 12 levels, the town all of 4; the job weighs three times as much."""
    columns = {"job": ROWS, "town": list("ABCD")}
    release = build(
        columns, [0, 0, 1, 2], publish=publish, hierarchies={"job": JOBS}, weights={"job": 1.5, "town": 0.5}
    )
    assert prec(*release) == pytest.approx(1 - (1.5 * 2 / 3 + 0.5 * 2) / 8)
    assert distortion(*release) == pytest.approx((1.5 * 2 / 3 + 0.5 * 2) / 8)
    lost = build(columns, [-1] * 4, publish=publish, hierarchies={"job": JOBS}, weights={"job": 3})
    assert distortion(*lost) == pytest.approx((1.5 * 10 / 3 + 0.5 * 4) / 8)
    assert prec(*lost) == 0.0


def test_a_label_counts_all_leaves_and_a_set_its_members(build: Build) -> None:
    groups = [0, 0, 1, -1]
    label = build({"job": ROWS}, groups, publish="label", hierarchies={"job": JOBS})
    assert nllm(*label) == pytest.approx((2 * 2 / 4 + 0 + 1) / 4)
    assert loss(*label) == pytest.approx((2 * 3 / 5 + 1 / 5 + 1) / 4)
    one_set = build({"job": ROWS}, groups, publish="set", hierarchies={"job": JOBS})
    assert nllm(*one_set) == pytest.approx((2 * 1 / 4 + 0 + 1) / 4)
    assert loss(*one_set) == pytest.approx((2 * 2 / 5 + 1 / 5 + 1) / 4)


def test_suppressed_is_the_root(build: Build) -> None:
    release = build({"job": ROWS}, [0, 0, 1, 2], hierarchies={"job": JOBS}, suppress=[(0, "job")])
    assert prec(*release) == 0.5
    assert nllm(*release) == 0.5
    assert loss(*release) == pytest.approx((2 + 2 / 5) / 4)


def test_suppressing_the_only_value_of_a_column_loses_it(build: Build) -> None:
    release = build({"same": ["a", "a"]}, [0, 0], suppress=[(0, "same")])
    assert (nllm(*release), loss(*release), prec(*release)) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("ages", "leaves"),
    [
        (taxonomy({"Any": {"young": ["20", "21", "22", "23"], "old": ["40"]}}), 4),
        (taxonomy({"Any": {"a": ["23"], "b": ["20", "22", "21"], "c": ["40"]}}), 3),  # no order: what occurs
    ],
)
def test_an_interval_counts_the_leaves_inside(build: Build, ages: Hierarchy, leaves: int) -> None:
    """21 does not occur, yet lies in [20,24)."""
    columns = {"age": [20, 22, 23, 40]}
    release = build(columns, [0, 0, 0, 1], publish="interval", hierarchies={"age": ages})
    assert loss(*release) == pytest.approx((3 * leaves / 5 + 1 / 5) / 4)


def test_means_are_described_by_what_their_class_holds(build: Build) -> None:
    counts, recoding = build({"age": [20, 25, 30, 60]}, [0, 0, 0, 1])
    nothing = np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32)
    means = PublishedColumn(counts.domains["age"], ("25", "60"), ("number", "number"), CodeSets.of(*nothing))
    release = counts, replace(recoding, columns=(means,), groups=np.array([[0], [1]], dtype=np.int32))
    assert nllm(*release) == pytest.approx(3 / 4 * 2 / 3)
    assert prec(*release) == pytest.approx(1 / 4)


def test_a_column_without_hierarchy(build: Build) -> None:
    counts, recoding = build({"job": ROWS}, [0, 0, 1, 1])
    with pytest.raises(BadInput, match="'job' has no hierarchy"):
        prec(replace(counts, hierarchies={}), recoding)
