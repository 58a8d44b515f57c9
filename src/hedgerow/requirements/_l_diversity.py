"""l-diversity: the sensitive values of every class are well mixed.

A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy beyond k-anonymity,
ACM TKDD 1(1), 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal, Self, get_args

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.io.values import number_text
from hedgerow.requirements._notation import Typed
from hedgerow.requirements.binding import BoundRequirement, Context, Requirement

__all__ = ["LDiversity"]

_LEAST: Final = 1e-9  # a smaller c than any table reaches
DiversityKind = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True)
class LDiversity(Requirement):
    """Every class holds at least ``l`` well-represented values of a sensitive column.

    - ``distinct``: at least l values occur.
    - ``entropy``: the entropy is at least log l.
    - ``recursive``: with the counts in descending order, r₁ < c (r_l + … + r_m).

    A missing value is a value of its own.

    Monotone (Machanavajjhala et al. 2007). Distinct: a union loses no value. Entropy: it is
    concave, so a mixture has at least the smaller of the two. Recursive: in a union r₁ is at most the sum of
    the r₁, and the l − 1 largest counts are at most the sum of the l − 1 largest, so the rest is at least
    the sum of the rests.

    Parameters
    ----------
    l : int, or float for the entropy kind
        How many values.
    column : str
        The sensitive column.
    kind : {"distinct", "entropy", "recursive"}
        What well-represented means.
    c : float, optional
        How many times more frequent than the rest the most frequent value must stay below; the recursive
        kind only.
    shield : sequence of str, optional
        The quasi-identifiers whose classes are meant; ``None`` means all.

    Examples
    --------
    >>> import hedgerow as hr
    >>> print(hr.LDiversity(3, "disease", kind="recursive", c=2))
    recursive (2, 3)-diversity of disease
    """

    l: float  # noqa: E741 - the paper's letter
    column: str
    kind: DiversityKind = "distinct"
    c: float | None = None
    shield: Sequence[str] | None = None

    name: ClassVar[str] = "l-diversity"
    monotone: ClassVar[bool] = True
    letter: ClassVar[str] = "l"
    form: ClassVar[str] = "l=3@disease, l=3:entropy@disease or l=3:recursive:c=2@disease"
    words: ClassVar[tuple[str, ...]] = get_args(DiversityKind)
    options: ClassVar[tuple[str, ...]] = ("c", "shield")

    def __post_init__(self) -> None:
        if self.kind not in ("distinct", "entropy", "recursive"):
            raise BadInput.parameter("kind", "LDiversity", "'distinct', 'entropy' or 'recursive'", self.kind)
        if self.kind == "entropy":
            self._check_number("l", "a number >= 1", 1, math.inf)
        else:
            self._check_whole("l", 1)
        if self.kind == "recursive":
            self._check_number("c", "a number > 0 for the recursive kind", 0, math.inf, open_low=True)
        elif self.c is not None:
            raise BadInput.parameter("c", "LDiversity", "None for any kind but 'recursive'", self.c)
        self._check_column()
        self._check_shield()

    def __str__(self) -> str:
        size = number_text(self.l)
        if self.c is not None:
            size = f"({number_text(self.c)}, {size})"
        words = "" if self.kind == "distinct" else f"{self.kind} "
        return f"{words}{size}-diversity of {self.column}{self._within()}"

    @property
    def minimal_size(self) -> int:
        """The size of a class in which every record has another value, and which is just large enough."""
        if self.c is None:
            return math.ceil(self.l)
        rest = math.floor(1 / self.c)
        # The smallest rest of the counts that outweighs one record, by the same division as the kernel's.
        while rest < 1 or 1 / rest >= self.c:
            rest += 1
        return int(self.l) - 1 + rest

    def of_at_most(self, size: int) -> LDiversity:
        """With a smaller l; the recursive kind stays unchanged."""
        return self if self.kind == "recursive" else replace(self, l=min(self.l, size))

    @property
    def by_shares(self) -> bool:
        """Whether more is asked than how many values occur."""
        return self.kind != "distinct"

    def stricter(self, by: float) -> LDiversity:
        """With more well-represented values, or a smaller c."""
        if self.c is not None:
            return replace(self, c=max(self.c * (1 - by), _LEAST))
        return replace(self, l=self.l * (1 + by)) if self.by_shares else self

    @property
    def notation(self) -> str:
        """For example ``l=3:recursive:c=2@disease``."""
        kind = () if self.kind == "distinct" else (self.kind,)
        c = () if self.c is None else (f"c={number_text(self.c)}",)
        return self._written(f"l={number_text(self.l)}", *kind, *c)

    @property
    def kept_by_more(self) -> bool:
        """A further record takes no value away, but it may unbalance them."""
        return self.kind == "distinct"

    @property
    def linear(self) -> bool:
        """The number of values is."""
        return self.kind == "distinct"

    @classmethod
    def read(cls, typed: Typed) -> Self:
        """Read ``l=3:recursive:c=2@disease``."""
        kind: Any = typed.word or "distinct"
        c = typed.whole("c") if "c" in typed.options else None
        return cls(typed.number, typed.column, kind=kind, c=c, shield=typed.shield)

    def reached(self, context: Context) -> str:
        """How well all records are mixed."""
        counts = context.columns[context.index_of(self.column)].ordered
        rest = int(counts[int(self.l) - 1 :].sum())
        if self.kind == "entropy":
            shares = counts / counts.sum()
            return f"an entropy l of {np.exp(-(shares * np.log(shares)).sum()):.4g}"
        if self.kind == "recursive" and rest:
            return f"a c of {counts[0] / rest:.4g}"
        return f"{len(counts)} distinct values"

    def bind(self, context: Context) -> BoundRequirement:
        """Bind to the codes of the column."""
        index = context.index_of(self.column)
        number = math.log(self.l) if self.kind == "entropy" else self.l
        return BoundRequirement(
            description=str(self),
            minimal_size=self.minimal_size,
            formula=self.kind,
            parameters=np.array([number, self.c or 0], dtype=np.float64),
            column=index,
            overall=context.columns[index].shares,
        )
