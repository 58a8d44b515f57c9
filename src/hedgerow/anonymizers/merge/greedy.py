"""Greedy k-anonymization: always merge the smallest class that is too small with the class where least is lost.

At first, every distinct row is a class. Two classes merge into one that is described, column by column, by the lowest
common ancestor of their values, until all classes satisfy the requirements. The loss that guides the merges is the
normalized lost leaves metric or another one. Algorithm 1 of the paper on the proportional representation of k-anonymous
tables for neural networks, sections II-A and IV-B.

If k-anonymity is the only requirement, classes that are too small for a smaller k are merged first, and in the same
way. So the classes for k are a stage on the way to the classes for any larger k.

Deviations
----------
- The cost of a merge is the *increase* of the total loss. The algorithm does not say whether it means that or the loss
  of the merged class; with the latter, the paper's whole first table becomes one class.
- Ties between equally small classes and equally cheap partners go to the first in the order of the table's values.
- Classes whose descriptions become equal are one class, whether or not they comply.
- A class is finished when all requirements hold for it, not only k.
- ``metric="discernibility"`` depends on sizes alone: a merge costs twice their product, and labels follow.
- ``publish="label"`` describes all columns by hierarchies, as the paper does. By default, only columns with a given
  hierarchy are; other numbers are described by their range and categories by their set, which lose by NCP.
- The cost of a merge counts columns by their weights.
- A table with many distinct rows is first cut into blocks by Mondrian's cuts, and merged inside each; the manifest says
  so. Comparing every class with every other takes time quadratic in their number.
- ``improve=True`` lets classes exchange rows and split afterwards, while the total loss falls (for the discernibility,
  the loss by the normalized lost leaves metric).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import IMPROVE, PUBLISH, Presets, choice
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Publish, Recoding, Shown, shown_as
from hedgerow.requirements import Requirement

__all__ = ["Greedy"]


class Greedy(Anonymizer):
    """Merge the smallest class with the class where that costs least, until all classes comply.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = hr.Greedy(k=3).anonymize(people, hr.Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name = "greedy"
    family = "merge"
    tight = True
    paper = "greedy k-anonymization with the NLLM metric, as described for neural networks"
    presets: ClassVar[Presets] = {"paper": {"publish": "label"}}

    metric: Literal["nllm", "ncp", "distortion", "discernibility", "prec"] = choice(
        "The loss that merges keep low, for columns published as labels; ranges and sets always lose by NCP."
    )
    publish: Publish = PUBLISH
    improve: bool = IMPROVE

    def uses_weights(self) -> bool:
        """The cost of a merge is weighted, unless it depends on sizes alone."""
        return self.improve or self.metric != "discernibility"

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.boxes.layout import described
        from hedgerow.anonymizers.merge._blocks import Block, merge_blocks

        def merged(block: Block) -> Longs:
            return block.merged(np.empty(0), flat=self.metric == "discernibility")

        shown = self._shown(counts)
        whole = described(counts, self.metric, shown)
        return merge_blocks("greedy", counts, requirements, whole, merged, improve=self.improve, shown=shown)
