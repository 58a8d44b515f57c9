"""Requirements of people: what methods are asked where a person may have several rows.

A method counts rows. What has to hold of people is asked of the rows at home
(:mod:`hedgerow.core.counts._representatives`), of which
every person has one: at least k of them are at least k people. The number of different values does not depend on who
holds them. Shares and distributions do: of them the rows are asked, and the verifier, which counts pairs of person and
value exactly, may find that they do not hold of people.
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
    """At least ``k`` rows of every class are at home, so that it has at least ``k`` people.

    Monotone: the rows at home of a union are the sum.

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
        """That of k-anonymity: it is never typed."""
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
        """Ask for the rows at home."""
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
    """What a method is asked so that requirements hold of people, as far as rows can tell.

    >>> from hedgerow.requirements import PSensitive
    >>> [str(one) for one in of_people([KAnonymity(5), PSensitive(2, 3, "illness")])]
    ['5-anonymity of people', '3-anonymity of people', '2-sensitive 3-anonymity of illness']
    """
    asked: list[Requirement] = []
    for one in requirements:
        size = getattr(one, "k", None)
        if isinstance(size, int):
            asked.append(Representatives(size, one.shield))
        if not isinstance(one, KAnonymity):
            asked.append(one)
    return tuple(asked)
