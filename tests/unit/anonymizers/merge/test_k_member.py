"""k-member on tables small enough to solve by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.merge._clusters import cluster_blocks
from hedgerow.anonymizers.merge.k_member import KMember, grown_from
from hedgerow.anonymizers.partition import cuts as blocks
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import ncp
from hedgerow.core.recoding import Recoding
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

ALL_SEEDS = range(12)


def prepared(columns: dict[str, list[Any]], *requirements: Requirement) -> pipeline.Prepared:
    sensitive = ["ill"] if "ill" in columns else []
    schema = Schema(quasi=[name for name in columns if name != "ill"], sensitive=sensitive)
    return pipeline.prepare(pa.table(columns), schema, requirements, random_state=0)


def held(counts: FrequencyTable, recoding: Recoding) -> list[list[Any]]:
    """The values of the first quasi-identifier in each group, a value for each record."""
    pieces = recoding.pieces
    assert pieces is not None
    groups: list[list[Any]] = [[] for _ in recoding.sizes]
    domain = counts.domains[counts.quasi[0]]
    known = domain.labels.tolist() if domain.numbers is None else domain.numbers.tolist()
    for cell, group, size in zip(pieces.cell, pieces.group, pieces.size, strict=True):
        groups[group] += [known[counts.tuples[counts.cell_tuple[cell], 0]]] * int(size)
    return sorted(sorted(group) for group in groups)


def clusters(ages: Sequence[int], k: int, start: int | None = None) -> list[list[Any]]:
    """By k-member, from the record that a seed draws or from a unit."""
    job = prepared({"age": list(ages)}, KAnonymity(k))
    if start is None:
        return held(job.counts, KMember().fit_counts(job.counts, job.requirements, seed=0))
    recoding = cluster_blocks(
        "k-member",
        job.counts,
        job.requirements,
        lambda block, _: grown_from(block, start),
        seed=0,
        improve=False,
        publish="auto",
    )
    return held(job.counts, recoding)


@pytest.mark.parametrize("start", range(6))
def test_a_cluster_takes_what_is_nearest(start: int) -> None:
    assert clusters([1, 2, 3, 10, 11, 12], 3, start) == [[1, 2, 3], [10, 11, 12]]


@pytest.mark.parametrize("seed", ALL_SEEDS)
def test_what_is_left_joins_where_it_costs_least(seed: int) -> None:
    """10 costs 4 with 11 and 12, 25 with 1 and 2."""
    job = prepared({"age": [1, 2, 10, 11, 12]}, KAnonymity(2))
    assert held(job.counts, KMember().fit_counts(job.counts, job.requirements, seed=seed)) == [[1, 2], [10, 11, 12]]


@pytest.mark.parametrize("start", range(3))
def test_equal_records_are_parted_where_a_cluster_needs_only_some(start: int) -> None:
    assert clusters([0, 0, 10, 10, 20, 20], 3, start) == [[0, 0, 10], [10, 20, 20]]


def test_equal_records_that_comply_by_themselves_are_one_cluster() -> None:
    assert clusters([30] * 5 + [40, 41], 2) == [[30] * 5, [40, 41]]
    assert clusters([30] * 5 + [40] * 3, 2) == [[30] * 5, [40] * 3]


def test_too_few_beside_records_that_comply_join_them() -> None:
    assert clusters([5, 5, 5, 9], 2) == [[5, 5, 5, 9]]


@pytest.mark.parametrize("seed", ALL_SEEDS)
def test_a_cluster_grows_until_all_requirements_hold(seed: int) -> None:
    columns: dict[str, list[Any]] = {"age": [1, 2, 3, 20, 21], "ill": ["flu", "flu", "cold", "cold", "flu"]}
    job = prepared(columns, KAnonymity(2), LDiversity(2, "ill"))
    assert held(job.counts, KMember().fit_counts(job.counts, job.requirements, seed=seed)) == [[1, 2, 3], [20, 21]]


def test_records_of_a_cluster_that_cannot_be_finished_join_others() -> None:
    """From 60 the first cluster is 1 and 2. The others have one illness, so that all of them join it."""
    columns: dict[str, list[Any]] = {"age": [1, 2, 30, 31, 60], "ill": ["flu", "cold", "flu", "flu", "flu"]}
    job = prepared(columns, KAnonymity(2), LDiversity(2, "ill"))
    recoding = cluster_blocks(
        "k-member",
        job.counts,
        job.requirements,
        lambda block, _: grown_from(block, 4),
        seed=0,
        improve=False,
        publish="auto",
    )
    assert held(job.counts, recoding) == [[1, 2, 30, 31, 60]]


def test_ranges_and_sets_are_published() -> None:
    job = prepared({"age": [1, 2, 10, 11], "sex": ["f", "m", "m", "m"]}, KAnonymity(2))
    recoding = KMember().fit_counts(job.counts, job.requirements, seed=0)
    texts = [[column.texts[value] for value in recoding.groups[:, at]] for at, column in enumerate(recoding.columns)]
    assert sorted(zip(*texts, strict=True)) == [("[1,3)", "{f|m}"), ("[10,11]", "m")]
    assert recoding.method == "k-member"
    assert recoding.router is None


def test_a_missing_number_is_far_from_all_others() -> None:
    job = prepared({"age": [1, 100, None, None]}, KAnonymity(2))
    recoding = KMember().fit_counts(job.counts, job.requirements, seed=0)
    assert ncp(job.counts, recoding) == pytest.approx(0.5)


def test_the_seed_decides_which_cluster_comes_first() -> None:
    """From 0 or 1 the first cluster is 7 and 8, else 0 and 1; 4, equally far from both, joins the first."""
    job = prepared({"age": [0, 1, 4, 7, 8]}, KAnonymity(2))

    def found(seed: int) -> list[list[Any]]:
        return held(job.counts, KMember().fit_counts(job.counts, job.requirements, seed=seed))

    assert all(found(seed) == found(seed) for seed in ALL_SEEDS)
    both = [[[0, 1], [4, 7, 8]], [[0, 1, 4], [7, 8]]]
    assert all(one in [found(seed) for seed in ALL_SEEDS] for one in both)
    assert clusters([0, 1, 4, 7, 8], 2, 0) == both[0]
    assert clusters([0, 1, 4, 7, 8], 2, 4) == both[1]


def test_a_large_table_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(3)
    ages = chance.integers(0, 500, 300).tolist()
    job = prepared({"age": ages}, KAnonymity(3))
    whole = KMember().fit_counts(job.counts, job.requirements, seed=0)
    assert whole.facts == {"blocks": 1}
    monkeypatch.setattr(blocks, "EXACT", 100)
    monkeypatch.setattr(blocks, "_BLOCK", 50)
    cut = KMember().fit_counts(job.counts, job.requirements, seed=0)
    assert cut.facts["blocks"] > 1
    assert cut.sizes.min() >= 3
    assert Counter(age for group in held(job.counts, cut) for age in group) == Counter(ages)
    assert held(job.counts, cut) == held(job.counts, KMember().fit_counts(job.counts, job.requirements, seed=0))
    better = KMember(improve=True).fit_counts(job.counts, job.requirements, seed=0)
    assert better.facts == cut.facts
    assert ncp(job.counts, better) < ncp(job.counts, cut)
