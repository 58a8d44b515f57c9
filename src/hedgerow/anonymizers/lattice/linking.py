"""People at a state of the lattice, counted exactly: how many each class has, and how few share all their classes.

Both only grow with generalization: a union of classes has at least the people of each, and makes equal sets of equal
ones.
"""

from __future__ import annotations

import secrets

import numpy as np

from hedgerow.arrays import Bools, Longs
from hedgerow.counts import Links

__all__ = ["LinkedClasses"]


class LinkedClasses:
    """The people of the classes of a state.

    Parameters
    ----------
    links : Links
    class_of_tuple : int array (tuples,)
    number : int
        How many classes there are.

    Examples
    --------
    >>> links = Links(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 0]))
    >>> people = LinkedClasses(links, np.array([0, 1, 0]), 2)
    >>> people.in_groups(np.array([0, 1]), 2).tolist()
    [3, 2]
    >>> people.fewest_sharing(np.zeros(2, dtype=bool))
    1
    >>> LinkedClasses(links, np.array([0, 0, 0]), 1).fewest_sharing(np.zeros(1, dtype=bool))
    3
    """

    def __init__(self, links: Links, class_of_tuple: Longs, number: int) -> None:
        pairs = np.unique(links.person.astype(np.int64) * number + class_of_tuple[links.tuple])
        self._person, self._class = np.divmod(pairs, number)
        self._number = number

    def in_groups(self, group: Longs, groups: int) -> Longs:
        """How many people each group of classes has; classes of group -1 are left out."""
        of_pair = group[self._class]
        kept = of_pair >= 0
        pairs = np.unique(of_pair[kept] * (int(self._person[-1]) + 1) + self._person[kept])
        return np.bincount(pairs // (int(self._person[-1]) + 1), minlength=groups).astype(np.int64)

    def fewest_sharing(self, lost: Bools) -> int:
        """How few people share the set of their classes; those in no class are not counted.

        A set is the sum of random numbers, one for each class, twice: that two sets have the same sums by chance is
        less likely than that the machine errs, and the verifier compares the sets themselves.
        """
        kept = ~lost[self._class]
        person, of_class = self._person[kept], self._class[kept]
        if not len(person):
            return 0
        random = np.random.default_rng(secrets.randbits(128))
        numbers = random.integers(0, 2**63, (self._number, 2), dtype=np.uint64)
        first = np.flatnonzero(np.concatenate([[True], person[1:] != person[:-1]]))
        sums = np.add.reduceat(numbers[of_class], first, axis=0)
        _, people = np.unique(sums, axis=0, return_counts=True)
        return int(people.min())
