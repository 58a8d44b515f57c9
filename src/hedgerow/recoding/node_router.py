"""Where the cells of unseen rows go in a global recoding: each to the published node at or above its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Floats, Ints
from hedgerow.domains import Domain
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy, nodes_above

__all__ = ["ColumnMap", "NodeRouter"]


@dataclass(frozen=True, eq=False)
class ColumnMap:
    """Where the values of one column go.

    Attributes
    ----------
    hierarchy : EncodedHierarchy
    published : int array (nodes,)
        The published value at or above each node of the hierarchy, -1 if there is none.
    """

    hierarchy: EncodedHierarchy
    published: Ints

    def values(self, known: Domain, new: Domain) -> Ints:
        """The published value of each code of another domain, -1 for what has none."""
        result = np.full(new.size, NOWHERE, dtype=np.int32)
        if new.has_missing and known.has_missing:
            result[-1] = self.published[self.hierarchy.leaf_of[known.missing_code]]
        if not len(new.labels):
            return result
        scale: NDArray[Any] = known.labels
        values: NDArray[Any] = new.labels
        if known.kind != "text" and known.numbers is not None and new.numbers is not None:
            scale, values = known.numbers, new.numbers
        found = np.minimum(np.searchsorted(scale, values), len(scale) - 1)
        seen = scale[found] == values
        result[: len(found)][seen] = self.published[self.hierarchy.leaf_of[found[seen]]]
        unseen = np.flatnonzero(~seen)
        if len(unseen):
            nodes = nodes_above(self.hierarchy, known, new.only(unseen), self.hierarchy.source)
            result[unseen] = np.where(nodes >= 0, self.published[nodes], NOWHERE)
        return result


@dataclass(frozen=True, eq=False)
class NodeRouter:
    """The columns' maps; rows are recoded cell by cell, not sent to groups."""

    maps: tuple[ColumnMap, ...]

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], None]:  # noqa: ARG002
        """Nothing: an automatic hierarchy holds values that no group publishes."""
        return {}, None

    def renumbered(self, new_values: Sequence[Ints]) -> NodeRouter:
        """The same after the published values of each column have got other places, -1 for those that are no more."""
        return NodeRouter(
            tuple(
                replace(one, published=np.where(one.published < 0, NOWHERE, new[one.published]).astype(np.int32))
                for one, new in zip(self.maps, new_values, strict=True)
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """The maps as JSON."""
        return {"kind": "nodes", "maps": [_map_to_dict(one) for one in self.maps]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> NodeRouter:
        """Read what :meth:`to_dict` wrote; hierarchies made of the values themselves no longer know unseen ones."""
        return cls(tuple(_map_from_dict(one) for one in stored["maps"]))


_INTS = ("parent", "depth", "level", "leaf_count", "first_leaf", "last_leaf", "leaf_of", "order", "at_level")


def _map_to_dict(one: ColumnMap) -> dict[str, Any]:
    hierarchy = one.hierarchy
    return {
        "labels": list(hierarchy.labels),
        **{name: getattr(hierarchy, name).tolist() for name in _INTS},
        "height": hierarchy.height,
        "description": hierarchy.description,
        "low": _ends_to_list(hierarchy.low),
        "high": _ends_to_list(hierarchy.high),
        "published": one.published.tolist(),
    }


def _ends_to_list(ends: Floats | None) -> list[float | str | None] | None:
    """Ends of intervals as JSON has them: it knows neither nan nor what is infinite, which becomes a text."""
    if ends is None:
        return None
    return [None if np.isnan(end) else end if np.isfinite(end) else str(end) for end in ends.tolist()]


def _map_from_dict(stored: Mapping[str, Any]) -> ColumnMap:
    ends: dict[str, Any] = {
        name: None if stored[name] is None else np.array(stored[name], dtype=np.float64) for name in ("low", "high")
    }
    arrays: dict[str, Any] = {name: np.array(stored[name], dtype=np.int32) for name in _INTS if name != "at_level"}
    hierarchy = EncodedHierarchy(
        labels=tuple(stored["labels"]),
        **arrays,
        height=stored["height"],
        description=stored["description"],
        **ends,
    )
    return ColumnMap(hierarchy, np.array(stored["published"], dtype=np.int32))
