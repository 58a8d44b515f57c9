"""All that a release publishes of its people, for attackers who read all of it: table, proportions, what is by label.

Rows that publish the same are one *kind* of row: a class, and what its rows say in clear. Of each kind it is known how
probable every value of every column is. Proportions tell it, also by label (:mod:`hedgerow.risk.likelihoods` says how);
without them a published cell allows some values, and each is as probable as it is frequent among the people who are
known. In the same way what a proportion tells of several values together is divided among these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.attacks._people import Given, People, Target, people_of
from hedgerow.core.counts import tabulate
from hedgerow.errors import BadInput
from hedgerow.io.frames import open_frame
from hedgerow.risk.likelihoods import PublishedShares, cells_of_texts

__all__ = ["Everything"]

_MOST_VALUES: Final = 256
"""Of a column in clear that is read: one with more says too little of each."""
_MOST_KINDS: Final = 20_000
_STRAY: Final = 1e-5
"""The chance, times its frequency, of a value that a kind of rows does not allow: who fits none is most like some."""
_MOST_LOG: Final = 50.0
_PAIRS: Final = 2**22
"""So many pairs of a person and a kind are looked at together."""


@dataclass(frozen=True, eq=False)
class Everything:
    """What is published, and what is known of people.

    Attributes
    ----------
    people : People
    names : tuple of str
        The columns: quasi-identifiers, and what is published as it is.
    sizes : int array (kinds,)
        The rows of each kind.
    shares : tuple of float arrays (kinds, values)
        For each column, how probable each value is for the people of a kind.
    frequent : tuple of float arrays (values,)
        How frequent it is among the people who are known.
    codes : int array (people, columns)
        What each person holds.
    """

    people: People
    names: tuple[str, ...]
    sizes: Longs
    shares: tuple[Floats, ...]
    frequent: tuple[Floats, ...]
    codes: Longs

    @classmethod
    def of(cls, given: Given) -> Everything:
        """Read a release; of columns in clear those that both tables have."""
        people = people_of(given)
        clear = _in_clear(given)
        frame = open_frame(given.release.table).frame
        missing = given.release.guarantee.missing
        published = [one.codes(frame[one.domain.name], missing) for one in clear]
        own = [
            np.concatenate([one.codes(rows.frame[one.domain.name], given.missing) for _, rows in given.sides])
            for one in clear
        ]
        classes, of_row, chances = _by_class(people)
        kept = len(clear)
        while True:
            columns = [of_row.astype(np.int32), *(codes.astype(np.int32) for codes in published[:kept])]
            kinds, of_kind = tabulate(columns, [classes, *(one.domain.size for one in clear[:kept])], len(frame))
            if len(kinds) <= _MOST_KINDS or not kept:
                break
            kept -= 1
        shares, frequent, codes = [], [], []
        for at, domain in enumerate(people.domains):
            shares.append(_by_kind(chances[at], kinds, clear[:kept]))
            frequent.append(_frequencies(people.tuples[:, at], domain.size))
            codes.append(people.tuples[:, at].astype(np.int64))
        for at, one in enumerate(clear[:kept]):
            # What the release does not publish is one value more.
            held = np.where(own[at] < 0, one.domain.size, own[at])
            shares.append(np.eye(one.domain.size + 1)[kinds[:, 1 + at]])
            frequent.append(_frequencies(held, one.domain.size + 1))
            codes.append(held)
        names = (*given.release.quasi, *(one.domain.name for one in clear[:kept]))
        sizes = np.bincount(of_kind, minlength=len(kinds)).astype(np.int64)
        return cls(people, names, sizes, tuple(shares), tuple(frequent), np.stack(codes, axis=1))

    def logarithms(self, at: int) -> Floats:
        """The logarithm of how probable each value of a column is in each kind, (values, kinds); never of nothing."""
        mixed = (1 - _STRAY) * self.shares[at] + _STRAY * self.frequent[at]
        return np.ascontiguousarray(np.log(mixed).T)

    @property
    def at_once(self) -> int:
        """Of how many people it is asked at once."""
        return max(1, _PAIRS // len(self.sizes))

    def fewer(self, most: int, generator: np.random.Generator) -> Longs:
        """The people who are judged; of more than so many on a side some, drawn at random."""
        sides = [np.flatnonzero(side) for side in self.people.judged]
        return np.concatenate(
            [side if len(side) <= most else np.sort(generator.choice(side, most, replace=False)) for side in sides]
        )


def _in_clear(given: Given) -> list[Target]:
    """What is published as it is, of few values: the target first, then what is sensitive, then the rest."""
    roles = given.release.facts["columns"]
    named = (roles["target"], *roles["sensitive"], *roles["insensitive"])
    shared = set(given.shared)
    found = [
        Target.of_column(given.release, name)
        for name in dict.fromkeys(one for one in named if one is not None)
        if name in shared and name not in given.release.quasi
    ]
    return [one for one in found if one.domain.size <= _MOST_VALUES]


def _frequencies(codes: Any, values: int) -> Floats:
    """How frequent values are, where each counts as if one person more had it."""
    counted = np.bincount(codes, minlength=values) + 1.0
    return np.asarray(counted / counted.sum())


@dataclass(frozen=True, eq=False)
class _Column:
    """How probable the values of a column are in each class, and what a label changes.

    Attributes
    ----------
    by_class : float array (classes, values)
    told : PublishedShares, optional
        The proportions, where something is told by label.
    """

    by_class: Floats
    told: PublishedShares | None = None


def _by_class(people: People) -> tuple[int, Longs, list[_Column]]:
    """The number of classes, the class of each published row, and the columns."""
    release = people.release
    proportions = release.proportions
    if proportions is None:
        classes = people.classes
        columns = []
        for at, domain in enumerate(people.domains):
            covers = cells_of_texts(classes.texts[at], people.known(at))
            weights = covers * _frequencies(people.tuples[:, at], domain.size)
            columns.append(_Column(_normed(weights)[classes.codes[:, at]]))
        return len(classes.codes), classes.of_row.astype(np.int64), columns
    of_row = proportions.classes_of(open_frame(release.table).frame)
    if (of_row < 0).any():
        raise BadInput("The proportions speak of other classes than the table. Give those that were published with it.")
    labels = None if release.target is None else Target.of_column(release, release.target).labels
    columns = []
    for at, domain in enumerate(people.domains):
        told = PublishedShares.of(proportions, at, people.known(at), labels)
        frequent = _frequencies(people.tuples[:, at], domain.size)
        by_point = np.append(np.asarray(told.shares.todense()), np.zeros((len(proportions.sizes), 1)), axis=1)
        # What is told of a piece of a range is divided among its values.
        within = np.bincount(told.point + 1, frequent, by_point.shape[1] + 1)[1 + told.point]
        columns.append(
            _Column(_normed(by_point[:, told.point] * (frequent / within)), None if told.tilt is None else told)
        )
    return len(proportions.sizes), of_row, columns


def _by_kind(column: _Column, kinds: Any, clear: list[Target]) -> Floats:
    """How probable values are in each kind of rows: as in its class, and as its label makes them."""
    of_class = kinds[:, 0].astype(np.int64)
    by_class: Floats = np.asarray(column.by_class[of_class], dtype=np.float64)
    told = column.told
    if told is None or not clear:
        return by_class
    if told.labels is None or len(told.labels) != clear[0].domain.size:
        return by_class
    values = by_class.shape[1]
    label = kinds[:, 1].astype(np.int64)
    result: Floats = by_class.copy()
    known = np.flatnonzero(told.point >= 0)
    step = max(1, _PAIRS // max(1, len(known) * len(told.labels)))
    for start in range(0, len(of_class), step):
        some = np.arange(start, min(start + step, len(of_class)))
        pairs = np.repeat(of_class[some], len(known))
        ratios = told.ratios(pairs, np.tile(told.point[known], len(some)))
        if ratios is None:
            return by_class
        own = ratios[np.arange(len(pairs)), np.repeat(label[some], len(known))].reshape(len(some), len(known))
        factor = np.zeros((len(some), values))
        factor[:, known] = np.exp(np.clip(own, -_MOST_LOG, _MOST_LOG))
        result[some] = _normed(by_class[some] * factor)
    return result


def _normed(weights: Floats) -> Floats:
    """Rows that add up to 1; one of nothing stays so."""
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))
