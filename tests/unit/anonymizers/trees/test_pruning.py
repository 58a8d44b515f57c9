"""Cutting trees back."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.anonymizers.trees._growth import collapse, prune, raise_and_prune, whole_table
from hedgerow.anonymizers.trees._kernels import Table
from hedgerow.anonymizers.trees.nodes.arrays import NodeList, Nodes
from hedgerow.anonymizers.trees.training import Attribute, CodedColumn


def asking(low: list[int], high: list[int]) -> Nodes:
    """A question with two branches, by the records of each label in them."""
    nodes = NodeList()
    nodes.ask(0, column=0, branches=2, threshold=0)
    return nodes.finished(np.array([np.add(low, high), low, high], dtype=np.float64))


def table_of(low: list[int], high: list[int]) -> Table:
    """The records of such a tree."""
    attribute = Attribute("age", ("20", "40"), np.array([20.0, 40.0]))
    column = CodedColumn(attribute, np.array([0, 0, 1, 1], dtype=np.int32))
    return whole_table([column], np.array([0, 1, 0, 1]), 2, np.array([*low, *high], dtype=np.float64))


@pytest.mark.parametrize(("low", "high", "kept"), [([3, 1], [5, 2], False), ([3, 1], [2, 3], True)])
def test_branches_that_say_the_same_are_collapsed(low: list[int], high: list[int], kept: bool) -> None:
    nodes = asking(low, high)
    collapse(nodes)
    assert (nodes.column[0] == 0) == kept


@pytest.mark.parametrize(("low", "high", "kept"), [([9, 1], [1, 2], False), ([30, 0], [0, 30], True)])
def test_a_leaf_takes_the_place_of_branches_that_are_expected_to_err_as_often(
    low: list[int], high: list[int], kept: bool
) -> None:
    nodes = asking(low, high)
    prune(nodes, 0.05)
    assert (nodes.column[0] == 0) == kept


@pytest.mark.parametrize(("low", "high", "kept"), [([9, 1], [1, 2], False), ([30, 1], [1, 30], True)])
def test_raising_decides_alike_where_the_branches_are_leaves(low: list[int], high: list[int], kept: bool) -> None:
    nodes = asking(low, high)
    raise_and_prune(nodes, table_of(low, high), 0.05)
    assert (nodes.column[0] == 0) == kept


def test_the_largest_branch_may_take_the_place_of_its_node() -> None:
    """All is known after the question for sex, so that the one for age, of a single record, is left out."""
    age = Attribute("age", ("20", "40"), np.array([20.0, 40.0]))
    sex = Attribute("sex", ("F", "M"), np.array([0.0, 1.0]))
    codes = [np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)]
    weights = np.array([20.0, 20.0, 1.0])
    table = whole_table([CodedColumn(age, codes[0]), CodedColumn(sex, codes[1])], np.array([0, 1, 1]), 2, weights)
    growing = NodeList()
    growing.ask(0, column=0, branches=2, threshold=0)
    growing.ask(1, column=1, branches=2, threshold=0)
    nodes = growing.finished(np.array([[20.0, 21], [20, 20], [0, 1], [20, 0], [0, 20]]))
    raise_and_prune(nodes, table, 0.25)
    assert nodes.column[0] == 1
    assert nodes.compact().counts.tolist() == [[20, 21], [20, 0], [0, 21]]
