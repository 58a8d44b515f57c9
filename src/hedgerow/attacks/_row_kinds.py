"""RowKinds that a release publishes, for attackers who use all of it: table, proportions, and label margins.

Rows that publish the same form a *kind* of row: a class, and its values in clear. For each kind, the probability of
every value of every column is known. Proportions give it, also by label (see :mod:`hedgerow.risk.likelihoods`). Without
them a published cell allows some values, each with its frequency among the known people. In the same way a proportion
for several values together is divided among them.
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

__all__ = ["RowKinds"]

_MOST_VALUES: Final = 256
"""The most values of a column in clear that is read; with more, there are too few people per value."""
_MOST_KINDS: Final = 20_000
_STRAY: Final = 1e-5
"""The chance, times its frequency, of a value that a kind does not allow, so that everybody resembles some kind."""
_MOST_LOG: Final = 50.0
_PAIRS: Final = 2**22
"""The most pairs of a person and a kind in memory at once."""


@dataclass(frozen=True, eq=False)
class RowKinds:
    """The published information, and the attacker's knowledge about people.

    Attributes
    ----------
    people : People
    names : tuple of str
        The columns: quasi-identifiers and columns in clear.
    sizes : int array (kinds,)
        The number of rows of each kind.
    shares : tuple of float arrays (kinds, values)
        For each column, the probability of each value for the people of a kind.
    frequent : tuple of float arrays (values,)
        The frequency of each value among the known people.
    codes : int array (people, columns)
        The values of each person.
    """

    people: People
    names: tuple[str, ...]
    sizes: Longs
    shares: tuple[Floats, ...]
    frequent: tuple[Floats, ...]
    codes: Longs

    @classmethod
    def of(cls, given: Given) -> RowKinds:
        """Read a release, with the columns in clear that both tables of people have."""
        people = people_of(given)
        clear = _in_clear(given)
        frame = open_frame(given.release.table).frame
        missing = given.release.guarantee.missing
        published = [target.codes(frame[target.domain.name], missing) for target in clear]
        own = [
            np.concatenate([target.codes(rows.frame[target.domain.name], given.missing) for _, rows in given.sides])
            for target in clear
        ]
        classes, of_row, chances = _by_class(people)
        columns = [of_row, *published]
        kinds, of_kind = _kinds(columns, [classes, *(target.domain.size for target in clear)], len(frame))
        clear = clear[: kinds.shape[1] - 1]
        shares, frequent, codes = [], [], []
        for at, domain in enumerate(people.domains):
            shares.append(_by_kind(chances[at], kinds, clear))
            frequent.append(_frequencies(people.tuples[:, at], domain.size))
            codes.append(people.tuples[:, at].astype(np.int64))
        for at, target in enumerate(clear):
            # Values that the release does not publish share a further code.
            held = np.where(own[at] < 0, target.domain.size, own[at])
            shares.append(np.eye(target.domain.size + 1)[kinds[:, 1 + at]])
            frequent.append(_frequencies(held, target.domain.size + 1))
            codes.append(held)
        names = (*given.release.quasi, *(target.domain.name for target in clear))
        sizes = np.bincount(of_kind, minlength=len(kinds)).astype(np.int64)
        return cls(people, names, sizes, tuple(shares), tuple(frequent), np.stack(codes, axis=1))

    def logarithms(self, at: int) -> Floats:
        """The log-probability of each value of a column in each kind, (values, kinds); always finite."""
        mixed = (1 - _STRAY) * self.shares[at] + _STRAY * self.frequent[at]
        return np.ascontiguousarray(np.log(mixed).T)

    @property
    def at_once(self) -> int:
        """The number of people to process at once."""
        return max(1, _PAIRS // len(self.sizes))

    def fewer(self, most: int, generator: np.random.Generator) -> Longs:
        """The people who are attacked: at most a given number of members and of others, drawn at random."""
        sides = [np.flatnonzero(side) for side in self.people.judged]
        return np.concatenate(
            [side if len(side) <= most else np.sort(generator.choice(side, most, replace=False)) for side in sides]
        )


def _kinds(columns: list[Any], sizes: list[int], rows: int) -> tuple[Any, Any]:
    """The distinct rows, and the kind of each row. The last columns are dropped while there are too many kinds."""
    for kept in range(len(columns), 0, -1):
        kinds, of_kind = tabulate([codes.astype(np.int32) for codes in columns[:kept]], sizes[:kept], rows)
        if len(kinds) <= _MOST_KINDS:
            break
    return kinds, of_kind


def _in_clear(given: Given) -> list[Target]:
    """The columns in clear with few values: the target first, then sensitive columns, then the others."""
    roles = given.release.facts["columns"]
    named = (roles["target"], *roles["sensitive"], *roles["insensitive"])
    shared = set(given.shared)
    targets = [
        Target.of_column(given.release, name)
        for name in dict.fromkeys(column for column in named if column is not None)
        if name in shared and name not in given.release.quasi
    ]
    return [target for target in targets if target.domain.size <= _MOST_VALUES]


def _frequencies(codes: Any, values: int) -> Floats:
    """The frequencies of values, with one further person for each value."""
    counted = np.bincount(codes, minlength=values) + 1.0
    return np.asarray(counted / counted.sum())


@dataclass(frozen=True, eq=False)
class _Column:
    """The probabilities of a column's values in each class, and the effect of the label.

    Attributes
    ----------
    by_class : float array (classes, values)
    labelled : PublishedShares, optional
        The proportions, if there are any by label.
    """

    by_class: Floats
    labelled: PublishedShares | None = None


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
        raise BadInput("The proportions belong to other classes than the table. Give those published with it.")
    labels = None if release.target is None else Target.of_column(release, release.target).labels
    columns = []
    for at, domain in enumerate(people.domains):
        labelled = PublishedShares.of(proportions, at, people.known(at), labels)
        frequent = _frequencies(people.tuples[:, at], domain.size)
        by_point = np.append(np.asarray(labelled.shares.todense()), np.zeros((len(proportions.sizes), 1)), axis=1)
        # The share of a part of a range is divided among its values.
        within = np.bincount(labelled.point + 1, frequent, by_point.shape[1] + 1)[1 + labelled.point]
        columns.append(
            _Column(
                _normed(by_point[:, labelled.point] * (frequent / within)), None if labelled.tilt is None else labelled
            )
        )
    return len(proportions.sizes), of_row, columns


def _by_kind(column: _Column, kinds: Any, clear: list[Target]) -> Floats:
    """The probabilities of values in each kind of rows: those of its class, adjusted by its label."""
    of_class = kinds[:, 0].astype(np.int64)
    by_class: Floats = np.asarray(column.by_class[of_class], dtype=np.float64)
    labelled = column.labelled
    if labelled is None or not clear:
        return by_class
    if labelled.labels is None or len(labelled.labels) != clear[0].domain.size:
        return by_class
    values = by_class.shape[1]
    label = kinds[:, 1].astype(np.int64)
    result: Floats = by_class.copy()
    known = np.flatnonzero(labelled.point >= 0)
    step = max(1, _PAIRS // max(1, len(known) * len(labelled.labels)))
    for start in range(0, len(of_class), step):
        some = np.arange(start, min(start + step, len(of_class)))
        pairs = np.repeat(of_class[some], len(known))
        ratios = labelled.ratios(pairs, np.tile(labelled.point[known], len(some)))
        if ratios is None:
            return by_class
        own = ratios[np.arange(len(pairs)), np.repeat(label[some], len(known))].reshape(len(some), len(known))
        factor = np.zeros((len(some), values))
        factor[:, known] = np.exp(np.clip(own, -_MOST_LOG, _MOST_LOG))
        result[some] = _normed(by_class[some] * factor)
    return result


def _normed(weights: Floats) -> Floats:
    """Rows scaled to add up to 1; empty rows stay empty."""
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))
