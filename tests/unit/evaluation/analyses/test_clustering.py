"""Clustering: the adjusted Rand index by hand, for rows that no method has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses import Agglomerative, Analysis, KMeans, Material
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.ways import RAW

SCHEMA = hr.Schema(quasi=["x"])
ORIGINAL = pa.table({"x": [0, 10, 20] * 4})
TESTS = pa.table({"x": [0, 1, 10, 11, 19, 20]})
BOTH: list[Analysis] = [KMeans(clusters=3), Agglomerative(clusters=3)]


def index(analysis: Analysis, release: pa.Table, original: pa.Table = ORIGINAL, seed: int = 0) -> Any:
    material = Material(OpenedTable(original, SCHEMA), TESTS, release, RAW, seed)
    return analysis.measure(material)["adjusted_rand"]


@pytest.mark.parametrize("analysis", BOTH, ids=lambda one: one.name)
def test_the_same_clusters(analysis: Analysis) -> None:
    assert index(analysis, ORIGINAL) == 1
    assert index(analysis, pa.table({"x": [-1, 11, 22] * 4})) == 1, "the rows are near enough"


@pytest.mark.parametrize("analysis", BOTH, ids=lambda one: one.name)
def test_two_of_three_clusters_in_one(analysis: Analysis) -> None:
    """Pairs of six rows in common clusters: 3 of the original, 7 of the release, 3 of both; 3 · 7 / 15 by chance.

    So the index is (3 − 1.4) / (5 − 1.4).
    """
    assert index(analysis, pa.table({"x": [0, 0, 30] * 4})) == pytest.approx(1.6 / 3.6)


@pytest.mark.parametrize("analysis", BOTH, ids=lambda one: one.name)
@pytest.mark.parametrize("cells", [["*"] * 12, [5] * 12, [100, 200, 300] * 4], ids=["stars", "same", "far"])
def test_a_release_that_knows_of_no_cluster_has_0(analysis: Analysis, cells: list[Any]) -> None:
    assert index(analysis, pa.table({"x": cells})) == 0


def test_the_baseline_is_another_model_of_the_same_rows() -> None:
    """Without clusters in the rows, k-means finds others from each start: so alike are two models, no release more."""
    random = np.random.default_rng(0)
    people = pa.table({name: random.random(200) for name in "abcd"})
    schema = hr.Schema(quasi=list("abcd"))
    once = KMeans(clusters=5, starts=1)
    material = Material(OpenedTable(people, schema), people, people, RAW, 0)
    assert 0.1 < (once.measure(material)["adjusted_rand"] or 0) < 0.99
    assert once.measure(material) == once.measure(material), "the same seed gives the same index"


def test_agglomerative_clustering_takes_a_sample_of_large_tables() -> None:
    assert index(Agglomerative(clusters=3, rows=9), pa.table({"x": [0, 10, 20] * 1000})) == 1


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (KMeans, {"clusters": 1}, "The 'clusters' parameter of KMeans must be an int >= 2. Got 1 instead."),
        (KMeans, {"starts": 0}, "The 'starts' parameter of KMeans must be an int >= 1. Got 0 instead."),
        (Agglomerative, {"clusters": 1}, "'clusters' parameter of Agglomerative must be an int >= 2. Got 1 instead."),
        (Agglomerative, {"rows": 1}, "The 'rows' parameter of Agglomerative must be an int >= 2. Got 1 instead."),
    ],
)
def test_bad_parameters(kind: Any, parameters: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        kind(**parameters)
