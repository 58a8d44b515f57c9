"""Counting proportions: from the counts of the original table and the groups of a recoding to classes and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import Counted, FrequencyTable, tabulate
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.proportions.exact import ExactColumn, ExactLabels, ExactProportions, HeldByPairs
from hedgerow.recoding import ByLabel, Pieces, PublishedColumn, PublishedKind, Recoding

__all__ = ["count_proportions"]

_VAGUEST: Final[tuple[PublishedKind, ...]] = ("number", "suppressed", "label", "interval", "set", "value")


def count_proportions(counts: Counted, recoding: Recoding) -> ExactProportions:
    """Count how many records of each class hold which value; lost records count nowhere.

    Groups that publish the same are one class, because nobody who reads the release could tell them apart. Where people
    are counted, each counts once, where they are at home.

    Notes
    -----
    O(pieces log pieces) per quasi-identifier.
    """
    texts, kinds, codes = zip(
        *(_texts(column, recoding.groups[:, at]) for at, column in enumerate(recoding.columns)), strict=True
    )
    favourite = _favourite(counts, recoding)
    parts = [_part(one, pieces, favourite) for one, pieces in recoding.in_parts(counts)]
    # Groups without records are no classes.
    held = np.unique(np.concatenate([part.groups for part in parts]))
    classes, class_of_held = tabulate([of_group[held] for of_group in codes], [len(one) for one in texts], len(held))
    class_of_group = np.zeros(len(recoding.groups), dtype=np.int64)
    class_of_group[held] = class_of_held
    columns = []
    for at, name in enumerate(counts.quasi):
        domain = counts.domains[name]
        known = [part.entries[at] for part in parts]
        keys = [class_of_group[one.group] * domain.size + one.code for one in known]
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
            np.bincount(entry, np.concatenate([one.records for one in known])).astype(np.int64),
            None
            if favourite is None
            else np.bincount(entry, np.concatenate([one.favoured for one in known])).astype(np.int64),
        )
        columns.append(_ordered(column, counts.hierarchies.get(name), used))
    sizes = np.zeros(len(classes), dtype=np.int64)
    for part in parts:
        np.add.at(sizes, class_of_group[part.groups], part.records)
    labels = None
    # Where people are counted, a class also shows rows away from home, of which nothing is told.
    if recoding.by_label is not None and isinstance(counts, FrequencyTable) and counts.at_home is None:
        labels = _told_by_label(counts, recoding, recoding.by_label, class_of_group, len(classes))
    return ExactProportions(tuple(columns), sizes, recoding.missing, labels)


class _Entries(NamedTuple):
    """How many records of which group hold which code of a column, and how many of them have the favourite label."""

    group: Longs
    code: Longs
    records: Longs
    favoured: Longs


class _Part(NamedTuple):
    """The groups of a part of the table that have records, and what they hold, column by column."""

    groups: Longs
    records: Longs
    entries: list[_Entries]


def _part(counts: FrequencyTable, pieces: Pieces, favourite: int | None) -> _Part:
    kept = _told(counts, pieces)
    cell, size = pieces.cell[kept], pieces.size[kept]
    groups, index = np.unique(pieces.group[kept], return_inverse=True)
    favoured = size
    if favourite is not None and counts.roles.target is not None:
        favoured = np.where(counts.values_of(counts.roles.target)[cell] == favourite, size, 0)
    entries = []
    for at, name in enumerate(counts.quasi):
        codes = counts.domains[name].size
        key, entry = np.unique(index * codes + counts.tuples[counts.cell_tuple[cell], at], return_inverse=True)
        group, code = np.divmod(key, codes)
        entries.append(
            _Entries(
                groups[group].astype(np.int64),
                code,
                np.bincount(entry, size).astype(np.int64),
                np.bincount(entry, favoured).astype(np.int64),
            )
        )
    return _Part(groups.astype(np.int64), np.bincount(index, size).astype(np.int64), entries)


def _told_by_label(
    counts: FrequencyTable, recoding: Recoding, by_label: ByLabel, class_of_group: Longs, classes: int
) -> ExactLabels | None:
    """What the recoding wants to be told by label, if there is a target."""
    if counts.roles.target is None:
        return None
    pieces = required(recoding.pieces, "how the cells of a table go to groups")
    kept = pieces.group >= 0
    of_class = class_of_group[pieces.group[kept]]
    regions = np.full((len(by_label.regions), classes), np.iinfo(np.int64).max)
    for of_group, found in zip(by_label.regions, regions, strict=True):
        np.minimum.at(found, of_class, of_group[pieces.group[kept]])
    return _labels(counts, by_label, regions, of_class, pieces.cell[kept], pieces.size[kept])


def _labels(
    counts: FrequencyTable, by_label: ByLabel, regions: Longs, of_class: Longs, cell: Ints, size: Longs
) -> ExactLabels:
    """How many people of each class have which label, and which values these hold; of pieces of cells."""
    target = required(counts.roles.target, "the target of a table")
    domain = counts.domains[target]
    key, pair = np.unique(of_class * domain.size + counts.values_of(target)[cell], return_inverse=True)
    class_of_pair, label_of_pair = np.divmod(key, domain.size)
    columns = []
    for at in range(len(counts.quasi)):
        used, values = np.unique(counts.tuples[counts.cell_tuple[cell], at], return_inverse=True)
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
    """The texts that a column publishes, each once, what they are, and which of them each group has."""
    kind_of: dict[str | None, PublishedKind] = {}
    for value in np.unique(values).tolist():
        text, kind = column.texts[value], column.kinds[value]
        # A number may be the mean of one group and the value of another: the reader cannot know which.
        kind_of[text] = min(kind, kind_of.get(text, kind), key=_VAGUEST.index)
    known = {text: code for code, text in enumerate(kind_of)}
    codes = np.array([known.get(text, -1) for text in column.texts], dtype=np.int32)
    return tuple(kind_of), tuple(kind_of.values()), codes[values]


def _favourite(counts: Counted, recoding: Recoding) -> int | None:
    """The most frequent label of the target among those that are told of; of a large table nobody is left out."""
    target = counts.roles.target
    if target is None:
        return None
    if recoding.pieces is None or not isinstance(counts, FrequencyTable):
        return int(counts.histogram(target).argmax())
    kept = _told(counts, recoding.pieces)
    labels = counts.values_of(target)[recoding.pieces.cell[kept]]
    return int(np.bincount(labels, recoding.pieces.size[kept]).argmax())


def _told(counts: FrequencyTable, pieces: Pieces) -> Bools:
    """Which pieces are told of: those that are published, and where people are counted, those at home."""
    kept: Bools = pieces.group >= 0
    return kept if counts.at_home is None else kept & counts.at_home[pieces.cell]


def _ordered(column: ExactColumn, hierarchy: EncodedHierarchy | None, used: Ints) -> ExactColumn:
    """The column with what a hierarchy that was given says of its values: their order, or how far they may reach."""
    if hierarchy is None or hierarchy.automatic:
        return column
    if column.domain.kind == "text":
        return replace(column, leaves=hierarchy.order[used].astype(np.int64))
    if hierarchy.low is None or hierarchy.high is None:
        return column
    return replace(column, bounds=(float(hierarchy.low[hierarchy.root]), float(hierarchy.high[hierarchy.root])))
