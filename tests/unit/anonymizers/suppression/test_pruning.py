"""Pruning along a tree of one question: what is released, what waits, and what is lent."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.suppression._pruning import PrunedTree, Reading, pruned
from hedgerow.anonymizers.trees.nodes.custom_trees import ByValue, Leaf, path_tree
from hedgerow.release import pipeline

COLORS = ByValue("color", {"blue": Leaf(), "green": Leaf(), "red": Leaf()})
ROOT, BLUE, GREEN, RED = range(4)


def outcome(reading: Reading, **records: str) -> PrunedTree:
    """A record for each letter: the label; by color. At least three records are a group."""
    rows = [(color, label) for color, labels in records.items() for label in labels]
    table = pa.table({"color": [row[0] for row in rows], "label": [row[1] for row in rows]})
    job = pipeline.prepare(table, Schema(quasi=["color"], target="label"), [KAnonymity(3)], random_state=0)
    return pruned(path_tree(COLORS, job.counts, "KActus"), job.counts, job.requirements, reading, 0)


def sizes(found: PrunedTree, *nodes: int) -> list[int]:
    """How many records each node holds."""
    entry, owner = found.entries(np.array(nodes))
    held: list[int] = np.bincount(owner, found.bags.size[entry], len(nodes)).astype(int).tolist()
    return held


def test_siblings_lend_what_the_root_lacks() -> None:
    found = outcome(Reading(), red="xxxxx", blue="xyy", green="z")
    assert found.released.tolist() == [True, True, False, True]
    assert (found.waiting[ROOT], found.borrowed[ROOT]) == (1, 2)
    assert sizes(found, ROOT, BLUE, RED) == [3, 3, 3]


def test_what_nobody_can_complete_is_left_at_the_root() -> None:
    found = outcome(Reading(), red="xxx", blue="xyyy", green="z")
    assert found.released.tolist() == [False, True, False, True]
    assert sizes(found, RED, ROOT, BLUE) == [3, 1, 4]


def test_the_smallest_group_joins_the_root_where_no_record_may_be_lost() -> None:
    found = outcome(Reading(keep_all=True), red="xxx", blue="xyyy", green="z")
    assert found.released.tolist() == [True, True, False, False]
    assert sizes(found, ROOT, BLUE) == [4, 4]


@pytest.mark.parametrize(("crossover", "released"), [(0.3, False), (0.5, True)])
def test_a_leaf_that_lacks_a_smaller_share_is_completed_by_the_purest_sibling(crossover: float, released: bool) -> None:
    found = outcome(Reading(crossover=crossover), red="xxxx", blue="xyyy", green="zz")
    assert bool(found.released[GREEN]) is released
    if released:
        assert sizes(found, GREEN, BLUE, RED) == [3, 4, 3]


def test_settled_nodes_keep_what_came_up() -> None:
    found = outcome(Reading(settle=True), red="xxxx", blue="xyyy", green="z")
    assert np.flatnonzero(found.settled).tolist() == [ROOT]
    assert not found.released[ROOT]
    assert found.waiting[ROOT] == 1
