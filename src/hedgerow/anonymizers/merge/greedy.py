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
- ``ranges=True`` describes numbers by their range and categories by their set, guided by NCP.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and merged inside each; the manifest says
  so. Comparing all classes with all takes time with their square.
- ``improve=True`` lets classes exchange rows afterwards, and splits classes, while the total loss falls
  (for the discernibility, that by the normalized lost leaves metric).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.counts import FrequencyTable
from hedgerow.errors import BadInput
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hedgerow.anonymizers.merge.boxes import LossName
    from hedgerow.anonymizers.merge.working import Part

__all__ = ["greedy"]


def greedy(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    *,
    seed: int | None = None,  # noqa: ARG001 - every method has one; ties go to the first
    metric: LossName = "nllm",
    ranges: bool = False,
    improve: bool = False,
) -> Recoding:
    """Merge classes, the smallest first; :class:`hedgerow.Greedy` explains the parameters.

    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.anonymizers.line import prepare
    >>> people = pa.table({"town": ["A", "B", "C", "D", "D"]})
    >>> schema = Schema(quasi=["town"], hierarchies={"town": {"*": {"north": ["A", "B"], "south": ["C", "D"]}}})
    >>> job = prepare(people, schema, [KAnonymity(2)], random_state=0)
    >>> merged = greedy(job.counts, job.requirements)
    >>> merged.columns[0].texts, merged.sizes.tolist()
    (('north', 'south'), [2, 3])
    """
    if ranges and metric not in ("nllm", "ncp"):
        raise BadInput(f"Ranges and sets have no hierarchy, so {metric!r} says nothing of them. Say metric='ncp'.")
    from hedgerow.anonymizers.merge._greedy import merge_greedily
    from hedgerow.anonymizers.merge.boxes import described
    from hedgerow.anonymizers.merge.working import merge_parts

    def merged(part: Part) -> NDArray[np.int64]:
        return merge_greedily(part.shape, part.boxes, part.units, part.packed, np.empty(0), metric == "discernibility")

    # A set of values loses by NCP what it would lose as leaves.
    whole = described(counts, "ncp" if ranges else metric, ranges)
    return merge_parts("greedy", counts, requirements, whole, merged, improve=improve, ranges=ranges)
