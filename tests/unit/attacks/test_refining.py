"""What classes tell of a column: exact shares against all ways to divide people, and what can be ruled out."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow._internal.arrays import Floats
from hedgerow.attacks._downcoding import Known, Refined, known_of, refined
from hedgerow.attacks._downcoding_kernels import expected_shares
from hedgerow.attacks._people import read_people

pytestmark = pytest.mark.usefixtures("made_up_people")


def can_be(numbers: tuple[int, ...], held: list[bool], least: int, ordered: bool, singles: bool) -> bool:
    people = sum(numbers)
    sides = list(numbers) if singles else []
    sides += list(itertools.accumulate(numbers))[:-1] if ordered else []
    cut = least > 0 and any(least <= side <= people - least for side in sides)
    return not cut and all(number > 0 for number, named in zip(numbers, held, strict=True) if named)


def by_hand(chances: Floats, held: list[bool], people: int, least: int, ordered: bool, singles: bool) -> Floats | None:
    """Every way to divide people among values, by its probability."""
    total, sums = 0.0, np.zeros(len(chances))
    for numbers in itertools.product(range(people + 1), repeat=len(chances)):
        if sum(numbers) == people and can_be(numbers, held, least, ordered, singles):
            ways = [chance**number / math.factorial(number) for chance, number in zip(chances, numbers, strict=True)]
            total += math.prod(ways)
            sums += math.prod(ways) * np.array(numbers)
    return sums / total / people if total else None


@given(
    st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=4),
    st.integers(1, 8),
    st.integers(0, 4),
    st.booleans(),
    st.booleans(),
)
@examples(300)
def test_expected_shares_are_those_of_all_ways_to_divide_people(
    values: list[tuple[int, bool]], people: int, least: int, ordered: bool, singles: bool
) -> None:
    records, held = np.array([float(one) for one, _ in values]), [named for _, named in values]
    chances = records / records.sum()
    room, result = np.empty((2 * len(values) + 2, people + 1)), np.empty(len(values))
    found = expected_shares(chances, np.array(held), people, least, ordered, singles, room, result)
    expected = by_hand(chances, held, people, least, ordered, singles)
    assert found == (expected is not None)
    if expected is not None:
        assert result == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=4), st.integers(1, 4), st.booleans(), st.booleans())
@examples(300)
def test_an_informed_reader_rules_out_what_would_have_been_cut(
    others: list[int], least: int, ordered: bool, singles: bool
) -> None:
    size = sum(others) + 1
    everything = np.ones((1, len(others)), dtype=bool)
    told = Refined(
        Known(False, least, ordered, singles),
        np.ones(len(others)),
        everything,
        ~everything,
        np.zeros(1, dtype=np.int64),
        np.array([size]),
    )
    possible = told.possible(np.zeros(1, dtype=np.int64), np.array([others]))[0]
    for value in range(len(others)):
        numbers = tuple(number + (at == value) for at, number in enumerate(others))
        cut = size >= 2 * least and not can_be(numbers, [False] * len(others), least, ordered, singles)
        assert possible[value] == (not cut)


def told_by(values: list[Any], k: int, **options: Any) -> Refined:
    table = pa.table({"x": values})
    release = hr.anonymize(table, hr.Schema(quasi=["x"]), method=options.pop("method", "mondrian"), k=k, **options)
    return refined(read_people(release, table, table), 0)


def test_values_of_a_set_and_ends_of_an_interval_are_held() -> None:
    sets = told_by(["a", "b", "c", "c"], 4)
    assert sets.held[sets.cell].tolist() == [[True, True, True]]
    numbers = told_by([1, 2, 3, 9], 4)
    assert numbers.held[numbers.cell].tolist() == [[True, False, False, True]]
    halves = told_by([1.5, 2, 3, 9], 2)
    assert halves.held[halves.cell].sum() == 4
    region = told_by([1, 2, 3, 9], 4, cells="region")
    assert not region.held.any()
    assert not told_by([1, 2, 3, 9], 4, method="optimal").held.any()


def test_in_an_uncut_class_most_hold_one_value() -> None:
    """Of eight people who were not cut at k = 4 at least two hold one value: those at the ends are four at most."""
    told = told_by([1, 1, 1, 5, 5, 9, 9, 9], 4)
    assert told.sizes.tolist() == [8]
    assert told.known == Known(True, 4, True, False)
    # Without the rule the middle has its share of the population, with it more: it must hold two at least.
    assert told.shares[0, 1] > 2 / 8
    assert told.shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, Known(True, 3, True, True)),
        ({"cut": "widest"}, Known(True, 3, True, False)),
        ({"cells": "region"}, Known(False, 3, True, True)),
        ({"improve": True}, Known(True)),
        ({"relaxed": True}, Known(True)),
        ({"publish": "label"}, Known()),
        ({"require": ["k=4@x"]}, Known(True)),
        ({"method": "k-member"}, Known(True)),
        ({"method": "optimal"}, Known()),
    ],
)
def test_what_follows_from_the_manifest(options: dict[str, Any], expected: Known) -> None:
    table = pa.table({"x": list("aabbccdd")})
    release = hr.anonymize(table, hr.Schema(quasi=["x"]), k=3, random_state=0, **{"method": "mondrian", **options})
    assert known_of(release, 0) == expected


def test_an_order_or_a_hierarchy_that_was_given_is_not_taken_for_that_of_the_text() -> None:
    table = pa.table({"x": list("aabbccdd")})
    told = hr.Schema(quasi=["x"], kinds={"x": list("dcba")})
    assert known_of(hr.anonymize(table, told, method="mondrian", k=3), 0) == Known(True, 3, False, False)
    tree = hr.Schema(quasi=["x"], hierarchies={"x": {"*": {"one": ["a", "d"], "two": ["b", "c"]}}})
    assert known_of(hr.anonymize(table, tree, method="mondrian", k=3), 0) == Known()
    sets = hr.anonymize(table, tree, method="mondrian", k=3, publish="set")
    assert known_of(sets, 0) == Known(True, 3, False, True)
