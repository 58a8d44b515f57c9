"""Values of few people are told together."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import hedgerow as hr
from hedgerow.report.facts._distributions import Holders, most_held


def alone(rows: list[int]) -> Holders:
    return Holders(np.arange(len(rows)), np.array(rows), len(rows))


def test_the_most_frequent_values_are_named_in_their_order() -> None:
    pooled = most_held(alone([5, 9, 7, 3, 3]), 5, 2)
    assert pooled is not None
    assert pooled.shown == [1, 2]
    assert pooled.group.tolist() == [2, 0, 1, 2, 2]


def test_others_of_too_few_are_joined_by_the_rarest_that_could_be_named() -> None:
    pooled = most_held(alone([9, 7, 2]), 5, 10)
    assert pooled is not None
    assert pooled.shown == [0]


def test_where_all_can_be_named_there_are_no_others() -> None:
    pooled = most_held(alone([9, 7, 5]), 5, 10)
    assert pooled is not None
    assert pooled.shown == [0, 1, 2]


def test_a_table_of_too_few_names_nothing() -> None:
    assert most_held(alone([2, 2]), 5, 10) is None


def test_people_are_counted_once_and_not_their_rows() -> None:
    """Code 0: six rows of one person. Code 1: three people. Code 2: the same person as code 0."""
    codes, person = np.array([0, 1, 1, 1, 2]), np.array([7, 1, 2, 3, 7], dtype=np.int32)
    held = Holders(codes, np.array([6, 1, 1, 1, 1]), 3, person)
    assert held.holders_in(np.arange(3), 3).tolist() == [1, 3, 1]
    assert held.holders_in(np.array([0, 1, 0]), 2).tolist() == [1, 3]
    # Eight rows of codes 0 and 2 are of one person, who cannot be told alone: code 1 must join.
    pooled = most_held(held, 3, 10)
    assert pooled is not None
    assert pooled.shown == []


def test_original_rows_are_told_by_people_at_home() -> None:
    """Anna has four rows in Ulm: a single person there."""
    people = pa.table({"who": ["Anna"] * 4 + [f"p{at}" for at in range(6)], "town": ["Ulm"] * 4 + ["Bern"] * 6})
    release = hr.anonymize(people, hr.Schema(quasi=["town"], entity="who", identifying=["who"]), k=3, random_state=1)
    assert release.originals is not None
    held = Holders.of_original(release.originals, "town")
    assert held.rows_in(np.arange(2), 2).tolist() == [6, 4]
    assert held.holders_in(np.arange(2), 2).tolist() == [6, 1]
