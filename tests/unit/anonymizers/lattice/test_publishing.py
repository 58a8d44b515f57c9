"""Publishing a state."""

from __future__ import annotations

import pyarrow as pa

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._judge import Judge, publish
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.release import pipeline


def test_violating_classes_are_lost_and_the_rest_is_published_at_its_level() -> None:
    people = pa.table({"zip": ["11", "12", "12", "21", "30"]})
    prepared = pipeline.prepare(
        people, Schema(quasi=["zip"], hierarchies={"zip": "masking"}), [KAnonymity(3)], random_state=0
    )
    judge = Judge(Lattice(prepared.counts), prepared.requirements, allowance=2)
    recoding = publish("mine", judge, (1,), facts={"answer": 42}, warnings=["mind the gap"])
    assert (recoding.method, recoding.levels, recoding.facts) == ("mine", {"zip": 1}, {"answer": 42})
    assert recoding.warnings == ("mind the gap",)
    assert (recoding.lost, recoding.sizes.tolist()) == (2, [3])
    release = pipeline.finish(prepared, recoding, {})
    assert release.table["zip"].to_pylist() == ["1*"] * 3
    assert publish("mine", judge, (2,), facts={}).lost == 0
