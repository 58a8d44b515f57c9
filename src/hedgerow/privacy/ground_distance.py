"""The three ground distances of t-closeness (Li et al. 2007), each as a tree with lengths.

Equal: a star, every value half a unit from its middle. Ordered: a chain of the values. Hierarchical: the
taxonomy itself, a node's edge as long as it is lower than its parent. One kernel then does for all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from hedgerow.errors import BadInput, amount
from hedgerow.privacy.binding import GroundDistance, SensitiveColumn
from hedgerow.values import number_text

__all__ = ["equal_distance", "hierarchical_distance", "label_of", "leaves_of", "ordered_distance"]


def label_of(value: object) -> str:
    """Write a value of an order or a tree as the label it has in a domain."""
    return number_text(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def equal_distance(column: SensitiveColumn) -> GroundDistance:
    """Place any two different values 1 apart.

    >>> from hedgerow.domains import Domain
    >>> column = SensitiveColumn(Domain("ill", "text", np.array(["no", "yes"])), np.array([3, 1]))
    >>> equal_distance(column).weight.tolist()
    [0.5, 0.5, 0.0]
    """
    values = column.domain.size
    parent = np.full(values + 1, values, dtype=np.int64)
    parent[-1] = -1
    weight = np.full(values + 1, 0.5)
    weight[-1] = 0.0
    return GroundDistance(np.arange(values, dtype=np.int64), parent, weight)


def ordered_distance(column: SensitiveColumn, order: Sequence[str] | None = None) -> GroundDistance:
    """Place the i-th and the j-th of m values \\|i − j\\| / (m − 1) apart.

    The scale is ``order`` (all of it, whether or not a value occurs in the table), without it the values
    that occur in the order of their codes: numbers and dates by value, text by code point. A missing value
    is one step beyond the last.
    """
    domain = column.domain
    if order is None:
        place = np.arange(domain.size, dtype=np.int64)
        steps = domain.size
    else:
        place = np.full(domain.size, -1, dtype=np.int64)
        for position, label in enumerate(order):
            code = column.code_of(label)
            if code >= 0:
                place[code] = position
        steps = len(order) + domain.has_missing
        if domain.has_missing:
            place[domain.missing_code] = len(order)
        _check_covered(place, column, "order")
    parent = np.arange(1, steps + 1, dtype=np.int64)
    parent[-1:] = -1
    weight = np.full(steps, 1.0 / max(1, steps - 1))
    weight[-1:] = 0.0
    return GroundDistance(place, parent, weight)


def hierarchical_distance(column: SensitiveColumn, tree: Mapping[str, object]) -> GroundDistance:
    """Place two values as far apart as their lowest common ancestor is high, in units of the tree's height.

    The height of a node is the longest way down to a leaf, so that the distance is defined for ragged trees
    too; a missing value hangs directly under the root, at distance 1 from all others.
    """
    parent: list[int] = []
    height: list[int] = []
    leaves: dict[str, int] = {}

    def add(label: str, children: object) -> int:
        below = [add(child, under) for child, under in _children(children)]
        node = len(parent)
        parent.append(-1)
        height.append(1 + max(height[child] for child in below) if below else 0)
        for child in below:
            parent[child] = node
        if not below:
            leaves[label] = node
        return node

    domain = column.domain
    top = list(tree.items())
    rooted = len(top) == 1 and bool(list(_children(top[0][1])))
    root = add("", top[0][1] if rooted else tree)
    place = np.full(domain.size, -1, dtype=np.int64)
    for label, node in leaves.items():
        code = column.code_of(label)
        if code >= 0:
            place[code] = node
    if domain.has_missing:
        # The new leaf takes the root's number, and the root moves behind it.
        parent = [root + 1 if up == root else up for up in parent[:-1]] + [root + 1, -1]
        height.insert(root, 0)
        place[domain.missing_code] = root
    _check_covered(place, column, "tree")
    above = np.array(parent, dtype=np.int64)
    heights = np.array(height, dtype=np.float64)
    weight = np.zeros(len(above))
    weight[:-1] = (heights[above[:-1]] - heights[:-1]) / (2 * heights[-1])
    return GroundDistance(place, above, weight)


def leaves_of(tree: Mapping[str, object]) -> list[str]:
    """List the leaves of a nested tree, from left to right."""
    found: list[str] = []
    for label, children in _children(tree):
        below = dict(_children(children))
        found.extend(leaves_of(below) if below else [label])
    return found


def _children(children: object) -> Iterable[tuple[str, object]]:
    """Read the children of a node: a mapping goes on, a list holds leaves, nothing makes it a leaf."""
    if children is None:
        return []
    if isinstance(children, Mapping):
        return [(label_of(label), under) for label, under in children.items()]
    if not isinstance(children, list | tuple):
        raise BadInput.parameter(
            "tree", "TCloseness", "nested mappings that end in lists of values", type(children).__name__
        )
    found: list[tuple[str, object]] = []
    for child in children:
        found.extend(_children(child) if isinstance(child, Mapping) else [(label_of(child), None)])
    return found


def _check_covered(place: np.ndarray[tuple[int], np.dtype[np.int64]], column: SensitiveColumn, parameter: str) -> None:
    uncovered = int((place < 0).sum())
    if uncovered:
        raise BadInput(
            f"The {parameter!r} parameter of TCloseness leaves out {amount(uncovered, 'values')} of "
            f"{column.domain.name!r}. Write it so that it covers every value."
        )
