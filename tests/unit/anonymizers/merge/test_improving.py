"""Improving a partition: tuples move to where they cost less, and only while all requirements hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import KAnonymity, LDiversity, Mondrian, Schema
from hedgerow.anonymizers import line
from hedgerow.anonymizers.merge.improving import improved
from hedgerow.recoding import Pieces


def moved(table: pa.Table, group_of_row: list[int], require: Any, blocks: list[int] | None = None) -> list[int]:
    """The group of each row after improvement; rows are distinct."""
    quasi = [name for name in table.column_names if name != "ill"]
    sensitive = ["ill"] if "ill" in table.column_names else []
    prepared = line.prepare(table, Schema(quasi=quasi, sensitive=sensitive), [KAnonymity(1)], random_state=0)
    counts = prepared.counts
    rows = table.select(quasi).to_pylist()
    order = sorted(range(len(rows)), key=lambda at: tuple(rows[at].values()))
    group = np.array([group_of_row[at] for at in order], dtype=np.int32)
    groups = int(group.max()) + 1
    near = np.array(blocks if blocks is not None else [0] * groups, dtype=np.int64)
    pieces = improved(counts, require, Pieces.whole(group, counts.cell_sizes), near)
    found = [0] * len(rows)
    for cell, of_group in zip(pieces.cell.tolist(), pieces.group.tolist(), strict=True):
        found[order[cell]] = of_group
    return found


AGES = pa.table({"age": [1, 2, 3, 50, 51, 52, 53]})


def test_a_stray_record_goes_to_its_neighbours() -> None:
    assert moved(AGES, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1, 1]


def test_a_group_keeps_what_it_needs() -> None:
    assert moved(AGES, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(4)]) == [0, 0, 0, 0, 1, 1, 1]


def test_nothing_moves_to_another_block() -> None:
    assert moved(AGES, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)], [0, 1]) == [0, 0, 0, 0, 1, 1, 1]


def test_a_set_that_nobody_else_needs_is_left() -> None:
    towns = pa.table({"town": ["A", "B", "C", "D", "E"], "sex": ["f", "f", "m", "m", "m"]})
    assert moved(towns, [0, 0, 0, 1, 1], [KAnonymity(2)]) == [0, 0, 1, 1, 1]


def test_other_requirements_hold_for_what_is_left() -> None:
    """Without the stray record its group would have one illness."""
    ill = AGES.append_column("ill", pa.array(["flu", "flu", "flu", "cold", "flu", "cold", "flu"]))
    diverse = [KAnonymity(2), LDiversity(2, "ill")]
    assert moved(ill, [0, 0, 0, 0, 1, 1, 1], diverse) == [0, 0, 0, 0, 1, 1, 1]
    assert moved(ill, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(2)]) == [0, 0, 0, 1, 1, 1, 1]


rows = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 9) | st.none(), st.sampled_from("uv"), st.sampled_from("xyz")),
    min_size=6,
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 4), st.booleans(), st.booleans())
def test_the_loss_never_rises_and_the_requirements_hold(
    records: list[tuple[Any, ...]], k: int, relaxed: bool, diverse: bool
) -> None:
    records.append(("a", 1, "u", "x"))
    records.append(("b", 2, "v", "y"))
    names = ("letter", "number", "side", "ill")
    types = (pa.string(), pa.int64(), pa.string(), pa.string())
    table = pa.table(
        {
            name: pa.array([row[at] for row in records], kind)
            for at, (name, kind) in enumerate(zip(names, types, strict=True))
        }
    )
    schema = Schema(quasi=["letter", "number", "side"], sensitive=["ill"])
    require = [LDiversity(2, "ill")] if diverse else []
    before = Mondrian(k=k, require=require, relaxed=relaxed).anonymize(table, schema)
    after = Mondrian(k=k, require=require, relaxed=relaxed, improve=True).anonymize(table, schema)
    assert after.audit.rows == len(records)
    assert after.audit.losses["ncp"] <= before.audit.losses["ncp"] + 1e-12
    assert after.audit.verdict is not None
    assert after.audit.verdict.holds


@pytest.mark.parametrize("publish", ["set", "interval", "label"])
def test_what_is_published_is_of_the_improved_groups(publish: Any) -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6, 7, 30], "sex": [*"ffmmffmm"]})
    release = Mondrian(k=2, improve=True, publish=publish).anonymize(table, Schema(quasi=["age", "sex"]))
    assert release.audit.k >= 2
    assert int(release.recoding.sizes.sum()) == 8
