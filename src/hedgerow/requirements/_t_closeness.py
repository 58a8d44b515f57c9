"""t-closeness: in every class the sensitive values are distributed nearly as in the whole table.

N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy beyond k-anonymity and l-diversity, ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from hedgerow.errors import BadInput, plural
from hedgerow.hierarchies.entries import DEEPEST, too_deep
from hedgerow.io.values import number_text
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, GroundDistance, Requirement, SensitiveColumn

__all__ = ["TCloseness", "equal_distance", "hierarchical_distance", "label_of", "leaves_of", "ordered_distance"]


# --------------------------------------------------------------------------------------------------
# The three ground distances of t-closeness (Li et al. 2007), each as a tree with lengths.
#
# Equal: a star, every value half a unit from its middle. Ordered: a chain of the values. Hierarchical: the taxonomy
# itself, a node's edge as long as it is lower than its parent. So one kernel serves all three.


def label_of(value: object) -> str:
    """Write a value of an order or a tree as the label it has in a domain."""
    return number_text(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def equal_distance(column: SensitiveColumn) -> GroundDistance:
    """Place any two different values 1 apart.

    >>> from hedgerow.io.domains import Domain
    >>> column = SensitiveColumn(Domain("ill", "text", np.array(["no", "yes"])), np.array([3, 1]))
    >>> equal_distance(column).weight.tolist()
    [0.5, 0.5, 0.0]
    """
    values = column.domain.size
    parent = np.full(values + 1, values, dtype=np.int64)
    parent[-1] = -1
    weight = np.full(values + 1, 0.5)
    weight[-1] = 0.0
    return GroundDistance(np.arange(values, dtype=np.int64), parent, weight)


def ordered_distance(column: SensitiveColumn, order: Sequence[str] | None = None) -> GroundDistance:
    """Place the i-th and the j-th of m values \\|i − j\\| / (m − 1) apart.

    The scale is ``order`` (all of it, whether or not a value occurs in the table), without it the values
    that occur in the order of their codes: numbers and dates by value, text by code point. A missing value
    is one step beyond the last.
    """
    domain = column.domain
    if order is None:
        place = np.arange(domain.size, dtype=np.int64)
        steps = domain.size
    else:
        place = np.full(domain.size, -1, dtype=np.int64)
        for position, label in enumerate(order):
            code = column.code_of(label)
            if code >= 0:
                place[code] = position
        steps = len(order) + domain.has_missing
        if domain.has_missing:
            place[domain.missing_code] = len(order)
        _check_covered(place, column, "order")
    parent = np.arange(1, steps + 1, dtype=np.int64)
    parent[-1:] = -1
    weight = np.full(steps, 1.0 / max(1, steps - 1))
    weight[-1:] = 0.0
    return GroundDistance(place, parent, weight)


def hierarchical_distance(column: SensitiveColumn, tree: Mapping[str, object]) -> GroundDistance:
    """Place two values as far apart as their lowest common ancestor is high, in units of the tree's height.

    The height of a node is the longest way down to a leaf, so that the distance is defined for ragged trees
    too; a missing value hangs directly under the root, at distance 1 from all others.
    """
    domain = column.domain
    top = list(tree.items())
    rooted = len(top) == 1 and bool(list(_children(top[0][1])))
    nodes = _Nodes()
    root = nodes.add("", top[0][1] if rooted else tree)
    parent, height = nodes.parent, nodes.height
    place = np.full(domain.size, -1, dtype=np.int64)
    for label, node in nodes.leaves.items():
        code = column.code_of(label)
        if code >= 0:
            place[code] = node
    if domain.has_missing:
        # The new leaf takes the root's number, and the root moves behind it.
        parent = [root + 1 if up == root else up for up in parent[:-1]] + [root + 1, -1]
        height.insert(root, 0)
        place[domain.missing_code] = root
    _check_covered(place, column, "tree")
    above = np.array(parent, dtype=np.int64)
    heights = np.array(height, dtype=np.float64)
    weight = np.zeros(len(above))
    weight[:-1] = (heights[above[:-1]] - heights[:-1]) / (2 * heights[-1])
    return GroundDistance(place, above, weight)


class _Nodes:
    """The nodes of a nested tree, children before their parent: the parent and the height of each, and the leaves."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.height: list[int] = []
        self.leaves: dict[str, int] = {}

    def add(self, label: str, children: object) -> int:
        """Number what is below a node, then the node itself."""
        below = [self.add(child, under) for child, under in _children(children)]
        node = len(self.parent)
        self.parent.append(-1)
        self.height.append(1 + max(self.height[child] for child in below) if below else 0)
        for child in below:
            self.parent[child] = node
        if not below:
            self.leaves[label] = node
        return node


def leaves_of(tree: Mapping[str, object]) -> list[str]:
    """List the leaves of a nested tree, from left to right."""
    leaves: list[str] = []
    for label, children in _children(tree):
        below = dict(_children(children))
        leaves.extend(leaves_of(below) if below else [label])
    return leaves


def _children(children: object) -> Iterable[tuple[str, object]]:
    """Read the children of a node: a mapping has further nodes, a list holds leaves; without either it is a leaf."""
    if children is None:
        return []
    if isinstance(children, Mapping):
        return [(label_of(label), under) for label, under in children.items()]
    if not isinstance(children, list | tuple):
        raise BadInput.parameter(
            "tree", "TCloseness", "nested mappings that end in lists of values", type(children).__name__
        )
    pairs: list[tuple[str, object]] = []
    for child in children:
        pairs.extend(_children(child) if isinstance(child, Mapping) else [(label_of(child), None)])
    return pairs


def _check_covered(place: np.ndarray[tuple[int], np.dtype[np.int64]], column: SensitiveColumn, parameter: str) -> None:
    uncovered = int((place < 0).sum())
    if uncovered:
        raise BadInput(
            f"The {parameter!r} parameter of TCloseness leaves out {plural(uncovered, 'values')} of "
            f"{column.domain.name!r}. Write it so that it covers every value."
        )


DistanceName = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class TCloseness(Requirement):
    """The earth mover's distance between a class's sensitive values and the whole table's is at most ``t``.

    - ``equal``: any two values are 1 apart.
    - ``ordered``: the i-th and j-th of m values are \\|i − j\\| / (m − 1) apart.
    - ``hierarchical``: how high the lowest common ancestor of two values is, over the tree's height.

    A missing value is a value of its own: one step beyond the last, or directly under the root.

    Monotone: for a fixed overall distribution the distance is convex, and a union's distribution is a
    mixture, so its distance is at most the larger one (Li et al. 2007, generalization property).
    That holds for every ground distance, so for all three.

    If records are lost, the whole table is that of the *published* records, which a reader of the release knows. ARX
    compares with the original table, lost records included, so the two can disagree on one release.

    Parameters
    ----------
    t : float
        The largest distance, from 0 to 1.
    column : str
        The sensitive column.
    distance : {"equal", "ordered", "hierarchical"}
        The ground distance between values.
    tree : nested mapping, optional
        The taxonomy of the hierarchical distance, ``{"any": {"lung": ["asthma", "flu"], "other":
        ["ulcer"]}}``.
    order : sequence of values, optional
        The scale of the ordered distance; without it values are in sorted order.
    shield : sequence of str, optional
        The quasi-identifiers whose classes are meant; ``None`` means all.

    Examples
    --------
    >>> import hedgerow as hr
    >>> print(hr.TCloseness(0.2, "disease"))
    0.2-closeness of disease
    >>> print(hr.TCloseness(0.2, "wage", distance="ordered", shield=["sex"]))
    0.2-closeness (ordered) of wage within sex
    """

    t: float
    column: str
    distance: DistanceName = "equal"
    tree: Mapping[str, object] | None = field(default=None, hash=False)
    order: Sequence[object] | None = None
    shield: Sequence[str] | None = None

    name: ClassVar[str] = "t-closeness"
    monotone: ClassVar[bool] = True
    compares: ClassVar[bool] = True
    letter: ClassVar[str] = "t"
    form: ClassVar[str] = "t=0.2@disease, t=0.2:ordered@wage or t=0.2:hierarchical@disease"
    words: ClassVar[tuple[str, ...]] = get_args(DistanceName)
    options: ClassVar[tuple[str, ...]] = ("order", "shield")
    withheld: ClassVar[tuple[str, ...]] = ("tree", "order")

    def __post_init__(self) -> None:
        self._check_number("t", "a number from 0 to 1", 0, 1)
        self._check_column()
        if self.distance not in ("equal", "ordered", "hierarchical"):
            raise BadInput.parameter("distance", "TCloseness", "'equal', 'ordered' or 'hierarchical'", self.distance)
        if self.tree is not None:
            self._check_tree(self.tree)
        if self.order is not None:
            self._check_order(self.order)
        self._check_shield()

    def _check_tree(self, tree: object) -> None:
        if self.distance != "hierarchical":
            raise BadInput(
                "A tree is given to TCloseness, whose distance is not 'hierarchical'. Leave one of them out."
            )
        if not isinstance(tree, Mapping) or not tree:
            raise BadInput.parameter("tree", "TCloseness", "a nested mapping", type(tree).__name__)
        if too_deep(tree):
            raise BadInput(f"The tree given to TCloseness has more than {DEEPEST} levels. Give it fewer.")
        leaves = leaves_of(tree)
        if len(set(leaves)) < len(leaves):
            raise BadInput("The tree given to TCloseness names a value twice. Give each value one place.")

    def _check_order(self, order: object) -> None:
        if self.distance != "ordered":
            raise BadInput("An order is given to TCloseness, whose distance is not 'ordered'. Leave one of them out.")
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise BadInput.parameter("order", "TCloseness", "a list of values", type(order).__name__)
        labels = tuple(label_of(value) for value in order)
        if not labels or len(set(labels)) < len(labels):
            raise BadInput("The order given to TCloseness is empty or names a value twice. Name each value once.")
        object.__setattr__(self, "order", labels)

    def __str__(self) -> str:
        words = "" if self.distance == "equal" else f" ({self.distance})"
        return f"{number_text(self.t)}-closeness{words} of {self.column}{self._within()}"

    @property
    def minimal_size(self) -> int:
        """One: whether a single record can be close enough depends on the table."""
        return 1

    @property
    def notation(self) -> str:
        """For example ``t=0.2:ordered@wage``. A tree has no command-line form and is left out."""
        distance = () if self.distance == "equal" else (self.distance,)
        order = () if self.order is None else (f"order={','.join(map(str, self.order))}",)
        return self._written(f"t={number_text(self.t)}", *distance, *order)

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read ``t=0.2:ordered@wage``."""
        distance: Any = typed.word or "equal"
        order = typed.names(typed.options.get("order", ""))
        return cls(typed.number, typed.column, distance, order=order, shield=typed.shield)

    @property
    def by_shares(self) -> bool:
        """Distributions are shares."""
        return True

    def stricter(self, by: float) -> Requirement:
        """With a smaller t."""
        return replace(self, t=self.t * (1 - by))

    @property
    def needs_tree(self) -> bool:
        """Whether the distance is hierarchical and no tree was given."""
        return self.distance == "hierarchical" and self.tree is None

    def with_order(self, order: Sequence[str]) -> Requirement:
        """The same with the order of the column as the scale, unless a scale was given."""
        return replace(self, order=tuple(order)) if self.distance == "ordered" and self.order is None else self

    def with_tree(self, tree: Mapping[str, object]) -> Requirement:
        """The same with the hierarchy of the column as the tree, unless a tree was given."""
        return replace(self, tree=tree) if self.needs_tree else self

    def reached(self, context: Context) -> str:  # noqa: ARG002 - whatever the table is
        """The whole table has no distance from itself."""
        return "a distance of 0"

    def bind(self, context: Context) -> BoundRequirement:
        """Bind to the codes of the column and lay out the ground distance as a tree."""
        index = context.index_of(self.column)
        column = context.columns[index]
        return BoundRequirement(
            description=str(self),
            minimal_size=self.minimal_size,
            formula="closeness",
            parameters=np.array([self.t, 0], dtype=np.float64),
            column=index,
            overall=column.shares,
            distance=self._ground_distance(column),
        )

    def _ground_distance(self, column: SensitiveColumn) -> GroundDistance:
        if self.distance == "equal":
            return equal_distance(column)
        if self.distance == "ordered":
            return ordered_distance(column, None if self.order is None else [str(label) for label in self.order])
        if self.tree is None:
            raise BadInput(
                f"The hierarchical distance of {self.column!r} needs a tree. "
                "Give tree= to TCloseness, or a hierarchy for the column."
            )
        return hierarchical_distance(column, self.tree)
