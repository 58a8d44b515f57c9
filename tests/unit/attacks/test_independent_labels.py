"""Labels that depend on nothing: nobody can know them, so whatever a release tells of them is a leak.

Everybody has a town of their own, and the label is a coin. With all published files the best attack may be right no
more often than with the published table alone, but for chance. ``benchmarks/attacks.py independent`` measures the same
for all methods.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks import inference, pool_order
from hedgerow.risk import Risk

PEOPLE = 400


def coins(seed: int) -> pa.Table:
    generator = np.random.default_rng(seed)
    return pa.table(
        {
            "town": [f"T{seed}{at:04d}" for at in generator.permutation(PEOPLE)],
            "age": generator.integers(20, 80, PEOPLE),
            "ill": generator.choice(["no", "yes"], PEOPLE),
        }
    )


@pytest.mark.parametrize("method", ["datafly", "mondrian", "kactus", "hedge", "k-member"])
def test_all_published_files_tell_no_more_than_the_table(method: str) -> None:
    members, others = coins(1), coins(2)
    schema = hr.Schema(quasi=["town", "age"], target="ill", sensitive=["ill"])
    release = hr.anonymize(
        members,
        schema,
        method=method,
        k=10,
        require=[hr.LDiversity(2, "ill"), hr.TCloseness(0.3, "ill")],
        publish_proportions=True,
        random_state=0,
    )
    table = inference(replace(release, proportions=None), members, others, column="ill").members.recall
    for found in (inference(release, members, others, column="ill"), pool_order(release, members, others)):
        more = Risk.excess(found.members.recall, table)
        # An interval for ten comparisons: 2.8 standard deviations instead of 1.96.
        assert more.value - 1.43 * (more.value - more.low) < 0, found
