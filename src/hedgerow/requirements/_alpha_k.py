"""(α,k)-anonymity: k records in every class, and no sensitive value too frequent among them.

R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang: (α, k)-Anonymity: An enhanced k-anonymity model for privacy
preserving data publishing, KDD 2006.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.io.values import number_text
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, Requirement

__all__ = ["AlphaK"]

_LEAST: Final = 1e-9  # a smaller share than any value of a table has


@dataclass(frozen=True)
class AlphaK(Requirement):
    """Every class has at least ``k`` records; at most the share ``alpha`` of them holds one sensitive value.

    With ``value`` only that value is limited (the paper's simple model), without it every value is (the
    general model); a missing value is a value of its own.

    Monotone: the share in a union is a weighted mean of the shares, so at most the larger one.

    Parameters
    ----------
    alpha : float
        The largest share, above 0 and at most 1.
    k : int
        How many records.
    column : str
        The sensitive column.
    value : str or number, optional
        The one value whose share is limited.
    shield : sequence of str, optional
        The quasi-identifiers whose classes are meant; ``None`` means all.

    Examples
    --------
    >>> import hedgerow as hr
    >>> print(hr.AlphaK(0.5, 3, "disease"))
    (0.5, 3)-anonymity of disease
    """

    alpha: float
    k: int
    column: str
    value: str | float | None = None
    shield: Sequence[str] | None = None

    name: ClassVar[str] = "alpha-k"
    monotone: ClassVar[bool] = True
    letter: ClassVar[str] = "alpha"
    form: ClassVar[str] = "alpha=0.5:k=3@disease"
    options: ClassVar[tuple[str, ...]] = ("k", "value", "shield")
    withheld: ClassVar[tuple[str, ...]] = ("value",)
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_number("alpha", "a number > 0 and <= 1", 0, 1, open_low=True)
        self._check_whole("k", 1)
        self._check_column()
        value: object = self.value
        if value is not None and not isinstance(value, str):
            if type(value) is bool or not isinstance(value, numbers.Real):
                raise BadInput.parameter("value", "AlphaK", "text, a number or None", value)
            # A whole float is written without its point, so any kind of number gives the label of the domain.
            object.__setattr__(self, "value", number_text(float(value)))
        self._check_shield()

    def __str__(self) -> str:
        # The value itself stays out: descriptions go into reports, and few records may hold it.
        of = self.column if self.value is None else f"one value of {self.column}"
        return f"({number_text(self.alpha)}, {self.k})-anonymity of {of}{self._within()}"

    @property
    def minimal_size(self) -> int:
        """The k, or as many different values as keep each share small enough."""
        if self.value is not None:
            return self.k
        least = max(1, math.floor(1 / self.alpha))
        return max(self.k, least if 1 / least <= self.alpha else least + 1)

    def of_at_most(self, size: int) -> AlphaK:
        """With a smaller k. The share stays, because it sets a least number of records by itself."""
        return replace(self, k=min(self.k, size))

    @property
    def by_shares(self) -> bool:
        """It limits a share."""
        return True

    def stricter(self, by: float) -> AlphaK:
        """With a smaller share."""
        return replace(self, alpha=max(self.alpha * (1 - by), _LEAST))

    @property
    def notation(self) -> str:
        """For example ``alpha=0.5:k=3@disease``."""
        value = () if self.value is None else (f"value={self.value}",)
        return self._written(f"alpha={number_text(self.alpha)}", f"k={self.k}", *value)

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read ``alpha=0.5:k=3:value=HIV@disease``."""
        k = typed.whole("k")
        return cls(typed.number, k, typed.column, value=typed.options.get("value"), shield=typed.shield)

    def reached(self, context: Context) -> str:
        """The share of the value, or of the most frequent value."""
        column = context.columns[context.index_of(self.column)]
        records = column.ordered[0] if self.value is None else column.histogram[column.code_of(str(self.value))]
        return f"a share of {records / context.rows:.4g}"

    def bind(self, context: Context) -> BoundRequirement:
        """Bind to the codes of the column; a value that does not occur there is most likely mistyped."""
        index = context.index_of(self.column)
        code = -1
        if self.value is not None:
            code = context.columns[index].code_of(str(self.value))
            if code < 0:
                raise BadInput(f"The value given to AlphaK does not occur in {self.column!r}. Check how it is written.")
        return BoundRequirement(
            description=str(self),
            minimal_size=self.minimal_size,
            formula="share",
            parameters=np.array([self.alpha, code], dtype=np.float64),
            column=index,
            overall=context.columns[index].shares,
        )
