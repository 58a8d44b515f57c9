"""Parameters that several methods of the lattice have."""

from __future__ import annotations

import math
import time
from typing import Any

from hedgerow.anonymizers.parameters import choice
from hedgerow.core.metrics import METRICS

__all__ = ["Deadline", "METRIC"]


# --------------------------------------------------------------------------------------------------
# When a search has to end.


class Deadline:
    """A moment at which a search has to end; never, without a number of seconds.

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
        """Whether it is over."""
        return self.left <= 0


METRIC: Any = choice(
    "What the best generalization is judged by; classification needs a target.",
    options=METRICS,
    default="loss",
    trials=("discernibility", "ncp", "classification"),
)
