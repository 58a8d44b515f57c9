"""Columns that can be specialized: gains derived by hand, branches, and parts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from hedgerow.anonymizers.specialize import _attributes as attributes
from hedgerow.anonymizers.specialize._attributes import (
    GrownIntervals,
    HiddenValues,
    TaxonomyCut,
    attribute_of,
    count_labels,
)
from hedgerow.core.counts import FrequencyTable

Counted = Callable[..., FrequencyTable]

TOWNS = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"], "Italy": ["Rome"]}}
PEOPLE = {"town": ["Bonn", "Köln", "Lyon", "Nice", "Nice"], "drink": ["beer", "beer", "wine", "wine", "beer"]}


def entropy(*counts: int) -> float:
    return -sum(count / sum(counts) * math.log2(count / sum(counts)) for count in counts if count)


def test_taxonomy_gains(counted: Counted) -> None:
    """The root splits 3 beers and 2 wines into 2 beers, and 1 beer with 2 wines; Italy, which is empty, is ignored."""
    town = TaxonomyCut(counted(PEOPLE, {"town": TOWNS}), "town", "drink")
    assert town.gain[0] == pytest.approx(entropy(3, 2) - 3 / 5 * entropy(1, 2))
    assert town.drop[0] == 5 - 2
    assert np.flatnonzero(town.allowed).tolist() == [0]
    split = town.specialize(0)
    assert [town.label(part) for part in split.children.tolist()] == ["Germany", "France", "Italy"]
    assert [town.label(part) for part in split.children[split.branch].tolist()] == [
        "Germany",
        "Germany",
        "France",
        "France",
    ]
    assert [town.label(part) for part in town.part.tolist()] == ["Germany", "Germany", "France", "France"]
    # Germany has one class only, so splitting it gains nothing; France does gain.
    assert [town.label(part) for part in np.flatnonzero(town.allowed).tolist()] == ["France"]
    france = int(np.flatnonzero(town.allowed)[0])
    assert town.gain[france] == pytest.approx(entropy(1, 2) - 2 / 3 * entropy(1, 1))
    assert town.drop[france] == 3 - 1
    town.specialize(france)
    assert [town.label(part) for part in town.part.tolist()] == ["Germany", "Germany", "Lyon", "Nice"]
    assert not town.allowed.any()


def test_gain_of_an_even_split_is_exactly_zero(counted: Counted) -> None:
    """Thirds are not exact as floats, but the same mix on both sides gains nothing."""
    drinks = ["a", "b", "b"] * 10
    column = TaxonomyCut(counted({"x": ["l"] * 3 + ["r"] * 27, "drink": drinks}), "x", "drink")
    assert column.gain[0] == 0.0
    assert not column.allowed[0]


def test_a_single_branch_gains_nothing(counted: Counted) -> None:
    below = {"*": {"Europe": {"France": ["Lyon", "Nice"]}}}
    town = TaxonomyCut(
        counted({"town": ["Lyon", "Nice"] * 2, "drink": ["a", "b"] * 2}, {"town": below}), "town", "drink"
    )
    assert town.gain[0] == 0.0
    assert town.gain_of(2) == 1.0  # France, were it reached


def test_grown_intervals(counted: Counted) -> None:
    """The best threshold parts the classes; the next one is looked for inside each side."""
    numbers = [1, 2, 4, 7, 8, 9]
    age = GrownIntervals(counted({"age": numbers, "class": ["a", "a", "a", "b", "b", "a"]}), "age", "class")
    assert age.gain[0] == pytest.approx(entropy(4, 2) - 3 / 6 * entropy(1, 2))
    assert age.drop[0] == 3
    split = age.specialize(0)
    assert split.branch.tolist() == [0, 0, 0, 1, 1, 1]
    assert [age.label(part) for part in split.children.tolist()] == ["[1,7)", "[7,9]"]
    assert np.flatnonzero(age.allowed).tolist() == [2]
    age.specialize(2)
    assert [age.label(part) for part in age.part.tolist()] == ["[1,7)"] * 3 + ["[7,9)"] * 2 + ["[9,9]"]
    assert not age.allowed.any()


def test_equal_thresholds_take_the_first(counted: Counted) -> None:
    age = GrownIntervals(counted({"age": [1, 2, 3], "class": ["a", "b", "a"]}), "age", "class")
    assert age.specialize(0).branch.tolist() == [0, 1, 1]


def test_missing_numbers_are_a_branch(counted: Counted) -> None:
    age = GrownIntervals(counted({"age": [1, 2, None, None], "class": ["a", "b", "a", "a"]}), "age", "class")
    assert age.gain[0] == pytest.approx(entropy(3, 1))
    split = age.specialize(0)
    assert split.branch.tolist() == [0, 1, 2]
    assert len(set(age.part.tolist())) == 3
    assert not age.allowed.any()


def test_missing_beside_one_number(counted: Counted) -> None:
    age = GrownIntervals(counted({"age": [5, 5, None], "class": ["a", "a", "b"]}), "age", "class")
    assert age.gain[0] == pytest.approx(entropy(2, 1))
    assert age.specialize(0).branch.tolist() == [0, 1]


def test_hidden_values(counted: Counted) -> None:
    """A disclosure splits what is hidden in two, and changes what the next one gains."""
    town = HiddenValues(counted({"town": ["A", "A", "B", "C"], "class": ["a", "a", "a", "b"]}), "town", "class")
    gains = [entropy(3, 1) - 2 / 4 * entropy(1, 1), entropy(3, 1) - 3 / 4 * entropy(2, 1), entropy(3, 1)]
    assert town.gain[:3].tolist() == pytest.approx(gains)
    assert town.drop[:3].tolist() == [4 - 2, 4 - 1, 4 - 1]
    split = town.specialize(0)
    assert (split.part, split.branch.tolist(), split.children.tolist()) == (0, [1, 0, 0], [0, 1])
    assert town.part.tolist() == [1, 0, 0]
    assert town.allowed[:3].tolist() == [False, True, True]
    assert town.gain[:3].tolist() == pytest.approx([0, 1, 1])
    town.specialize(2)
    assert town.gain.tolist() == [0] * 4  # one value is left, which is nobody else's
    assert town.label(2) == "C"


def test_adopted_arrays_are_written_to(counted: Counted) -> None:
    town = TaxonomyCut(counted(PEOPLE, {"town": TOWNS}), "town", "drink")
    branch, allowed = np.full(4, 9, dtype=np.int32), np.zeros(len(town.allowed), dtype=bool)
    gain, drop = np.zeros(len(allowed)), np.zeros(len(allowed), dtype=np.int64)
    town.adopt(branch, allowed, gain, drop)
    assert branch.tolist() == [0, 0, 1, 1]
    assert allowed[0]
    assert (gain[0], drop[0]) == (town.gain[0], 3)
    town.specialize(0)
    assert not allowed[0]


def test_label_counts_without_a_dense_table(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns with very many values and labels are counted in another way, to the same end."""
    counts = counted({"town": list("abcab"), "class": list("xyxyy")})
    place = np.array([2, 0, 1])
    dense = count_labels(counts, "town", "class", place)
    monkeypatch.setattr(attributes, "_DENSE_CELLS", 0)
    sparse = count_labels(counts, "town", "class", place)
    assert dense.starts.tolist() == [0, 1, 2, 4]
    assert (dense.label.tolist(), dense.records.tolist()) == ([1, 0, 0, 1], [2, 1, 1, 1])
    for name in ("starts", "label", "records"):
        assert getattr(sparse, name).tolist() == getattr(dense, name).tolist()


@pytest.mark.parametrize(
    ("values", "hierarchy", "disclose", "kind"),
    [
        ([1, 2], None, False, GrownIntervals),
        ([1, 2], None, True, GrownIntervals),
        ([1, 2], {"*": {"low": [1], "high": [2]}}, True, TaxonomyCut),
        ([1, 2], "flat", True, HiddenValues),
        (["a", "b"], None, False, TaxonomyCut),
        (["a", "b"], None, True, HiddenValues),
        (["a", "b"], {"any": ["a", "b"]}, True, TaxonomyCut),
        (["a", "b"], {"*": {"x": ["a"], "y": ["b"]}}, True, TaxonomyCut),
    ],
)
def test_attribute_of(counted: Counted, values: list[object], hierarchy: object, disclose: bool, kind: type) -> None:
    given = {} if hierarchy is None else {"x": hierarchy}
    counts = counted({"x": values * 2, "class": ["p", "q", "p", "p"]}, given)
    assert type(attribute_of(counts, "x", "class", disclose=disclose)) is kind
