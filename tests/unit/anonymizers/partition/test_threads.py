"""Partitioning in threads gives the same groups, with the same numbers, and the same tree of cuts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.partition import cuts as threads
from hedgerow.core.recoding import CutTree, Recoding


def fitted(table: pa.Table, **parameters: object) -> Recoding:
    schema = hr.Schema(quasi=["age", "city", "job"], sensitive=["ill"])
    return hr.anonymize(table, schema, k=5, require="l=2@ill", **parameters).recoding  # type: ignore[arg-type]  # mixed


@pytest.fixture
def people() -> pa.Table:
    draw = np.random.default_rng(5)
    return pa.table(
        {
            "age": draw.integers(18, 90, 3000),
            "city": draw.choice(list("ABCDEFGH"), 3000),
            "job": draw.choice([f"j{n}" for n in range(70)], 3000),
            "ill": draw.choice(["flu", "cold", "ulcer"], 3000),
        }
    )


@pytest.mark.compiled
@pytest.mark.parametrize("parameters", [{}, {"cut": "widest"}, {"relaxed": True}], ids=str)
def test_parts_are_joined_to_the_same_partition(
    parameters: dict[str, object], people: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted(people, **parameters)
    monkeypatch.setattr(threads, "_WORTHWHILE", 0)
    joined = fitted(people, **parameters)
    assert len(whole.sizes) > 50
    assert joined.sizes.tolist() == whole.sizes.tolist()
    assert joined.groups.tolist() == whole.groups.tolist()
    assert joined.pieces is not None
    assert whole.pieces is not None
    assert joined.pieces.group.tolist() == whole.pieces.group.tolist()
    places = [np.arange(0, 40, dtype=np.int64)] * 3
    assert isinstance(joined.router, CutTree)
    assert isinstance(whole.router, CutTree)
    assert joined.router.route(places).tolist() == whole.router.route(places).tolist()


def test_a_table_that_cannot_be_cut_is_one_group(people: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_WORTHWHILE", 0)
    release = hr.anonymize(people.select(["age"]), hr.Schema(quasi=["age"]), k=1501)
    assert release.recoding.sizes.tolist() == [3000]
    assert release.audit.classes.number == 1
