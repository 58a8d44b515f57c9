"""Trees as binary cuts, which recode unseen rows: each cut is a threshold, or one value against the rest.

A node becomes a chain of cuts. Each cut takes off one branch, and the remaining rows go to the last branch, or to the
nearest group above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hedgerow._internal.arrays import Bools, Ints, Longs, ranges
from hedgerow.anonymizers.trees.nodes.arrays import TreeView
from hedgerow.anonymizers.trees.nodes.generalized import ABSENT, GeneralizedAttribute, GeneralizingTree
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.core.recoding import CutTree
from hedgerow.io.domains import Domain

__all__ = ["cuts_of_leaves", "cuts_of_paths"]


def cuts_of_paths(tree: PathTree, group_of_node: Ints, domains: Sequence[Domain]) -> CutTree:
    """Make cuts that send rows down to their leaf, and from there up to the nearest group.

    A value without a branch, or with a branch that published nothing, goes to the nearest group above. Nodes that send
    all rows there are left out. O(nodes × depth + values that nodes ask).

    Parameters
    ----------
    tree : PathTree
    group_of_node : int array (nodes,)
        The group that a node published, -1 if none.
    domains : sequence of Domain
        The domains of the columns that the tree asks.
    """
    near = np.arange(tree.size)  # the nearest node with a group, at or above; -1 if none
    while (going := (near >= 0) & (group_of_node[near] < 0)).any():
        near[going] = tree.parent[near[going]]
    carries = np.zeros(tree.size, dtype=np.bool_)  # whether there is a group at or below
    here = np.flatnonzero(group_of_node >= 0)
    while len(here):
        carries[here] = True
        here = np.unique(tree.parent[here[here > 0]])
        here = here[~carries[here]]
    asking = np.flatnonzero(tree.column >= 0)
    by_value = asking[tree.start[asking] >= 0]
    sizes = np.array([domain.size for domain in domains], dtype=np.int64)[tree.column[by_value]]
    places, owner = ranges(tree.start[by_value], sizes)
    node, branch = by_value[owner], tree.lookup[places].astype(np.int64)
    code, child = places - tree.start[node], tree.first[node] + branch
    leads = (branch >= 0) & carries[child]

    numbers = asking[tree.start[asking] < 0]
    above_group = np.zeros(tree.size, dtype=np.bool_)
    above_group[tree.parent[1:][carries[1:]]] = True
    numbers = numbers[above_group[numbers]]
    missing = np.array([domain.missing_code for domain in domains], dtype=np.int64)[tree.column[numbers]]
    third = numbers[missing >= 0]
    chains = _Chains(tree)
    chains.add(node[leads], code[leads], child[leads], single=True)
    chains.add(third, missing[missing >= 0], tree.first[third] + 2, single=True)
    chains.add(numbers, tree.threshold[numbers], tree.first[numbers], single=False)
    last = np.full(tree.size, -1, dtype=np.int64)
    last[numbers] = tree.first[numbers] + 1
    group = np.where(near >= 0, group_of_node[near], -1)
    return chains.cuts(group, last, tuple(np.arange(domain.size, dtype=np.int32) for domain in domains))


def cuts_of_leaves(tree: GeneralizingTree, leaves: Longs) -> CutTree:
    """Make cuts that send rows to their leaf, which is their group; a value without branch goes to the last branch."""
    asked = set(tree.column.tolist())
    orders = tuple(_order(attribute, at in asked) for at, attribute in enumerate(tree.attributes))
    chains = _Chains(tree)
    last = np.full(tree.size, -1, dtype=np.int64)
    for node in np.flatnonzero(tree.column >= 0).tolist():
        last[node] = _add_chain(chains, tree, node, orders[tree.column[node]])
    group = np.full(tree.size, -1, dtype=np.int64)
    group[leaves] = np.arange(len(leaves))
    return chains.cuts(group, last, orders)


class _Chains:
    """Collects cuts: the node of each, its threshold or value, whether it takes a single value, and the child."""

    def __init__(self, tree: TreeView) -> None:
        self._tree = tree
        self._parts: list[tuple[Longs, Longs, Longs, Bools]] = []

    def add(self, node: int | Longs, threshold: ArrayLike, child: ArrayLike, *, single: bool) -> None:
        """Append cuts to the chain of one node, or to the chains of several nodes."""
        below = np.asarray(child, dtype=np.int64)
        nodes = np.full(len(below), node, dtype=np.int64)
        self._parts.append((nodes, np.asarray(threshold, dtype=np.int64), below, np.full(len(below), single)))

    def cuts(self, group: Longs, last: Longs, orders: tuple[Ints, ...]) -> CutTree:
        """Concatenate the chains, that of the root first, so that cut 0 never follows another cut.

        ``group`` is the group of a node without cuts; ``last`` is the branch at the end of a chain, or -1 for the group
        of the node.
        """
        nothing = np.empty(0, dtype=np.int64)
        node, threshold, child, single = (
            np.concatenate([nothing, *(part[at] for part in self._parts)]) for at in range(4)
        )
        order = np.argsort(node, kind="stable")
        node, threshold, child, single = node[order], threshold[order], child[order], single[order]
        length = np.bincount(node, minlength=len(group))
        entry = np.where(length > 0, np.cumsum(length) - length, -1 - group)
        right = np.arange(1, len(node) + 1)
        ends = np.flatnonzero(np.diff(node, append=-1))
        right[ends] = np.where(last[node[ends]] < 0, -1 - group[node[ends]], entry[last[node[ends]]])
        return CutTree(
            self._tree.column[node].astype(np.int32),
            threshold.astype(np.int32),
            single.astype(np.bool_),
            entry[child].astype(np.int32),
            right.astype(np.int32),
            orders,
        )


def _order(attribute: GeneralizedAttribute, asked: bool) -> Ints:
    """Return the rank of each code; in a taxonomy of categories, codes below a node have successive ranks."""
    if asked and attribute.domain.kind == "text" and attribute.hierarchy.height > 1:
        return attribute.hierarchy.order
    return np.arange(attribute.domain.size, dtype=np.int32)


def _add_chain(chains: _Chains, tree: GeneralizingTree, node: int, order: Ints) -> int:
    """Add the cuts that separate the branches of a node; return the last branch."""
    attribute, children = tree.attributes[tree.column[node]], tree.children(node)
    missing = attribute.domain.missing_code

    if attribute.by_threshold:
        absent = [child for child in children if tree.answers[child] == ABSENT]
        chains.add(node, [missing] * len(absent), absent, single=True)
        chains.add(node, [int(tree.threshold[node])], [children[0]], single=False)
        return children[1]
    codes = np.arange(attribute.domain.size, dtype=np.int32)
    branch = tree.branch_of(node, attribute.places(codes))
    if attribute.domain.kind == "text" and np.array_equal(order, codes):
        # The alphabet gives unknown categories a place among the codes, but must not decide where they go.
        last = max(children, key=lambda child: float(tree.counts[child].sum()))
        apart = codes[(branch >= 0) & (branch != last - children[0])]
        chains.add(node, apart, [children[at] for at in branch[apart]], single=True)
        return last
    if missing >= 0 and branch[missing] >= 0:
        chains.add(node, [int(order[missing])], [children[branch[missing]]], single=True)
    known = codes[(branch >= 0) & (codes != missing)]
    known = known[np.argsort(order[known])]
    ends = known[np.flatnonzero(np.diff(branch[known]))]
    chains.add(node, order[ends], [children[at] for at in branch[ends]], single=False)
    return children[int(branch[known[-1]])]
