"""A column as an encoder knows it after fitting: its nodes, and where values and labels stand there.

A value stands at its leaf, a number at its own or at the finest interval that holds it, a label at its node. A value
that the hierarchy does not know stands at the nearest node above it that is known, at last at the root.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.errors import BadInput, amount, required
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy, Hierarchy, nodes_above
from hedgerow.learning.encoders.nodes import ROOT, FeatureNodes
from hedgerow.published import NO_LABELS, Leaves, Reach, Vocabulary, number_in
from hedgerow.values import number_text

__all__ = ["Column", "Unknown"]

Unknown = Literal["ancestor", "error"]


@dataclass(frozen=True, eq=False)
class Column:
    """A fitted column.

    Attributes
    ----------
    name : str
    kind : {"number", "text", "date"}
    nodes : FeatureNodes
    places : mapping of str to int
        The node of each label and, unless numbers are found by the ends of intervals, of each value.
    domain : Domain
        The values that the hierarchy was encoded for.
    hierarchy : EncodedHierarchy, optional
        To place values that are not known; numbers are placed by the ends of intervals, and no hierarchy is kept.
    into : int array
        The node that each node of the hierarchy became.
    given : Hierarchy, optional
        What the hierarchy was encoded from, to place unseen values.
    clamped : bool
        Whether numbers beyond all intervals belong to the outermost ones: they do where these were made from the
        training table, and not where somebody said what the column may hold.
    known : float array
        The numbers of the column, ascending; empty if it holds none.
    known_node : int array
        The node of each.
    known_alone : float array
        How many rows held each alone.
    alone_text : mapping of str to float
        The same for values that are no numbers.
    alone : float array (nodes,)
        How many rows held a value of each node alone.
    leaves : mapping of label to values
        What labels stand for where they are members of a set.
    reach : Reach, optional
        Where open intervals are taken to end.
    """

    name: str
    kind: Kind
    nodes: FeatureNodes
    places: Mapping[str, int]
    domain: Domain
    hierarchy: EncodedHierarchy | None
    into: Longs
    given: Hierarchy | None
    clamped: bool
    known: Floats = field(default_factory=lambda: np.empty(0))
    known_node: Longs = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    known_alone: Floats = field(default_factory=lambda: np.empty(0))
    alone_text: Mapping[str, float] = field(default_factory=dict)
    alone: Floats = field(default_factory=lambda: np.empty(0))
    leaves: Leaves = field(default_factory=lambda: NO_LABELS)
    reach: Reach = field(default_factory=lambda: Reach.of(()))

    @property
    def by_ends(self) -> bool:
        """Whether numbers are placed by the ends of intervals."""
        return self.kind == "number" and self.nodes.low is not None

    def number_of(self, text: str) -> float:
        """Read a value as a number, a date as its days; nan if it is none."""
        number = number_in(text, self.kind)
        return math.nan if number is None else number

    def read(self, words: Vocabulary) -> Vocabulary:
        """The cells of a table as this column reads them."""
        return words.read_as(self.kind, self.leaves).within(self.reach)

    def place(self, texts: list[str], numbers: Floats, unknown: Unknown) -> tuple[Longs, Bools]:
        """The node of each value or label, and whether it is one of the column's own."""
        nodes = np.full(len(texts), NOWHERE, dtype=np.int64)
        numeric = ~np.isnan(numbers)
        if self.by_ends:
            nodes[numeric] = self._around(numbers[numeric])
            self._refuse_text(texts, numeric)
            # A number that stands only in a gap between the finest intervals, or between numbers, is not known.
            nodes[(nodes != NOWHERE) & ~self.nodes.bottom[nodes] & ~self.is_known(numbers)] = NOWHERE
        elif self.kind == "number":
            texts = [
                number_text(number) if one else text for text, number, one in zip(texts, numbers, numeric, strict=True)
            ]
        for at in np.flatnonzero(nodes == NOWHERE).tolist():
            nodes[at] = self.places.get(texts[at], NOWHERE)
        known = nodes != NOWHERE
        strange = np.flatnonzero(~known)
        if len(strange):
            self.refuse_unknown(len(strange), unknown)
            nodes[strange] = self._above([texts[at] for at in strange.tolist()], numbers[strange])
        return nodes, known

    def is_known(self, numbers: Floats) -> Bools:
        """Which numbers are those of the column."""
        return np.isin(numbers, self.known)

    def _refuse_text(self, texts: list[str], numeric: Bools) -> None:
        if any(texts[at] not in self.places for at in np.flatnonzero(~numeric).tolist()):
            raise BadInput(
                f"The column {self.name!r} was fitted as numbers and holds text that is no label of its "
                "hierarchy. Make it numbers."
            )

    def refuse_unknown(self, count: int, unknown: Unknown) -> None:
        """Raise if values that are not known are unwelcome."""
        if unknown == "error":
            raise BadInput(
                f"The column {self.name!r} has {amount(count, 'different values')} that its hierarchy does not know. "
                "Add what is missing to it, or choose unknown='ancestor'."
            )

    def _around(self, numbers: Floats) -> Longs:
        """The lowest node that holds each number, -1 where none does; it may be clamped to the outermost ones."""
        if not self.clamped or not len(numbers):
            return self.nodes.around(numbers)
        low, high = self.nodes.ends
        within = np.clip(numbers, low[ROOT], high[ROOT])
        found = self.nodes.around(within)
        # The outermost interval takes numbers from outside; the last number in it is not one of them.
        above = self.nodes.parent[found]
        outside = (within != numbers) & (found != NOWHERE) & self.nodes.single[found] & (above != ROOT)
        return np.where(outside, above, found)

    def _above(self, texts: list[str], numbers: Floats) -> Longs:
        """The nearest known node above values that the hierarchy does not have."""
        if self.by_ends:
            around = self._around(numbers)
            return np.where(around == NOWHERE, ROOT, around)
        hierarchy = required(self.hierarchy, "the hierarchy of a column")
        readable = np.arange(len(texts)) if self.kind == "text" else np.flatnonzero(~np.isnan(numbers))
        above = np.full(len(texts), ROOT, dtype=np.int64)
        if len(readable):
            labels = np.array([texts[at] for at in readable.tolist()], dtype=np.str_)
            order = np.argsort(labels if self.kind == "text" else numbers[readable], kind="stable")
            scale = None if self.kind == "text" else numbers[readable][order]
            unseen = Domain(self.name, self.kind, labels[order], scale)
            found = nodes_above(hierarchy, self.domain, unseen, self.given)
            above[readable[order]] = np.where(found == NOWHERE, ROOT, self.into[found])
        return above
