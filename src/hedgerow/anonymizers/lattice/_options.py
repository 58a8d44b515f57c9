"""Parameters that several lattice methods share, and the deadline of a search."""

from __future__ import annotations

import math
import time
from typing import Any

from hedgerow.anonymizers.parameters import choice
from hedgerow.core.metrics import METRICS

__all__ = ["Deadline", "METRIC"]


# --------------------------------------------------------------------------------------------------
# The deadline of a search.


class Deadline:
    """The moment at which a search has to end; without a number of seconds, never.

    Examples
    --------
    >>> Deadline(None).left, Deadline(0).passed
    (inf, True)
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """How many seconds are left."""
        return self._end - time.monotonic()

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0


METRIC: Any = choice(
    "The metric that the best generalization minimizes or maximizes; classification needs a target.",
    options=METRICS,
    default="loss",
    trials=("discernibility", "ncp", "classification"),
)
