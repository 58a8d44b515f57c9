"""What a tree says of records that may be in several branches at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.anonymizers.trees._kernels import ALONG, EVERYWHERE, HIGH, LOW
from hedgerow.anonymizers.trees.inducers.id3 import Id3Options, induce_id3
from hedgerow.anonymizers.trees.nodes.arrays import NodeList
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn, read_training, read_unseen
from hedgerow.anonymizers.trees.training import Attribute


def column(name: str, cells: list[Any], own: bool = False) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]), own=own)


def unseen(tree: ClassificationTree, **cells: list[Any]) -> list[SetColumn]:
    return [read_unseen(one, pa.chunked_array([pa.array(cells[one.name])])) for one in tree.set_attributes]


def test_a_set_goes_down_every_branch_with_its_share() -> None:
    sex = column("sex", ["F", "F", "{F|M}", "M"])
    tree = induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], options=Id3Options(fractional=True))
    assert tree.nodes.counts.tolist() == [[2, 2], [2, 0.5], [0, 1.5]]
    said = tree.classify_sets(unseen(tree, sex=["F", "M", "{F|M}"]))
    assert said.shares == pytest.approx(np.array([[0.8, 0.2], [0, 1], [0.4, 0.6]]))
    assert said.labels.tolist() == [0, 1, 1]


def test_below_a_threshold_only_the_numbers_there_are_left() -> None:
    # 10, 20 and 30 are asked one after the other; the set is in all three places with a third each.
    ages = ["10"] * 4 + ["20"] * 4 + ["30"] * 4 + ["{10|20|30}"] * 3
    labels = np.array([0] * 4 + [1] * 4 + [0] * 4 + [1] * 3)
    tree = induce_id3([column("age", ages)], labels, ["no", "yes"], options=Id3Options(fractional=True))
    leaves = tree.nodes.counts[tree.nodes.column < 0]
    assert np.array(sorted(leaves.tolist())) == pytest.approx(np.array([[0, 5], [4, 1], [4, 1]]))
    said = tree.classify_sets(unseen(tree, age=["15", "{10|30}", "{20|99}", "5"]))
    assert said.shares[:, 1].tolist() == pytest.approx([1.0, 0.2, 0.6, 0.2])


def test_the_questions_above_leave_a_range_of_the_column_that_is_asked() -> None:
    # Node 0 asks a number at 4, node 1 the same at 1, node 2 a category, whose codes 3 and 7 come to nodes 5 and 6.
    growing = NodeList()
    growing.ask(0, column=0, branches=2, threshold=4)
    growing.ask(1, column=0, branches=2, threshold=1)
    growing.ask(2, column=1, branches=2, codes=[3, 7])
    growing.ask(4, column=0, branches=2, threshold=3)
    growing.ask(6, column=1, branches=1, codes=[7])
    growing.ask(9, column=0, branches=2, threshold=6)
    nodes = growing.finished(np.zeros((12, 1)))
    nodes.counts[[0, 1, 2, 6], 0] = [10, 6, 4, 3]
    nodes.bag[:7], nodes.bag[9] = [10, 6, 4, 2, 4, 1, 3], 3
    age = Attribute("age", tuple("012345678"), np.arange(9.0))
    tree = ClassificationTree((age, Attribute("it", tuple("abcdefgh"))), ("no",), nodes)
    between, seven, high = tree._remaining_codes[[4, 6, 9]][:, [LOW, HIGH, ALONG]].tolist()
    assert between == pytest.approx([2, 4, 0.6 * 4 / 6])
    assert seven == [7, 7, 0.75]
    assert high == pytest.approx([5, EVERYWHERE, 0.4])
    assert tree._remaining_codes[2, [LOW, HIGH, ALONG]].tolist() == [0, EVERYWHERE, 1]


def test_a_missing_number_follows_the_others() -> None:
    ages = [10, 10, 10, 20, None]
    tree = induce_id3(
        [column("age", ages)], np.array([0, 0, 0, 1, 1]), ["no", "yes"], options=Id3Options(fractional=True)
    )
    assert tree.nodes.counts[1:].tolist() == pytest.approx(np.array([[3, 0.75], [0, 1.25]]))
    said = tree.classify_sets(unseen(tree, age=[None]))
    assert said.shares.tolist() == pytest.approx(np.array([[0.75 * 0.8, 0.75 * 0.2 + 0.25]]))


def test_a_value_without_a_branch_is_answered_by_its_node() -> None:
    sex = column("sex", ["F", "F", "F", "M"])
    tree = induce_id3([sex], np.array([0, 0, 0, 1]), ["poor", "rich"])
    said = tree.classify_sets(unseen(tree, sex=["X", "{M|X}"]))
    assert said.shares == pytest.approx(np.array([[0.75, 0.25], [0.375, 0.625]]))


def test_a_node_answers_by_its_own_classes_and_asks_no_further() -> None:
    # The root asks one; below a, two decides; below b there is no y.
    one = column("one", ["a"] * 10 + ["b"] * 10)
    two = column("two", ["x"] * 8 + ["y"] * 2 + ["x"] * 9 + ["z"])
    labels = np.array([0] * 8 + [1] * 11 + [0])
    tree = induce_id3([one, two], labels, ["no", "yes"])
    assert tree.attributes[tree.nodes.column[0]].name == "one"
    said = tree.classify_sets(unseen(tree, one=["c", "b", "b", "a"], two=["y", "y", "{x|y}", "y"]))
    assert said.shares == pytest.approx(np.array([[0.45, 0.55], [0.1, 0.9], [0.05, 0.95], [0, 1]]))


def test_plain_codes_are_classified_as_plain_cells() -> None:
    sex, age = column("sex", ["F", "F", "M", "M", "{F|M}"]), column("age", [10, 20, 10, 20, 20])
    tree = induce_id3([sex, age], np.array([0, 1, 1, 0, 1]), ["no", "yes"], options=Id3Options(fractional=True))
    codes = np.array([[0, 1, -1], [0, 1, 2]], dtype=np.int32)
    by_cell = tree.classify_sets(unseen(tree, sex=["F", "M", "X"], age=[10, 20, 99]))
    assert tree.classify(codes).shares == pytest.approx(by_cell.shares)


def test_own_sets_answer_for_values_without_a_branch() -> None:
    cells = ["{a|b}"] * 3 + ["{b|c}"] * 2 + ["a", "c"]
    labels = np.array([0, 0, 0, 1, 1, 1, 1])
    heaviest = induce_id3([column("it", cells, own=True)], labels, ["no", "yes"], options=Id3Options("own"))
    shared = induce_id3(
        [column("it", cells, own=True)],
        labels,
        ["no", "yes"],
        options=Id3Options("own", fractional=True),
    )
    assert heaviest.n_leaves == 4
    rows = {"it": ["a", "b", "z", "{a|b}"]}
    said = heaviest.classify_sets(unseen(heaviest, **rows)).shares
    assert said == pytest.approx(np.array([[0, 1], [1, 0], [3 / 7, 4 / 7], [1, 0]]))
    said = shared.classify_sets(unseen(shared, **rows)).shares
    assert said == pytest.approx(np.array([[0, 1], [0.6, 0.4], [3 / 7, 4 / 7], [1, 0]]))


def test_only_values_that_reach_a_node_have_a_branch() -> None:
    one = column("one", ["a", "a", "b", "b", "b", "b"])
    two = column("two", ["x", "x", "x", "y", "y", "z"])
    tree = induce_id3([one, two], np.array([0, 0, 0, 0, 1, 1]), ["no", "yes"])
    text = tree.export_text()
    assert text == "two = x: no (3)\ntwo = y: no (2/1)\ntwo = z: yes (1)"
