"""Bottom-up generalization (BUG): start with the original values, and generalize until all requirements hold.

Each step replaces the children of one node by the node: the one that loses least information about the label for the
anonymity it gains. The recoding is global. K. Wang, P. Yu, S. Chakraborty: Bottom-Up Generalization: A Data Mining
Solution to Privacy Protection, ICDM 2004.

A node may replace its children when all of them that hold records are in the cut. Its information loss is the
information gain of splitting it again. Its anonymity gain is how far the smallest class rises, as the mean over the
violated requirements whose shield holds the column. Only a generalization that changes every smallest class can raise
the smallest size, so each column of a shield has at most one node to try.

Deviations
----------
- The paper has one shield and k. Here, the anonymity gain is the mean over the violated requirements whose shield holds
  the column, and only columns of such shields are generalized; in the end all requirements must hold. The gain for
  l-diversity and similar requirements is measured by the smallest class, too.
- A generalization that gains no anonymity has an infinite score; among these, the smallest loss wins.
- A child that holds no record need not be in the cut before its parent replaces it.
- The weights of columns have no effect: the loss measures information about the label, not the loss of cells.
- Numbers without a hierarchy climb their automatic intervals.
- With a ``suppression_limit`` the search may end earlier, when few enough records are in violating classes to suppress
  them; among all such stages, the one with the lowest published loss wins.
- Among equal scores, the smaller loss wins, then the first column, then the first node in the order of the hierarchy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Ints
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.specialize._attributes import TaxonomyCut
from hedgerow.anonymizers.specialize._shield_classes import by_shield, shield_elements
from hedgerow.anonymizers.trees.training import checked_target
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.errors import Infeasible
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.requirements import Histograms, Requirement, context_of

__all__ = ["BUG", "Climb", "Generalization"]


class BUG(Anonymizer):
    """Bottom-up generalization: generalize first what predicts the class least. Needs a target.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F", "F", "M", "M"], "town": ["A", "B", "A", "B"], "ill": [*"nnyy"]})
    >>> release = hr.BUG(k=2).anonymize(people, hr.Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name = "bug"
    family = "specialize"
    uses_target = True
    suppression_by = "itself"
    paper = "Wang, Yu, Chakraborty (ICDM 2004)"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.core.metrics import ncp_published

        climb = Climb(counts, requirements, checked_target(counts, "BUG"))
        allowed = self._may_lose(counts)
        stages = _stages(climb, counts, requirements, allowed) if allowed else []
        climb.run()
        stages.append(_published(counts, climb))
        return min(stages, key=lambda stage: ncp_published(counts, stage)) if len(stages) > 1 else stages[0]


def _stages(climb: Climb, counts: FrequencyTable, requirements: Sequence[Requirement], allowed: int) -> list[Recoding]:
    """Climb until all requirements hold; return each stage that could be published by suppressing allowed records."""
    from hedgerow.anonymizers.budget import without_violating

    stages = []
    while climb.violating:
        # With t-closeness, suppression changes the distribution that classes are compared with, so a stage may fail.
        if climb.violating <= allowed:
            stage = without_violating(counts, _published(counts, climb), requirements, allowed)
            stages += [] if stage is None else [stage]
        climb.step()
    return stages


def _published(counts: FrequencyTable, climb: Climb) -> Recoding:
    steps = Counter(step.column for step in climb.steps)
    facts = {"generalizations": {name: steps[at] for at, name in enumerate(counts.quasi)}}
    return recode_by_nodes("bug", counts, climb.nodes, facts=facts)


# --------------------------------------------------------------------------------------------------
# The climb from the leaves of the hierarchies.


@dataclass(frozen=True)
class Generalization:
    """One generalization: the position of its column, the node that replaces its children, its loss and its gain."""

    column: int
    node: int
    info_loss: float
    anonymity_gain: float

    @property
    def score(self) -> float:
        """Information loss per anonymity gain; infinite if no anonymity is gained."""
        return self.info_loss / self.anonymity_gain if self.anonymity_gain > 0 else np.inf

    @property
    def rank(self) -> tuple[float, float, int, int]:
        """The sort key, smallest first: the score, then the loss, then the order of columns and nodes."""
        return self.score, self.info_loss, self.column, self.node


class Climb:
    """The search: generalizes step by step, starting with the leaves.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    target : str

    Attributes
    ----------
    nodes : list of int arrays
        The node of each code, per quasi-identifier.
    steps : list of Generalization
        The generalizations so far.
    """

    def __init__(self, counts: FrequencyTable, requirements: Sequence[Requirement], target: str) -> None:
        self._hierarchies = [counts.hierarchies[name] for name in counts.quasi]
        self._columns = [_Column(TaxonomyCut(counts, name, target)) for name in counts.quasi]
        self._shields = [
            _Shield(counts, shield, its_requirements, self._hierarchies)
            for shield, its_requirements in by_shield(counts, requirements).items()
        ]
        self._requirements = tuple(requirements)
        self.nodes = [hierarchy.leaf_of.copy() for hierarchy in self._hierarchies]
        self.steps: list[Generalization] = []

    def run(self) -> None:
        """Generalize until all requirements hold."""
        while self.step() is not None:
            pass

    @property
    def violating(self) -> int:
        """The least number of records to suppress so that all requirements hold at this stage."""
        return max(shield.violating for shield in self._shields)

    def step(self) -> Generalization | None:
        """Apply the best generalization; return None if all requirements hold."""
        if not any(shield.violated for shield in self._shields):
            return None
        candidates = self.candidates()
        if not candidates:
            raise Infeasible(
                f"The table cannot meet {' and '.join(map(str, self._requirements))} together: even fully generalized "
                "columns do not. Lower the requirements."
            )
        best = min(candidates, key=lambda candidate: candidate.rank)
        self._apply(best)
        return best

    def candidates(self) -> list[Generalization]:
        """List the possible generalizations; of those in a column that gain no anonymity, only the smallest loss."""
        gains: dict[tuple[int, int], float] = defaultdict(float)
        weight = np.zeros(len(self._columns))
        for shield in self._shields:
            if not shield.violated:
                continue
            weight[list(shield.shield)] += shield.violated
            for at, column in enumerate(shield.shield):
                node = shield.critical(at)
                if node is not None and self._columns[column].ready[node]:
                    gains[column, node] += shield.violated * shield.gain(at, node)
        for column in np.flatnonzero(weight).tolist():
            least = self._columns[column].least([node for at, node in gains if at == column])
            if least is not None:
                gains[column, least] = 0.0
        return [
            Generalization(column, node, float(self._columns[column].info_loss[node]), gain / float(weight[column]))
            for (column, node), gain in gains.items()
        ]

    def _apply(self, step: Generalization) -> None:
        column, node = step.column, step.node
        inside = self._hierarchies[column].parent[self.nodes[column]] == node
        self.nodes[column][inside] = node
        self._columns[column].generalize(node)
        for shield in self._shields:
            shield.generalize(column, node)
        self.steps.append(step)


class _Column:
    """The nodes of a column that may replace their children, and the information loss of each."""

    def __init__(self, cut: TaxonomyCut) -> None:
        hierarchy = cut.hierarchy
        self._parent = hierarchy.parent
        held = np.zeros(len(hierarchy.parent), dtype=bool)
        held[hierarchy.leaf_of] = True
        for node in range(len(held) - 1, 0, -1):  # a child has a larger number than its parent
            held[hierarchy.parent[node]] |= held[node]
        self.info_loss = np.zeros(len(held))
        for node in np.flatnonzero(held & (hierarchy.level > 0)).tolist():
            self.info_loss[node] = cut.gain_of(node)
        inner = held & (hierarchy.level > 0)
        inner[hierarchy.root] = False
        # A node must wait for its inner children that hold records.
        self._waiting = np.bincount(hierarchy.parent[inner], minlength=len(held))
        self.ready = held & (hierarchy.level > 0) & (self._waiting == 0)

    def least(self, without: Sequence[int]) -> int | None:
        """Return the ready node with the smallest loss, except for some nodes; None if there is none."""
        ready = self.ready.copy()
        ready[list(without)] = False
        nodes = np.flatnonzero(ready)
        return int(nodes[np.argmin(self.info_loss[nodes])]) if len(nodes) else None

    def generalize(self, node: int) -> None:
        """Put a node into the cut."""
        self.ready[node] = False
        above = self._parent[node]
        if above >= 0:
            self._waiting[above] -= 1
            self.ready[above] = self._waiting[above] == 0


class _Shield:
    """The classes of one shield.

    ``violated`` counts its requirements that do not hold. ``violating`` is the number of records in violating classes,
    for the requirement with the most such records.
    """

    def __init__(
        self,
        counts: FrequencyTable,
        shield: tuple[int, ...],
        requirements: Sequence[Requirement],
        hierarchies: Sequence[EncodedHierarchy],
    ) -> None:
        context = context_of(counts, requirements)
        self.shield = shield
        self._bound = [requirement.bind(context) for requirement in requirements]
        self._hierarchies = [hierarchies[at] for at in shield]
        self._widths = [column.domain.size for column in context.columns]
        names = [column.domain.name for column in context.columns]
        codes, self._values, self._sizes = shield_elements(counts, shield, names)
        self._nodes = np.stack([tree.leaf_of[codes[:, at]] for at, tree in enumerate(self._hierarchies)], axis=1)
        self._count()

    def critical(self, at: int) -> int | None:
        """Return the parent node in a column if all smallest classes share it, else None."""
        nodes = self._classes[self._class_sizes == self._class_sizes.min(), at]
        above = self._hierarchies[at].parent[nodes]
        return int(above[0]) if above[0] >= 0 and (above == above[0]).all() else None

    def gain(self, at: int, node: int) -> int:
        """Return how far the smallest class size rises when a node replaces its children."""
        inside = self._hierarchies[at].parent[self._classes[:, at]] == node
        others = [other for other in range(len(self.shield)) if other != at]
        _, merged = self._tabulate(self._classes[inside], others)
        sizes = np.bincount(merged, self._class_sizes[inside])
        least = min(sizes.min(), self._class_sizes[~inside].min(initial=np.iinfo(np.int64).max))
        return int(least) - int(self._class_sizes.min())

    def generalize(self, column: int, node: int) -> None:
        """Merge the classes that become equal when a node replaces its children."""
        if column not in self.shield:
            return
        at = self.shield.index(column)
        inside = self._hierarchies[at].parent[self._nodes[:, at]] == node
        self._nodes[inside, at] = node
        rows = np.concatenate([self._nodes, self._values], axis=1)
        distinct, index = self._tabulate(rows, range(rows.shape[1]))
        self._sizes = np.bincount(index, self._sizes, len(distinct)).astype(np.int64)
        self._nodes = np.ascontiguousarray(distinct[:, : len(self.shield)])
        self._values = np.ascontiguousarray(distinct[:, len(self.shield) :])
        self._count()

    def _count(self) -> None:
        self._classes, class_of = self._tabulate(self._nodes, range(len(self.shield)))
        self._class_sizes = np.bincount(class_of, self._sizes, len(self._classes)).astype(np.int64)
        self.violated = self.violating = 0
        for requirement in self._bound:
            histograms = None if requirement.column < 0 else self._histograms(class_of, requirement.column)
            satisfied = requirement.satisfied(self._class_sizes, histograms)
            self.violated += not satisfied.all()
            self.violating = max(self.violating, int(self._class_sizes[~satisfied].sum()))

    def _histograms(self, class_of: Ints, column: int) -> Histograms:
        width = self._widths[column]
        pair = class_of.astype(np.int64) * width + self._values[:, column]
        distinct, index = np.unique(pair, return_inverse=True)
        records = np.bincount(index, self._sizes).astype(np.int64)
        number, code = np.divmod(distinct, width)
        indptr = np.searchsorted(number, np.arange(len(self._classes) + 1)).astype(np.int64)
        return Histograms(indptr, code, records)

    def _tabulate(self, rows: Ints, columns: Sequence[int]) -> tuple[Ints, Ints]:
        """Group rows by some of their columns: first the nodes of quasi-identifiers, then sensitive values."""
        widths = [*(len(hierarchy.parent) for hierarchy in self._hierarchies), *self._widths]
        chosen = [np.ascontiguousarray(rows[:, at]) for at in columns]
        return tabulate(chosen, [widths[at] for at in columns], len(rows))
