"""Downcoding: infers a person's original value from the release and from the method that made it.

Local recoding publishes groups that are as narrow as possible, which reveals their members: somebody holds every value
in a set, nobody holds another value, and a group that was not cut could not be cut. A. Cohen: Attacks on
Deidentification's Defenses, USENIX Security 2022, section 3, reverses minimal hierarchical generalization in this way;
conclusions with certainty are called combinatorial refinement.

There are two attackers. The first has the release, and knows all quasi-identifiers of a person except one. The second
knows everybody in the table except this person, and the person's class, and looks for values that nobody else there
holds. Both are compared with the same attack on people who are not in the table.
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
# What a published class reveals about a column beyond its cell, to anybody who knows the method.
#
# *Tightness.* Methods that publish the values of a group write only values that somebody in the group holds, and
# somebody holds each end of an interval.
#
# *Minimality.* Mondrian cuts a group as long as a cut leaves at least k people on both sides. Suppose a class of
# :math:`n \ge 2k` people was not cut, and let :math:`m` be the first value of a column, in the order of cuts, such that
# at least k people lie up to it. A cut after :math:`m` was impossible, so at most :math:`k - 1` people lie beyond it;
# by the choice of :math:`m`, at most :math:`k - 1` lie before it. So at least :math:`n - 2(k - 1)` people hold the
# single value :math:`m`. (The same follows at the median: at least half of the people lie up to it, and at least half
# from it on.) Categories are also cut one against the rest, so every value is held by at most :math:`k - 1` or at least
# :math:`n - k + 1` people; above :math:`3(k - 1)` people only the latter is possible for :math:`m`.
#
# Both are conditions on the number of people who hold each value. If people are drawn from those in the population
# whom the cell allows, the expected share of each value follows exactly (:mod:`hedgerow.attacks._downcoding_kernels`).
# Simplifications: columns are assumed independent inside a class; for classes of more than 200 people, and for
# published labels of hierarchies, only the cell and the population count.


_MOST_PEOPLE: Final = 200
"""The largest class for which these conditions are used; larger classes reveal next to nothing about a person."""


@dataclass(frozen=True)
class Known:
    """Public knowledge about the making of a release that reveals something about a column.

    Attributes
    ----------
    tight : bool
        Whether somebody holds each value of a set, and both ends of an interval.
    least : int
        The k below which no cut was made, 0 if nothing follows from it.
    ordered, singles : bool
        Whether cuts between neighbours in the order of the values were tried, and cuts of one value from the rest.
    """

    tight: bool = False
    least: int = 0
    ordered: bool = False
    singles: bool = False


def known_of(release: Release, at: int) -> Known:
    """Read the manifest: method, parameters and requirements are public, and so is a natural order of values."""
    manifest = release.manifest
    parameters: Mapping[str, Any] = manifest["parameters"]
    method = all_methods().get(str(manifest["method"]))
    has_hierarchy = release.quasi[at] in release.given_hierarchies
    publish = parameters.get("publish", "auto")
    if method is None or publish == "label" or (publish == "auto" and has_hierarchy):
        return Known()
    # With a calendar of the caller, an interval may end where nobody has a value.
    tight = method.reveals_values(parameters) and not (publish == "interval" and has_hierarchy)
    if method.name != "mondrian" or not _is_minimal(manifest):
        return Known(tight)
    ordered, singles = _known_cuts(release, at)
    return Known(tight, int(manifest["require"][0]["k"]), ordered, singles)


def _known_cuts(release: Release, at: int) -> tuple[bool, bool]:
    """Whether Mondrian cut a column in an order that everybody knows, and whether it cut values from the rest."""
    parameters = release.manifest["parameters"]
    domain = None if release.private is None else release.private.columns[at].domain
    if domain is None or domain.ordered:
        return False, False
    is_text = domain.kind == "text"
    by_tree = release.quasi[at] in release.given_hierarchies and parameters["order"] != "alphabetical"
    return not (is_text and by_tree), is_text and parameters["cut"] == "loss"


def _is_minimal(manifest: Mapping[str, Any]) -> bool:
    """Whether Mondrian cut groups for k alone, and as long as it could."""
    parameters, required = manifest["parameters"], manifest["require"]
    if parameters["improve"] or parameters["relaxed"] or manifest["rows_lost"]:
        return False
    only_k = [set(requirement) for requirement in required] == [{"requirement", "k"}]
    return manifest["columns"]["entity"] is None and only_k and required[0]["requirement"] == "k"


@dataclass(frozen=True, eq=False)
class Refined:
    """A column: the values that the cells of the classes may stand for, and further knowledge.

    Attributes
    ----------
    known : Known
    population : float array (values,)
        The number of known people who hold each value.
    covers, held : bool arrays (cells, values)
        The values that each cell may stand for, and those that somebody in the class must hold.
    cell, sizes : int arrays (classes,)
        The cell of each class, and its number of people.
    """

    known: Known
    population: Floats
    covers: Bools
    held: Bools
    cell: Longs
    sizes: Longs

    @cached_property
    def shares(self) -> Floats:
        """The probability of each value for a member of each class, (classes, values)."""
        pairs, index = np.unique(np.stack([self.cell, self.sizes], axis=1), axis=0, return_inverse=True)
        result = np.zeros((len(pairs), len(self.population)))
        for row, (cell, people) in enumerate(pairs.tolist()):
            codes = np.flatnonzero(self.covers[cell])
            if len(codes):
                result[row, codes] = self._divided(codes, self.held[cell, codes], people)
        return result[index.ravel()]

    def _divided(self, codes: Longs, held: Bools, people: int) -> Floats:
        from hedgerow.attacks._downcoding_kernels import expected_shares

        known = self.known
        chances = self.population[codes] / self.population[codes].sum()
        least = known.least if people >= 2 * known.least and (known.ordered or known.singles) else 0
        if len(codes) == 1 or people > _MOST_PEOPLE or not (least or held.any()):
            return np.asarray(chances)
        room, shares = np.empty((2 * len(codes) + 2, people + 1)), np.empty(len(codes))
        # A contradiction shows that the attacker knows too few values; then the attacker drops an assumption.
        for some, k in ((held, least), (held, 0), (np.zeros_like(held), 0)):
            if expected_shares(chances, some, people, k, known.ordered, known.singles, room, shares):
                break
        return shares

    def possible(self, classes: Longs, others: Longs) -> Bools:
        """The values that a person may hold if all others in the class are known, (people, values).

        Parameters
        ----------
        classes : int array (people,)
            The class of each person.
        others : int array (people, values)
            The number of others in the class who hold each value.
        """
        cell, known = self.cell[classes], self.known
        result = self.covers[cell].copy()
        unheld = self.held[cell] & (others == 0)
        decided = unheld.any(axis=1)
        result[decided] = unheld[decided]
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
    """RowKinds that the release reveals about a column."""
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
    """The codes of both ends, as far as they are known values."""
    ends = []
    if len(codes) and domain.values[codes[0]] == interval.low:
        ends.append(int(codes[0]))
    if len(codes):
        last = float(domain.values[codes[-1]])
        following = last if interval.closed else round(last + domain.step, domain.decimals)
        if following == interval.high:
            ends.append(int(codes[-1]))
    return ends


def _between(numbers: Longs, low: int, high: Longs) -> Bools:
    return (low <= numbers) & (numbers <= high)


_OWNER: Final = "downcoding"
_PAIRS: Final = 2**22
"""The most pairs of a person and a class in memory at once."""
_SLACK: Final = 1e-9
"""Allowance for rounding in sums of shares."""


@dataclass(frozen=True, repr=False)
class Downcoding(Outcome):
    """The outcome of downcoding for the column where it succeeds most, and for every column.

    Attributes
    ----------
    columns : mapping of column to Outcome
        Every attacked column. The interval of the whole is widened, since it belongs to the worst of them.
    """

    columns: Mapping[str, Outcome] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def over(cls, columns: Mapping[str, Outcome], *remarks: str) -> Downcoding:
        """The outcome of the column with the largest excess beyond chance."""
        top = worst(tuple(columns.values()), "columns", *remarks)
        return cls(top.attack, top.claim, top.members, top.control, top.excess, top.remarks, columns=dict(columns))


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
    """Attack the generalized values of a release, compared with a control.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release.
    members : dataframe or path
        People who are in the table, with their original quasi-identifiers: all of them, or a random part. With
        ``knowing="class"`` all of them.
    non_members : dataframe or path
        People of the same population who are not in the table.
    knowing : {"release", "class"}
        The attacker's background knowledge: all quasi-identifiers of a person except one (``"release"``), or everybody
        in the table except the person, and the person's class (``"class"``).
    column : str, optional
        The quasi-identifier to infer; by default each of them in turn.
    sure : float
        The least probability at which the attacker claims a value.
    random_state : int, numpy Generator or None
        With ``knowing="class"``, draws the member whose place in the class a non-member is believed to have.

    Returns
    -------
    Downcoding
        An :class:`~hedgerow.attacks.Outcome` of the column where the attack succeeds most, with all columns in
        ``columns``.

    Notes
    -----
    With ``knowing="release"`` every class that a person fits in the other columns is weighted by its size and by the
    probability of the person's values in it. A person who fits no class, and so is not in the table, is assigned to the
    classes that fit in the most columns. The classes give the probability of each value of the missing column. Values
    that are published unchanged can be claimed too, also of others.

    With ``knowing="class"`` only cells with several values count, of people who fit exactly one class. If the cell
    names a value that nobody else there holds, it is the person's value. A non-member is believed to be in the class in
    place of one of its members, drawn at random.

    Proportions that are published beside the table are not used: they publish shares of values directly.

    Examples
    --------
    Five people in a class, and five values in a set: each person holds one of them.

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
    attacked = range(len(release.quasi)) if column is None else [release.quasi.index(column)]
    columns = [refined(people, at) for at in range(len(release.quasi))]
    if knowing == "class":
        claims = _Informed.of(people, generator).claims(columns, attacked, sure)
    else:
        claims = _from_release(people, columns, attacked, sure)
    names = [release.quasi[at] for at in attacked]
    outcomes = {name: _outcome(people, name, *claim) for name, claim in zip(names, claims, strict=True)}
    return Downcoding.over(outcomes, *_remarks(release))


def _outcome(people: People, name: str, claimed: Bools, right: Bools, asked: Bools) -> Outcome:
    """The outcome for one column."""
    main, control = (Claims.of(claimed[asked & side], right[asked & side]) for side in people.judged)
    if not main.people or not control.people:
        which = "non-members" if main.people else "members"
        raise BadInput(f"None of the {which} fits a single class of the release. Give more of them.")
    return Outcome.of(_OWNER, f"the value of {name!r}", main, control)


def _remarks(release: Release) -> Iterator[str]:
    if release.proportions is not None:
        yield "without the proportions, which publish shares of values directly"


_ClaimsByPerson = tuple[Bools, Bools, Bools]
"""For each person: whether something was claimed, whether the claim is right, and whether the person was attacked."""


def _from_release(people: People, columns: list[Refined], attacked: Any, sure: float) -> Iterator[_ClaimsByPerson]:
    """The claims of the attacker who has the release, column by column."""
    distinct, index = people.distinct
    everybody = np.ones(len(index), dtype=bool)
    tables = [_Table.of(column) for column in columns]
    guesses = {at: (np.empty(len(distinct), dtype=np.int64), np.empty(len(distinct))) for at in attacked}
    step = max(1, _PAIRS // len(people.classes.codes))
    for start in range(0, len(distinct), step):
        here = slice(start, start + step)
        some = distinct[here]
        fitting = np.zeros((len(some), len(people.classes.codes)), dtype=np.int16)
        chances = np.zeros(fitting.shape, dtype=np.float32)
        for at, table in enumerate(tables):
            fitting += table.fits[some[:, at]]
            chances += table.logarithms[some[:, at]]
        for at in attacked:
            own = tables[at]
            posterior = _posterior(
                fitting - own.fits[some[:, at]],
                chances - own.logarithms[some[:, at]],
                np.log(people.classes.sizes).astype(np.float32),
                columns[at].shares,
            )
            guesses[at][0][here], guesses[at][1][here] = posterior.argmax(axis=1), posterior.max(axis=1)
    for at in attacked:
        value, certainty = guesses[at]
        yield (certainty >= sure - _SLACK)[index], (value == distinct[:, at])[index], everybody


@dataclass(frozen=True, eq=False)
class _Table:
    """For each value of a column, the classes that may hold it, and its log-probability there, (values, classes)."""

    fits: Any
    logarithms: Any

    @classmethod
    def of(cls, column: Refined) -> _Table:
        shares = np.ascontiguousarray(column.shares.T)
        fits = column.covers[column.cell].T & (shares > 0)
        logarithms = np.zeros(shares.shape, dtype=np.float32)
        logarithms[fits] = np.log(shares[fits])
        return cls(np.ascontiguousarray(fits).astype(np.int16), logarithms)


def _posterior(fitting: Any, chances: Any, sizes: Any, shares: Floats) -> Floats:
    """The probability of each value, by the classes that fit in the most other columns, (people, values)."""
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
        Whether the person fits exactly one class.
    of_class : int array (people,)
        That class.
    in_place_of : int array (people,)
        The member whom the attacker does not know: the person, or the member whose place the attacker believes a
        non-member to have.
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
                f"With knowing='class' you must give everybody who is in the table: the release has "
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
        # Members sorted by class: the attacker draws a member of each class.
        known = np.flatnonzero(single[index][: people.members])
        if not len(known):
            raise BadInput("Nobody in the table fits only one class, so that nobody's class is known.")
        order = known[np.argsort(of_class[known], kind="stable")]
        starts = np.searchsorted(of_class[order], np.arange(len(people.classes.codes) + 1))
        wide = np.diff(starts)[of_class[others]]
        drawn = starts[of_class[others]] + (generator.random(len(others)) * wide).astype(np.int64)
        unknown[others] = np.where(wide > 0, order[np.minimum(drawn, len(order) - 1)], -1)
        return cls(people, single[index] & (unknown >= 0), of_class, unknown)

    def claims(self, columns: list[Refined], attacked: Any, sure: float) -> Iterator[_ClaimsByPerson]:
        """The claims, column by column."""
        people = self.people
        who = np.flatnonzero(self.single)
        for at in attacked:
            values, column = people.tuples[:, at], columns[at]
            held = self._held(at, len(column.population))
            claimed, right = (np.zeros(len(people.tuples), dtype=bool) for _ in range(2))
            step = max(1, _PAIRS // len(column.population))
            for start in range(0, len(who), step):
                some = who[start : start + step]
                classes = self.of_class[some]
                others = held[classes]
                others[np.arange(len(some)), values[self.in_place_of[some]]] -= 1
                chances = column.possible(classes, others) * column.population
                certain = chances.max(axis=1) >= (sure - _SLACK) * chances.sum(axis=1)
                several = column.covers[column.cell[classes]].sum(axis=1) > 1
                claimed[some] = certain & several & (chances.max(axis=1) > 0)
                right[some] = chances.argmax(axis=1) == values[some]
            yield claimed, right, self.single

    def _held(self, at: int, values: int) -> Longs:
        """The number of members who may hold each value in each class, (classes, values): all who fit the class."""
        people = self.people
        distinct, index = people.distinct
        members = np.bincount(index[: people.members], minlength=len(distinct))
        pairs = people.fitting.tocoo()
        key = pairs.col.astype(np.int64) * values + distinct[pairs.row, at]
        number = len(people.classes.codes) * values
        return np.bincount(key, members[pairs.row], number).astype(np.int64).reshape(-1, values)
