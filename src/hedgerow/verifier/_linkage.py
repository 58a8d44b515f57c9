"""Which columns of a table link the rows of a person, found in the rows alone: whose they are is known to the verifier.

Two rows with the same value of a column, or of several together, are linked if they are likely of one person: fewer
than k people come into question for the second row if one knows whose the first is. That is measured: of all pairs of
rows that share a value, what part is of one person? Above 1 / k the value links. Values are judged together with others
on as many rows, since a reader knows how often a value occurs. So sex and town do not link, and neither does a number
that differs in every row; another name of the person does. A column links if its values link rows of at least
:data:`LEAST_LINKED` of the people who have several.

Columns that link only together are searched greedily. To agree by chance is likelier for unrelated rows than for those
of one person, in every column that says something of the person (the weights of Fellegi and Sunter, 1969). The search
begins with the column that raises most the chance that rows with the same value are of one person, and adds the one
that raises it most then, up to :data:`MOST_TOGETHER` of the :data:`MOST_COLUMNS` best. It misses columns of which none
says anything of the person by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow.verifier.classes import Bools, ClassCounts, Codes, Floats, Integers, distinct

__all__ = ["LEAST_LINKED", "MOST_COLUMNS", "MOST_TOGETHER", "Link", "links_of"]

LEAST_LINKED: Final = 0.05
MOST_COLUMNS: Final = 12
MOST_TOGETHER: Final = 6

_MOST_PEOPLE: Final = 20_000  # are searched; what is found is measured with all
_DEVIATIONS: Final = 3.0
_RAISED: Final = 1.05
_EXACT: Final = 8  # values on so many rows are judged by themselves, on more together with others


@dataclass(frozen=True)
class Link:
    """Columns that link the rows of a person.

    Attributes
    ----------
    columns : tuple of str
    share : float
        Of the people with several rows, those of whom some are linked, in whole percents.
    k : int
        The fewest people whose linked rows are in the same classes.
    often : int
        The same, if how many rows are in each class must be equal too.
    accepted : bool
        Whether somebody accepts that they link.
    """

    columns: tuple[str, ...]
    share: float
    k: int
    often: int
    accepted: bool = False


def links_of(
    counts: ClassCounts, k: int, *, pseudonyms: Collection[str], accepted: Collection[str]
) -> tuple[Link, ...]:
    """The columns that link rows; a pseudonym does as soon as it stands in two rows of a person.

    Parameters
    ----------
    counts : ClassCounts
        Counted with people, and with the columns that may link.
    k : int
        From so many people on who come into question, rows are not linked.
    pseudonyms : collection of str
        Columns that were made to link: they can not be accepted.
    accepted : collection of str
        Columns of which somebody accepts that they link rows.
    """
    people = counts.cells.people
    if people is None:
        return ()
    every = _Rows.of(people, counts.cells.rows)
    if not every.several.any():
        return ()
    columns = {name: codes for name, codes in counts.cells.linking.items() if name not in pseudonyms}
    found = [
        _link(counts, (name,), every.share(every.together([codes])), 0)
        for name, codes in counts.cells.linking.items()
        if name in pseudonyms and every.together([codes]).any()
    ]
    some, kept = every.some()
    left = dict(columns)
    while left:
        together = _search(some, every, left, kept, k)
        if together is None:
            break
        share = every.share(every.linked([columns[name] for name in together], k))
        link = _link(counts, together, share, k, accepted=set(together) <= set(accepted))
        found.append(link)
        if not link.accepted:
            break
        # What is accepted may hide another link.
        left = {name: codes for name, codes in left.items() if name not in together}
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows and whose they are, some of them put together; where people are a sample, their share of all."""

    people: Integers
    rows: Integers
    number: int
    several: Bools
    sampled: float = 1.0

    @classmethod
    def of(cls, people: Codes | Integers, rows: Integers, sampled: float = 1.0) -> _Rows:
        """Number the people anew."""
        who, first = distinct([(people, int(people.max()) + 1)])
        of_person = np.bincount(who, rows, len(first))
        return cls(who, rows, len(first), of_person > 1, sampled)

    def some(self) -> tuple[_Rows, Bools | slice]:
        """All rows of some people, at random; and which rows these are."""
        if self.number <= _MOST_PEOPLE:
            return self, slice(None)
        drawn = np.zeros(self.number, dtype=bool)
        drawn[np.random.default_rng(7).choice(self.number, _MOST_PEOPLE, replace=False)] = True
        kept = drawn[self.people]
        return _Rows.of(self.people[kept], self.rows[kept], _MOST_PEOPLE / self.number), kept

    def share(self, linked: Bools) -> float:
        """The share of the people with several rows."""
        return float(linked[self.several].mean()) if self.several.any() else 0.0

    def together(self, columns: Sequence[Codes]) -> Bools:
        """The people with several rows of one value."""
        found = np.zeros(self.number, dtype=bool)
        found[self._groups(columns).people] = True
        return found

    def linked(self, columns: Sequence[Codes], k: int) -> Bools:
        """The people who have rows that are linked."""
        groups = self._groups(columns)
        found = np.zeros(self.number, dtype=bool)
        found[groups.people[groups.surely * k > 1]] = True
        return found

    def raised(self, columns: Sequence[Codes], k: int) -> float:
        """How near columns come to linking: from 0 to 1, on average of all people with several rows."""
        groups = self._groups(columns)
        found = np.zeros(self.number)
        np.maximum.at(found, groups.people, np.minimum(1.0, groups.likely * k))
        return float(found[self.several].mean())

    def _groups(self, columns: Sequence[Codes]) -> _Groups:
        keys = [(codes, int(codes.max()) + 1) for codes in columns]
        pair, first = distinct([*keys, (self.people, self.number)])
        held = np.bincount(pair, self.rows, len(first))
        value, _ = distinct([(codes[first], size) for codes, size in keys]) if keys else (np.zeros_like(first), first)
        rows = np.bincount(value, held)
        size = rows.astype(np.int64)
        size[size > _EXACT] = _EXACT + np.log2(size[size > _EXACT]).astype(np.int64)
        of_one = np.bincount(size[value], held * (held - 1) / 2, int(size.max()) + 1)
        # Of unrelated pairs a sample of people has fewer than its share.
        pairs = of_one + (np.bincount(size, rows * (rows - 1) / 2, len(of_one)) - of_one) / self.sampled
        of_person = np.bincount(self.people, self.rows, self.number)
        all_rows = float(self.rows.sum()) / self.sampled
        chance = (of_person * (of_person - 1)).sum() / self.sampled / max(all_rows * (all_rows - 1), 1.0)
        likely = np.divide(of_one, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
        by_chance = pairs * chance
        sure = of_one > by_chance + _DEVIATIONS * np.sqrt(by_chance + 1)
        several = held > 1
        at = size[value][several]
        return _Groups(self.people[first][several], likely[at], np.where(sure, likely, 0.0)[at])


@dataclass(frozen=True, eq=False)
class _Groups:
    """People who have several rows of a value; how likely two rows of such a value are of one person.

    ``surely`` is the same where it is more than chance, else 0.
    """

    people: Codes | Integers
    likely: Floats
    surely: Floats


def _search(
    some: _Rows, every: _Rows, columns: Mapping[str, Codes], kept: Bools | slice, k: int
) -> tuple[str, ...] | None:
    """Columns that link, as few as will do."""
    of_some = {name: codes[kept] for name, codes in columns.items()}

    def links(names: Sequence[str]) -> bool:
        if some.share(some.linked([of_some[name] for name in names], k)) < LEAST_LINKED:
            return False
        return every is some or every.share(every.linked([columns[name] for name in names], k)) >= LEAST_LINKED

    def raised(names: Sequence[str]) -> float:
        return some.raised([of_some[name] for name in names], k)

    least = raised(())
    alone = {name: raised((name,)) for name in columns}
    best = sorted(columns, key=lambda name: -alone[name])[:MOST_COLUMNS]
    best = [name for name in best if alone[name] > _RAISED * least]
    chosen: list[str] = []
    while best and len(chosen) < MOST_TOGETHER:
        tried = {name: alone[name] if not chosen else raised([*chosen, name]) for name in best}
        name = max(best, key=tried.__getitem__)
        if tried[name] <= least:
            return None
        least = tried[name]
        chosen.append(name)
        best.remove(name)
        if links(chosen):
            return _needed(chosen, links)
    return None


def _needed(chosen: Sequence[str], links: Callable[[Sequence[str]], bool]) -> tuple[str, ...]:
    """Columns without those that are not needed."""
    needed = list(chosen)
    for name in chosen:
        fewer = [one for one in needed if one != name]
        if fewer and links(fewer):
            needed = fewer
    return tuple(needed)


def _link(counts: ClassCounts, columns: tuple[str, ...], share: float, k: int, *, accepted: bool = False) -> Link:
    """Measure how few people the rows that are linked may be of."""
    sets, often = counts.linked_by(columns, k)
    return Link(columns, round(share, 2), sets, often, accepted)
