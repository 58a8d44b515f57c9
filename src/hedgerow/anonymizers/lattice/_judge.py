"""Judge states of the lattice: whether they meet the requirements, and which records must be lost for that.

The records of classes that violate a requirement may be lost, as long as they stay within the allowance. How a verdict
extends to other states depends on the requirement:

* If nothing may be lost: a union of classes that satisfy a *monotone* requirement satisfies it too. So a requirement
  that holds at a state holds at every more general one, and one that fails also fails at every less general one.
* If records may be lost: k-anonymity, distinct l-diversity and p-sensitivity are never broken by further records in a
  class. So a record that can be kept at a state can be kept at every more general one, which loses no more records.
  Entropy and recursive l-diversity, t-closeness and (alpha, k) differ: a class that must be lost may spoil another one
  when both are united. For these requirements, only their minimal class size decides about less general states; and
  if a state loses nothing, no more general state loses anything.

Deviations
----------
- Where requirements have different shields, another class can fail because of records that were lost for the first.
  Classes are judged again without these records until nothing changes.
- t-closeness compares with the *published* table, so it is judged again with the distribution of the kept records. A
  state that would lose all records of a sensitive value is not accepted, since its distances have no scale.
- At least one record is published.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.anonymizers.lattice._levels import Grouping, Lattice, Levels, StateClasses, merged, shares, violating
from hedgerow.core.counts import FrequencyTable, Links
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.errors import Infeasible
from hedgerow.requirements import BoundRequirement, Representatives, Requirement, context_of, shield_of

__all__ = ["Judge", "Judgement", "LinkedClasses", "publish"]


# --------------------------------------------------------------------------------------------------
# People at a state of the lattice, counted exactly: how many each class has, and how few share all their classes.
#
# Both counts only grow with generalization: a union of classes has at least the people of each, and people with equal
# sets of classes still have equal sets.


class LinkedClasses:
    """The people of the classes of a state.

    Parameters
    ----------
    links : Links
    class_of_tuple : int array (tuples,)
    number : int
        How many classes there are.

    Examples
    --------
    >>> links = Links(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 0]))
    >>> people = LinkedClasses(links, np.array([0, 1, 0]), 2)
    >>> people.in_groups(np.array([0, 1]), 2).tolist()
    [3, 2]
    >>> people.fewest_sharing(np.zeros(2, dtype=bool))
    1
    >>> LinkedClasses(links, np.array([0, 0, 0]), 1).fewest_sharing(np.zeros(1, dtype=bool))
    3

    Without a person, rows are not linked: only one person is known to be in both classes.

    >>> links = Links(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), nobody=True)
    >>> LinkedClasses(links, np.array([0, 1]), 2).fewest_sharing(np.zeros(2, dtype=bool))
    1
    """

    def __init__(self, links: Links, class_of_tuple: Longs, number: int) -> None:
        pairs = np.unique(links.person.astype(np.int64) * number + class_of_tuple[links.tuple])
        self._person, self._class = np.divmod(pairs, number)
        self._number = number
        self._nobody = int(self._person[-1]) if links.nobody and len(self._person) else -1

    def in_groups(self, group: Longs, groups: int) -> Longs:
        """How many people each group of classes has; classes of group -1 are left out."""
        of_pair = group[self._class]
        kept = of_pair >= 0
        pairs = np.unique(of_pair[kept] * (int(self._person[-1]) + 1) + self._person[kept])
        return np.bincount(pairs // (int(self._person[-1]) + 1), minlength=groups).astype(np.int64)

    def fewest_sharing(self, lost: Bools) -> int:
        """How few people share the set of their classes; those in no class are not counted.

        Two sums of random numbers, one number for each class, stand for a set. Two sets have equal sums by chance less
        often than the machine errs, and the verifier compares the sets themselves.
        """
        kept = ~lost[self._class]
        person, of_class = self._person[kept], self._class[kept]
        if not len(person):
            return 0
        random = np.random.default_rng(secrets.randbits(128))
        numbers = random.integers(0, 2**63, (self._number, 2), dtype=np.uint64)
        begins = np.concatenate([[True], person[1:] != person[:-1]])
        fewest = _fewest_equal(numbers[of_class], begins)
        if self._nobody >= 0:
            # Whoever reads no person in a row may take it for a row of anybody.
            fewest = min(fewest, _fewest_equal(numbers[of_class], begins | (person == self._nobody)))
        return fewest


def _fewest_equal(numbers: NDArray[np.uint64], begins: Bools) -> int:
    """The fewest runs whose numbers have the same sums."""
    sums = np.add.reduceat(numbers, np.flatnonzero(begins), axis=0)
    _, runs = np.unique(sums, axis=0, return_counts=True)
    return int(runs.min())


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict on a state.

    Attributes
    ----------
    classes : StateClasses
    lost : bool array (classes,)
        The classes that must be lost; incomplete if the state is not accepted.
    records : int
        The number of their records.
    accepted : bool
        Whether the requirements hold with these losses, and the losses are within the allowance.
    refutes_below : bool
        Whether no less general state can be accepted.
    """

    classes: StateClasses
    lost: Bools
    records: int
    accepted: bool
    refutes_below: bool


class _Demand(NamedTuple):
    """A requirement, the same as arrays, and the number of its shield."""

    requirement: Requirement
    bound: BoundRequirement
    shield: int


class Judge:
    """Judges states of a lattice by the requirements.

    Parameters
    ----------
    lattice : Lattice
        It must count the sensitive columns of the requirements.
    requirements : sequence of Requirement
    allowance : int
        How many records may be lost.

    Attributes
    ----------
    nested : bool
        Whether every state more general than an accepted one is accepted.
    keeps : bool
        Whether every state more general than one that loses nothing loses nothing.
    columns : set of int
        The columns that some requirement concerns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> from hedgerow.requirements import KAnonymity
    >>> people = pa.table({"sex": ["f", "f", "m"]})
    >>> prepared = prepare(people, Schema(quasi=["sex"]), [KAnonymity(2)], random_state=0)
    >>> lattice = Lattice(prepared.counts)
    >>> judge = Judge(lattice, prepared.requirements, allowance=1)
    >>> verdict = judge.verdict(lattice.classes((0,)))
    >>> verdict.accepted, verdict.records
    (True, 1)
    """

    def __init__(self, lattice: Lattice, requirements: Sequence[Requirement], allowance: int = 0) -> None:
        counts = lattice.counts
        self.lattice = lattice
        self.requirements = tuple(requirements)
        self.allowance = min(allowance, counts.rows - 1)
        shields = [shield_of(requirement, counts.quasi) for requirement in requirements]
        self._shields = list(dict.fromkeys(shields))
        self._linked = counts.links is not None and counts.roles.linked
        # Rows of one person are linked by every column, whatever the shields are.
        self.columns = set(range(len(counts.quasi))) if self._linked else set().union(*shields)
        context = context_of(counts, requirements)
        self._demands = [
            _Demand(requirement, requirement.bind(context), self._shields.index(shield))
            for requirement, shield in zip(requirements, shields, strict=True)
        ]
        self._firm = [_firm_part(demand) for demand in self._demands]
        self._all_firm = all(requirement.kept_by_more for requirement in requirements)
        self.keeps = all(requirement.monotone for requirement in requirements)
        self.nested = self._is_nested()
        # With a single shield, classes are lost as a whole, which no other class notices.
        self._in_one_round = len(self._shields) == 1 and not any(
            demand.requirement.compares for demand in self._demands
        )

    def _is_nested(self) -> bool:
        if self.allowance == 0 and self.keeps:
            return True
        # A lost record changes the set of classes of its person, so losses of linked rows show nothing of other states.
        return self._all_firm and not self._linked

    @classmethod
    def of(
        cls,
        counts: FrequencyTable,
        requirements: Sequence[Requirement],
        allowance: int = 0,
        *,
        metric: str | None = None,
    ) -> Judge:
        """A judge of the states of a table, which also counts the histograms that the metric needs."""
        sensitive = [requirement.column for requirement in requirements if requirement.column is not None]
        if metric == "classification" and counts.roles.target is not None:
            sensitive.append(counts.roles.target)
        return cls(Lattice(counts, sensitive), requirements, allowance)

    def verdict_at(self, levels: Sequence[int]) -> Judgement:
        """The verdict on a state."""
        return self.verdict(self.lattice.classes(levels))

    def verdict(self, classes: StateClasses) -> Judgement:
        """Which classes must be lost. O(classes) for each round, until the rest satisfies all requirements."""
        lost = np.zeros(len(classes), dtype=bool)
        every = len(self.lattice.heights)
        groupings = [
            None if len(shield) == every else self.lattice.projected(classes, shield) for shield in self._shields
        ]
        people = self._people(classes)
        records = self._lose(classes, groupings, self._firm, lost, 0, people)
        if records > self.allowance:
            return Judgement(classes, lost, records, accepted=False, refutes_below=True)
        if not self._all_firm:
            records = self._lose(classes, groupings, self._demands, lost, records, people)
        accepted = self._accepts(classes, lost, records, people)
        return Judgement(classes, lost, records, accepted, refutes_below=not accepted and self.nested)

    def _accepts(self, classes: StateClasses, lost: Bools, records: int, people: LinkedClasses | None) -> bool:
        """Whether the losses are allowed, and the rest can be published."""
        if records > self.allowance or (records and self._value_vanishes(classes, lost)):
            return False
        if people is None or not self._linked:
            return True
        return people.fewest_sharing(lost) >= max(requirement.minimal_size for requirement in self.requirements)

    def refuse(self) -> Infeasible:
        """The error for a lattice in which no state is accepted."""
        from hedgerow.anonymizers.limits import cannot_keep, dividing_columns

        if dividing_columns(self.lattice.counts):
            return cannot_keep(self.lattice.counts, self.requirements, self.allowance)
        named = ", ".join(map(str, self.requirements))
        return Infeasible(
            f"No generalization of whole columns meets {named}, not even with every quasi-identifier suppressed. "
            "Lower the requirement."
        )

    def _lose(
        self,
        classes: StateClasses,
        groupings: Sequence[Grouping | None],
        demands: Sequence[_Demand],
        lost: Bools,
        records: int,
        people: LinkedClasses | None,
    ) -> int:
        """Mark classes as lost until the rest holds or the allowance is exceeded; returns how many records are lost."""
        while True:
            failing = np.zeros(len(classes), dtype=bool)
            for demand in demands:
                if people is not None and isinstance(demand.requirement, Representatives):
                    failing |= _too_few(people, demand.requirement.k, groupings[demand.shield], lost)
                else:
                    failing |= self._violating(classes, groupings[demand.shield], demand, lost, records > 0)
            failing &= ~lost
            if not failing.any():
                return records
            lost |= failing
            records += int(classes.sizes[failing].sum())
            if records > self.allowance or self._in_one_round:
                return records

    def _violating(
        self, classes: StateClasses, grouping: Grouping | None, demand: _Demand, lost: Bools, some_lost: bool
    ) -> Bools:
        bound = demand.bound
        sizes = np.where(lost, 0, classes.sizes) if some_lost else classes.sizes
        if bound.formula is None and grouping is None:
            return sizes < bound.minimal_size
        column = demand.requirement.column
        histograms = None if bound.formula is None or column is None else classes.histograms[column]
        if some_lost and histograms is not None:
            index = np.where(lost, -1, np.arange(len(classes)))
            histograms = merged(histograms, index, len(classes), len(bound.overall))
            if demand.requirement.compares:
                bound = replace(bound, overall=shares(histograms, len(bound.overall)))
        return violating(bound, sizes, histograms, grouping)

    def _people(self, classes: StateClasses) -> LinkedClasses | None:
        """The people of the classes, where people are counted."""
        links = self.lattice.counts.links
        if links is None:
            return None
        counted, class_of_tuple = self.lattice.classes_of_tuples(classes.levels)
        # Both may be in different orders, so classes are matched by what they publish.
        order, other = (np.lexsort(state.keys.T) for state in (classes, counted))
        number = np.empty(len(classes), dtype=np.int64)
        number[other] = order
        return LinkedClasses(links, number[class_of_tuple], len(classes))

    def _value_vanishes(self, classes: StateClasses, lost: Bools) -> bool:
        """Whether all records of a value that t-closeness compares would be lost."""
        for demand in self._demands:
            column = demand.requirement.column
            if demand.requirement.compares and column is not None:
                indptr, codes, _ = classes.histograms[column]
                kept = np.zeros(len(demand.bound.overall), dtype=bool)
                kept[codes[np.repeat(~lost, np.diff(indptr))]] = True
                before, after = demand.bound.occurring(demand.bound.overall > 0), demand.bound.occurring(kept)
                if (before & ~after).any():
                    return True
        return False


def _firm_part(demand: _Demand) -> _Demand:
    """The part of a requirement that further records in a class never break: at least its size."""
    if demand.requirement.kept_by_more:
        return demand
    return demand._replace(bound=replace(demand.bound, formula=None))


def _too_few(people: LinkedClasses, k: int, grouping: Grouping | None, lost: Bools) -> Bools:
    """Which classes have too few people. Every person counts, not only representative records."""
    group, groups = (np.arange(len(lost)), len(lost)) if grouping is None else grouping
    return np.asarray(people.in_groups(np.where(lost, -1, group), groups)[group] < k, dtype=bool)


# --------------------------------------------------------------------------------------------------
# Publish a state of the lattice.


def publish(
    method: str, judge: Judge, levels: Levels, *, facts: Mapping[str, Any], warnings: Sequence[str] = ()
) -> Recoding:
    """The recoding of an accepted state: every column at its level, without the records of violating classes."""
    lattice = judge.lattice
    classes, of_tuple = lattice.classes_of_tuples(levels)
    verdict = judge.verdict(classes)
    return recode_by_nodes(
        method,
        lattice.counts,
        lattice.nodes(levels),
        lost=verdict.lost[of_tuple] if verdict.records else None,
        levels=lattice.named(levels),
        facts=facts,
        warnings=warnings,
    )
