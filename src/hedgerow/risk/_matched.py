"""Two releases together where both of their original tables are known: every group is counted, and nothing is assumed.

People who share their class of the old release and their class of the new one are a group, as are those who left an old
class, and those who are new in a new one. Which rows are one record is found as for a release that is made beside an
earlier one (:mod:`hedgerow.risk.earlier`). Records that left may have stand-ins; they count if the groups are then
larger, because nobody can tell the two from a record that stayed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.errors import BadInput
from hedgerow.requirements import KAnonymity, Requirement
from hedgerow.risk._traced import TracedRelease
from hedgerow.risk.audit import LearntTogether, Together
from hedgerow.risk.earlier import Beside, beside, strata_of
from hedgerow.risk.overlap import Extent
from hedgerow.risk.previous import Given, Stated, relation_of
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import distinct

__all__ = ["audit_matched"]


def audit_matched(table: Any, given: Given, requirements: Sequence[Requirement]) -> Together:
    """Count what two releases disclose together.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        The new release.
    given : Given
        With both original tables.
    requirements : sequence of Requirement
    """
    entity = given.entity or Stated.of(table).entity or Stated.of(given.previous).entity
    shared: dict[str, Any] = {"hierarchies": given.hierarchies, "missing": given.reading.missing, "entity": entity}
    old = TracedRelease.open(
        given.previous,
        given.previous_original,
        recoding=given.previous_recoding,
        option="previous_original",
        **shared,
    )
    new = TracedRelease.open(table, given.original, recoding=given.recoding, **shared)
    for release, option in ((old, "previous_recoding=, --previous-recoding"), (new, "recoding=, --recoding")):
        if not release.certain:
            raise BadInput(
                f"Some people fit several classes of a release. Name its recoding ({option}), which knows their class, "
                "or leave --previous-original out for bounds."
            )
    found = beside(old, new.original, quasi=new.counts.columns, clear=new.clear, missing=new.missing, entity=entity)
    threshold = given.required or int(min(old.counts.sizes.min(), new.counts.sizes.min()))
    demanded = tuple(requirements) or (KAnonymity(threshold),)
    with_stand_ins = strata_of(found, demanded, coded=False).partner
    ways = [_Groups.of(found, new, partner) for partner in (found.partner, with_stand_ins)]
    best = max(ways, key=lambda groups: (groups.k, -groups.held_below(threshold)))
    stood_in = int((with_stand_ins != found.partner).sum()) if best is ways[1] else 0
    return best.together(old, new, threshold, given, entity, stood_in)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of all records.

    Attributes
    ----------
    before, after : int arrays (records,)
        The class of each record in both releases, -1 if it is not in one.
    group : int array (records,)
    person : (int array, int array)
        The person of each record in both tables.
    sizes : int array (groups,)
        The people of each group: if both releases show it, the fewer.
    first : int array (groups,)
        A record of each group.
    new_cell : int array (records,)
        The published cell of each record in the new release.
    """

    before: Longs
    after: Longs
    group: Longs
    person: tuple[Longs, Longs]
    sizes: Longs
    first: Longs
    new_cell: Longs

    @classmethod
    def of(cls, found: Beside, new: TracedRelease, partner: Longs) -> _Groups:
        new_cell = new.cells
        old_class, new_class = found.class_of_row, np.append(new.counts.class_of_cell, -1)[new_cell]
        shown = np.flatnonzero(new_class >= 0)
        with_old = partner[shown]
        met = np.zeros(len(old_class), dtype=bool)
        met[with_old[with_old >= 0]] = True
        left = np.flatnonzero((old_class >= 0) & ~met)
        before = np.concatenate([np.append(old_class, -1)[with_old], old_class[left]])
        after = np.concatenate([new_class[shown], np.full(len(left), -1)])
        people = found.people or (np.arange(len(old_class)), len(old_class) + np.arange(len(new_class)))
        old_person = np.concatenate([np.append(people[0], -1)[with_old], people[0][left]])
        new_person = np.concatenate([people[1][shown], np.full(len(left), -1)])
        group, first = distinct([(before + 1, int(before.max()) + 2), (after + 1, int(after.max()) + 2)])
        sizes = np.full(len(first), np.iinfo(np.int64).max)
        for person in (old_person, new_person):
            there = np.flatnonzero(person >= 0)
            _, once = distinct([(group[there], len(first)), (person[there], int(person.max()) + 1)])
            number = np.bincount(group[there][once], minlength=len(first))
            sizes = np.where(number > 0, np.minimum(sizes, number), sizes)
        cell = np.concatenate([new_cell[shown], np.full(len(left), -1)])
        return cls(before, after, group, (old_person, new_person), sizes, first, cell)

    @property
    def k(self) -> int:
        """The people of the smallest group."""
        return int(self.sizes.min())

    def held_below(self, threshold: int) -> int:
        """The people in groups of fewer than so many, each counted once."""
        small = (self.sizes < threshold)[self.group]
        # A record of two people, one of whom stands in for the other, has both.
        people = [person[small & (person >= 0)] for person in self.person]
        if (self.person[0] == self.person[1])[(self.person[0] >= 0) & (self.person[1] >= 0)].any():
            return len(np.unique(np.concatenate(people)))
        return int(small.sum())

    def together(
        self, old: TracedRelease, new: TracedRelease, threshold: int, given: Given, entity: str | None, stood_in: int
    ) -> Together:
        """The figures as an audit shows them."""
        below, alone = self.held_below(threshold), self.held_below(2)
        before, after = self.before[self.first], self.after[self.first]
        both = (before >= 0) & (after >= 0)
        small = self.sizes < threshold
        new_of_old = np.bincount(before[both], minlength=len(old.counts.codes))
        old_of_new = np.bincount(after[both], minlength=len(new.counts.codes))
        shared = tuple(name for name in new.counts.columns if name in old.counts.columns)
        remarks = ["Every group was counted, by both original tables."]
        if stood_in:
            remarks.append(
                f"{stood_in:,} rows that joined count for rows with the same values in clear that left: nobody who "
                "sees both releases can tell them from rows that stayed."
            )
        return Together(
            columns=shared,
            columns_before=old.counts.columns,
            columns_after=new.counts.columns,
            linking=tuple(name for name in new.clear if name in old.clear),
            rows=old.counts.rows,
            classes=len(old.counts.codes),
            k_before=int(old.counts.sizes.min()),
            relation=relation_of(new_of_old, old_of_new),
            same_people=bool(both.all()),
            by_original=True,
            exact=True,
            counted="rows" if entity is None else "people",
            k=Extent(self.k, self.k),
            threshold=threshold,
            required=given.required,
            below=Extent(below, below),
            alone=Extent(alone, alone),
            small=int(small.sum()),
            newcomers=int((small & (before < 0)).sum()),
            leavers=int((small & (after < 0)).sum()),
            learnt=self._learnt(new.counts, given.protected),
            remarks=tuple(remarks),
        )

    def _learnt(self, counts: ClassCounts, protected: Sequence[str]) -> Mapping[str, LearntTogether]:
        """The share of the new rows in classes, and in groups, with one value."""
        shown = np.flatnonzero(self.new_cell >= 0)
        learnt = {}
        for name in protected:
            held = counts.cells.sensitive.get(name)
            if held is None:
                continue
            values = held.codes[self.new_cell[shown]].astype(np.int64)
            alone, together = (
                _with_one_value(groups[shown], values, len(held.labels)) for groups in (self.after, self.group)
            )
            learnt[name] = LearntTogether(alone, together)
        return learnt


def _with_one_value(groups: Longs, values: Longs, size: int) -> float:
    """The share of records whose group has one value only."""
    number = np.bincount(np.unique(groups * size + values) // size, minlength=int(groups.max()) + 1)
    return float((number[groups] == 1).mean())
