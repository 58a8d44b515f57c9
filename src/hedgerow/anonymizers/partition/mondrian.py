"""Mondrian: cut the records in two, again and again, while every group stays large and diverse enough.

Each step chooses a column and a place to cut it, and stops where no cut keeps the requirements on both sides; a
group then publishes the sets (or intervals, or hierarchy labels) of the values it holds. K. LeFevre, D. DeWitt, R.
Ramakrishnan: Mondrian Multidimensional k-Anonymity, ICDE 2006; set-based generalization and the frequency set:
J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data, section III, algorithm 1.

Deviations
----------
- ``cut="loss"`` (the default) looks at every place of every column, and for categories also at one value against
  the rest, and takes the cut after which the normalized certainty penalty is lowest. Sets have no order that a cut
  must respect, and the loss on Adult falls by a quarter (``benchmarks/RESULTS.md``). ``cut="widest"`` is the paper's.
- At the median the records that hold it go left; if that is not allowed they go right; then the next column is
  tried. The paper puts them left and does not say what happens if nothing is left for the right.
- A cut is allowed only if *all* requirements hold on both sides, not only k. Each group is one equivalence class;
  a requirement on a smaller shield speaks of unions of groups, and holds if it holds for each of them.
- ``improve=True`` lets groups that lie near each other exchange tuples after the last cut, and splits groups, while
  every requirement holds and the loss falls: a cut cannot be taken back, a tuple on the wrong side of it can. The cuts
  still say where unseen rows go.
- Columns with more than 512 categories are scored by the span of their ranks: counting the values of every
  candidate exactly would cost more than it gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import privacy
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import IMPROVE, choice, flag
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.privacy.binding import Context
from hedgerow.recoding import CutTree, Pieces, Recoding, publish_groups

if TYPE_CHECKING:
    from hedgerow.anonymizers.partition._sets import Items, Scales

__all__ = ["Mondrian"]

_MOST_COUNTED = 512
_WORD = 64


class Mondrian(Anonymizer):
    """Multidimensional partitioning with set-based generalization.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 23, 25, 27, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> release = Mondrian(k=3).anonymize(people, Schema(quasi=["age", "sex"]))
    >>> sorted(set(release.table["sex"].to_pylist()))
    ['F', 'M']
    """

    name = "mondrian"
    family = "partition"
    paper = "LeFevre, DeWitt, Ramakrishnan (ICDE 2006); sets: Shao, Beckford"

    cut: Literal["loss", "widest"] = choice("The cut that lowers NCP most, or the paper's: widest column, median.")
    relaxed: bool = flag("Whether records with equal values may be split between groups.")
    publish: Literal["set", "interval", "label"] = choice("Sets; intervals for numbers; or the hierarchy's labels.")
    order: Literal["auto", "alphabetical", "hierarchy"] = choice(
        "In which order categories are cut; a given hierarchy's if there is one."
    )
    improve: bool = IMPROVE

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.partition.threads import partition_in_threads

        context, packed = privacy.bind(counts, requirements)
        orders = tuple(_order(counts, name, self.order) for name in counts.quasi)
        units = _units(counts, context, self.relaxed)
        items = _items(counts, context, orders, units)
        cuts = partition_in_threads(
            items, _scales(counts, context, orders), packed, by_loss=self.cut == "loss", relaxed=self.relaxed
        )

        groups = len(cuts.start)
        group = np.empty(len(units.weight), dtype=np.int32)
        group[items.origin] = np.repeat(np.arange(groups, dtype=np.int32), cuts.end - cuts.start)
        pieces = _pieces(counts, units, group)
        if self.improve:
            from hedgerow.anonymizers.merge.improving import improved

            pieces = improved(counts, requirements, pieces)
            groups = int(pieces.group.max()) + 1
        columns, values = publish_groups(counts, pieces, groups, self.publish)
        return Recoding(
            method="mondrian",
            quasi=counts.quasi,
            columns=columns,
            groups=values,
            sizes=np.bincount(pieces.group, pieces.size, groups).astype(np.int64),
            pieces=pieces,
            router=CutTree(cuts.column, cuts.threshold, cuts.single, cuts.left, cuts.right, orders),
        )


def _order(counts: FrequencyTable, name: str, order: str) -> NDArray[np.int32]:
    """The rank of each code: numbers by value, text by code point, or the hierarchy's order of leaves."""
    domain, hierarchy = counts.domains[name], counts.hierarchies[name]
    by_hierarchy = order == "hierarchy" or (order == "auto" and not hierarchy.automatic)
    if domain.kind == "text" and by_hierarchy:
        return hierarchy.order
    return np.arange(domain.size, dtype=np.int32)


class _Units(NamedTuple):
    """What is partitioned: tuples, cells where sensitive values count, or single records if relaxed."""

    tuple: NDArray[np.int32]
    cell: NDArray[np.int32] | None
    weight: NDArray[np.int64]


def _units(counts: FrequencyTable, context: Context, relaxed: bool) -> _Units:
    if relaxed:
        cell = np.repeat(np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
        return _Units(counts.cell_tuple[cell], cell, np.ones(len(cell), dtype=np.int64))
    if context.columns:
        return _Units(counts.cell_tuple, np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    return _Units(np.arange(len(counts.tuples), dtype=np.int32), None, counts.tuple_sizes)


def _items(counts: FrequencyTable, context: Context, orders: Sequence[NDArray[np.int32]], units: _Units) -> Items:
    """Lay the units out for the kernel, which moves them: nothing of the counts is shared."""
    from hedgerow.anonymizers.partition._sets import Items

    ranks = np.stack([order[counts.tuples[units.tuple, at]] for at, order in enumerate(orders)], axis=1)
    layout, words = _bit_layout(counts)
    categories = np.zeros((len(ranks), words), dtype=np.uint64)
    for at, start in layout:
        bit = start + ranks[:, at].astype(np.int64)
        categories[np.arange(len(ranks)), bit // _WORD] |= np.uint64(1) << (bit % _WORD).astype(np.uint64)
    if units.cell is None:
        values = np.empty((len(ranks), 0), dtype=np.int32)
    else:
        values = privacy.sensitive_codes(counts, context)[units.cell]
    origin = np.arange(len(ranks), dtype=np.int32)
    return Items(np.ascontiguousarray(ranks), categories, values, units.weight.copy(), origin)


def _counted(counts: FrequencyTable) -> list[int]:
    """The columns whose loss is how many values a group holds; the others are measured by their span."""
    return [
        at
        for at, name in enumerate(counts.quasi)
        if counts.domains[name].kind == "text" and counts.domains[name].size <= _MOST_COUNTED
    ]


def _bit_layout(counts: FrequencyTable) -> tuple[list[tuple[int, int]], int]:
    """Where the bits of each counted column start; a column that fits one word does not straddle two."""
    layout, free = [], 0
    for at in _counted(counts):
        size = counts.domains[counts.quasi[at]].size
        if size > _WORD - free % _WORD and free % _WORD:
            free += _WORD - free % _WORD
        layout.append((at, free))
        free += size
    return layout, -(-free // _WORD)


def _scales(counts: FrequencyTable, context: Context, orders: Sequence[NDArray[np.int32]]) -> Scales:
    from hedgerow.anonymizers.partition._sets import Scales

    domains = [counts.domains[name] for name in counts.quasi]
    counted = _counted(counts)
    sizes = np.array([domain.size for domain in domains], dtype=np.int64)
    positions, widths = [], np.zeros(len(domains))
    for at, (domain, order) in enumerate(zip(domains, orders, strict=True)):
        place = np.arange(domain.size, dtype=np.float64)
        if domain.numbers is not None:
            place[order[: len(domain.numbers)]] = domain.positions
        positions.append(place)
        known = place[: len(domain.labels)]
        widths[at] = known[-1] - known[0] if len(known) else 0.0
    slots, slot_words, slot_masks = _slots(counts)
    return Scales(
        sizes=sizes,
        categorical=np.array([domain.kind == "text" for domain in domains]),
        spanned=np.array([at for at in range(len(domains)) if at not in counted], dtype=np.int64),
        positions=np.concatenate(positions),
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        widths=widths,
        missing=np.array([domain.missing_code for domain in domains], dtype=np.int64),
        counts=np.array([at in counted for at in range(len(domains))]),
        slots=slots,
        slot_words=slot_words,
        slot_masks=slot_masks,
        histogram=int(context.offsets[-1]),
    )


def _slots(counts: FrequencyTable) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Which bits of which words belong to each counted column."""
    starts, words, masks = [0], [], []
    for at, first in _bit_layout(counts)[0]:
        bits = np.arange(first, first + counts.domains[counts.quasi[at]].size)
        for word in np.unique(bits // _WORD):
            words.append(int(word))
            masks.append(sum(1 << int(bit % _WORD) for bit in bits[bits // _WORD == word]))
        starts.append(len(words))
    return np.array(starts, dtype=np.int64), np.array(words, dtype=np.int64), np.array(masks, dtype=np.uint64)


def _pieces(counts: FrequencyTable, units: _Units, group: NDArray[np.int32]) -> Pieces:
    """From groups of units to how many records of each cell go where."""
    if units.cell is None:
        return Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    if len(units.cell) == len(counts.cell_sizes):
        return Pieces.whole(group, counts.cell_sizes)
    groups = int(group.max()) + 1
    pairs, sizes = np.unique(units.cell.astype(np.int64) * groups + group, return_counts=True)
    cell, of_group = np.divmod(pairs, groups)
    return Pieces(cell.astype(np.int32), of_group.astype(np.int32), sizes.astype(np.int64))
