"""Recodes of numbers that are published in clear: rounding, top and bottom coding, microaggregation.

Rounding takes the nearest multiple of a base (halves up). Top coding publishes numbers from a bound on as ``≥90``,
bottom coding numbers below a bound as ``<18``; the column then holds text. All other numbers are rounded or stay.
Microaggregation replaces numbers by the mean of their group, rounded to six significant digits. Groups are runs of the
sorted values with at least n people each, and have the least sum of squared errors (S. L. Hansen, S. Mukherjee: A
Polynomial Algorithm for Optimal Univariate Microaggregation, IEEE TKDE 15(4), 2003). Unlike there, equal values stay
together, because a coding is a function of the value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.coding._holders import Holders
from hedgerow.errors import BadInput, Infeasible, plural
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.io.values import BELOW, FROM, number_text

__all__ = ["Recode", "microaggregated", "parse_recode", "rounded"]

_WORDS: Final = ("round", "top", "bottom", "microaggregate")
_FORM: Final = "Write round:1000, top:90, bottom:18 or microaggregate:11, also joined, as in top:90,round:5."
_DIGITS: Final = 6  # of a published mean


@dataclass(frozen=True)
class Recode:
    """How the numbers of a column are recoded; each part may be absent.

    Attributes
    ----------
    base : float, optional
        Numbers are rounded to its multiples.
    top, bottom : float, optional
        Numbers from ``top`` on are published as one, and so are numbers below ``bottom``.
    groups : int, optional
        Groups of at least so many people are published as their mean.
    """

    base: float | None = None
    top: float | None = None
    bottom: float | None = None
    groups: int | None = None

    @property
    def writes_text(self) -> bool:
        """Whether the recoded column holds text such as ``≥90``."""
        return self.top is not None or self.bottom is not None

    def ends(self, numbers: Floats) -> tuple[Bools, Bools]:
        """Which numbers are below the bottom, and which are from the top on."""
        return (
            numbers < (-math.inf if self.bottom is None else self.bottom),
            numbers >= (math.inf if self.top is None else self.top),
        )

    def apply(self, numbers: Floats, holders: Holders, least: int, name: str) -> Floats:
        """The recoded numbers, ascending like the numbers; those beyond an end are that end.

        Parameters
        ----------
        numbers : array of float
            Different numbers, ascending.
        holders : Holders
            Of the same numbers.
        least : int
            Groups have at least so many people.
        name : str
            The column, for messages.
        """
        low, high = self.ends(numbers)
        inner = ~(low | high)
        coded = numbers.copy()
        if self.base is not None:
            coded = rounded(numbers, self.base)
        elif self.groups is not None and inner.any():
            coded[inner] = microaggregated(numbers[inner], _some(holders, inner), max(self.groups, least), name)
        coded[low] = self.bottom
        coded[high] = self.top
        return coded

    def text_of(self, number: float, *, low: bool, high: bool) -> str:
        """How a recoded number is written; ``low`` and ``high`` say whether it stands for an end."""
        return f"{BELOW if low else FROM if high else ''}{number_text(number)}"


def parse_recode(words: object, column: str) -> Recode:
    """Read how a column is recoded.

    >>> parse_recode("top:90,round:5", "age")
    Recode(base=5.0, top=90.0, bottom=None, groups=None)
    """
    parts: dict[str, float] = {}
    for word in str(words).split(",") if isinstance(words, str) else [""]:
        name, _, text = (part.strip() for part in word.partition(":"))
        number = number_or_nan(text.replace("_", "?"))
        if name not in _WORDS or math.isnan(number):
            raise BadInput(f"The recode of {column!r} cannot be read. {_FORM}")
        if name in parts:
            raise BadInput(f"The recode of {column!r} names {name!r} twice. Name it once.")
        parts[name] = number
    return _checked(parts, column)


def _checked(parts: Mapping[str, float], column: str) -> Recode:
    base, groups = parts.get("round"), parts.get("microaggregate")
    if base is not None and not base > 0:
        raise BadInput(f"The recode of {column!r} rounds to multiples of a number that is not above 0. {_FORM}")
    if groups is not None and not (groups >= 2 and groups.is_integer()):
        raise BadInput(f"The recode of {column!r} needs groups of at least 2 people, as a whole number. {_FORM}")
    if base is not None and groups is not None:
        raise BadInput(f"The recode of {column!r} both rounds and microaggregates. Choose one of them.")
    recode = Recode(base, parts.get("top"), parts.get("bottom"), None if groups is None else int(groups))
    if recode.top is not None and recode.bottom is not None and recode.bottom >= recode.top:
        raise BadInput(f"The recode of {column!r} has a bottom that is not below its top. Correct one of them.")
    return recode


def rounded(numbers: Floats, base: float) -> Floats:
    """The nearest multiples of a base, halves up, with as many decimals as the base.

    >>> rounded(np.array([0.24, 0.25, 7.0]), 0.1).tolist(), rounded(np.array([-5.0, 5.0]), 10).tolist()
    ([0.2, 0.3, 7.0], [0.0, 10.0])
    """
    exponent = Decimal(repr(base)).normalize().as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    # Of 0.25 / 0.1 and the like, the quotient of floats may be just below the half.
    steps = np.floor(np.round(numbers / base, 9) + 0.5)
    return np.asarray(np.round(steps * base, decimals) + 0.0)


def _some(holders: Holders, chosen: Bools) -> Holders:
    """The holders of some of the values."""
    number = np.cumsum(chosen) - 1
    pairs = holders.pairs
    if pairs is not None:
        pairs = pairs[chosen[pairs[:, 0]]]
        pairs = np.stack([number[pairs[:, 0]], pairs[:, 1]], axis=1).astype(np.int32)
    return Holders(holders.values, holders.rows[chosen], pairs)


def microaggregated(numbers: Floats, holders: Holders, least: int, name: str) -> Floats:
    """The mean of each number's group, where groups of at least ``least`` people have the least squared error."""
    starts = holders.latest_starts(least)
    if starts[-1] < 0:
        raise Infeasible(
            f"The numbers of {name!r} cannot be microaggregated: fewer than {plural(least, 'people')} hold one. "
            "Lower the number, or drop the column."
        )
    groups = _best_groups(numbers, holders.rows, starts)
    means = np.add.reduceat(numbers * holders.rows, groups) / np.add.reduceat(holders.rows, groups)
    shown = np.array([float(f"{mean:.{_DIGITS}g}") for mean in means.tolist()])
    return np.repeat(shown, np.diff(groups, append=len(numbers)))


def _best_groups(numbers: Floats, rows: Longs, starts: Longs) -> Longs:
    """Where the groups of the best partition begin: a shortest path, since groups are runs.

    ``starts`` has the latest start of a group that ends with each number. A run that can be cut in two has no smaller
    error than its halves, so only runs are tried that cannot be cut: they start after the latest start of a group that
    ends before the latest start of this one.
    """
    centered = numbers - np.average(numbers, weights=rows)
    weight = np.concatenate([[0.0], np.cumsum(rows, dtype=np.float64)])
    total = np.concatenate([[0.0], np.cumsum(centered * rows)])
    squares = np.concatenate([[0.0], np.cumsum(centered**2 * rows)])
    best = np.full(len(numbers) + 1, np.inf)
    best[0] = 0.0
    before = np.zeros(len(numbers) + 1, dtype=np.int64)
    for end in range(1, len(numbers) + 1):
        latest = int(starts[end - 1])
        if latest < 0:
            continue
        earliest = max(int(starts[latest - 1]), 0) if latest else 0
        runs = np.arange(earliest, latest + 1)
        errors = squares[end] - squares[runs] - (total[end] - total[runs]) ** 2 / (weight[end] - weight[runs])
        costs = best[runs] + np.maximum(errors, 0.0)
        chosen = int(np.argmin(costs))
        best[end], before[end] = costs[chosen], runs[chosen]
    groups = [len(numbers)]
    while groups[-1]:
        groups.append(int(before[groups[-1]]))
    return np.array(groups[:0:-1], dtype=np.int64)
