"""Which rows are looked at, where not all of them are."""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgerow.arrays import Longs

__all__ = ["some_rows"]

_SEED: Final = 7  # the same rows each time


def some_rows(rows: int, most: int) -> Longs:
    """At most so many of the rows, drawn at random: evenly spaced ones might all be of one kind.

    >>> some_rows(3, 5).tolist(), len(some_rows(1000, 5))
    ([0, 1, 2], 5)
    """
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(_SEED).choice(rows, most, replace=False))
