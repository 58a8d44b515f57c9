"""Hybrid kACTUS: suppression along a tree with crossover and perturbation, without losing records.

As in kACTUS, complying leaves are released, and the others receive records from siblings or hand theirs up. A sibling
completes a leaf that lacks only a small share of k (crossover). Other leaves are pooled with spare records of siblings
(suppression by compensation). Records that still do not comply are altered instead of lost (perturbation). P. Israni et
al.: Privacy Preserving Using Anonymization and Perturbation in Classification, Indian J. Sci. Res. 17(1), 2017.

Deviations
----------
- As printed, complying records keep their original quasi-identifiers, so the release is not k-anonymous: the paper's
  own example requires k = 5 and reaches 1. ``as_published=True`` does that. By default, complying leaves publish what
  kACTUS publishes, and every group keeps the requirements.
- **Crossover.** The paper gives no threshold; here it is 0.5. The partner "by entropy" is the sibling with the lowest
  entropy of the label among those that can spare enough. The completed leaf publishes the column that separates it
  from its partner as the set of both values, or as the mean of a number; it does not give its own value to records
  that lack it.
- **Suppression** hides the columns that the path of the node above does not ask, as in kACTUS, and not all
  quasi-identifiers.
- **Perturbation.** The paper adds half of a record's number to the split value and then suppresses the
  quasi-identifiers, even the altered number if it is one. It does not mention categories. Here, the records go up until
  they are enough, and the group answers the questions that they were pruned from: for a number with its mean (each
  record's number moves to it), for a category, which cannot move halfway, with the set of its values.
- ``as_published=True`` keeps the altered number, because the step has no effect otherwise, and suppresses all else,
  also categories.
- The paper grows its tree on the whole table, and its example splits on blood pressure, which is no quasi-identifier. A
  method of Hedgerow sees only quasi-identifiers. To grow on all inputs, make all of them quasi-identifiers, let the
  requirement name the paper's (``require="k=5@age,sex,thal"``), and set ``hides="shield"``: with ``as_published=True``,
  the other columns are then asked but published as they are. With ``min_objects=1``, C4.5 then grows a tree on the
  paper's ten rows that reproduces its table 2 in all columns (it asks for vessels, which tell as much as blood
  pressure); with Weka's default of 2, no leaf of the example would be too small.
- The weights of columns have no effect: the label decides both the partners and the tree.
- The records left at the root are joined by spare records of groups, or by the smallest groups.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.parameters import Presets, choice, flag, number
from hedgerow.anonymizers.suppression.kactus import TreeGuided, release_groups, warnings_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.core.recoding.building import PublishedValues
from hedgerow.requirements import Requirement, shield_of

if TYPE_CHECKING:
    from hedgerow.anonymizers.suppression._pruning import PrunedTree
    from hedgerow.anonymizers.trees.nodes.paths import PathTree

__all__ = ["HybridKActus"]

_WEAK = (
    "WEAK: made as the paper prints the method, which publishes records of large leaves with their original "
    "quasi-identifiers. It does not keep the requirements; do not publish it."
)


class HybridKActus(TreeGuided):
    """kACTUS with crossover and perturbation: completes or averages small leaves, and loses no record.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = hr.HybridKActus(k=3).anonymize(people, hr.Schema(quasi=["sex", "town"], target="ill"))
    >>> release.audit.k, release.recoding.lost
    (4, 0)
    """

    name = "hybrid-kactus"
    paper = "Israni et al. (Indian J. Sci. Res. 2017)"
    guarantees = "k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k); none as published"
    presets: ClassVar[Presets] = {
        # Branches of k records leave no leaf to help. A leaf of the paper's example has one record.
        "paper": {"min_objects": 1, "as_published": True, "hides": "shield"}
    }

    crossover: float = number(
        "The purest sibling completes a leaf that lacks a smaller share of k than this.",
        default=0.5,
        least=0,
        most=1,
        trials=(0.0, 1.0),
    )
    as_published: bool = flag(
        "Follow the paper to the letter, which is not k-anonymous. The release is audited and marked as weak, and the "
        "command writes it only with ``--allow-weak``.",
        weak=True,
    )
    hides: Literal["all", "shield"] = choice(
        "With ``as_published``: hide all quasi-identifiers, or only those that a requirement names (its shield). The "
        "tree also asks the others, which are published as they are."
    )

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.suppression._pruning import Reading, pruned

        k = max(requirement.minimal_size for requirement in requirements)
        tree = self._grown(counts, k)
        reading = Reading(keep_all=not self.as_published, crossover=float(self.crossover), settle=self.as_published)
        outcome = pruned(tree, counts, requirements, reading, seed)
        if self.as_published:
            return _as_published(tree, counts, outcome, k, self._hidden(counts, requirements))
        nodes = np.flatnonzero(outcome.released)
        shown = tree.asked(len(counts.quasi))[nodes]
        # A completed leaf and its partner differ in the column asked above; a pruned node differs in those asked below.
        shown |= tree.asked_below(len(counts.quasi))[nodes]
        return release_groups("hybrid-kactus", tree, counts, outcome, shown, shown)

    def _hidden(self, counts: FrequencyTable, requirements: Sequence[Requirement]) -> Bools:
        """Which columns are hidden as published."""
        hidden = np.full(len(counts.quasi), self.hides == "all")
        for requirement in requirements:
            hidden[list(shield_of(requirement, counts.quasi))] = True
        return hidden


def _as_published(tree: PathTree, counts: FrequencyTable, outcome: PrunedTree, k: int, hidden: Bools) -> Recoding:
    """Publish as the paper does: original tuples, except for suppressed and perturbed records."""
    inner = np.flatnonzero(outcome.settled)
    helped = outcome.waiting[inner] + outcome.borrowed[inner] >= k
    kept, _ = outcome.entries(np.flatnonzero(outcome.released))
    suppressed, _ = outcome.entries(inner[helped])
    moved, owner = outcome.entries(inner[~helped])
    entry = np.concatenate([kept, suppressed, moved])
    tuple_of = counts.cell_tuple[outcome.bags.cell[entry]]
    # Of the hidden columns, a record shows all (question -1), none (-2), or only the number that a node perturbed.
    question = np.concatenate([np.full(len(kept), -1), np.full(len(suppressed), -2), inner[~helped][owner]])
    numeric = np.array([counts.domains[name].kind == "number" for name in counts.quasi])
    hides_all = (question == -2) | ((question >= 0) & ~numeric[tree.column[np.maximum(question, 0)]])
    shows_nothing = hides_all & hidden.all()
    key = np.stack([np.where(shows_nothing, -1, tuple_of), np.where(hides_all, -2, question)], axis=1)
    distinct, group = np.unique(key, axis=0, return_inverse=True)
    columns, values = [], np.empty((len(distinct), len(counts.quasi)), dtype=np.int32)
    for at in range(len(counts.quasi)):
        column, values[:, at] = _original_or_altered(tree, counts, at, distinct, hidden=bool(hidden[at]))
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
            "records_suppressed": int(outcome.bags.size[suppressed].sum()),
            "records_perturbed": int(outcome.bags.size[moved].sum()),
        },
        warnings=warnings_of(counts, tree, 0),
        weak=_WEAK,
    )


def _original_or_altered(
    tree: PathTree, counts: FrequencyTable, at: int, distinct: Longs, *, hidden: bool
) -> tuple[PublishedColumn, Ints]:
    """Publish a column as the paper does; ``distinct`` holds the tuple (-1: none) and the question of each group."""
    domain = counts.domains[counts.quasi[at]]
    published = PublishedValues(domain)
    index = np.empty(len(distinct), dtype=np.int32)
    for group, (row, question) in enumerate(distinct.tolist()):
        code = int(counts.tuples[row, at])
        altering = question >= 0 and tree.column[question] == at
        if row >= 0 and (question == -1 or not (hidden or altering)):
            index[group] = published.value(code)
        elif altering and code != domain.missing_code:
            split = float(domain.values[max(int(tree.threshold[question]), 0)])
            altered = split + float(domain.values[code]) / 2
            # The sum may exceed the largest float.
            index[group] = published.mean(min(max(altered, -sys.float_info.max), sys.float_info.max))
        else:
            index[group] = published.suppressed()
    return published.column(), index
