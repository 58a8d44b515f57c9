"""Grouping integer codes: the distinct rows of several code columns, and which of them each row is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs

__all__ = ["alike", "distinct_pairs", "sharing", "tabulate"]

_LARGEST_KEY = 2**62
_BITMAP_CELLS = 50_000_000
_FEW_KEYS = 2**16


def tabulate(columns: Sequence[Ints], sizes: Sequence[int], rows: int) -> tuple[Ints, Ints]:
    """Group rows by their codes.

    Parameters
    ----------
    columns : sequence of int arrays
        One code per row and column.
    sizes : sequence of int
        How many codes each column has.
    rows : int
        The number of rows (needed when there is no column).

    Returns
    -------
    distinct : int array (groups, columns)
        The distinct combinations in lexicographic order.
    index : int array (rows,)
        The combination of each row.

    Examples
    --------
    >>> distinct, index = tabulate([np.array([1, 0, 1]), np.array([0, 2, 0])], [2, 3], 3)
    >>> distinct.tolist(), index.tolist()
    ([[0, 2], [1, 0]], [1, 0, 1])
    """
    key = np.zeros(rows, dtype=np.int64)
    span = 1
    for codes, size in zip(columns, sizes, strict=True):
        if span > _LARGEST_KEY // max(size, 1):
            key, span = _dense(key)
        key = key * size + codes
        span *= max(size, 1)
    index, groups = _dense(key)
    first = np.empty(groups, dtype=np.int64)
    first[index[::-1]] = np.arange(rows - 1, -1, -1)
    distinct = np.empty((groups, len(columns)), dtype=np.int32)
    for at, codes in enumerate(columns):
        distinct[:, at] = codes[first]
    return distinct, index.astype(np.int32)


def _dense(key: Longs) -> tuple[Longs, int]:
    """Renumber keys by rank; hashing first and sorting only the distinct ones beats sorting the rows."""
    encoded = pa.array(key).dictionary_encode()
    distinct = encoded.dictionary.to_numpy()
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(distinct, kind="stable")] = np.arange(len(distinct))
    return rank[encoded.indices.to_numpy()], len(distinct)


def alike(columns: Sequence[Ints | Longs]) -> Longs:
    """Number combinations of codes, in no order and with gaps: cheaper than :func:`tabulate`.

    Examples
    --------
    >>> alike([np.array([1, 0, 1]), np.array([0, 2, 0])]).tolist()
    [3, 2, 3]
    """
    key, span = columns[0].astype(np.int64), int(columns[0].max()) + 1
    for codes in columns[1:]:
        size = int(codes.max()) + 1
        if span > _LARGEST_KEY // size:
            key = _hashed(key)
            span = int(key.max()) + 1
        key = key * size + codes
        span *= size
    return key if span <= max(_FEW_KEYS, 4 * len(key)) else _hashed(key)


def sharing(columns: Sequence[Ints | Longs]) -> Longs:
    """How many rows share the combination of each row.

    Examples
    --------
    >>> sharing([np.array([1, 0, 1]), np.array([0, 2, 0])]).tolist()
    [2, 1, 2]
    """
    number = alike(columns)
    return np.asarray(np.bincount(number)[number], dtype=np.int64)


def _hashed(key: Longs) -> Longs:
    return np.asarray(pa.array(key).dictionary_encode().indices.to_numpy(), dtype=np.int64)


def distinct_pairs(group: Ints, code: Ints, groups: int, codes: int) -> tuple[Longs, Ints]:
    """The distinct codes of every group, as a compressed list: ``codes[starts[g]:starts[g + 1]]``, ascending.

    Examples
    --------
    >>> starts, members = distinct_pairs(np.array([1, 0, 1, 1]), np.array([3, 2, 0, 3]), 2, 4)
    >>> starts.tolist(), members.tolist()
    ([0, 1, 3], [2, 0, 3])
    """
    pair = group.astype(np.int64) * codes + code
    if groups * codes <= _BITMAP_CELLS:
        seen = np.zeros(groups * codes, dtype=bool)
        seen[pair] = True
        pairs = np.flatnonzero(seen)
    else:
        pairs = np.unique(pair)
    starts = np.searchsorted(pairs, np.arange(groups + 1, dtype=np.int64) * codes)
    return starts.astype(np.int64), (pairs % codes).astype(np.int32)
