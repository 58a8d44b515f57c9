r"""What a published class tells of a column beyond its cell, to whoever knows the method.

*Tightness.* Methods that publish what a group holds write only values that somebody in the group holds, and both ends
of an interval are held.

*Minimality.* Mondrian cuts a group as long as a cut leaves at least k people on both sides. Let a class of
:math:`n \ge 2k` people not have been cut, and let :math:`m` be the first value of a column, in the order of cuts, up to
which there are at least k people. A cut behind :math:`m` was not possible, so at most :math:`k - 1` people lie beyond
it; nor are there more than :math:`k - 1` before it, by the choice of :math:`m`. So at least :math:`n - 2(k - 1)` people
hold the single value :math:`m`. (At the median the same follows: half of the people or more lie up to it, and half or
more from it on.) Categories are also cut one against the rest, so that every value is held by at most :math:`k - 1` or
by at least :math:`n - k + 1`; above :math:`3(k - 1)` people only the latter is possible for :math:`m`.

Both are conditions on how many people hold each value. Given that people are drawn from the population, those whom the
cell allows, the expected share of each value follows exactly (:mod:`hedgerow.attacks._refining`). What is left out:
columns are taken to be independent inside a class; in classes of more than 200 people, and where labels of hierarchies
are published, only the cell and the population count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from hedgerow.anonymizers.registry import all_methods
from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.attacks.people import People
from hedgerow.domains import Domain
from hedgerow.published import Interval, ValueSet, read
from hedgerow.release import Release
from hedgerow.risk.likelihoods import cells_of_texts

__all__ = ["Known", "Refined", "known_of", "refined"]

_MOST_PEOPLE: Final = 200
"""Of a class whose numbers are counted; of larger ones they tell next to nothing of a person."""


@dataclass(frozen=True)
class Known:
    """What is public of how a release was made, as far as it tells something of one column.

    Attributes
    ----------
    tight : bool
        Whether sets and intervals name what is held.
    least : int
        The k below which no cut was made, 0 if nothing follows from that.
    ordered, singles : bool
        Whether cuts between neighbours were tried in the order of the values, and cuts of one value from the rest.
    """

    tight: bool = False
    least: int = 0
    ordered: bool = False
    singles: bool = False


def known_of(release: Release, at: int) -> Known:
    """Read the manifest: method, parameters and requirements are no secret, nor is an order that is everybody's."""
    manifest, name = release.manifest, release.quasi[at]
    parameters: Mapping[str, Any] = manifest["parameters"]
    method = all_methods().get(str(manifest["method"]))
    given = name in release.given_hierarchies
    publish = parameters.get("publish", "auto")
    if method is None or publish == "label" or (publish == "auto" and given):
        return Known()
    # On the levels of a calendar that was given, intervals end where nobody needs to be.
    tight = method.tells_held(parameters) and not (publish == "interval" and given)
    uncut = (
        method.name == "mondrian"
        and not parameters["improve"]
        and not parameters["relaxed"]
        and not manifest["rows_lost"]
        and manifest["columns"]["entity"] is None
        and [set(one) for one in manifest["require"]] == [{"requirement", "k"}]
        and manifest["require"][0]["requirement"] == "k"
    )
    if not uncut:
        return Known(tight)
    domain = None if release.private is None else release.private.columns[at].domain
    text = domain is None or domain.kind == "text"
    told = domain is not None and domain.ordered
    by_tree = text and parameters["order"] != "alphabetical" and given
    return Known(
        tight,
        int(manifest["require"][0]["k"]),
        ordered=domain is not None and not told and not by_tree,
        singles=text and domain is not None and not told and parameters["cut"] == "loss",
    )


@dataclass(frozen=True, eq=False)
class Refined:
    """One column: what the cells of the classes may stand for, and what is known beyond.

    Attributes
    ----------
    known : Known
    population : float array (values,)
        How many of the people who are known hold each value.
    covers, held : bool arrays (cells, values)
        Which values each cell may stand for, and which of them somebody in the class must hold.
    cell, sizes : int arrays (classes,)
        The cell of each class, and its people.
    """

    known: Known
    population: Floats
    covers: Bools
    held: Bools
    cell: Longs
    sizes: Longs

    @cached_property
    def shares(self) -> Floats:
        """How probable each value is for somebody of a class, (classes, values)."""
        pairs, index = np.unique(np.stack([self.cell, self.sizes], axis=1), axis=0, return_inverse=True)
        result = np.zeros((len(pairs), len(self.population)))
        for row, (cell, people) in enumerate(pairs.tolist()):
            codes = np.flatnonzero(self.covers[cell])
            if len(codes):
                result[row, codes] = self._divided(codes, self.held[cell, codes], people)
        return result[index.ravel()]

    def _divided(self, codes: Longs, held: Bools, people: int) -> Floats:
        from hedgerow.attacks._refining import expected_shares

        known = self.known
        chances = self.population[codes] / self.population[codes].sum()
        least = known.least if people >= 2 * known.least and (known.ordered or known.singles) else 0
        if len(codes) == 1 or people > _MOST_PEOPLE or not (least or held.any()):
            return np.asarray(chances)
        room, shares = np.empty((2 * len(codes) + 2, people + 1)), np.empty(len(codes))
        # What cannot be shows that the attacker knows too little of the values: then he takes less for granted.
        for some, k in ((held, least), (held, 0), (np.zeros_like(held), 0)):
            if expected_shares(chances, some, people, k, known.ordered, known.singles, room, shares):
                break
        return shares

    def possible(self, classes: Longs, others: Longs) -> Bools:
        """Which values somebody may hold of whose class all others are known, (people, values).

        Parameters
        ----------
        classes : int array (people,)
            The class of each.
        others : int array (people, values)
            How many others in it hold each value.
        """
        cell, known = self.cell[classes], self.known
        result = self.covers[cell].copy()
        unheld = self.held[cell] & (others == 0)
        told = unheld.any(axis=1)
        result[told] = unheld[told]
        size = self.sizes[classes][:, None]
        counted = (others.sum(axis=1) == size[:, 0] - 1) & (size[:, 0] >= 2 * known.least)
        if known.least and counted.any():
            allowed = np.ones_like(result)
            if known.ordered:
                upto = others.cumsum(axis=1)
                cut = _between(upto, known.least, size - known.least)
                cut_with = _between(upto + 1, known.least, size - known.least)
                before = np.logical_or.accumulate(cut, axis=1)
                allowed[:, 1:] &= ~before[:, :-1]
                allowed &= ~np.logical_or.accumulate(cut_with[:, ::-1], axis=1)[:, ::-1]
            if known.singles:
                alone = _between(others, known.least, size - known.least)
                several = alone.sum(axis=1, keepdims=True) - alone > 0
                allowed &= ~several & ~_between(others + 1, known.least, size - known.least)
            result[counted] &= allowed[counted]
        return result


def refined(people: People, at: int) -> Refined:
    """What the release tells of one column."""
    texts, codes = people.classes.texts[at], people.classes.codes[:, at].astype(np.int64)
    column, known = people.known(at), known_of(people.release, at)
    covers = cells_of_texts(texts, column)
    held = np.zeros_like(covers)
    if known.tight:
        for cell, text in enumerate(texts):
            meaning = read(text, column.domain.kind, column.below)
            if isinstance(meaning, ValueSet):
                held[cell] = covers[cell]
            elif isinstance(meaning, Interval):
                held[cell, _ends(meaning, column.domain, np.flatnonzero(covers[cell]))] = True
    return Refined(known, column.records.astype(np.float64), covers, held, codes, people.classes.sizes)


def _ends(interval: Interval, domain: Domain, codes: Longs) -> list[int]:
    """The codes of both ends, as far as they are among the values that are known."""
    found = []
    if len(codes) and domain.values[codes[0]] == interval.low:
        found.append(int(codes[0]))
    if len(codes):
        last = float(domain.values[codes[-1]])
        following = last if interval.closed else round(last + domain.step, domain.decimals)
        if following == interval.high:
            found.append(int(codes[-1]))
    return found


def _between(numbers: Longs, low: int, high: Longs) -> Bools:
    return (low <= numbers) & (numbers <= high)
