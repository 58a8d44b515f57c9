"""kACTUS on a table whose tuples do not fit into memory: bags that comply stay where they are, the others go up.

The rule is that of :mod:`hedgerow.anonymizers.suppression._kernels`, in its sensible reading with donors at random. Of
a leaf that complies only its size and the counts of its sensitive values are in memory. Its cells are read when it
lends, one chunk after the other, in the order in which the kernel would read them: the same records are drawn. In
memory are the bags that went up; a table of which too much goes up is refused.
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

__all__ = ["HandedUp", "handed_up", "stored"]


# An entry of a bag takes no more than a quarter of what a cell takes that is counted.
_ENTRIES_OF_A_CELL: Final = 4
_NONE: Final = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class HandedUp:
    """Which nodes are groups of the release, and which of their records do not lie in their own leaves.

    Attributes
    ----------
    released : bool array (nodes,)
    borrowed : int array (nodes,)
    starts : int array (nodes + 1,)
        The cells of a leaf have the numbers from ``starts[leaf]`` up to ``starts[leaf + 1]``.
    moved : Pieces
        All pieces, by node, of the cells of which some record is in another node than the leaf, or that are in no leaf
        that is released.
    """

    released: Bools
    borrowed: Longs
    starts: Longs
    moved: Pieces


def handed_up(tree: PathTree, large: LargeTable, requirements: Sequence[Requirement], seed: int | None) -> HandedUp:
    """Release what complies, from the leaves to the root, where no record is lost."""
    bags = _Bags(tree, large, requirements, seed)
    for parent in range(tree.size - 1, -1, -1):
        if tree.column[parent] >= 0:
            bags.judge_branches(parent, tree.children(parent))
    bags.judge_root()
    return HandedUp(bags.released, bags.borrowed, bags.starts, bags.moved())


class _Bag(NamedTuple):
    """Cells, how many records of each, and where their sensitive values stand in one histogram."""

    cell: Ints
    size: Longs
    values: Ints

    @classmethod
    def joined(cls, bags: Sequence[_Bag]) -> _Bag:
        return cls(*(np.concatenate(parts) for parts in zip(*bags, strict=True)))

    def only(self, which: Bools | slice) -> _Bag:
        return _Bag(self.cell[which], self.size[which], self.values[which])


class _Lent(NamedTuple):
    """Records that a donor lends, how many of each cell it keeps, and where these stand in the last chunk of a bag."""

    donor: int
    bag: _Bag
    kept: Longs
    at: Longs


class _Bags:
    """The bags of all nodes: those of leaves as the engine keeps them, those of other nodes in memory."""

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
        # Of leaves that lent: the cells, how many records each has left, in ascending order.
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
        """Release the branches that comply, and hand up what the others have, with what those can spare if it helps."""
        for child in children:
            self.released[child] = self._complies(child)
        donors = [child for child in children if self.released[child]]
        going = [child for child in children if not self.released[child] and self._total[child]]
        self._total[parent] = waiting = int(self._total[going].sum())
        self._histogram[parent] = self._histogram[going].sum(axis=0)
        bags = [self._taken_up(child) for child in going]
        self._up[parent] = _Bag.joined(bags) if bags else self._nothing
        required = self._k - waiting
        spare = int((self._total[donors] - self._k).sum())
        if waiting and 0 < required <= spare:
            self._borrow(parent, donors, required)

    def judge_root(self) -> None:
        """Make what is left at the root a group, with records that groups can spare, or with the smallest groups."""
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
            self._up[0] = _Bag.joined([self._up[0], self._taken_up(smallest)])
            self._total[0] += self._total[smallest]
            self._histogram[0] += self._histogram[smallest]

    def _complies(self, node: int) -> bool:
        return self._comply(int(self._total[node]), self._histogram[node])

    def _comply(self, size: int, histogram: Longs) -> bool:
        return size >= self._k and (self._formulas is None or bool(all_hold(self._formulas, size, histogram)))

    def _taken_up(self, node: int) -> _Bag:
        """All that a node has, which goes up."""
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
            above = "KActus cannot be used where leaves hand up more than fits too; a smaller k helps"
            raise self._large.exceeds(above)

    def _entries(self, node: int) -> Iterator[_Bag]:
        """What is in the bag of a node, chunk by chunk."""
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
        """As many cells from a number on as are in memory, or can be."""
        first, last, held = self._window
        if not first <= start < last:
            # Leaves are asked for from the last one to the first one: what stands before comes next.
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
        """Let donors lend so many records to a bag, if they and it then comply; no effect if none do."""
        extra = self._total[donors] - self._k
        everything = int(extra.sum())
        while everything >= required:
            spare = np.empty_like(extra)
            share_out(extra, spare, len(extra), required, everything, self._rng)
            lent = [
                self._drawn(donor, int(wanted)) for donor, wanted in zip(donors, extra - spare, strict=True) if wanted
            ]
            refusing = next((one.donor for one in lent if not self._can_lend(one)), None)
            if refusing is not None:
                at = list(donors).index(refusing)
                everything -= int(extra[at])
                extra[at] = 0
                continue
            histogram = self._histogram[receiver] + sum(self._counted(one.bag) for one in lent)
            if not self._comply(int(self._total[receiver]) + required, histogram):
                return False
            for one in lent:
                self._give(one)
            self._remember(sum(len(one.bag.cell) for one in lent))
            self._up[receiver] = _Bag.joined([self._up[receiver], *(one.bag for one in lent)])
            self._total[receiver] += required
            self._histogram[receiver] = histogram
            self.borrowed[receiver] += required
            return True
        return False

    def _drawn(self, donor: int, wanted: int) -> _Lent:
        """So many records of a bag, every choice as likely."""
        available = int(self._total[donor])
        found, kept, at = [self._nothing], [np.empty(0, np.int64)], np.empty(0, np.int64)
        for bag in self._entries(donor):
            lent = np.zeros(len(bag.cell), dtype=np.int64)
            wanted = int(draw(np.ascontiguousarray(bag.size), lent, available, wanted, self._rng))
            available -= int(bag.size.sum())
            found.append(bag._replace(size=lent).only(lent > 0))
            at = np.flatnonzero(lent)
            kept.append((bag.size - lent)[at])
            if not wanted:
                break
        return _Lent(donor, _Bag.joined(found), np.concatenate(kept), at)

    def _counted(self, bag: _Bag) -> Longs:
        """The sensitive values of a bag."""
        counts = np.zeros(self._values, dtype=np.int64)
        for values in bag.values.T:
            np.add.at(counts, values, bag.size)
        return counts

    def _can_lend(self, lent: _Lent) -> bool:
        left = int(self._total[lent.donor] - lent.bag.size.sum())
        return self._comply(left, self._histogram[lent.donor] - self._counted(lent.bag))

    def _give(self, lent: _Lent) -> None:
        """Take what is lent out of the bag of its donor."""
        donor, bag = lent.donor, lent.bag
        self._total[donor] -= bag.size.sum()
        self._histogram[donor] -= self._counted(bag)
        if not self._leaf[donor]:
            self._up[donor].size[lent.at] = lent.kept
            return
        before = self._left.get(donor, (bag.cell[:0], bag.size[:0]))
        # What was left of a cell before counts no more.
        cell, first = np.unique(np.concatenate([bag.cell, before[0]]), return_index=True)
        self._left[donor] = cell, np.concatenate([lent.kept, before[1]])[first]

    def moved(self) -> Pieces:
        """All pieces of the cells of which some record is not in its leaf any more, by node."""
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
# The pieces of kACTUS on a table that does not fit into memory: kept by the engine, tallied part by part.


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
