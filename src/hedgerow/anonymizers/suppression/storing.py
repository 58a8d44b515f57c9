"""The pieces of kACTUS on a table that does not fit into memory: kept by the engine, tallied part by part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.anonymizers.suppression.handing_up import HandedUp
from hedgerow.arrays import Ints
from hedgerow.counts import LargeTable
from hedgerow.recoding import GroupTally, Held, Pieces, StoredPieces

__all__ = ["stored"]


def stored(large: LargeTable, outcome: HandedUp, group_of_node: Ints) -> tuple[StoredPieces, list[GroupTally]]:
    """Keep the group of every cell; also returns how many records of each group hold what, column by column.

    A cell of which no record was moved is in the group of its leaf.
    """
    moved = outcome.moved
    moved = Pieces.gathered(moved.cell, group_of_node[moved.group], moved.size) if len(moved.cell) else moved
    alone = moved.first & np.append(moved.first[1:], True) if len(moved.cell) else np.zeros(0, dtype=np.bool_)
    dealt = Pieces(moved.cell[~alone], moved.group[~alone], moved.size[~alone])
    bounds = []
    for start, counts in large.chunks(0, large.cells):
        end = start + len(counts.cell_sizes)
        bounds.append((start, end))
        leaf = np.searchsorted(outcome.starts, np.arange(start, end), side="right") - 1
        group = group_of_node[leaf]
        here = slice(*np.searchsorted(moved.cell, [start, end]))
        group[moved.cell[here] - start] = np.where(alone[here], moved.group[here], -1)
        large.kept.assign(start, group)
    pieces = StoredPieces(large, bounds, (), dealt if len(dealt.cell) else None)
    tallies = _tallied(large, pieces)
    groups = int(group_of_node.max()) + 1
    held = [Held(np.searchsorted(one.group, np.arange(groups + 1)), one.code) for one in tallies]
    return StoredPieces(large, bounds, held, pieces.dealt), tallies


def _tallied(large: LargeTable, pieces: StoredPieces) -> list[GroupTally]:
    """What groups hold, column by column; ascending in group and code, each pair once."""
    sizes = [large.domains[name].size for name in large.quasi]
    found: list[list[GroupTally]] = [[] for _ in sizes]
    for counts, part in pieces:
        codes = counts.tuples[counts.cell_tuple[part.cell]]
        for at, (size, tallies) in enumerate(zip(sizes, found, strict=True)):
            tallies.append(_summed([GroupTally(part.group, codes[:, at], part.size)], size))
    return [_summed(tallies, size) for tallies, size in zip(found, sizes, strict=True)]


def _summed(tallies: Sequence[GroupTally], values: int) -> GroupTally:
    group, code, size = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
    key, at = np.unique(group.astype(np.int64) * values + code, return_inverse=True)
    of_group, of_code = np.divmod(key, values)
    records = np.bincount(at, size, len(key)).astype(np.int64)
    return GroupTally(of_group.astype(np.int32), of_code.astype(np.int32), records)
