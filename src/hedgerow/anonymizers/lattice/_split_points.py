"""Columns as ordered values, which split points cut into parts; each part is published as one value.

A column of numbers or dates is in the order of its values, and so is a category without a hierarchy. A category with a
hierarchy is in the order of its leaves. A missing value stands last. A set of split points is a global recoding: the
values of a part are published alike in all records. R. Bayardo, R. Agrawal: Data Privacy through Optimal
k-Anonymization, ICDE 2005, describe an anonymization in this way.

A part of numbers is published as an interval, and a part of dates as well. A part of categories is published as the
label of a node of the hierarchy if all parts of the column are nodes, and otherwise as the set of its values. A part
that holds all values is suppressed, and so is one in which the missing value and others are together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.trees.training import checked_target
from hedgerow.core.cells import PublishedColumn, PublishedKind, PublishedValues
from hedgerow.core.counts import FrequencyTable, refuse_many_numbers
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.encoded import encode_tree, tree_of_levels
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT, format_interval

__all__ = [
    "CutColumn",
    "OrderedColumn",
    "PartName",
    "histograms_beside",
    "labels_of",
    "name_of",
    "ordered_column",
    "publish_cuts",
]

# The entries of all histograms of tuples; a larger table of them does not fit in memory.
_MOST_ENTRIES: Final = 200_000_000


@dataclass(frozen=True, eq=False)
class OrderedColumn:
    """The values of a column in their order, and where they may be split.

    Attributes
    ----------
    domain : Domain
    hierarchy : EncodedHierarchy
    rank : int array (codes,)
        The place of each code in the order.
    points : int array (points,)
        Point ``p`` splits the values of ranks below ``p`` from the others; ascending.
    """

    domain: Domain
    hierarchy: EncodedHierarchy
    rank: Longs
    points: Longs

    @property
    def segments(self) -> Longs:
        """For each code the number of the points at or below its rank: its part if all points are set."""
        return np.searchsorted(self.points, self.rank, side="right").astype(np.int64)

    def parts(self, chosen: Bools) -> Longs:
        """For each code its part, if only the chosen points are set."""
        return np.concatenate([[0], np.cumsum(chosen)]).astype(np.int64)[self.segments]

    @cached_property
    def label_nodes(self) -> bool:
        """Whether parts are published by labels of the hierarchy where they can be: a category with a given one."""
        return self.domain.numbers is None and not self.hierarchy.automatic


def ordered_column(counts: FrequencyTable, name: str, most: int) -> OrderedColumn:
    """A column with at most this many split points.

    Between more values, the points that divide the records most evenly are taken. The missing value is always split
    from the others.
    """
    domain, hierarchy = counts.domains[name], counts.hierarchies[name]
    by_leaf = domain.numbers is None and not hierarchy.automatic
    rank = (hierarchy.order if by_leaf else np.arange(domain.size)).astype(np.int64)
    points = np.arange(1, domain.size, dtype=np.int64)
    if len(points) > most:
        records = np.zeros(domain.size, dtype=np.int64)
        records[rank] = counts.histogram(name)
        below = np.cumsum(records)
        wanted = below[-1] * np.arange(1, most + 1) / (most + 1)
        points = np.unique(np.clip(np.searchsorted(below, wanted) + 1, 1, domain.size - 1)).astype(np.int64)
        if domain.has_missing:
            points = np.union1d(points[: max(most - 1, 0)], [domain.size - 1]).astype(np.int64)
    return OrderedColumn(domain, hierarchy, rank, points)


def labels_of(counts: FrequencyTable, owner: str) -> str:
    """The target, whose values must be classes."""
    refuse_many_numbers(counts, owner)
    return checked_target(counts, owner)


def histograms_beside(counts: FrequencyTable, names: Sequence[str], owner: str) -> Longs:
    """How many records of each tuple have each value of some columns, side by side."""
    widths = [counts.domains[name].size for name in names]
    if len(counts.tuples) * sum(widths) > _MOST_ENTRIES:
        raise BadInput(
            f"The table is too large for {owner}: {len(counts.tuples):,} tuples times {sum(widths):,} labels and "
            "sensitive values. Use another method."
        )
    result = np.zeros((len(counts.tuples), sum(widths)), dtype=np.int64)
    for name, offset in zip(names, np.cumsum([0, *widths]).tolist(), strict=False):
        np.add.at(result, (counts.cell_tuple, counts.values_of(name) + offset), counts.cell_sizes)
    return result


# --------------------------------------------------------------------------------------------------
# Publish the parts of every column.


class CutColumn(NamedTuple):
    """A column and the part of each code, numbered from 0 in the order of the column."""

    column: OrderedColumn
    part: Longs


class _Cells(NamedTuple):
    """What a column publishes: the node of each code, the hierarchy of the nodes, and the kinds of new labels."""

    nodes: Ints
    hierarchy: EncodedHierarchy
    kinds: Mapping[str, PublishedKind]


def publish_cuts(
    method: str,
    counts: FrequencyTable,
    cuts: Sequence[CutColumn | Ints],
    *,
    lost: Bools | None = None,
    facts: Mapping[str, Any],
    warnings: Sequence[str] = (),
) -> Recoding:
    """Publish every value as its part, or as its node where a cut through the hierarchy is given as nodes."""
    described = [
        _cells_of(cut) if isinstance(cut, CutColumn) else _Cells(cut, counts.hierarchies[name], {})
        for name, cut in zip(counts.quasi, cuts, strict=True)
    ]
    hierarchies = {name: cells.hierarchy for name, cells in zip(counts.quasi, described, strict=True)}
    recoding = recode_by_nodes(
        method,
        replace(counts, hierarchies=hierarchies),
        [cells.nodes for cells in described],
        lost=lost,
        facts=facts,
        warnings=warnings,
    )
    columns = [
        _with_kinds(column, cells.kinds) if cells.kinds else column
        for column, cells in zip(recoding.columns, described, strict=True)
    ]
    return replace(recoding, columns=tuple(columns))


def _with_kinds(column: PublishedColumn, kinds: Mapping[str, PublishedKind]) -> PublishedColumn:
    """Mark the labels of parts as intervals or sets; the counts that metrics read do not have their nodes."""
    marked: list[PublishedKind] = [
        kinds.get(str(text), kind) if kind == "label" else kind
        for text, kind in zip(column.texts, column.kinds, strict=True)
    ]
    return replace(column, kinds=tuple(marked), nodes=None)


def _cells_of(cut: CutColumn) -> _Cells:
    column, part = cut
    hierarchy = column.hierarchy
    if len(part) == 1:
        return _Cells(hierarchy.leaf_of, hierarchy, {})
    if part.max() == part.min():
        return _Cells(np.full(len(part), hierarchy.root, dtype=np.int32), hierarchy, {})
    nodes = _nodes_of_parts(cut) if column.label_nodes else None
    return _Cells(nodes, hierarchy, {}) if nodes is not None else _with_new_labels(cut)


def _nodes_of_parts(cut: CutColumn) -> Ints | None:
    """The node of each code, if every part is all that lies below one node."""
    hierarchy = cut.column.hierarchy
    by_part = np.argsort(cut.part, kind="stable")
    starts = np.flatnonzero(np.diff(cut.part[by_part], prepend=-1))
    nodes = hierarchy.lca_of_codes(by_part, starts)
    codes = np.diff(np.append(starts, len(by_part)))
    if (hierarchy.codes_below(nodes).sizes != codes).any():
        return None
    return np.repeat(nodes, codes)[np.argsort(by_part)].astype(np.int32)


def _with_new_labels(cut: CutColumn) -> _Cells:
    """A hierarchy of the values, the parts, and ``*``."""
    domain, part = cut.column.domain, cut.part
    known = len(domain.labels)
    names = [name_of(domain, np.flatnonzero(part[:known] == number)) for number in range(int(part.max()) + 1)]
    built = tree_of_levels(domain.labels.tolist(), [[names[number].text for number in part[:known].tolist()]])
    bounds = None
    if domain.kind == "number" and domain.numbers is not None:
        low, high = np.full((2, len(built.tree.labels)), np.nan)
        low[built.nodes[0]] = high[built.nodes[0]] = domain.numbers
        low[built.nodes[1]], high[built.nodes[1]] = np.array([names[number].ends for number in part[:known]]).T
        low[0], high[0] = domain.numbers[0], domain.numbers[-1]
        bounds = low, high
    described = f"{len(names)} parts found by the search"
    hierarchy = encode_tree(built.tree, built.nodes[0], domain, described, bounds=bounds)
    alone = np.bincount(part)[part] == 1
    leaf = hierarchy.leaf_of
    nodes = np.where(alone, leaf, hierarchy.parent[leaf])
    if domain.has_missing and not alone[-1]:
        # What the missing value is together with has no name of its own.
        nodes[part == part[-1]] = hierarchy.root
    return _Cells(nodes.astype(np.int32), hierarchy, {name.text: name.kind for name in names})


class PartName(NamedTuple):
    """How a part is written, and the ends of an interval of numbers."""

    text: str
    kind: PublishedKind
    ends: tuple[float, float]


def name_of(domain: Domain, codes: Longs) -> PartName:
    """How the values of a part, without the missing one, are written."""
    if not len(codes):
        return PartName(SUPPRESSED_TEXT, "suppressed", (np.nan, np.nan))
    first, last = int(codes[0]), int(codes[-1])
    if domain.kind == "number" and domain.numbers is not None:
        closed = last == len(domain.numbers) - 1
        low, high = float(domain.numbers[first]), float(domain.numbers[last if closed else last + 1])
        return PartName(format_interval(low, high, closed=closed), "interval", (low, high))
    values = PublishedValues(domain)
    if domain.numbers is None:
        values.set(codes.astype(np.int32))
    else:
        values.span(first, last)
    column = values.column()
    return PartName(str(column.texts[0]), column.kinds[0], (np.nan, np.nan))
