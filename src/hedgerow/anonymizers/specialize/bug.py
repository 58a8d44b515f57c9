"""Bottom-up generalization (BUG): from the values as they are up to where all requirements hold.

Node by node, what loses least of the label for the anonymity it gains is generalized. K. Wang, P. Yu, S. Chakraborty:
Bottom-Up Generalization: A Data Mining Solution to Privacy Protection, ICDM 2004. The recoding is global. The climb and
its score are in :mod:`hedgerow.anonymizers.specialize.climbing`.

Deviations
----------
- The paper has one shield and k. Here the anonymity that a generalization gains is the mean over the violated
  requirements whose shield holds the column, and only columns of such shields are generalized; all requirements have
  to hold in the end. What l-diversity and its like gain is measured by the smallest class, too.
- A generalization that gains no anonymity has an infinite score; among such ones the one that loses least is taken.
- A child that holds no record need not be in the cut before its parent takes its place.
- Numbers without a hierarchy climb their automatic intervals.
- Equal scores: the smaller loss, then the first column, then the first node in the order of the hierarchy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding, recode_by_nodes
from hedgerow.trees.training import checked_target

__all__ = ["BUG"]


class BUG(Anonymizer):
    """Bottom-up generalization: from the values up, what tells least of the class first. Needs a target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"sex": ["F", "F", "M", "M"], "town": ["A", "B", "A", "B"], "ill": [*"nnyy"]})
    >>> release = BUG(k=2).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name = "bug"
    family = "specialize"
    drops = "classes"
    paper = "Wang, Yu, Chakraborty (ICDM 2004)"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.specialize.climbing import Climb

        climb = Climb(counts, requirements, checked_target(counts, "BUG"))
        climb.run()
        done = Counter(step.column for step in climb.steps)
        facts = {"generalizations": {name: done[at] for at, name in enumerate(counts.quasi)}}
        return recode_by_nodes("bug", counts, climb.nodes, facts=facts)
