"""The recount itself: the papers' examples, and for each requirement a table that just fails it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from recount import smallest_class, violations

# Li, Li, Venkatasubramanian (ICDE 2007), table 3 and section 4.3: nine salaries in three classes.
SALARIES: dict[str, list[Any]] = {
    "class": ["1"] * 3 + ["2"] * 3 + ["3"] * 3,
    "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
    "disease": ["gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis", "bronchitis",
                "pneumonia", "stomach cancer"],
}  # fmt: skip
RESPIRATORY = {
    "respiratory and digestive": {
        "respiratory": {"infection": ["flu", "pneumonia", "bronchitis"], "vascular": ["oedema", "embolism"]},
        "digestive": {"stomach": ["gastric ulcer", "stomach cancer", "gastritis"], "colon": ["colitis", "polyp"]},
    }
}  # fmt: skip


Table = Mapping[str, list[Any]]


def holds(table: Table, quasi: list[str] | None = None, **requirement: Any) -> bool:
    return not violations(table, quasi or ["class"], [requirement], [""])


def test_k_counts_rows_that_are_written_alike() -> None:
    table: Table = {"x": [0.0, 0.0, -0.0], "y": [None, None, None]}
    assert smallest_class(table, ["x", "y"]) == 1
    assert smallest_class(table, ["y"]) == 3
    assert not holds(table, ["x", "y"], name="k", k=2)
    assert holds(table, ["x", "y"], name="k", k=3, shield=["y"])
    assert not holds({"x": [None, ""]}, ["x"], name="k", k=2)
    assert not holds({"x": ["1", "1.0"]}, ["x"], name="k", k=2)


def test_no_row_is_no_class() -> None:
    assert not holds({"x": []}, ["x"], name="k", k=1)


@pytest.mark.parametrize(("distance", "worst"), [("ordered", 0.375), ("equal", 2 / 3)])
def test_closeness_of_salaries_is_the_papers(distance: str, worst: float) -> None:
    assert holds(SALARIES, name="t", t=worst, column="salary", distance=distance)
    assert not holds(SALARIES, name="t", t=worst - 1e-6, column="salary", distance=distance)


def test_an_order_may_be_given() -> None:
    table = {"class": ["1", "1", "2", "2"], "size": ["s", "m", "m", "xl"]}
    # Cumulative shares of the table: 1/4, 3/4, 3/4, 1; of the first class: 1/2, 1, 1, 1.
    assert holds(table, name="t", t=0.25, column="size", distance="ordered", order=["s", "m", "l", "xl"])
    assert not holds(table, name="t", t=0.24, column="size", distance="ordered", order=["s", "m", "l", "xl"])


def test_hierarchical_closeness_moves_within_a_branch_first() -> None:
    table = {"class": ["1", "2"], "disease": ["flu", "pneumonia"]}
    # Half of the mass moves between two leaves of one branch, whose height is 1 of 3.
    assert holds(table, name="t", t=1 / 6, column="disease", distance="hierarchical", tree=RESPIRATORY)
    assert not holds(table, name="t", t=0.16, column="disease", distance="hierarchical", tree=RESPIRATORY)
    far = {"class": ["1", "2"], "disease": ["flu", "colitis"]}
    assert not holds(far, name="t", t=0.49, column="disease", distance="hierarchical", tree=RESPIRATORY)
    missing = {"class": ["1", "2"], "disease": ["flu", ""]}
    assert not holds(missing, name="t", t=0.49, column="disease", distance="hierarchical", tree=RESPIRATORY)


@pytest.mark.parametrize(
    ("values", "kind", "least", "c", "expected"),
    [
        (["a", "b", "c"], "distinct", 3, None, True),
        (["a", "b", "b"], "distinct", 3, None, False),
        (["a", None, ""], "distinct", 3, None, False),
        (["1.5", "1.50", "2"], "distinct", 3, None, False),
        (["011", "11", "2"], "distinct", 3, None, True),
        ([0.0, -0.0, 1.0], "distinct", 3, None, False),
        (["a", "b", "c"], "entropy", 3, None, True),
        (["a", "a", "b", "c"], "entropy", 2 * math.sqrt(2), None, True),
        (["a", "a", "b", "c"], "entropy", 2.9, None, False),
        (["a", "a", "b", "c"], "recursive", 2, 1.5, True),
        (["a", "a", "b", "c"], "recursive", 2, 1, False),
        (["a", "a", "b", "c"], "recursive", 3, 2, False),
    ],
)
def test_diversity(values: list[Any], kind: str, least: float, c: float | None, expected: bool) -> None:
    table = {"class": ["1"] * len(values), "ill": values}
    assert holds(table, name="l", l=least, column="ill", kind=kind, c=c) is expected


def test_p_and_alpha_ask_for_k_too() -> None:
    table = {"class": ["1", "1", "1"], "ill": ["flu", "flu", "cold"]}
    assert holds(table, name="p", p=2, k=3, column="ill")
    assert not holds(table, name="p", p=3, k=3, column="ill")
    assert not holds(table, name="p", p=2, k=4, column="ill")
    assert holds(table, name="alpha", alpha=2 / 3, k=3, column="ill")
    assert not holds(table, name="alpha", alpha=0.6, k=3, column="ill")
    assert holds(table, name="alpha", alpha=0.4, k=3, column="ill", value="cold")
    assert not holds(table, name="alpha", alpha=0.3, k=3, column="ill", value="cold")
    assert not holds(table, name="alpha", alpha=1, k=4, column="ill")
