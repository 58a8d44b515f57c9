"""Limits on the levels of a hierarchy: none of its labels may be finer than one level, or coarser than another.

The nodes of the finest level take the place of the values, as text, whatever the column holds. So whoever works with
them can publish nothing finer.

A missing value is directly below the root. It stays as it is at every level but the highest, where it is ``*``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.errors import BadInput
from hedgerow.hierarchies.encoded import EncodedHierarchy, Tree, encode_tree
from hedgerow.io.domains import Domain

__all__ = ["Nodes", "finest_nodes", "limited"]


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
    if (finest, coarsest) == (0, hierarchy.height):
        return hierarchy
    shown = f"level {finest}" if finest == coarsest else f"levels {finest} to {coarsest}"
    description = f"{hierarchy.description}, published at {shown} of {hierarchy.height}"
    return replace(hierarchy, limits=(finest, coarsest), description=description)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes at the finest level of a hierarchy as the values of a column.

    Attributes
    ----------
    domain : Domain
        The labels of the nodes, as text.
    hierarchy : EncodedHierarchy
        The hierarchy from its root down to these nodes, for that domain. All its levels may be published.
    code : int array (codes of the original domain,)
        The node of each original value, as a code.
    node : int array (nodes of ``hierarchy``,)
        The original number of each node.
    of_code : int array (domain.size,)
        The same of each code.
    """

    domain: Domain
    hierarchy: EncodedHierarchy
    code: Ints
    node: Ints
    of_code: Ints


def finest_nodes(hierarchy: EncodedHierarchy, domain: Domain) -> Nodes:
    """Make the nodes at the finest level of a hierarchy values.

    Parameters
    ----------
    hierarchy : EncodedHierarchy
    domain : Domain
        The values that it was encoded for.

    Examples
    --------
    >>> from hedgerow.hierarchies import masking
    >>> zips = Domain("zip", "text", np.array(["011", "012", "021"]))
    >>> nodes = finest_nodes(limited(masking().encode(zips), (1, 2), "zip"), zips)
    >>> nodes.domain.labels.tolist(), nodes.code.tolist(), nodes.hierarchy.labels
    (['01*', '02*'], [0, 0, 1], ('*', '0**', '01*', '02*'))
    """
    of_value = hierarchy.at_level[hierarchy.finest]
    has_missing = domain.has_missing and hierarchy.finest < hierarchy.height
    known = np.unique(of_value[: len(domain.labels)])
    labels = np.array([str(hierarchy.labels[node]) for node in known.tolist()], dtype=np.str_)
    order = np.argsort(labels, kind="stable")
    kept, leaf_of = _kept_nodes(hierarchy, known)
    nodes = Domain(domain.name, "text", labels[order], has_missing=has_missing)
    encoded = encode_tree(_tree(hierarchy, kept), leaf_of[order], nodes, hierarchy.description)
    # The missing value is the last leaf of both.
    missing = [int(hierarchy.leaf_of[domain.missing_code])] if has_missing else []
    of_code = np.append(known[order], missing).astype(np.int32)
    code_of_node = np.zeros(len(hierarchy.parent), dtype=np.int32)
    code_of_node[of_code] = np.arange(len(of_code), dtype=np.int32)
    return Nodes(
        nodes,
        replace(encoded, source=hierarchy.source, limits=(0, encoded.height)),
        code_of_node[of_value],
        np.append(kept, missing).astype(np.int32),
        of_code,
    )


def _kept_nodes(hierarchy: EncodedHierarchy, known: Ints) -> tuple[Ints, Longs]:
    """Some nodes and all above them in depth-first order, and the places of the former among them.

    If the root is one of the former, it is there twice: as itself, and as the only value below it.
    """
    if len(known) == 1 and known[0] == hierarchy.root:
        return np.array([hierarchy.root] * 2, dtype=np.int32), np.array([1])
    kept = {hierarchy.root}
    for node in known.tolist():
        above = node
        while above not in kept:
            kept.add(above)
            above = int(hierarchy.parent[above])
    nodes = np.array(sorted(kept), dtype=np.int32)
    return nodes, np.searchsorted(nodes, known)


def _tree(hierarchy: EncodedHierarchy, kept: Ints) -> Tree:
    """The tree of some nodes in depth-first order, the root first."""
    place = {node: at for at, node in reversed(list(enumerate(kept.tolist())))}
    labels = tuple(str(hierarchy.labels[node]) for node in kept.tolist())
    parent = [place.get(int(hierarchy.parent[node]), 0) for node in kept.tolist()]
    return Tree(labels, (-1, *parent[1:]))
