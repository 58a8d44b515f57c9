"""The full-domain lattice: its states, which give every column a level, and the classes of the records at a state.

The classes of a state are unions of the classes of any less general state. So they are counted not from the records but
from the smallest such state that was counted before: its rows are lifted to the higher levels, and equal rows are added
up, with their histograms of sensitive values. A shield is the state in which all other columns are at their roots. The
states that are kept for this are limited in memory.

K. LeFevre, D. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain k-Anonymity, SIGMOD 2005 (the roll-up).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.counts import FrequencyTable
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.requirements import BoundRequirement, Histograms

__all__ = [
    "Grouping",
    "Lattice",
    "Levels",
    "StateClasses",
    "above",
    "below",
    "group_rows",
    "histograms_of_tuples",
    "layout",
    "lifted",
    "merged",
    "shares",
    "violating",
]


# --------------------------------------------------------------------------------------------------
# Grouping equal rows of a table of nodes, and adding up their sensitive values.


Grouping = tuple[Longs, int]
"""The group of each row, and how many groups there are."""


def group_rows(rows: Ints, columns: Sequence[int]) -> tuple[Longs, Longs]:
    """Give rows that agree on the columns the same number, in the order of first appearance. O(rows × columns).

    Returns
    -------
    group : int array (rows,)
        The number of each row.
    first : int array (groups,)
        The first row of each number.
    """
    from hedgerow.anonymizers.lattice._kernels import group

    keys = np.ascontiguousarray(rows[:, list(columns)], dtype=np.int64)
    _, sizes, numbers = group(keys, np.ones(len(keys), dtype=np.int64))
    first = np.empty(len(sizes), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return numbers, first


def histograms_of_tuples(counts: FrequencyTable, column: str) -> Histograms:
    """How many records of each tuple have each value of a column."""
    cells = np.arange(len(counts.cell_sizes) + 1, dtype=np.int64)
    by_cell = Histograms(cells, counts.values_of(column).astype(np.int64), counts.cell_sizes)
    return merged(by_cell, counts.cell_tuple.astype(np.int64), len(counts.tuples), counts.domains[column].size)


def merged(histograms: Histograms, group: Longs, groups: int, values: int) -> Histograms:
    """The histograms of groups of rows, for a column with this many values; rows of group -1 are left out."""
    from hedgerow.anonymizers.lattice._kernels import merge_histograms

    return Histograms(*merge_histograms(group, groups, *histograms, values))


def shares(histograms: Histograms, values: int) -> Floats:
    """The share of each code among the records of all classes."""
    records = np.bincount(histograms.codes, histograms.counts, values)
    return np.asarray(records / max(1.0, float(records.sum())), dtype=np.float64)


def violating(
    requirement: BoundRequirement, sizes: Longs, histograms: Histograms | None, grouping: Grouping | None
) -> Bools:
    """Which rows are in a class that violates a requirement. Without a grouping, every row is a class."""
    if grouping is None:
        return ~requirement.satisfied(sizes, histograms)
    group, groups = grouping
    if histograms is not None:
        histograms = merged(histograms, group, groups, len(requirement.overall))
    together = np.bincount(group, sizes, groups).astype(np.int64)
    return ~requirement.satisfied(together, histograms)[group]


Levels = tuple[int, ...]

_WORD_BITS: Final = 62
_MEMORY: Final = 512 * 2**20
# With more, finding the best state to count from would cost more than counting.
_MOST_KEPT: Final = 4096


@dataclass(frozen=True, eq=False)
class StateClasses:
    """The classes of the records at a state.

    Attributes
    ----------
    levels : tuple of int
    keys : int array (classes, words)
        The packed values that the class publishes; :meth:`Lattice.values` unpacks a column.
    sizes : int array (classes,)
    histograms : mapping of column to Histograms
        Those of the sensitive columns that the lattice counts.
    """

    levels: Levels
    keys: Longs
    sizes: Longs
    histograms: Mapping[str, Histograms]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        arrays = [self.keys, self.sizes, *(array for arrays in self.histograms.values() for array in arrays)]
        return sum(array.nbytes for array in arrays)


class Lattice:
    """All states of a table, from the unchanged table to every column at its root.

    Parameters
    ----------
    counts : FrequencyTable
    sensitive : iterable of str
        The columns whose histograms are counted for every class.
    memory : int
        How many bytes of classes are kept to count others from, in addition to those of the table itself.

    Attributes
    ----------
    heights : tuple of int
        The level of the root, per quasi-identifier.
    size : int
        The number of states.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> from hedgerow.requirements import KAnonymity
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> people = pa.table({"zip": ["11", "12", "21", "11"], "sex": ["f", "f", "m", "f"]})
    >>> lattice = Lattice(prepare(people, schema, [KAnonymity(1)], random_state=0).counts)
    >>> lattice.heights, lattice.size
    ((2, 1), 6)
    >>> lattice.classes((1, 0)).sizes.tolist()
    [3, 1]
    """

    def __init__(self, counts: FrequencyTable, sensitive: Iterable[str] = (), *, memory: int = _MEMORY) -> None:
        self.counts = counts
        trees = [counts.hierarchies[name] for name in counts.quasi]
        self.finest: Levels = tuple(tree.finest for tree in trees)
        self.heights: Levels = tuple(tree.coarsest - tree.finest for tree in trees)
        self.size = prod(height + 1 for height in self.heights)
        self._value_of_code, self._first_code = [], []
        for tree in trees:
            distinct = [np.unique(nodes, return_index=True, return_inverse=True) for nodes in _within(tree)]
            self._first_code.append([first for _, first, _ in distinct])
            self._value_of_code.append([index.astype(np.int64) for _, _, index in distinct])
        self._word, self._shift, self._mask = layout([len(first[0]) for first in self._first_code])
        self._values = {name: counts.domains[name].size for name in dict.fromkeys(sensitive)}
        self._table = self._untouched()
        self._memory = memory
        self._kept: dict[Levels, StateClasses] = {}
        self._kept_list: list[StateClasses] = []
        self._kept_bytes = 0
        self._kept_levels = np.empty((_MOST_KEPT, len(self.heights)), dtype=np.int64)
        self._kept_sizes = np.empty(_MOST_KEPT, dtype=np.int64)

    def distinct(self, column: int, level: int) -> int:
        """How many values a column has at a level."""
        return len(self._first_code[column][level])

    def codes(self, column: int, level: int) -> Longs:
        """For each value of a column at a level, the first code of the domain below it."""
        return self._first_code[column][level]

    def values_of_codes(self, column: int, level: int) -> Longs:
        """For each code of a column's domain, its value at a level."""
        return self._value_of_code[column][level]

    def nodes(self, levels: Sequence[int]) -> list[Ints]:
        """The node of each code, per column."""
        hierarchies = self.counts.hierarchies
        return [_within(hierarchies[name])[level] for name, level in zip(self.counts.quasi, levels, strict=True)]

    def named(self, levels: Sequence[int]) -> dict[str, int]:
        """The level of each column in its hierarchy, by its name."""
        of_column = zip(self.counts.quasi, levels, self.finest, strict=True)
        return {name: level + finest for name, level, finest in of_column}

    def values(self, keys: Longs, column: int) -> Longs:
        """The value of a column in each row of keys."""
        return np.asarray((keys[:, self._word[column]] >> self._shift[column]) & self._mask[column])

    def projected(self, classes: StateClasses, columns: Sequence[int]) -> tuple[Longs, int]:
        """The classes over some columns: for each class the number of its union, and how many unions there are."""
        from hedgerow.anonymizers.lattice._kernels import group

        seen = np.zeros(classes.keys.shape[1], dtype=np.int64)
        for column in columns:
            seen[self._word[column]] |= self._mask[column] << self._shift[column]
        keys, _, index = group(classes.keys & seen, classes.sizes)
        return index, len(keys)

    def classes(self, levels: Sequence[int]) -> StateClasses:
        """The classes of a state, counted from the smallest kept state; their order may differ between calls."""
        state = tuple(levels)
        if state in self._kept:
            return self._kept[state]
        finer = np.flatnonzero((self._kept_levels[: len(self._kept_list)] <= np.array(state)).all(axis=1))
        base = self._kept_list[finer[np.argmin(self._kept_sizes[finer])]] if len(finer) else self._table
        result, _ = self._rolled_up(base, state)
        self._keep(result)
        return result

    def classes_of_tuples(self, levels: Sequence[int]) -> tuple[StateClasses, Longs]:
        """The classes of a state, and the class of each tuple of the table."""
        return self._rolled_up(self._table, tuple(levels))

    def _untouched(self) -> StateClasses:
        counts = self.counts
        keys = np.zeros((len(counts.tuples), int(self._word.max(initial=0)) + 1), dtype=np.int64)
        for column, values in enumerate(self._value_of_code):
            keys[:, self._word[column]] |= values[0][counts.tuples[:, column]] << self._shift[column]
        histograms = {name: histograms_of_tuples(counts, name) for name in self._values}
        return StateClasses((0,) * len(counts.quasi), keys, counts.tuple_sizes.astype(np.int64), histograms)

    def _rolled_up(self, base: StateClasses, levels: Levels) -> tuple[StateClasses, Longs]:
        from hedgerow.anonymizers.lattice._kernels import group, lift

        moved = [at for at, (low, high) in enumerate(zip(base.levels, levels, strict=True)) if low < high]
        above = [self._value_of_code[at][levels[at]][self._first_code[at][base.levels[at]]] for at in moved]
        starts = np.cumsum([0, *map(len, above)], dtype=np.int64)[:-1]
        maps = np.concatenate([np.zeros(0, dtype=np.int64), *above])
        word, shift, mask = self._word[moved], self._shift[moved], self._mask[moved]
        keys, sizes, index = group(lift(base.keys, word, shift, mask, starts, maps), base.sizes)
        histograms = {
            name: merged(rows, index, len(keys), self._values[name]) for name, rows in base.histograms.items()
        }
        return StateClasses(levels, keys, sizes, histograms), index

    def _keep(self, classes: StateClasses) -> None:
        """Keep classes to count others from. If there is no room, drop the larger half, which saves the least work."""
        kept = len(self._kept_list)
        if kept == _MOST_KEPT or self._kept_bytes + classes.bytes > self._memory:
            self._forget(np.argsort(self._kept_sizes[:kept], kind="stable")[: kept // 2])
        if self._kept_bytes + classes.bytes > self._memory:
            return
        at = len(self._kept_list)
        self._kept_levels[at] = classes.levels
        self._kept_sizes[at] = len(classes)
        self._kept_list.append(classes)
        self._kept[classes.levels] = classes
        self._kept_bytes += classes.bytes

    def _forget(self, but: Longs) -> None:
        """Drop all kept states except some."""
        self._kept_list = [self._kept_list[at] for at in but.tolist()]
        self._kept = {classes.levels: classes for classes in self._kept_list}
        self._kept_bytes = sum(classes.bytes for classes in self._kept_list)
        self._kept_levels[: len(but)] = self._kept_levels[but]
        self._kept_sizes[: len(but)] = self._kept_sizes[but]


def _within(tree: EncodedHierarchy) -> Ints:
    """The node of each code at each level that may be published."""
    return tree.at_level[tree.finest : tree.coarsest + 1]


def lifted(levels: Levels, column: int, step: int = 1) -> Levels:
    """The levels with one column ``step`` levels higher."""
    return (*levels[:column], levels[column] + step, *levels[column + 1 :])


def above(levels: Sequence[int]) -> tuple[slice, ...]:
    """The slice of a state and all more general ones in an array over the lattice."""
    return tuple(slice(level, None) for level in levels)


def below(levels: Sequence[int]) -> tuple[slice, ...]:
    """The slice of a state and all less general ones in an array over the lattice."""
    return tuple(slice(None, level + 1) for level in levels)


def layout(sizes: Sequence[int]) -> tuple[Longs, Longs, Longs]:
    """The word, the shift in it and the bits of each column, for columns with these numbers of values."""
    fields = []
    at, used = 0, 0
    for size in sizes:
        bits = (size - 1).bit_length()
        if used + bits > _WORD_BITS:
            at, used = at + 1, 0
        fields.append((at, used, (1 << bits) - 1))
        used += bits
    word, shift, mask = np.array(fields, dtype=np.int64).reshape(-1, 3).T.copy()
    return word, shift, mask
