"""Two releases together, by hand and against plain counting."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import InternalError
from hedgerow.verifier import Finding, OneRelease, verify_both

NOBODY = -1


def release(ages: list[str], partner: list[int], ills: str = "", **others: Any) -> OneRelease:
    """A release of ages and, letter by letter, illnesses, which are all that it shows in clear."""
    columns = {"age": ages, **({"ill": list(ills)} if ills else {})}
    clear = np.array([ord(ill) for ill in ills] or [0] * len(ages))
    table = nw.from_native(pa.table(columns), eager_only=True)
    return OneRelease(table, ("age",), np.array(partner), clear, **others)


def holds(old: OneRelease, new: OneRelease, *requirements: Any) -> list[bool]:
    return [finding.holds for finding in verify_both(old, new, requirements)]


def test_the_newcomer_of_a_class_of_two_is_alone() -> None:
    old = release(["20-29"] * 2, [0, 1])
    new = release(["20-29"] * 3, [0, 1, NOBODY])
    first, second = verify_both(old, new, [hr.KAnonymity(2)])
    assert (first.holds, first.reached) == (True, 2.0)
    assert (second.holds, second.reached, second.classes_violating, second.rows_violating) == (False, 1.0, 1, 1)
    assert second.requirement == "2-anonymity in this release, divided by the previous one"


def test_who_left_is_alone_although_the_new_release_is_fine() -> None:
    old = release(["20-29"] * 3, [0, 1, NOBODY])
    new = release(["20-29"] * 2, [0, 1])
    assert holds(old, new, hr.KAnonymity(2)) == [False, True]


def test_classes_that_cross_are_divided() -> None:
    old = release(["a", "a", "b", "b"], [0, 1, 2, 3])
    new = release(["c", "d", "c", "d"], [0, 1, 2, 3])
    assert holds(old, old, hr.KAnonymity(2)) == [True, True]
    assert holds(old, new, hr.KAnonymity(2)) == [False, False]


def test_values_must_differ_within_the_parts_of_a_class() -> None:
    old = release(["a"] * 4, [0, 1, 2, 3], "xyxy")
    alike = release(["c", "d", "c", "d"], [0, 1, 2, 3], "xyxy")
    mixed = release(["c", "c", "d", "d"], [0, 1, 2, 3], "xyxy")
    twice = hr.LDiversity(2, "ill")
    assert holds(old, alike, hr.KAnonymity(2), twice) == [True, False, True, False]
    assert holds(old, mixed, hr.KAnonymity(2), twice) == [True, True, True, True]


def test_a_column_that_a_release_does_not_have_reveals_nothing_of_it() -> None:
    old = release(["a"] * 2, [0, 1])
    new = release(["a"] * 2, [0, 1], "xy")
    new = OneRelease(new.table, new.quasi, new.partner, old.clear)
    findings: tuple[Finding, ...] = verify_both(old, new, [hr.KAnonymity(2), hr.LDiversity(2, "ill")])
    assert [finding.measure for finding in findings] == ["k", "k", "l"]


def test_people_are_counted_and_not_rows() -> None:
    """Two rows of one person joined: for rows they are two, for people they are one."""
    old = release(["a"] * 2, [0, 1], people=np.array([7, 8]))
    new = release(["a"] * 4, [0, 1, NOBODY, NOBODY], people=np.array([7, 8, 9, 9]))
    assert holds(old, new, hr.KAnonymity(2)) == [True, False]
    others = release(["a"] * 4, [0, 1, NOBODY, NOBODY], people=np.array([7, 8, 9, 5]))
    assert holds(old, others, hr.KAnonymity(2)) == [True, True]


def test_a_shield_names_what_both_releases_show_of_its_columns() -> None:
    """By age alone nobody who joined is alone, by age and town somebody is."""
    ages, towns = ["a"] * 6, ["u", "u", "v", "v", "u", "v"]
    table = nw.from_native(pa.table({"age": ages, "town": towns}), eager_only=True)
    new = OneRelease(table, ("age", "town"), np.array([0, 1, 2, 3, -1, -1]), np.zeros(6, dtype=np.int64))
    first = table.head(4)
    old = OneRelease(first, ("age", "town"), np.arange(4), np.zeros(4, dtype=np.int64))
    assert holds(old, new, hr.KAnonymity(2, shield=["age"]), hr.KAnonymity(2)) == [True, True, True, False]


def test_a_shield_does_not_hide_who_joined_alone() -> None:
    """Five show the age, four of them were there before: the shield alone has a class of five."""
    table = nw.from_native(pa.table({"age": ["a"] * 5, "town": [*"uuvv", "u"]}), eager_only=True)
    new = OneRelease(table, ("age", "town"), np.array([0, 1, 2, 3, -1]), np.zeros(5, dtype=np.int64))
    old = OneRelease(table.head(4), ("age", "town"), np.arange(4), np.zeros(4, dtype=np.int64))
    assert holds(old, new, hr.KAnonymity(2, shield=["age"])) == [True, False]


def test_a_missing_cell_is_a_class_of_its_own() -> None:
    old = release([None, "-", "", "="], [0, 1, 2, 3])  # type: ignore[list-item]  # cells that our own marks look like
    new = release(["a"] * 4, [0, 1, 2, 3])
    assert verify_both(old, new, [hr.KAnonymity(2)])[1].classes_violating == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (release(["a"] * 2, [0, 0]), release(["a"] * 2, [0, 1])),
        (release(["a"] * 2, [0, 1]), release(["a"] * 2, [1, 0])),
        (release(["a"], [NOBODY]), release(["a"], [0])),
        (release(["a"], [0], "x"), release(["a"], [0], "y")),
        (
            release(["a"], [0], "x", people=np.array([1])),
            release(["a"], [0], "y", people=np.array([2])),
        ),
        (
            # Person 1 stayed, and yet is taken for one who left and one who joined.
            release(["a"], [NOBODY], people=np.array([1])),
            release(["a"], [NOBODY], people=np.array([1])),
        ),
    ],
)
def test_partners_that_cannot_be_one_record_are_refused(old: OneRelease, new: OneRelease) -> None:
    with pytest.raises(InternalError):
        verify_both(old, new, [hr.KAnonymity(1)])


def test_a_row_of_the_same_person_may_have_changed() -> None:
    old = release(["a"], [0], "x", people=np.array([1]))
    new = release(["a"], [0], "y", people=np.array([1]))
    assert holds(old, new, hr.KAnonymity(1)) == [True, True]


@pytest.mark.parametrize("seed", range(40))
def test_against_plain_counting(seed: int) -> None:
    random = np.random.default_rng(seed)
    both, left, joined = (int(number) for number in random.integers(1, 12, 3))
    ills = [str(ill) for ill in random.integers(0, 3, both + left + joined)]
    before = [*range(both + left)]
    after = [*range(both), *range(both + left, both + left + joined)]
    shown = [{who: str(random.integers(0, 2)) for who in side} for side in (before, after)]

    def side(own: list[int], other: list[int], cells: dict[int, str]) -> OneRelease:
        place = {who: at for at, who in enumerate(other)}
        partner = [place.get(who, NOBODY) for who in own]
        return release([cells[who] for who in own], partner, "".join(ills[who] for who in own))

    parts: dict[tuple[str, str], list[str]] = defaultdict(list)
    for who in {*before, *after}:
        parts[shown[0].get(who, "none"), shown[1].get(who, "none")].append(ills[who])
    for at, (own, other) in enumerate(((before, after), (after, before))):
        here = [held for part, held in parts.items() if part[at] != "none"]
        found = verify_both(
            side(before, after, shown[0]), side(after, before, shown[1]), [hr.KAnonymity(1), hr.LDiversity(1, "ill")]
        )
        assert own != other
        assert found[2 * at].reached == min(map(len, here))
        assert found[2 * at + 1].reached == min(len(set(held)) for held in here)
