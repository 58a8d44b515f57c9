"""Association rules: Apriori against trying all sets, rules by hand, and what a release keeps and invents."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses import Apriori, Material
from hedgerow.evaluation.analyses.association import Agreement, agreement, frequent_itemsets, items_of, rules_of
from hedgerow.evaluation.analyses.spread import original_rows
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.ways import RAW

# Whoever coughs smokes; nobody else does. Town has nothing to do with it.
PEOPLE = pa.table({"smokes": list("yynn"), "coughs": list("yynn"), "town": ["Bonn", "Ulm", "Bonn", "Ulm"]})
PART = OpenedTable(PEOPLE, hr.Schema(quasi=["smokes", "coughs", "town"]))
HALF = Apriori(support=0.5, confidence=0.8)


def measured(release: pa.Table) -> Any:
    return HALF.measure(Material(PART, PEOPLE, release, RAW, 0))


@pytest.mark.parametrize("support", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("longest", [2, 3, 4])
def test_the_frequent_sets_are_those_among_all(support: float, longest: int) -> None:
    random = np.random.default_rng(longest)
    columns = ["a", "a", "b", "b", "b", "c", "d"]
    shares = random.choice([0, 0.5, 1], (40, len(columns)))
    every = {
        chosen: shares[:, chosen].prod(axis=1).mean()
        for size in range(1, longest + 1)
        for chosen in combinations(range(len(columns)), size)
        if len({columns[at] for at in chosen}) == size
    }
    expected = {chosen: share for chosen, share in every.items() if share >= support}
    assert frequent_itemsets(shares, columns, support, longest) == pytest.approx(expected)


def test_rules_by_hand() -> None:
    # 4 of 10 have both; 5 have the first, 8 the second: 4/5 and 4/8.
    supports = {(0,): 0.5, (1,): 0.8, (0, 1): 0.4}
    assert list(rules_of(supports, 0.8)) == [((0,), 1)]
    assert list(rules_of(supports, 0.5)) == [((1,), 0), ((0,), 1)]
    assert list(rules_of(supports, 0.9)) == []


def test_the_original_rows_keep_everything_and_invent_nothing() -> None:
    assert measured(PEOPLE) == {
        "rules_f1": 1.0,
        "rules_kept": 1.0,
        "rules_invented": 0.0,
        "itemsets_kept": 1.0,
        "itemsets_invented": 0.0,
    }


def test_rules_that_a_release_loses() -> None:
    """Of four rules, smoking ⇄ coughing for y and n, those of n are lost: there the coughs are suppressed."""
    found = measured(PEOPLE.set_column(1, "coughs", pa.array(["y", "y", "*", "*"])))
    assert (found["rules_kept"], found["rules_invented"]) == (0.25, 0.0)  # coughs y → smokes y has 2 of 3 only
    assert (found["itemsets_kept"], found["itemsets_invented"]) == (0.5, 0.0)
    assert found["rules_f1"] == 2 * 1 / (4 + 1)


def test_rules_that_a_release_invents() -> None:
    """Everybody who smokes is moved to Bonn: two new sets, four new rules, and two more sets of three items."""
    found = measured(PEOPLE.set_column(2, "town", pa.array(["Bonn", "Bonn", "Ulm", "Ulm"])))
    assert (found["rules_kept"], found["itemsets_kept"]) == (1.0, 1.0)
    # For y and for n: 1 true set of 4 (3 pairs and a triple); 2 true rules of 9 (2 for each pair, 3 for the triple).
    assert found["itemsets_invented"] == 1 - 1 / 4
    assert found["rules_invented"] == pytest.approx(1 - 2 / 9)


def test_a_release_that_shows_nothing() -> None:
    found = measured(pa.table({name: ["*"] * 4 for name in PEOPLE.column_names}))
    assert (found["rules_kept"], found["rules_invented"], found["rules_f1"]) == (0.0, 0.0, 0.0)


def test_where_there_is_no_rule_none_can_be_kept() -> None:
    assert agreement(set(), {((0,), 1)}) == Agreement(None, 1.0, None)
    assert agreement(set(), set()) == Agreement(None, 0.0, None)


def test_bins_hold_about_as_many_rows_each() -> None:
    ages = [20, 20, 20, 20, 21, 22, 23, 24, 25, 26, None]
    items = items_of(original_rows(OpenedTable(pa.table({"age": ages}), hr.Schema(quasi=["age"]))), 5)
    assert [(item.low, item.high) for item in items] == [(20, 20), (21, 22), (23, 24), (25, 26)]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"support": 0}, "The 'support' parameter of Apriori must be a number above 0, and 1 at most. Got 0 instead."),
        (
            {"confidence": "high"},
            "'confidence' parameter of Apriori must be a number above 0, and 1 at most. Got 'high'",
        ),
        ({"longest": 1}, "The 'longest' parameter of Apriori must be an int >= 2. Got 1 instead."),
        ({"bins": 1}, "The 'bins' parameter of Apriori must be an int >= 2. Got 1 instead."),
        ({"draws": 0}, "The 'draws' parameter of Apriori must be an int >= 1. Got 0 instead."),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        Apriori(**parameters)
