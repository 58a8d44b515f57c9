"""Improving a partition: records change groups where the loss falls, and only while all requirements hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import KAnonymity, LDiversity, Mondrian, Schema
from hedgerow.anonymizers.boxes import improvement
from hedgerow.anonymizers.boxes.improvement import improved
from hedgerow.anonymizers.boxes.layout import Description, described
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, shown_as
from hedgerow.release import pipeline


def boxes_of(counts: FrequencyTable) -> Description:
    """By ranges and sets."""
    return described(counts, "ncp", shown_as(counts, "interval"))


def moved(
    table: pa.Table,
    group_of_row: list[int],
    require: Any,
    blocks: list[int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> list[int]:
    """The group of each row after improvement; rows are distinct."""
    quasi = [name for name in table.column_names if name != "ill"]
    sensitive = ["ill"] if "ill" in table.column_names else []
    schema = Schema(quasi=quasi, sensitive=sensitive, weights=weights or {})
    counts = pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts
    rows = table.select(quasi).to_pylist()
    order = sorted(range(len(rows)), key=lambda at: tuple(rows[at].values()))
    group = np.array([group_of_row[at] for at in order], dtype=np.int32)
    near = None if blocks is None else np.array(blocks, dtype=np.int64)
    pieces = improved(counts, require, Pieces.whole(group, counts.cell_sizes), near, boxes_of(counts))
    found = [0] * len(rows)
    for cell, of_group in zip(pieces.cell.tolist(), pieces.group.tolist(), strict=True):
        found[order[cell]] = of_group
    return found


AGES = pa.table({"age": [1, 2, 3, 50, 51, 52, 53]})


def test_a_stray_record_goes_to_its_neighbours() -> None:
    assert moved(AGES, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1, 1]


def test_single_records_move_though_nothing_is_shed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rounds only the moves at the end are left."""
    monkeypatch.setattr(improvement, "_THRESHOLDS", np.empty(0))
    assert moved(AGES, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1, 1]
    assert moved(AGES, [0, 0, 0, 1, 0, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1, 1]


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
    diverse = [KAnonymity(3), LDiversity(2, "ill")]
    assert moved(ill, [0, 0, 0, 0, 1, 1, 1], diverse) == [0, 0, 0, 0, 1, 1, 1]
    assert moved(ill, [0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1, 1]


def test_records_are_swapped_where_no_group_can_spare_one() -> None:
    ages = pa.table({"age": [1, 2, 3, 50, 51, 52]})
    assert moved(ages, [0, 0, 1, 0, 1, 1], [KAnonymity(3)]) == [0, 0, 0, 1, 1, 1]


def test_all_who_hold_a_value_leave_together() -> None:
    """One of the two at fifty alone gains nothing: its group must say fifty as long as the other is there."""
    table = pa.table({"age": [1, 1, 1, 2, 2, 50, 50, 52, 52, 52], "town": [*"abcabababc"]})
    found = moved(table, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1], [KAnonymity(3)])
    assert found[5] == found[6] == found[7]


def test_a_large_group_is_split() -> None:
    ages = pa.table({"age": [1, 2, 3, 50, 51, 52, 90, 91, 92]})
    found = moved(ages, [0] * 9, [KAnonymity(3)])
    assert len(set(found)) == 3
    assert found == [at for at in dict.fromkeys(found) for _ in range(3)]


def test_new_groups_follow_the_others_block_by_block() -> None:
    ages = pa.table({"age": [1, 2, 50, 51, 100, 101, 150, 151]})
    found = moved(ages, [0] * 4 + [1] * 4, [KAnonymity(2)], [0, 1])
    assert sorted(set(found)) == [0, 1, 2, 3]
    assert set(found[:4]) == {0, 2}
    assert set(found[4:]) == {1, 3}


def test_a_group_is_split_only_if_both_parts_satisfy_all_requirements() -> None:
    ill = pa.table({"age": [1, 2, 50, 51], "ill": ["flu", "flu", "cold", "cold"]})
    assert moved(ill, [0, 0, 0, 0], [KAnonymity(2), LDiversity(2, "ill")]) == [0, 0, 0, 0]
    assert len(set(moved(ill, [0, 0, 0, 0], [KAnonymity(2)]))) == 2


def loss_of(records: list[tuple[int, str]], groups: list[int], age: Fraction = Fraction(1)) -> Fraction:
    """What all records lose, by the definition: the share of the range of ages, and of the other towns, by weight."""
    all_ages = [record[0] for record in records]
    width = max(max(all_ages) - min(all_ages), 1)
    towns = max(len({town for _, town in records}) - 1, 1)
    total = Fraction(0)
    for one in set(groups):
        own = [record for record, group in zip(records, groups, strict=True) if group == one]
        ages = [record[0] for record in own]
        lost = age * Fraction(max(ages) - min(ages), width)
        lost += (2 - age) * Fraction(len({town for _, town in own}) - 1, towns)
        total += len(own) * lost
    return total


def moves(groups: list[int], k: int) -> Iterator[list[int]]:
    """All partitions in which one record is elsewhere and every group has k."""
    for at, own in enumerate(groups):
        for other in set(groups) - {own}:
            if groups.count(own) > k:
                yield [*groups[:at], other, *groups[at + 1 :]]


@examples(100)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abcde")), min_size=6, max_size=14, unique=True),
    st.integers(2, 3),
    st.integers(0, 10**6),
    st.sampled_from([Fraction(1), Fraction(7, 4), Fraction(1, 4), Fraction(0)]),
)
def test_no_single_move_lowers_the_loss_any_more(
    records: list[tuple[int, str]], k: int, seed: int, weight: Fraction
) -> None:
    count = len(records) // k
    before = np.random.default_rng(seed).permutation(np.arange(len(records)) % count).tolist()
    table = pa.table({"age": [age for age, _ in records], "town": [town for _, town in records]})
    weights = {"age": float(weight), "town": float(2 - weight)}
    after = moved(table, before, [KAnonymity(k)], weights=weights)
    assert min(after.count(one) for one in set(after)) >= k
    assert set(before) <= set(after)
    lost = loss_of(records, after, weight)
    assert lost <= loss_of(records, before, weight)
    assert all(loss_of(records, other, weight) >= lost - Fraction(1, 10**8) for other in moves(after, k))
    assert moved(table, before, [KAnonymity(k)], weights=weights) == after


def test_a_group_gives_no_tuple_with_more_records_than_it_can_spare() -> None:
    ages, size = [0, 1, 3, 8, 9, 12, 15, 18], [1, 4, 2, 4, 2, 3, 4, 3]
    table = pa.table({"age": np.repeat(ages, size)})
    counts = pipeline.prepare(table, Schema(quasi=["age"]), [KAnonymity(1)], random_state=0).counts
    before = Pieces.whole(np.array([1, 0, 1, 0, 0, 1, 1, 0], dtype=np.int32), counts.cell_sizes)
    after = improved(counts, [KAnonymity(4)], before, None, boxes_of(counts))
    assert np.bincount(after.group, after.size).min() >= 4


@examples(60)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 20), st.sampled_from("abcde")), st.integers(1, 4), min_size=6, max_size=16
    ),
    st.integers(2, 6),
    st.integers(0, 10**6),
)
def test_groups_stay_large_enough_where_tuples_have_several_records(
    weights: dict[tuple[int, str], int], k: int, seed: int
) -> None:
    records = [record for record in sorted(weights) for _ in range(weights[record])]
    group = np.random.default_rng(seed).integers(0, 3, len(weights)).astype(np.int32)
    size = np.array([weights[record] for record in sorted(weights)])
    assume(np.bincount(group, size, 3).min() >= k)
    table = pa.table({"age": [age for age, _ in records], "town": [town for _, town in records]})
    counts = pipeline.prepare(table, Schema(quasi=["age", "town"]), [KAnonymity(1)], random_state=0).counts
    pieces = improved(counts, [KAnonymity(k)], Pieces.whole(group, counts.cell_sizes), None, boxes_of(counts))
    after = np.bincount(pieces.group, pieces.size)
    assert after.min() >= k
    assert np.bincount(pieces.cell, pieces.size).tolist() == size.tolist()
    before = [int(one) for one, weight in zip(group, size, strict=True) for _ in range(weight)]
    assert loss_of(records, np.repeat(pieces.group, pieces.size).tolist()) <= loss_of(records, before)


rows = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 9) | st.none(), st.sampled_from("uv"), st.sampled_from("xyz")),
    min_size=6,
    max_size=40,
)


@examples(60)
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
    assert after.losses["ncp"] <= before.losses["ncp"] + 1e-12
    assert after.audit.verdict is not None
    assert after.audit.verdict.holds


@pytest.mark.parametrize("publish", ["set", "interval", "label"])
def test_what_is_published_is_of_the_improved_groups(publish: Any) -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6, 7, 30], "sex": [*"ffmmffmm"]})
    release = Mondrian(k=2, improve=True, publish=publish).anonymize(table, Schema(quasi=["age", "sex"]))
    assert release.audit.k >= 2
    assert int(release.recoding.sizes.sum()) == 8
