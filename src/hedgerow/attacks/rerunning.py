"""What a method would have made of the people of a release had only k been asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.budget.reducing import Reduced
from hedgerow.anonymizers.registry import all_methods, find_method
from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.attacks.people import People
from hedgerow.counts import EncodedColumn, FrequencyTable
from hedgerow.domains import Domain
from hedgerow.errors import HedgerowError, required
from hedgerow.hierarchies import resolve
from hedgerow.privacy import KAnonymity
from hedgerow.recoding import CutTree, Recoding
from hedgerow.release import Release
from hedgerow.risk.likelihoods import cells_of_column
from hedgerow.rounding import share_told
from hedgerow.schema import Schema

__all__ = ["Finer", "finer_groups"]

_STAND_IN: Final = "mondrian"
_WHOLE_COLUMNS: Final = ("lattice", "specialize")
"""The families whose methods generalize whole columns, so that no class is made by itself."""


@dataclass(frozen=True, eq=False)
class Finer:
    """The groups that k alone would have made within classes.

    Attributes
    ----------
    of_class : int array (distinct tuples,)
        The tightest class that each tuple fits, -1 if it fits none.
    group : int array (distinct tuples,)
        The group of each tuple among those of its class, or the side of the first cut; -1 if the class has none.
    sizes : mapping of class to int array
        The members in each group, for classes that would have been split.
    together : bool
        Whether one group anywhere is the reason why no class was split.
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
        found = None if groups is None else groups.within(here, register)
        if found is not None:
            of_tuple[here], sizes[at] = found
    told = float(people.classes.sizes[known].sum() / people.classes.sizes.sum())
    if told < 1:
        remarks = (
            *remarks,
            f"who is in a class is known of classes with {share_told(told, people.members):.0%} of the rows",
        )
    return Finer(of_class, of_tuple, sizes, together, remarks)


def _classes(people: People) -> tuple[Longs, Bools]:
    """The tightest class that each distinct tuple fits, and which classes have just the members who are put in them.

    Cells of classes may overlap. The register tells how many members fit each: the fewer, the tighter.
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
    """The method as it was set, or another one in its place where the attacker cannot run it."""
    name = str(release.facts["method"])
    given = {one: value for one, value in release.facts["parameters"].items() if one != "suppression_limit"}
    if name in all_methods() and not find_method(name).uses_target and given.get("metric") != "classification":
        try:
            return find_method(name)(**given), ()
        except (HedgerowError, TypeError):
            # A parameter that is an object stands in the manifest by the name of its type.
            return find_method(name)(), (f"{name} was run again as it is by itself",)
    return find_method(_STAND_IN)(), (f"{name} cannot be run without labels: {_STAND_IN} stands in for it",)


@dataclass(frozen=True, eq=False)
class _Register:
    """The members as a method counts them: their quasi-identifiers and nothing else.

    Attributes
    ----------
    counts : FrequencyTable
        One cell for each distinct tuple of members.
    cell_of_tuple : int array (distinct tuples,)
        The cell of each tuple of the people; -1 if no member has it.
    codes : int array (distinct tuples, quasi-identifiers)
        Their codes in the members' domains; the nearest smaller number, or -1, for what no member has.
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
        schema = Schema(quasi=quasi, weights={one: n for one, n in facts["weights"].items() if one in quasi})
        roles = schema.resolve(list(quasi))
        counts, cells = FrequencyTable.from_columns(roles, columns, None, people.members)
        given = people.release.label_hierarchies
        hierarchies = {name: resolve(given.get(name), one.domain, name) for name, one in columns.items()}
        cell_of_tuple = np.full(len(distinct), -1, dtype=np.int64)
        cell_of_tuple[index[: people.members]] = cells
        return cls(counts.with_hierarchies(hierarchies), cell_of_tuple, np.stack(codes, axis=1))

    def fitted(self, method: Anonymizer, tuples: Longs, k: int) -> _Groups | None:
        """The groups of the members among some tuples; ``None`` if the method makes none."""
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
        What the method would have done first: the side of its first cut, or each group by itself.
    """

    recoding: Recoding
    of_cell: Longs
    part: Longs

    def within(self, tuples: Longs, register: _Register) -> tuple[Longs, Longs] | None:
        """The part of each of the tuples of a class, numbered within it, and their sizes; ``None`` if it is one."""
        cells = register.cell_of_tuple[tuples]
        held = cells >= 0
        own = self.of_cell[cells[held]]
        if (own < 0).any():
            return None
        numbers, inverse = np.unique(self.part[own], return_inverse=True)
        sizes = np.bincount(inverse, register.counts.cell_sizes[cells[held]]).astype(np.int64)
        whole = np.bincount(self.part, self.recoding.sizes).astype(np.int64)
        if len(numbers) < 2 or not np.array_equal(sizes, whole[numbers]):
            return None  # one part, or parts that reach into other classes
        result = np.empty(len(tuples), dtype=np.int64)
        result[held] = inverse
        near = self._nearest(register.codes[tuples[~held]], np.unique(own))
        result[~held] = np.searchsorted(numbers, self.part[near])
        return result, sizes

    def _nearest(self, codes: Ints, groups: Longs) -> Longs:
        """Of these groups the one whose cells cover the most values of each tuple."""
        fitting = np.zeros((len(codes), len(groups)), dtype=np.int64)
        for at, column in enumerate(self.recoding.columns):
            covers = cells_of_column(column, column.texts)[self.recoding.groups[groups, at]]
            known = codes[:, at] >= 0
            fitting[known] += covers[:, codes[known, at]].T
        return np.asarray(groups[fitting.argmax(axis=1)])


def _first_cut(recoding: Recoding) -> Longs:
    """The side of the first cut that each group is on; its own number where groups are not made by cuts.

    A method that cuts would have made this cut before any other: had it kept the requirement, it would have been made.
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
    """A domain without what nobody holds, and the new code of each old one."""
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
