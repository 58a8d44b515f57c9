"""KACA: classes that are too small, one at random after the other, are merged with the nearest class.

How far two classes are apart is what it costs to describe them by one: every record of either climbs from where it is
in the hierarchies to the lowest common ancestor, and the steps are counted as shares of the hierarchies' heights, the
*weighted hierarchical distance*. J. Li, R. Wong, A. Fu, J. Pei: Achieving k-Anonymity by Clustering in Attribute
Hierarchical Structures, DaWaK 2006.

Deviations
----------
- The distance of two classes is read as that of all their records: size times distortion, added over the two. So it
  is the increase of the total distortion, :func:`hedgerow.core.metrics.distortion` over all cells, and a large class is
  far from everything that it does not already describe.
- All steps of a hierarchy weigh the same, the first of the paper's weightings; a value on a short branch climbs fewer.
  Columns count by their weights.
- Of equally near classes the first in the order of the table's values is taken.
- Classes that come to be described alike are one class, whether or not they comply.
- A class is finished when all requirements hold for it, not only k.
- A table with many distinct rows is cut into blocks first, as Mondrian cuts, and merged inside each; the manifest says
  so.
- ``improve=True`` lets classes exchange rows afterwards, and splits classes, while the total distortion falls.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import IMPROVE, PUBLISH
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Publish, Recoding, Shown, shown_as
from hedgerow.requirements import Requirement

__all__ = ["KACA"]


class KACA(Anonymizer):
    """Merge classes that are too small, one at random after the other, with the nearest class.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = KACA(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k >= 3, release.audit.rows
    (True, 6)
    """

    name = "kaca"
    family = "merge"
    tight = True
    paper = "Li, Wong, Fu, Pei (DaWaK 2006)"

    publish: Publish = PUBLISH
    improve: bool = IMPROVE

    def uses_weights(self) -> bool:
        """The distance of classes is what columns lose."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.boxes.layout import described
        from hedgerow.anonymizers.merge._blocks import Part, merge_parts

        # Waiting times without memory: of all classes that wait, each is equally likely to be the next.
        waits = np.random.default_rng(seed).exponential(size=(2, len(counts.tuples)))

        def merged(part: Part) -> Longs:
            return part.merged(waits[:, part.tuples].reshape(-1))

        shown = self._shown(counts)
        whole = described(counts, "distortion", shown)
        return merge_parts("kaca", counts, requirements, whole, merged, improve=self.improve, shown=shown)
