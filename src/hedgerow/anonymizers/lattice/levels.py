"""The full-domain lattice: a level for every column, and the classes of the records at such a state.

The classes of a state are unions of those of any less general state, so they are counted from the smallest that has
been counted already and not from the records: a row of it is lifted to the higher levels, and equal rows are added up,
with their histograms of sensitive values. A shield is the state in which all other columns are at their roots. What is
kept to count from is limited in memory.

K. LeFevre, D. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain k-Anonymity, SIGMOD 2005 (the roll-up).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Histograms

__all__ = ["Classes", "Lattice", "Levels"]

Levels = tuple[int, ...]

_WORD_BITS: Final = 62
_MEMORY: Final = 512 * 2**20
# So that looking for the best to count from costs less than counting.
_MOST_KEPT: Final = 4096


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a state.

    Attributes
    ----------
    levels : tuple of int
    keys : int array (classes, words)
        What the class publishes, packed; :meth:`Lattice.values` unpacks a column.
    sizes : int array (classes,)
    histograms : mapping of column to Histograms
        Of the sensitive columns that the lattice was asked to count.
    """

    levels: Levels
    keys: NDArray[np.int64]
    sizes: NDArray[np.int64]
    histograms: Mapping[str, Histograms]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        arrays = [self.keys, self.sizes, *(array for one in self.histograms.values() for array in one)]
        return sum(array.nbytes for array in arrays)


class Lattice:
    """All states of a table, from the table as it is to every column at its root.

    Parameters
    ----------
    counts : FrequencyTable
    sensitive : iterable of str
        The columns whose histograms are counted with the classes.
    memory : int
        How many bytes of classes are kept to count others from, beside those of the table itself.

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
    >>> from hedgerow.anonymizers.pipeline import prepare
    >>> from hedgerow.privacy import KAnonymity
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
        self.heights: Levels = tuple(tree.height for tree in trees)
        self.size = prod(height + 1 for height in self.heights)
        self.top: Levels = self.heights
        self._value_of_code, self._first_code = [], []
        for tree in trees:
            distinct = [np.unique(nodes, return_index=True, return_inverse=True) for nodes in tree.at_level]
            self._first_code.append([first for _, first, _ in distinct])
            self._value_of_code.append([index.astype(np.int64) for _, _, index in distinct])
        self._word, self._shift, self._mask = _layout([len(first[0]) for first in self._first_code])
        self._values = {name: counts.domains[name].size for name in dict.fromkeys(sensitive)}
        self._table = self._untouched()
        self._memory = memory
        self._kept: dict[Levels, Classes] = {}
        self._kept_list: list[Classes] = []
        self._kept_bytes = 0
        self._kept_levels = np.empty((_MOST_KEPT, len(self.heights)), dtype=np.int64)
        self._kept_sizes = np.empty(_MOST_KEPT, dtype=np.int64)

    def distinct(self, column: int, level: int) -> int:
        """How many values a column has at a level."""
        return len(self._first_code[column][level])

    def codes(self, column: int, level: int) -> NDArray[np.int64]:
        """One code of the domain below each value that a column has at a level."""
        return self._first_code[column][level]

    def values_of_codes(self, column: int, level: int) -> NDArray[np.int64]:
        """Which of its values at a level each code of a column's domain has."""
        return self._value_of_code[column][level]

    def nodes(self, levels: Sequence[int]) -> list[NDArray[np.int32]]:
        """The node of each code, per column."""
        hierarchies = self.counts.hierarchies
        return [hierarchies[name].at_level[level] for name, level in zip(self.counts.quasi, levels, strict=True)]

    def named(self, levels: Sequence[int]) -> dict[str, int]:
        """The level of each column by its name."""
        return dict(zip(self.counts.quasi, levels, strict=True))

    def values(self, keys: NDArray[np.int64], column: int) -> NDArray[np.int64]:
        """Which of its values at their level a column has in each row of keys."""
        return np.asarray((keys[:, self._word[column]] >> self._shift[column]) & self._mask[column])

    def projected(self, classes: Classes, columns: Sequence[int]) -> tuple[NDArray[np.int64], int]:
        """For each class the class that it belongs to if only some columns are looked at, and how many there are."""
        from hedgerow.anonymizers.lattice._kernels import group

        seen = np.zeros(classes.keys.shape[1], dtype=np.int64)
        for column in columns:
            seen[self._word[column]] |= self._mask[column] << self._shift[column]
        keys, _, index = group(classes.keys & seen, classes.sizes)
        return index, len(keys)

    def classes(self, levels: Sequence[int]) -> Classes:
        """The classes of a state, counted from the smallest that is at hand; their order may differ between calls."""
        wanted = tuple(levels)
        if wanted in self._kept:
            return self._kept[wanted]
        below = np.flatnonzero((self._kept_levels[: len(self._kept_list)] <= np.array(wanted)).all(axis=1))
        base = self._table
        if len(below):
            base = self._kept_list[below[np.argmin(self._kept_sizes[below])]]
        result, _ = self._rolled_up(base, wanted)
        self._keep(result)
        return result

    def classes_of_tuples(self, levels: Sequence[int]) -> tuple[Classes, NDArray[np.int64]]:
        """The classes of a state, and which of them each tuple of the table is in."""
        return self._rolled_up(self._table, tuple(levels))

    def _untouched(self) -> Classes:
        from hedgerow.anonymizers.lattice._kernels import merge_histograms

        counts = self.counts
        keys = np.zeros((len(counts.tuples), int(self._word.max(initial=0)) + 1), dtype=np.int64)
        for column, values in enumerate(self._value_of_code):
            keys[:, self._word[column]] |= values[0][counts.tuples[:, column]] << self._shift[column]
        histograms = {}
        for name, size in self._values.items():
            cells = np.arange(len(counts.cell_sizes) + 1, dtype=np.int64)
            codes, of_tuple = counts.values_of(name).astype(np.int64), counts.cell_tuple.astype(np.int64)
            merged = merge_histograms(of_tuple, len(keys), cells, codes, counts.cell_sizes, size)
            histograms[name] = Histograms(*merged)
        return Classes((0,) * len(counts.quasi), keys, counts.tuple_sizes.astype(np.int64), histograms)

    def _rolled_up(self, base: Classes, levels: Levels) -> tuple[Classes, NDArray[np.int64]]:
        from hedgerow.anonymizers.lattice._kernels import group, lift, merge_histograms

        moved = [at for at, (low, high) in enumerate(zip(base.levels, levels, strict=True)) if low < high]
        above = [self._value_of_code[at][levels[at]][self._first_code[at][base.levels[at]]] for at in moved]
        starts = np.cumsum([0, *map(len, above)], dtype=np.int64)[:-1]
        maps = np.concatenate([np.zeros(0, dtype=np.int64), *above])
        word, shift, mask = self._word[moved], self._shift[moved], self._mask[moved]
        lifted = lift(base.keys, word, shift, mask, starts, maps)
        keys, sizes, index = group(lifted, base.sizes)
        histograms = {
            name: Histograms(*merge_histograms(index, len(keys), *histogram, self._values[name]))
            for name, histogram in base.histograms.items()
        }
        return Classes(levels, keys, sizes, histograms), index

    def _keep(self, classes: Classes) -> None:
        """Keep what was counted; where there is no room, the larger half is dropped: it saved the least."""
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

    def _forget(self, but: NDArray[np.int64]) -> None:
        """Drop what is kept, but for some."""
        self._kept_list = [self._kept_list[at] for at in but.tolist()]
        self._kept = {one.levels: one for one in self._kept_list}
        self._kept_bytes = sum(one.bytes for one in self._kept_list)
        self._kept_levels[: len(but)] = self._kept_levels[but]
        self._kept_sizes[: len(but)] = self._kept_sizes[but]


def _layout(sizes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The word, the place in it and the bits of each column, for columns of so many values."""
    word, shift, mask = [], [], []
    at, used = 0, 0
    for size in sizes:
        bits = (size - 1).bit_length()
        if used + bits > _WORD_BITS:
            at, used = at + 1, 0
        word.append(at)
        shift.append(used)
        mask.append((1 << bits) - 1)
        used += bits
    return np.array(word, dtype=np.int64), np.array(shift, dtype=np.int64), np.array(mask, dtype=np.int64)
