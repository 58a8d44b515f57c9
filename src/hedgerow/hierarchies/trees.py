"""Trees of labels, from levels or by hand, and their encoding into integer arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.domains import Domain
from hedgerow.hierarchies.encoded import EncodedHierarchy, NodeLabels

__all__ = ["LevelTree", "NotNestedError", "Tree", "encode_tree", "tree_of_levels"]


@dataclass(frozen=True)
class Tree:
    """Labels and parents; the root comes first, a parent before its children, siblings in their order."""

    labels: tuple[str, ...]
    parent: tuple[int, ...]

    def leaves(self) -> list[int]:
        """The nodes without children, in the order of the tree's numbering."""
        inner = set(self.parent)
        return [node for node in range(1, len(self.parent)) if node not in inner]


class NotNestedError(ValueError):
    """Two rows agree on a level but not on the next coarser one."""

    def __init__(self, row: int, earlier: int) -> None:
        super().__init__(f"row {row} contradicts row {earlier}")
        self.row = row
        self.earlier = earlier


@dataclass(frozen=True, eq=False)
class LevelTree:
    """A tree made of levels, with the node of every row at each level and the first row of every node."""

    tree: Tree
    nodes: Ints
    """``nodes[0]`` are the rows' leaves, ``nodes[-1]`` is the root throughout."""
    first_row: Longs


def tree_of_levels(values: Sequence[str], levels: Sequence[Sequence[str]], root: str = "*") -> LevelTree:
    """Build a tree of equal depth from levels, finest first.

    Row ``i`` is ``values[i]`` below ``levels[0][i]`` below ``levels[1][i]`` and so on. Values are taken to
    differ; on a level, equal labels are one node. Siblings stand in the order of their first rows.

    Raises
    ------
    NotNestedError
        If a label has two parents.

    Examples
    --------
    >>> tree_of_levels(["a", "b", "c"], [["x", "y", "x"]]).tree
    Tree(labels=('*', 'x', 'y', 'a', 'b', 'c'), parent=(-1, 0, 0, 1, 2, 1))
    """
    rows = len(values)
    above = np.zeros(rows, dtype=np.int32)
    nodes = [above]
    labels, parents = [root], [-1]
    first_rows = [np.zeros(1, dtype=np.int64)]
    for level in reversed(levels):
        numbers: dict[str, int] = {}
        group = np.fromiter((numbers.setdefault(label, len(numbers)) for label in level), np.int32, rows)
        first = np.empty(len(numbers), dtype=np.int64)
        first[group[::-1]] = np.arange(rows)[::-1]
        wrong = np.flatnonzero(above != above[first][group])
        if len(wrong):
            raise NotNestedError(int(wrong[0]), int(first[group[wrong[0]]]))
        parents += above[first].tolist()
        above = group + np.int32(len(labels))
        labels += numbers
        nodes.append(above)
        first_rows.append(first)
    parents += above.tolist()
    nodes.append(np.arange(len(labels), len(labels) + rows, dtype=np.int32))
    labels += values
    first_rows.append(np.arange(rows))
    tree = Tree(tuple(labels), tuple(parents))
    return LevelTree(tree, np.stack(nodes[::-1]), np.concatenate(first_rows))


def encode_tree(
    tree: Tree, leaf_of: ArrayLike, domain: Domain, description: str, *, bounds: tuple[Floats, Floats] | None = None
) -> EncodedHierarchy:
    """Encode a tree for a domain; the missing value, if it occurs, becomes the last leaf below the root.

    Parameters
    ----------
    tree : Tree
        The tree without the missing leaf.
    leaf_of : array of int
        The tree's leaf of each code, without the missing one. A leaf is named as the domain names the value.
    domain : Domain
        The values.
    description : str
        One phrase for a report.
    bounds : pair of arrays, optional
        Low and high end of each node of the tree.
    """
    codes = np.asarray(leaf_of, dtype=np.int32)
    given = np.asarray(tree.parent, dtype=np.int32)
    place = np.full(len(given), -1, dtype=np.int32)
    place[codes] = np.arange(len(codes))
    unused = np.flatnonzero(place < 0)
    place[unused] = -1 - np.arange(len(unused))
    others: list[str | None] = [tree.labels[node] for node in unused.tolist()]
    if domain.has_missing:
        codes = np.append(codes, np.int32(len(given)))
        place = np.append(place, np.int32(-1 - len(others)))
        others.append(None)
        given = np.append(given, np.int32(0))

    steps = _depths(given)
    rank = _depth_first_ranks(given, steps)
    node_at = np.argsort(rank)
    parent = np.where(given[node_at] < 0, -1, rank[given[node_at]]).astype(np.int32)
    depth = steps[node_at]
    height = int(depth.max())
    is_leaf = np.ones(len(parent), dtype=bool)
    is_leaf[parent[1:]] = False
    is_leaf[0] = False
    leaf_count = _sums_below(parent, depth, is_leaf.astype(np.int32))
    first_leaf = (np.cumsum(is_leaf) - is_leaf).astype(np.int32)
    leaf_of_code = rank[codes]

    order = np.empty(domain.size, dtype=np.int32)
    order[np.argsort(first_leaf[leaf_of_code])] = np.arange(domain.size, dtype=np.int32)
    low, high = (None, None) if bounds is None else (_padded(end, len(given))[node_at] for end in bounds)
    return EncodedHierarchy(
        labels=NodeLabels(domain.labels, others, place[node_at]),
        parent=parent,
        depth=depth,
        level=np.where(is_leaf, 0, height - depth).astype(np.int32),
        leaf_count=leaf_count,
        first_leaf=first_leaf,
        last_leaf=first_leaf + leaf_count,
        leaf_of=leaf_of_code,
        order=order,
        height=height,
        description=description,
        low=low,
        high=high,
    )


def _depths(parent: Ints) -> Ints:
    """Count the steps of every node to the root, all nodes climbing at once."""
    depth = np.zeros(len(parent), dtype=np.int32)
    climbing = np.arange(1, len(parent), dtype=np.int32)
    at = parent[climbing]
    while len(climbing):
        depth[climbing] += 1
        onward = at > 0
        climbing, at = climbing[onward], parent[at[onward]]
    return depth


def _by_depth(depth: Ints) -> list[Longs]:
    """List the nodes of each depth."""
    return np.split(np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth))[:-1])


def _sums_below(parent: Ints, depth: Ints, own: Ints) -> Ints:
    """Add to each node's own number those of all nodes below it, from the deepest up."""
    total = own.copy()
    for nodes in reversed(_by_depth(depth)[1:]):
        np.add.at(total, parent[nodes], total[nodes])
    return total


def _depth_first_ranks(parent: Ints, depth: Ints) -> Ints:
    """Number the nodes depth-first, siblings in their given order.

    A node comes after its parent and after everything below its elder siblings, so its rank is the parent's
    plus 1 plus the sizes of the elder siblings' branches.
    """
    size = _sums_below(parent, depth, np.ones(len(parent), dtype=np.int32))
    families = np.argsort(parent, kind="stable")
    before = np.cumsum(size[families]) - size[families]
    starts = np.flatnonzero(np.diff(parent[families], prepend=-2))
    lengths = np.diff(starts, append=len(parent))
    elders = np.empty(len(parent), dtype=np.int64)
    elders[families] = before - np.repeat(before[starts], lengths)
    rank = np.zeros(len(parent), dtype=np.int32)
    for nodes in _by_depth(depth)[1:]:
        rank[nodes] = rank[parent[nodes]] + 1 + elders[nodes]
    return rank


def _padded(ends: Floats, nodes: int) -> Floats:
    """Give the missing leaf, which stands after the tree's own nodes, no ends."""
    return np.append(ends, np.full(nodes - len(ends), np.nan))
