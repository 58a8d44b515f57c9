"""p-sensitive k-anonymity: k records and p sensitive values in every class.

T. M. Truta, B. Vinay: Privacy protection: p-sensitive k-anonymity property, ICDE Workshops 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, Requirement

__all__ = ["PSensitive"]


@dataclass(frozen=True)
class PSensitive(Requirement):
    """Every class has at least ``k`` records and at least ``p`` different values of a sensitive column.

    A missing value is a value of its own.

    Monotone: a union has the sum of the records and loses no value.

    Parameters
    ----------
    p : int
        How many values, at most ``k``.
    k : int
        How many records.
    column : str
        The sensitive column.
    shield : sequence of str, optional
        The quasi-identifiers whose classes are meant; ``None`` means all.

    Examples
    --------
    >>> import hedgerow as hr
    >>> print(hr.PSensitive(2, 5, "disease"))
    2-sensitive 5-anonymity of disease
    """

    p: int
    k: int
    column: str
    shield: Sequence[str] | None = None

    name: ClassVar[str] = "p-sensitive"
    monotone: ClassVar[bool] = True
    letter: ClassVar[str] = "p"
    form: ClassVar[str] = "p=2:k=5@disease"
    options: ClassVar[tuple[str, ...]] = ("k", "shield")
    kept_by_more: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_whole("p", 1)
        self._check_whole("k", 1)
        if self.p > self.k:
            raise BadInput.parameter("p", "PSensitive", f"at most k, which is {self.k}", self.p)
        self._check_column()
        self._check_shield()

    def __str__(self) -> str:
        return f"{self.p}-sensitive {self.k}-anonymity of {self.column}{self._within()}"

    @property
    def minimal_size(self) -> int:
        """The k, which is at least p."""
        return self.k

    def of_at_most(self, size: int) -> PSensitive:
        """With a smaller k, and p if need be."""
        return replace(self, p=min(self.p, size), k=min(self.k, size))

    @property
    def notation(self) -> str:
        """For example ``p=2:k=5@disease``."""
        return self._written(f"p={self.p}", f"k={self.k}")

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read ``p=2:k=5@disease``."""
        p: Any = typed.number
        return cls(p, typed.whole("k"), typed.column, shield=typed.shield)

    def reached(self, context: Context) -> str:
        """How many values there are."""
        return f"{len(context.columns[context.index_of(self.column)].ordered)} distinct values"

    def bind(self, context: Context) -> BoundRequirement:
        """Bind to the codes of the column."""
        index = context.index_of(self.column)
        return BoundRequirement(
            description=str(self),
            minimal_size=self.k,
            formula="distinct",
            parameters=np.array([self.p, 0], dtype=np.float64),
            column=index,
            overall=context.columns[index].shares,
        )
