"""Finds the columns of a table that link the rows of a person. The verifier knows the person of each row.

Two rows with the same value of a column, or of several columns together, are linked if they are likely of one person:
an attacker who knows the person of the first row has fewer than k candidates for the second. This is measured: of all
pairs of rows that share a value, what part belongs to one person? Above 1 / k the value links. Values are judged
together with others on as many rows, because a reader knows how often a value occurs. So sex and town do not link, nor
does a number that differs in every row, but another name of the person does. A column links if its values link rows of
at least :data:`LEAST_LINKED` of the people who have several rows.

Columns that link only together are searched greedily. In every column that is related to the person, rows of one person
agree more often than unrelated rows (the weights of Fellegi and Sunter, 1969). The search begins with the column that
raises most the chance that rows with the same value are of one person. It then adds the column that raises this chance
most, up to :data:`MOST_TOGETHER` of the :data:`MOST_COLUMNS` best. It misses columns that are related to the person
only in combination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow.verifier.classes import Bools, ClassCounts, Codes, Floats, Integers, distinct

__all__ = ["LEAST_LINKED", "MOST_COLUMNS", "MOST_TOGETHER", "Link", "links_of"]

LEAST_LINKED: Final = 0.05
MOST_COLUMNS: Final = 12
MOST_TOGETHER: Final = 6

_MOST_PEOPLE: Final = 20_000  # are searched; the columns that the search finds are measured with all
_DEVIATIONS: Final = 3.0
_RAISED: Final = 1.05
_EXACT: Final = 8  # values on at most so many rows are judged with others on as many; beyond, in powers of two


@dataclass(frozen=True)
class Link:
    """Columns that link the rows of a person.

    Attributes
    ----------
    columns : tuple of str
    share : float
        The share of the people with several rows who have linked rows, in whole percents.
    k : int
        The fewest people whose linked rows are in the same classes.
    often : int
        The same, if the number of rows in each class must be equal too.
    accepted : bool
        Whether the publisher accepts that they link.
    """

    columns: tuple[str, ...]
    share: float
    k: int
    often: int
    accepted: bool = False


def links_of(
    counts: ClassCounts, k: int, *, pseudonyms: Collection[str], accepted: Collection[str]
) -> tuple[Link, ...]:
    """The columns that link rows. A pseudonym links as soon as it stands in two rows of a person.

    Parameters
    ----------
    counts : ClassCounts
        Counted with people, and with the columns that may link.
    k : int
        Rows are not linked if so many people are candidates.
    pseudonyms : collection of str
        Columns that were made to link. They cannot be accepted.
    accepted : collection of str
        Columns that the publisher accepts as links.
    """
    people = counts.cells.people
    if people is None:
        return ()
    every = _Rows.of(people, counts.cells.rows)
    if not every.several.any():
        return ()
    links = _pseudonym_links(counts, every, pseudonyms)
    others = {name: codes for name, codes in counts.cells.linking.items() if name not in pseudonyms}
    search = _Search(every, *every.some(), k)
    while others:
        columns = search.columns(others)
        if columns is None:
            break
        share = every.share(every.linked([others[name] for name in columns], k))
        links.append(_link(counts, columns, share, k, accepted=set(columns) <= set(accepted)))
        if not links[-1].accepted:
            break
        # A link that is accepted may hide another.
        others = {name: codes for name, codes in others.items() if name not in columns}
    return tuple(links)


def _pseudonym_links(counts: ClassCounts, every: _Rows, pseudonyms: Collection[str]) -> list[Link]:
    links = []
    for name, codes in counts.cells.linking.items():
        linked = every.together([codes])
        if name in pseudonyms and linked.any():
            links.append(_link(counts, (name,), every.share(linked), 0))
    return links


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows and their people, some rows put together. ``sampled`` is the share of all people, if they are a sample."""

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
        """All rows of people drawn at random, and which rows these are."""
        if self.number <= _MOST_PEOPLE:
            return self, slice(None)
        drawn = np.zeros(self.number, dtype=bool)
        drawn[np.random.default_rng(7).choice(self.number, _MOST_PEOPLE, replace=False)] = True
        kept = drawn[self.people]
        return _Rows.of(self.people[kept], self.rows[kept], _MOST_PEOPLE / self.number), kept

    def share(self, linked: Bools) -> float:
        """The share of the linked people among those with several rows."""
        return float(linked[self.several].mean()) if self.several.any() else 0.0

    def together(self, columns: Sequence[Codes]) -> Bools:
        """The people who have several rows of the same value."""
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
        """How close columns come to linking, from 0 to 1, as the mean of all people with several rows."""
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
    """People who have several rows of a value, and the chance that two rows of such a value are of one person.

    ``surely`` is this chance where it exceeds a coincidence, else 0.
    """

    people: Codes | Integers
    likely: Floats
    surely: Floats


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for columns that link, in the rows of some people; all people confirm it."""

    every: _Rows
    some: _Rows
    kept: Bools | slice
    k: int

    def columns(self, columns: Mapping[str, Codes]) -> tuple[str, ...] | None:
        """As few columns as possible that link together."""
        sampled = {name: codes[self.kept] for name, codes in columns.items()}

        def links(names: Sequence[str]) -> bool:
            if self.some.share(self.some.linked([sampled[name] for name in names], self.k)) < LEAST_LINKED:
                return False
            if self.every is self.some:
                return True
            return self.every.share(self.every.linked([columns[name] for name in names], self.k)) >= LEAST_LINKED

        chosen: list[str] = []
        for name in self._chosen(sampled):
            chosen.append(name)
            if links(chosen):
                return _needed(chosen, links)
        return None

    def _chosen(self, columns: Mapping[str, Codes]) -> Iterator[str]:
        """Columns one by one, always the one that comes closest to linking with those before; none that add nothing."""

        def raised(names: Sequence[str]) -> float:
            return self.some.raised([columns[name] for name in names], self.k)

        least = raised(())
        alone = {name: raised((name,)) for name in columns}
        best = sorted(columns, key=lambda name: -alone[name])[:MOST_COLUMNS]
        best = [name for name in best if alone[name] > _RAISED * least]
        chosen: list[str] = []
        while best and len(chosen) < MOST_TOGETHER:
            tried = alone if not chosen else {name: raised([*chosen, name]) for name in best}
            name = max(best, key=tried.__getitem__)
            if tried[name] <= least:
                return
            least = tried[name]
            chosen.append(name)
            best.remove(name)
            yield name


def _needed(chosen: Sequence[str], links: Callable[[Sequence[str]], bool]) -> tuple[str, ...]:
    """Leave out columns that are not needed."""
    needed = list(chosen)
    for name in chosen:
        fewer = [other for other in needed if other != name]
        if fewer and links(fewer):
            needed = fewer
    return tuple(needed)


def _link(counts: ClassCounts, columns: tuple[str, ...], share: float, k: int, *, accepted: bool = False) -> Link:
    """Measure to how few people the linked rows may belong."""
    sets, often = counts.linked_by(columns, k)
    return Link(columns, round(share, 2), sets, often, accepted)
