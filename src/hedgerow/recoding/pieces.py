"""Pieces: which records go to which group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs

__all__ = ["Pieces"]


@dataclass(frozen=True, eq=False)
class Pieces:
    """How many records of each cell go to which group; group -1 means that they are not published.

    Attributes
    ----------
    cell, group : int arrays (pieces,)
        Ascending in ``cell``; a cell that goes to one group has one piece.
    size : int array (pieces,)
    """

    cell: Ints
    group: Ints
    size: Longs

    @classmethod
    def whole(cls, group_of_cell: Ints, cell_sizes: Longs) -> Pieces:
        """Every cell goes to one group."""
        return cls(np.arange(len(group_of_cell), dtype=np.int32), group_of_cell.astype(np.int32), cell_sizes)

    @classmethod
    def gathered(cls, cell: Ints, group: Ints, size: Longs) -> Pieces:
        """Pieces in any order, those of one cell and group added up."""
        groups = int(group.max()) + 2
        key = cell.astype(np.int64) * groups + (group + 1)
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        cells, of_group = np.divmod(key[first], groups)
        return cls(cells.astype(np.int32), (of_group - 1).astype(np.int32), np.add.reduceat(size[order], first))

    def sizes(self, groups: int) -> Longs:
        """The records of each group, of those that are published."""
        kept = self.group >= 0
        return np.bincount(self.group[kept], self.size[kept], groups).astype(np.int64)

    def to_dict(self) -> dict[str, list[int]]:
        """The pieces as JSON."""
        return {"cell": self.cell.tolist(), "group": self.group.tolist(), "size": self.size.tolist()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Sequence[int]]) -> Pieces:
        """Read what :meth:`to_dict` wrote."""
        cell, group = (np.array(stored[name], dtype=np.int32) for name in ("cell", "group"))
        return cls(cell, group, np.array(stored["size"], dtype=np.int64))

    @property
    def first(self) -> Bools:
        """Which pieces are the first of their cell."""
        return np.append(True, self.cell[1:] != self.cell[:-1])

    @property
    def split(self) -> bool:
        """Whether some cell goes to several groups."""
        return not self.first.all()
