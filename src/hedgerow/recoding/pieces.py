"""Pieces: which records go to which group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import FrequencyTable, LargeTable

__all__ = ["Held", "Pieces", "StoredPieces"]


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


class Held(NamedTuple):
    """The values of one column that groups hold: group ``g`` has ``members[starts[g]:starts[g + 1]]``, ascending."""

    starts: Longs
    members: Ints

    @classmethod
    def joined(cls, parts: Sequence[Held]) -> Held:
        """The groups of several parts, one part after the other."""
        before = np.cumsum([0, *(len(part.members) for part in parts)])
        starts = [part.starts[:-1] + begin for part, begin in zip(parts, before[:-1], strict=True)]
        return cls(
            np.concatenate([*starts, before[-1:]]).astype(np.int64), np.concatenate([part.members for part in parts])
        )


@dataclass(frozen=True, eq=False)
class StoredPieces:
    """The pieces of a table that does not fit into memory: the engine keeps the group of each cell, on disk.

    Attributes
    ----------
    large : LargeTable
        Whose cells they are; each goes to one group as a whole, unless it is dealt out.
    bounds : sequence of pairs of int
        The numbers of the cells of each part, from the first up to the one behind the last.
    held : sequence of Held
        What the records of every group hold, column by column; that much is in memory.
    dealt : Pieces, optional
        The pieces of cells that go to several groups, in memory too; the engine keeps group -1 for them.
    """

    large: LargeTable
    bounds: Sequence[tuple[int, int]]
    held: Sequence[Held]
    dealt: Pieces | None = None

    def __iter__(self) -> Iterator[tuple[FrequencyTable, Pieces]]:
        """The cells of each part, numbered from 0 on, and their pieces; one part is in memory at a time."""
        for start, end in self.bounds:
            counts = self.large.part(start, end)
            yield counts, self._pieces(counts, start, end)

    def _pieces(self, counts: FrequencyTable, start: int, end: int) -> Pieces:
        pieces = Pieces.whole(self.large.kept.assigned(start, end), counts.cell_sizes)
        if self.dealt is None:
            return pieces
        here, whole = slice(*np.searchsorted(self.dealt.cell, [start, end])), pieces.group >= 0
        return Pieces.gathered(
            np.concatenate([pieces.cell[whole], self.dealt.cell[here] - np.int32(start)]),
            np.concatenate([pieces.group[whole], self.dealt.group[here]]),
            np.concatenate([pieces.size[whole], self.dealt.size[here]]),
        )
