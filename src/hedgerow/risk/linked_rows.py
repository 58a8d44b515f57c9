"""Two releases as an attacker lays them side by side: their classes, and the rows of each by the columns in clear.

A row of the old release and a row of the new one can be the same person's only if they agree in every column that both
publish as it is. What they agree in is called their *link*: rows with the same values of all these columns have the
same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.arrays import Longs
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels, distinct
from hedgerow.verifier.labels import numbers_of, text_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["BothReleases", "Side", "same_values"]


@dataclass(frozen=True, eq=False)
class Side:
    """One release: how many rows of each class have each link, sorted by class.

    Attributes
    ----------
    counts : ClassCounts
    classes, links, rows : int arrays (cells,)
    """

    counts: ClassCounts
    classes: Longs
    links: Longs
    rows: Longs

    @property
    def sizes(self) -> Longs:
        """The rows of each class."""
        return np.bincount(self.classes, self.rows, self.number).astype(np.int64)

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.counts.codes)

    def table(self, links: int) -> csr_array:
        """The rows of each class by link, (classes, links)."""
        from scipy.sparse import csr_array

        return csr_array((self.rows, (self.classes, self.links)), shape=(self.number, links))


@dataclass(frozen=True, eq=False)
class BothReleases:
    """An old and a new release.

    Attributes
    ----------
    old, new : Side
    links : int
        How many different links there are.
    values : mapping of column to int array (links,)
        For each column that is compared, the code of its value in each link.
    """

    old: Side
    new: Side
    links: int
    values: Mapping[str, Longs]

    @classmethod
    def of(cls, old: ClassCounts, new: ClassCounts, columns: Sequence[str]) -> BothReleases:
        """Lay counted releases side by side; ``columns`` were counted as sensitive ones in both."""
        before = len(old.class_of_cell)
        codes = {}
        for name in columns:
            places = same_values(old.cells.sensitive[name].labels, new.cells.sensitive[name].labels)
            sides = zip(places, (old, new), strict=True)
            codes[name] = np.concatenate([place[one.cells.sensitive[name].codes] for place, one in sides])
        alike = [(one, int(one.max()) + 1) for one in codes.values()]
        nothing = (np.zeros(before + len(new.class_of_cell), dtype=np.int64), 1)
        link, first = distinct([nothing, *alike])
        values = {name: one[first] for name, one in codes.items()}
        return cls(_side(old, link[:before], len(first)), _side(new, link[before:], len(first)), len(first), values)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The quasi-identifiers of both."""
        return tuple(name for name in self.new.counts.columns if name in self.old.counts.columns)


def same_values(old: Labels, new: Labels) -> tuple[Longs, Longs]:
    """Number the values of a column that two tables hold, however each of them writes its numbers.

    >>> same_values(np.array(["1.50", "2"], dtype=object), np.array(["1.5", None], dtype=object))
    (array([0, 1]), array([0, 2]))
    """
    texts = [text for text in (*old, *new) if text is not None]
    numbers = numbers_of(texts)
    written = dict(zip(texts, texts if numbers is None else map(text_of, numbers), strict=True))
    found: dict[str | None, int] = {}
    sides = [[found.setdefault(written.get(text), len(found)) for text in side] for side in (old, new)]
    return np.array(sides[0], dtype=np.int64), np.array(sides[1], dtype=np.int64)


def _side(counts: ClassCounts, link: Longs, links: int) -> Side:
    cell, first = distinct([(counts.class_of_cell, len(counts.codes)), (link, links)])
    rows = np.bincount(cell, counts.cells.rows, len(first)).astype(np.int64)
    return Side(counts, counts.class_of_cell[first], link[first], rows)
