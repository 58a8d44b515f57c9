"""KACA: classes that are too small, in random order, are merged with the nearest class.

The distance of two classes is the cost of one description for both. Every record climbs the hierarchies from its value
to the lowest common ancestor, and the steps are counted as shares of the heights: the *weighted hierarchical distance*.
J. Li, R. Wong, A. Fu, J. Pei: Achieving k-Anonymity by Clustering in Attribute
Hierarchical Structures, DaWaK 2006.

Deviations
----------
- The distance of two classes counts all their records: size times distortion, summed over the two. So it is the
  increase of the total distortion, :func:`hedgerow.core.metrics.distortion` over all cells, and a large class is far
  from everything that it does not already describe.
- All steps of a hierarchy weigh the same, the first of the paper's weightings. A value on a short branch climbs fewer
  steps. Columns count by their weights.
- Ties between equally near classes go to the first in the order of the table's values.
- Classes whose descriptions become equal are one class, whether or not they comply.
- A class is finished when all requirements hold for it, not only k.
- A table with many distinct rows is first cut into blocks by Mondrian's cuts, and merged inside each; the manifest says
  so.
- ``improve=True`` lets classes exchange rows and split afterwards, while the total distortion falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.merge._clusters import Merging
from hedgerow.anonymizers.parameters import Presets
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.requirements import Requirement

__all__ = ["KACA"]


class KACA(Merging):
    """Merge classes that are too small, in random order, with the nearest class.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = hr.KACA(k=3, random_state=0).anonymize(people, hr.Schema(quasi=["age"]))
    >>> release.audit.k >= 3, release.audit.rows
    (True, 6)
    """

    name = "kaca"
    paper = "Li, Wong, Fu, Pei (DaWaK 2006)"
    presets: ClassVar[Presets] = {"paper": {"publish": "label"}}

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.boxes.layout import described
        from hedgerow.anonymizers.merge._blocks import Block, merge_blocks

        # Exponential waiting times: each waiting class is equally likely to be the next.
        waits = np.random.default_rng(seed).exponential(size=(2, len(counts.tuples)))

        def merged(block: Block) -> Longs:
            return block.merged(waits[:, block.tuples].reshape(-1))

        shown = self._shown(counts)
        whole = described(counts, "distortion", shown)
        return merge_blocks("kaca", counts, requirements, whole, merged, improve=self.improve, shown=shown)
