"""Who holds the values of a column: rows, or people where these are told apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs

__all__ = ["Holders"]


@dataclass(frozen=True, eq=False)
class Holders:
    """The distinct values of a column, and who holds them.

    Attributes
    ----------
    values : Arrow array
        The distinct values as they are, null among them if it occurs.
    rows : int array (values,)
        The rows that have each value.
    pairs : int array (pairs, 2), optional
        The distinct pairs of value and person, as numbers, where people are counted.
    """

    values: pa.Array
    rows: Longs
    pairs: Ints | None = None

    def merged(self, group: Ints, groups: int) -> Holders:
        """The holders of groups of values; ``group`` is the group of each value. The groups have no values."""
        rows = np.bincount(group, self.rows, groups).astype(np.int64)
        if self.pairs is None:
            return Holders(pa.nulls(0), rows)
        pairs = np.unique(np.stack([group[self.pairs[:, 0]], self.pairs[:, 1]], axis=1), axis=0)
        return Holders(pa.nulls(0), rows, pairs.astype(np.int32))

    @cached_property
    def people(self) -> Longs:
        """How many people hold each value; rows, where people are not counted."""
        if self.pairs is None:
            return self.rows
        return np.bincount(self.pairs[:, 0], minlength=len(self.rows)).astype(np.int64)

    @cached_property
    def _sorted(self) -> tuple[Longs, Ints]:
        """Where the people of each value begin and end, and the people in the order of the values."""
        pairs = np.zeros((0, 2), dtype=np.int32) if self.pairs is None else self.pairs
        order = np.argsort(pairs[:, 0], kind="stable")
        bounds = np.searchsorted(pairs[order, 0], np.arange(len(self.rows) + 1)).astype(np.int64)
        return bounds, pairs[order, 1]

    def together(self, values: Iterable[int]) -> int:
        """How many people hold at least one of some values."""
        named = list(values)
        if self.pairs is None:
            return int(self.rows[named].sum())
        return len(np.unique(np.concatenate([self._who(value) for value in named]))) if named else 0

    def _who(self, value: int) -> Ints:
        bounds, people = self._sorted
        return people[bounds[value] : bounds[value + 1]]

    def latest_starts(self, least: int) -> Longs:
        """For each value, the last value from which on it takes ``least`` people to come there; -1 if none does.

        Values are taken in their order.
        """
        starts = np.full(len(self.rows), -1, dtype=np.int64)
        if self.pairs is None:
            past = np.cumsum(self.rows)
            # The rows before a start must be at most those up to the value, less the rows that are needed.
            before = past - self.rows
            found = np.searchsorted(before, past - least, side="right") - 1
            starts[past >= least] = found[past >= least]
            return starts
        inside: dict[int, int] = {}
        start = 0
        for value in range(len(self.rows)):
            for person in self._who(value).tolist():
                inside[person] = inside.get(person, 0) + 1
            while len(inside) >= least:
                starts[value] = start
                for person in self._who(start).tolist():
                    inside[person] -= 1
                    if not inside[person]:
                        del inside[person]
                start += 1
            starts[value] = start - 1
        return starts
