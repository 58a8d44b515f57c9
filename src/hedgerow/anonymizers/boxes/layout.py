"""From a frequency table to boxes: how boxes describe each column, and what a box loses.

With a hierarchy, a box is a node, and two boxes meet at their lowest common ancestor. Without one, numbers are
described by their range and categories by the set of values that occur, as they are published. The losses are those of
:mod:`hedgerow.core.metrics`: the total loss of all records over the number of cells is the metric of the release. The
weights of the columns are multiplied in here, once.

Nothing here grows with the square of the values of a column. Ancestors are found in constant time, without a table of
pairs. A set has a bit for each value among the tuples that are compared with each other, which are those of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints, Longs, bit_layout
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.cells import NodeLoss, beyond_first, loss_of_nodes
from hedgerow.core.recoding import Pieces, Shown
from hedgerow.errors import BadInput
from hedgerow.requirements import sensitive_codes
from hedgerow.requirements.binding import Context

__all__ = [
    "Described",
    "Description",
    "GroupedUnits",
    "LossName",
    "described",
    "grouped_units",
    "units_of",
]


LossName = Literal["nllm", "ncp", "distortion", "prec", "discernibility"]

# A gigabyte of sets in one block.
_MOST_WORDS = 2**27


class Described(NamedTuple):
    """Tuples that are compared with each other.

    Attributes
    ----------
    shape : Shape
    boxes : Boxes
        The box of each tuple.
    codes : int array (tuples, sets)
        The values of the columns that are described by sets; the values of each column that occur are numbered anew.
    sizes : tuple of int
        How many values these columns have.
    """

    shape: Shape
    boxes: Boxes
    codes: Ints
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Description:
    """How the columns of a table are described, and the values of its tuples.

    Attributes
    ----------
    shape : Shape
        Without the places of sets, which depend on the tuples that are compared.
    nodes, ends : arrays (tuples, columns)
        As in :class:`Boxes`.
    codes : int array (tuples, sets)
    names : tuple of str
        The columns that are described by sets.
    """

    shape: Shape
    nodes: Ints
    ends: Floats
    codes: Ints
    names: tuple[str, ...]

    def at(self, tuples: NDArray[np.integer]) -> Described:
        """Describe some of the tuples, perhaps more than once."""
        codes = np.empty((len(tuples), len(self.names)), dtype=np.int32)
        sizes = []
        for at, column in enumerate(self.codes.T):
            values, codes[:, at] = np.unique(column[tuples], return_inverse=True)
            sizes.append(len(values))
        layout = bit_layout(sizes)
        if len(codes) * layout.width > _MOST_WORDS:
            raise BadInput(
                f"The column {self.names[int(np.argmax(sizes))]!r} has too many values to compare as sets. Group them "
                "first, or give the column a hierarchy."
            )
        shape = self.shape._replace(slots=layout.slots, words=layout.words, masks=layout.masks)
        return Described(shape, Boxes(self.nodes[tuples], self.ends[tuples], layout.sets(codes)), codes, tuple(sizes))

    def whole(self) -> Described:
        """Describe all tuples."""
        return self.at(np.arange(len(self.nodes)))


def described(counts: FrequencyTable, metric: LossName, shown: Sequence[Shown]) -> Description:
    """Find how every tuple of a table is described by a box.

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
    sets = [at for at, how in enumerate(shown) if how != "label" and not _spanned(counts, at, how)]
    nodes, meetings = _trees(counts, trees, "nllm" if metric == "discernibility" else metric)
    numbers, scale = _ranges(counts, spans)
    names = tuple(counts.quasi[at] for at in sets)
    share = counts.column_weights[sets] / np.array([float(beyond_first(counts.domains[name])) for name in names])
    nowhere = bit_layout([])
    shape = Shape(*(*meetings, scale, counts.column_weights[spans]), nowhere.slots, nowhere.words, nowhere.masks, share)
    return Description(shape, nodes, np.hstack([numbers, -numbers]), counts.tuples[:, sets], names)


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


def _trees(
    counts: FrequencyTable, columns: list[int], metric: NodeLoss
) -> tuple[Ints, tuple[Ints, Ints, Longs, Ints, Floats]]:
    """The leaf of each tuple in each tree, and the ancestors and losses of all nodes, for :class:`Shape`."""
    names = [counts.quasi[at] for at in columns]
    trees = [counts.hierarchies[name] for name in names]
    first = np.cumsum([0, *(len(tree.parent) for tree in trees)])
    runs = np.cumsum([0, *(tree.parent_minima[1].shape[1] for tree in trees)])
    power = np.frexp(np.arange(runs[-1] + 1))[1].astype(np.int64) - 1
    leaves = np.empty((len(counts.tuples), len(columns)), dtype=np.int32)
    run = np.empty(first[-1], dtype=np.int32)
    minima = np.zeros((max((len(tree.parent_minima[1]) for tree in trees), default=1), runs[-1]), dtype=np.int32)
    end, loss = np.empty(first[-1], dtype=np.int32), np.empty(first[-1])
    for at, (column, name, tree) in enumerate(zip(columns, names, trees, strict=True)):
        of_node, smallest = tree.parent_minima
        nodes = slice(first[at], first[at + 1])
        leaves[:, at] = tree.leaf_of[counts.tuples[:, column]] + first[at]
        run[nodes] = of_node + runs[at]
        minima[: len(smallest), runs[at] : runs[at + 1]] = smallest + first[at]
        minima[0, runs[at]] = -1
        # The nodes below a node follow it, as long as their leaves are among its own.
        end[nodes] = np.searchsorted(tree.first_leaf, tree.last_leaf) + first[at]
        loss[nodes] = counts.column_weights[column] * loss_of_nodes(tree, counts.domains[name], metric)
    return leaves, (run, minima, power, end, loss)


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
