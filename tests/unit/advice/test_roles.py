"""The roles of columns, put together."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import pytest

from hedgerow.advice._profiles import Profile
from hedgerow.advice._roles import judge_roles
from hedgerow.errors import BadInput

Profiles = Callable[..., dict[str, Profile]]
RANDOM = random.Random(5)
ROWS = 300
PEOPLE: dict[str, list[Any]] = {
    "name": [f"Ann {n}" for n in range(ROWS)],
    "age": [RANDOM.randrange(18, 80) for _ in range(ROWS)],
    "sex": [RANDOM.choice("MF") for _ in range(ROWS)],
    "disease": [RANDOM.choice(["flu", "cold", "gout"]) for _ in range(ROWS)],
    "answer": [RANDOM.choice("ABCD") for _ in range(ROWS)],
    "score": [RANDOM.randrange(1000) for _ in range(ROWS)],
    "country": ["X"] * ROWS,
    "empty": [None] * ROWS,
    "class": [RANDOM.choice("01") for _ in range(ROWS)],
}


def roles(profiles: dict[str, Profile], target: str | None = None) -> dict[str, str]:
    return {name: one.role for name, one in judge_roles(profiles, target=target, k=5).items()}


def test_every_column_has_a_role_and_a_reason(profiles: Profiles) -> None:
    judged = judge_roles(profiles(**PEOPLE), target=None, k=5)
    assert {name: one.role for name, one in judged.items()} == {
        "name": "identifying",
        "age": "quasi",
        "sex": "quasi",
        "disease": "sensitive",
        "answer": "insensitive",
        "score": "quasi",
        "country": "insensitive",
        "empty": "redundant",
        "class": "target",
    }
    assert list(judged) == list(PEOPLE)
    assert all(one.reason.endswith(".") for one in judged.values())


def test_what_few_rows_have_is_not_published_as_it_is(profiles: Profiles) -> None:
    rare = [*PEOPLE["answer"][:-2], "E", "E"]
    judged = judge_roles(profiles(age=PEOPLE["age"], sex=PEOPLE["sex"], answer=rare), target=None, k=5)["answer"]
    assert judged.role == "quasi"
    assert judged.reason.startswith("Some of its values are in fewer than 5 rows")


def test_the_target_that_is_asked_for(profiles: Profiles) -> None:
    found = roles(profiles(**PEOPLE), "answer")
    assert (found["answer"], found["class"]) == ("target", "insensitive")
    with pytest.raises(BadInput, match="Did you mean 'answer'"):
        roles(profiles(**PEOPLE), "answr")


def test_without_names_that_tell_something_all_are_quasi_identifiers(profiles: Profiles) -> None:
    found = roles(profiles(v1=PEOPLE["answer"], v2=PEOPLE["sex"], v3=PEOPLE["score"]))
    assert set(found.values()) == {"quasi"}


def test_columns_that_tell_others(profiles: Profiles) -> None:
    zips = [RANDOM.randrange(30) for _ in range(ROWS)]
    table = profiles(
        age=PEOPLE["age"],
        decade=[age // 10 for age in PEOPLE["age"]],
        zip=[f"{n:05}" for n in zips],
        shop=["ABC"[n % 3] for n in zips],
        sex=PEOPLE["sex"],
        salutation=["Mr" if sex == "M" else "Ms" for sex in PEOPLE["sex"]],
    )
    judged = judge_roles(table, target=None, k=5)
    assert {name: one.role for name, one in judged.items()} == {
        "age": "quasi",
        "decade": "redundant",
        "zip": "quasi",
        "shop": "quasi",
        "sex": "quasi",
        "salutation": "redundant",
    }
    assert judged["shop"].reason == "It is determined by 'zip', and would reveal it if it were published unchanged."
    assert judged["decade"].reason == "It is 'age' in less detail, and would reveal it."
    assert judged["salutation"].reason == "It has the same meaning as 'sex', and would reveal it."


def test_columns_in_clear_do_not_give_each_other_away(profiles: Profiles) -> None:
    table = profiles(
        age=PEOPLE["age"], sex=PEOPLE["sex"], q1=PEOPLE["answer"], q2=[ord(one) for one in PEOPLE["answer"]]
    )
    assert roles(table) == {"age": "quasi", "sex": "quasi", "q1": "insensitive", "q2": "insensitive"}


def test_of_two_names_of_the_same_the_one_that_is_hidden_stays_hidden(profiles: Profiles) -> None:
    codes = {"M": "7", "F": "9"}
    found = roles(
        profiles(q=PEOPLE["sex"], sex=[codes[one] for one in PEOPLE["sex"]], age=PEOPLE["age"], zip=PEOPLE["score"])
    )
    assert (found["q"], found["sex"]) == ("quasi", "redundant")


def test_a_date_at_work_is_an_event(profiles: Profiles) -> None:
    days = [f"20{n % 20:02}-0{n % 9 + 1}-01" for n in range(ROWS)]
    judged = judge_roles(profiles(hired=days, age=PEOPLE["age"]), target=None, k=5)
    assert judged["hired"].reason.startswith("Its name suggests date of an event")


def test_a_quasi_identifier_that_another_determines_says_so(profiles: Profiles) -> None:
    zips = [RANDOM.randrange(30) for _ in range(ROWS)]
    table = profiles(zip=[f"{n:05}" for n in zips], town=[f"T{n % 7}" for n in zips])
    assert judge_roles(table, target=None, k=5)["town"].reason.endswith("; 'zip' determines it.")


def test_something_is_always_protected_where_something_is_left(profiles: Profiles) -> None:
    assert roles(profiles(country=["X"] * 9)) == {"country": "quasi"}
    assert roles(profiles(disease=["flu", "cold"] * 9)) == {"disease": "quasi"}
    assert set(roles(profiles(name=PEOPLE["name"], empty=PEOPLE["empty"])).values()) == {"identifying", "redundant"}


def test_an_income_is_a_label_only_if_it_has_few_values(profiles: Profiles) -> None:
    assert roles(profiles(income=["<=50K", ">50K"] * 50, age=list(range(100))))["income"] == "target"
    assert roles(profiles(income=list(range(100)), age=list(range(100))))["income"] == "sensitive"
    assert roles(profiles(income_bracket=["low", "high"] * 50, age=list(range(100))))["income_bracket"] == "sensitive"


@pytest.mark.parametrize("form", ["{:%d.%m.%Y}", "{:%m/%d/%Y}", "{:%Y-%m-%d}"])
def test_a_year_of_birth_repeats_a_date_of_birth_however_that_is_written(profiles: Profiles, form: str) -> None:
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=at * 37 % 18_000) for at in range(300)]
    table = profiles(
        born=[form.format(day) for day in days],
        birth_year=[day.year for day in days],
        sex=["F", "M"] * 150,
    )
    assert roles(table) == {"born": "quasi", "birth_year": "redundant", "sex": "quasi"}
