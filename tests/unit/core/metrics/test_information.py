"""Entropy and divergence on releases that can be solved by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import kl, non_uniform_entropy
from hedgerow.core.recoding import PublishedColumn, Recoding
from hedgerow.io.domains import CodeSets

Build = Callable[..., tuple[FrequencyTable, Recoding]]


def test_an_untouched_table_misses_nothing(build: Build) -> None:
    release = build({"job": list("aabc"), "age": [1, 1, 2, 3]}, [0, 0, 1, 2])
    assert non_uniform_entropy(*release) == 0.0
    assert kl(*release) == 0.0


def test_bits_by_frequency_in_the_original_column(build: Build) -> None:
    """{a|b} covers 3 of 4 records: 2 × log2(3/2) for a, log2(3) for b; c is itself."""
    release = build({"job": list("aabc")}, [0, 0, 0, 1])
    assert non_uniform_entropy(*release) == pytest.approx(2 * math.log2(3 / 2) + math.log2(3))


@pytest.mark.parametrize("groups", [[0, 0, 1, -1], [0, 0, 1, 2]])
def test_lost_and_suppressed_cells_could_be_anything(build: Build, groups: list[int]) -> None:
    suppress = [(2, "job")] if 2 in groups else []
    release = build({"job": list("aabc")}, groups, suppress=suppress)
    assert non_uniform_entropy(*release) == pytest.approx(math.log2(4))


def test_divergence_of_an_even_box(build: Build) -> None:
    """p = 2/4, 1/4, 1/4; the box {a|b} has 3/4 for two values."""
    release = build({"job": list("aabc")}, [0, 0, 0, 1])
    expected = 2 / 4 * math.log((2 / 4) / (3 / 8)) + 1 / 4 * math.log((1 / 4) / (3 / 8))
    assert kl(*release) == pytest.approx(expected)


def test_divergence_with_lost_records_as_a_box_of_everything(build: Build) -> None:
    release = build({"job": list("aabc")}, [0, 0, -1, -1])
    assert kl(*release) == pytest.approx(2 * 1 / 4 * math.log((1 / 4) / (2 / 4 / 3)))


def test_means_are_described_by_what_their_class_holds(build: Build) -> None:
    counts, recoding = build({"age": [20, 20, 30, 60]}, [0, 0, 0, 1])
    nothing = np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32)
    means = PublishedColumn(counts.domains["age"], ("23", "60"), ("number", "number"), CodeSets.of(*nothing))
    release = counts, replace(recoding, columns=(means,), groups=np.array([[0], [1]], dtype=np.int32))
    assert non_uniform_entropy(*release) == pytest.approx(2 * math.log2(3 / 2) + math.log2(3))
    assert kl(*release) == pytest.approx(kl(counts, recoding))
