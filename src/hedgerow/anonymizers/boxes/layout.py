"""From a frequency table to boxes: how boxes describe each column, and what a box loses.

With a hierarchy, a box is a node, and two boxes meet at their lowest common ancestor. Without one, numbers are
described by their range and categories by the set of values that occur, as they are published. The losses are those of
:mod:`hedgerow.core.metrics`: the total loss of all records over the number of cells is the metric of the release. The
weights of the columns are multiplied in here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, Words, bit_layout
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.cells import NodeLoss, beyond_first, loss_of_nodes
from hedgerow.core.recoding import Pieces, Shown
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.requirements import sensitive_codes
from hedgerow.requirements.binding import Context

__all__ = [
    "Described",
    "GroupedUnits",
    "LossName",
    "columns_of_sets",
    "described",
    "grouped_units",
    "units_of",
]


LossName = Literal["nllm", "ncp", "distortion", "prec", "discernibility"]

# 400 megabytes: the ancestor and loss of each pair of nodes.
_MOST_PAIRS = 2**25
# A gigabyte of sets.
_MOST_WORDS = 2**27


class Described(NamedTuple):
    """The shape of the columns, and the box of each tuple."""

    shape: Shape
    boxes: Boxes


def described(counts: FrequencyTable, metric: LossName, shown: Sequence[Shown]) -> Described:
    """Describe every tuple of a table by a box.

    Parameters
    ----------
    counts : FrequencyTable
    metric : str
        The loss of labels; intervals and sets lose by NCP. Discernibility does not depend on boxes; it uses NLLM.
    shown : sequence of {"set", "interval", "label"}
        How each column is published.
    """
    trees = [at for at, how in enumerate(shown) if how == "label"]
    # Numbers are spans, also when shown as sets: a number beside a missing value loses everything.
    spans = [at for at, how in enumerate(shown) if how != "label" and _spanned(counts, at, how)]
    sets = columns_of_sets(counts, shown)
    nodes, pairs = _trees(counts, trees, "nllm" if metric == "discernibility" else metric)
    numbers, scale = _ranges(counts, spans)
    bits, slots = _sets(counts, sets)
    shape = Shape(*(*pairs, scale, counts.column_weights[spans], *slots))
    return Described(shape, Boxes(nodes, np.hstack([numbers, -numbers]), bits))


def columns_of_sets(counts: FrequencyTable, shown: Sequence[Shown]) -> list[int]:
    """The columns that are described by the set of values that occur."""
    return [at for at, how in enumerate(shown) if how != "label" and not _spanned(counts, at, how)]


def _spanned(counts: FrequencyTable, at: int, how: Shown) -> bool:
    """Whether a column is measured by its bounds, as numbers and dates always are."""
    return how == "interval" or counts.domains[counts.quasi[at]].kind != "text"


def units_of(counts: FrequencyTable, context: Context) -> Units:
    """The tuples with their records, and their cells with the sensitive values that requirements read."""
    values = sensitive_codes(counts, context)
    cells = np.searchsorted(counts.cell_tuple, np.arange(len(counts.tuples) + 1)).astype(np.int64)
    return Units(counts.tuple_sizes.copy(), cells, counts.cell_sizes, values, int(context.offsets[-1]))


class GroupedUnits(NamedTuple):
    """The contents of groups. A unit is the records of one tuple in one group; units of a group are adjacent.

    Attributes
    ----------
    unit_of_piece : int array (pieces,)
        Pieces are in the order of their units.
    group, of_tuple : int arrays (units,)
    cells : int array (units + 1,)
        Where the pieces of each unit begin.
    cell, sizes : int arrays (pieces,)
        The cell and the records of each piece.
    """

    unit_of_piece: Longs
    group: Longs
    of_tuple: Longs
    cells: Longs
    cell: Ints
    sizes: Longs

    def between(self, start: int, end: int, values: Ints, histogram: int) -> Units:
        """A range of the units, with the sensitive values of their cells."""
        inside = slice(int(self.cells[start]), int(self.cells[end]))
        return Units(
            np.add.reduceat(self.sizes[inside], self.cells[start:end] - self.cells[start]),
            self.cells[start : end + 1] - self.cells[start],
            self.sizes[inside],
            values[self.cell[inside]],
            histogram,
        )


def grouped_units(counts: FrequencyTable, pieces: Pieces, block_of_group: Longs) -> GroupedUnits:
    """The units of groups without lost records; groups of one block are adjacent."""
    tuple_of_piece = counts.cell_tuple[pieces.cell].astype(np.int64)
    order = np.lexsort((tuple_of_piece, pieces.group, block_of_group[pieces.group]))
    changes = (np.diff(tuple_of_piece[order]) != 0) | (np.diff(pieces.group[order]) != 0)
    new_unit = np.concatenate([[True], changes])
    first = np.flatnonzero(new_unit)
    return GroupedUnits(
        np.cumsum(new_unit) - 1,
        pieces.group[order][first].astype(np.int64),
        tuple_of_piece[order][first],
        np.append(first, len(order)).astype(np.int64),
        pieces.cell[order],
        pieces.size[order],
    )


def _trees(counts: FrequencyTable, columns: list[int], metric: NodeLoss) -> tuple[Ints, tuple[Longs, Ints, Floats]]:
    nodes = np.empty((len(counts.tuples), len(columns)), dtype=np.int32)
    trees, ancestors, losses = [], [np.empty(0, np.int32)], [np.empty(0)]
    pairs = 0
    for place, at in enumerate(columns):
        name = counts.quasi[at]
        hierarchy = counts.hierarchies[name]
        width = len(hierarchy.parent)
        if pairs + width * width > _MOST_PAIRS:
            raise BadInput(
                f"The hierarchy of {name!r} has {width:,} nodes, too many to compare in pairs. Round the column, or "
                "give it a hierarchy with fewer values."
            )
        pair = _ancestors(hierarchy).reshape(-1)
        nodes[:, place] = hierarchy.leaf_of[counts.tuples[:, at]]
        ancestors.append(pair)
        losses.append(counts.column_weights[at] * loss_of_nodes(hierarchy, counts.domains[name], metric)[pair])
        trees.append((pairs, width))
        pairs += width * width
    return nodes, (np.array(trees, np.int64).reshape(-1, 2), np.concatenate(ancestors), np.concatenate(losses))


def _ancestors(hierarchy: EncodedHierarchy) -> Ints:
    """The lowest common ancestor of each pair of nodes.

    A node is the ancestor of itself and every node below it; with other nodes it shares the ancestors of its parent.
    """
    pairs = np.zeros((len(hierarchy.parent), len(hierarchy.parent)), dtype=np.int32)
    ends = hierarchy.last_leaf
    for node in range(1, len(pairs)):
        pairs[node] = pairs[hierarchy.parent[node]]
        # The nodes below a node follow it, as long as their leaves are among its own.
        after = node + int(np.searchsorted(hierarchy.first_leaf[node:], ends[node], side="left"))
        pairs[node, node:after] = node
    return pairs


def _ranges(counts: FrequencyTable, columns: list[int]) -> tuple[Floats, Floats]:
    numbers = np.empty((len(counts.tuples), len(columns)))
    scale = np.empty(len(columns))
    for place, at in enumerate(columns):
        domain = counts.domains[counts.quasi[at]]
        positions = np.arange(len(domain.labels), dtype=np.float64) if domain.numbers is None else domain.positions
        spread = float(positions[-1] - positions[0] if len(positions) else 0.0) or 1.0
        scale[place] = counts.column_weights[at] / spread
        # A missing number lies so far away that a range around it and another number loses everything.
        beyond = [positions[:1].sum() - spread] if domain.has_missing else []
        numbers[:, place] = np.append(positions, beyond)[counts.tuples[:, at]]
    return numbers, scale


def _sets(counts: FrequencyTable, columns: list[int]) -> tuple[Words, tuple[Longs, Longs, Words, Floats]]:
    domains = [counts.domains[counts.quasi[at]] for at in columns]
    layout = bit_layout([domain.size for domain in domains])
    if len(counts.tuples) * layout.width > _MOST_WORDS:
        widest = max(columns, key=lambda at: counts.domains[counts.quasi[at]].size)
        raise BadInput(
            f"The column {counts.quasi[widest]!r} has too many values to compare as sets. Group them first, or give "
            "the column a hierarchy."
        )
    bits = layout.sets(counts.tuples[:, columns])
    share = counts.column_weights[columns] / np.array([float(beyond_first(domain)) for domain in domains])
    return bits, (layout.slots, layout.words, layout.masks, share)
