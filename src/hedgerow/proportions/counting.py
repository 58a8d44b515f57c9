"""Counting proportions: from the counts of the original table and the groups of a recoding to classes and values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.domains import Domain
from hedgerow.proportions.proportions import ColumnProportions, Proportions
from hedgerow.recoding import PublishedColumn, Recoding

__all__ = ["count_proportions"]


def count_proportions(counts: FrequencyTable, recoding: Recoding) -> Proportions:
    """Count how many records of each class hold which value; lost records count nowhere.

    Groups that publish the same are one class, because nobody who reads the release could tell them apart.

    Notes
    -----
    O(pieces log pieces) per quasi-identifier.
    """
    assert recoding.pieces is not None, "a recoding that was just fitted knows its pieces"
    texts, codes = zip(
        *(_texts(column, recoding.groups[:, at]) for at, column in enumerate(recoding.columns)), strict=True
    )
    kept = recoding.pieces.group >= 0
    group, size = recoding.pieces.group[kept], recoding.pieces.size[kept]
    # Groups without records are no classes.
    held = np.unique(group)
    classes, class_of_held = tabulate([of_group[held] for of_group in codes], [len(one) for one in texts], len(held))
    class_of_group = np.full(len(recoding.groups), -1, dtype=np.int64)
    class_of_group[held] = class_of_held
    of_class = class_of_group[group]
    of_tuple = counts.cell_tuple[recoding.pieces.cell[kept]]
    columns = tuple(
        _column(counts.domains[name], texts[at], classes[:, at], of_class, counts.tuples[of_tuple, at], size)
        for at, name in enumerate(counts.quasi)
    )
    sizes = np.bincount(of_class, size, len(classes)).astype(np.int64)
    return Proportions(columns, sizes, recoding.missing)


def _texts(column: PublishedColumn, values: NDArray[np.int32]) -> tuple[tuple[str | None, ...], NDArray[np.int32]]:
    """The texts that a column publishes, each once, and which of them each group has."""
    used = [column.texts[value] for value in np.unique(values).tolist()]
    texts = tuple(dict.fromkeys(used))
    known = {text: code for code, text in enumerate(texts)}
    codes = np.array([known.get(text, -1) for text in column.texts], dtype=np.int32)
    return texts, codes[values]


def _column(
    domain: Domain,
    texts: tuple[str | None, ...],
    published: NDArray[np.int32],
    of_class: NDArray[np.int64],
    values: NDArray[np.int32],
    size: NDArray[np.int64],
) -> ColumnProportions:
    key, entry = np.unique(of_class * domain.size + values, return_inverse=True)
    held, code = np.divmod(key, domain.size)
    used = np.unique(code)
    known = used[used < len(domain.labels)]
    numbers = None if domain.numbers is None else domain.numbers[known]
    held_by = np.bincount(np.searchsorted(used, values), size, len(used)).astype(np.int64)
    occurring = Domain(
        domain.name, domain.kind, domain.labels[known], numbers, len(known) < len(used), held_by[: len(known)]
    )
    return ColumnProportions(
        occurring,
        texts,
        published.astype(np.int32),
        np.searchsorted(held, np.arange(len(published) + 1)).astype(np.int64),
        np.asarray(np.searchsorted(used, code), dtype=np.int32),
        np.bincount(entry, size, len(key)).astype(np.int64),
    )
