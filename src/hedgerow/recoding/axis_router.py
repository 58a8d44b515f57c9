"""Routing by meaning: rows go to the group whose part of a space their values fall in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.domains import Domain

__all__ = ["AxisRouter"]


@dataclass(frozen=True, eq=False)
class AxisRouter:
    """A binary tree of cuts across a space in which every value of a column has its place.

    A row is the point ``[share · Σ added, added of each column] - centre``. An unknown value has the place of the known
    one below it.

    Attributes
    ----------
    added : tuple of float arrays (codes, directions)
        What each value of a column adds.
    share : float
    centre : float array (dimensions,)
    normals : float array (nodes, dimensions)
        Across what a node cuts: points whose product with it is at most the threshold go left.
    threshold : float array (nodes,)
    left, right : int arrays (nodes,)
        The next node, or ``-1 - group``; 0, the root, where a row fits no group. A tree without nodes is group 0.
    """

    added: tuple[Floats, ...]
    share: float
    centre: Floats
    normals: Floats
    threshold: Floats
    left: Ints
    right: Ints

    def route(self, places: Sequence[Longs]) -> Ints:
        """Send rows down the tree, all rows a level at a time."""
        rows = len(places[0])
        if not len(self.left):
            return np.zeros(rows, dtype=np.int32)
        columns = [_added(one, spot) for one, spot in zip(self.added, places, strict=True)]
        points = np.column_stack([self.share * np.sum(columns, axis=0), *columns]) - self.centre
        at = np.zeros(rows, dtype=np.int32)
        moving = np.arange(rows)
        while len(moving):
            node = at[moving]
            along = np.einsum("rd,rd->r", points[moving], self.normals[node])
            at[moving] = np.where(along <= self.threshold[node], self.left[node], self.right[node])
            moving = moving[at[moving] > 0]
        return (-1 - at).astype(np.int32)

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], AxisRouter | None]:  # noqa: ARG002
        """None: what values add was learnt from everybody, so there is nothing that may be public."""
        return {}, None

    def renumbered(self, new_group: Ints) -> AxisRouter:
        """The same cuts; what led to a group that there is no more fits none."""
        left, right = (
            np.where(branch < 0, np.minimum(-1 - new_group[np.maximum(-1 - branch, 0)], 0), branch).astype(np.int32)
            for branch in (self.left, self.right)
        )
        return replace(self, left=left, right=right)

    def to_dict(self) -> dict[str, Any]:
        """The router as JSON."""
        return {
            "kind": "axes",
            "added": [one.tolist() for one in self.added],
            "share": self.share,
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> AxisRouter:
        """Read what :meth:`to_dict` wrote."""
        arrays: dict[str, Any] = {name: np.array(stored[name], dtype=kind) for name, kind in _ARRAYS.items()}
        dimensions = len(arrays["centre"])
        arrays["normals"] = arrays["normals"].reshape(-1, dimensions)
        directions = dimensions // (len(stored["added"]) + 1)
        added = tuple(np.array(one, dtype=np.float64).reshape(-1, directions) for one in stored["added"])
        return cls(added, float(stored["share"]), **arrays)


_ARRAYS = {
    "centre": np.float64,
    "normals": np.float64,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
}


def _added(added: Floats, places: Longs) -> Floats:
    """What the values at some places add: ``2 * code`` is a known value, one more an unknown one just above it."""
    code = np.clip(places // 2, 0, len(added) - 1)
    return added[code]
