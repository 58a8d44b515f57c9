"""A recoding without some of its groups, whose records are lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Bools, Ints
from hedgerow.errors import required
from hedgerow.recoding.node_router import NodeRouter
from hedgerow.recoding.recoding import Recoding

__all__ = ["without_groups"]


def without_groups(recoding: Recoding, lost: Bools) -> Recoding:
    """Lose the records of some groups, not of all; what only they published is not published.

    Unseen rows that would come to one of them come to none.
    """
    pieces = required(recoding.pieces, "the pieces of a recoding")
    groups = recoding.groups[~lost].copy()
    columns, new_values = [], []
    for at, column in enumerate(recoding.columns):
        used = np.unique(groups[:, at]).astype(np.int64)
        new_values.append(_places(len(column), used))
        groups[:, at] = new_values[-1][groups[:, at]]
        columns.append(column.only(used))
    new_group = _places(len(lost), np.flatnonzero(~lost))
    router = recoding.router
    if router is not None:
        router = router.renumbered(new_values) if isinstance(router, NodeRouter) else router.renumbered(new_group)
    return replace(
        recoding,
        columns=tuple(columns),
        groups=groups,
        sizes=recoding.sizes[~lost],
        pieces=replace(pieces, group=np.where(pieces.group < 0, -1, new_group[pieces.group]).astype(np.int32)),
        router=router,
        by_label=None if recoding.by_label is None else recoding.by_label.without(lost),
    )


def _places(size: int, kept: NDArray[np.integer]) -> Ints:
    """The new place of each of so many things, -1 if it is not kept."""
    result = np.full(size, -1, dtype=np.int32)
    result[kept] = np.arange(len(kept), dtype=np.int32)
    return result
