"""Requirements of people: what a method has to satisfy where a person may have several rows.

A method counts rows. A condition on people becomes a condition on representative records
(:func:`hedgerow.core.counts.draw_representatives`), one for each person: at least k of them are at least k people. The
number of different values does not depend on who holds them. Shares and distributions do: they are checked on rows, and
the verifier, which counts pairs of person and value exactly, may find that they do not hold for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from hedgerow.errors import plural
from hedgerow.io.domains import AT_HOME
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, Requirement

__all__ = ["Representatives", "of_people"]


@dataclass(frozen=True)
class Representatives(Requirement):
    """Every class has at least ``k`` representative records, so that it has at least ``k`` people.

    Monotone: the number of a union is the sum.

    Examples
    --------
    >>> print(Representatives(5))
    5-anonymity of people
    """

    k: int
    shield: Sequence[str] | None = None
    column: str = field(default=AT_HOME, init=False, repr=False)

    name: ClassVar[str] = "k-anonymity of people"
    monotone: ClassVar[bool] = True
    kept_by_more: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    def __str__(self) -> str:
        within = "" if self.shield is None else f" within {', '.join(self.shield)}"
        return f"{self.k}-anonymity of people{within}"

    @property
    def minimal_size(self) -> int:
        """As many rows as people."""
        return self.k

    def of_at_most(self, size: int) -> Representatives:
        """With a smaller k."""
        return replace(self, k=min(self.k, size))

    @property
    def notation(self) -> str:
        """The notation of k-anonymity; this requirement is never typed."""
        return KAnonymity(self.k, self.shield).notation

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read what k-anonymity reads."""
        read = KAnonymity.read(typed)
        return cls(read.k, read.shield)

    def reached(self, context: Context) -> str:
        """How many people there are."""
        return plural(int(context.columns[context.index_of(AT_HOME)].histogram[1]), "people")

    def bind(self, context: Context) -> BoundRequirement:
        """Count the representative records."""
        index = context.index_of(AT_HOME)
        return BoundRequirement(
            description=str(self),
            minimal_size=self.k,
            formula="number",
            parameters=np.array([self.k, 1], dtype=np.float64),
            column=index,
            overall=context.columns[index].shares,
        )


def of_people(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """The conditions on rows by which requirements hold for people, as far as rows show it.

    >>> from hedgerow.requirements import PSensitive
    >>> [str(condition) for condition in of_people([KAnonymity(5), PSensitive(2, 3, "illness")])]
    ['5-anonymity of people', '3-anonymity of people', '2-sensitive 3-anonymity of illness']
    """
    conditions: list[Requirement] = []
    for requirement in requirements:
        size = getattr(requirement, "k", None)
        if isinstance(size, int):
            conditions.append(Representatives(size, requirement.shield))
        if not isinstance(requirement, KAnonymity):
            conditions.append(requirement)
    return tuple(conditions)
