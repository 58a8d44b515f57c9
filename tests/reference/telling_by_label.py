"""Methods that want their columns to be told by label, for tests of lifts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.core.recoding import ByLabel, Recoding

__all__ = ["all_columns", "telling_by_label"]


def all_columns(recoding: Recoding, *, regions: int = 1, strength: float = 1.0) -> ByLabel:
    """Every column at one strength, of the whole table and of regions in which groups take turns."""
    groups = np.arange(len(recoding.groups), dtype=np.int64)
    levels = np.stack([np.zeros_like(groups), 1 + groups % regions])
    return ByLabel(levels if regions > 1 else levels[:1], np.full(len(recoding.quasi), strength))


def telling_by_label(method: type[Any], asked: Callable[[Recoding], ByLabel] = all_columns) -> type[Any]:
    """A method that wants to be told by label, beside what another one does."""

    class TellingByLabel(method):  # type: ignore[misc]
        """The method, and what is asked."""

        def _fit(self, *given: Any) -> Recoding:
            recoding: Recoding = super()._fit(*given)
            return replace(recoding, by_label=asked(recoding))

    return TellingByLabel
