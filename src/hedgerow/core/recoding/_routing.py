"""Routers: they find the group of a row that the method has not seen when it was fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy, nodes_above
from hedgerow.io.domains import Domain

__all__ = [
    "AxisRouter",
    "ColumnMap",
    "CutTree",
    "NodeRouter",
    "PartRouter",
    "RoutedPart",
    "Router",
    "place",
    "places_of",
    "router_from_dict",
]


class Router(Protocol):
    """Sends rows to groups by the places of their values among the known values of the fitted table."""

    def route(self, places: Sequence[Longs]) -> Ints:
        """The group of each row, -1 if none fits; ``places`` has one array per quasi-identifier (see :func:`place`)."""
        ...

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], Router | None]:
        """The router and the domains without private values, or no router if that is impossible."""
        ...

    def renumbered(self, new_group: Ints) -> Router:
        """The router with new numbers of the groups, -1 for removed groups."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The router as JSON."""
        ...


def place(domain: Domain, texts: Sequence[str | None]) -> Longs:
    """The places of values in a domain: ``2 * code`` for a known value, one more for an unknown value just above it.

    An unknown value below all known values is at -1. A missing value has the domain's missing code, or lies above all
    values if no missing value was known; so does an unknown category in a column with a given order.
    """
    size = len(domain.labels)
    result = np.full(len(texts), 2 * size + 1, dtype=np.int64)
    known = np.array([text is not None for text in texts], dtype=bool)
    if domain.has_missing:
        result[~known] = 2 * domain.missing_code
    present = [text for text in texts if text is not None]
    if not present:
        return result
    if not size:
        result[known] = -1
        return result
    scale: NDArray[Any]
    values: NDArray[Any]
    if domain.numbers is not None and domain.kind == "number":
        scale, values = domain.numbers, np.array([_number(text) for text in present])
    else:
        scale, values = domain.labels, np.array(present, dtype=np.str_)
    # Categories with a given order stand in this order.
    order = np.argsort(scale, kind="stable")
    below = np.searchsorted(scale, values, side="right", sorter=order) - 1
    code = order[np.maximum(below, 0)]
    exact = (scale[code] == values) & (below >= 0)
    in_order = bool((order == np.arange(size)).all())
    result[known] = np.where(exact, 2 * code, 2 * below + 1 if in_order else 2 * size + 1)
    return result


def places_of(domain: Domain, new: Domain) -> Longs:
    """The places of the codes of another domain."""
    texts: list[str | None] = [*new.labels.tolist(), *[None] * new.has_missing]
    return place(domain, texts)


def _number(text: str) -> float:
    """The number that a text is; any other text lies above all numbers."""
    try:
        number = float(text)
    except ValueError:
        return np.inf
    return np.inf if np.isnan(number) else number


@dataclass(frozen=True, eq=False)
class CutTree:
    """A binary tree of cuts: ``rank <= threshold`` goes left, or ``rank == threshold`` where ``single`` is set.

    Attributes
    ----------
    column, threshold : int arrays (nodes,)
        The quasi-identifier that a node cuts and where, in ranks of ``orders``.
    single : bool array (nodes,)
        Whether the cut separates one value from the rest.
    left, right : int arrays (nodes,)
        The next node, or ``-1 - group``; 0 (the root, which is never next) if a row fits no group. A tree without nodes
        is the single group 0.
    orders : tuple of int arrays
        The rank of each domain code, per quasi-identifier.
    """

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints
    orders: tuple[Ints, ...]

    def route(self, places: Sequence[Longs]) -> Ints:
        """Send all rows down the tree, level by level."""
        rows = len(places[0])
        if not len(self.column):
            return np.zeros(rows, dtype=np.int32)
        ranks = np.stack([_ranks(spot, order) for spot, order in zip(places, self.orders, strict=True)], axis=1)
        at = np.zeros(rows, dtype=np.int32)
        moving = np.arange(rows)
        while len(moving):
            node = at[moving]
            rank = ranks[moving, self.column[node]]
            cut = 2 * self.threshold[node].astype(np.int64)
            goes_left = np.where(self.single[node], rank == cut, rank <= cut)
            at[moving] = np.where(goes_left, self.left[node], self.right[node])
            moving = moving[at[moving] > 0]
        return (-1 - at).astype(np.int32)

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], Router | None]:
        """The same cuts over domains that hold only the values the cuts name.

        A column that is cut in a hierarchy's order would need all its values to find the side: then there is no
        router.
        """
        if not all(np.array_equal(order, np.arange(len(order))) for order in self.orders):
            return {}, None
        threshold = self.threshold.copy()
        reduced: dict[str, Domain] = {}
        for at, domain in enumerate(domains):
            here = self.column == at
            named = np.unique(self.threshold[here])
            threshold[here] = np.searchsorted(named, self.threshold[here])
            reduced[domain.name] = domain.only(named)
        orders = tuple(np.arange(reduced[domain.name].size, dtype=np.int32) for domain in domains)
        return reduced, replace(self, threshold=threshold, orders=orders)

    def renumbered(self, new_group: Ints) -> CutTree:
        """The same cuts; rows of a removed group fit no group."""
        left, right = (
            np.where(branch < 0, np.minimum(-1 - new_group[np.maximum(-1 - branch, 0)], 0), branch).astype(np.int32)
            for branch in (self.left, self.right)
        )
        return replace(self, left=left, right=right)

    def to_dict(self) -> dict[str, Any]:
        """The tree as JSON."""
        arrays = {name: getattr(self, name).tolist() for name in _CUT_ARRAYS}
        return {"kind": "cuts", **arrays, "orders": [order.tolist() for order in self.orders]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> CutTree:
        """Read what :meth:`to_dict` wrote."""
        arrays: dict[str, Any] = {name: np.array(stored[name], dtype=kind) for name, kind in _CUT_ARRAYS.items()}
        return cls(**arrays, orders=tuple(np.array(order, dtype=np.int32) for order in stored["orders"]))


_CUT_ARRAYS: Final = {
    "column": np.int32,
    "threshold": np.int32,
    "single": np.bool_,
    "left": np.int32,
    "right": np.int32,
}


def _ranks(places: Longs, order: Ints) -> Longs:
    """Turn places among codes into places among ranks; an unknown value has a place only in the codes' own order."""
    if np.array_equal(order, np.arange(len(order))):
        return places
    exact = (places % 2 == 0) & (places >= 0) & (places // 2 < len(order))
    return np.where(exact, 2 * order[np.clip(places // 2, 0, len(order) - 1)].astype(np.int64), 2 * len(order) + 1)


# --------------------------------------------------------------------------------------------------
# Routing by position: values are points of a space, which cuts divide among the groups.


@dataclass(frozen=True, eq=False)
class AxisRouter:
    """A binary tree of cuts across a space in which every value of a column has its place.

    A row is the point ``[share · Σ added, added of each column] - centre``. An unknown value has the place of the known
    value below it.

    Attributes
    ----------
    added : tuple of float arrays (codes, directions)
        The vector that each value of a column adds.
    share : float
    centre : float array (dimensions,)
    normals : float array (nodes, dimensions)
        The normal of the cut of each node: points whose product with it is at most the threshold go left.
    threshold : float array (nodes,)
    left, right : int arrays (nodes,)
        The next node, or ``-1 - group``; 0 (the root) if a row fits no group. A tree without nodes is group 0.
    """

    added: tuple[Floats, ...]
    share: float
    centre: Floats
    normals: Floats
    threshold: Floats
    left: Ints
    right: Ints

    def route(self, places: Sequence[Longs]) -> Ints:
        """Send all rows down the tree, level by level."""
        rows = len(places[0])
        if not len(self.left):
            return np.zeros(rows, dtype=np.int32)
        columns = [_added(added, spot) for added, spot in zip(self.added, places, strict=True)]
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
        """No router: the vectors of values were learnt from all people, so nothing of it may be public."""
        return {}, None

    def renumbered(self, new_group: Ints) -> AxisRouter:
        """The same cuts; rows of a removed group fit no group."""
        left, right = (
            np.where(branch < 0, np.minimum(-1 - new_group[np.maximum(-1 - branch, 0)], 0), branch).astype(np.int32)
            for branch in (self.left, self.right)
        )
        return replace(self, left=left, right=right)

    def to_dict(self) -> dict[str, Any]:
        """The router as JSON."""
        return {
            "kind": "axes",
            "added": [vectors.tolist() for vectors in self.added],
            "share": self.share,
            **{name: getattr(self, name).tolist() for name in _AXIS_ARRAYS},
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> AxisRouter:
        """Read what :meth:`to_dict` wrote."""
        arrays: dict[str, Any] = {name: np.array(stored[name], dtype=kind) for name, kind in _AXIS_ARRAYS.items()}
        dimensions = len(arrays["centre"])
        arrays["normals"] = arrays["normals"].reshape(-1, dimensions)
        directions = dimensions // (len(stored["added"]) + 1)
        added = tuple(np.array(vectors, dtype=np.float64).reshape(-1, directions) for vectors in stored["added"])
        return cls(added, float(stored["share"]), **arrays)


_AXIS_ARRAYS = {
    "centre": np.float64,
    "normals": np.float64,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
}


def _added(added: Floats, places: Longs) -> Floats:
    """The vectors of the values at some places; see :func:`place`."""
    code = np.clip(places // 2, 0, len(added) - 1)
    return added[code]


# --------------------------------------------------------------------------------------------------
# Global recoding of unseen rows: each cell becomes the published node at or above its value.


@dataclass(frozen=True, eq=False)
class ColumnMap:
    """The published nodes of the values of one column.

    Attributes
    ----------
    hierarchy : EncodedHierarchy
    published : int array (nodes,)
        The published value at or above each node of the hierarchy, -1 if there is none.
    """

    hierarchy: EncodedHierarchy
    published: Ints

    def values(self, known: Domain, new: Domain) -> Ints:
        """The published value of each code of another domain, -1 if there is none."""
        result = np.full(new.size, NOWHERE, dtype=np.int32)
        if new.has_missing and known.has_missing:
            result[-1] = self.published[self.hierarchy.leaf_of[known.missing_code]]
        if not len(new.labels):
            return result
        scale: NDArray[Any] = known.labels
        values: NDArray[Any] = new.labels
        if known.kind != "text" and known.numbers is not None and new.numbers is not None:
            scale, values = known.numbers, new.numbers
        code = np.minimum(np.searchsorted(scale, values), len(scale) - 1)
        seen = scale[code] == values
        result[: len(code)][seen] = self.published[self.hierarchy.leaf_of[code[seen]]]
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
        """No router: an automatic hierarchy holds values that no group publishes."""
        return {}, None

    def renumbered(self, new_values: Sequence[Ints]) -> NodeRouter:
        """The same with new places of the published values of each column, -1 for removed values."""
        return NodeRouter(
            tuple(
                replace(old, published=np.where(old.published < 0, NOWHERE, new[old.published]).astype(np.int32))
                for old, new in zip(self.maps, new_values, strict=True)
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """The maps as JSON."""
        return {"kind": "nodes", "maps": [_map_to_dict(column) for column in self.maps]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> NodeRouter:
        """Read what :meth:`to_dict` wrote; hierarchies made from values no longer place unseen values."""
        return cls(tuple(_map_from_dict(column) for column in stored["maps"]))


_INTS = ("parent", "depth", "level", "leaf_count", "first_leaf", "last_leaf", "leaf_of", "order", "at_level")


def _map_to_dict(column: ColumnMap) -> dict[str, Any]:
    hierarchy = column.hierarchy
    return {
        "labels": list(hierarchy.labels),
        **{name: getattr(hierarchy, name).tolist() for name in _INTS},
        "height": hierarchy.height,
        "description": hierarchy.description,
        "low": _ends_to_list(hierarchy.low),
        "high": _ends_to_list(hierarchy.high),
        "published": column.published.tolist(),
    }


def _ends_to_list(ends: Floats | None) -> list[float | str | None] | None:
    """Ends of intervals for JSON, which has neither nan nor infinite numbers: these become null and text."""
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


# --------------------------------------------------------------------------------------------------
# Routing within limits on levels: the parts of a table are recoded each by itself, and a row goes to its part.


@dataclass(frozen=True, eq=False)
class RoutedPart:
    """A part of a table that was recoded by itself; some of its columns hold nodes of a hierarchy as values.

    Attributes
    ----------
    router : Router or NodeRouter
    nodes : mapping of int to int array
        Of each such column, by its place: for every node of its hierarchy the node of the part at or above it, -1 if
        the part does not hold it.
    groups : int array (groups of the part,)
        The numbers of its groups in the whole table.
    values : tuple of int arrays
        Of each column the published value in the whole table for each in the part.
    """

    router: Router | NodeRouter
    nodes: Mapping[int, Ints]
    groups: Ints
    values: tuple[Ints, ...]

    def published(
        self,
        known: Sequence[Domain],
        new: Sequence[Domain],
        codes: Sequence[Ints],
        nodes: Mapping[int, Ints],
        code_of_node: Mapping[int, Ints],
    ) -> list[Ints] | Ints:
        """The published values of rows of the part column by column, or their groups; -1 where there is none.

        Parameters
        ----------
        known, new : sequences of Domain
            The values of the fitted table and of the rows, column by column.
        codes : sequence of int arrays (rows,)
            The rows.
        nodes : mapping of int to int array (rows,)
            The nodes of their values in the limited columns.
        code_of_node : mapping of int to int array
            The code of each node of the part.
        """
        if isinstance(self.router, NodeRouter):
            result = []
            for at, column in enumerate(self.router.maps):
                if at in nodes:
                    values = column.published[self.nodes[at][nodes[at]]]
                else:
                    values = column.values(known[at], new[at])[codes[at]]
                result.append(np.where(values < 0, NOWHERE, self.values[at][values]).astype(np.int32))
            return result
        places = []
        for at, of_row in enumerate(codes):
            if at in nodes:
                code = code_of_node[at][self.nodes[at][nodes[at]]].astype(np.int64)
                # Beyond all values: a value that is not known.
                places.append(np.where(code < 0, 2 * len(code_of_node[at]) + 1, 2 * code))
            else:
                places.append(places_of(known[at], new[at])[of_row])
        group = self.router.route(places)
        return np.where(group < 0, NOWHERE, self.groups[group]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class PartRouter:
    """The parts of a table, and the hierarchies of the columns that divide it or that were generalized before.

    Attributes
    ----------
    maps : mapping of int to ColumnMap
        Of each such column, by its place: how values find their nodes.
    codes : mapping of int to int array
        The code of each node that parts have, -1 if it is no value there.
    parts : sequence of RoutedPart
    """

    maps: Mapping[int, ColumnMap]
    codes: Mapping[int, Ints]
    parts: Sequence[RoutedPart]

    def values(self, known: Sequence[Domain], new: Sequence[Domain], codes: Sequence[Ints], groups: Ints) -> list[Ints]:
        """The published value of each cell of new rows, column by column; -1 if there is none.

        Parameters
        ----------
        known, new : sequences of Domain
            The values of the fitted table and of the rows, column by column.
        codes : sequence of int arrays (rows,)
            The rows.
        groups : int array (groups, columns)
            The published values of each group.
        """
        result = [np.full(len(of_row), NOWHERE, dtype=np.int32) for of_row in codes]
        nodes = {at: column.values(known[at], new[at])[codes[at]] for at, column in self.maps.items()}
        for part in self.parts:
            inside = np.ones(len(codes[0]), dtype=bool)
            for at, of_row in nodes.items():
                inside &= (of_row >= 0) & (part.nodes[at][of_row] >= 0)
            here = np.flatnonzero(inside)
            if not len(here):
                continue
            rows = [of_row[here] for of_row in codes]
            found = part.published(known, new, rows, {at: of_row[here] for at, of_row in nodes.items()}, self.codes)
            for at, column in enumerate(result):
                if isinstance(found, list):
                    column[here] = found[at]
                else:
                    column[here] = np.where(found < 0, NOWHERE, groups[found, at])
        return result

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], None]:  # noqa: ARG002
        """No router: the parts show which values the table holds."""
        return {}, None

    def to_dict(self) -> dict[str, Any]:
        """The parts as JSON."""
        return {
            "kind": "parts",
            "maps": {str(at): _map_to_dict(column) for at, column in self.maps.items()},
            "codes": {str(at): codes.tolist() for at, codes in self.codes.items()},
            "parts": [
                {
                    "router": part.router.to_dict(),
                    "nodes": {str(at): nodes.tolist() for at, nodes in part.nodes.items()},
                    "groups": part.groups.tolist(),
                    "values": [values.tolist() for values in part.values],
                }
                for part in self.parts
            ],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> PartRouter:
        """Read what :meth:`to_dict` wrote."""
        parts = [
            RoutedPart(
                router_from_dict(part["router"]),
                _arrays(part["nodes"]),
                np.array(part["groups"], dtype=np.int32),
                tuple(np.array(values, dtype=np.int32) for values in part["values"]),
            )
            for part in stored["parts"]
        ]
        maps = {int(at): _map_from_dict(column) for at, column in stored["maps"].items()}
        return cls(maps, _arrays(stored["codes"]), parts)


def _arrays(stored: Mapping[str, Sequence[int]]) -> dict[int, Ints]:
    return {int(at): np.array(entries, dtype=np.int32) for at, entries in stored.items()}


def router_from_dict(stored: Mapping[str, Any]) -> Router | NodeRouter:
    """Read what the router of a table, or of a part, wrote."""
    if stored["kind"] == "nodes":
        return NodeRouter.from_dict(stored)
    return AxisRouter.from_dict(dict(stored)) if stored["kind"] == "axes" else CutTree.from_dict(dict(stored))
