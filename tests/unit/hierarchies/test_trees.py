"""Trees from levels."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.hierarchies.encoded import NotNestedError, Tree, encode_tree, tree_of_levels
from hedgerow.io.domains import Domain


def test_levels_become_a_tree_with_the_node_of_every_row() -> None:
    built = tree_of_levels(["a", "b", "c"], [["x", "y", "x"], ["z", "z", "z"]], "top")
    assert built.tree == Tree(("top", "z", "x", "y", "a", "b", "c"), (-1, 0, 1, 1, 2, 3, 2))
    assert built.nodes.tolist() == [[4, 5, 6], [2, 3, 2], [1, 1, 1], [0, 0, 0]]
    assert built.first_row.tolist() == [0, 0, 0, 1, 0, 1, 2]


def test_a_label_may_repeat_on_the_way_up() -> None:
    assert tree_of_levels(["w"], [["w"]]).tree == Tree(("*", "w", "w"), (-1, 0, 1))


def test_a_label_with_two_parents_names_the_two_rows() -> None:
    with pytest.raises(NotNestedError) as caught:
        tree_of_levels(["a", "b", "c", "d"], [["x", "y", "y", "x"], ["p", "q", "q", "q"]])
    assert (caught.value.row, caught.value.earlier) == (3, 0)


def test_no_rows_leave_the_root() -> None:
    assert tree_of_levels([], [[]]).tree == Tree(("*",), (-1,))


def test_leaves_are_called_as_the_domain_calls_them() -> None:
    domain = Domain("c", "number", np.array(["39"]), np.array([39.0]))
    assert encode_tree(Tree(("*", "39.0"), (-1, 0)), [1], domain, "").labels == ("*", "39")


def test_bounds_follow_their_nodes() -> None:
    tree = Tree(("*", "low", "high", "8", "1"), (-1, 0, 0, 2, 1))
    domain = Domain("c", "number", np.array(["1", "8"]), np.array([1.0, 8.0]), has_missing=True)
    bounds = np.array([0.0, 0, 5, 8, 1]), np.array([9.0, 5, 9, 8, 1])
    encoded = encode_tree(tree, [4, 3], domain, "", bounds=bounds)
    assert encoded.labels == ("*", "low", "1", "high", "8", None)
    assert encoded.low is not None
    assert encoded.high is not None
    assert encoded.low[:5].tolist() == [0, 0, 1, 5, 8]
    assert encoded.high[:5].tolist() == [9, 5, 1, 9, 8]
    assert np.isnan([encoded.low[5], encoded.high[5]]).all()
