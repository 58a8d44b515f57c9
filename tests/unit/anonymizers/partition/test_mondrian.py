"""Mondrian: what groups publish, in which order categories are cut, and plain Python beside compiled code."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import BadInput, KAnonymity, LDiversity, Mondrian, Release, Schema, hierarchies
from hedgerow.core.recoding import CutTree

LETTERS = pa.table({"letter": list("abcd")})
PAIRS = {"any": {"first": ["a", "c"], "second": ["b", "d"]}}


def published(release: Release, column: str) -> list[Any]:
    return sorted(set(release.table[column].to_pylist()), key=str)


def letters(order: str, tree: Any = None, **parameters: Any) -> list[Any]:
    schema = Schema(quasi=["letter"], hierarchies={} if tree is None else {"letter": tree})
    method = Mondrian(k=2, order=order, **{"cut": "widest", "publish": "set", **parameters})  # type: ignore[arg-type]  # a parameter
    return published(method.anonymize(LETTERS, schema), "letter")


# The order of categories


@pytest.mark.parametrize(
    ("order", "tree", "expected"),
    [
        ("alphabetical", None, ["{a|b}", "{c|d}"]),
        ("alphabetical", PAIRS, ["{a|b}", "{c|d}"]),
        ("hierarchy", PAIRS, ["{a|c}", "{b|d}"]),
        ("auto", PAIRS, ["{a|c}", "{b|d}"]),
        ("auto", None, ["{a|b}", "{c|d}"]),
        ("hierarchy", None, ["{a|b}", "{c|d}"]),
    ],
)
@pytest.mark.parametrize("cut", ["widest", "loss"])
def test_categories_are_cut_in_the_order_asked_for(order: str, tree: Any, expected: list[str], cut: str) -> None:
    assert letters(order, tree, cut=cut) == expected


def test_the_order_of_a_hierarchy_is_that_of_its_leaves() -> None:
    """Turned around, and with a leaf that does not occur."""
    assert letters("hierarchy", {"any": {"x": ["d", "a", "q"], "y": ["c", "b"]}}) == ["{a|d}", "{b|c}"]


def test_numbers_are_cut_by_value_whatever_the_order() -> None:
    ages = pa.table({"age": [100, 9, 20, 3]})
    tree = {"any": {"x": ["100", "3"], "y": ["20", "9"]}}
    for order in ("auto", "hierarchy", "alphabetical"):
        schema = Schema(quasi=["age"], hierarchies={"age": tree})
        assert published(Mondrian(k=2, order=order, publish="set").anonymize(ages, schema), "age") == [
            "{20|100}",
            "{3|9}",
        ]


def test_unseen_rows_follow_the_order_of_the_hierarchy() -> None:
    schema = Schema(quasi=["letter"], hierarchies={"letter": PAIRS})
    release = Mondrian(k=2, order="hierarchy", publish="set").anonymize(LETTERS, schema)
    recoded = release.recoding.transform(pa.table({"letter": ["d", "c", "b", "a"]}))
    assert recoded["letter"].to_pylist() == ["{b|d}", "{a|c}", "{b|d}", "{a|c}"]


# The widest column alone


def cut_by(cut: str, **parameters: Any) -> list[int]:
    """Letters are widest (all four of four), but one of each side is too few; ages could be cut."""
    table = pa.table({"letter": list("aaab"), "age": [1, 1, 2, 2], "far": [0, 0, 9, 9]})
    schema = Schema(quasi=["letter", "age"], others="drop")
    method = Mondrian(k=2, cut=cut, **parameters)  # type: ignore[arg-type]  # a parameter
    return sorted(method.anonymize(table, schema).recoding.sizes.tolist())


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_next_column_is_tried_unless_only_the_widest_may_be(relaxed: bool) -> None:
    """Both columns are as wide as they can be, and the first of equals is tried first: three a and one b."""
    if relaxed:  # the median a is divided, so the widest column can be cut
        assert cut_by("widest_only", relaxed=True) == cut_by("widest", relaxed=True) == [2, 2]
    else:
        assert cut_by("widest") == cut_by("loss") == [2, 2]
        assert cut_by("widest_only") == [4]


# What is published


def test_labels_are_the_lowest_that_cover_a_group() -> None:
    """They are cut in the order of the hierarchy, whatever is asked for: others would straddle its branches."""
    for order in ("hierarchy", "alphabetical"):
        for cut in ("widest", "loss"):
            assert letters(order, PAIRS, publish="label", cut=cut) == ["first", "second"]


def test_by_default_a_given_hierarchy_is_shown_and_numbers_as_intervals() -> None:
    table = pa.table({"letter": list("abcd"), "age": [20, 21, 40, 41], "sex": list("FMFM")})
    schema = Schema(quasi=["letter", "age", "sex"], hierarchies={"letter": PAIRS})
    rows = {tuple(row.values()) for row in Mondrian(k=4).anonymize(table, schema).table.to_pylist()}
    assert rows == {("any", "[20,41]", "{F|M}")}


def test_dates_are_intervals_of_days_or_of_the_levels_that_are_given() -> None:
    born = [dt.date(1980, 1, 5), dt.date(1980, 3, 20), dt.date(1990, 7, 1), dt.date(1991, 2, 3)]
    table = pa.table({"born": born})
    plain = Mondrian(k=2).anonymize(table, Schema(quasi=["born"]))
    assert published(plain, "born") == ["[1980-01-05,1980-03-21)", "[1990-07-01,1991-02-04)"]
    months = Schema(quasi=["born"], hierarchies={"born": hierarchies.dates(["month", "year"])})
    of_months = Mondrian(k=2, publish="interval").anonymize(table, months)
    assert published(of_months, "born") == ["[1980-01-01,1980-04-01)", "[1990-07-01,1991-03-01)"]
    assert published(Mondrian(k=2).anonymize(table, months), "born") == ["*", "1980"]


def test_categories_in_an_order_show_all_between_the_first_and_the_last() -> None:
    table = pa.table({"triage": ["green", "red", "red", "yellow", "orange", "orange"]})
    order = ["green", "yellow", "orange", "red"]
    schema = Schema(quasi=["triage"], kinds={"triage": order})
    assert published(Mondrian(k=2).anonymize(table, schema), "triage") == ["orange", "red", "{green|yellow}"]
    assert published(Mondrian(k=4).anonymize(table, schema), "triage") == ["{green|yellow|orange|red}"]


def test_a_group_of_one_value_publishes_it() -> None:
    table = pa.table({"letter": list("aaabbb"), "age": [1, 1, 1, 5, 6, 7]})
    for publish in ("set", "interval", "label"):
        release = Mondrian(k=3, publish=publish).anonymize(table, Schema(quasi=["letter", "age"]))
        assert published(release, "letter") == ["a", "b"]
        assert "1" in published(release, "age")


def test_intervals_of_numbers_and_sets_of_categories() -> None:
    table = pa.table({"age": [20, 23, 27, 31], "sex": ["F", "M", "F", "M"]})
    release = Mondrian(k=2, publish="interval").anonymize(table, Schema(quasi=["age", "sex"]))
    rows = {(row["age"], row["sex"]) for row in release.table.to_pylist()}
    assert rows in ({("[20,28)", "F"), ("[23,31]", "M")}, {("[20,24)", "{F|M}"), ("[27,31]", "{F|M}")})


def test_labels_of_numbers_are_intervals_of_the_hierarchy() -> None:
    ages = pa.table({"age": [21, 24, 35, 38]})
    schema = Schema(quasi=["age"], hierarchies={"age": hierarchies.intervals(width=10, levels=[20])})
    assert published(Mondrian(k=2, publish="label").anonymize(ages, schema), "age") == ["[20,30)", "[30,40]"]
    assert published(Mondrian(k=4, publish="label").anonymize(ages, schema), "age") == ["[20,40]"]


def test_a_missing_value_beside_others_is_a_member_and_alone_is_missing() -> None:
    table = pa.table({"letter": ["a", "a", None, None, "b", None]})
    assert published(Mondrian(k=3).anonymize(table, Schema(quasi=["letter"])), "letter") == [None, "{a|b}"]
    assert published(Mondrian(k=6).anonymize(table, Schema(quasi=["letter"])), "letter") == ["{a|b|\\N}"]
    labelled = Mondrian(k=6, publish="label").anonymize(table, Schema(quasi=["letter"]))
    assert published(labelled, "letter") == ["*"]


# Cuts


def test_one_value_against_the_rest() -> None:
    """By loss a category in the middle may be cut off alone; at the median the order decides."""
    table = pa.table({"letter": list("abbbbc")})
    schema = Schema(quasi=["letter"])
    release = Mondrian(k=2).anonymize(table, schema)
    assert published(release, "letter") == ["b", "{a|c}"]
    assert isinstance(release.recoding.router, CutTree)
    assert release.recoding.router.single.tolist() == [True]
    assert published(Mondrian(k=2, cut="widest").anonymize(table, schema), "letter") == ["{a|b|c}"]


def test_a_cut_must_keep_every_requirement_on_both_sides() -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "ill": list("aaabab")})
    schema = Schema(quasi=["age"], sensitive=["ill"])
    assert published(Mondrian(k=3).anonymize(table, schema), "age") == ["[1,4)", "[4,6]"]
    diverse = Mondrian(k=2, require=[LDiversity(2, "ill")]).anonymize(table, schema)
    assert published(diverse, "age") == ["[1,5)", "[5,6]"]


def test_a_shield_that_leaves_columns_out_still_holds() -> None:
    table = pa.table({"age": [1, 2, 3, 4] * 3, "sex": ["F", "M", "F"] * 4})
    release = Mondrian().anonymize(table, Schema(quasi=["age", "sex"]), require=[KAnonymity(5, shield=["age"])])
    ages = release.table["age"].to_pylist()
    assert min(ages.count(age) for age in ages) >= 5


def test_relaxed_groups_split_records_that_are_equal() -> None:
    table = pa.table({"letter": ["a"] * 2 + ["b"] * 8})
    schema = Schema(quasi=["letter"])
    strict = Mondrian(k=4, cut="widest").anonymize(table, schema)
    relaxed = Mondrian(k=4, cut="widest", relaxed=True).anonymize(table, schema)
    assert strict.recoding.sizes.tolist() == [10]
    assert relaxed.recoding.sizes.tolist() == [5, 5]
    assert relaxed.recoding.pieces is not None
    assert relaxed.recoding.pieces.split


@pytest.mark.parametrize("parameter", [{"cut": "best"}, {"relaxed": "yes"}, {"publish": "range"}, {"order": "random"}])
def test_wrong_parameters(parameter: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=f"The '{next(iter(parameter))}' parameter of Mondrian must be"):
        Mondrian(k=2, **parameter).anonymize(LETTERS, Schema(quasi=["letter"]))


# Plain Python


@pytest.mark.compiled
def test_kernels_are_the_same_without_numba() -> None:
    """The properties hold of the kernels as plain Python too, and nothing overflows there."""
    tests = Path(__file__).parents[3] / "properties" / "test_mondrian.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
