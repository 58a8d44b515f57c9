"""Top-down specialization (TDS): start with all columns fully generalized, and specialize what predicts the label best.

Each step specializes the value that gains most information about the label for the anonymity it costs, as long as all
requirements hold. Categories go down their taxonomies. Numbers without a hierarchy grow intervals, which are split
where the information gain is highest. The recoding is global: a value is published alike in all records. B. Fung,
K. Wang, P. Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.

Score = InfoGain / (AnonyLoss + 1). InfoGain is the entropy of the label among the records of the specialized value,
less its mean over the branches. With ``loss="shield"``, AnonyLoss is how far the smallest class falls, as the mean over
the requirements whose shield holds the column. With ``loss="node"``, it is the number of records of the value less
those of its smallest branch. A specialization is a candidate if its gain is positive and all requirements hold after
it.

Deviations
----------
- ``loss="shield"`` (the default) is the authors' loss of anonymity. ``loss="node"`` is that of a later paper
  (HeuristicMin, section 5.2), which does not look at the other columns; it reproduces the order of specializations
  printed there, which the authors' loss does not. The authors' loss is the default because it measures what must be
  kept, and releases of Adult by TDS keep as much or more information about the label with it
  (``benchmarks/specialize.py loss``).
- The score is InfoGain / (AnonyLoss + 1), as in the authors' later papers, so that a loss of 0 needs no special case.
- *All* requirements must hold after a specialization, not only k: on each shield, for each class.
- A quasi-identifier in no shield is specialized, too, while its gain is positive. Nothing limits it, and what does not
  predict the label stays general. The authors leave such columns unchanged.
- A value with only one branch that holds records gains nothing and is never specialized, even if the values below it
  would gain. HeuristicMin, section 5.2.1, says so; figure 19(a) of that paper stops earlier and is not reproducible.
- The weights of columns have no effect: the score measures information about the label, not the loss of cells.
- A missing value is a separate branch of the root.
- Among equal scores, the first column wins, then the first value in the order of the hierarchy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import choice
from hedgerow.anonymizers.specialize import _kernels
from hedgerow.anonymizers.specialize._attributes import Attribute, GrownIntervals, attribute_of
from hedgerow.anonymizers.specialize._shield_classes import ShieldClasses, by_shield
from hedgerow.anonymizers.trees.training import checked_target
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import PublishedColumn, Recoding, recode_by_nodes
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.encoded import encode_tree, tree_of_levels
from hedgerow.requirements import Requirement

__all__ = ["TDS", "Disclose", "Loss", "Search", "Step", "grown_hierarchy", "publish", "search_from_top"]

Loss = Literal["shield", "node"]
Disclose = Literal["any", "highest"]


class TDS(Anonymizer):
    """Top-down specialization: start fully generalized and specialize what predicts the class best. Needs a target.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 30, 31, 32], "drink": ["milk", "milk", "wine", "wine", "wine"]})
    >>> release = hr.TDS(k=2).anonymize(people, hr.Schema(quasi=["age"], target="drink"))
    >>> sorted(set(release.table["age"].to_pylist()))
    ['[20,30)', '[30,32]']
    """

    name = "tds"
    family = "specialize"
    uses_target = True
    suppression_by = "classes"
    paper = "Fung, Wang, Yu (ICDE 2005)"

    loss: Literal["shield", "node"] = choice(
        "The loss of anonymity: the fall of the smallest class, as in the paper, or of the records of the specialized "
        "value."
    )

    def _discloses(self) -> Disclose | None:
        """Which values of a category without a taxonomy are disclosed singly; none in TDS."""
        return None

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        target = checked_target(counts, type(self).__name__)
        search = search_from_top(counts, requirements, target, self.loss, disclose=self._discloses())
        search.run()
        return publish(self.name, counts, search, target)


def search_from_top(
    counts: FrequencyTable,
    requirements: Sequence[Requirement],
    target: str,
    loss: Loss,
    *,
    disclose: Disclose | None = None,
) -> Search:
    """Return the search before its first step."""
    attributes = [attribute_of(counts, name, target, disclose=disclose is not None) for name in counts.quasi]
    return Search(counts, requirements, attributes, loss, disclose=disclose or "any")


# --------------------------------------------------------------------------------------------------
# The search for the cut that keeps most information about the label.


@dataclass(frozen=True)
class Step:
    """One specialization: the position of its column, the specialized value, and its score."""

    column: int
    label: str | None
    gain: float
    loss: float
    score: float


class Search:
    """The search: specializes all columns step by step.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    attributes : sequence of Attribute
        The quasi-identifiers, all fully generalized.
    loss : {"shield", "node"}
        How to measure the loss of anonymity.
    disclose : {"any", "highest"}
        Which values are candidates in a column that discloses values singly; see
        :mod:`hedgerow.anonymizers.specialize.tdr`.

    Attributes
    ----------
    steps : list of Step
        The specializations so far. They name values, so nothing but tests may read them.
    """

    def __init__(
        self,
        counts: FrequencyTable,
        requirements: Sequence[Requirement],
        attributes: Sequence[Attribute],
        loss: Loss,
        *,
        disclose: Disclose = "any",
    ) -> None:
        self.attributes = tuple(attributes)
        self.steps: list[Step] = []
        self._loss, self._disclose = loss, disclose
        codes_at = np.cumsum([0, *(len(attribute.part) for attribute in attributes)], dtype=np.int64)
        self._parts_at = np.cumsum([0, *(len(attribute.allowed) for attribute in attributes)], dtype=np.int64)
        self._column = np.repeat(np.arange(len(attributes)), np.diff(self._parts_at))
        most = max(int(np.diff(codes_at).max()), *(len(attribute.hierarchy.parent) for attribute in attributes))
        candidates = _kernels.Candidates(
            codes_at=codes_at,
            parts_at=self._parts_at,
            branch=np.zeros(codes_at[-1], dtype=np.int32),
            discloses=np.array([attribute.discloses for attribute in attributes]),
            allowed=np.zeros(self._parts_at[-1], dtype=bool),
            refused=np.full(self._parts_at[-1], -1, dtype=np.int32),
            total=np.zeros(most + 1, dtype=np.int64),
            place=np.zeros(most + 1, dtype=np.int64),
            touched=np.zeros(most + 1, dtype=np.int32),
        )
        self._gain, self._drop = np.zeros(self._parts_at[-1]), np.zeros(self._parts_at[-1], dtype=np.int64)
        self._candidates = candidates
        for at, attribute in enumerate(attributes):
            codes, parts = slice(*codes_at[at : at + 2]), slice(*self._parts_at[at : at + 2])
            attribute.adopt(candidates.branch[codes], candidates.allowed[parts], self._gain[parts], self._drop[parts])
        self.shields = tuple(
            ShieldClasses(counts, shield, its_requirements, number, candidates)
            for number, (shield, its_requirements) in enumerate(by_shield(counts, requirements).items())
        )
        in_shield = [[at in shield.shield for at in range(len(attributes))] for shield in self.shields]
        self._in_shield = np.array(in_shield, dtype=bool).reshape(len(self.shields), len(attributes))
        weights = np.array([shield.weight for shield in self.shields])
        self._weight = weights @ self._in_shield

    def run(self) -> None:
        """Specialize until no candidate is left."""
        while self.step() is not None:
            pass

    def step(self) -> Step | None:
        """Apply the candidate with the highest score, the first of equals; return None if there is none."""
        candidates = self._open_candidates()
        if not len(candidates):
            return None
        gains, losses = self._gain[candidates], self._losses(candidates)
        scores = gains / (losses + 1)
        best = int(np.argmax(scores))
        column = int(self._column[candidates[best]])
        candidate = int(candidates[best] - self._parts_at[column])
        attribute = self.attributes[column]
        step = Step(column, attribute.label(candidate), float(gains[best]), float(losses[best]), float(scores[best]))
        split = attribute.specialize(candidate)
        for shield in self.shields:
            shield.divide(column, split)
        self.steps.append(step)
        return step

    def _open_candidates(self) -> Longs:
        open_now = self._candidates.allowed & (self._gain > 0)
        if self._disclose == "highest":
            for at, attribute in enumerate(self.attributes):
                if attribute.discloses:
                    self._keep_highest(slice(*self._parts_at[at : at + 2]), open_now)
        return np.flatnonzero(open_now)

    def _keep_highest(self, values: slice, open_now: Bools) -> None:
        """Keep only the value with the highest gain, the first of equals.

        If it may not be disclosed, the column is closed for good: gains change only when a value is disclosed.
        """
        highest = values.start + int(np.argmax(self._gain[values]))
        may = open_now[highest]
        open_now[values] = False
        open_now[highest] = may

    def _losses(self, candidates: Longs) -> Floats:
        column = self._column[candidates]
        if self._loss == "node":
            return np.where(self._weight[column] > 0, self._drop[candidates], 0).astype(np.float64)
        total = np.zeros(len(candidates))
        for in_shield, shield in zip(self._in_shield, self.shields, strict=True):
            falls = np.maximum(shield.smallest_class - shield.smallest_after[candidates], 0)
            total += shield.weight * in_shield[column] * falls
        mean: Floats = total / np.maximum(self._weight[column], 1)
        return mean


# --------------------------------------------------------------------------------------------------
# The recoding of specialized columns: a node for every code, and a hierarchy for grown intervals.


def publish(method: str, counts: FrequencyTable, search: Search, target: str) -> Recoding:
    """Publish every value as its part."""
    hierarchies = dict(counts.hierarchies)
    nodes: list[Ints] = []
    for name, attribute in zip(counts.quasi, search.attributes, strict=True):
        if isinstance(attribute, GrownIntervals):
            hierarchies[name] = grown_hierarchy(attribute)
        nodes.append(_nodes(attribute, hierarchies[name]))
    recoding = recode_by_nodes(
        method,
        replace(counts, hierarchies=hierarchies),
        nodes,
        facts=_facts(counts, search),
        warnings=_warnings(counts, search, target),
    )
    columns = [
        _as_intervals(column) if isinstance(attribute, GrownIntervals) else column
        for column, attribute in zip(recoding.columns, search.attributes, strict=True)
    ]
    return replace(recoding, columns=tuple(columns))


def _nodes(attribute: Attribute, hierarchy: EncodedHierarchy) -> Ints:
    """Return the published node of each code."""
    if isinstance(attribute, GrownIntervals):
        if not attribute.specialized:
            return np.zeros(attribute.domain.size, dtype=np.int32)
        first, last = np.array(attribute.ranges)[attribute.part].T
        # A single number is published unchanged, and so is a missing value, which has no interval.
        leaf = hierarchy.leaf_of
        return np.where(last - first == 1, leaf, hierarchy.parent[leaf]).astype(np.int32)
    if attribute.discloses:
        return np.where(attribute.part > 0, hierarchy.leaf_of, hierarchy.root).astype(np.int32)
    return attribute.part


def grown_hierarchy(attribute: GrownIntervals) -> EncodedHierarchy:
    """Return the hierarchy of numbers, grown intervals and ``*``; the given hierarchy if no interval was grown."""
    domain = attribute.domain
    if not attribute.specialized or domain.numbers is None:
        return attribute.hierarchy
    parts, index = np.unique(attribute.part[: len(domain.labels)], return_inverse=True)
    ranges = [attribute.ranges[part] for part in parts.tolist()]
    texts = [attribute.interval(first, last) for first, last in ranges]
    built = tree_of_levels(domain.labels.tolist(), [[texts[at] for at in index.tolist()]])
    ends = np.array([attribute.ends(first, last)[:2] for first, last in ranges])[index]
    low, high = np.full((2, len(built.tree.labels)), np.nan)
    low[built.nodes[0]] = high[built.nodes[0]] = domain.numbers
    low[built.nodes[1]], high[built.nodes[1]] = ends.T
    low[0], high[0] = domain.numbers[0], domain.numbers[-1]
    described = f"{len(ranges)} intervals grown by the class"
    return encode_tree(built.tree, built.nodes[0], domain, described, bounds=(low, high))


def _as_intervals(column: PublishedColumn) -> PublishedColumn:
    """Mark the labels of a column as intervals, since the counts that metrics read do not have their nodes."""
    kinds: Sequence[Any] = ["interval" if kind == "label" else kind for kind in column.kinds]
    return replace(column, kinds=tuple(kinds), nodes=None)


def _facts(counts: FrequencyTable, search: Search) -> dict[str, Any]:
    """Count the specializations of each column and list the columns that grew intervals; values are not named."""
    steps = Counter(step.column for step in search.steps)
    grown = [
        name
        for name, attribute in zip(counts.quasi, search.attributes, strict=True)
        if isinstance(attribute, GrownIntervals) and attribute.specialized
    ]
    return {"specializations": {name: steps[at] for at, name in enumerate(counts.quasi)}, "intervals_grown": grown}


def _warnings(counts: FrequencyTable, search: Search, target: str) -> tuple[str, ...]:
    if search.steps:
        return ()
    one_class = len(counts.domains[target].labels) < 2
    reason = f"The target {target!r} has only one class" if one_class else "No specialization is allowed and useful"
    return (f"{reason}, so every quasi-identifier is fully generalized.",)
