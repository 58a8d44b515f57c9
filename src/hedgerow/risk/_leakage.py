"""How much a column in clear reveals about a quasi-identifier whose values the release hides.

It is measured on a sample of classes, as a share: of the entropy of the original values that remains within the
classes, how much is gone once the other column is known? There are four measures. The largest counts:

- Within classes: the information that the column has about the original value within the classes, less the information
  that the same column has after shuffling within the classes. Plain entropies are biased: where all values of a class
  differ, any column seems to reveal everything.
- Across classes: the gain of a reader who has learnt from all other classes how the two columns go together. It also
  works in small classes whose values all differ, where a date of birth still reveals the age.
- By recurrence: how much more rarely two people of a class differ in the original value if they share the value of the
  other column. The day and the month of birth reveal the date in a class of a few months, though nearly all dates
  differ.
- By order: how often, of two people of a class, the person with the larger value also has the larger value of the other
  column.

Columns are also measured together: :func:`joint_leakage` adds the column that adds most, and measures all added columns
as one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, ranges
from hedgerow.core.counts import alike, sharing, tabulate
from hedgerow.io.domains import Domain

__all__ = ["Coded", "JointLeakage", "joint_leakage", "leakage"]

_MOST_PARTS: Final = 64  # numbers and dates are divided into so many parts of about equal size
_MOST_VALUES: Final = 512  # of text so many values are distinguished, the most frequent ones
_FEWEST_ROWS: Final = 20  # fewer rows show nothing
_SHUFFLES: Final = 4
_DEVIATIONS: Final = 2.0  # so many standard deviations are subtracted from each measure
_MOST_TOGETHER: Final = 6  # columns are measured as one
_MOST_CANDIDATES: Final = 10  # columns are tried together: those that reveal most alone
_LEAST_ADDED: Final = 0.05  # a column that adds less is not added
_FEWEST_TOGETHER: Final = 60  # rows: of many sets of columns, some seem to reveal much about fewer rows by chance
_ROWS_TOGETHER: Final = 5_000  # about so many are measured, in whole classes
_PRIOR: Final = 1.0  # so many imaginary people for whom the columns are independent


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as codes, one for each row. It is ``ordered`` if neighbouring codes are neighbouring values."""

    codes: Ints
    size: int
    ordered: bool

    @classmethod
    def of(cls, codes: Ints, domain: Domain) -> Coded:
        """Take codes of a domain."""
        return cls(codes, domain.size, domain.ordered or domain.kind != "text")

    @cached_property
    def parts(self) -> Ints:
        """The values in few parts: ordered values in ranges; of the others, the most frequent values by themselves."""
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


def leakage(
    classes: Ints, originals: Mapping[str, Coded], clear: Mapping[str, Coded], random: np.random.Generator
) -> dict[str, dict[str, float]]:
    """How much each clear column reveals about each original column beyond the class, from 0 to 1.

    Two standard deviations are subtracted, so that chance does not count.

    Parameters
    ----------
    classes : int array (rows,)
        The class of each row, from 0 on. A small class needs all its rows; of a large one, a sample suffices.
    originals, clear : mapping of column to Coded
        The quasi-identifiers with their original values, and the columns in clear.
    random : Generator
        Shuffles.

    Notes
    -----
    O(rows · parts) for each pair of columns.
    """
    hidden = _Hidden.of_columns(classes, originals)
    shares: dict[str, dict[str, float]] = {}
    for name, column in clear.items():
        known = _Known.with_shuffled(classes, column, random)
        shares[name] = {quasi: _revealed(classes, values, column, known, random) for quasi, values in hidden.items()}
    return shares


# --------------------------------------------------------------------------------------------------
# Columns together.


@dataclass(frozen=True)
class JointLeakage:
    """How much some columns together reveal about a quasi-identifier beyond the class, from 0 to 1."""

    columns: tuple[str, ...]
    share: float


def joint_leakage(
    classes: Ints,
    originals: Mapping[str, Coded],
    clear: Mapping[str, Coded],
    alone: Mapping[str, Mapping[str, float]],
    random: np.random.Generator,
    *,
    enough: float,
    last: Collection[str] = (),
) -> dict[str, JointLeakage]:
    """How much several columns together reveal about each original column.

    Columns are added one by one, always the column that adds most, until they reveal enough, no column adds a
    twentieth, or there are six. The search begins with the column that reveals most alone. If that does not lead to
    enough, it begins again with the two columns that go best together; neither need reveal anything alone.

    Parameters
    ----------
    classes, originals, clear, random
        As for :func:`leakage`.
    alone : mapping of column to mapping
        The result of :func:`leakage` for each of them.
    enough : float
        From this share on, nothing is added.
    last : collection of str
        Columns that are added only where the others do not reveal enough.

    Returns
    -------
    mapping of original column to JointLeakage
        At least two columns each. Originals about which several columns reveal no more than one are left out.

    Notes
    -----
    O(columns² · rows · parts) for each original column, with at most ten columns and about 5,000 rows.
    """
    # The rows of some classes, drawn at random.
    sizes = np.bincount(classes)
    drawn = random.permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[drawn[: np.searchsorted(np.cumsum(sizes[drawn]), _ROWS_TOGETHER) + 1]] = True
    kept = np.flatnonzero(chosen[classes])[: 2 * _ROWS_TOGETHER]
    classes = classes[kept]
    originals = {name: replace(column, codes=column.codes[kept]) for name, column in originals.items()}
    clear = {name: replace(column, codes=column.codes[kept]) for name, column in clear.items()}
    in_class = sharing((classes,))
    varying = [name for name, column in clear.items() if (sharing((classes, column.codes)) < in_class).any()]
    groups = [[name for name in varying if name not in last], [name for name in varying if name in last]]
    best = {
        other: _Search(
            classes, hidden, clear, {name: alone[name].get(other, 0.0) for name in varying}, random, enough
        ).best(groups)
        for other, hidden in _Hidden.of_columns(classes, originals).items()
        if len(hidden.rows) >= _FEWEST_TOGETHER
    }
    return {other: joint for other, joint in best.items() if len(joint.columns) > 1}


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for the clear columns that together reveal most about one hidden column."""

    classes: Ints
    hidden: _Hidden
    clear: Mapping[str, Coded]
    alone: Mapping[str, float]
    random: np.random.Generator
    enough: float

    def best(self, groups: Sequence[Sequence[str]]) -> JointLeakage:
        """The best columns; those of a later group are added only where the earlier ones do not reveal enough."""
        best = JointLeakage((), 0.0)
        candidates: list[str] = []
        for group in groups:
            names = sorted(group, key=self.alone.__getitem__, reverse=True)[:_MOST_CANDIDATES]
            if names and not best.columns:
                best = JointLeakage((names[0],), self.alone[names[0]])
            best = self._extended(best, names)
            candidates += names
            if not names or len(candidates) < 2 or best.share >= self.enough:
                continue
            pair = self._measured(self._likeliest_pair(candidates))
            if pair.share >= _LEAST_ADDED + max(map(self.alone.__getitem__, pair.columns)):
                best = max(best, self._extended(pair, candidates), key=attrgetter("share"))
        return best

    def _extended(self, best: JointLeakage, names: Sequence[str]) -> JointLeakage:
        """Add columns, always the one that adds most, as long as it adds enough."""
        while best.share < self.enough and len(best.columns) < _MOST_TOGETHER:
            tried = [self._measured((*best.columns, name)) for name in names if name not in best.columns]
            most = max(tried, key=attrgetter("share"), default=best)
            if most.share < best.share + _LEAST_ADDED:
                break
            best = most
        return best

    def _measured(self, columns: tuple[str, ...]) -> JointLeakage:
        """Measure some columns as one."""
        parts = [self.clear[name] for name in columns]
        distinct, codes = tabulate([part.codes for part in parts], [part.size for part in parts], len(self.classes))
        joint = Coded(codes, len(distinct), ordered=False)
        known = _Known.with_shuffled(self.classes, joint, self.random)
        return JointLeakage(columns, _revealed(self.classes, self.hidden, joint, known, self.random))

    def _likeliest_pair(self, names: Sequence[str]) -> tuple[str, str]:
        """The two columns that go best together: people who share both share the original value, in any class."""
        everywhere = np.zeros(len(self.classes), dtype=np.int32)
        in_parts = self.hidden._replace(codes=self.hidden.column.parts[self.hidden.rows])
        recurrence = {
            pair: _recurrence(everywhere, in_parts, alike([self.clear[name].parts for name in pair]))
            for pair in combinations(names, 2)
        }
        return max(recurrence, key=recurrence.__getitem__)


# --------------------------------------------------------------------------------------------------
# The four measures.


class _Hidden(NamedTuple):
    """The rows of classes with several values of a column, and the mean entropy per row that the classes leave."""

    column: Coded
    rows: Longs
    codes: Ints
    entropy: float

    @classmethod
    def of_columns(cls, classes: Ints, originals: Mapping[str, Coded]) -> dict[str, _Hidden]:
        """The columns of which the classes hide enough to be measured."""
        hidden = {}
        in_class = sharing((classes,))
        for name, column in originals.items():
            alike_rows = sharing((classes, column.codes))
            rows = np.flatnonzero(alike_rows < in_class)
            entropy = float(np.log(in_class[rows] / alike_rows[rows]).sum()) / max(len(rows), 1)
            if len(rows) >= _FEWEST_ROWS:
                hidden[name] = cls(column, rows, column.codes[rows], entropy)
        return hidden


class _Known(NamedTuple):
    """What a reader knows of each row, its class and another column: a number for both, and the rows that have it."""

    number: Longs
    rows: Longs

    @classmethod
    def with_shuffled(cls, classes: Ints, column: Coded, random: np.random.Generator) -> list[_Known]:
        """A column known beside the class: first as it is, then several times shuffled within the classes."""
        variants = [column.codes]
        by_class = np.argsort(classes, kind="stable")
        for _ in range(_SHUFFLES):
            shuffled = np.empty_like(column.codes)
            shuffled[by_class] = column.codes[np.lexsort((random.random(len(classes)), classes))]
            variants.append(shuffled)
        numbers = [alike((classes, codes)) for codes in variants]
        return [cls(number, np.bincount(number)[number]) for number in numbers]


def _revealed(
    classes: Ints, hidden: _Hidden, clear: Coded, known: Sequence[_Known], random: np.random.Generator
) -> float:
    """The largest of the four measures. ``known`` is the column as it is, then shuffled."""
    rows = hidden.rows
    # The nats per row that knowing the column gains: the entropy of the hidden column, less what remains of it.
    gain, *by_chance = [
        hidden.entropy
        - float(np.log(variant.rows[rows] / sharing((variant.number[rows], hidden.codes))).sum()) / len(rows)
        for variant in known
    ]
    chances = np.array(by_chance)
    chance = float(chances.mean())
    # Where chance alone reveals nearly all, little is left to be measured, and a share of it would mean nothing.
    scale = max(hidden.entropy - chance, hidden.entropy / 4)
    within = (gain - chance - _DEVIATIONS * float(chances.std(ddof=1))) / scale
    across = _across_classes(classes, hidden, clear.parts) / hidden.entropy
    recurrence = _recurrence(classes, hidden, clear.codes)
    return min(1.0, max(0.0, within, across, recurrence, _in_order(classes, hidden, clear, random)))


def _recurrence(classes: Ints, hidden: _Hidden, clear: Ints | Longs) -> float:
    """How much more rarely people of a class differ in the hidden value if they share the clear one."""
    classes, value, codes = classes[hidden.rows], clear[hidden.rows], hidden.codes
    held = sharing((classes, value))
    shared = held > 1
    pairs = float(((held // 2) / held)[shared].sum())
    if pairs < 1:
        return 0.0
    same = sharing((classes, value, codes))[shared]
    differ = float(1 - ((same - 1) / (held[shared] - 1)).mean())
    in_class, of_value = sharing((classes,))[shared], sharing((classes, codes))[shared]
    at_random = float(1 - ((of_value - 1) / (in_class - 1)).mean())
    return 1 - _upper_end(differ, pairs) / at_random if at_random > 0 else 0.0


def _upper_end(share: float, trials: float) -> float:
    """The upper end of Wilson's interval for a share."""
    squared = _DEVIATIONS**2
    middle = share + squared / (2 * trials)
    spread = _DEVIATIONS * np.sqrt(share * (1 - share) / trials + squared / (4 * trials**2))
    return float((middle + spread) / (1 + squared / trials))


def _in_order(classes: Ints, hidden: _Hidden, clear: Coded, random: np.random.Generator) -> float:
    """The square of how much more often pairs of a class have the same order in both columns (or the reverse)."""
    if not (hidden.column.ordered and clear.ordered):
        return 0.0
    rows = hidden.rows[np.lexsort((random.random(len(hidden.rows)), classes[hidden.rows]))]
    ordered = classes[rows]
    place = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    # Each person is in one pair at most.
    at = np.flatnonzero((place[:-1] % 2 == 0) & (ordered[1:] == ordered[:-1]))
    first, second = rows[at], rows[at + 1]
    signs = [np.sign(column.codes[second].astype(np.int64) - column.codes[first]) for column in (hidden.column, clear)]
    product = (signs[0] * signs[1])[signs[0] != 0]
    if len(product) < _FEWEST_ROWS:
        return 0.0
    more = abs(float(product.mean())) - _DEVIATIONS / np.sqrt(len(product))
    # An exact copy never errs, so that few pairs show it. People with equal values count as if in the other order.
    agreeing = max(float((product > 0).mean()), float((product < 0).mean()))
    return float(max(0.0, more, 1 - 2 * _upper_end(1 - agreeing, len(product))) ** 2)


def _across_classes(classes: Ints, hidden: _Hidden, value: Ints) -> float:
    """The nats per row that a guess gains by learning from the other classes how parts and values go together."""
    rows, part = hidden.rows, hidden.column.parts
    together = _Cooccurrence(classes, part, value)
    classes, part, value = classes[rows], part[rows], value[rows]
    known, of_row = tabulate([classes, value], [together.classes, together.values], len(rows))
    held, holds = tabulate([classes, part], [together.classes, together.parts], len(rows))
    records = np.bincount(holds, minlength=len(held))
    first = np.searchsorted(held[:, 0], known[:, 0], side="left")
    last = np.searchsorted(held[:, 0], known[:, 0], side="right")
    # Each known class and value, beside each part that the class holds.
    candidate, at = ranges(first, last - first)
    lift = together.lift(known[at, 0], held[candidate, 1], known[at, 1])
    mean = np.bincount(at, records[candidate] * lift, len(known)) / np.bincount(classes)[known[:, 0]]
    gain = np.log(together.lift(classes, part, value) / mean[of_row])
    return float(gain.mean() - _DEVIATIONS * gain.std() / np.sqrt(len(gain)))


class _Cooccurrence:
    """How often parts of one column occur with values of another: in all classes, and in each."""

    def __init__(self, classes: Ints, part: Ints, value: Ints) -> None:
        self.classes, self.parts, self.values = [int(codes.max()) + 1 for codes in (classes, part, value)]
        pair = part.astype(np.int64) * self.values + value
        self._joint = np.bincount(pair, minlength=self.parts * self.values)
        self._share: Floats = np.bincount(part, minlength=self.parts) / len(part)
        self._of_value = np.bincount(value, minlength=self.values)
        self._in_class = _KeyCounts(classes.astype(np.int64) * len(self._joint) + pair)
        self._value_in_class = _KeyCounts(classes.astype(np.int64) * self.values + value)

    def lift(self, classes: Ints, part: Ints, value: Ints) -> Floats:
        """How much likelier a part is if a value is known, learnt from all classes but the one in question."""
        pair = part.astype(np.int64) * self.values + value
        joint = self._joint[pair] - self._in_class.of(classes.astype(np.int64) * len(self._joint) + pair)
        known = self._of_value[value] - self._value_in_class.of(classes.astype(np.int64) * self.values + value)
        share = self._share[part]
        return np.asarray((joint + _PRIOR * share) / ((known + _PRIOR) * share), dtype=np.float64)


class _KeyCounts:
    """How often each key occurs."""

    def __init__(self, keys: Longs) -> None:
        self._keys, self._counts = np.unique(keys, return_counts=True)

    def of(self, keys: Longs) -> Longs:
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._counts[at], 0).astype(np.int64)
