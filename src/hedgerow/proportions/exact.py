"""Exact proportions: how many people of each class hold which original value.

They are what proportions are made of, and are never published: where all columns of a class but one are known, they
are the counts of its original tuples (see :mod:`hedgerow.proportions.pooling`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.domains import Domain
from hedgerow.recoding import PublishedKind

__all__ = ["ExactColumn", "ExactProportions"]


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
    favoured : int array, optional
        How many of these have the most frequent label of the target; ``None`` without a target.
    leaves : int array (domain.size,), optional
        The place of each value among the leaves of the hierarchy that was given, if the column is text.
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
    favoured: Longs | None = None
    leaves: Longs | None = None
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
