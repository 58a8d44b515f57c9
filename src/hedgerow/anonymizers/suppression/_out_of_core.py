"""kACTUS on a table whose tuples do not fit into memory: complying bags stay on disk, and the others go up.

It follows the rules of :mod:`hedgerow.anonymizers.suppression._kernels`, in their sensible reading with random donors.
Of a complying leaf, only the size and the counts of sensitive values are in memory. When it lends, its cells are read
chunk by chunk, in the order of the kernel, so that the same records are drawn. Bags that went up are in memory; a table
is refused if too many of its records go up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.suppression._kernels import draw, share_out
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.core.counts import LargeTable
from hedgerow.core.recoding import GroupTally, Held, Pieces, StoredPieces
from hedgerow.requirements import Requirement, bind, sensitive_codes
from hedgerow.requirements.formulas import all_hold

__all__ = ["PrunedOutOfCore", "prune_out_of_core", "store_groups"]


# An entry of a bag takes at most a quarter of the memory of a counted cell.
_ENTRIES_OF_A_CELL: Final = 4
_NONE: Final = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class PrunedOutOfCore:
    """The nodes that are groups of the release, and the records that left their leaves.

    Attributes
    ----------
    released : bool array (nodes,)
    borrowed : int array (nodes,)
    starts : int array (nodes + 1,)
        The cells of a leaf have the numbers from ``starts[leaf]`` up to ``starts[leaf + 1]``.
    moved : Pieces
        All pieces, by node, of the cells with a record in another node than the leaf, and of those without a released
        leaf.
    """

    released: Bools
    borrowed: Longs
    starts: Longs
    moved: Pieces


def prune_out_of_core(
    tree: PathTree, large: LargeTable, requirements: Sequence[Requirement], seed: int | None
) -> PrunedOutOfCore:
    """Release complying nodes, from the leaves to the root, without losing a record."""
    bags = _Bags(tree, large, requirements, seed)
    for parent in range(tree.size - 1, -1, -1):
        if tree.column[parent] >= 0:
            bags.judge_branches(parent, tree.children(parent))
    bags.judge_root()
    return PrunedOutOfCore(bags.released, bags.borrowed, bags.starts, bags.moved())


class _Bag(NamedTuple):
    """Cells, the records of each, and the places of their sensitive values in one histogram."""

    cell: Ints
    size: Longs
    values: Ints

    @classmethod
    def joined(cls, bags: Sequence[_Bag]) -> _Bag:
        return cls(*(np.concatenate(parts) for parts in zip(*bags, strict=True)))

    def only(self, which: Bools | slice) -> _Bag:
        return _Bag(self.cell[which], self.size[which], self.values[which])


class _Loan(NamedTuple):
    """Records that a donor lends, the records of each cell that it keeps, and the cells' places in its last chunk."""

    donor: int
    bag: _Bag
    kept: Longs
    at: Longs


class _Bags:
    """The bags of all nodes: the engine keeps those of leaves, the others are in memory."""

    def __init__(
        self, tree: PathTree, large: LargeTable, requirements: Sequence[Requirement], seed: int | None
    ) -> None:
        self._large = large
        self._context, packed = bind(large, requirements)
        self._k, self._formulas = packed.minimal_size, packed.formulas
        self._values = int(self._context.offsets[-1]) if self._formulas is not None else 0
        self._rng = np.random.default_rng(seed)
        self._leaf = tree.column < 0
        self._total = np.zeros(tree.size, dtype=np.int64)
        self._histogram = np.zeros((tree.size, self._values), dtype=np.int64)
        self.released = np.zeros(tree.size, dtype=np.bool_)
        self.borrowed = np.zeros(tree.size, dtype=np.int64)
        self._up: dict[int, _Bag] = {}
        # For each leaf that lent: its changed cells in ascending order, and the records left of each.
        self._left: dict[int, tuple[Ints, Longs]] = {}
        self._window: tuple[int, int, _Bag] = (0, 0, self._nothing)
        self._entries_up = 0
        for start, counts in large.chunks(0, large.cells):
            leaf = tree.leaves_of(counts)[counts.cell_tuple]
            self._total += np.bincount(leaf, counts.cell_sizes, tree.size).astype(np.int64)
            if self._values:
                for values in sensitive_codes(counts, self._context).T:
                    np.add.at(self._histogram, (leaf, values), counts.cell_sizes)
            large.kept.assign(start, leaf)
        self.starts = large.kept.arrange(tree.size)

    @property
    def _nothing(self) -> _Bag:
        columns = len(self._context.columns) if self._values else 0
        return _Bag(np.empty(0, np.int32), np.empty(0, np.int64), np.empty((0, columns), np.int32))

    def judge_branches(self, parent: int, children: Sequence[int]) -> None:
        """Release complying branches, and hand up the records of the others, with spare records if these help."""
        for child in children:
            self.released[child] = self._complies(child)
        donors = [child for child in children if self.released[child]]
        going = [child for child in children if not self.released[child] and self._total[child]]
        self._total[parent] = waiting = int(self._total[going].sum())
        self._histogram[parent] = self._histogram[going].sum(axis=0)
        bags = [self._take(child) for child in going]
        self._up[parent] = _Bag.joined(bags) if bags else self._nothing
        required = self._k - waiting
        spare = int((self._total[donors] - self._k).sum())
        if waiting and 0 < required <= spare:
            self._borrow(parent, donors, required)

    def judge_root(self) -> None:
        """Make the records left at the root a group, with spare records of groups, or with the smallest groups."""
        self.released[0] = self._complies(0)
        while not self.released[0] and self._total[0]:
            groups = np.flatnonzero(self.released).tolist()
            required = self._k - int(self._total[0])
            lent = required > 0 and self._borrow(0, groups, required)
            if lent or not groups or self._complies(0):
                self.released[0] = True
                return
            smallest = groups[int(self._total[groups].argmin())]
            self.released[smallest] = False
            self._up[0] = _Bag.joined([self._up[0], self._take(smallest)])
            self._total[0] += self._total[smallest]
            self._histogram[0] += self._histogram[smallest]

    def _complies(self, node: int) -> bool:
        return self._comply(int(self._total[node]), self._histogram[node])

    def _comply(self, size: int, histogram: Longs) -> bool:
        return size >= self._k and (self._formulas is None or bool(all_hold(self._formulas, size, histogram)))

    def _take(self, node: int) -> _Bag:
        """Take all records of a node, to hand them up."""
        if not self._leaf[node]:
            bag = self._up.pop(node)
            return bag.only(bag.size > 0)
        self._remember(int(self.starts[node + 1] - self.starts[node]))
        bag = _Bag.joined(list(self._entries(node)))
        self._left.pop(node, None)
        return bag.only(bag.size > 0)

    def _remember(self, entries: int) -> None:
        self._entries_up += entries
        if self._entries_up > _ENTRIES_OF_A_CELL * self._large.most:
            above = "KActus cannot be used if its leaves hand up more than fits, too; a smaller k helps"
            raise self._large.exceeds(above)

    def _entries(self, node: int) -> Iterator[_Bag]:
        """Yield the bag of a node chunk by chunk."""
        if not self._leaf[node]:
            yield self._up[node]
            return
        start, end = int(self.starts[node]), int(self.starts[node + 1])
        while start < end:
            bag = self._cells(start, end)
            if node in self._left:
                cell, left = self._left[node]
                here = slice(*np.searchsorted(cell, [start, start + len(bag.cell)]))
                size = bag.size.copy()
                size[cell[here] - start] = left[here]
                bag = bag._replace(size=size)
            yield bag
            start += len(bag.cell)

    def _cells(self, start: int, end: int) -> _Bag:
        """Return the cells from a number on, as many as fit into memory."""
        first, last, held = self._window
        if not first <= start < last:
            # Leaves are read from last to first, so cells before these come next.
            most = self._large.most
            first = start if end - start >= most else max(0, end - most)
            last = min(first + most, self._large.cells)
            counts = self._large.kept.part(first, last)
            none = np.empty((last - first, 0), dtype=np.int32)
            values = sensitive_codes(counts, self._context) if self._values else none
            held = _Bag(np.arange(first, last, dtype=np.int32), counts.cell_sizes, values)
            self._window = first, last, held
        return held.only(slice(start - first, min(end, last) - first))

    def _borrow(self, receiver: int, donors: Sequence[int], required: int) -> bool:
        """Let donors lend records to a bag if donors and receiver then comply; otherwise change nothing."""
        extra = self._total[donors] - self._k
        everything = int(extra.sum())
        while everything >= required:
            spare = np.empty_like(extra)
            share_out(extra, spare, len(extra), required, everything, self._rng)
            loans = [
                self._draw(donor, int(wanted)) for donor, wanted in zip(donors, extra - spare, strict=True) if wanted
            ]
            refusing = next((loan.donor for loan in loans if not self._can_lend(loan)), None)
            if refusing is not None:
                at = list(donors).index(refusing)
                everything -= int(extra[at])
                extra[at] = 0
                continue
            histogram = self._histogram[receiver] + sum(self._count_values(loan.bag) for loan in loans)
            if not self._comply(int(self._total[receiver]) + required, histogram):
                return False
            for loan in loans:
                self._give(loan)
            self._remember(sum(len(loan.bag.cell) for loan in loans))
            self._up[receiver] = _Bag.joined([self._up[receiver], *(loan.bag for loan in loans)])
            self._total[receiver] += required
            self._histogram[receiver] = histogram
            self.borrowed[receiver] += required
            return True
        return False

    def _draw(self, donor: int, wanted: int) -> _Loan:
        """Draw records of a bag, all choices equally likely."""
        available = int(self._total[donor])
        drawn, kept, at = [self._nothing], [np.empty(0, np.int64)], np.empty(0, np.int64)
        for bag in self._entries(donor):
            lent = np.zeros(len(bag.cell), dtype=np.int64)
            wanted = int(draw(np.ascontiguousarray(bag.size), lent, available, wanted, self._rng))
            available -= int(bag.size.sum())
            drawn.append(bag._replace(size=lent).only(lent > 0))
            at = np.flatnonzero(lent)
            kept.append((bag.size - lent)[at])
            if not wanted:
                break
        return _Loan(donor, _Bag.joined(drawn), np.concatenate(kept), at)

    def _count_values(self, bag: _Bag) -> Longs:
        """Count the sensitive values of a bag."""
        counts = np.zeros(self._values, dtype=np.int64)
        for values in bag.values.T:
            np.add.at(counts, values, bag.size)
        return counts

    def _can_lend(self, loan: _Loan) -> bool:
        left = int(self._total[loan.donor] - loan.bag.size.sum())
        return self._comply(left, self._histogram[loan.donor] - self._count_values(loan.bag))

    def _give(self, loan: _Loan) -> None:
        """Take a loan out of the bag of its donor."""
        donor, bag = loan.donor, loan.bag
        self._total[donor] -= bag.size.sum()
        self._histogram[donor] -= self._count_values(bag)
        if not self._leaf[donor]:
            self._up[donor].size[loan.at] = loan.kept
            return
        before = self._left.get(donor, (bag.cell[:0], bag.size[:0]))
        # The new count of a cell replaces the one before.
        cell, first = np.unique(np.concatenate([bag.cell, before[0]]), return_index=True)
        self._left[donor] = cell, np.concatenate([loan.kept, before[1]])[first]

    def moved(self) -> Pieces:
        """Return all pieces of the cells with a record that left its leaf, by node."""
        held = [(node, bag.cell, bag.size) for node, bag in self._up.items()]
        held += [(leaf, cell, left) for leaf, (cell, left) in self._left.items()]
        node = np.concatenate([np.full(len(cell), node, dtype=np.int32) for node, cell, _ in held] or [_NONE])
        cell = np.concatenate([cell for _, cell, _ in held] or [_NONE])
        size = np.concatenate([size for _, _, size in held] or [_NONE.astype(np.int64)])
        some = size > 0
        if not some.any():
            return Pieces(_NONE, _NONE, _NONE.astype(np.int64))
        return Pieces.gathered(cell[some], node[some], size[some])


# --------------------------------------------------------------------------------------------------
# The groups of cells, which the engine keeps, and the tallies of their values, part by part.


def store_groups(
    large: LargeTable, outcome: PrunedOutOfCore, group_of_node: Ints
) -> tuple[StoredPieces, list[GroupTally]]:
    """Keep the group of every cell, and count the values of each group, column by column.

    A cell without a moved record is in the group of its leaf.
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
    held = [Held(np.searchsorted(tally.group, np.arange(groups + 1)), tally.code) for tally in tallies]
    return StoredPieces(large, bounds, held, pieces.dealt), tallies


def _tallied(large: LargeTable, pieces: StoredPieces) -> list[GroupTally]:
    """Count the values of groups, column by column; each tally ascends by group and code and has each pair once."""
    sizes = [large.domains[name].size for name in large.quasi]
    by_column: list[list[GroupTally]] = [[] for _ in sizes]
    for counts, part in pieces:
        codes = counts.tuples[counts.cell_tuple[part.cell]]
        for at, (size, tallies) in enumerate(zip(sizes, by_column, strict=True)):
            tallies.append(_summed([GroupTally(part.group, codes[:, at], part.size)], size))
    return [_summed(tallies, size) for tallies, size in zip(by_column, sizes, strict=True)]


def _summed(tallies: Sequence[GroupTally], values: int) -> GroupTally:
    group, code, size = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
    key, at = np.unique(group.astype(np.int64) * values + code, return_inverse=True)
    groups, codes = np.divmod(key, values)
    records = np.bincount(at, size, len(key)).astype(np.int64)
    return GroupTally(groups.astype(np.int32), codes.astype(np.int32), records)
