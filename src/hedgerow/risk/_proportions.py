"""What proportions disclose beyond the published values: how sure a reader can be, and who is singled out.

An attacker who has found a person's class can guess the person's original value. The chance to be right is the share of
the value in the class, if the proportions show it (the value has its own bin). A class that publishes its only value
has nothing left to disclose, and does not count.

A tuple of original values is *singled out* if the number of people of a class who have it is fixed, and is 1 … k - 1.
It is fixed only if all columns but one are known for the whole class, and the number of people with the value in the
last column is (see :mod:`hedgerow.core.proportions._pooling`): the value has its own bin, or a published set names as
many values in the range of a bin as the bin has people. Proportions by label fix nothing if the people of each label of
a class hold several values in two columns (:mod:`hedgerow.core.proportions.label_margins`). In a class where this does
not hold, because a label has one person or all but one column are known, they are assumed to fix everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.cells import Interval, Suppressed, ValueSet, parse
from hedgerow.core.proportions import ColumnProportions, Proportions

__all__ = ["Disclosure", "SingledOut", "classes_that_single_out", "disclosures", "singled_out"]

# The least number of people with a label, and of columns, in which they differ.
_FEWEST: Final = 2


@dataclass(frozen=True)
class Disclosure:
    """What the proportions of a quasi-identifier disclose beyond the published values.

    Parameters
    ----------
    posterior : float
        The largest share that the proportions show for a value in a class that does not publish it: how sure a reader
        can be. 0 if they show no share of a value.
    records_told : int
        The records of classes where one value has the whole share, so that it is known though it is not published.
    average : float
        The share of the most frequent value of a class, averaged over the records of the classes that count; 0 where
        none is shown.
    """

    posterior: float
    records_told: int
    average: float


class SingledOut(NamedTuple):
    """The number of people who have tuples whose number in their class is fixed: below k, and at all."""

    people: int
    known: int


def disclosures(proportions: Proportions) -> dict[str, Disclosure]:
    """Find the worst posterior of each quasi-identifier. O(bins).

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    >>> hr.anonymize(people, schema, method="datafly", k=3, publish_proportions=True).audit.proportions["town"]
    Disclosure(posterior=0.5, records_told=0, average=0.5)
    """
    return {column.name: _disclosure(column, proportions) for column in proportions.columns}


def singled_out(proportions: Proportions, k: int) -> SingledOut:
    """Count the people whose tuples the proportions fix. Tuples that the table alone fixes do not count.

    O(bins), and the members of published sets in classes that are open in one column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"age": [20, 20, 20, 20, 21, 60, 60, 61, 61, 61]})
    >>> options = dict(k=4, publish_proportions=True)
    >>> hr.anonymize(people, hr.Schema(quasi=["age"]), **options).audit.singled_out
    0
    >>> hr.anonymize(people, hr.Schema(quasi=["age"]), **options, min_support=1).audit.singled_out
    6
    """
    fixed = _Fixed.of(proportions, k)
    return SingledOut(int(fixed.people.sum()), int(fixed.known.sum()))


def classes_that_single_out(proportions: Proportions, k: int) -> Bools:
    """Which classes have people who are singled out, (classes,)."""
    return np.asarray(_Fixed.of(proportions, k).people > 0)


class _Fixed(NamedTuple):
    """The number of people of each class who have tuples whose number is fixed: below k, and at all."""

    people: Longs
    known: Longs

    @classmethod
    def of(cls, proportions: Proportions, k: int) -> _Fixed:
        known = np.stack([_known(column) for column in proportions.columns])
        unknown = (~known).sum(axis=0)
        sizes = proportions.sizes
        all_known = np.where(unknown == 0, sizes, 0)
        people = np.where(sizes < k, all_known, 0)
        for at, column in enumerate(proportions.columns):
            for index in np.flatnonzero((unknown == 1) & ~known[at]).tolist():
                fixed = _fixed(column, index, int(sizes[index]))
                people[index] += sum(number * times for number, times in fixed if number < k)
                all_known[index] += sum(number * times for number, times in fixed)
        by_label = np.where(_fixed_by_label(proportions, unknown), sizes, 0)
        return cls(people + by_label, all_known + by_label)


def _fixed_by_label(proportions: Proportions, unknown: Longs) -> Bools:
    """Which classes have proportions by label that could be subtracted from one another."""
    lifts, classes = proportions.lifts, len(proportions.sizes)
    if lifts is None:
        return np.zeros(classes, dtype=bool)
    people = np.bincount(lifts.class_of_pair, lifts.people, classes).astype(np.int64)
    few = np.bincount(lifts.class_of_pair, lifts.people < _FEWEST, classes) > 0
    # In a loaded release it is not known whether a published number is a mean.
    open_columns = np.where(all(column.plain is not None for column in proportions.columns), unknown, _FEWEST)
    return np.asarray((people > 0) & (few | (people < proportions.sizes) | (open_columns < _FEWEST)))


def _single_value(column: ColumnProportions) -> Bools:
    """Whether the proportions show a single value for all people of each class."""
    return np.asarray((np.diff(column.starts) == 1) & column.own[column.starts[:-1]])


def _known(column: ColumnProportions) -> Bools:
    """Whether the table or the proportions show that all people of each class have one value."""
    single_value = _single_value(column)
    if column.plain is not None:
        return np.asarray(single_value | column.plain)
    # In a loaded release it is not known whether a value is that of all people, or a mean. The worse is assumed.
    several = Suppressed | ValueSet if column.kind == "text" else Interval | Suppressed | ValueSet
    single = [not isinstance(text if text is None else parse(text), several) for text in column.texts]
    return np.asarray(single_value | np.array(single)[column.published])


def _fixed(column: ColumnProportions, index: int, size: int) -> list[tuple[int, int]]:
    """The fixed numbers of people of single values of a class, each with the number of such values."""
    cell = parse(column.texts[column.published[index]])
    members = cell.members if isinstance(cell, ValueSet) else frozenset()
    if len(members) == size:
        # The table alone shows that each member is held by one person.
        return []
    bins = range(int(column.starts[index]), int(column.starts[index + 1]))
    own = {int(column.first[at]) for at in bins if column.own[at]}
    pools = [pool for member in members if (pool := column.pools.of(member, column.kind)) not in own]
    fixed = []
    for at in bins:
        first, last, people = int(column.first[at]), int(column.last[at]), int(column.records[at])
        possible = sum(first <= pool <= last for pool in pools)
        if column.own[at] or possible == 1:
            fixed.append((people, 1))
        elif possible == people:
            fixed.append((1, people))
    return fixed


def _disclosure(column: ColumnProportions, proportions: Proportions) -> Disclosure:
    shown = np.where(column.own, column.records, 0)
    most = np.maximum.reduceat(shown, column.starts[:-1])
    hidden = ~_published(column)
    sizes = proportions.sizes[hidden]
    if not len(sizes):
        return Disclosure(0.0, 0, 0.0)
    share = most[hidden] / sizes
    return Disclosure(
        posterior=float(share.max()),
        records_told=int(sizes[most[hidden] == sizes].sum()),
        average=float((share * sizes).sum() / sizes.sum()),
    )


def _published(column: ColumnProportions) -> Bools:
    """Whether each class publishes the only value that it holds."""
    known = {text: code for code, text in enumerate(column.texts)}
    text_of_pool = np.array([known.get(text, -1) for text in column.pools.texts], dtype=np.int64)
    return np.asarray(_single_value(column) & (text_of_pool[column.first[column.starts[:-1]]] == column.published))
