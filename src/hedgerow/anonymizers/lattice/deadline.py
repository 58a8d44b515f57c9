"""When a search has to end."""

from __future__ import annotations

import math
import time

__all__ = ["Deadline"]


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
