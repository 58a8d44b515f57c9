"""k-anonymity: every class has at least k records.

L. Sweeney: k-Anonymity: A model for protecting privacy, IJUFKS 10(5), 2002. Several shields at once: each
names the quasi-identifiers that one attacker may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from hedgerow.errors import plural
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, Requirement

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every combination of values of the shield that occurs is held by at least ``k`` records.

    Several of them, each with its own shield, state how much an attacker who knows only some of the columns
    may learn.

    Monotone: the size of a union is the sum of the sizes.

    Parameters
    ----------
    k : int
        The least number of records.
    shield : sequence of str, optional
        The quasi-identifiers the attacker knows; ``None`` means all.

    Examples
    --------
    >>> import hedgerow as hr
    >>> print(hr.KAnonymity(4, shield=["education", "sex"]))
    4-anonymity of education, sex
    """

    k: int
    shield: Sequence[str] | None = None
    column: None = field(default=None, init=False, repr=False)

    name: ClassVar[str] = "k-anonymity"
    monotone: ClassVar[bool] = True
    letter: ClassVar[str] = "k"
    form: ClassVar[str] = "k=4 or k=4@education,sex"
    kept_by_more: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_shield()

    def __str__(self) -> str:
        return f"{self.k}-anonymity" + ("" if self.shield is None else f" of {', '.join(self.shield)}")

    @property
    def minimal_size(self) -> int:
        """The k itself."""
        return self.k

    def of_at_most(self, size: int) -> KAnonymity:
        """With a smaller k."""
        return replace(self, k=min(self.k, size))

    @property
    def notation(self) -> str:
        """For example ``k=4@education,sex``."""
        return f"k={self.k}" + ("" if self.shield is None else f"@{','.join(self.shield)}")

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read ``k=4@education,sex``."""
        k: Any = typed.number
        return cls(k, shield=typed.names(typed.after))

    def reached(self, context: Context) -> str:
        """How many records there are."""
        return plural(context.rows, "records")

    def bind(self, context: Context) -> BoundRequirement:  # noqa: ARG002 - only requirements of a column need it
        """Ask for the size only."""
        return BoundRequirement(description=str(self), minimal_size=self.k)
