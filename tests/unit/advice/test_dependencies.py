"""Columns that others determine."""

from __future__ import annotations

import random
from collections.abc import Callable

from hedgerow.advice.dependencies import Dependency, dependencies
from hedgerow.advice.profiles import Profile

Profiles = Callable[..., dict[str, Profile]]
RANDOM = random.Random(3)
DRAWN = [RANDOM.randrange(40) for _ in range(400)]


def test_a_postcode_determines_its_town(profiles: Profiles) -> None:
    towns = ["Bonn", "Lyon", "Rome", "Oslo"]
    found = dependencies(profiles(zip=[f"{n:05}" for n in DRAWN], town=[towns[n * 7 % 4] for n in DRAWN]))
    assert found == (Dependency("zip", "town", both_ways=False, coarser=False),)


def test_a_few_wrong_rows_are_forgiven_and_many_are_not(profiles: Profiles) -> None:
    def found(wrong: int) -> int:
        town = [str(n % 4) for n in DRAWN]
        town[:wrong] = ["x"] * wrong
        return len(dependencies(profiles(zip=[f"{n:05}" for n in DRAWN], town=town)))

    assert (found(1), found(60)) == (1, 0)


def test_two_names_of_the_same(profiles: Profiles) -> None:
    found = dependencies(profiles(word=[f"w{n * 7 % 40:02}" for n in DRAWN], number=DRAWN))
    assert [(one.by, one.column, one.both_ways) for one in found] == [
        ("number", "word", True),
        ("word", "number", True),
    ]


def test_the_same_in_less_detail(profiles: Profiles) -> None:
    ages = profiles(age=DRAWN, decade=[n // 10 for n in DRAWN], backwards=[-(n // 5) for n in DRAWN])
    coarser = {(one.by, one.column) for one in dependencies(ages) if one.coarser}
    assert {("age", "decade"), ("age", "backwards")} <= coarser


def test_what_is_nearly_unique_or_independent_determines_nothing(profiles: Profiles) -> None:
    other = [RANDOM.randrange(3) for _ in DRAWN]
    assert dependencies(profiles(number=list(range(400)), other=other)) == ()
    assert dependencies(profiles(number=DRAWN, other=other)) == ()
    assert dependencies(profiles(number=DRAWN, rare=["x"] + ["y"] * 399)) == ()
    assert dependencies(profiles(number=[1, 1, 2], other=[1, 1, 2])) == ()
