"""t-closeness: in every class the sensitive values are distributed nearly as in the whole table.

N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy beyond k-anonymity and l-diversity, ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.hierarchies.entries import DEEPEST, too_deep
from hedgerow.privacy.base import Requirement
from hedgerow.privacy.binding import BoundRequirement, Context, GroundDistance, SensitiveColumn
from hedgerow.privacy.ground_distance import (
    equal_distance,
    hierarchical_distance,
    label_of,
    leaves_of,
    ordered_distance,
)
from hedgerow.privacy.notation import Typed
from hedgerow.values import number_text

__all__ = ["TCloseness"]

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
    >>> print(TCloseness(0.2, "disease"))
    0.2-closeness of disease
    >>> print(TCloseness(0.2, "wage", distance="ordered", shield=["sex"]))
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
    def needs_tree(self) -> bool:
        """Only the hierarchical distance has one."""
        return self.distance == "hierarchical" and self.tree is None

    def with_order(self, order: Sequence[str]) -> Requirement:
        """The order of the column is the scale, unless one was given."""
        return replace(self, order=tuple(order)) if self.distance == "ordered" and self.order is None else self

    def with_tree(self, tree: Mapping[str, object]) -> Requirement:
        """The hierarchy of the column is the tree, unless one was given."""
        return replace(self, tree=tree) if self.needs_tree else self

    def reached(self, context: Context) -> str:  # noqa: ARG002 - whatever the table is
        """All records together are what they are compared with."""
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
