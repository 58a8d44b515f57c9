"""Top-down specialization (TDS): from all columns fully generalized down to what tells most of the class.

Value by value, what tells most for the anonymity it costs is specialized, as long as all requirements hold.
Categories go down their taxonomies; numbers without a hierarchy grow intervals, split in two where the information gain
is highest. The recoding is global: a value is published alike wherever it stands. B. Fung, K. Wang, P. Yu: Top-Down
Specialization for Information and Privacy Preservation, ICDE 2005. The search and the score are in
:mod:`hedgerow.anonymizers.specialize.search`.

Deviations
----------
- ``loss="shield"`` (the default) is the authors' loss of anonymity: how far the smallest class of the shield falls.
  ``loss="node"`` is how a later paper tells it (HeuristicMin, section 5.2): the records of the specialized value less
  those of its smallest branch, whatever the other columns say. It gives that paper's printed order of specializations,
  which the authors' does not. The default is the authors': it measures what is to be kept, and releases of Adult by
  TDS tell as much of the class with it or more (``benchmarks/specialize.py loss``).
- The score is InfoGain / (AnonyLoss + 1), as in the authors' later papers, so that it needs no case for a loss of 0.
- *All* requirements have to hold after a specialization, not only k: on each shield, for each class.
- A quasi-identifier that is in no shield is specialized as well, while its gain is positive: nothing limits it, and
  what tells nothing of the class stays general. The authors leave such columns as they are.
- A value with a single branch that holds records gains nothing and is never specialized, even if what is below it
  would. So HeuristicMin, section 5.2.1, has it; figure 19(a) of that paper, which stops earlier, is not reproducible.
- A missing value is a branch of the root of its own.
- Equal scores: the first column, then the first value in the order of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.anonymizers.specialize.attributes import attribute_of
from hedgerow.anonymizers.specialize.publishing import publish
from hedgerow.anonymizers.specialize.search import Loss, Search
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding
from hedgerow.trees.training import checked_target

__all__ = ["tds"]


def tds(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    *,
    seed: int | None = None,  # noqa: ARG001 - every method has one; specialization leaves nothing to chance
    loss: Loss = "shield",
) -> Recoding:
    """Specialize from the top; :class:`hedgerow.TDS` explains the parameters.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.anonymizers.line import prepare
    >>> people = pa.table({"age": [20, 21, 30, 31, 32], "drink": ["milk", "milk", "wine", "wine", "wine"]})
    >>> requirements = [KAnonymity(2)]
    >>> counts = prepare(people, Schema(quasi=["age"], target="drink"), requirements, random_state=0).counts
    >>> tds(counts, requirements).transform(people)["age"].to_pylist()
    ['[20,30)', '[20,30)', '[30,32]', '[30,32]', '[30,32]']
    """
    target = checked_target(counts, "TDS")
    search = search_from_top(counts, requirements, target, loss)
    search.run()
    return publish("tds", counts, search, target)


def search_from_top(counts: FrequencyTable, requirements: Sequence[Requirement], target: str, loss: Loss) -> Search:
    """The search before its first step."""
    attributes = [attribute_of(counts, name, target, disclose=False) for name in counts.quasi]
    return Search(counts, requirements, attributes, loss)
