"""Routing: to which group a row that was not there when the method was fitted belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.domains import Domain

__all__ = ["CutTree", "Router", "place"]


class Router(Protocol):
    """Sends rows to groups by where their values lie among the values known when fitting."""

    def route(self, places: Sequence[Longs]) -> Ints:
        """The group of each row, -1 if none fits; ``places`` has one array per quasi-identifier (see :func:`place`)."""
        ...

    def published(self, domains: Sequence[Domain]) -> tuple[dict[str, Domain], Router | None]:
        """The router and the domains reduced to what may be public, or no router if there is no such form."""
        ...

    def renumbered(self, new_group: Ints) -> Router:
        """The router after groups have got other numbers, -1 for those that there are no more."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The router as JSON."""
        ...


def place(domain: Domain, texts: Sequence[str | None]) -> Longs:
    """Where values lie in a domain: ``2 * code`` for a known value, one more for an unknown one just above it.

    An unknown value below all known ones is at -1. A missing value has the domain's missing code, or lies above all
    values where none was known; so does an unknown category where somebody told their order.
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
    # Categories whose order somebody told stand in that.
    order = np.argsort(scale, kind="stable")
    below = np.searchsorted(scale, values, side="right", sorter=order) - 1
    code = order[np.maximum(below, 0)]
    exact = (scale[code] == values) & (below >= 0)
    in_order = bool((order == np.arange(size)).all())
    result[known] = np.where(exact, 2 * code, 2 * below + 1 if in_order else 2 * size + 1)
    return result


def _number(text: str) -> float:
    """The number that a text is; what is none lies above all numbers."""
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
        Whether the cut takes one value from the rest.
    left, right : int arrays (nodes,)
        The next node, or ``-1 - group``; 0, the root, which is never next, where a row fits no group. A tree without
        nodes is the single group 0.
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
        """Send rows down the tree, all rows a level at a time."""
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

        A column cut in a hierarchy's order would need all its values to tell left from right: then no router.
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
        """The same cuts; what led to a group that there is no more fits none."""
        left, right = (
            np.where(branch < 0, np.minimum(-1 - new_group[np.maximum(-1 - branch, 0)], 0), branch).astype(np.int32)
            for branch in (self.left, self.right)
        )
        return replace(self, left=left, right=right)

    def to_dict(self) -> dict[str, Any]:
        """The tree as JSON."""
        arrays = {name: getattr(self, name).tolist() for name in _ARRAYS}
        return {"kind": "cuts", **arrays, "orders": [order.tolist() for order in self.orders]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> CutTree:
        """Read what :meth:`to_dict` wrote."""
        arrays: dict[str, Any] = {name: np.array(stored[name], dtype=kind) for name, kind in _ARRAYS.items()}
        return cls(**arrays, orders=tuple(np.array(order, dtype=np.int32) for order in stored["orders"]))


_ARRAYS: Final = {"column": np.int32, "threshold": np.int32, "single": np.bool_, "left": np.int32, "right": np.int32}


def _ranks(places: Longs, order: Ints) -> Longs:
    """Turn places among codes into places among ranks; an unknown value has a place only in the codes' own order."""
    if np.array_equal(order, np.arange(len(order))):
        return places
    exact = (places % 2 == 0) & (places >= 0) & (places // 2 < len(order))
    return np.where(exact, 2 * order[np.clip(places // 2, 0, len(order) - 1)].astype(np.int64), 2 * len(order) + 1)
