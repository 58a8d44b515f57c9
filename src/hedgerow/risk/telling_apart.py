"""How far one column alone tells people apart: which of the quasi-identifiers identify most.

R. Motwani, Y. Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Longs

__all__ = ["TellsApart", "tells_apart"]


@dataclass(frozen=True)
class TellsApart:
    """What a column tells of who is who.

    Attributes
    ----------
    distinction : float
        Its different values over its records: 1 if everybody has one of their own.
    separation : float
        The share of all pairs of records that it tells apart.
    """

    distinction: float
    separation: float


def tells_apart(sizes: Longs) -> TellsApart:
    """Measure a column by how many records have each of its values.

    Examples
    --------
    Two of four records share a value: five of the six pairs differ.

    >>> tells_apart(np.array([2, 1, 1]))
    TellsApart(distinction=0.75, separation=0.8333333333333334)
    """
    held = sizes[sizes > 0].astype(np.float64)
    records = float(held.sum())
    if records < 2:
        return TellsApart(float(len(held)), 0.0)
    alike = float((held * (held - 1)).sum()) / (records * (records - 1))
    return TellsApart(len(held) / records, 1.0 - alike)
