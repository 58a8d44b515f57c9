"""Hybrid kACTUS: suppression along a tree with crossover and perturbation, and no record lost.

As in kACTUS, complying leaves are released and the others are helped by siblings or handed up. A leaf that lacks only
a small share of k is completed by one sibling (crossover), others are pooled with records that siblings can spare
(suppression by compensation), and what cannot be helped is altered instead of lost (perturbation). P. Israni et al.:
Privacy Preserving Using Anonymization and Perturbation in Classification, Indian J. Sci. Res. 17(1), 2017.

Deviations
----------
- As printed, complying records keep their original quasi-identifiers, so that the release is not k-anonymous: the
  paper's own example asks for k = 5 and reaches 1. That is ``as_published=True``. By default complying leaves publish
  what kACTUS publishes, and every group keeps the requirements.
- **Crossover.** The threshold is never given; here 0.5. The partner "by entropy" is the sibling with the lowest
  entropy of the label among those that can spare enough. The completed leaf shows the column that tells it from its
  partner as the set of their values, a number as the mean, instead of lending its value to records that lack it.
- **Suppression** hides what the path of the node above does not ask, as in kACTUS, not all quasi-identifiers.
- **Perturbation.** The paper adds half of a record's number to the split value and then suppresses the
  quasi-identifiers, the altered one included if it is one; of categories it says nothing. Here the records go up until
  they are enough, and the questions they were pruned from are answered for them together: a number by the mean of the
  group (each record's number is moved to it), a category, which cannot be moved halfway, by the set of those that
  occur.
- ``as_published=True`` keeps the altered number, since the step would have no effect otherwise, and suppresses the
  others; a category is suppressed. The tree asks quasi-identifiers only.
- Weights of columns do not enter: partners are chosen by the label, the tree by what columns tell of it.
- What is left at the root is joined by records that groups can spare, or by the smallest groups.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.parameters import flag, number
from hedgerow.anonymizers.suppression.kactus import TreeGuided, release_groups, warnings_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.core.recoding.building import PublishedValues
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.suppression._pruning import PrunedTree
    from hedgerow.anonymizers.trees.nodes.paths import PathTree

__all__ = ["HybridKActus"]

_WEAK = (
    "WEAK: made as the paper prints the method, which publishes records of large leaves with their original "
    "quasi-identifiers. It does not keep the requirements; do not publish it."
)


class HybridKActus(TreeGuided):
    """kACTUS with crossover and perturbation: small leaves are completed or averaged, and no record is lost.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = HybridKActus(k=3).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> release.audit.k, release.recoding.lost
    (4, 0)
    """

    name = "hybrid-kactus"
    paper = "Israni et al. (Indian J. Sci. Res. 2017)"
    guarantees = "k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k); none as published"

    crossover: float = number(
        "A leaf that lacks a smaller share of k is completed by the sibling whose labels are purest.",
        default=0.5,
        least=0,
        most=1,
        trials=(0.0, 1.0),
    )
    as_published: bool = flag(
        "The method as printed, which is not k-anonymous. Its release is audited and marked as weak, and the command "
        "writes it only with ``--allow-weak``.",
        weak=True,
    )

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.suppression._pruning import Reading, pruned

        k = max(one.minimal_size for one in requirements)
        tree = self._grown(counts, k)
        reading = Reading(keep_all=not self.as_published, crossover=float(self.crossover), settle=self.as_published)
        outcome = pruned(tree, counts, requirements, reading, seed)
        if self.as_published:
            return _as_published(tree, counts, outcome, k)
        nodes = np.flatnonzero(outcome.released)
        shown = tree.asked(len(counts.quasi))[nodes]
        # A completed leaf differs from its partner in what the node above asks, a pruned one in what was asked below.
        shown |= tree.asked_below(len(counts.quasi))[nodes]
        return release_groups("hybrid-kactus", tree, counts, outcome, shown, shown)


def _as_published(tree: PathTree, counts: FrequencyTable, outcome: PrunedTree, k: int) -> Recoding:
    """The release as printed: original tuples, except for what was suppressed or perturbed."""
    inner = np.flatnonzero(outcome.settled)
    helped = outcome.waiting[inner] + outcome.borrowed[inner] >= k
    kept, _ = outcome.entries(np.flatnonzero(outcome.released))
    hidden, _ = outcome.entries(inner[helped])
    moved, owner = outcome.entries(inner[~helped])
    entry = np.concatenate([kept, hidden, moved])
    of_tuple = counts.cell_tuple[outcome.bags.cell[entry]]
    # What a record shows: its tuple (question -1), nothing (-2), or only the number that a node perturbed.
    question = np.concatenate([np.full(len(kept), -1), np.full(len(hidden), -2), inner[~helped][owner]])
    numeric = np.array([counts.domains[name].kind == "number" for name in counts.quasi])
    shows_nothing = (question == -2) | ((question >= 0) & ~numeric[tree.column[np.maximum(question, 0)]])
    key = np.stack([np.where(shows_nothing, -1, of_tuple), np.where(shows_nothing, -2, question)], axis=1)
    distinct, group = np.unique(key, axis=0, return_inverse=True)
    columns, values = [], np.empty((len(distinct), len(counts.quasi)), dtype=np.int32)
    for at in range(len(counts.quasi)):
        column, values[:, at] = _original_or_altered(tree, counts, at, distinct)
        columns.append(column)
    cell, size = outcome.bags.cell[entry], outcome.bags.size[entry]
    pieces = Pieces.gathered(cell, group.reshape(-1).astype(np.int32), size)
    return Recoding(
        method="hybrid-kactus",
        quasi=counts.quasi,
        columns=tuple(columns),
        groups=values,
        sizes=np.bincount(pieces.group, pieces.size, len(distinct)).astype(np.int64),
        pieces=pieces,
        facts={
            "tree": {"nodes": tree.size, "leaves": tree.n_leaves},
            "records_lent": int(outcome.borrowed.sum()),
            "records_suppressed": int(outcome.bags.size[hidden].sum()),
            "records_perturbed": int(outcome.bags.size[moved].sum()),
        },
        warnings=warnings_of(counts, tree, 0),
        weak=_WEAK,
    )


def _original_or_altered(
    tree: PathTree, counts: FrequencyTable, at: int, distinct: Longs
) -> tuple[PublishedColumn, Ints]:
    """One column of a release as printed: ``distinct`` holds the tuple (-1: hidden) and the question of each group."""
    domain = counts.domains[counts.quasi[at]]
    published = PublishedValues(domain)
    index = np.empty(len(distinct), dtype=np.int32)
    for group, (of_tuple, question) in enumerate(distinct.tolist()):
        code = int(counts.tuples[of_tuple, at])
        if of_tuple >= 0 and question == -1:
            index[group] = published.value(code)
        elif of_tuple >= 0 and tree.column[question] == at and code != domain.missing_code:
            split = float(domain.values[max(int(tree.threshold[question]), 0)])
            altered = split + float(domain.values[code]) / 2
            # The largest number there is where the sum has become too large.
            index[group] = published.mean(min(max(altered, -sys.float_info.max), sys.float_info.max))
        else:
            index[group] = published.suppressed()
    return published.column(), index
