"""Limits on the levels of a hierarchy: none of its labels may be finer than one level, or coarser than another.

The finest level is kept by what a method sees: the nodes of that level are its values. They are text, whatever the
column holds. The coarsest level divides the values, and the hierarchy of a part has the node above all of them as its
root. So a method that knows only a part can publish nothing finer, and nothing coarser.

A missing value is directly below the root. It stays as it is at every level but the highest, where it is ``*``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.errors import BadInput
from hedgerow.hierarchies.encoded import EncodedHierarchy, Tree, encode_tree
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["Nodes", "finest_nodes", "limited", "nodes_as_values"]


def limited(hierarchy: EncodedHierarchy, levels: tuple[int, int | None], column: str) -> EncodedHierarchy:
    """The hierarchy with its limits; refused if it has no such levels.

    Parameters
    ----------
    hierarchy : EncodedHierarchy
    levels : pair of int
        The finest and the coarsest level that may be published; the coarsest may be open.
    column : str
        The column, for errors.
    """
    finest, coarsest = levels[0], hierarchy.height if levels[1] is None else levels[1]
    if max(finest, coarsest) > hierarchy.height:
        raise BadInput(
            f"The levels of {column!r} are limited to {finest} to {coarsest}, and its hierarchy has the levels 0 to "
            f"{hierarchy.height}, where {hierarchy.height} is the top. Give levels that it has."
        )
    return replace(hierarchy, limits=None if (finest, coarsest) == (0, hierarchy.height) else (finest, coarsest))


def finest_nodes(hierarchy: EncodedHierarchy | None, domain: Domain) -> Nodes | None:
    """The nodes at the finest level of a limited hierarchy as values; ``None`` if values are published as they are."""
    if hierarchy is None or not hierarchy.finest:
        return None
    return nodes_as_values(hierarchy, domain, hierarchy.root, np.ones(domain.size, dtype=bool))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of a hierarchy as the values of a column.

    Attributes
    ----------
    domain : Domain
        The labels of the nodes, as text.
    hierarchy : EncodedHierarchy
        The part of the hierarchy from a root down to these nodes, for that domain.
    code : int array (codes of the original domain,)
        The node of each original value as a code; -1 for values that are not below the root.
    node : int array (nodes of the part,)
        The original number of each node.
    of_code : int array (domain.size,)
        The same of each code.
    """

    domain: Domain
    hierarchy: EncodedHierarchy
    code: Ints
    node: Ints
    of_code: Ints


def nodes_as_values(hierarchy: EncodedHierarchy, domain: Domain, root: int, occur: Bools) -> Nodes:
    """The nodes at the finest level of a hierarchy that are below a node, as values.

    Parameters
    ----------
    hierarchy : EncodedHierarchy
    domain : Domain
        The values that it was encoded for.
    root : int
        The highest node that may be published.
    occur : bool array (domain.size,)
        Which values are below the root; some are.

    Examples
    --------
    >>> from hedgerow.hierarchies import masking
    >>> zips = Domain("zip", "text", np.array(["011", "012", "021", "911"]))
    >>> encoded = limited(masking().encode(zips), (1, 2), "zip")
    >>> part = nodes_as_values(encoded, zips, encoded.at_level[2][0], np.array([True, True, True, False]))
    >>> part.domain.labels.tolist(), part.code.tolist(), part.hierarchy.labels
    (['01*', '02*'], [0, 0, 1, -1], ('0**', '01*', '02*'))
    """
    codes = np.flatnonzero(occur)
    nodes = hierarchy.at_level[hierarchy.finest][codes]
    missing = (
        hierarchy.leaf_of[domain.missing_code]
        if domain.has_missing and hierarchy.finest < hierarchy.height
        else hierarchy.root - 1
    )
    known = np.unique(nodes[nodes != missing])
    has_missing = bool((nodes == missing).any())
    labels = np.array([str(hierarchy.labels[node]) for node in known.tolist()], dtype=np.str_)
    in_order = np.argsort(labels, kind="stable")
    of_code = known[in_order]
    kept, leaf_of = _kept_nodes(hierarchy, root, known)
    if has_missing and root == missing:
        node = np.full(2, missing, dtype=np.int32)
    else:
        node = np.append(kept, np.full(int(has_missing), missing, dtype=np.int32)).astype(np.int32)
    part = Domain(domain.name, "text", labels[in_order], has_missing=has_missing)
    tree = _tree(hierarchy, kept)
    code_of_node = np.full(len(hierarchy.parent), -1, dtype=np.int32)
    code_of_node[of_code] = np.arange(len(of_code), dtype=np.int32)
    if has_missing:
        of_code = np.append(of_code, missing)
        code_of_node[missing] = part.missing_code
    code = np.full(domain.size, -1, dtype=np.int32)
    code[codes] = code_of_node[nodes]
    encoded = encode_tree(tree, leaf_of[in_order], part, hierarchy.description)
    return Nodes(part, replace(encoded, source=hierarchy.source), code, node, of_code.astype(np.int32))


def _kept_nodes(hierarchy: EncodedHierarchy, root: int, known: Ints) -> tuple[Ints, Longs]:
    """The nodes from a root down to some nodes in depth-first order, and the places of the latter among them.

    A root that is one of the nodes is there twice: once as itself, and once as the only value below it.
    """
    if len(known) == 1 and known[0] == root:
        return np.array([root, root], dtype=np.int32), np.array([1])
    kept = {root}
    for node in known.tolist():
        above = node
        while above not in kept:
            kept.add(above)
            above = int(hierarchy.parent[above])
    nodes = np.array(sorted(kept), dtype=np.int32)
    return nodes, np.searchsorted(nodes, known)


def _tree(hierarchy: EncodedHierarchy, kept: Ints) -> Tree:
    """The tree of some nodes in depth-first order."""
    place = {node: at for at, node in reversed(list(enumerate(kept.tolist())))}
    labels = tuple(SUPPRESSED_TEXT if (label := hierarchy.labels[node]) is None else label for node in kept.tolist())
    parent = [place.get(int(hierarchy.parent[node]), 0) for node in kept.tolist()]
    return Tree(labels, (-1, *parent[1:]))
