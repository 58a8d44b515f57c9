"""Greedy k-anonymization: the smallest class that is not anonymous joins the class with which least is lost.

Every distinct row is a class at first. Two classes merge into one that is described, column by column, by the lowest
common ancestor of their values, until all classes satisfy the requirements. The loss that guides the merges is the
normalized lost leaves metric, or another. Algorithm 1 of the paper on the proportional representation of k-anonymous
tables for neural networks, sections II-A and IV-B.

Where only k is asked, the classes that are too small for a smaller k are merged first, and in the same way: what is
found for k is a stage on the way to what is found for any larger one.

Deviations
----------
- The cost of a merge is the *increase* of the total loss. The algorithm leaves open whether that or the loss of the
  merged class is meant; with the latter, all of the paper's first table ends in one class.
- Of equally small classes, and of equally cheap partners, the first in the order of the table's values is taken.
- Classes that come to be described alike are one class, whether or not they comply.
- A class is finished when all requirements hold for it, not only k.
- ``metric="discernibility"`` looks at sizes alone: a merge costs twice their product, and labels follow.
- ``publish="label"`` describes all columns by hierarchies, as the paper does. By default only those that were given
  are: numbers without one by their range and categories by their set, which lose by NCP.
- Columns count by their weights in what a merge costs.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and merged inside each; the manifest says
  so. Comparing all classes with all takes time with their square.
- ``improve=True`` lets classes exchange rows afterwards, and splits classes, while the total loss falls
  (for the discernibility, that by the normalized lost leaves metric).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import IMPROVE, PUBLISH, choice
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Publish, Recoding, Shown, shown_as
from hedgerow.requirements import Requirement

__all__ = ["Greedy"]


class Greedy(Anonymizer):
    """Merge the smallest class with the one that costs least, until all classes comply.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = Greedy(k=3).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name = "greedy"
    family = "merge"
    tight = True
    paper = "greedy k-anonymization with the NLLM metric, as told for neural networks"

    metric: Literal["nllm", "ncp", "distortion", "discernibility", "prec"] = choice(
        "What a merge is to cost least of, where labels are shown; ranges and sets always lose by NCP."
    )
    publish: Publish = PUBLISH
    improve: bool = IMPROVE

    def uses_weights(self) -> bool:
        """A merge costs what columns lose, unless sizes alone decide."""
        return self.improve or self.metric != "discernibility"

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.boxes.layout import described
        from hedgerow.anonymizers.merge._blocks import Part, merge_parts

        def merged(part: Part) -> Longs:
            return part.merged(np.empty(0), flat=self.metric == "discernibility")

        shown = self._shown(counts)
        whole = described(counts, self.metric, shown)
        return merge_parts("greedy", counts, requirements, whole, merged, improve=self.improve, shown=shown)
