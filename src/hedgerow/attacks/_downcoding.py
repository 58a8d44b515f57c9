"""Downcoding: what somebody's generalized value was, concluded from the release and from how it was made.

Local recoding publishes groups that are no wider than they must be, and so tells who is in them: every value that a set
names is held, nobody holds another one, and a group that was not cut could not be. A. Cohen: Attacks on
Deidentification's Defenses, USENIX Security 2022, section 3, undoes minimal hierarchical generalization in this way;
what follows with certainty is combinatorial refinement. What a release says of columns is in
:mod:`hedgerow.attacks.refining`.

Two attackers. One has the release, and knows of a person all quasi-identifiers but one. The other knows everybody in
the table but this person, and in which class the person is: he looks for what nobody else there holds. Both are judged
beside the same attack on people who are not in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.anonymizers.registry import all_methods
from hedgerow.attacks._people import People, check_sure, generator_of, read_people, released
from hedgerow.attacks.outcome import Claims, Outcome, worst
from hedgerow.core.cells import Interval, ValueSet, read
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.release import Release
from hedgerow.risk.likelihoods import cells_of_texts

__all__ = ["Downcoding", "Known", "Refined", "downcoding", "known_of", "refined"]


# --------------------------------------------------------------------------------------------------
# What a published class tells of a column beyond its cell, to whoever knows the method.
#
# *Tightness.* Methods that publish what a group holds write only values that somebody in the group holds, and both
# ends of an interval are held.
#
# *Minimality.* Mondrian cuts a group as long as a cut leaves at least k people on both sides. Let a class of :math:`n
# \ge 2k` people not have been cut, and let :math:`m` be the first value of a column, in the order of cuts, up to
# which there are at least k people. A cut behind :math:`m` was not possible, so at most :math:`k - 1` people lie
# beyond it; nor are there more than :math:`k - 1` before it, by the choice of :math:`m`. So at least :math:`n - 2(k -
# 1)` people hold the single value :math:`m`. (At the median the same follows: half of the people or more lie up to
# it, and half or more from it on.) Categories are also cut one against the rest, so that every value is held by at
# most :math:`k - 1` or by at least :math:`n - k + 1`; above :math:`3(k - 1)` people only the latter is possible for
# :math:`m`.
#
# Both are conditions on how many people hold each value. Given that people are drawn from the population, those whom
# the cell allows, the expected share of each value follows exactly (:mod:`hedgerow.attacks._refining`). What is left
# out: columns are taken to be independent inside a class; in classes of more than 200 people, and where labels of
# hierarchies are published, only the cell and the population count.


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
    tight = method.reveals_values(parameters) and not (publish == "interval" and given)
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
        from hedgerow.attacks._refining_kernels import expected_shares

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


_OWNER: Final = "downcoding"
_PAIRS: Final = 2**22
"""So many pairs of a person and a class are looked at together."""
_SLACK: Final = 1e-9
"""Sums of shares are rounded."""


@dataclass(frozen=True, repr=False)
class Downcoding(Outcome):
    """What downcoding found out: in the column where it finds out most, and in each.

    Attributes
    ----------
    columns : mapping of column to Outcome
        Every column that was attacked. The interval of the whole is widened, since it is that of the worst of them.
    """

    columns: Mapping[str, Outcome] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def over(cls, columns: Mapping[str, Outcome], *remarks: str) -> Downcoding:
        """That of the column with the largest excess that is not chance."""
        one = worst(tuple(columns.values()), "columns", *remarks)
        return cls(one.attack, one.claim, one.members, one.control, one.excess, one.remarks, columns=dict(columns))


def downcoding(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    knowing: Literal["release", "class"] = "release",
    column: str | None = None,
    sure: float = 0.9,
    random_state: int | np.random.Generator | None = 0,
) -> Downcoding:
    """Attack the generalized values of a release, beside a control.

    Parameters
    ----------
    release : Release or path
        A path is that of a saved one.
    members : dataframe or path
        People who are in the table, with their original quasi-identifiers: all of them, or a random part. With
        ``knowing="class"`` all of them.
    non_members : dataframe or path
        People of the same population who are not.
    knowing : {"release", "class"}
        What the attacker knows: of a person all quasi-identifiers but one, or everybody in the table but the person,
        and the person's class.
    column : str, optional
        The quasi-identifier to find out; each of them, one after the other, if not given.
    sure : float
        From which probability on he claims a value.
    random_state : int, numpy Generator or None
        Decides whose place in a class a non-member is believed to have, with ``knowing="class"``.

    Returns
    -------
    Downcoding
        An :class:`~hedgerow.attacks.Outcome` of the column in which most is found out, with all in ``columns``.

    Notes
    -----
    With ``knowing="release"`` every class that a person fits in the other columns counts by its size and by how
    probable the person's values are in it; who fits none, and so is not in the table, counts as if in those that fit in
    the most columns. The classes say how probable each value of the missing column is. Values that are published as
    they are can be claimed too, of others as well.

    With ``knowing="class"`` only cells with several values count, of people who fit a single class. A value that the
    cell names and that nobody else there holds is the person's. A non-member is believed to be in the class in place
    of one of its people, drawn at random.

    Proportions that a release publishes beside its table are not used: they tell shares of values outright.

    Examples
    --------
    Five people in a class, and five values in a set: each is held by one of them.

    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"job": [f"{letter}{at}" for letter in "abcdefgh" for at in range(5)]})
    >>> others = people.take([at * at % 40 for at in range(40)])
    >>> schema = hr.Schema(quasi=["job"])
    >>> held = hr.anonymize(people, schema, method="mondrian", k=5)
    >>> hr.attacks.downcoding(held, people, others, knowing="class").works
    True
    >>> region = hr.anonymize(people, schema, method="mondrian", k=5, cells="region")
    >>> hr.attacks.downcoding(region, people, others, knowing="class").works
    False
    """
    if knowing not in ("release", "class"):
        raise BadInput.parameter("knowing", _OWNER, "'release' or 'class'", knowing)
    check_sure(sure, _OWNER)
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    if column is not None and column not in release.quasi:
        raise BadInput.unknown("quasi-identifier", column, release.quasi)
    people = read_people(release, members, non_members)
    asked = range(len(release.quasi)) if column is None else [release.quasi.index(column)]
    told = [refined(people, at) for at in range(len(release.quasi))]
    if knowing == "class":
        found = _Informed.of(people, generator).claims(told, asked, sure)
    else:
        found = _from_release(people, told, asked, sure)
    outcomes = {}
    for name, (claimed, right, who) in zip((release.quasi[at] for at in asked), found, strict=True):
        main, control = (Claims.of(claimed[who & side], right[who & side]) for side in people.judged)
        if not main.people or not control.people:
            which = "non-members" if main.people else "members"
            raise BadInput(f"None of the {which} fits a single class of the release. Give more of them.")
        outcomes[name] = Outcome.of(_OWNER, f"the value of {name!r}", main, control)
    return Downcoding.over(outcomes, *_remarks(release))


def _remarks(release: Release) -> Iterator[str]:
    if release.proportions is not None:
        yield "without the proportions, which tell shares of values outright"


_Found = tuple[Bools, Bools, Bools]
"""Of whom something was claimed, whether it is right, and who was asked about."""


def _from_release(people: People, told: list[Refined], asked: Any, sure: float) -> Iterator[_Found]:
    """The claims of the attacker who has the release, column by column."""
    distinct, index = people.distinct
    everybody = np.ones(len(index), dtype=bool)
    tables = [_Table.of(one) for one in told]
    said = {at: (np.empty(len(distinct), dtype=np.int64), np.empty(len(distinct))) for at in asked}
    step = max(1, _PAIRS // len(people.classes.codes))
    for start in range(0, len(distinct), step):
        here = slice(start, start + step)
        some = distinct[here]
        fitting = np.zeros((len(some), len(people.classes.codes)), dtype=np.int16)
        chances = np.zeros(fitting.shape, dtype=np.float32)
        for at, table in enumerate(tables):
            fitting += table.fits[some[:, at]]
            chances += table.logarithms[some[:, at]]
        for at in asked:
            own = tables[at]
            posterior = _posterior(
                fitting - own.fits[some[:, at]],
                chances - own.logarithms[some[:, at]],
                np.log(people.classes.sizes).astype(np.float32),
                told[at].shares,
            )
            said[at][0][here], said[at][1][here] = posterior.argmax(axis=1), posterior.max(axis=1)
    for at in asked:
        value, certain = said[at]
        yield (certain >= sure - _SLACK)[index], (value == distinct[:, at])[index], everybody


@dataclass(frozen=True, eq=False)
class _Table:
    """Of each value of a column, which classes may hold it, and how probable it is there, (values, classes)."""

    fits: Any
    logarithms: Any

    @classmethod
    def of(cls, told: Refined) -> _Table:
        shares = np.ascontiguousarray(told.shares.T)
        fits = told.covers[told.cell].T & (shares > 0)
        logarithms = np.zeros(shares.shape, dtype=np.float32)
        logarithms[fits] = np.log(shares[fits])
        return cls(np.ascontiguousarray(fits).astype(np.int16), logarithms)


def _posterior(fitting: Any, chances: Any, sizes: Any, shares: Floats) -> Floats:
    """How probable each value is, by the classes that fit in the most other columns, (people, values)."""
    from scipy.sparse import csr_array

    best = fitting.max(axis=1, keepdims=True)
    who, classes = np.nonzero(fitting == best)
    logarithms = (chances[who, classes] + sizes[classes]).astype(np.float64)
    most = np.full(len(fitting), -np.inf)
    np.maximum.at(most, who, logarithms)
    weights = csr_array((np.exp(logarithms - most[who]), (who, classes)), shape=fitting.shape)
    posterior: Floats = np.asarray(weights @ shares, dtype=np.float64)
    total: Floats = posterior.sum(axis=1, keepdims=True)
    return np.asarray(posterior / np.maximum(total, np.finfo(np.float64).tiny), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Informed:
    """The attacker who knows everybody else in the table.

    Attributes
    ----------
    people : People
    single : bool array (people,)
        Who fits a single class.
    of_class : int array (people,)
        The class of these.
    in_place_of : int array (people,)
        Whom the attacker does not know: a member himself, or the one in whose place he believes a non-member to be.
    """

    people: People
    single: Bools
    of_class: Longs
    in_place_of: Longs

    @classmethod
    def of(cls, people: People, generator: np.random.Generator) -> _Informed:
        """Find the classes of all people, and draw the places of non-members."""
        if people.members < len(people.classes.of_row):
            raise BadInput(
                f"With knowing='class' everybody who is in the table has to be given: the release has "
                f"{len(people.classes.of_row):,} rows, and there are {people.members:,} members."
            )
        fitting, index = people.fitting, people.distinct[1]
        if not fitting.nnz:
            raise BadInput("Nobody fits a class, so that nobody's class is known.")
        single = np.diff(fitting.indptr) == 1
        first = np.minimum(fitting.indptr[:-1], len(fitting.indices) - 1)
        of_class = np.where(single, fitting.indices[first], -1)[index].astype(np.int64)
        unknown = np.arange(len(index), dtype=np.int64)
        others = np.flatnonzero(single[index][people.members :]) + people.members
        # Members by their classes: of each class the attacker draws one.
        known = np.flatnonzero(single[index][: people.members])
        if not len(known):
            raise BadInput("Nobody in the table fits only one class, so that nobody's class is known.")
        order = known[np.argsort(of_class[known], kind="stable")]
        starts = np.searchsorted(of_class[order], np.arange(len(people.classes.codes) + 1))
        wide = np.diff(starts)[of_class[others]]
        drawn = starts[of_class[others]] + (generator.random(len(others)) * wide).astype(np.int64)
        unknown[others] = np.where(wide > 0, order[np.minimum(drawn, len(order) - 1)], -1)
        return cls(people, single[index] & (unknown >= 0), of_class, unknown)

    def claims(self, told: list[Refined], asked: Any, sure: float) -> Iterator[_Found]:
        """What he claims, column by column."""
        people = self.people
        who = np.flatnonzero(self.single)
        for at in asked:
            values, one = people.tuples[:, at], told[at]
            held = self._held(at, len(one.population))
            claimed, right = (np.zeros(len(people.tuples), dtype=bool) for _ in range(2))
            step = max(1, _PAIRS // len(one.population))
            for start in range(0, len(who), step):
                some = who[start : start + step]
                classes = self.of_class[some]
                others = held[classes]
                others[np.arange(len(some)), values[self.in_place_of[some]]] -= 1
                chances = one.possible(classes, others) * one.population
                certain = chances.max(axis=1) >= (sure - _SLACK) * chances.sum(axis=1)
                several = one.covers[one.cell[classes]].sum(axis=1) > 1
                claimed[some] = certain & several & (chances.max(axis=1) > 0)
                right[some] = chances.argmax(axis=1) == values[some]
            yield claimed, right, self.single

    def _held(self, at: int, values: int) -> Longs:
        """How many members may hold each value in each class, (classes, values): all who fit it."""
        people = self.people
        distinct, index = people.distinct
        members = np.bincount(index[: people.members], minlength=len(distinct))
        pairs = people.fitting.tocoo()
        key = pairs.col.astype(np.int64) * values + distinct[pairs.row, at]
        number = len(people.classes.codes) * values
        return np.bincount(key, members[pairs.row], number).astype(np.int64).reshape(-1, values)
