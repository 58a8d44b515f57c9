"""The encoded arrays: a hand-solved tree, and random trees against walks to the root."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.hierarchies import EncodedHierarchy, taxonomy
from hedgerow.hierarchies.encoded import Tree, encode_tree
from hedgerow.io.domains import Domain


@pytest.fixture
def education() -> EncodedHierarchy:
    """An uneven tree; "11th" and "MSc" do not occur, a missing value does.

    0 Any > 1 School > (2 Junior > 3 "9th", 4 "10th"), 5 "11th"
          > 6 University > 7 "BSc", 8 "MSc"
          > 9 missing
    """
    built = taxonomy({"Any": {"School": {"Junior": ["9th", "10th"], "11th": {}}, "University": ["BSc", "MSc"]}})
    return built.encode(Domain("education", "text", np.array(["10th", "9th", "BSc"]), has_missing=True))


def test_arrays_of_a_hand_solved_tree(education: EncodedHierarchy) -> None:
    assert education.labels == (
        "Any", "School", "Junior", "9th", "10th", "11th", "University", "BSc", "MSc", None,
    )  # fmt: skip
    assert education.parent.tolist() == [-1, 0, 1, 2, 2, 1, 0, 6, 6, 0]
    assert education.depth.tolist() == [0, 1, 2, 3, 3, 2, 1, 2, 2, 1]
    assert education.height == 3
    assert education.level.tolist() == [3, 2, 1, 0, 0, 0, 2, 0, 0, 0]
    assert education.leaf_count.tolist() == [6, 3, 2, 1, 1, 1, 2, 1, 1, 1]
    assert education.first_leaf.tolist() == [0, 0, 0, 0, 1, 2, 3, 3, 4, 5]
    assert education.last_leaf.tolist() == [6, 3, 2, 1, 2, 3, 5, 4, 5, 6]
    assert education.leaf_of.tolist() == [4, 3, 7, 9]
    assert education.order.tolist() == [1, 0, 2, 3]
    assert education.leaves.tolist() == [3, 4, 5, 7, 8, 9]
    assert education.root == 0
    assert not education.automatic
    assert education.low is None


def test_short_branches_wait_at_their_leaf(education: EncodedHierarchy) -> None:
    assert education.at_level.tolist() == [
        [4, 3, 7, 9],  # 10th, 9th, BSc, missing
        [2, 2, 7, 9],  # BSc is at depth 2 already
        [1, 1, 6, 9],
        [0, 0, 0, 0],
    ]


def test_arrays_are_small_integers(education: EncodedHierarchy) -> None:
    names = (
        "parent",
        "depth",
        "level",
        "leaf_count",
        "first_leaf",
        "last_leaf",
        "leaf_of",
        "order",
        "at_level",
    )
    assert {getattr(education, name).dtype for name in names} == {np.dtype(np.int32)}
    assert education.lca([3], [4]).dtype == np.int32


def test_lowest_common_ancestors(education: EncodedHierarchy) -> None:
    assert education.lca([3, 3, 3, 2, 4, 9, 5], [4, 5, 7, 3, 4, 9, 9]).tolist() == [2, 1, 0, 2, 4, 9, 0]
    assert education.lca(3, [4, 5]).tolist() == [2, 1]
    assert int(education.lca(7, 8)) == 6
    assert education.lca_of_range([0, 0, 3], [1, 2, 3]).tolist() == [2, 1, 7]
    assert education.lca_of_codes([0, 1, 2, 1, 0, 3, 2], [0, 2, 3, 5]).tolist() == [2, 7, 2, 0]


def test_lca_above_an_only_child_is_the_upper_node() -> None:
    chain = taxonomy({"*": {"a": {"b": ["x"]}, "y": []}}).encode(Domain("c", "text", np.array(["x", "y"])))
    a, b, x = (chain.labels.index(label) for label in "abx")
    assert chain.lca([a, x, x, a], [x, b, x, b]).tolist() == [a, b, x, a]


def test_written_as_a_nested_dict(education: EncodedHierarchy) -> None:
    nested = education.to_tree()
    assert nested == {
        "Any": {
            "School": {"Junior": {"9th": {}, "10th": {}}, "11th": {}},
            "University": {"BSc": {}, "MSc": {}},
        }
    }
    domain = Domain("education", "text", np.array(["10th", "9th", "BSc"]), has_missing=True)
    assert taxonomy(nested).encode(domain).labels == education.labels


def test_survives_pickling(education: EncodedHierarchy) -> None:
    education.lca(1, 2)
    again = pickle.loads(pickle.dumps(education))
    assert again.labels == education.labels
    assert again.lca(3, 5) == 1


def test_a_domain_without_values_has_only_the_root() -> None:
    encoded = encode_tree(Tree(("*",), (-1,)), [], Domain("c", "text", np.array([], dtype=str)), "nothing")
    assert encoded.labels == ("*",)
    assert encoded.leaf_count.tolist() == [0]
    assert encoded.at_level.shape == (1, 0)
    assert encoded.lca(0, 0) == 0


@dataclass
class Case:
    """A random tree, the leaves that occur (in the order of the codes), and its encoding."""

    tree: Tree
    leaves: list[int]
    encoded: EncodedHierarchy

    def path(self, node: int) -> list[int]:
        """The encoded nodes from one up to the root, by single steps."""
        path = [node]
        while self.encoded.parent[path[-1]] >= 0:
            path.append(int(self.encoded.parent[path[-1]]))
        return path


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(2, 40))
    parent = (
        -1,
        *(draw(st.integers(max(0, node - draw(st.integers(1, 40))), node - 1)) for node in range(1, size)),
    )
    tree = Tree(tuple(f"n{node}" for node in range(size)), parent)
    leaves = draw(st.lists(st.sampled_from(tree.leaves()), unique=True))
    labels = np.array([tree.labels[leaf] for leaf in leaves], dtype=np.str_)
    domain = Domain("c", "text", labels, has_missing=draw(st.booleans()))
    return Case(tree, leaves, encode_tree(tree, leaves, domain, "random"))


@given(cases())
def test_encoding_keeps_the_tree(case: Case) -> None:
    encoded = case.encoded
    number = {label: node for node, label in enumerate(encoded.labels) if label is not None}
    for node, above in enumerate(case.tree.parent):
        expected = -1 if above < 0 else number[case.tree.labels[above]]
        assert encoded.parent[number[case.tree.labels[node]]] == expected
    siblings = [n for n, above in enumerate(case.tree.parent) if above == 0]
    ranks = [number[case.tree.labels[n]] for n in siblings]
    assert ranks == sorted(ranks)
    assert [encoded.labels[leaf] for leaf in encoded.leaf_of[: len(case.leaves)]] == [
        case.tree.labels[leaf] for leaf in case.leaves
    ]
    assert all(encoded.parent[node] < node for node in range(len(encoded.parent)))


@given(cases())
def test_lca_is_the_first_common_node_of_both_walks(case: Case) -> None:
    nodes = range(len(case.encoded.parent))
    walks = [case.path(node) for node in nodes]
    expected = [[next(n for n in walks[a] if n in walks[b]) for b in nodes] for a in nodes]
    everyone = np.arange(len(nodes))
    assert case.encoded.lca(everyone[:, None], everyone[None, :]).tolist() == expected


@given(cases(), st.data())
def test_lca_of_a_group_is_the_lowest_node_above_all_of_it(case: Case, data: st.DataObject) -> None:
    codes = range(len(case.encoded.leaf_of))
    if not codes:
        return
    group = data.draw(st.lists(st.sampled_from(codes), min_size=1))
    walks = [case.path(int(case.encoded.leaf_of[code])) for code in group]
    expected = next(node for node in walks[0] if all(node in walk for walk in walks))
    assert case.encoded.lca_of_codes(group, [0]).tolist() == [expected]


@given(cases())
def test_counts_ranges_and_levels_agree_with_walks(case: Case) -> None:
    encoded = case.encoded
    inner = set(encoded.parent.tolist())
    leaves = [node for node in range(1, len(encoded.parent)) if node not in inner]
    assert encoded.leaves.tolist() == leaves
    assert encoded.height == max(len(case.path(leaf)) - 1 for leaf in leaves)
    for node in range(len(encoded.parent)):
        below = [at for at, leaf in enumerate(leaves) if node in case.path(leaf)]
        assert encoded.leaf_count[node] == len(below)
        assert list(range(encoded.first_leaf[node], encoded.last_leaf[node])) == below
        assert encoded.depth[node] == len(case.path(node)) - 1
        assert encoded.level[node] == (0 if node in leaves else encoded.height - encoded.depth[node])
        assert encoded.codes_below(np.array([node])).codes(0).tolist() == [
            at for at, leaf in enumerate(encoded.leaf_of) if node in case.path(int(leaf))
        ]


@given(cases())
def test_each_level_is_coarser_than_the_one_before(case: Case) -> None:
    encoded = case.encoded
    assert encoded.at_level.shape == (encoded.height + 1, len(encoded.leaf_of))
    assert (encoded.at_level[0] == encoded.leaf_of).all()
    assert (encoded.at_level[-1] == encoded.root).all()
    for row, (fine, coarse) in enumerate(zip(encoded.at_level, encoded.at_level[1:], strict=False), start=1):
        for code, leaf in enumerate(encoded.leaf_of.tolist()):
            walk = case.path(leaf)[::-1]
            assert coarse[code] == walk[min(encoded.depth[leaf], encoded.height - row)]
        together = {(int(f), int(c)) for f, c in zip(fine, coarse, strict=True)}
        assert len(together) == len(set(fine.tolist()))


@given(cases())
def test_order_ranks_the_codes_by_leaf_and_missing_last(case: Case) -> None:
    encoded = case.encoded
    assert sorted(encoded.order.tolist()) == list(range(len(encoded.leaf_of)))
    assert (np.argsort(encoded.position) == np.argsort(encoded.order)).all()
    if None in encoded.labels:
        assert encoded.order[-1] == len(encoded.order) - 1
        assert encoded.parent[encoded.leaf_of[-1]] == encoded.root
        assert encoded.leaves[-1] == encoded.leaf_of[-1]


def test_codes_below_several_nodes(education: EncodedHierarchy) -> None:
    below = education.codes_below(np.array([0, 2, 5, 6, 9, 1]))
    assert [below.codes(node).tolist() for node in range(6)] == [[0, 1, 2, 3], [0, 1], [], [2], [3], [0, 1]]
