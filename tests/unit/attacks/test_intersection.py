"""The attack on two releases: it finds a planted leak, none where nothing is added, and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput

pytestmark = pytest.mark.usefixtures("made_up_people")


def people_of(seed: int, number: int = 1200) -> pa.Table:
    """Illnesses that depend on nothing."""
    generator = np.random.default_rng(seed)
    age, ill, ward = (
        generator.integers(20, 80, number),
        generator.integers(0, 6, number),
        generator.integers(0, 3, number),
    )
    return pa.table({"age": age, "ill": ["abcdef"[one] for one in ill], "ward": ["xyz"[one] for one in ward]})


def cut(people: pa.Table, start: int, width: int = 6, k: int = 5, **roles: Any) -> hr.Release:
    """A release by intervals that begin with some age."""
    years = hr.hierarchies.intervals(width=width, start=start)
    given = {"sensitive": ["ill"], "others": "drop", **roles}
    # The illness follows from the age on purpose.
    accept = [*given.get("accept", ()), *given["sensitive"]]
    schema = hr.Schema(quasi=["age"], hierarchies={"age": years}, **{**given, "accept": accept})
    return hr.anonymize(people, schema, method="optimal", k=k, random_state=0)


@pytest.fixture(scope="module")
def leak() -> tuple[pa.Table, pa.Table, hr.Release, hr.Release]:
    """Of the people of one age all have one illness, and classes of both releases have one age in common."""
    # At both ends, where a class may have one age, there are more.
    number = np.full(300, 4)
    number[[0, -1]] = 8
    ages = np.arange(20, 320).repeat(number)
    ill = np.array(list("abcdefghijkl"))[np.arange(300) % 12].repeat(number)
    people = pa.table({"age": ages, "ill": ill})
    others = pa.table({"age": ages, "ill": np.roll(ill, 7)})
    return people, others, cut(people, 20, 2), cut(people, 19, 2)


def test_a_planted_leak_is_found(leak: tuple[pa.Table, pa.Table, hr.Release, hr.Release]) -> None:
    people, others, new, old = leak
    assert new.audit.k == old.audit.k == 8
    found = hr.attacks.intersection(new, old, people, others)
    assert found.attack == "intersection"
    assert found.works
    assert found.members.recall.value == found.members.precision.value == 1  # type: ignore[union-attr] # all are claimed
    assert found.control.recall.value < 0.5
    # The ages at both ends are alone in a class of the previous release.
    assert found.remarks[0] == "the new release alone: recall 0.0% - 0.0%"
    assert found.remarks[1].startswith(f"the previous one alone: recall {16 / 1208:.1%} - ")


def test_a_release_that_is_only_coarser_adds_nothing() -> None:
    people, others = people_of(0), people_of(1)
    fine, coarse = cut(people, 20, 6, 50), cut(people, 20, 12, 200)
    found = hr.attacks.intersection(fine, coarse, people, others, sure=0.2)
    alone = hr.attacks.intersection(fine, fine, people, others, sure=0.2)
    assert found.members.claimed > 0
    assert (found.members, found.control) == (alone.members, alone.control)
    assert not found.works


def test_columns_in_clear_link_rows() -> None:
    """Classes of both releases hold both illnesses, but rows of one of them have other beds in the other release."""
    ages = np.arange(20, 80).repeat(20)
    ill = ["ab"[one // 2 % 2] for one in ages]
    beds = [f"bed {at}" for at in np.random.default_rng(4).integers(0, 5000, len(ages))]
    people = pa.table({"age": ages, "ill": ill, "bed": beds})
    others = pa.table({"age": ages, "ill": people["ill"].take(np.random.default_rng(5).permutation(len(ages)))})
    found = [
        hr.attacks.intersection(cut(people, 20, 4, 40, **roles), cut(people, 18, 4, 40, **roles), people, others)
        for roles in ({}, {"insensitive": ["bed"], "accept": ["bed"]})
    ]
    ends = 2 * 40  # people at both ends, whom the previous release tells alone
    assert found[0].members.claimed == ends
    assert found[1].members.right > 1000
    assert found[1].works


def test_a_column_that_the_previous_release_lacks() -> None:
    people = people_of(4, 600)
    old = cut(people, 19, 2, sensitive=["ward"])
    new = cut(people, 20, 2, insensitive=["ward"])
    found = hr.attacks.intersection(new, old, people, people_of(5, 600))
    assert found.remarks[0] == "The previous release does not publish this column."
    assert len(found.remarks) == 2


def test_values_that_only_one_release_has() -> None:
    """Of the previous release alone nobody is sure if half of its rows have a value that the new one lacks."""
    people = pa.table({"age": [20, 21] * 20, "ill": ["a"] * 40})
    before = pa.table({"age": [20, 21] * 20, "ill": ["a", "a", "b", "b"] * 10})
    new, old = cut(people, 20, 2), cut(before, 20, 2)
    found = hr.attacks.intersection(new, old, people, before)
    assert found.members.recall.value == 1
    assert found.remarks[1] == "the previous one alone: recall 0.0% - 0.0%"


def test_every_kind_of_table_and_saved_releases(
    leak: tuple[pa.Table, pa.Table, hr.Release, hr.Release], frame_type: Callable[[pa.Table], Any], tmp_path: Path
) -> None:
    people, others, new, old = leak
    places = {name: one.save(tmp_path / f"{name}.csv") for name, one in (("new", new), ("old", old))}
    expected = hr.attacks.intersection(new, old, people, others)
    loaded = hr.attacks.intersection(places["new"], str(places["old"]), frame_type(people), frame_type(others))
    assert loaded == expected


def test_the_target_or_a_named_column(leak: tuple[pa.Table, pa.Table, hr.Release, hr.Release]) -> None:
    people = people_of(6)
    new, old = (cut(people, start, sensitive=[], target="ward", insensitive=["ill"]) for start in (20, 19))
    assert "'ward'" in hr.attacks.intersection(new, old, people, people).claim
    assert "'ill'" in hr.attacks.intersection(new, old, people, people, column="ill").claim
    nothing = cut(people, 20, sensitive=[], insensitive=["ill", "ward"])
    with pytest.raises(BadInput, match="which column to claim"):
        hr.attacks.intersection(nothing, old, people, people)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sure": 0}, "above 0"),
        ({"sure": True}, "above 0"),
        ({"column": "age"}, "'age'"),
        ({"previous": 3}, "'previous' parameter of intersection"),
        ({"members": pa.table({"age": [20]})}, "members lack columns of the release: 'ill'"),
    ],
)
def test_what_is_wrong_is_said(
    given: dict[str, Any], words: str, leak: tuple[pa.Table, pa.Table, hr.Release, hr.Release]
) -> None:
    people, others, new, old = leak
    asked = {"release": new, "previous": old, "members": people, "non_members": others, **given}
    with pytest.raises(BadInput, match=words):
        hr.attacks.intersection(**asked)
