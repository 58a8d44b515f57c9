"""Minimality: a method that generalizes as little as possible reveals by it what it had to hide.

R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007. The
attacker has a register of the people in the table, without sensitive values, and knows the method and the requirements.
The attacker runs the method on the people of a class for k alone, which needs no sensitive value. If this gives several
groups, at least one of them breaks the requirement on the sensitive column: some value is too frequent in it. The
conclusion about each person follows from the possible divisions of the class's values among the groups; here divisions
are drawn, and those that break the requirement are kept.

Deviations
----------
- Any method and any requirement on a column, not only l-diversity: the method is run again, and the requirement is
  checked on drawn groups. A method that generalizes whole columns is run again on the whole register, and one broken
  group anywhere explains everything. A method that learns from labels, which the attacker does not know, is replaced by
  Mondrian.
- Only classes whose people follow from the register are attacked: as many people fit no tighter class as it has rows.
- For a method that cuts, only the first cut for k alone is used: one of its sides breaks the requirement. The method
  also tried other cuts, which broke the requirement too; an attacker who uses this may find out more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.rounding import share_told
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.budget import Reduced
from hedgerow.anonymizers.registry import all_methods, find_method
from hedgerow.attacks._people import People, Valued, check_sure, generator_of, read_valued, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.core.counts import EncodedColumn, FrequencyTable
from hedgerow.core.recoding import CutTree, Recoding
from hedgerow.errors import BadInput, HedgerowError, listing, required
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain
from hedgerow.release import Release
from hedgerow.requirements import BoundRequirement, Context, KAnonymity, Requirement, SensitiveColumn
from hedgerow.risk.likelihoods import cells_of_column
from hedgerow.schema import Schema

__all__ = ["Finer", "finer_groups", "minimality"]


# --------------------------------------------------------------------------------------------------
# The groups that a method would have made of the people of a release for k alone.


_STAND_IN: Final = "mondrian"
_WHOLE_COLUMNS: Final = ("lattice", "specialize")
"""The families of methods that generalize whole columns, and so make all classes together."""


@dataclass(frozen=True, eq=False)
class Finer:
    """The groups within classes that the method would have made for k alone.

    Attributes
    ----------
    of_class : int array (distinct tuples,)
        The tightest class that each tuple fits, -1 if it fits none.
    group : int array (distinct tuples,)
        The group of each tuple within its class, or the side of the first cut; -1 if the class has no groups.
    sizes : mapping of class to int array
        The members in each group, for classes that would have been split.
    together : bool
        Whether a single group anywhere may be the reason why no class was split.
    remarks : tuple of str
    """

    of_class: Longs
    group: Longs
    sizes: Mapping[int, Longs]
    together: bool
    remarks: tuple[str, ...]


def finer_groups(people: People, k: int) -> Finer:
    """Run the method of a release again, for k alone: on the people of each class, or on all of them."""
    of_class, known = _classes(people)
    method, remarks = _method(people.release)
    register = _Register.of(people)
    together = method.family in _WHOLE_COLUMNS
    of_tuple = np.full(len(of_class), -1, dtype=np.int64)
    sizes: dict[int, Longs] = {}
    whole = register.fitted(method, np.arange(len(register.cell_of_tuple)), k) if together else None
    for at in np.flatnonzero(known & (people.classes.sizes >= 2 * k)).tolist():
        here = np.flatnonzero(of_class == at)
        groups = register.fitted(method, here, k) if whole is None else whole
        parts = None if groups is None else groups.within(here, register)
        if parts is not None:
            of_tuple[here], sizes[at] = parts
    share = float(people.classes.sizes[known].sum() / people.classes.sizes.sum())
    if share < 1:
        remarks = (
            *remarks,
            f"the people are known for classes with {share_told(share, people.members):.0%} of the rows",
        )
    return Finer(of_class, of_tuple, sizes, together, remarks)


def _classes(people: People) -> tuple[Longs, Bools]:
    """The tightest class that each distinct tuple fits, and whether each class has exactly the members assigned to it.

    Cells of classes may overlap. The fewer members of the register fit a class, the tighter it is.
    """
    fitting, (_, index) = people.fitting, people.distinct
    members = np.bincount(index[: people.members], minlength=fitting.shape[0]).astype(np.int64)
    fit = fitting.T @ members
    of_tuple = np.repeat(np.arange(fitting.shape[0]), np.diff(fitting.indptr))
    order = np.lexsort((fit[fitting.indices], of_tuple))
    some, first = np.unique(of_tuple[order], return_index=True)
    of_class = np.full(fitting.shape[0], -1, dtype=np.int64)
    of_class[some] = fitting.indices[order[first]]
    put = np.bincount(of_class[some], members[some], len(fit)).astype(np.int64)
    return of_class, put == people.classes.sizes


def _method(release: Release) -> tuple[Anonymizer, tuple[str, ...]]:
    """The method with its parameters, or a substitute if the attacker cannot run it."""
    name = str(release.facts["method"])
    given = {key: value for key, value in release.facts["parameters"].items() if key != "suppression_limit"}
    if name in all_methods() and not find_method(name).uses_target and given.get("metric") != "classification":
        try:
            return find_method(name)(**given), ()
        except (HedgerowError, TypeError):
            # The manifest contains only the type's name of a parameter that is an object.
            return find_method(name)(), (f"{name} was run again with default parameters",)
    return find_method(_STAND_IN)(), (f"{name} cannot be run without labels: {_STAND_IN} stands in for it",)


@dataclass(frozen=True, eq=False)
class _Register:
    """The members, counted by their quasi-identifiers alone.

    Attributes
    ----------
    counts : FrequencyTable
        One cell for each distinct tuple of members.
    cell_of_tuple : int array (distinct tuples,)
        The cell of each tuple of the people; -1 if no member has it.
    codes : int array (distinct tuples, quasi-identifiers)
        The codes in the members' domains. A value that no member has gets the code of the nearest smaller number, or
        -1.
    """

    counts: FrequencyTable
    cell_of_tuple: Longs
    codes: Ints

    @classmethod
    def of(cls, people: People) -> _Register:
        distinct, index = people.distinct
        columns, codes = {}, []
        for at, domain in enumerate(people.domains):
            own = np.bincount(people.tuples[: people.members, at], minlength=domain.size)
            kept, code = _restricted(domain, own)
            columns[domain.name] = EncodedColumn(kept, code[people.tuples[: people.members, at]])
            codes.append(code[distinct[:, at]])
        facts = people.release.facts
        quasi = people.release.quasi
        schema = Schema(quasi=quasi, weights={name: n for name, n in facts["weights"].items() if name in quasi})
        roles = schema.resolve(list(quasi))
        counts, cells = FrequencyTable.from_columns(roles, columns, None, people.members)
        given = people.release.label_hierarchies
        hierarchies = {name: resolve(given.get(name), column.domain, name) for name, column in columns.items()}
        cell_of_tuple = np.full(len(distinct), -1, dtype=np.int64)
        cell_of_tuple[index[: people.members]] = cells
        return cls(counts.with_hierarchies(hierarchies), cell_of_tuple, np.stack(codes, axis=1))

    def fitted(self, method: Anonymizer, tuples: Longs, k: int) -> _Groups | None:
        """The groups of the members with some tuples; ``None`` if the method fails."""
        cells = self.cell_of_tuple[tuples]
        dropped = self.counts.cell_sizes.copy()
        dropped[cells[cells >= 0]] = 0
        some = Reduced.of(self.counts, dropped)
        try:
            recoding = method.fit_counts(some.counts, [KAnonymity(k)], seed=0)
        except HedgerowError:
            return None
        pieces = required(recoding.pieces, "the pieces of a recoding")
        group = np.full(len(self.counts.cell_sizes), -1, dtype=np.int64)
        group[some.cells[pieces.cell[pieces.first]]] = pieces.group[pieces.first]
        return _Groups(recoding, group, _first_cut(recoding))


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of members.

    Attributes
    ----------
    recoding : Recoding
    of_cell : int array (cells,)
        The group of each cell of the register.
    part : int array (groups,)
        The side of the method's first cut that each group is on, or a number for each group.
    """

    recoding: Recoding
    of_cell: Longs
    part: Longs

    def within(self, tuples: Longs, register: _Register) -> tuple[Longs, Longs] | None:
        """The part of each tuple of a class, numbered within the class, and their sizes; ``None`` for a single part."""
        cells = register.cell_of_tuple[tuples]
        held = cells >= 0
        own = self.of_cell[cells[held]]
        if (own < 0).any():
            return None
        numbers, inverse = np.unique(self.part[own], return_inverse=True)
        sizes = np.bincount(inverse, register.counts.cell_sizes[cells[held]]).astype(np.int64)
        whole = np.bincount(self.part, self.recoding.sizes).astype(np.int64)
        if len(numbers) < 2 or not np.array_equal(sizes, whole[numbers]):
            return None  # a single part, or parts that extend to other classes
        result = np.empty(len(tuples), dtype=np.int64)
        result[held] = inverse
        near = self._nearest(register.codes[tuples[~held]], np.unique(own))
        result[~held] = np.searchsorted(numbers, self.part[near])
        return result, sizes

    def _nearest(self, codes: Ints, groups: Longs) -> Longs:
        """The group whose cells cover the most values of each tuple."""
        fitting = np.zeros((len(codes), len(groups)), dtype=np.int64)
        for at, column in enumerate(self.recoding.columns):
            covers = cells_of_column(column, column.texts)[self.recoding.groups[groups, at]]
            known = codes[:, at] >= 0
            fitting[known] += covers[:, codes[known, at]].T
        return np.asarray(groups[fitting.argmax(axis=1)])


def _first_cut(recoding: Recoding) -> Longs:
    """The side of the first cut that each group is on; the number of the group if the method does not cut.

    A method that cuts tries this cut before any other, and makes it unless it breaks the requirement.
    """
    groups = np.arange(len(recoding.groups))
    tree = recoding.router
    if not isinstance(tree, CutTree) or not len(tree.column):
        return groups
    side = np.zeros(len(groups), dtype=np.int64)
    below = [int(tree.right[0])]
    while below:
        node = below.pop()
        if node < 0:
            side[-1 - node] = 1
        elif node > 0:
            below += [int(tree.left[node]), int(tree.right[node])]
    return side


def _restricted(domain: Domain, records: Longs) -> tuple[Domain, Ints]:
    """A domain without the values that nobody holds, and the new code of each old code."""
    values = len(domain.labels)
    held = np.flatnonzero(records[:values])
    missing = bool(domain.has_missing and records[values])
    code = np.full(domain.size, -1, dtype=np.int32)
    if domain.numbers is not None and len(held):
        code[:values] = np.maximum(np.searchsorted(held, np.arange(values), "right") - 1, 0)
    code[held] = np.arange(len(held))
    if missing:
        code[values] = len(held)
    kept = replace(
        domain,
        labels=domain.labels[held],
        numbers=None if domain.numbers is None else domain.numbers[held],
        has_missing=missing,
        records=records[held],
    )
    return kept, code


_OWNER: Final = "minimality"
_ENOUGH: Final = 200
"""The number of drawn divisions that break the requirement; it determines probabilities to a few percent."""
_FEWEST: Final = 20
"""With fewer such divisions, nothing is claimed."""
_MOST_DRAWS: Final = 20_000
_CELLS: Final = 2**21
"""The most random numbers in memory at once."""


def minimality(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    column: str | None = None,
    sure: float = 0.9,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim the sensitive values of people whose classes are larger than k alone would have made them.

    Parameters
    ----------
    release : Release or path
        A release with a requirement on a sensitive column, such as l-diversity, or the path of a saved release.
    members : dataframe or path
        All people of the table, with their original quasi-identifiers and the column.
    non_members : dataframe or path
        People of the same population who are not in it; those of them who fit a class are the control.
    column : str, optional
        The sensitive column; by default the first that a requirement protects.
    sure : float
        The least probability at which a value is claimed. Values that are as probable by the class alone are not
        claimed.
    random_state : int, numpy Generator or None
        Draws the divisions of values; the same number gives the same result.

    Examples
    --------
    The paper's example, six times. Two of the seven people of a town are ill, and the release names neither street. If
    the two did not live in the same street, the release would distinguish the streets. Here illness also reveals the
    street, which has to be accepted first:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> towns = [town for town in "abcdef" for _ in range(7)]
    >>> streets, ill = ["Elm"] * 2 + ["Oak"] * 5, ["yes"] * 2 + ["no"] * 5
    >>> people = pa.table({"town": towns, "street": streets * 6, "ill": ill * 6})
    >>> schema = hr.Schema(quasi=["town", "street"], sensitive=["ill"], accept=["ill"])
    >>> require = hr.AlphaK(0.5, 2, "ill", value="yes")
    >>> release = hr.anonymize(people, schema, require=require)
    >>> others = people.set_column(2, "ill", pa.array(["no"] * 42))
    >>> found = hr.attacks.minimality(release, people, others)
    >>> found.members.claimed >= 12, found.members.right == found.members.claimed, found.works
    (True, True, True)
    """
    check_sure(sure, _OWNER)
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    required = _requirements(release, column)
    people = read_valued(release, members, non_members, [str(required[0].column)])
    _refuse_parts(people)
    finer = finer_groups(people, max(requirement.minimal_size for requirement in release.guarantee.requirements))
    posteriors = _Posteriors.of(people, finer, _bound(people, required), generator)
    guess, probability, share = posteriors.best(finer.group, finer.of_class)
    _, index = people.distinct
    claimed = ((probability >= sure - 1e-9) & (share < sure))[index]
    right = guess[index] == people.values[:, 0]
    inside, others = people.judged
    control = others & (finer.of_class[index] >= 0)
    if not control.any():
        control = others
    return Outcome.of(
        "minimality",
        f"the value of {people.columns[0].domain.name!r}",
        Claims.of(claimed[inside], right[inside]),
        Claims.of(claimed[control], right[control]),
        *finer.remarks,
        *_surprise(posteriors, finer, people),
    )


def _requirements(release: Release, column: str | None) -> list[Requirement]:
    """The requirements on the column, by default on the first column that has any."""
    requirements = release.guarantee.requirements
    rules = [rule for rule in requirements if rule.column is not None and rule.shield is None]
    if not rules:
        raise BadInput(
            "Nothing is required of a sensitive column over all quasi-identifiers, so minimality cannot reveal "
            "anything. Attack a release with l-diversity or the like."
        )
    names = list(dict.fromkeys(str(rule.column) for rule in rules))
    if column is not None and column not in names:
        raise BadInput(f"Nothing is required of {column!r}. Name a column with a requirement: {listing(names)}.")
    wanted = names[0] if column is None else column
    return [rule for rule in rules if rule.column == wanted]


def _refuse_parts(people: Valued) -> None:
    rows = int(people.release.facts["rows_in"])
    if people.members != rows:
        raise BadInput(
            f"{people.members:,} members are given, and the release was made of {rows:,} rows. Give all people of the "
            "table: this attacker must know the people of each class."
        )


def _bound(people: Valued, required: list[Requirement]) -> list[BoundRequirement]:
    domain, rows = people.columns[0].domain, people.published[:, 0]
    histogram = np.bincount(rows, minlength=domain.size)
    context = Context((SensitiveColumn(domain, histogram),), len(rows))
    return [requirement.bind(context) for requirement in required]


@dataclass(frozen=True, eq=False)
class _Posteriors:
    """The probabilities of the values in finer groups.

    Attributes
    ----------
    histograms : int array (classes, values)
        The published values of each class.
    by_class : mapping of class to float array (groups, values)
        The probability of each value in each finer group, for classes with such groups.
    """

    histograms: Longs
    by_class: dict[int, Floats]

    @classmethod
    def of(
        cls, people: Valued, finer: Finer, bound: list[BoundRequirement], generator: np.random.Generator
    ) -> _Posteriors:
        classes, values = people.classes, people.columns[0].domain.size
        key = classes.of_row.astype(np.int64) * values + people.published[:, 0]
        histograms = np.bincount(key, minlength=len(classes.codes) * values).reshape(-1, values)
        drawn = {}
        for at, sizes in finer.sizes.items():
            divisions = _Divisions.of(histograms[at], sizes, bound, generator)
            if divisions is not None:
                drawn[at] = divisions
        # If a broken group anywhere is enough, some class may have none.
        none = float(np.prod([1 - divisions.broken for divisions in drawn.values()])) if finer.together else 0.0
        shares = {at: divisions.given(none, together=finer.together) for at, divisions in drawn.items()}
        return cls(histograms, shares)

    def best(self, group: Longs, of_class: Longs) -> tuple[Longs, Floats, Floats]:
        """The most probable value of each tuple, its probability, and its share in the class; 0 if unknown."""
        guess, probability, share = np.full(len(group), -1), np.zeros(len(group)), np.zeros(len(group))
        for at, shares in self.by_class.items():
            here = np.flatnonzero((of_class == at) & (group >= 0))
            own = shares[group[here]]
            guess[here] = own.argmax(axis=1)
            probability[here] = own.max(axis=1)
            share[here] = (self.histograms[at] / self.histograms[at].sum())[guess[here]]
        return guess, probability, share


@dataclass(frozen=True, eq=False)
class _Divisions:
    """Drawn divisions of a class's values among finer groups.

    Attributes
    ----------
    broken : float
        The share of divisions in which some group breaks the requirement.
    where_broken, elsewhere : float arrays (groups, values)
        The mean shares in these divisions, and in the others.
    """

    broken: float
    where_broken: Floats
    elsewhere: Floats

    @classmethod
    def of(
        cls, histogram: Longs, sizes: Longs, bound: list[BoundRequirement], generator: np.random.Generator
    ) -> _Divisions | None:
        """Draw until enough divisions break the requirement; ``None`` if hardly any does."""
        groups, values = len(sizes), len(histogram)
        codes = np.repeat(np.arange(values), histogram)
        place = np.repeat(np.arange(groups), sizes) * values
        step = max(1, min(1_000, _CELLS // max(len(codes), groups * values)))
        total, found = np.zeros((2, groups, values)), np.zeros(2, dtype=np.int64)
        while found[1] < _ENOUGH and found.sum() < _MOST_DRAWS:
            ways = generator.permuted(np.tile(codes, (step, 1)), axis=1)
            key = (np.arange(step)[:, None] * (groups * values) + place + ways).ravel()
            drawn = np.bincount(key, minlength=step * groups * values).reshape(step, groups, values)
            broken = _broken(drawn, sizes, bound)
            for at, side in enumerate((~broken, broken)):
                total[at] += drawn[side].sum(axis=0)
                found[at] += int(side.sum())
        if found[1] < _FEWEST:
            return None
        elsewhere, where_broken = total / (np.maximum(found, 1)[:, None, None] * sizes[:, None])
        return cls(found[1] / found.sum(), where_broken, elsewhere)

    def given(self, none: float, *, together: bool) -> Floats:
        """The shares, given that a group breaks the requirement in this class or, if ``together``, in any class."""
        if not together or none >= 1:
            return self.where_broken
        here = min(1.0, self.broken / (1 - none))
        return here * self.where_broken + (1 - here) * self.elsewhere


def _broken(drawn: Longs, sizes: Longs, bound: list[BoundRequirement]) -> Bools:
    """Whether some group of each division breaks a requirement."""
    ways, groups, values = drawn.shape
    flat, repeated = drawn.reshape(ways * groups, values), np.tile(sizes, ways)
    holds = np.ones(ways * groups, dtype=bool)
    for requirement in bound:
        holds &= requirement.satisfied(repeated, flat)
    return np.asarray(~holds.reshape(ways, groups).all(axis=1))


def _surprise(posteriors: _Posteriors, finer: Finer, people: Valued) -> tuple[str, ...]:
    """How much more probable the true values of members become in classes with finer groups."""
    index: Ints = people.distinct[1][: people.members]
    values = people.values[: people.members, 0]
    before, after = [], []
    for at, shares in posteriors.by_class.items():
        here = np.flatnonzero((finer.of_class[index] == at) & (finer.group[index] >= 0))
        histogram = posteriors.histograms[at]
        before.append((histogram / histogram.sum())[values[here]])
        after.append(shares[finer.group[index[here]], values[here]])
    count = sum(map(len, before))
    if not count:
        return ("no class is coarser than for k alone, or chance explains it",)
    means = [share_told(float(np.concatenate(part).mean()), count) for part in (before, after)]
    held = share_told(count / people.members, people.members)
    return (
        f"classes that would be split for k alone hold {held:.0%} of members; there the probability of the true value "
        f"is {means[0]:.0%} by the class and {means[1]:.0%} by minimality, on average",
    )
