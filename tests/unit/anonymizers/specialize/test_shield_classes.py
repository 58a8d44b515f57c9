"""The classes of shields while columns are specialized."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import specializations

from hedgerow import Infeasible, KAnonymity, LDiversity
from hedgerow.anonymizers.specialize._attributes import attribute_of
from hedgerow.anonymizers.specialize._shield_classes import by_shield, shield_elements
from hedgerow.anonymizers.specialize.tds import Search
from hedgerow.core.counts import FrequencyTable
from hedgerow.requirements import Requirement

Counted = Callable[..., FrequencyTable]

PEOPLE = {
    "a": list("xxxyyy"),
    "b": list("ppqpqq"),
    "ill": list("uvuvuv"),
    "class": list("mmnnnn"),
}


def searching(counted: Counted, *requirements: Requirement) -> tuple[FrequencyTable, Search]:
    counts = counted(PEOPLE, sensitive=["ill"])
    attributes = [attribute_of(counts, name, "class", disclose=False) for name in counts.quasi]
    return counts, Search(counts, requirements, attributes, "shield")


def test_by_shield_takes_columns_in_any_order(counted: Counted) -> None:
    counts = counted(PEOPLE, sensitive=["ill"])
    one, other = KAnonymity(2, shield=["b", "a"]), LDiversity(2, "ill")
    assert by_shield(counts, [one, other]) == {(0, 1): [one, other]}


def test_elements_of_a_shield(counted: Counted) -> None:
    counts = counted(PEOPLE, sensitive=["ill"])
    codes, values, sizes = shield_elements(counts, (1,), [])
    assert (codes.tolist(), values.shape, sizes.tolist()) == ([[0], [1]], (2, 0), [3, 3])
    codes, values, sizes = shield_elements(counts, (1,), ["ill"])
    assert codes.tolist() == [[0], [0], [1], [1]]
    assert (values.tolist(), sizes.tolist()) == ([[0], [1], [0], [1]], [1, 2, 2, 1])


def test_what_may_follow_is_kept_up_to_date(counted: Counted) -> None:
    """Either column may be split at first; once one is, the other would leave a class of one."""
    _, search = searching(counted, KAnonymity(2))
    (shield,) = search.shields
    assert set(specializations.scores(search)) == {(0, "*"), (1, "*")}
    assert (shield.classes, shield.smallest_class) == (1, 6)
    assert [int(shield.smallest_after[at]) for at in (0, 3)] == [3, 3]  # the roots of two taxonomies of three nodes
    search.step()
    assert (shield.classes, shield.smallest_class) == (2, 3)
    assert specializations.scores(search) == {}
    assert len(specializations.refused(search)) == 1


def test_a_requirement_with_a_column_reads_its_histograms(counted: Counted) -> None:
    """b is diverse in both halves; a is too, but not both together."""
    _, search = searching(counted, LDiversity(2, "ill"))
    assert set(specializations.scores(search)) == {(0, "*"), (1, "*")}
    search.run()
    assert len(search.steps) == 1
    _, search = searching(counted, LDiversity(2, "ill", shield=["a"]))
    search.run()
    assert len(search.steps) == 2


def test_a_column_outside_of_the_shield_changes_nothing(counted: Counted) -> None:
    _, search = searching(counted, KAnonymity(6, shield=["a"]))
    search.run()
    assert [step.column for step in search.steps] == [1]
    assert search.shields[0].classes == 1


def test_full_generalization_that_does_not_hold_is_infeasible(counted: Counted) -> None:
    with pytest.raises(Infeasible, match=r"cannot meet 7-anonymity: .* all 6 records as one class do not"):
        searching(counted, KAnonymity(7))


def test_counts_are_not_modified(counted: Counted) -> None:
    """Elements are moved about in copies."""
    counts, search = searching(counted, KAnonymity(1))
    before = counts.tuples.copy(), counts.tuple_sizes.copy()
    search.run()
    assert np.array_equal(counts.tuples, before[0])
    assert np.array_equal(counts.tuple_sizes, before[1])


def test_a_class_that_goes_to_one_branch_is_judged_by_what_is_below_it(counted: Counted) -> None:
    """Once a is split, the root of b splits no class; p1 and p2 may still not be parted, as one record has p2."""
    parts = {"*": {"P": ["p1", "p2"], "Q": ["q1", "q2"]}}
    people = {"a": list("xxxxyyyy"), "b": ["p1", "p1", "p1", "p2", "q1", "q1", "q2", "q2"], "class": list("mmmnoopp")}
    counts = counted(people, {"b": parts})
    attributes = [attribute_of(counts, name, "class", disclose=False) for name in counts.quasi]
    search = Search(counts, [KAnonymity(2)], attributes, "shield")
    search.run()
    assert sorted((step.column, step.label) for step in search.steps) == [(0, "*"), (1, "*"), (1, "Q")]
    assert specializations.refused(search) == {(1, "P"): 0}


def test_each_requirement_reads_its_own_column(counted: Counted) -> None:
    """Both halves of a have two illnesses but only one town each; b has two of both."""
    people = {
        "a": list("xxyy"),
        "b": list("pqpq"),
        "ill": list("uvvu"),
        "town": list("wwzz"),
        "class": list("mnno"),
    }
    counts = counted(people, sensitive=["ill", "town"])
    for requirements, columns in (
        ([LDiversity(2, "ill")], {0, 1}),
        ([LDiversity(2, "town")], {1}),
        ([LDiversity(2, "ill"), LDiversity(2, "town")], {1}),
    ):
        attributes = [attribute_of(counts, name, "class", disclose=False) for name in counts.quasi]
        search = Search(counts, requirements, attributes, "shield")
        assert {column for column, _ in specializations.scores(search)} == columns
