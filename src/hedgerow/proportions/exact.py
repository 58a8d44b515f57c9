"""Exact proportions: how many people of each class hold which original value.

They are what proportions are made of, and are never published: where all columns of a class but one are known, they
are the counts of its original tuples (see :mod:`hedgerow.proportions.pooling`). Labels stand apart, in
:class:`ExactLabels`, so that what is made of :class:`ExactProportions` cannot depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.recoding import PublishedKind

__all__ = ["ExactColumn", "ExactLabels", "ExactProportions", "HeldByPairs"]


@dataclass(frozen=True, eq=False)
class ExactColumn:
    """One quasi-identifier: what each class publishes, and how many of its people hold which value.

    Attributes
    ----------
    domain : Domain
        The values that published records hold.
    texts : tuple of str or None
        The published values, each once; ``None`` is an empty cell.
    kinds : tuple of str
        What each of them is: see :class:`hedgerow.recoding.PublishedColumn`.
    published : int array (classes,)
        Which of them each class publishes.
    starts : int array (classes + 1,)
        Class ``i`` holds the values ``codes[starts[i]:starts[i + 1]]``, ascending.
    codes : int array
    records : int array
        How many people of the class hold the value.
    hierarchy : EncodedHierarchy, optional
        The hierarchy that was given, if the column is text.
    code_in_hierarchy : int array (domain.size,), optional
        The code of each value in the domain of the hierarchy.
    bounds : tuple of float, optional
        The smallest and the largest number that the hierarchy which was given has room for.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    kinds: tuple[PublishedKind, ...]
    published: Ints
    starts: Longs
    codes: Ints
    records: Longs
    hierarchy: EncodedHierarchy | None = None
    code_in_hierarchy: Longs | None = None
    bounds: tuple[float, float] | None = None

    @cached_property
    def class_of_entry(self) -> Longs:
        """The class of each entry of ``codes`` and ``records``."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def several(self) -> Bools:
        """Whether the people of each class hold several values."""
        return np.asarray(np.diff(self.starts) > 1)

    def publishes(self, kind: PublishedKind) -> Bools:
        """Which classes publish such a value."""
        return np.array([one == kind for one in self.kinds], dtype=bool)[self.published]


@dataclass(frozen=True, eq=False)
class HeldByPairs:
    """How many people of which pair of class and label hold which value of a column; each pair and value once.

    Attributes
    ----------
    pair, codes, records : int arrays (entries,)
    """

    pair: Longs
    codes: Longs
    records: Longs


@dataclass(frozen=True, eq=False)
class ExactLabels:
    """The people of each class by their labels, and what they hold.

    Attributes
    ----------
    target : str
        The column of the labels.
    kind : {"number", "text", "date"}
        What its values are.
    labels : tuple of str or None
        Its values; ``None`` is a missing one.
    regions : int array (levels, classes)
        Which classes are told of together, at each level.
    strengths : float array (quasi-identifiers,)
        How strongly drawn values depend on the label; 0 where nothing is told by label.
    least : int
        The people of a bin at the least, beside the support of the proportions.
    class_of_pair, label_of_pair, people : int arrays (pairs,)
        The labels that each class has, in the order of the classes, and the people who have them.
    columns : tuple of HeldByPairs
        One for each quasi-identifier.
    """

    target: str
    kind: Kind
    labels: tuple[str | None, ...]
    regions: Longs
    strengths: Floats
    least: int
    class_of_pair: Longs
    label_of_pair: Longs
    people: Longs
    columns: tuple[HeldByPairs, ...]


@dataclass(frozen=True, eq=False)
class ExactProportions:
    """How often each original value occurs in every class.

    Attributes
    ----------
    columns : tuple of ExactColumn
        One for each quasi-identifier.
    sizes : int array (classes,)
        The people of each class.
    missing : tuple of str
        Texts that mean "no value" in the published table.
    """

    columns: tuple[ExactColumn, ...]
    sizes: Longs
    missing: tuple[str, ...] = ("",)
