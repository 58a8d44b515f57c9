"""k when missing and suppressed cells match anything."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hedgerow.verifier import count_classes, wildcard_k


def k_of(rows: list[tuple[str | None, ...]], **options: object) -> int | None:
    columns = {f"q{i}": [row[i] for row in rows] for i in range(len(rows[0]))}
    return wildcard_k(count_classes(pa.table(columns), list(columns)), **options)  # type: ignore[arg-type]  # options vary by test


def test_without_wildcards_it_is_the_plain_k() -> None:
    assert k_of([("F", "1"), ("F", "1"), ("M", "1")]) == 1


def test_matching_goes_both_ways() -> None:
    assert k_of([("F", "1"), ("*", "1"), ("M", "1")]) == 2
    assert k_of([("F", None), (None, "1")]) == 2


def test_two_wildcards_match_each_other() -> None:
    assert k_of([(None, "1"), ("*", "1")]) == 2
    assert k_of([(None, "1"), ("*", "2")]) == 1


def test_a_row_of_wildcards_matches_all() -> None:
    assert k_of([("F", "1"), ("M", "2"), (None, "*")]) == 2


def test_another_sign_and_a_shield() -> None:
    rows: list[tuple[str | None, ...]] = [("F", "1"), ("any", "1"), ("F", "1")]
    assert k_of(rows) == 1
    assert k_of(rows, suppressed="any") == 3
    assert k_of(rows, shield=["q1"]) == 3


def test_above_the_limit_it_is_not_computed() -> None:
    rows: list[tuple[str | None, ...]] = [("F", "1"), ("*", "1")]
    # The first class looks at both classes in both columns, the second at both classes in one.
    assert k_of(rows, limit=6) == 2
    assert k_of(rows, limit=5) is None
    assert k_of([("F", "1")], limit=0) == 1


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        (["ann", "bob", "cem"], 2),
        (["ann", "ann", "bob"], 1),
        (["ann", "bob", "ann"], 2),
        (["ann", "bob", "bob"], 1),
        (["ann", "ann", "ann"], 1),
    ],
)
def test_a_person_in_several_classes_counts_once(people: list[str], expected: int) -> None:
    table = pa.table({"sex": ["F", "*", "M"], "who": people})
    assert wildcard_k(count_classes(table, ["sex"], entity="who")) == expected
