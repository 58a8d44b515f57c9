"""Exact proportions: how many people of each class hold which original value.

Published proportions are made from them. They are never published: where all columns of a class but one are known, they
are the counts of its original tuples (see :mod:`hedgerow.core.proportions._pooling`). Labels are kept separate, in
:class:`ExactLabels`, so that nothing that is made from :class:`ExactProportions` can depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.counts import Counted, FrequencyTable, tabulate
from hedgerow.core.recoding import ByLabel, Pieces, PublishedColumn, PublishedKind, Recoding
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy, finest_nodes
from hedgerow.hierarchies.intervals import Intervals
from hedgerow.io.domains import Domain, Kind

__all__ = ["ExactColumn", "ExactLabels", "ExactProportions", "HeldByPairs", "count_labels", "count_proportions"]


@dataclass(frozen=True, eq=False)
class ExactColumn:
    """One quasi-identifier: the published value of each class, and how many of its people hold which value.

    Attributes
    ----------
    domain : Domain
        The values that published records hold.
    texts : tuple of str or None
        The published values, each once; ``None`` is an empty cell.
    kinds : tuple of str
        The kind of each; see :class:`hedgerow.core.recoding.PublishedColumn`.
    published : int array (classes,)
        The published value of each class.
    starts : int array (classes + 1,)
        Class ``i`` holds the values ``codes[starts[i]:starts[i + 1]]``, ascending.
    codes : int array
    records : int array
        How many people of the class hold the value.
    hierarchy : EncodedHierarchy, optional
        The hierarchy that was given, if the column is text.
    code_in_hierarchy : int array (domain.size,), optional
        The code of each value in the domain of the hierarchy.
    bounds : tuple of float, optional
        The smallest and the largest number that the given hierarchy has room for.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    kinds: tuple[PublishedKind, ...]
    published: Ints
    starts: Longs
    codes: Ints
    records: Longs
    hierarchy: EncodedHierarchy | None = None
    code_in_hierarchy: Longs | None = None
    bounds: tuple[float, float] | None = None

    @cached_property
    def class_of_entry(self) -> Longs:
        """The class of each entry of ``codes`` and ``records``."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def several(self) -> Bools:
        """Whether the people of each class hold several values."""
        return np.asarray(np.diff(self.starts) > 1)

    def publishes(self, kind: PublishedKind) -> Bools:
        """Which classes publish a value of this kind."""
        return np.array([published == kind for published in self.kinds], dtype=bool)[self.published]


@dataclass(frozen=True, eq=False)
class HeldByPairs:
    """How many people of each pair of class and label hold which value of a column; each pair and value once.

    Attributes
    ----------
    pair, codes, records : int arrays (entries,)
    """

    pair: Longs
    codes: Longs
    records: Longs


@dataclass(frozen=True, eq=False)
class ExactLabels:
    """The people of each class by their labels, and the values they hold.

    Attributes
    ----------
    target : str
        The column of the labels.
    kind : {"number", "text", "date"}
        The kind of its values.
    labels : tuple of str or None
        Its values; ``None`` is the missing value.
    regions : int array (levels, classes)
        The region of each class at each level; the classes of a region are published together.
    strengths : float array (quasi-identifiers,)
        How strongly drawn values depend on the label; 0 if nothing is published by label.
    least : int
        The fewest people of a bin, where that is more than the support of the proportions.
    class_of_pair, label_of_pair, people : int arrays (pairs,)
        The labels that each class has, in the order of the classes, and the people who have them.
    columns : tuple of HeldByPairs
        One for each quasi-identifier.
    """

    target: str
    kind: Kind
    labels: tuple[str | None, ...]
    regions: Longs
    strengths: Floats
    least: int
    class_of_pair: Longs
    label_of_pair: Longs
    people: Longs
    columns: tuple[HeldByPairs, ...]


@dataclass(frozen=True, eq=False)
class ExactProportions:
    """How often each original value occurs in every class.

    Attributes
    ----------
    columns : tuple of ExactColumn
        One for each quasi-identifier.
    sizes : int array (classes,)
        The people of each class.
    missing : tuple of str
        Texts that mean "no value" in the published table.
    """

    columns: tuple[ExactColumn, ...]
    sizes: Longs
    missing: tuple[str, ...] = ("",)


# --------------------------------------------------------------------------------------------------
# Counting proportions: from the counts of the original table and the groups of a recoding to classes and values.
#
# Classes and values are counted separately from labels: pools are made from the former alone.


_VAGUEST: Final[tuple[PublishedKind, ...]] = ("number", "suppressed", "label", "interval", "set", "value")


def count_proportions(counts: Counted, recoding: Recoding) -> ExactProportions:
    """Count the records of each class that hold each value; lost records do not count.

    Groups that publish the same values are one class, because a reader of the release sees no difference between them.
    Where people are counted, each person counts once, by the representative record. Of a column whose levels are
    limited, the nodes at the finest level are the values: nothing finer is counted.

    Notes
    -----
    O(pieces log pieces) per quasi-identifier.
    """
    texts, kinds, codes = zip(
        *(_texts(column, recoding.groups[:, at]) for at, column in enumerate(recoding.columns)), strict=True
    )
    parts = [_part(part, pieces) for part, pieces in recoding.in_parts(counts)]
    # Groups without records are no classes.
    held = np.unique(np.concatenate([part.groups for part in parts]))
    classes, class_of_group = _classes(codes, list(map(len, texts)), held, len(recoding.groups))
    columns = []
    for at, name in enumerate(counts.quasi):
        domain, hierarchy = counts.domains[name], counts.hierarchies.get(name)
        finest = None if hierarchy is None or not hierarchy.finest else finest_nodes(hierarchy, domain)
        if finest is not None:
            domain, hierarchy = finest.domain, finest.hierarchy
        known = [part.entries[at] for part in parts]
        codes_held = [entries.code if finest is None else finest.code[entries.code] for entries in known]
        keys = [
            class_of_group[entries.group] * domain.size + code for entries, code in zip(known, codes_held, strict=True)
        ]
        key, entry = np.unique(np.concatenate(keys), return_inverse=True)
        class_of_entry, code = np.divmod(key, domain.size)
        used = np.unique(code).astype(np.int32)
        column = ExactColumn(
            domain.only(used),
            texts[at],
            kinds[at],
            classes[:, at].astype(np.int32),
            np.searchsorted(class_of_entry, np.arange(len(classes) + 1)).astype(np.int64),
            np.searchsorted(used, code).astype(np.int32),
            np.bincount(entry, np.concatenate([entries.records for entries in known])).astype(np.int64),
        )
        columns.append(_with_hierarchy(column, hierarchy, used))
    sizes = np.zeros(len(classes), dtype=np.int64)
    for part in parts:
        np.add.at(sizes, class_of_group[part.groups], part.records)
    return ExactProportions(tuple(columns), sizes, recoding.missing)


def count_labels(counts: Counted, recoding: Recoding) -> ExactLabels | None:
    """Count the people of each class by their labels, if the recoding asks for label margins and there is a target.

    Where people are counted, a class also shows rows beside the representative records, of which nothing is published:
    then there are no label margins.
    """
    by_label, target = recoding.by_label, counts.roles.target
    if (
        by_label is None
        or target is None
        or not isinstance(counts, FrequencyTable)
        or counts.is_representative is not None
    ):
        return None
    texts, _, codes = zip(
        *(_texts(column, recoding.groups[:, at]) for at, column in enumerate(recoding.columns)), strict=True
    )
    pieces = required(recoding.pieces, "how the cells of a table go to groups")
    kept = pieces.group >= 0
    held = np.unique(pieces.group[kept])
    classes, class_of_group = _classes(codes, list(map(len, texts)), held, len(recoding.groups))
    of_class = class_of_group[pieces.group[kept]]
    regions = np.full((len(by_label.regions), len(classes)), np.iinfo(np.int64).max)
    for of_group, shares in zip(by_label.regions, regions, strict=True):
        np.minimum.at(shares, of_class, of_group[pieces.group[kept]])
    return _labels(counts, by_label, regions, of_class, pieces.cell[kept], pieces.size[kept])


def _classes(codes: Sequence[Ints], sizes: Sequence[int], held: Ints | Longs, groups: int) -> tuple[Ints, Longs]:
    """The classes by their published values, and the class of each group; only of groups with records."""
    classes, class_of_held = tabulate([of_group[held] for of_group in codes], sizes, len(held))
    class_of_group = np.zeros(groups, dtype=np.int64)
    class_of_group[held] = class_of_held
    return classes, class_of_group


class _Entries(NamedTuple):
    """How many records of which group hold which code of a column."""

    group: Longs
    code: Longs
    records: Longs


class _Part(NamedTuple):
    """The groups of a part of the table that have records, and the values they hold, column by column."""

    groups: Longs
    records: Longs
    entries: list[_Entries]


def _part(counts: FrequencyTable, pieces: Pieces) -> _Part:
    kept = _counted_pieces(counts, pieces)
    cell, size = pieces.cell[kept], pieces.size[kept]
    groups, index = np.unique(pieces.group[kept], return_inverse=True)
    entries = []
    for at, name in enumerate(counts.quasi):
        codes = counts.domains[name].size
        key, entry = np.unique(index * codes + counts.tuples[counts.cell_tuple[cell], at], return_inverse=True)
        group, code = np.divmod(key, codes)
        entries.append(_Entries(groups[group].astype(np.int64), code, np.bincount(entry, size).astype(np.int64)))
    return _Part(groups.astype(np.int64), np.bincount(index, size).astype(np.int64), entries)


def _labels(
    counts: FrequencyTable, by_label: ByLabel, regions: Longs, of_class: Longs, cell: Ints, size: Longs
) -> ExactLabels:
    """How many people of each class have which label, and which values they hold; from pieces of cells."""
    target = required(counts.roles.target, "the target of a table")
    domain = counts.domains[target]
    key, pair = np.unique(of_class * domain.size + counts.values_of(target)[cell], return_inverse=True)
    class_of_pair, label_of_pair = np.divmod(key, domain.size)
    columns = []
    for at in range(len(counts.quasi)):
        codes, name = counts.tuples[counts.cell_tuple[cell], at], counts.quasi[at]
        hierarchy = counts.hierarchies.get(name)
        if hierarchy is not None and hierarchy.finest:
            codes = finest_nodes(hierarchy, counts.domains[name]).code[codes]
        used, values = np.unique(codes, return_inverse=True)
        held, entry = np.unique(pair * len(used) + values, return_inverse=True)
        pair_of_entry, code = np.divmod(held, len(used))
        columns.append(HeldByPairs(pair_of_entry, code, np.bincount(entry, size).astype(np.int64)))
    return ExactLabels(
        target,
        domain.kind,
        (*domain.labels.tolist(), *[None] * domain.has_missing),
        regions,
        by_label.strengths,
        by_label.least,
        class_of_pair,
        label_of_pair,
        np.bincount(pair, size).astype(np.int64),
        tuple(columns),
    )


def _texts(column: PublishedColumn, values: Ints) -> tuple[tuple[str | None, ...], tuple[PublishedKind, ...], Ints]:
    """The texts that a column publishes, each once, their kinds, and which of them each group has."""
    kind_of: dict[str | None, PublishedKind] = {}
    for value in np.unique(values).tolist():
        text, kind = column.texts[value], column.kinds[value]
        # A number may be the mean of one group and the value of another: the reader cannot know.
        kind_of[text] = min(kind, kind_of.get(text, kind), key=_VAGUEST.index)
    known = {text: code for code, text in enumerate(kind_of)}
    codes = np.array([known.get(text, -1) for text in column.texts], dtype=np.int32)
    return tuple(kind_of), tuple(kind_of.values()), codes[values]


def _counted_pieces(counts: FrequencyTable, pieces: Pieces) -> Bools:
    """Which pieces count: those that are published and, where people are counted, of representative records."""
    kept: Bools = pieces.group >= 0
    return kept if counts.is_representative is None else kept & counts.is_representative[pieces.cell]


def _with_hierarchy(column: ExactColumn, hierarchy: EncodedHierarchy | None, used: Ints) -> ExactColumn:
    """The column with its given hierarchy: the nodes of its values, or the numbers it has room for.

    Quantiles end at values of the column, and intervals of a given width reach as far as its values do. Neither end was
    given, and each may be the value of one person.
    """
    if hierarchy is None or hierarchy.automatic:
        return column
    given = hierarchy.source
    if isinstance(given, Intervals) and given.quantiles:
        return column
    if column.domain.kind == "text":
        return replace(column, hierarchy=hierarchy, code_in_hierarchy=used.astype(np.int64))
    return replace(column, bounds=given.extent) if isinstance(given, Intervals) else column
