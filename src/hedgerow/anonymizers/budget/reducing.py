"""A table without some of its records, and what is fitted on it as a recoding of the whole table."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import required
from hedgerow.recoding import Pieces, Recoding

__all__ = ["Reduced", "lost_per_cell"]


def lost_per_cell(counts: FrequencyTable, pieces: Pieces) -> Longs:
    """How many records of each cell are not published."""
    lost = pieces.group < 0
    return np.bincount(pieces.cell[lost], pieces.size[lost], len(counts.cell_sizes)).astype(np.int64)


class Reduced(NamedTuple):
    """What is left of a table.

    Attributes
    ----------
    counts : FrequencyTable
        Of the records that are left; the domains are those of the whole table.
    cells : int array (cells that are left,)
        Their numbers in the whole table.
    dropped : int array (cells of the whole table,)
        How many records of each are left out.
    """

    counts: FrequencyTable
    cells: Longs
    dropped: Longs

    @classmethod
    def of(cls, counts: FrequencyTable, dropped: Longs) -> Reduced:
        """Leave so many records of each cell out; some have to be left."""
        left = counts.cell_sizes - dropped
        cells = np.flatnonzero(left)
        tuples, cell_tuple = np.unique(counts.cell_tuple[cells], return_inverse=True)
        some = replace(
            counts,
            tuples=np.ascontiguousarray(counts.tuples[tuples]),
            tuple_sizes=np.bincount(cell_tuple, left[cells]).astype(np.int64),
            cell_tuple=cell_tuple.astype(np.int32),
            cell_values=np.ascontiguousarray(counts.cell_values[cells]),
            cell_sizes=left[cells],
            links=None,
        )
        return cls(some, cells, dropped)

    def back(self, recoding: Recoding) -> Recoding:
        """The recoding of the whole table: what was left out is lost."""
        pieces = required(recoding.pieces, "the pieces of a recoding")
        out = np.flatnonzero(self.dropped)
        joined = Pieces.gathered(
            np.concatenate([self.cells[pieces.cell], out]).astype(np.int32),
            np.concatenate([pieces.group, np.full(len(out), -1, dtype=np.int32)]),
            np.concatenate([pieces.size, self.dropped[out]]),
        )
        return replace(recoding, pieces=joined)
