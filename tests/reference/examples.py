"""How many random examples a property is tried with: `make test` tries a part of them, and others each time.

``HEDGEROW_EXAMPLES=1 make test`` tries all; a share below 1 is taken of every number.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

__all__ = ["examples"]

_SHARE = float(os.environ.get("HEDGEROW_EXAMPLES", "0.25"))


def examples(most: int, **others: Any) -> settings:
    """Settings for so many examples at most, without a limit of time for each."""
    return settings(max_examples=max(5, round(most * _SHARE)), deadline=None, **others)
