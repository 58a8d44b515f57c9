"""OKA on tables small enough to solve by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.merge._cluster_kernels import Shares
from hedgerow.anonymizers.merge._clusters import UnitBlock, cluster_blocks
from hedgerow.anonymizers.merge.oka import OKA, distances, from_centres
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

ALL_SEEDS = range(12)


def prepared(columns: dict[str, list[Any]], *requirements: Requirement, **weights: float) -> pipeline.Prepared:
    sensitive = ["ill"] if "ill" in columns else []
    schema = Schema(quasi=[name for name in columns if name != "ill"], sensitive=sensitive, weights=weights)
    return pipeline.prepare(pa.table(columns), schema, requirements, random_state=0)


def held(counts: FrequencyTable, recoding: Recoding) -> list[list[float]]:
    """The ages in each group, one for each record."""
    pieces, numbers = recoding.pieces, counts.domains["age"].numbers
    assert pieces is not None
    assert numbers is not None
    groups: list[list[float]] = [[] for _ in recoding.sizes]
    for cell, group, size in zip(pieces.cell, pieces.group, pieces.size, strict=True):
        groups[group] += [float(numbers[counts.tuples[counts.cell_tuple[cell], 0]])] * int(size)
    return sorted(sorted(group) for group in groups)


def clusters(ages: list[int], k: int, centres: list[int]) -> list[list[float]]:
    """From the units with which clusters start; units are the different ages, ascending."""
    job = prepared({"age": ages}, KAnonymity(k))

    def from_these(block: UnitBlock, _: np.random.Generator) -> Shares:
        return from_centres(block, np.array(centres))

    return held(
        job.counts,
        cluster_blocks("oka", job.counts, job.requirements, from_these, seed=0, improve=False),
    )


def test_a_large_cluster_feeds_a_small_one() -> None:
    """1 and 2 join 0. The centre is then 1: 0 and 2 are equally far, and the later one fills up 10."""
    assert clusters([0, 1, 2, 10], 2, [0, 3]) == [[0, 1], [2, 10]]


def test_what_is_furthest_from_the_centre_goes() -> None:
    """3 and 4 join 0. The centre is then 2⅓, from which 0 is furthest, though the cluster began with it."""
    assert clusters([0, 3, 4, 20], 2, [0, 3]) == [[0, 20], [3, 4]]


def test_what_no_small_cluster_needs_joins_the_nearest() -> None:
    assert clusters([0, 1, 2, 10, 11], 2, [0, 4]) == [[0, 1, 2], [10, 11]]


def test_a_record_joins_the_cluster_that_it_costs_least() -> None:
    """4 joins 0. With these 7 would widen the box by 3, with 11 by 4; but it costs 3 · 7 − 2 · 4, and 2 · 4."""
    assert clusters([0, 4, 7, 11], 2, [0, 3]) == [[0, 4], [7, 11]]


def test_equal_records_are_parted_where_a_cluster_needs_only_some() -> None:
    """Both 5 join 0. The centre is 2.5, all are equally far, and the last one goes where one is lacking."""
    assert clusters([0, 0, 5, 5, 20, 20], 3, [0, 2]) == [[0, 0, 5], [5, 20, 20]]


def test_equal_records_that_comply_by_themselves_are_one_cluster() -> None:
    for seed in ALL_SEEDS:
        job = prepared({"age": [30] * 5 + [40, 41]}, KAnonymity(2))
        assert held(job.counts, OKA().fit_counts(job.counts, job.requirements, seed=seed)) == [[30] * 5, [40, 41]]
        job = prepared({"age": [5, 5, 5, 9]}, KAnonymity(2))
        assert held(job.counts, OKA().fit_counts(job.counts, job.requirements, seed=seed)) == [[5, 5, 5, 9]]


@pytest.mark.parametrize(("age", "letter"), [(1.0, 1.0), (0.5, 1.5)])
def test_the_centre_has_means_and_shares(age: float, letter: float) -> None:
    """Ages 0, 4, 8 of the range 8 have the mean 4; of three records two are a, one is b, of a column of two values."""
    job = prepared({"age": [0, 4, 8], "letter": ["a", "a", "b"]}, KAnonymity(3), age=age, letter=letter)
    seen = []

    def note(block: UnitBlock, _: np.random.Generator) -> Shares:
        shares = Shares(np.arange(3), np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64))
        seen.extend(distances(block, shares).tolist())
        return shares

    cluster_blocks("oka", job.counts, job.requirements, note, seed=0, improve=False)
    assert seen == pytest.approx([age / 2 + letter / 3, letter / 3, age / 2 + letter * 2 / 3])


@pytest.mark.parametrize(("age", "letter"), [(1.0, 1.0), (0.5, 1.5)])
def test_a_missing_number_is_no_further_than_its_column_weighs(age: float, letter: float) -> None:
    """Three records of age 8 and a missing one: 8 is half the range from their mean, the missing one beyond all."""
    columns: dict[str, list[Any]] = {"age": [0, 8, 8, 8, None], "letter": ["b", "a", "a", "a", "a"]}
    job = prepared(columns, KAnonymity(5), age=age, letter=letter)
    seen = []

    def note(block: UnitBlock, _: np.random.Generator) -> Shares:
        shares = Shares(np.arange(3), np.array([0, 1, 1]), np.array([1, 3, 1]))
        seen.extend(distances(block, shares).tolist())
        return shares

    cluster_blocks("oka", job.counts, job.requirements, note, seed=0, improve=False)
    assert seen == pytest.approx([0.0, age / 2, age])


def test_clusters_that_do_not_comply_are_merged_with_the_nearest() -> None:
    """Two clusters of two records are drawn somehow; only one record is a cold, so that all are one class."""
    columns: dict[str, list[Any]] = {"age": [1, 2, 10, 11], "ill": ["flu", "flu", "flu", "cold"]}
    job = prepared(columns, KAnonymity(2), LDiversity(2, "ill"))
    for seed in ALL_SEEDS:
        recoding = OKA().fit_counts(job.counts, job.requirements, seed=seed)
        assert held(job.counts, recoding) == [[1, 2, 10, 11]]


def test_the_seed_decides_and_no_record_is_lost() -> None:
    ages = np.random.default_rng(5).integers(0, 60, 50).tolist()
    job = prepared({"age": ages}, KAnonymity(4))
    found = [OKA().fit_counts(job.counts, job.requirements, seed=seed) for seed in ALL_SEEDS]
    assert held(job.counts, found[3]) == held(job.counts, OKA().fit_counts(job.counts, job.requirements, seed=3))
    assert len({str(held(job.counts, one)) for one in found}) > 1
    for one in found:
        assert one.sizes.min() >= 4
        assert Counter(age for group in held(job.counts, one) for age in group) == Counter(ages)
    assert found[0].method == "oka"
    assert found[0].facts == {"blocks": 1}
