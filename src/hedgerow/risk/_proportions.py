"""What proportions give away beyond the published values: what a reader can be sure of, and who is singled out.

Who finds a person's class can guess the person's original value: the chance to be right is the value's share in the
class, if the proportions tell it (a bin of its own). A class that publishes the one value it holds has nothing left to
give away, so it does not count.

A tuple of original values is *singled out* if the number of people of a class who have it is fixed, and is 1 … k - 1.
It is fixed only where all columns but one are known for all the class, and the number of the value in the last one is
(:mod:`hedgerow.core.proportions._pooling` says why): the value has a bin of its own, or a published set names as many
values
in the range of a bin as this has people. What is told by label fixes nothing where the people of each label of a class
hold several values in two columns (:mod:`hedgerow.core.proportions.label_margins`), and is taken to fix everything in
a class that counts there though that cannot be: a label has one person, or all but one column are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.cells import Interval, Suppressed, ValueSet, parse
from hedgerow.core.proportions import ColumnProportions, Proportions

__all__ = ["Disclosure", "SingledOut", "classes_that_single_out", "disclosures", "singled_out"]

# So many people with a label differ at the least, and in so many columns.
_FEWEST: Final = 2


@dataclass(frozen=True)
class Disclosure:
    """What the proportions of one quasi-identifier tell, beyond what is published.

    Parameters
    ----------
    posterior : float
        The largest share that one value is told to have in a class whose published value does not tell it: how sure a
        reader can be. 0 if nothing is told of any value.
    records_told : int
        The records of classes where one value has the whole share, so that it is told though it is not published.
    average : float
        The share that is told of the most frequent value of the class, averaged over the records of the classes that
        count; 0 where none is told.
    """

    posterior: float
    records_told: int
    average: float


class SingledOut(NamedTuple):
    """How many people have tuples whose number in their class is fixed: below k, and at all."""

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
    """Count the people whose tuples are fixed by what is published; those that the table alone fixes are not counted.

    O(bins), and the members of published sets in classes that are open in one column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"age": [20, 20, 20, 20, 21, 60, 60, 61, 61, 61]})
    >>> told = dict(k=4, publish_proportions=True)
    >>> hr.anonymize(people, hr.Schema(quasi=["age"]), **told).audit.singled_out
    0
    >>> hr.anonymize(people, hr.Schema(quasi=["age"]), **told, min_support=1).audit.singled_out
    6
    """
    fixed = _Fixed.of(proportions, k)
    return SingledOut(int(fixed.people.sum()), int(fixed.known.sum()))


def classes_that_single_out(proportions: Proportions, k: int) -> Bools:
    """Which classes have people who are singled out, (classes,)."""
    return np.asarray(_Fixed.of(proportions, k).people > 0)


class _Fixed(NamedTuple):
    """How many people of each class have tuples whose number is fixed: below k, and at all."""

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
            for one in np.flatnonzero((unknown == 1) & ~known[at]).tolist():
                fixed = _fixed(column, one, int(sizes[one]))
                people[one] += sum(number * times for number, times in fixed if number < k)
                all_known[one] += sum(number * times for number, times in fixed)
        told = np.where(_told_by_label(proportions, unknown), sizes, 0)
        return cls(people + told, all_known + told)


def _told_by_label(proportions: Proportions, unknown: Longs) -> Bools:
    """Which classes count where people are told by label, though these could be subtracted from one another."""
    lifts, classes = proportions.lifts, len(proportions.sizes)
    if lifts is None:
        return np.zeros(classes, dtype=bool)
    people = np.bincount(lifts.class_of_pair, lifts.people, classes).astype(np.int64)
    few = np.bincount(lifts.class_of_pair, lifts.people < _FEWEST, classes) > 0
    # Of a file it is not known whether a published number is a mean.
    open_columns = np.where(all(column.plain is not None for column in proportions.columns), unknown, _FEWEST)
    return np.asarray((people > 0) & (few | (people < proportions.sizes) | (open_columns < _FEWEST)))


def _told(column: ColumnProportions) -> Bools:
    """Whether the proportions tell one value for all people of each class."""
    return np.asarray((np.diff(column.starts) == 1) & column.own[column.starts[:-1]])


def _known(column: ColumnProportions) -> Bools:
    """Whether all people of each class are told to have one value, by the table or by the proportions."""
    told = _told(column)
    if column.plain is not None:
        return np.asarray(told | column.plain)
    # Of a file it is not known whether a value is that of all, or a mean: it is taken for the worse.
    several = Suppressed | ValueSet if column.kind == "text" else Interval | Suppressed | ValueSet
    single = [not isinstance(text if text is None else parse(text), several) for text in column.texts]
    return np.asarray(told | np.array(single)[column.published])


def _fixed(column: ColumnProportions, one: int, size: int) -> list[tuple[int, int]]:
    """The numbers of people that are fixed for single values of a class, and for how many values each."""
    said = parse(column.texts[column.published[one]])
    members = said.members if isinstance(said, ValueSet) else frozenset()
    if len(members) == size:
        # The table alone says that each member has one.
        return []
    bins = range(int(column.starts[one]), int(column.starts[one + 1]))
    own = {int(column.first[at]) for at in bins if column.own[at]}
    pools = [column.pools.of(member, column.kind) for member in members]
    fixed = []
    for at in bins:
        first, last, people = int(column.first[at]), int(column.last[at]), int(column.records[at])
        possible = sum(first <= pool <= last and pool not in own for pool in pools)
        if column.own[at] or possible == 1:
            fixed.append((people, 1))
        elif possible == people:
            fixed.append((1, people))
    return fixed


def _disclosure(column: ColumnProportions, proportions: Proportions) -> Disclosure:
    told = np.where(column.own, column.records, 0)
    most = np.maximum.reduceat(told, column.starts[:-1])
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
    """Whether each class publishes the one value that it holds."""
    known = {text: code for code, text in enumerate(column.texts)}
    text_of_pool = np.array([known.get(text, -1) for text in column.pools.texts], dtype=np.int64)
    return np.asarray(_told(column) & (text_of_pool[column.first[column.starts[:-1]]] == column.published))
