"""KACA: classes that are too small, one at random after the other, are merged with the nearest class.

How far two classes are apart is what it costs to describe them by one: every record of either climbs from where it is
in the hierarchies to the lowest common ancestor, and the steps are counted as shares of the hierarchies' heights, the
*weighted hierarchical distance*. J. Li, R. Wong, A. Fu, J. Pei: Achieving k-Anonymity by Clustering in Attribute
Hierarchical Structures, DaWaK 2006.

Deviations
----------
- The distance of two classes is read as that of all their records: size times distortion, added over the two. So it
  is the increase of the total distortion, :func:`hedgerow.metrics.distortion` over all cells, and a large class is
  far from everything that it does not already describe.
- All steps of a hierarchy weigh the same, the first of the paper's weightings; a value on a short branch climbs fewer.
- Of equally near classes the first in the order of the table's values is taken.
- Classes that come to be described alike are one class, whether or not they comply.
- A class is finished when all requirements hold for it, not only k.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and merged inside each; the manifest says
  so.
- ``improve=True`` lets classes exchange rows afterwards, and splits classes, while the total distortion falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hedgerow.anonymizers.merge.working import Part

__all__ = ["kaca"]


def kaca(
    counts: FrequencyTable, requirements: Sequence[Requirement], *, seed: int | None = None, improve: bool = False
) -> Recoding:
    """Merge classes in random order; :class:`hedgerow.KACA` explains the parameters.

    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.anonymizers.line import prepare
    >>> people = pa.table({"town": ["A", "B", "C", "D", "D"]})
    >>> schema = Schema(quasi=["town"], hierarchies={"town": {"*": {"north": ["A", "B"], "south": ["C", "D"]}}})
    >>> job = prepare(people, schema, [KAnonymity(2)], random_state=0)
    >>> kaca(job.counts, job.requirements, seed=1).columns[0].texts
    ('north', 'south')
    """
    from hedgerow.anonymizers.merge._greedy import merge_greedily
    from hedgerow.anonymizers.merge.boxes import described
    from hedgerow.anonymizers.merge.working import merge_parts

    # Waiting times without memory: of all classes that wait, each is equally likely to be the next.
    waits = np.random.default_rng(seed).exponential(size=(2, len(counts.tuples)))

    def merged(part: Part) -> NDArray[np.int64]:
        return merge_greedily(part.shape, part.boxes, part.units, part.packed, waits[:, part.tuples].reshape(-1), False)

    whole = described(counts, "distortion", ranges=False)
    return merge_parts("kaca", counts, requirements, whole, merged, improve=improve, ranges=False)
