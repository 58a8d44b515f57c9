"""The growth: when it stops, and that room is made where it ends."""

from __future__ import annotations

import numpy as np

from hedgerow.anonymizers.trees._growth import enlarged, grown, whole_table
from hedgerow.anonymizers.trees._kernels import Rules
from hedgerow.anonymizers.trees.nodes.arrays import Nodes
from hedgerow.anonymizers.trees.training import Attribute, CodedColumn

RANKS = np.arange(100, dtype=np.int32)


def tree(labels: list[int], max_depth: int = -1, missing: int = 0) -> Nodes:
    """Grow a tree from a column of numbers, the first of which are missing."""
    numbers = Attribute("age", tuple(map(str, range(100))), np.arange(100.0))
    codes = np.where(np.arange(100) < missing, np.int32(-1), RANKS)
    rules = Rules(False, False, False, 1.0, max_depth, np.ones(1, dtype=np.bool_))
    return grown(whole_table([CodedColumn(numbers, codes)], np.array(labels), 2, None), None, rules)


def test_nodes_are_split_until_they_are_pure() -> None:
    nodes = tree([0, 1] * 50)
    leaves = nodes.column < 0
    assert leaves.sum() == 100
    assert (nodes.counts[leaves].min(axis=1) == 0).all()
    assert (nodes.parent[1:] < np.arange(1, len(nodes))).all()  # a node stands before its branches


def test_no_path_has_more_questions_than_allowed() -> None:
    assert len(tree([0, 1] * 50, max_depth=2).levels()) == 3


def test_records_in_several_branches_keep_their_weight() -> None:
    """Three missing numbers are in so many pieces that the pool has to grow."""
    nodes = tree([0, 1] * 50, missing=3)
    assert np.isclose(nodes.counts[nodes.column < 0].sum(), 100)


def test_enlarged_arrays_begin_as_they_were() -> None:
    assert enlarged(RANKS)[:100].tolist() == RANKS.tolist()
    assert len(enlarged(RANKS)) == 200
