"""By label: which columns a release shall tell apart by the label of its people, and over which classes together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs

__all__ = ["ByLabel"]


@dataclass(frozen=True, eq=False)
class ByLabel:
    """What a method wants to be told by label, beside the proportions of its groups.

    Attributes
    ----------
    regions : int array (levels, groups)
        The region of each group at each level, numbered from 0 through all levels: people are told of all groups of a
        region together.
    strengths : float array (quasi-identifiers,)
        How strongly values depend on the label where they are drawn, from 0 (not told by label) to 1 (as told).
    least : int
        Every told bin has at least so many people, where that is more than the support of the proportions.
    """

    regions: Longs
    strengths: Floats
    least: int = 1

    def without(self, lost: Bools) -> ByLabel:
        """The same where some groups are lost."""
        return ByLabel(self.regions[:, ~lost], self.strengths, self.least)

    def to_dict(self) -> dict[str, Any]:
        """It as JSON."""
        return {"regions": self.regions.tolist(), "strengths": self.strengths.tolist(), "least": self.least}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> ByLabel:
        """Read what :meth:`to_dict` wrote."""
        regions = np.atleast_2d(np.array(stored["regions"], dtype=np.int64))  # earlier versions had one level
        return cls(regions, np.array(stored["strengths"], dtype=np.float64), int(stored["least"]))
