"""Records in several branches at once: how they are laid out, counted, sent down, and classified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.trees._fractional import CRUMB, EVERYWHERE, Ranges, ranges_of, tally
from hedgerow.trees._fractional_classifying import parents_of
from hedgerow.trees._kernels import Items, new_nodes
from hedgerow.trees.fractional import SetTree, published_table
from hedgerow.trees.id3 import induce_id3
from hedgerow.trees.sets import SetColumn, read_training, read_unseen


def column(name: str, cells: list[Any], own: bool = False) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]), own=own)


def unseen(tree: SetTree, **cells: list[Any]) -> list[SetColumn]:
    return [read_unseen(one, pa.chunked_array([pa.array(cells[one.name])])) for one in tree.set_attributes]


def table_of(columns: list[SetColumn], labels: list[int]) -> Any:
    cells = [one.index for one in columns]
    return published_table(columns, cells, cells, np.array(labels), 2, None)


def test_records_that_are_alike_are_one_row() -> None:
    table = table_of([column("it", ["{a|b}", "{a|b}", "a", "{a|b}"])], [0, 0, 0, 1])
    assert sorted(table.weights.tolist()) == [1, 1, 2]


def test_what_is_counted_is_told_apart_from_where_it_goes() -> None:
    it = column("it", ["{a|b}", "a", "b"])
    other = column("other", ["x", "x", "x"])
    drawn = np.array([0, 0, 1], dtype=np.int32)
    table = published_table([it, other], [drawn, other.index], [it.index, other.index], np.zeros(3, np.int32), 1, None)
    assert table.routed[0].tolist() == [0, 0, 1]
    assert sorted(table.counted[0].tolist()) == [0, 1, 3]
    assert len(set(table.counted[1].tolist())) == 1


def test_too_many_classes_for_the_cells_are_refused() -> None:
    it = column("it", ["a"])
    with pytest.raises(BadInput, match="too many to count together"):
        published_table([it], [it.index], [it.index], np.zeros(1, np.int32), 2**27, None)


def test_a_set_goes_down_every_branch_with_its_share() -> None:
    sex = column("sex", ["F", "F", "{F|M}", "M"])
    tree = induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], fractional=True)
    assert tree.nodes.counts.tolist() == [[2, 2], [2, 0.5], [0, 1.5]]
    said = tree.classify_sets(unseen(tree, sex=["F", "M", "{F|M}"]))
    assert said.shares == pytest.approx(np.array([[0.8, 0.2], [0, 1], [0.4, 0.6]]))
    assert said.labels.tolist() == [0, 1, 1]


def test_below_a_threshold_only_the_numbers_there_are_left() -> None:
    # 10, 20 and 30 are asked one after the other; the set is in all three places with a third each.
    ages = ["10"] * 4 + ["20"] * 4 + ["30"] * 4 + ["{10|20|30}"] * 3
    labels = np.array([0] * 4 + [1] * 4 + [0] * 4 + [1] * 3)
    tree = induce_id3([column("age", ages)], labels, ["no", "yes"], fractional=True)
    leaves = tree.nodes.counts[tree.nodes.column < 0]
    assert np.array(sorted(leaves.tolist())) == pytest.approx(np.array([[0, 5], [4, 1], [4, 1]]))
    said = tree.classify_sets(unseen(tree, age=["15", "{10|30}", "{20|99}", "5"]))
    assert said.shares[:, 1].tolist() == pytest.approx([1.0, 0.2, 0.6, 0.2])


def test_the_questions_above_leave_a_range_of_each_column() -> None:
    # Node 0 asks a number at 4, node 1 the same at 1, node 2 a category, whose codes 3 and 7 come to nodes 5 and 6.
    nodes = new_nodes(7, 1)
    nodes.column[:3] = [0, 0, 1]
    nodes.threshold[:2] = [4, 1]
    nodes.first[:3] = [1, 3, 5]
    nodes.branches[:3] = 2
    nodes.counts[:3, 0] = [10, 6, 4]
    nodes.bag[:] = [10, 6, 4, 2, 4, 1, 3]
    coming = np.array([-1, -1, -1, -1, -1, 3, 7], dtype=np.int32)
    numeric = np.array([True, False])
    parents = parents_of(nodes)
    assert parents.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    between = ranges_of(nodes, parents, coming, numeric, 4)
    assert (between.low[0], between.high[0], between.along[0]) == (2, 4, pytest.approx(0.4))
    assert (between.low[1], between.high[1], between.along[1]) == (0, EVERYWHERE, 1)
    seven = ranges_of(nodes, parents, coming, numeric, 6)
    assert (seven.low[0], seven.high[0], seven.along[0]) == (5, EVERYWHERE, pytest.approx(0.4))
    assert (seven.low[1], seven.high[1], seven.along[1]) == (7, 7, 0.75)


def test_what_is_left_of_a_cell_counts_whole() -> None:
    # Of {1|2|3} two thirds came here, where only 2 and 3 are left: each is half of that.
    it = column("it", ["{1|2|3}", "1", "2", "3"])
    table = table_of([it], [0, 0, 1, 1])
    first = np.flatnonzero(table.counted[0] > 3)
    items = Items(first.astype(np.int32), np.array([2 / 3]))
    groups, kept, by_cell = np.zeros((3, 2)), np.zeros(3, np.int32), np.zeros((len(table.cells.starts) - 1, 2))
    left = Ranges(np.array([1]), np.array([2]), np.ones(1))
    assert tally(table, items, 0, 1, 0, left, by_cell, groups, kept) == 2
    assert kept[:2].tolist() == [1, 2]
    assert groups[:2, 0].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert not by_cell.any()


def test_crumbs_go_to_the_larger_pieces() -> None:
    many = [f"v{number:03}" for number in range(120)]
    whole = "{" + "|".join(many) + "}"
    assert 1 / len(many) < CRUMB
    labels = np.array([0, 1] * 60 + [0, 1])
    tree = induce_id3([column("it", [*many, many[44], whole])], labels, ["no", "yes"], fractional=True)
    # Each share is below the crumb, so the record goes whole to where most records are.
    assert tree.nodes.counts[1 + 44].tolist() == [2, 1]
    assert tree.nodes.counts[1:].sum(axis=1).tolist() == [3 if at == 44 else 1 for at in range(120)]
    # Without a tie, small pieces are given to the others in proportion.
    few = column("it", [*many[:3], "{" + "|".join(many[:3]) + "}"])
    cells = few.cells._replace(upto=np.array([1, 1, 1, 0.6, 0.995, 1.0]))
    uneven = SetColumn(few.attribute, cells, few.index, few.index)
    tree = induce_id3([uneven], np.array([0, 1, 0, 1]), ["no", "yes"], fractional=True)
    assert tree.nodes.counts[1:].sum(axis=1).tolist() == pytest.approx([1 + 0.6 / 0.995, 1 + 0.395 / 0.995, 1])


def test_a_missing_number_follows_the_others() -> None:
    ages = [10, 10, 10, 20, None]
    tree = induce_id3([column("age", ages)], np.array([0, 0, 0, 1, 1]), ["no", "yes"], fractional=True)
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
    tree = induce_id3([sex, age], np.array([0, 1, 1, 0, 1]), ["no", "yes"], fractional=True)
    codes = np.array([[0, 1, -1], [0, 1, 2]], dtype=np.int32)
    by_cell = tree.classify_sets(unseen(tree, sex=["F", "M", "X"], age=[10, 20, 99]))
    assert tree.classify(codes).shares == pytest.approx(by_cell.shares)


def test_own_sets_answer_for_values_without_a_branch() -> None:
    cells = ["{a|b}"] * 3 + ["{b|c}"] * 2 + ["a", "c"]
    labels = np.array([0, 0, 0, 1, 1, 1, 1])
    heaviest = induce_id3([column("it", cells, own=True)], labels, ["no", "yes"], entropy="own")
    shared = induce_id3([column("it", cells, own=True)], labels, ["no", "yes"], entropy="own", fractional=True)
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
