"""Shares: how likely a record of a cell, or of a class, is at each node.

A leaf has the share of its values; every other node the sum of those below it. Where nothing is known of a cell but
the values that it may be, these share it, equally or by how often the column publishes each of them alone.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from hedgerow.arrays import Longs
from hedgerow.errors import InternalError
from hedgerow.learning.encoders.column import Column, Unknown
from hedgerow.learning.encoders.covers import Covers
from hedgerow.learning.encoders.nodes import ROOT
from hedgerow.proportions import Spread

__all__ = ["shares_of_classes", "shares_of_covers"]


def shares_of_covers(column: Column, covers: Covers, *, by_frequency: bool) -> csr_array:
    """The share of each node in every meaning, (meanings, nodes)."""
    whole = _below(column, covers.node[covers.whole], by_frequency)
    spread = _scaled(covers.spread[covers.parted], _selves(covers.node[covers.parted], len(column.nodes)))
    if by_frequency:
        spread = _scaled(covers.frequent[covers.parted], spread)
    stacked = _stacked(covers, whole, _expanded(column, spread, by_frequency))
    return csr_array(stacked @ column.nodes.up)


def shares_of_classes(column: Column, spread: Spread, classes: Longs, unknown: Unknown) -> csr_array:
    """The share of each node in some classes of a release, (classes, nodes)."""
    domain, nodes = spread.domain, column.nodes
    labels = domain.labels.tolist()
    numbers = np.array([column.number_of(label) for label in labels], dtype=np.float64)
    node, _ = column.place(labels, numbers, unknown)
    if domain.has_missing and nodes.missing < 0:
        column.refuse_unknown(1, unknown)
    node = np.append(node, max(nodes.missing, ROOT))
    at_node = _selves(node[: domain.size], len(nodes))
    records = csr_array(spread.matrix[classes] @ at_node)
    shares = _scaled(records, _selves(np.zeros(len(classes), dtype=np.int64), len(nodes)))
    return csr_array(_expanded(column, shares, by_frequency=False) @ nodes.up)


def _below(column: Column, at: Longs, by_frequency: bool) -> csr_array:
    """How the values at or below some nodes share them; where none is known, the leaves there do, by width."""
    nodes = column.nodes
    below = nodes.down[at]
    width = np.ones(len(nodes))
    if nodes.low is not None and nodes.high is not None:
        low, high = nodes.spans
        width = np.where(high > low, high - low, 1.0)
    leaves = _scaled(csr_array(below @ diags_array(nodes.bottom * width)), _selves(at, len(nodes)))
    shares = _scaled(csr_array(below @ diags_array(nodes.own)), leaves)
    return _scaled(csr_array(below @ diags_array(column.alone)), shares) if by_frequency else shares


def _expanded(column: Column, shares: csr_array, by_frequency: bool) -> csr_array:
    """What stands at a node with others below it is shared by what is there."""
    inner = ~column.nodes.bottom
    at = np.unique(shares.indices[inner[shares.indices]]).astype(np.int64)
    if not len(at):
        return shares
    moved = shares[:, at] @ _below(column, at, by_frequency)
    return csr_array(shares @ diags_array((~inner).astype(np.float64)) + moved)


def _selves(at: Longs, nodes: int) -> csr_array:
    """A row for each node with a 1 at the node itself."""
    return csr_array((np.ones(len(at)), at, np.arange(len(at) + 1)), shape=(len(at), nodes))


def _scaled(rows: csr_array, otherwise: csr_array) -> csr_array:
    """Make each row add up to 1; a row of nothing becomes the one to be taken otherwise."""
    total = np.asarray(rows.sum(axis=1)).ravel()
    empty = total <= 0
    factor = np.divide(1.0, total, out=np.zeros(len(total)), where=~empty)
    scaled = csr_array(diags_array(factor) @ rows) if len(total) else rows
    if not empty.any():
        return scaled
    return csr_array(scaled + diags_array(empty.astype(np.float64)) @ otherwise)


def _stacked(covers: Covers, whole: csr_array, parted: csr_array) -> csr_array:
    """Rows of nodes and rows of sets and intervals in the order of the meanings, in which nodes come first."""
    if not covers.whole[: whole.shape[0]].all():
        raise InternalError("the meanings of cells are not in their order")
    return csr_array(vstack([whole, parted], format="csr"))
