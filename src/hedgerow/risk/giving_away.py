"""How much a column that is published as it is tells of a quasi-identifier, of which the release hides the values.

It is measured on a sample of classes: what share of the entropy that the classes leave of the original values is gone
once the other column is known. There are two measures, of which the larger counts:

- within classes: the information that the column has of the original value there, less that of the same column after it
  was shuffled within the classes. Plain entropies are biased: where all values of a class differ, any column seems to
  tell everything.
- across classes: what a reader gains who has learnt from all other classes how the two columns go together. In small
  classes whose values all differ only this one sees anything: a date of birth tells the age there, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs, ranges
from hedgerow.counts import alike, sharing, tabulate
from hedgerow.domains import Domain

__all__ = ["Coded", "given_away"]

_MOST_PARTS: Final = 64  # numbers and dates are divided into so many parts of about equal size
_MOST_VALUES: Final = 512  # of text so many values are told apart, the most frequent ones
_FEWEST_ROWS: Final = 20  # from fewer nothing can be said
_SHUFFLES: Final = 4
_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")
_PRIOR: Final = 1.0  # so many people who speak for "the columns have nothing to do with each other"


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as codes, one for each row; ``ordered`` if neighbouring codes are neighbouring values."""

    codes: Ints
    size: int
    ordered: bool

    @classmethod
    def of(cls, codes: Ints, domain: Domain) -> Coded:
        """Codes of a domain."""
        return cls(codes, domain.size, domain.ordered or domain.kind != "text")

    @cached_property
    def parts(self) -> Ints:
        """The values in few parts: ordered ones in ranges, of the others the most frequent ones by themselves."""
        counts = np.bincount(self.codes, minlength=self.size)
        if self.ordered and self.size > _MOST_PARTS:
            middle = np.cumsum(counts) - counts / 2
            part = np.floor(middle * _MOST_PARTS / len(self.codes))
        elif not self.ordered and self.size > _MOST_VALUES:
            part = np.empty(self.size)
            part[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(self.size), _MOST_VALUES - 1)
        else:
            return self.codes
        return part.astype(np.int32)[self.codes]


def given_away(
    classes: Ints, originals: Mapping[str, Coded], clear: Mapping[str, Coded], random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """How much of what classes leave open of each original column each clear column tells, from 0 to 1.

    What could be chance is not counted: two standard deviations are taken off.

    Parameters
    ----------
    classes : int array (rows,)
        The class of each row, from 0 on. Of a small class all rows must be there; of a large one a sample will do.
    originals, clear : mapping of column to Coded
        The quasi-identifiers as they were, and the columns beside them.
    random : Generator
        Shuffles.

    Notes
    -----
    O(rows · parts) for each pair of columns.
    """
    in_class = sharing((classes,))
    opened = {name: one for name, column in originals.items() if (one := _Open.of(classes, in_class, column)).enough}
    told: dict[str, dict[str, float]] = {}
    for name, column in clear.items():
        known = [_Known.of(classes, column.codes)]
        known += [_Known.of(classes, _shuffled(classes, column.codes, random)) for _ in range(_SHUFFLES)]
        told[name] = {other: _told(classes, one, column, known) for other, one in opened.items()}
    return told


class _Open(NamedTuple):
    """The rows of classes that hold several values of a column, and the entropy that the classes leave of it there."""

    column: Coded
    rows: Longs
    codes: Ints
    left: float

    @classmethod
    def of(cls, classes: Ints, in_class: Longs, column: Coded) -> _Open:
        """Find the rows of a column; ``in_class`` says how many rows the class of each has."""
        with_it = sharing((classes, column.codes))
        rows = np.flatnonzero(with_it < in_class)
        left = float(np.log(in_class[rows] / with_it[rows]).sum()) / max(len(rows), 1)
        return cls(column, rows, column.codes[rows], left)

    @property
    def enough(self) -> bool:
        """Whether something can be said."""
        return len(self.rows) >= _FEWEST_ROWS


class _Known(NamedTuple):
    """What is known of each row by its class and another column: a number for both, and how many rows have it."""

    number: Longs
    rows: Longs

    @classmethod
    def of(cls, classes: Ints, codes: Ints) -> _Known:
        """Know a column beside the class."""
        number = alike((classes, codes))
        return cls(number, np.bincount(number)[number])

    def entropy(self, one: _Open) -> float:
        """What is left of a column, in nats per row."""
        joint = sharing((self.number[one.rows], one.codes))
        return float(np.log(self.rows[one.rows] / joint).sum()) / len(one.rows)


def _shuffled(classes: Ints, codes: Ints, random: np.random.Generator) -> Ints:
    """The codes in another order, each in its class."""
    shuffled = np.empty_like(codes)
    shuffled[np.argsort(classes, kind="stable")] = codes[np.lexsort((random.random(len(classes)), classes))]
    return shuffled


def _told(classes: Ints, original: _Open, clear: Coded, known: Sequence[_Known]) -> float:
    """The larger of the two measures; what is known first is of the column as it is, then of it shuffled."""
    first, *others = (original.left - one.entropy(original) for one in known)
    within = _within(first, np.array(others), original.left)
    across = _across(classes, original.column.parts, clear.parts, original.rows) / original.left
    return min(1.0, max(0.0, within, across))


def _within(told: float, chances: Floats, left: float) -> float:
    """What the column tells within classes beyond what it would tell by chance, as a share of what it could."""
    chance = float(chances.mean())
    # Where chance alone tells nearly all, little is left to be measured, and a share of it would mean nothing.
    return (told - chance - 2 * float(chances.std(ddof=1))) / max(left - chance, left / 4)


def _across(classes: Ints, part: Ints, value: Ints, rows: Longs) -> float:
    """How many nats per row a guess gains that has learnt from the other classes how parts and values go together."""
    together = _Together(classes, part, value)
    classes, part, value = classes[rows], part[rows], value[rows]
    known, of_row = tabulate([classes, value], [together.classes, together.values], len(rows))
    held, holds = tabulate([classes, part], [together.classes, together.parts], len(rows))
    records = np.bincount(holds, minlength=len(held))
    first, last = (np.searchsorted(held[:, 0], known[:, 0], side=side) for side in _SIDES)
    # Each class and value that is known, beside each part that the class holds.
    candidate, at = ranges(first, last - first)
    lift = together.lift(known[at, 0], held[candidate, 1], known[at, 1])
    mean = np.bincount(at, records[candidate] * lift, len(known)) / np.bincount(classes)[known[:, 0]]
    gain = np.log(together.lift(classes, part, value) / mean[of_row])
    return float(gain.mean() - 2 * gain.std() / np.sqrt(len(gain)))


class _Together:
    """How often parts of one column and values of another stand together: in all classes, and in each."""

    def __init__(self, classes: Ints, part: Ints, value: Ints) -> None:
        self.classes, self.parts, self.values = (int(codes.max()) + 1 for codes in (classes, part, value))
        pair = part.astype(np.int64) * self.values + value
        self._joint = np.bincount(pair, minlength=self.parts * self.values)
        self._share: Floats = np.bincount(part, minlength=self.parts) / len(part)
        self._of_value = np.bincount(value, minlength=self.values)
        self._in_class = _Counted(classes.astype(np.int64) * len(self._joint) + pair)
        self._value_in_class = _Counted(classes.astype(np.int64) * self.values + value)

    def lift(self, classes: Ints, part: Ints, value: Ints) -> Floats:
        """How much likelier a part is where a value is known, learnt from all classes but the one that is asked for."""
        pair = part.astype(np.int64) * self.values + value
        joint = self._joint[pair] - self._in_class.of(classes.astype(np.int64) * len(self._joint) + pair)
        known = self._of_value[value] - self._value_in_class.of(classes.astype(np.int64) * self.values + value)
        share = self._share[part]
        return np.asarray((joint + _PRIOR * share) / ((known + _PRIOR) * share), dtype=np.float64)


class _Counted:
    """How often keys occur."""

    def __init__(self, keys: Longs) -> None:
        self._keys, self._counts = np.unique(keys, return_counts=True)

    def of(self, keys: Longs) -> Longs:
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._counts[at], 0).astype(np.int64)
