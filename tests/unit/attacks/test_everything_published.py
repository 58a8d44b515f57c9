"""Attackers who read everything that is published: each finds a leak that was planted, and nothing where is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks import ATTACKS, Outcome, inference, linkability, pool_names, pool_order, singling_out
from hedgerow.attacks._people import Given, Rows
from hedgerow.errors import BadInput

QUASI = ["age", "sex", "zip", "education"]
COLUMNS = [*QUASI, "income"]
SCHEMA = hr.Schema(quasi=QUASI, target="income")
NEW = {
    "pool-order": pool_order,
    "pool-names": pool_names,
    "inference": inference,
    "linkability": linkability,
    "singling-out": singling_out,
}
_SEEDS = 12
"""Each attack, with no leak, may seem to work by chance in one of 40: in three of 12 it does once in 300."""


def towns(seed: int, people: int = 400) -> pa.Table:
    """People of whom each has a town for itself, and a label that depends on nothing."""
    generator = np.random.default_rng(seed)
    return pa.table(
        {
            "town": [f"T{seed}{at:04d}" for at in generator.permutation(people)],
            "age": generator.integers(20, 80, people),
            "ill": generator.choice(["no", "yes"], people),
        }
    )


@pytest.fixture(scope="module")
def census() -> tuple[pa.Table, pa.Table]:
    people = hr.datasets.make_census(1600, random_state=2).select(COLUMNS)
    return people[:800], people[800:]


def ordered_by_label(release: hr.Release, members: pa.Table) -> hr.Release:
    """The release with the values of towns in the order of the labels of those who live there: a leak."""
    proportions = release.proportions
    assert proportions is not None
    labels = dict(zip(members["town"].to_pylist(), members["ill"].to_pylist(), strict=True))
    at = proportions.quasi.index("town")
    column = proportions.columns[at]
    order = sorted(range(len(column.pools)), key=lambda one: [labels[town] for town in column.pools.members[one]])
    pools = replace(column.pools, texts=tuple(column.pools.texts[one] for one in order))
    columns = list(proportions.columns)
    columns[at] = replace(column, pools=pools)
    return replace(release, proportions=replace(proportions, columns=tuple(columns)))


def test_a_pool_order_that_follows_labels_is_found() -> None:
    """Weak proportions name every town; their order is that of the labels."""
    members, others = towns(1), towns(2)
    schema = hr.Schema(quasi=["town", "age"], target="ill")
    release = hr.anonymize(
        members, schema, method="mondrian", k=10, publish_proportions=True, min_support=1, random_state=0
    )
    found = pool_order(ordered_by_label(release, members), members, others)
    assert found.works
    assert found.members.recall.value > 0.9
    assert 0.4 < found.control.recall.value < 0.6


def test_names_that_only_members_have_are_found() -> None:
    members, others = towns(1), towns(2)
    schema = hr.Schema(quasi=["town", "age"])
    release = hr.anonymize(
        members.select(["town", "age"]), schema, k=10, publish_proportions=True, min_support=1, random_state=0
    )
    found = pool_names(release, members, others)
    assert (found.members.recall.value, found.control.false_positives.value) == (1, 0)


@pytest.mark.parametrize("attack", [inference, linkability, singling_out])
def test_small_classes_give_people_away_and_columns_generalized_as_a_whole_do_not(
    attack: Callable[..., Outcome], census: tuple[pa.Table, pa.Table]
) -> None:
    weak = hr.anonymize(census[0], SCHEMA, k=2, random_state=0)
    safe = hr.anonymize(census[0], SCHEMA, method="optimal", k=100)
    assert attack(weak, *census).works
    assert attack(safe, *census).verdict == "finds nothing"


def test_inference_reads_proportions(census: tuple[pa.Table, pa.Table]) -> None:
    """The regions say little; weak proportions beside them tell the number of people with every value."""
    release = hr.anonymize(
        census[0], SCHEMA, k=10, cells="region", publish_proportions=True, min_support=1, random_state=0
    )
    with_them, without = (
        inference(one, *census, column="education") for one in (release, replace(release, proportions=None))
    )
    assert with_them.works
    assert not without.works
    assert with_them.members.recall.low > 0.2 + without.members.recall.high


def test_inference_by_hand(made_up_people: None) -> None:
    """Both who are 20 live in Ulm, of those who are 30 two in three live in Bonn."""
    people = pa.table({"age": [20, 20, 30, 30, 30], "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm"]})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], sensitive=["town"]), k=2)
    assert set(release.table["age"].to_pylist()) == {20, 30}
    found = inference(release, people, people, column="town")
    assert (found.members.people, found.members.right) == (5, 4)
    with pytest.raises(BadInput, match=r"There is no column 'tow'\. Did you mean 'town'"):
        inference(release, people, people, column="tow")


def test_linkability_by_hand(made_up_people: None) -> None:
    """Age tells the town: the record with the right town is found whenever the two differ."""
    people = pa.table({"age": [20, 30] * 20, "town": ["Ulm", "Bonn"] * 20})
    release = hr.anonymize(people, hr.Schema(quasi=["age", "town"]), k=2)
    found = linkability(release, people, people, first=["age"])
    assert found.members.claimed == found.members.right > 10
    assert found.members.claimed < 40
    assert linkability(release, people, people, first=["town"]).members.claimed > 10
    with pytest.raises(BadInput, match="All columns are in the first record"):
        linkability(release, people, people, first=["age", "town"])


def test_pools_that_name_as_many_as_they_have_people_single_out() -> None:
    """Of weak proportions that name each town with one person everybody is described; of others nobody is."""
    members, others = towns(1).select(["town", "age"]), towns(2).select(["town", "age"])
    release = hr.anonymize(
        members, hr.Schema(quasi=["town", "age"]), k=10, publish_proportions=True, min_support=1, random_state=0
    )
    found = singling_out(release, members, others)
    assert found.members.recall.value > 0.5
    assert found.control.recall.value < 0.1


@pytest.mark.parametrize("name", NEW)
def test_where_nobody_is_in_the_table_hardly_any_attack_seems_to_work(name: str) -> None:
    """Members and others are drawn alike and neither is in the release: all that works does so by chance."""
    worked = 0
    for seed in range(_SEEDS):
        people = hr.datasets.make_census(900, random_state=500 + seed).select(COLUMNS)
        release = hr.anonymize(people[:300], SCHEMA, k=5, publish_proportions=True, random_state=seed)
        given = Given(release, Rows.of(people[300:600], "members"), Rows.of(people[600:], "non-members"))
        worked += ATTACKS[name].run(release, given, None, sure=0.9, random_state=seed).works
    assert worked <= 2


@pytest.mark.parametrize("attack", [pool_order, pool_names])
def test_without_proportions_there_are_no_pools(attack: Any, census: tuple[pa.Table, pa.Table]) -> None:
    with pytest.raises(BadInput, match="The release publishes no proportions"):
        attack(hr.anonymize(census[0], SCHEMA, k=5), *census)


@pytest.mark.parametrize("attack", [inference, linkability])
def test_one_column_is_too_few(attack: Any, census: tuple[pa.Table, pa.Table]) -> None:
    members, others = (one.select(["age"]) for one in census)
    release = hr.anonymize(members, hr.Schema(quasi=["age"]), k=5)
    with pytest.raises(BadInput, match="There is only one column"):
        attack(release, members, others)


@pytest.mark.parametrize("name", NEW)
def test_the_same_seed_gives_the_same_figures(name: str, census: tuple[pa.Table, pa.Table]) -> None:
    release = hr.anonymize(census[0], SCHEMA, k=5, publish_proportions=True, random_state=0)
    first, second = (NEW[name](release, *census, random_state=3) for _ in range(2))
    assert (first, first.attack) == (second, name)


def test_missing_values_and_people_whom_the_release_does_not_know() -> None:
    generator = np.random.default_rng(0)
    sides = [
        pa.table(
            {
                "age": [None if at % 7 == 0 else int(age) for at, age in enumerate(generator.integers(20, 60, 200))],
                "town": [
                    None if at % 5 == 0 else letter
                    for at, letter in enumerate(generator.choice(list(all_), 200).tolist())
                ],
                "ill": generator.choice(["no", "yes"], 200).tolist(),
            }
        )
        for all_ in ("abc", "abcd")
    ]
    schema = hr.Schema(quasi=["age", "town"], target="ill")
    for proportions in (False, True):
        release = hr.anonymize(sides[0], schema, k=5, publish_proportions=proportions, random_state=0)
        found = hr.attack(release, *sides)
        assert {"inference", "linkability", "singling-out"} <= {one.attack for one in found}
