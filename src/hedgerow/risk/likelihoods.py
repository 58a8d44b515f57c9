"""The probability of an original value in each class of a release, column by column.

If the release publishes proportions, it follows from them: the share of the bin is divided among its values as far as
the published cell allows (:meth:`hedgerow.core.proportions.ColumnProportions.spread`). A number that stands for a whole
group, such as a median, reveals nothing beyond the bins. Without proportions, it is the share of the value among the
known people whose values the cell may stand for. Proportions by label (:mod:`hedgerow.core.proportions._margins`) make
a value more or less probable for the people of a class who have the label, as they do when rows are drawn.

Only ratios between classes matter. Factors that are the same in all classes, such as how many numbers a piece of a
range holds, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import (
    Interval,
    Leaves,
    Possible,
    PublishedColumn,
    Suppressed,
    number_in,
    read,
    spelled,
    stands_for,
)
from hedgerow.core.proportions import ColumnProportions, Proportions, Tilt, tilted
from hedgerow.errors import required
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Covering",
    "KnownColumn",
    "Labels",
    "Likelihood",
    "PublishedShares",
    "cells_of_column",
    "cells_of_texts",
    "known_of_column",
]

Bits: TypeAlias = NDArray[np.uint8]

_CELLS: Final = 2**24
"""The number of pairs of a value and a class in memory at a time."""


class Likelihood(Protocol):
    """The probability of the values of a column in the classes."""

    @property
    def point(self) -> Longs:
        """The point that each original value counts as; -1 if no class may hold it."""

    @property
    def bits(self) -> Bits:
        """Which classes may hold each point, eight in a byte; the last row is for -1."""

    def logarithms(self, classes: Longs, points: Longs) -> Floats:
        """The logarithms of the shares of points in classes that may hold them."""

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:
        """What each label adds to these logarithms, (pairs, labels); ``None`` if they do not depend on the label."""


class Labels(NamedTuple):
    """The labels in question: their column, and its values as text."""

    target: str
    texts: tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """A quasi-identifier as an attacker knows it from other sources.

    Attributes
    ----------
    domain : Domain
        The original values of the people in question. Tuples are codes of these values.
    records : int array (domain.size,)
        The number of people who hold each value; used if the release publishes no proportions.
    below : mapping of label to values
        The values that the labels of its hierarchy stand for.
    vague : frozenset of str or None
        Published texts that may stand for any value, also a missing value: the root of its hierarchy, numbers that
        stand for a whole group, and ``None`` if empty cells are suppressed.
    """

    domain: Domain
    records: Longs
    below: Leaves = field(default_factory=dict)
    vague: frozenset[str | None] = frozenset()


@dataclass(frozen=True, eq=False)
class PublishedShares:
    """A column with published proportions.

    Attributes
    ----------
    point : int array
        The point that each original value counts as.
    shares : sparse array (classes, points)
    pool : int array (points,)
        The pool of each point.
    tilt : Tilt, optional
        How values depend on the label.
    labels : int array (labels,), optional
        For each label in question, the label of the tilt; -1 if it has none.
    """

    point: Longs
    shares: csr_array
    pool: Longs
    tilt: Tilt | None = None
    labels: Longs | None = None

    @classmethod
    def of(cls, proportions: Proportions, at: int, known: KnownColumn, asked: Labels | None = None) -> PublishedShares:
        """Make it of proportions.

        Parameters
        ----------
        proportions : Proportions
        at : int
            The position of the column.
        known : KnownColumn
        asked : Labels, optional
        """
        from scipy.sparse import csr_array

        column, sizes, lifts = proportions.columns[at], proportions.sizes, proportions.lifts
        # A range has a few points. A label of numbers that is not an interval would keep too few: the bin is used.
        hidden, below = (known.vague, known.below) if column.kind == "text" else (known.vague.union(known.below), {})
        # An attacker knows the values that may occur, also values that no pool names.
        possible: list[str | None] = [*known.domain.labels.tolist()] if column.kind == "text" else []
        spread = _by_bins(column, hidden).spread(below, [*possible, *[None] * known.domain.has_missing])
        people = csr_array(spread.matrix)
        shares = people.data / np.repeat(sizes, np.diff(people.indptr))
        # A share that is too small for a float is dropped.
        held = csr_array((shares, people.indices, people.indptr), shape=people.shape)
        held.eliminate_zeros()
        tilt = labels = None
        if lifts is not None and asked is not None and asked.target == lifts.target:
            tilt, labels = tilted(proportions, column.name, spread), lifts.codes_of(asked.texts)
        return cls(spread.codes_of(known.domain), held, spread.pool, tilt, labels)

    @cached_property
    def bits(self) -> Bits:
        by_point = self.shares.T.tocsr()
        points, classes = by_point.shape
        step = max(1, _CELLS // classes)
        parts = (by_point[start : start + step].toarray() > 0 for start in range(0, points, step))
        return _packed(parts, classes)

    def logarithms(self, classes: Longs, points: Longs) -> Floats:
        if not len(classes):
            return np.empty(0)
        shares: Floats = np.asarray(self.shares[classes, points]).ravel()
        return np.log(shares)

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:
        if self.tilt is None or self.labels is None:
            return None
        pools = self.pool[points]
        return np.stack([self.tilt.log_ratios(classes, pools, label) for label in self.labels.tolist()], axis=1)


@dataclass(frozen=True, eq=False)
class Covering:
    """A column of which only the published cells are known. All values that a cell may stand for have one ratio."""

    point: Longs
    bits: Bits
    logarithm: Floats

    @classmethod
    def of(cls, covers: Bools, cell_of_class: Longs, records: Longs) -> Covering:
        """Make it of cells.

        Parameters
        ----------
        covers : bool array (cells, values)
            Which values each published cell may stand for.
        cell_of_class : int array (classes,)
        records : int array (values,)
            The number of known people who hold each value.
        """
        # A cell that no known person fits is never needed.
        people = np.maximum(covers @ records.astype(np.float64), 1.0)
        classes, values = len(cell_of_class), covers.shape[1]
        step = max(1, _CELLS // classes)
        parts = (covers[:, start : start + step].T[:, cell_of_class] for start in range(0, values, step))
        return cls(np.arange(values, dtype=np.int64), _packed(parts, classes), -np.log(people)[cell_of_class])

    def logarithms(self, classes: Longs, points: Longs) -> Floats:  # noqa: ARG002 - the same for all points
        return self.logarithm[classes]

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:  # noqa: ARG002 - cells do not depend on labels
        return None


def cells_of_texts(texts: Sequence[str | None], known: KnownColumn) -> Bools:
    """Which values each published cell may stand for, (cells, values).

    Examples
    --------
    >>> age = Domain("age", "number", np.array(["20", "25", "30"]), np.array([20.0, 25, 30]))
    >>> cells_of_texts(["[20,30)", "{25|30}", "*", "20"], KnownColumn(age, np.ones(3, dtype=np.int64))).astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [1, 1, 1],
           [1, 0, 0]])
    """
    domain = known.domain
    labels: list[str | None] = [*domain.labels.tolist(), *[None] * domain.has_missing]
    code_of = {label: code for code, label in enumerate(labels)}
    covers = np.zeros((len(texts), domain.size), dtype=bool)
    for at, text in enumerate(texts):
        possible = stands_for(read(text, domain.kind, known.below))
        if isinstance(possible, Suppressed) or text in known.vague or _is_strange(possible, known):
            covers[at] = True
        elif isinstance(possible, Interval):
            numbers = required(domain.numbers, "the numbers of a column of intervals")
            end = np.searchsorted(numbers, possible.high, "right" if possible.closed else "left")
            covers[at, np.searchsorted(numbers, possible.low) : end] = True
        else:
            covers[at, [code for value in possible if (code := code_of.get(value)) is not None]] = True
    return covers


def _is_strange(possible: Possible, known: KnownColumn) -> bool:
    """Whether a cell of a column of numbers or dates is neither, such as a label that nothing explains."""
    if known.domain.kind == "text" or isinstance(possible, Interval | Suppressed):
        return False
    return any(value is not None and number_in(value, known.domain.kind) is None for value in possible)


def cells_of_column(column: PublishedColumn, texts: Sequence[str | None]) -> Bools:
    """The same for a column that knows what its cells cover. A number that stands for a group may be any value."""
    covers = np.zeros((len(texts), column.domain.size), dtype=bool)
    place = {text: at for at, text in enumerate(texts)}
    for value, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        at = place.get(spelled(text, column.domain.kind))
        if at is not None and kind == "number":
            covers[at] = True
        elif at is not None:
            covers[at, column.covered.codes(value)] = True
    return covers


def known_of_column(column: PublishedColumn, records: Longs) -> KnownColumn:
    """A column as its publisher knows it. A label below which values may be missing is the root."""
    domain = column.domain
    labels: list[str] = domain.labels.tolist()
    below: dict[str, tuple[str, ...]] = {}
    vague: set[str | None] = set()
    with_missing = (column.covered.sizes > 0) & (column.covered.highest == domain.missing_code)
    for value, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        if text is not None and kind == "label" and not isinstance(read(text, domain.kind), Interval):
            below[text] = tuple(labels[code] for code in column.covered.codes(value).tolist() if code < len(labels))
        if kind in ("number", "suppressed") or (kind == "label" and with_missing[value]):
            vague.add(text)
    return KnownColumn(domain, records, below, frozenset(vague))


def _packed(parts: Iterable[Bools], classes: int) -> Bits:
    nobody = np.zeros((1, -(-classes // 8)), dtype=np.uint8)
    return np.concatenate([*(np.packbits(part, axis=1) for part in parts), nobody])


def _by_bins(column: ColumnProportions, vague: frozenset[str | None]) -> ColumnProportions:
    """The column without its published numbers, because in a bin of several values a number stands for a group."""
    hidden = (text in vague or number_in(text, column.kind) is not None for text in column.texts)
    texts = (SUPPRESSED_TEXT if hides else text for hides, text in zip(hidden, column.texts, strict=True))
    return replace(column, texts=tuple(texts))
