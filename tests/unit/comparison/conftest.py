"""A small comparison from end to end, made once."""

from __future__ import annotations

import pytest

import hedgerow as hr

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", sensitive=["disease"], others="drop")


@pytest.fixture(scope="session")
def compared() -> hr.Comparison:
    """Two methods, two k, two limits, on 1,200 synthetic people; one method does not keep its guarantee."""
    return hr.compare(
        hr.datasets.make_census(1_200, random_state=1),
        SCHEMA,
        methods={"mondrian": hr.Mondrian(), "printed": hr.HybridKActus(as_published=True)},
        k=[5, 25],
        suppression_limit=[0, 0.02],
        learners=["naive-bayes"],
        protocol=("cv", 2),
        train="published",
        workers=1,
    )
