"""How time grows with the table: the seconds for each number of rows, and the line through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reproductions.base import Result

__all__ = ["Line", "fitted_line", "seconds_by_rows"]


@dataclass(frozen=True)
class Line:
    """Seconds as a straight line of rows."""

    at_none: float
    per_million: float
    r2: float


def seconds_by_rows(results: Sequence[Result], classes: str) -> dict[int, tuple[float, float]]:
    """For each number of rows the seconds of the tree and of all else, of the run that took least."""
    timed = [one for one in results if one.get("classes") == classes and "tree_seconds" in one]
    found = {}
    for rows in sorted({one["rows"] for one in timed}):
        same = [one for one in timed if one["rows"] == rows]
        found[rows] = min(((one["tree_seconds"], one["other_seconds"]) for one in same), key=sum)
    return found


def fitted_line(seconds: Mapping[int, tuple[float, float]]) -> Line | None:
    """The line of least squares through three points or more."""
    if len(seconds) < 3:
        return None
    rows, taken = np.array(list(seconds)) / 1e6, np.array([sum(one) for one in seconds.values()])
    slope, constant = np.polyfit(rows, taken, 1)
    unexplained = float(((taken - constant - slope * rows) ** 2).sum())
    spread = float(((taken - taken.mean()) ** 2).sum())
    return Line(float(constant), float(slope), 1 - unexplained / spread if spread else 1.0)
