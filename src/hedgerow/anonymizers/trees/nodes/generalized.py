"""A classification tree over generalized values: it asks taxonomy nodes or thresholds of public and private columns.

The *place* of a value is the leaf (or the nearest known node) of a taxonomy, or the code of a number. Two people are in
the same **span** if their public values lead to the same leaves, whatever the answers to private questions. In such a
model, spans hide people (A. Friedman, A. Schuster, R. Wolff: k-Anonymous Decision Tree Induction, PKDD 2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.trees.nodes.arrays import LabellingTree, Nodes
from hedgerow.errors import BadInput
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy, Hierarchy, nodes_above
from hedgerow.io.domains import Domain

__all__ = ["ABOVE", "ABSENT", "BELOW", "GeneralizedAttribute", "GeneralizingTree", "places_of", "refined"]


# The branches of a threshold.
BELOW, ABOVE, ABSENT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class GeneralizedAttribute:
    """A column that a tree may ask: its values, their hierarchy, and whether attackers may know them.

    Attributes
    ----------
    domain : Domain
    hierarchy : EncodedHierarchy
    public : bool
        Whether an attacker may know a person's value, as for a quasi-identifier.
    """

    domain: Domain
    hierarchy: EncodedHierarchy
    public: bool = True

    @property
    def by_threshold(self) -> bool:
        """Whether thresholds split it: numbers and dates without a given hierarchy."""
        return self.hierarchy.automatic and self.domain.kind != "text"

    def places(self, codes: Ints) -> Ints:
        """Return the places of values of the domain."""
        return codes if self.by_threshold else self.hierarchy.leaf_of[codes]


@dataclass(frozen=True, eq=False)
class GeneralizingTree(LabellingTree):
    """A tree over generalized values.

    Attributes
    ----------
    attributes : tuple of GeneralizedAttribute
    classes : tuple of str
        The labels, in the order of the counts.
    nodes : Nodes
        The code of a node is a node of a taxonomy, or ``BELOW``, ``ABOVE``, ``ABSENT``; the codes of siblings ascend.
    """

    attributes: tuple[GeneralizedAttribute, ...]
    classes: tuple[str, ...]
    nodes: Nodes

    @property
    def answers(self) -> Ints:
        """The answer that leads to each node."""
        return self.nodes.code

    def path(self, node: int) -> Iterator[tuple[int, int]]:
        """Yield the questions above a node, the nearest first, as pairs of attribute and answer."""
        while node:
            above = int(self.parent[node])
            yield int(self.column[above]), int(self.answers[node])
            node = above

    def branch_of(self, node: int, places: Ints) -> Longs:
        """Return the branch of each place at a node, -1 if there is none."""
        children = self.children(node)
        answers = self.answers[children.start : children.stop]
        attribute = self.attributes[self.column[node]]
        if attribute.by_threshold:
            branch: Longs = (places > self.threshold[node]).astype(np.int64)
            branch[places == attribute.domain.missing_code] = ABSENT
            branch[(branch >= len(children)) | (places == NOWHERE)] = -1
            return branch
        # Taxonomies are numbered depth first: the nodes below a node follow it, up to its next sibling.
        branch = np.searchsorted(answers, places, side="right") - 1
        last_leaf = attribute.hierarchy.last_leaf
        branch[(branch < 0) | (last_leaf[places] > last_leaf[answers[branch]])] = -1
        return branch

    def reached(self, places: Ints) -> Longs:
        """Return the node where each row ends: a leaf, or a node without a branch for its value.

        Parameters
        ----------
        places : int array (attributes, rows)
        """
        end = np.zeros(places.shape[1], dtype=np.int64)
        for node, rows in self._walk(places, free=False):
            end[rows] = node
        return end

    def spans(self, places: Ints) -> Longs:
        """Return the number of the span of each row; the places of private attributes do not matter.

        O(rows × depth) if all attributes are public, otherwise up to O(rows × nodes).
        """
        span = np.zeros(places.shape[1], dtype=np.int64)
        spans = 1
        for node, rows in self._walk(places, free=True):
            if self.column[node] >= 0 and self.attributes[self.column[node]].public and len(rows):
                branch = self.branch_of(node, places[self.column[node], rows])
                span[rows], spans = refined(span[rows], branch, spans)
        return np.unique(span, return_inverse=True)[1]

    def _walk(self, places: Ints, *, free: bool) -> Iterator[tuple[int, Longs]]:
        """Yield every node with the rows that reach it; ``free`` sends rows down all branches of a private question."""
        waiting = [(0, np.arange(places.shape[1]))]
        while waiting:
            node, rows = waiting.pop()
            yield node, rows
            column = self.column[node]
            if column < 0:
                continue
            if free and not self.attributes[column].public:
                waiting.extend((child, rows) for child in self.children(node))
                continue
            branch = self.branch_of(node, places[column, rows])
            order = np.argsort(branch, kind="stable")
            bounds = np.searchsorted(branch[order], np.arange(int(self.branches[node]) + 1))
            waiting.extend(
                (child, rows[order[low:high]])
                for child, low, high in zip(self.children(node), bounds[:-1], bounds[1:], strict=True)
                if high > low
            )

    def _answer(self, node: int) -> str:
        parent, answer = self.parent[node], int(self.answers[node])
        attribute = self.attributes[self.column[parent]]
        name = attribute.domain.name
        if not attribute.by_threshold:
            label = attribute.hierarchy.labels[answer]
            return f"{name} is missing" if label is None else f"{name} = {label}"
        if answer == ABSENT:
            return f"{name} is missing"
        return f"{name} {'<=' if answer == BELOW else '>'} {attribute.domain.labels[self.threshold[parent]]}"


def refined(span: Longs, branch: Longs, spans: int) -> tuple[Longs, int]:
    """Split spans by branch, and number the new spans from ``spans`` on.

    >>> refined(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    (array([2, 3, 4]), 5)
    """
    parts, part = np.unique(span * (branch.max() + 2) + branch + 1, return_inverse=True)
    return part + spans, spans + len(parts)


# --------------------------------------------------------------------------------------------------
# The places of values of another table: their codes, or their nearest known nodes.


def places_of(attribute: GeneralizedAttribute, new: Domain, given: Hierarchy) -> Ints:
    """Return the place of each value of another table.

    Parameters
    ----------
    attribute : GeneralizedAttribute
        The attribute that the tree was trained with.
    new : Domain
        The values of the same column in the other table.
    given : Hierarchy
        The hierarchy that the attribute's hierarchy was encoded from, to generalize new values.

    Examples
    --------
    >>> from hedgerow.hierarchies import masking
    >>> zips = Domain("zip", "text", np.array(["011", "012", "021"]))
    >>> attribute = GeneralizedAttribute(zips, masking().encode(zips))
    >>> places = places_of(attribute, Domain("zip", "text", np.array(["012", "022"])), masking())
    >>> [attribute.hierarchy.labels[place] for place in places]
    ['012', '02*']
    """
    known, hierarchy = attribute.domain, attribute.hierarchy
    values: NDArray[Any]
    scale: NDArray[Any]
    places = np.full(new.size, NOWHERE, dtype=np.int32)
    if new.has_missing and known.has_missing:
        places[-1] = attribute.places(np.array([known.missing_code], dtype=np.int32))[0]
    if not len(new.labels) or not len(known.labels):
        return places
    if known.numbers is None:
        values, scale = new.labels, known.labels
    elif new.numbers is not None:
        values, scale = new.numbers, known.numbers
    else:
        raise BadInput(
            f"The column {known.name!r} held {known.kind}s in training and holds text now. Make it the same."
        )
    nearest = np.minimum(np.searchsorted(scale, values), len(scale) - 1).astype(np.int32)
    if attribute.by_threshold:
        # A number between two known numbers is above a threshold if the larger one is.
        places[: len(values)] = nearest
        return places
    exact = scale[nearest] == values
    places[: len(values)] = np.where(exact, hierarchy.leaf_of[nearest], NOWHERE)
    unseen = np.flatnonzero(~exact)
    if len(unseen):
        places[unseen] = nodes_above(hierarchy, known, new.only(unseen), given)
    return places
