"""kADET as an anonymizer: what leaves publish, where unseen rows go, and the contract of every method."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import BadInput, LDiversity, Recoding, Release, Schema, hierarchies
from hedgerow.anonymizers.suppression.kadet import KADET
from hedgerow.core.recoding import CutTree

TOWNS = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
PEOPLE: dict[str, list[Any]] = {
    "town": ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice"],
    "age": [20, 30, 40, 50, 20, 30],
    "drink": ["beer"] * 3 + ["wine"] * 3,
}


def released(k: int, table: Mapping[str, Any], hierarchies: Any = None, **parameters: Any) -> Release:
    quasi = [name for name in table if name not in ("drink", "ill")]
    sensitive = [name for name in table if name == "ill"]
    schema = Schema(quasi=quasi, target="drink", sensitive=sensitive, hierarchies=hierarchies or {})
    return KADET(k=k, **{"pruned": False, **parameters}).anonymize(pa.table(dict(table)), schema)


def published(release: Release) -> list[tuple[Any, ...]]:
    rows = {tuple(row[name] for name in release.recoding.quasi) for row in release.table.to_pylist()}
    return sorted(rows, key=str)


# What is published


def test_a_leaf_publishes_what_its_path_says() -> None:
    hierarchy = {"town": TOWNS}
    assert published(released(3, PEOPLE, hierarchy)) == [("France", "*"), ("Germany", "*")]
    assert published(released(1, PEOPLE, hierarchy)) == [("Bonn", "*"), ("Köln", "*"), ("Lyon", "*"), ("Nice", "*")]


def test_the_finest_answer_of_a_path_is_published() -> None:
    """Nice stands alone, so that towns are told apart only below Germany."""
    table = {"town": ["Bonn"] * 2 + ["Köln"] * 2 + ["Lyon"] * 3 + ["Nice"], "drink": list("bbkkwwww")}
    assert published(released(2, table, {"town": TOWNS})) == [("Bonn",), ("France",), ("Köln",)]


def test_a_threshold_publishes_the_interval_of_the_group() -> None:
    table = {"age": [20, 23, 27, 31, 35, 39], "drink": list("bbbwww")}
    assert published(released(3, table)) == [("[20,28)",), ("[31,39]",)]
    assert published(released(1, {"age": [20, 20, 31], "drink": list("bbw")})) == [(20,), (31,)]


def test_numbers_with_a_hierarchy_publish_its_labels() -> None:
    table = {"age": [21, 24, 35, 38], "drink": list("bbww")}
    assert published(released(2, table, {"age": hierarchies.intervals(width=10)})) == [("[20,30)",), ("[30,40]",)]


def test_dates_publish_the_days_of_the_group() -> None:
    days: list[Any] = [datetime.date(2024, 1, day) for day in (1, 2, 8, 9)]
    assert published(released(2, {"day": days, "drink": list("bbww")})) == [
        ("[2024-01-01,2024-01-03)",),
        ("[2024-01-08,2024-01-10)",),
    ]


def test_a_missing_value_that_the_path_says_is_published_as_such() -> None:
    table = {"town": ["Bonn", "Bonn", None, None], "drink": list("bbww")}
    assert published(released(2, table, {"town": TOWNS})) == [("Bonn",), (None,)]
    ages = {"age": [1, 2, 8, 9, None, None], "drink": list("bbwwtt")}
    assert published(released(2, ages)) == [("[1,3)",), ("[8,9]",), (None,)]


def test_a_root_with_a_name_of_its_own_is_suppressed_too() -> None:
    release = released(4, {"town": PEOPLE["town"], "drink": PEOPLE["drink"]}, {"town": {"Europe": TOWNS["*"]}})
    assert published(release) == [("*",)]


# When nothing can be told


@pytest.mark.parametrize(
    ("drinks", "warning"),
    [
        (["beer"] * 6, "The target 'drink' has only one class, so every quasi-identifier is suppressed."),
        (["beer", "wine"] * 3, "No split of the tree is allowed and useful, so every quasi-identifier is suppressed."),
    ],
)
def test_one_group_is_a_warning(drinks: list[str], warning: str) -> None:
    release = released(6, {**PEOPLE, "drink": drinks})
    assert published(release) == [("*", "*")]
    assert release.recoding.warnings == (warning,)
    assert released(3, PEOPLE, {"town": TOWNS}).recoding.warnings == ()


def test_a_target_is_needed() -> None:
    with pytest.raises(BadInput, match="KADET is guided by the class, so it needs a target"):
        KADET(k=2).anonymize(pa.table({"age": [1, 2]}), Schema(quasi=["age"]))


# Requirements


def test_every_branch_keeps_all_requirements() -> None:
    """By k alone the best threshold is 3; everybody below it is ill of the same."""
    table = {"age": [1, 2, 3, 4, 5, 6, 7, 8], "drink": list("bbbwwwww"), "ill": list("aaabbaba")}
    assert published(released(2, table)) == [("[1,4)",), ("[4,8]",)]
    assert published(released(2, table, require=[LDiversity(2, "ill")])) == [("[1,5)",), ("[5,8]",)]


def test_cuts_of_a_hierarchy_keep_all_requirements() -> None:
    towns = ["Bonn", "Bonn", "Köln", "Köln", "Lyon", "Lyon", "Nice", "Nice"]
    table = {"town": towns, "drink": list("bbkkllnn"), "ill": list("aabbabab")}
    assert published(released(2, table, {"town": TOWNS})) == [("Bonn",), ("Köln",), ("Lyon",), ("Nice",)]
    diverse = released(2, table, {"town": TOWNS}, require=[LDiversity(2, "ill")])
    assert published(diverse) == [("Germany",), ("Lyon",), ("Nice",)]


# Unseen rows


def unseen(release: Release, column: str, values: list[Any]) -> list[Any]:
    recoded: list[Any] = release.recoding.transform(pa.table({column: values}))[column].to_pylist()
    return recoded


def test_unseen_numbers_follow_the_threshold() -> None:
    release = released(2, {"age": [1, 2, 8, 9, None, None], "drink": list("bbwwtt")})
    assert unseen(release, "age", [0, 2, 3, 100, None]) == ["[1,3)", "[1,3)", "[8,9]", "[8,9]", None]


def test_unseen_categories_go_to_the_largest_branch() -> None:
    release = released(2, {"letter": list("aabbbcc"), "drink": list("ttbbbww")})
    assert unseen(release, "letter", ["c", "a", "b", "z"]) == ["c", "a", "b", "b"]
    assert isinstance(release.recoding.router, CutTree)
    assert release.recoding.router.single.all()


@pytest.mark.parametrize(
    ("tree", "unknown"),
    [
        (TOWNS, "France"),  # leaves in the order of the alphabet: the largest branch
        ({"*": {"France": ["Nice", "Lyon"], "Germany": ["Bonn", "Köln"]}}, "Germany"),  # else the last one
    ],
)
def test_categories_of_a_hierarchy_follow_its_labels(tree: Any, unknown: str) -> None:
    table = {"town": ["Lyon", "Bonn", "Köln", "Nice", "Nice", None, None], "drink": list("wbbwwtt")}
    release = released(2, table, {"town": tree})
    towns = ["Nice", "Köln", None, "Bonn", "Lyon"]
    assert published(release) == [("France",), ("Germany",), (None,)]
    assert unseen(release, "town", towns) == ["France", "Germany", None, "Germany", "France"]
    assert unseen(release, "town", ["Aachen", "Gent", "Oslo"]) == [unknown] * 3


def test_numbers_of_a_hierarchy_that_are_no_run_are_told_apart() -> None:
    tree = {"*": {"even": [2, 4, 6], "odd": [1, 3, 5]}}
    release = released(3, {"n": [1, 2, 3, 4, 5, 6], "drink": list("bwbwbw")}, {"n": tree})
    assert unseen(release, "n", [1, 2, 3, 4, 5, 6]) == ["odd", "even"] * 3


def test_a_public_recoding_still_routes() -> None:
    release = released(2, {"letter": list("aabbbcc"), "drink": list("ttbbbww")})
    public = Recoding.from_dict(release.recoding.to_dict(public=True))
    assert public.transform(pa.table({"letter": ["a", "b", "c", "z"]}))["letter"].to_pylist() == ["a", "b", "c", "b"]
