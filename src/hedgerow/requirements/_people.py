"""Requirements of people: what a method has to satisfy where a person may have several rows.

A method counts rows. A condition on people becomes a condition on rows that stand for people
(:func:`hedgerow.core.counts.mark_people`): at least k representative records are at least k people. The number of
different values does not depend on who holds them. Shares and distributions do. Rows show the fewest people of a class
who may have each value, and the most, and methods satisfy both. The verifier counts exactly; if it finds that people
with some values are nearer to the fewest and others nearer to the most, the method has to satisfy more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.errors import InternalError, plural
from hedgerow.io.domains import AT_HOME, Domain, holders_of
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import (
    AT_LEAST,
    PEOPLE,
    BoundRequirement,
    Context,
    Requirement,
    SensitiveColumn,
)

__all__ = ["HoldersOfValues", "Representatives", "of_people"]


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


@dataclass(frozen=True)
class HoldersOfValues(Requirement):
    """A requirement on shares, where people are counted: it holds for the fewest holders of each value and the most.

    Monotone, because the requirement is, and both numbers add up.

    Parameters
    ----------
    of : Requirement
        The requirement.
    domain : Domain
        The values of its column.

    Examples
    --------
    >>> from hedgerow.requirements import TCloseness
    >>> illness = Domain("illness", "text", np.array(["cold", "flu"]))
    >>> print(HoldersOfValues(TCloseness(0.2, "illness"), illness))
    0.2-closeness of illness
    """

    of: Requirement
    domain: Domain = field(compare=False, repr=False)

    name: ClassVar[str] = "shares of people"
    monotone: ClassVar[bool] = True

    @property
    def column(self) -> str:  # type: ignore[override]  # derived
        """The internal column."""
        return holders_of(self.domain.name)

    @property
    def shield(self) -> Sequence[str] | None:  # type: ignore[override]  # derived
        """That of the requirement."""
        return self.of.shield

    def __str__(self) -> str:
        return str(self.of)

    @property
    def values(self) -> str | None:
        """The column of the requirement."""
        return self.of.column

    @property
    def compares(self) -> bool:
        """Whether the requirement does."""
        return self.of.compares

    @property
    def minimal_size(self) -> int:
        """At least as many rows as values or people."""
        return self.of.minimal_size

    def of_at_most(self, size: int) -> HoldersOfValues:
        """With a weaker requirement."""
        return replace(self, of=self.of.of_at_most(size))

    @property
    def notation(self) -> str:
        """That of the requirement; this requirement is never typed."""
        return self.of.notation

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """It is never typed."""
        raise InternalError(f"a requirement of people was typed: {typed.number}")

    def reached(self, context: Context) -> str:
        """What all people reach."""
        return self.of.reached(self._of_people(context))

    def _of_people(self, context: Context) -> Context:
        """How many people have each value, in the whole table."""
        marked = context.columns[context.index_of(self.column)]
        whole = None if marked.whole is None else _holders(marked.whole)
        people = int(marked.histogram[: self.domain.size].sum())
        return Context((SensitiveColumn(self.domain, _holders(marked.histogram), whole),), people)

    def bind(self, context: Context) -> BoundRequirement:
        """Read what rows show of the holders of values.

        Where all rows in one class would not satisfy it with the most holders, only the fewest are asked for.
        """
        index = context.index_of(self.column)
        marked = context.columns[index]
        bound = self.of.bind(self._of_people(context))
        both = replace(bound, formula=f"{bound.formula}{PEOPLE}", column=index, overall=marked.shares)
        whole = np.array([context.rows]), marked.histogram[np.newaxis]
        return both if both.satisfied(*whole)[0] else replace(both, formula=f"{bound.formula}{AT_LEAST}")


def _holders(rows: Longs) -> Longs:
    """The people who have each value, from the rows with each code."""
    representing, at_home, _ = rows[:-1].reshape(3, -1)
    return np.asarray(representing + at_home, dtype=np.int64)


def of_people(
    requirements: Iterable[Requirement],
    domains: Mapping[str, Domain] | None = None,
    margins: Mapping[int, float] | None = None,
) -> tuple[Requirement, ...]:
    """The conditions on rows by which requirements hold for people, as far as rows show it.

    Parameters
    ----------
    requirements : iterable of Requirement
    domains : mapping of column to Domain, optional
        Of the counted table: if rows there show the holders of values, requirements on shares count them.
    margins : mapping of int to float, optional
        By how much some of the requirements must be stricter.

    Examples
    --------
    >>> from hedgerow.requirements import PSensitive
    >>> [str(condition) for condition in of_people([KAnonymity(5), PSensitive(2, 3, "illness")])]
    ['5-anonymity of people', '3-anonymity of people', '2-sensitive 3-anonymity of illness']
    """
    known, conditions = domains or {}, list[Requirement]()
    for at, requirement in enumerate(requirements):
        size = getattr(requirement, "k", None)
        if isinstance(size, int):
            conditions.append(Representatives(size, requirement.shield))
        strict = requirement.stricter((margins or {}).get(at, 0.0))
        if requirement.by_shares and holders_of(str(requirement.column)) in known:
            conditions.append(HoldersOfValues(strict, known[str(requirement.column)]))
        elif not isinstance(requirement, KAnonymity):
            conditions.append(strict)
    return tuple(conditions)
