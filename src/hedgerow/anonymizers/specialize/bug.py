"""Bottom-up generalization (BUG): from the values as they are up to where all requirements hold.

Node by node, what loses least of the label for the anonymity it gains is generalized. K. Wang, P. Yu, S. Chakraborty:
Bottom-Up Generalization: A Data Mining Solution to Privacy Protection, ICDM 2004. The recoding is global. The climb and
its score are in :mod:`hedgerow.anonymizers.specialize._climbing`.

Deviations
----------
- The paper has one shield and k. Here the anonymity that a generalization gains is the mean over the violated
  requirements whose shield holds the column, and only columns of such shields are generalized; all requirements have
  to hold in the end. What l-diversity and its like gain is measured by the smallest class, too.
- A generalization that gains no anonymity has an infinite score; among such ones the one that loses least is taken.
- A child that holds no record need not be in the cut before its parent takes its place.
- Weights of columns do not enter: the loss is of what a column tells of the label, not of its cells.
- Numbers without a hierarchy climb their automatic intervals.
- With a ``suppression_limit`` the climb may end earlier, where the records of violating classes are few enough to be
  lost; of all such stages the one with the lowest loss as published is taken.
- Equal scores: the smaller loss, then the first column, then the first node in the order of the hierarchy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.trees.training import checked_target
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.specialize._climbing import Climb

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
    uses_target = True
    suppression_by = "itself"
    paper = "Wang, Yu, Chakraborty (ICDM 2004)"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.specialize._climbing import Climb
        from hedgerow.core.metrics import ncp_published

        climb = Climb(counts, requirements, checked_target(counts, "BUG"))
        allowed = self._may_lose(counts)
        stages = _stages(climb, counts, requirements, allowed) if allowed else []
        climb.run()
        stages.append(_published(counts, climb))
        return min(stages, key=lambda one: ncp_published(counts, one)) if len(stages) > 1 else stages[0]


def _stages(climb: Climb, counts: FrequencyTable, requirements: Sequence[Requirement], allowed: int) -> list[Recoding]:
    """Climb to where all requirements hold; what could be published on the way with so many records lost."""
    from hedgerow.anonymizers.budget import without_violating

    found = []
    while climb.violating:
        # Where t-closeness compares, the distribution of what is left may tell otherwise.
        if climb.violating <= allowed:
            stage = without_violating(counts, _published(counts, climb), requirements, allowed)
            found += [] if stage is None else [stage]
        climb.step()
    return found


def _published(counts: FrequencyTable, climb: Climb) -> Recoding:
    done = Counter(step.column for step in climb.steps)
    facts = {"generalizations": {name: done[at] for at, name in enumerate(counts.quasi)}}
    return recode_by_nodes("bug", counts, climb.nodes, facts=facts)
