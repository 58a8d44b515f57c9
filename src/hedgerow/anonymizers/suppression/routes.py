"""Where unseen rows go: down the tree to the leaf they belong to, and from there up to the nearest group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.suppression._routes import Questions, cut_chains
from hedgerow.counts import FrequencyTable
from hedgerow.recoding import CutTree
from hedgerow.trees.paths import PathTree

__all__ = ["cuts_of"]


def cuts_of(tree: PathTree, group_of_node: NDArray[np.int32], counts: FrequencyTable) -> CutTree:
    """The tree as binary cuts: a threshold, or one value against the rest.

    Parameters
    ----------
    tree : PathTree
    group_of_node : int array (nodes,)
        The group that a node published, -1 if none.
    counts : FrequencyTable
        Whose quasi-identifiers the tree asks.
    """
    domains = [counts.domains[name] for name in counts.quasi]
    cuts = cut_chains(
        Questions(tree.column, tree.parent, tree.first, tree.threshold, tree.start, tree.lookup),
        group_of_node,
        np.array([domain.size for domain in domains], dtype=np.int64),
        np.array([domain.missing_code for domain in domains], dtype=np.int64),
    )
    orders = tuple(np.arange(domain.size, dtype=np.int32) for domain in domains)
    return CutTree(cuts.column, cuts.threshold, cuts.single, cuts.left, cuts.right, orders)
