"""Top-down specialization (TDS): from all columns fully generalized down to what tells most of the label.

Value by value, what tells most for the anonymity it costs is specialized, as long as all requirements hold.
Categories go down their taxonomies; numbers without a hierarchy grow intervals, split in two where the information gain
is highest. The recoding is global: a value is published alike wherever it stands. B. Fung, K. Wang, P. Yu: Top-Down
Specialization for Information and Privacy Preservation, ICDE 2005. The search and the score are in
:mod:`hedgerow.anonymizers.specialize._search`.

Deviations
----------
- ``loss="shield"`` (the default) is the authors' loss of anonymity: how far the smallest class of the shield falls.
  ``loss="node"`` is how a later paper tells it (HeuristicMin, section 5.2): the records of the specialized value less
  those of its smallest branch, whatever the other columns say. It gives that paper's printed order of specializations,
  which the authors' does not. The default is the authors': it measures what is to be kept, and releases of Adult by
  TDS tell as much of the label with it or more (``benchmarks/specialize.py loss``).
- The score is InfoGain / (AnonyLoss + 1), as in the authors' later papers, so that it needs no case for a loss of 0.
- *All* requirements have to hold after a specialization, not only k: on each shield, for each class.
- A quasi-identifier that is in no shield is specialized as well, while its gain is positive: nothing limits it, and
  what tells nothing of the label stays general. The authors leave such columns as they are.
- A value with a single branch that holds records gains nothing and is never specialized, even if what is below it
  would. So HeuristicMin, section 5.2.1, has it; figure 19(a) of that paper, which stops earlier, is not reproducible.
- Weights of columns do not enter: the score is what a column tells of the label, not what its cells lose.
- A missing value is a branch of the root of its own.
- Equal scores: the first column, then the first value in the order of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import choice
from hedgerow.anonymizers.trees.training import checked_target
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.specialize._search import Loss, Search

__all__ = ["TDS", "search_from_top"]


class TDS(Anonymizer):
    """Top-down specialization: from everything general down to what tells most of the class. Needs a target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"age": [20, 21, 30, 31, 32], "drink": ["milk", "milk", "wine", "wine", "wine"]})
    >>> release = TDS(k=2).anonymize(people, Schema(quasi=["age"], target="drink"))
    >>> sorted(set(release.table["age"].to_pylist()))
    ['[20,30)', '[30,32]']
    """

    name = "tds"
    family = "specialize"
    uses_target = True
    suppression_by = "classes"
    paper = "Fung, Wang, Yu (ICDE 2005)"

    loss: Literal["shield", "node"] = choice(
        "What anonymity costs: the fall of the smallest class, as the authors have it, or of the value's size."
    )

    _disclose = False

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.specialize._search import publish

        target = checked_target(counts, type(self).__name__)
        search = search_from_top(counts, requirements, target, self.loss, disclose=self._disclose)
        search.run()
        return publish(self.name, counts, search, target)


def search_from_top(
    counts: FrequencyTable, requirements: Sequence[Requirement], target: str, loss: Loss, *, disclose: bool = False
) -> Search:
    """The search before its first step."""
    from hedgerow.anonymizers.specialize._attributes import attribute_of
    from hedgerow.anonymizers.specialize._search import Search

    attributes = [attribute_of(counts, name, target, disclose=disclose) for name in counts.quasi]
    return Search(counts, requirements, attributes, loss)
