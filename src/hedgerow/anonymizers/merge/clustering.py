"""What methods share that cluster the records of each block."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import IMPROVE, PUBLISH
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Publish, Recoding, Shown, shown_as

if TYPE_CHECKING:
    from hedgerow.anonymizers.merge.clusters import Shares, UnitBlock

__all__ = ["Clustering"]


class Clustering(Anonymizer):
    """A method that clusters records, whatever its rule."""

    family = "merge"
    tight = True

    publish: Publish = PUBLISH
    improve: bool = IMPROVE

    def weighs_columns(self) -> bool:
        """The distance of records is what columns lose."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.merge.clusters import cluster_blocks

        return cluster_blocks(
            self.name, counts, requirements, self._clusters, seed=seed, improve=self.improve, publish=self.publish
        )

    @abstractmethod
    def _clusters(self, block: UnitBlock, chance: np.random.Generator) -> Shares:
        """Clusters that hold all records of a block; those that do not comply are merged later."""
