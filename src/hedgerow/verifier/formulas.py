"""The verifier's own formulas, from the histogram of a sensitive column in each class.

- k: the size of the class. L. Sweeney, "k-Anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.
- l, distinct, entropy and recursive: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam,
  "l-Diversity", ACM TKDD 1(1), 2007.
- p: T. M. Truta, B. Vinay, "Privacy protection: p-sensitive k-anonymity property", ICDE Workshops, 2006.
- α: R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, "(α, k)-Anonymity", KDD, 2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.verifier.classes import Floats, Histogram, Integers, LabelIndex, Labels, distinct, numbers_of, text_of

__all__ = [
    "distinct_values",
    "entropy_values",
    "equal_distance",
    "hierarchical_distance",
    "largest_share",
    "ordered_distance",
    "recursive_ratio",
    "share_of",
]


def distinct_values(histogram: Histogram) -> Integers:
    """Count the different values of each class: its distinct l, and its p."""
    return np.bincount(histogram.classes, minlength=histogram.number).astype(np.int64)


def entropy_values(histogram: Histogram) -> Floats:
    """Return exp(−Σ p log p) of each class: the l of entropy l-diversity, as a number of values."""
    shares = histogram.counts / histogram.totals[histogram.classes]
    return np.asarray(np.exp(-np.add.reduceat(shares * np.log(shares), histogram.starts)), dtype=np.float64)


def recursive_ratio(histogram: Histogram, l: int) -> Floats:  # noqa: E741 - the paper's letter
    """Return r₁ / (r_l + … + r_m) of each class, the counts in descending order.

    It is infinite with fewer than l values; recursive (c, l)-diversity asks that it is below c.
    """
    order = np.lexsort((-histogram.counts, histogram.classes))
    descending = histogram.counts[order]
    rank = np.arange(len(order)) - histogram.starts[histogram.classes]
    tail = np.add.reduceat(np.where(rank >= l - 1, descending, 0), histogram.starts)
    most = descending[histogram.starts]
    ratio = np.full(len(tail), np.inf)
    np.divide(most, tail, out=ratio, where=tail > 0)
    return ratio


def largest_share(histogram: Histogram, sizes: Integers) -> Floats:
    """Return the share of the most frequent value in each class: its α."""
    return np.asarray(np.maximum.reduceat(histogram.counts, histogram.starts) / sizes, dtype=np.float64)


def share_of(histogram: Histogram, sizes: Integers, code: int) -> Floats:
    """Return the share of one value in each class."""
    shares = np.zeros(len(sizes))
    held = histogram.values == code
    at = histogram.classes[held]
    shares[at] = histogram.counts[held] / sizes[at]
    return shares


# --------------------------------------------------------------------------------------------------
# The t of t-closeness is how far each class's distribution of a sensitive column is from the whole table's.
#
# The paper is N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy beyond k-anonymity and l-diversity", ICDE,
# 2007, section 4: the earth mover's distance with the equal, the ordered or the hierarchical ground distance. All
# three are computed on the values that occur in a class, not on all values of the column.


def equal_distance(histogram: Histogram) -> Floats:
    """Return half the sum of |p − q| for each class: any two values are 1 apart."""
    weights = np.full(len(histogram.labels), 0.5)
    return _surplus(histogram, np.arange(len(histogram.labels)), weights)


def ordered_distance(histogram: Histogram, order: Sequence[object] | None = None, *, column: str = "") -> Floats:
    """Return Σ |P − Q| / (m − 1) for each class, P and Q being cumulative shares along the scale of m values.

    The scale is ``order``, if it is given; else the values that occur, sorted by value in a column of numbers, and as
    text in others. A missing value is one step beyond the last.
    """
    place, steps = _scale(histogram.labels, order, column)
    if steps < 2:
        return np.zeros(histogram.number)
    overall = np.zeros(steps)
    overall[place] = histogram.overall / histogram.overall.sum()
    # Between two values of a class, its cumulative share is constant while that of the table rises. So the difference
    # changes its sign at most once there, at a point found by bisection.
    order_in_class = np.lexsort((place[histogram.values], histogram.classes))
    classes = histogram.classes[order_in_class]
    begin = place[histogram.values[order_in_class]]
    counts = histogram.counts[order_in_class]
    running = np.cumsum(counts)
    before = (running - counts)[histogram.starts]
    level = (running - before[classes]) / histogram.totals[classes]
    last = np.append(classes[1:] != classes[:-1], True)
    end = np.where(last, steps - 1, np.append(begin[1:], steps - 1))
    table = np.cumsum(overall)
    area = np.concatenate(([0.0], np.cumsum(table)))
    constant = _gap(table, area, begin, end, level)
    head = histogram.starts
    leading = _gap(table, area, np.zeros(len(head), dtype=np.int64), begin[head], np.zeros(len(head)))
    return np.asarray((np.add.reduceat(constant, head) + leading) / (steps - 1), dtype=np.float64)


def hierarchical_distance(histogram: Histogram, tree: object, *, column: str = "") -> Floats:
    """Return the distance over a tree for each class. The distance of two values is the height of their ancestor.

    The height of a node is its longest way down to a leaf, and the height of the root is the unit. The length of an
    edge is half of the difference of heights, so that the way between two leaves is the height of their lowest common
    ancestor. All of a subtree's surplus crosses the edge above it. A missing value hangs directly under the root.

    Parameters
    ----------
    histogram : Histogram
        Of the sensitive column.
    tree : nested tuples or nested mapping
        ``(label, (child, child, …))`` with leaves ``(value, ())``; or ``{"any": {"lung": ["asthma",
        "flu"]}}``.
    column : str
        The column, for messages.
    """
    root = _read_tree(tree)
    unit = max(1, root.height)
    total = np.zeros(histogram.number)
    paths = _paths(root, histogram.labels, column)
    for depth in range(max(len(path) for path in paths)):
        # A leaf that ends higher up has no edge here; its weightless stand-in adds nothing.
        numbers: dict[int, int] = {}
        node_of = np.zeros(len(paths), dtype=np.int64)
        lengths: list[float] = []
        for code, path in enumerate(paths):
            node, length = path[depth] if depth < len(path) else (-1, 0.0)
            if node not in numbers:
                numbers[node] = len(numbers)
                lengths.append(length / (2 * unit))
            node_of[code] = numbers[node]
        total += _surplus(histogram, node_of, np.array(lengths))
    return total


def _surplus(histogram: Histogram, node_of: Integers, weights: Floats) -> Floats:
    """Return Σ weight · |p − q| over the nodes into which the values fall, for each class.

    A node without a record in the class adds weight · q. So the sum starts as if all nodes were absent, and corrects
    the nodes that occur.
    """
    table = np.bincount(node_of, weights=histogram.overall, minlength=len(weights)) / histogram.overall.sum()
    nodes = node_of[histogram.values]
    pair, first = distinct([(histogram.classes, histogram.number), (nodes, len(weights))])
    counts = np.bincount(pair, weights=histogram.counts)
    classes, nodes = histogram.classes[first], nodes[first]
    share = counts / histogram.totals[classes]
    correction = weights[nodes] * (np.abs(share - table[nodes]) - table[nodes])
    sums = np.bincount(classes, weights=correction, minlength=histogram.number)
    return np.asarray(np.maximum(0.0, sums + float(weights @ table)), dtype=np.float64)


def _gap(table: Floats, area: Floats, begin: Integers, end: Integers, level: Floats) -> Floats:
    """Return Σ |level − table[i]| from ``begin`` to before ``end``; ``area`` sums the rising ``table``."""
    turn = np.clip(np.searchsorted(table, level), begin, end)
    below = level * (turn - begin) - (area[turn] - area[begin])
    above = (area[end] - area[turn]) - level * (end - turn)
    return np.asarray(below + above, dtype=np.float64)


def _scale(labels: Labels, order: Sequence[object] | None, column: str) -> tuple[Integers, int]:
    """Return the position of each label on the scale, and the number of positions."""
    place = np.full(len(labels), -1, dtype=np.int64)
    known = [code for code, label in enumerate(labels) if label is not None]
    if order is None:
        numbers = numbers_of([labels[code] for code in known])
        if numbers is not None:
            by_code = dict(zip(known, numbers, strict=True))
            known.sort(key=by_code.__getitem__)
        place[known] = np.arange(len(known))
        steps = len(known)
    else:
        index = LabelIndex(labels)
        for position, value in enumerate(order):
            code = index.find(value)
            if code is not None:
                place[code] = position
        steps = len(order)
        _check_covered(place[known], "order", column)
    missing = [code for code, label in enumerate(labels) if label is None and place[code] < 0]
    if missing:
        place[missing] = steps
        steps += 1
    return place, steps


@dataclass
class _Node:
    label: str | None
    children: list[_Node] = field(default_factory=list)

    @cached_property
    def height(self) -> int:
        return 1 + max(child.height for child in self.children) if self.children else 0


def _read_tree(tree: object) -> _Node:
    if isinstance(tree, Mapping):
        top = [_from_mapping(label, below) for label, below in tree.items()]
        return top[0] if len(top) == 1 and top[0].children else _Node(None, top)
    if isinstance(tree, tuple) and len(tree) == 2 and isinstance(tree[1], tuple):
        return _from_tuples(tree)
    raise BadInput("The hierarchical distance of a t-closeness needs a tree of its column. Give tree= to TCloseness.")


def _from_tuples(node: Any) -> _Node:
    label, children = node
    return _Node(text_of(label), [_from_tuples(child) for child in children])


def _from_mapping(label: object, below: object) -> _Node:
    if below is None:
        return _Node(text_of(label))
    if isinstance(below, Mapping):
        return _Node(text_of(label), [_from_mapping(name, under) for name, under in below.items()])
    listed = [below] if isinstance(below, str) or not isinstance(below, Iterable) else below
    return _Node(text_of(label), [_Node(text_of(leaf)) for leaf in listed])


def _paths(root: _Node, labels: Labels, column: str) -> list[list[tuple[int, float]]]:
    """Return for each label the edges from the root down to it: the node's identity and the edge's length."""
    paths: dict[int, list[tuple[int, float]]] = {}
    index = LabelIndex(labels)

    def walk(node: _Node, above: list[tuple[int, float]]) -> None:
        if not node.children:
            code = index.find(node.label)
            if code is not None:
                paths[code] = above
        for child in node.children:
            walk(child, [*above, (id(child), float(node.height - child.height))])

    walk(root, [])
    for code, label in enumerate(labels):
        if label is None and code not in paths:
            paths[code] = [(id(paths), float(max(1, root.height)))]
    place = np.array([0 if code in paths else -1 for code in range(len(labels))], dtype=np.int64)
    _check_covered(place, "tree", column)
    return [paths[code] for code in range(len(labels))]


def _check_covered(place: Integers, parameter: str, column: str) -> None:
    uncovered = int((place < 0).sum())
    if uncovered:
        raise BadInput(
            f"The {parameter!r} parameter of TCloseness leaves out values of the column {column!r} "
            f"({uncovered} of them). Write it so that it covers every value."
        )
