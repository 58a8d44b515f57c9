"""Columns that tell who somebody is, and the one that tells people apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hedgerow.advice._profiles import Profile
from hedgerow.advice._roles import entity_of, why_identifying

MANY = range(60)


@pytest.mark.parametrize(
    ("name", "cells", "word"),
    [
        ("contact", [f"p{n}@home.org" for n in MANY], "e-mail"),
        ("surname", [f"Name{n % 30}" for n in MANY], "name"),
        ("x", [f"Text {n}" for n in MANY], "each identifies its row"),
        ("case", [1000 + n for n in MANY], "numbers the rows"),
        ("x", list(MANY), "numbers the rows"),
        ("x", [100_000 + 7 * n for n in MANY], "numbers the rows"),
        ("remarks", [f"see {n}" for n in MANY], "free text"),
        ("x", [f"came with a cough and went home, visit {n}" for n in MANY], "free text"),
        ("x", [f"came with a cough and went home, visit {n % 250}" for n in range(1000)], "free text"),
        ("seen", [f"{n % 28 + 1}.{n % 12 + 1}.{n:02}" for n in MANY], "not all written in one form"),
    ],
)
def test_identifying(name: str, cells: list[Any], word: str, profile: Callable[..., Profile]) -> None:
    reason = why_identifying(profile(name, cells))
    assert reason is not None
    assert word in reason
    assert reason.endswith(".")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("seen", [f"{n % 28 + 1}.{n % 12 + 1}.20{n:02}" for n in MANY]),
        ("telephone", ["yes", "no"] * 30),
        ("zip", [f"{10000 + 3 * n}" for n in MANY]),
        ("weight", [50 + n * 1.37 for n in MANY]),
        ("income", [20_000 + 517 * n for n in range(1, 60)]),
        ("wage", [200_000 + 517 * n for n in range(1, 60)]),
        ("born", [f"19{n + 20}-03-01" for n in MANY]),
        ("town", ["Bonn", "Lyon", "Rome"] * 20),
        ("x", ["a", "b", "c"]),
        ("degree", [f"degree of the university of applied sciences in {n % 9}" for n in MANY]),
    ],
)
def test_not_identifying(name: str, cells: list[Any], profile: Callable[..., Profile]) -> None:
    assert why_identifying(profile(name, cells)) is None


def test_the_person_with_several_rows(profiles: Callable[..., dict[str, Profile]]) -> None:
    visits = profiles(
        case=list(range(90)),
        patient_no=[n // 3 for n in range(90)],
        sex=["M" if n // 3 % 2 else "F" for n in range(90)],
        ward=["A", "B", "C"] * 30,
    )
    found = entity_of(visits)
    assert found is not None
    assert found[0] == "patient_no"
    assert "3.0 on average" in found[1]
    assert "'sex' stays the same" in found[1]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("hospital_id", [n % 3 for n in range(90)]),  # too few: of places, not of people
        ("patient_id", list(range(90))),  # nobody twice
        ("colour", [n // 3 for n in range(90)]),  # not called like a number of anybody
        ("order_no", [n * 7 % 31 for n in range(90)]),  # nothing stays the same within it
    ],
)
def test_no_person(name: str, ids: list[int], profiles: Callable[..., dict[str, Profile]]) -> None:
    columns = {name: ids, "sex": ["M" if n % 2 else "F" for n in range(90)]}
    assert entity_of(profiles(**columns)) is None
