"""How much a column that is published as it is tells of a quasi-identifier, of which the release hides the values.

It is measured on a sample of classes: what share of the entropy that the classes leave of the original values is gone
once the other column is known. There are four measures, of which the largest counts:

- within classes: the information that the column has of the original value there, less that of the same column after it
  was shuffled within the classes. Plain entropies are biased: where all values of a class differ, any column seems to
  tell everything.
- across classes: what a reader gains who has learnt from all other classes how the two columns go together. In small
  classes whose values all differ this one still sees something: a date of birth tells the age there, too.
- by what recurs: how much more rarely two people of a class differ in the original value if they share the value of the
  other column. The day and the month of birth tell the date in a class of a few months, though nearly all dates differ.
- by order: how often, of two people of a class, the one with the larger value has the larger value of the other column.

Columns are also judged together: :func:`given_away_together` adds the column that adds most, and measures all that were
added as one column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, ranges
from hedgerow.core.counts import alike, sharing, tabulate
from hedgerow.io.domains import Domain

__all__ = ["Coded", "Jointly", "given_away", "given_away_together"]

_MOST_PARTS: Final = 64  # numbers and dates are divided into so many parts of about equal size
_MOST_VALUES: Final = 512  # of text so many values are told apart, the most frequent ones
_FEWEST_ROWS: Final = 20  # from fewer nothing can be said
_SHUFFLES: Final = 4
_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")
_DEVIATIONS: Final = 2.0  # so many standard deviations are taken off what is found
_MOST_TOGETHER: Final = 6  # columns are measured as one
_MOST_CANDIDATES: Final = 10  # columns are tried together: those that tell most alone
_LEAST_ADDED: Final = 0.05  # a column that adds less is not added
_FEWEST_TOGETHER: Final = 60  # rows: of many sets of columns, some seem to tell much of fewer by chance
_ROWS_TOGETHER: Final = 5_000  # about so many are looked at, in whole classes
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

    def only(self, rows: Longs) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.size, self.ordered)

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
    opened = _opened(classes, originals)
    told: dict[str, dict[str, float]] = {}
    for name, column in clear.items():
        known = _knowing(classes, column, random)
        told[name] = {other: _told(classes, one, column, known, random) for other, one in opened.items()}
    return told


@dataclass(frozen=True)
class Jointly:
    """How much of what classes leave open of a quasi-identifier some columns tell together, from 0 to 1."""

    columns: tuple[str, ...]
    share: float


def given_away_together(
    classes: Ints,
    originals: Mapping[str, Coded],
    clear: Mapping[str, Coded],
    alone: Mapping[str, Mapping[str, float]],
    random: np.random.Generator,
    *,
    enough: float,
    last: Collection[str] = (),
) -> dict[str, Jointly]:
    """What several columns tell of each original column together.

    Columns are added one by one, always the one that adds most, until one of these holds: they tell enough, no column
    adds a twentieth, six are taken. The search begins with the column that tells most alone and, where that does not
    lead to enough, with the two that go best together: of these, none need tell anything alone.

    Parameters
    ----------
    classes, originals, clear, random
        As for :func:`given_away`.
    alone : mapping of column to mapping
        What each of them tells alone, as :func:`given_away` has found it.
    enough : float
        From this share on nothing is added.
    last : collection of str
        Columns that are added only where the others do not tell enough.

    Returns
    -------
    mapping of original column to Jointly
        At least two columns each; originals of which several tell no more than one are left out.

    Notes
    -----
    O(columns² · rows · parts) for each original column, with at most ten columns and about 5,000 rows.
    """
    kept = _some_classes(classes, random)
    classes = classes[kept]
    originals, clear = ({name: one.only(kept) for name, one in columns.items()} for columns in (originals, clear))
    varying = [name for name, column in clear.items() if _varies(classes, column)]
    found: dict[str, Jointly] = {}
    for other, one in _opened(classes, originals).items():
        if len(one.rows) < _FEWEST_TOGETHER:
            continue
        best = Jointly((), 0.0)
        candidates: list[str] = []
        for first in (True, False):
            names = [name for name in varying if (name not in last) == first]
            names = sorted(names, key=lambda name: alone[name].get(other, 0.0), reverse=True)[:_MOST_CANDIDATES]
            if names and not best.columns:
                best = Jointly((names[0],), alone[names[0]].get(other, 0.0))
            best = _extended(best, names, clear, (classes, one), random, enough)
            candidates += names
            if not names or len(candidates) < 2 or best.share >= enough:
                continue
            pair = _measured(_likeliest_pair(candidates, clear, one), clear, (classes, one), random)
            if pair.share >= _LEAST_ADDED + max(alone[name].get(other, 0.0) for name in pair.columns):
                pair = _extended(pair, candidates, clear, (classes, one), random, enough)
                best = max(best, pair, key=lambda found: found.share)
        if len(best.columns) > 1:
            found[other] = best
    return found


def _extended(
    best: Jointly,
    names: Sequence[str],
    clear: Mapping[str, Coded],
    hidden: tuple[Ints, _Open],
    random: np.random.Generator,
    enough: float,
) -> Jointly:
    """Add columns to others, the one that adds most first, as long as that is worth it."""
    while best.share < enough and len(best.columns) < _MOST_TOGETHER:
        added = [(*best.columns, name) for name in names if name not in best.columns]
        tried = [_measured(columns, clear, hidden, random) for columns in added]
        most = max(tried, key=lambda one: one.share, default=best)
        if most.share < best.share + _LEAST_ADDED:
            break
        best = most
    return best


def _measured(
    columns: tuple[str, ...], clear: Mapping[str, Coded], hidden: tuple[Ints, _Open], random: np.random.Generator
) -> Jointly:
    """What columns tell as one."""
    classes, original = hidden
    joint = _joint([clear[name] for name in columns])
    return Jointly(columns, _told(classes, original, joint, _knowing(classes, joint, random), random))


def _likeliest_pair(names: Sequence[str], clear: Mapping[str, Coded], original: _Open) -> tuple[str, str]:
    """The two columns that go best together: whoever shares both shares the original value, whatever the class."""
    everywhere = np.zeros(len(original.column.codes), dtype=np.int32)
    in_parts = original._replace(codes=original.column.parts[original.rows])

    def recurring(pair: tuple[str, str]) -> float:
        known = alike([clear[name].parts for name in pair])
        return _recurring(everywhere, in_parts, known)

    return max(combinations(names, 2), key=recurring)


def _some_classes(classes: Ints, random: np.random.Generator) -> Longs:
    """The rows of some classes, drawn at random."""
    sizes = np.bincount(classes)
    drawn = random.permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[drawn[: np.searchsorted(np.cumsum(sizes[drawn]), _ROWS_TOGETHER) + 1]] = True
    return np.flatnonzero(chosen[classes])[: 2 * _ROWS_TOGETHER]


def _varies(classes: Ints, column: Coded) -> bool:
    """Whether a column differs within any class."""
    return bool((sharing((classes, column.codes)) < sharing((classes,))).any())


def _joint(columns: Sequence[Coded]) -> Coded:
    """Several columns as one."""
    distinct, codes = tabulate([one.codes for one in columns], [one.size for one in columns], len(columns[0].codes))
    return Coded(codes, len(distinct), ordered=False)


def _opened(classes: Ints, originals: Mapping[str, Coded]) -> dict[str, _Open]:
    """The original columns of which something is left open, and enough to be measured."""
    in_class = sharing((classes,))
    return {name: one for name, column in originals.items() if (one := _Open.of(classes, in_class, column)).enough}


def _knowing(classes: Ints, column: Coded, random: np.random.Generator) -> list[_Known]:
    """A column known beside the class: as it is, and shuffled."""
    shuffled = (_shuffled(classes, column.codes, random) for _ in range(_SHUFFLES))
    return [_Known.of(classes, codes) for codes in (column.codes, *shuffled)]


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


def _told(classes: Ints, original: _Open, clear: Coded, known: Sequence[_Known], random: np.random.Generator) -> float:
    """The largest of the four measures; what is known first is of the column as it is, then of it shuffled."""
    first, *others = (original.left - one.entropy(original) for one in known)
    within = _within(first, np.array(others), original.left)
    across = _across(classes, original.column.parts, clear.parts, original.rows) / original.left
    recurring = _recurring(classes, original, clear.codes)
    return min(1.0, max(0.0, within, across, recurring, _in_order(classes, original, clear, random)))


def _recurring(classes: Ints, original: _Open, clear: Ints | Longs) -> float:
    """How much more rarely people of a class differ in the original value if they share the other one."""
    classes, value, hidden = classes[original.rows], clear[original.rows], original.codes
    held = sharing((classes, value))
    shared = held > 1
    pairs = float(((held // 2) / held)[shared].sum())
    if pairs < 1:
        return 0.0
    same = sharing((classes, value, hidden))[shared]
    differ = float(1 - ((same - 1) / (held[shared] - 1)).mean())
    in_class, of_value = sharing((classes,))[shared], sharing((classes, hidden))[shared]
    at_random = float(1 - ((of_value - 1) / (in_class - 1)).mean())
    return 1 - _at_most(differ, pairs) / at_random if at_random > 0 else 0.0


def _at_most(share: float, trials: float) -> float:
    """The upper end of Wilson's interval for a share."""
    squared = _DEVIATIONS**2
    middle = share + squared / (2 * trials)
    spread = _DEVIATIONS * np.sqrt(share * (1 - share) / trials + squared / (4 * trials**2))
    return float((middle + spread) / (1 + squared / trials))


def _in_order(classes: Ints, original: _Open, clear: Coded, random: np.random.Generator) -> float:
    """The square of how much more often two people of a class are in the same order, or in the other one, than not."""
    if not (original.column.ordered and clear.ordered):
        return 0.0
    rows = original.rows[np.lexsort((random.random(len(original.rows)), classes[original.rows]))]
    ordered = classes[rows]
    place = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    # Pairs of people who are in no other pair.
    at = np.flatnonzero((place[:-1] % 2 == 0) & (ordered[1:] == ordered[:-1]))
    pairs = rows[at], rows[at + 1]
    hidden, value = (
        np.sign(codes[pairs[1]].astype(np.int64) - codes[pairs[0]]) for codes in (original.column.codes, clear.codes)
    )
    product = (hidden * value)[hidden != 0]
    if len(product) < _FEWEST_ROWS:
        return 0.0
    more = abs(float(product.mean())) - _DEVIATIONS / np.sqrt(len(product))
    # An exact copy never errs, so that few pairs show it. People of one value count as if they were in the other order.
    agreeing = max(float((product > 0).mean()), float((product < 0).mean()))
    return float(max(0.0, more, 1 - 2 * _at_most(1 - agreeing, len(product))) ** 2)


def _within(told: float, chances: Floats, left: float) -> float:
    """What the column tells within classes beyond what it would tell by chance, as a share of what it could."""
    chance = float(chances.mean())
    # Where chance alone tells nearly all, little is left to be measured, and a share of it would mean nothing.
    return (told - chance - _DEVIATIONS * float(chances.std(ddof=1))) / max(left - chance, left / 4)


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
    return float(gain.mean() - _DEVIATIONS * gain.std() / np.sqrt(len(gain)))


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
