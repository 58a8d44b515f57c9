"""Counting proportions: from the counts of the original table and the groups of a recoding to classes and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hedgerow.arrays import Ints, Longs
from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.proportions.exact import ExactColumn, ExactLabels, ExactProportions, HeldByPairs
from hedgerow.recoding import ByLabel, PublishedColumn, PublishedKind, Recoding

__all__ = ["count_proportions"]

_VAGUEST: Final[tuple[PublishedKind, ...]] = ("number", "suppressed", "label", "interval", "set", "value")


def count_proportions(counts: FrequencyTable, recoding: Recoding) -> ExactProportions:
    """Count how many records of each class hold which value; lost records count nowhere.

    Groups that publish the same are one class, because nobody who reads the release could tell them apart. Where people
    are counted, each counts once, where they are at home.

    Notes
    -----
    O(pieces log pieces) per quasi-identifier.
    """
    pieces = required(recoding.pieces, "how the cells of a table go to groups")
    texts, kinds, codes = zip(
        *(_texts(column, recoding.groups[:, at]) for at, column in enumerate(recoding.columns)), strict=True
    )
    kept = pieces.group >= 0
    if counts.at_home is not None:
        kept &= counts.at_home[pieces.cell]
    cell, group, size = pieces.cell[kept], pieces.group[kept], pieces.size[kept]
    # Groups without records are no classes.
    held, held_of_piece = np.unique(group, return_inverse=True)
    classes, class_of_held = tabulate([of_group[held] for of_group in codes], [len(one) for one in texts], len(held))
    of_class = class_of_held.astype(np.int64)[held_of_piece]
    of_tuple = counts.cell_tuple[cell]
    favoured = _favoured(counts, cell, size)
    columns = []
    for at, name in enumerate(counts.quasi):
        domain, values = counts.domains[name], counts.tuples[of_tuple, at]
        key, entry = np.unique(of_class * domain.size + values, return_inverse=True)
        class_of_entry, code = np.divmod(key, domain.size)
        used = np.unique(values)
        column = ExactColumn(
            domain.only(used),
            texts[at],
            kinds[at],
            classes[:, at].astype(np.int32),
            np.searchsorted(class_of_entry, np.arange(len(classes) + 1)).astype(np.int64),
            np.searchsorted(used, code).astype(np.int32),
            np.bincount(entry, size).astype(np.int64),
            None if favoured is None else np.bincount(entry, favoured).astype(np.int64),
        )
        columns.append(_ordered(column, counts.hierarchies.get(name), used))
    sizes = np.bincount(of_class, size, len(classes)).astype(np.int64)
    labels = None
    # Where people are counted, a class also shows rows away from home, of which nothing is told.
    if recoding.by_label is not None and counts.roles.target is not None and counts.at_home is None:
        regions = np.full(len(classes), np.iinfo(np.int64).max)
        np.minimum.at(regions, of_class, recoding.by_label.regions[group])
        labels = _labels(counts, recoding.by_label, regions, of_class, cell, size)
    return ExactProportions(tuple(columns), sizes, recoding.missing, labels)


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


def _favoured(counts: FrequencyTable, cell: Ints, size: Longs) -> Longs | None:
    """How many records of each piece have the most frequent label of the target."""
    if counts.roles.target is None:
        return None
    labels = counts.values_of(counts.roles.target)[cell]
    return np.where(labels == np.bincount(labels, size).argmax(), size, 0)


def _ordered(column: ExactColumn, hierarchy: EncodedHierarchy | None, used: Ints) -> ExactColumn:
    """The column with what a hierarchy that was given says of its values: their order, or how far they may reach."""
    if hierarchy is None or hierarchy.automatic:
        return column
    if column.domain.kind == "text":
        return replace(column, leaves=hierarchy.order[used].astype(np.int64))
    if hierarchy.low is None or hierarchy.high is None:
        return column
    return replace(column, bounds=(float(hierarchy.low[hierarchy.root]), float(hierarchy.high[hierarchy.root])))
