"""The array type of all trees."""

from __future__ import annotations

import numpy as np

from hedgerow.anonymizers.trees.nodes.arrays import NodeList, Nodes


def tree() -> Nodes:
    """The root asks 0; of its three branches the second asks 1, by a threshold."""
    growing = NodeList()
    growing.ask(0, column=0, branches=3, codes=[4, 5, 9])
    growing.ask(2, column=1, branches=2, threshold=7)
    return growing.finished(np.array([[6.0, 2], [1, 1], [5, 0], [0, 0], [3, 0], [2, 0]]))


def test_a_question_is_written_and_its_branches_know_it() -> None:
    nodes = tree()
    assert nodes.column.tolist() == [0, -1, 1, -1, -1, -1]
    assert (nodes.first[2], nodes.branches[2], nodes.threshold[2]) == (4, 2, 7)
    assert nodes.parent.tolist() == [-1, 0, 0, 0, 2, 2]
    assert nodes.code.tolist() == [-1, 4, 5, 9, -1, -1]
    assert nodes.empty.tolist() == [False, False, False, True, False, False]


def test_levels_are_the_depths() -> None:
    assert [level.tolist() for level in tree().levels()] == [[0], [1, 2, 3], [4, 5]]


def test_what_the_root_does_not_reach_is_left_out() -> None:
    nodes = tree()
    nodes.column[2] = -1
    kept = nodes.compact()
    assert len(kept) == 4
    assert kept.links[2].tolist() == [-1, -1, -1, 0, 0, 5]
    assert kept.counts.tolist() == nodes.counts[:4].tolist()


def test_compact_nodes_stand_breadth_first() -> None:
    growing = NodeList()
    growing.ask(0, column=0, branches=2)
    growing.ask(2, column=1, branches=2, codes=[0, 1])
    growing.ask(1, column=2, branches=2, codes=[2, 3])
    kept = growing.finished().compact()
    assert kept.column.tolist() == [0, 2, 1, -1, -1, -1, -1]
    assert kept.code.tolist() == [-1, -1, -1, 2, 3, 0, 1]
    assert kept.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert kept.first[:3].tolist() == [1, 3, 5]


def test_more_room_keeps_what_is_there() -> None:
    larger = tree().enlarged(9)
    assert larger.links[:6].tolist() == tree().links.tolist()
    assert larger.links[8].tolist() == [-1, -1, -1, 0, -1, -1]
    assert larger.counts[:6].tolist() == tree().counts.tolist()
