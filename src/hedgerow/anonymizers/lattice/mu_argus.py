"""μ-Argus: recode columns and suppress cells until no combination of a few quasi-identifier values is rare.

A combination of one, two or three values is *unsafe* if fewer than k records hold it. The column whose values stand in
most unsafe combinations is generalized by one level (global recoding), until few records hold an unsafe combination.
Then every record that holds one loses cells (local suppression), first the cell that stands in most of its unsafe
combinations. A. Hundepool, L. Willenborg: μ- and τ-Argus: Software for Statistical Disclosure Control, 1996.

Deviations
----------
- The paper was not at hand. The method was written from secondary descriptions: what is generally reported of the steps
  that L. Sweeney lists (IJUFKS 10(5), 2002), the abstract of A. de Waal, A. Hundepool, L. Willenborg (ARGUS: Software
  for Statistical Disclosure Control of Microdata, 1995), and the OECD's glossary. It was not compared with the program.
- **No guarantee as published.** Nothing is asked of combinations of four and more values, so a class of all
  quasi-identifiers may have a single record. ``as_published=True`` does that. By default the release is *repaired*: in
  classes that violate a requirement more cells are suppressed, until all requirements hold over all quasi-identifiers.
- **A user decides** in the program which columns are recoded, and when this ends. Here a rule decides: the column in
  most unsafe combinations (divided by its weight), and of several the one with most values, is generalized as long as
  more than ``recode_above`` of the records hold an unsafe combination.
- **Columns are rated** there by how identifying they are, and only some combinations are checked. Here all combinations
  of at most ``size`` columns of a shield are checked.
- **A suppressed cell may be any value.** Combinations are counted once, before cells are suppressed. So a published
  combination fits at least k records if a suppressed cell fits every value; fewer may still show it.
- Frequencies are those of the table; the program can estimate those of the population.
- Without requirements on the number of records (such as l-diversity), the fewest records that a class could need stand
  for k. The repair keeps all requirements.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs, tabulate
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._levels import group_rows, histograms_of_tuples, violating
from hedgerow.anonymizers.parameters import Presets, flag, number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import ColumnMap, NodeRouter, Pieces, Recoding, label_column, nearest_published
from hedgerow.errors import Infeasible, required
from hedgerow.requirements import Requirement, context_of, shield_of

__all__ = ["MuArgus"]

# Small enough to stand for a weight of 0, and large enough to divide by.
_LEAST: Final = 1e-200

_WEAK: Final = (
    "WEAK: made as the paper describes the method, which checks only combinations of a few quasi-identifiers. Fewer "
    "people than required may share all of them; do not publish it."
)


class MuArgus(Anonymizer):
    """Makes combinations of up to three values frequent, by recoding columns and suppressing cells; then repairs.

    Examples
    --------
    Everybody shares every three values with somebody, and all four with nobody:

    >>> import hedgerow as hr
    >>> import itertools
    >>> import pyarrow as pa
    >>> people = pa.table(dict(zip("abcd", zip(*itertools.product("01", repeat=4)))))
    >>> schema = hr.Schema(quasi=["a", "b", "c", "d"])
    >>> hr.MuArgus(k=2, as_published=True).anonymize(people, schema).audit.k
    1
    >>> hr.MuArgus(k=2).anonymize(people, schema).audit.k
    2
    """

    name = "mu-argus"
    family = "lattice"
    suppression_by = "classes"
    paper = "Hundepool, Willenborg (1996)"
    presets: ClassVar[Presets] = {"paper": {"as_published": True}}
    guarantees = "k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k); none as published"

    size: int = number(
        "Combinations of at most so many columns are checked.", default=3, least=1, most=3, whole=True, trials=(1, 2)
    )
    recode_above: float = number(
        "Columns are recoded as long as a larger share of the records than this holds an unsafe combination. With 1 "
        "cells are only suppressed.",
        default=0.05,
        least=0,
        most=1,
        trials=(0.0, 1.0),
    )
    as_published: bool = flag(
        "Follow the paper, which is not k-anonymous. The release is audited and marked as weak, and the command writes "
        "it only with ``--allow-weak``.",
        weak=True,
    )

    def uses_weights(self) -> bool:
        """Columns of more weight are recoded and suppressed later."""
        return True

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        checked = _Combinations(counts, requirements, int(self.size))
        first = checked.number
        checked.recode(float(self.recode_above))
        hidden = checked.suppressed()
        nodes = np.where(hidden, 0, checked.nodes)
        if not self.as_published:
            _Repair(counts, requirements).apply(nodes)
        return _published(
            counts,
            nodes,
            facts={
                "levels": dict(zip(counts.quasi, checked.levels, strict=True)),
                "unsafe_combinations": {"before": first, "after_recoding": checked.number},
                "cells_suppressed": _cells(counts, hidden),
                "cells_repaired": _cells(counts, (nodes == 0) & (checked.nodes != 0) & ~hidden),
            },
            weak=_WEAK if self.as_published else None,
        )


def _cells(counts: FrequencyTable, marked: Bools) -> int:
    """How many cells of records are marked, (tuples, columns)."""
    return int(counts.tuple_sizes @ marked.sum(axis=1))


# --------------------------------------------------------------------------------------------------
# The published algorithm.


class _Combinations:
    """The combinations of a few columns, and which of their values are unsafe, at a level of each column.

    O(tuples) for each combination of columns; recoding a column counts only those again that it is part of.
    """

    def __init__(self, counts: FrequencyTable, requirements: Sequence[Requirement], size: int) -> None:
        self._counts = counts
        self._trees = [counts.hierarchies[name] for name in counts.quasi]
        self._weights = np.maximum(counts.column_weights, _LEAST)
        self._people = _people_of_tuples(counts)
        least = _least_people(counts, requirements, size)
        self._columns, self._least = list(least), list(least.values())
        self._contains = np.zeros((len(self._columns), len(self._trees)), dtype=bool)
        for row, columns in zip(self._contains, self._columns, strict=True):
            row[list(columns)] = True
        self.levels = [0] * len(self._trees)
        self.nodes = np.stack(
            [tree.leaf_of[counts.tuples[:, at]] for at, tree in enumerate(self._trees)], axis=1
        ).astype(np.int32)
        self._unsafe = np.zeros((len(self._columns), len(counts.tuples)), dtype=bool)
        self._numbers = np.zeros(len(self._columns), dtype=np.int64)
        self._count(np.arange(len(self._columns)))

    @property
    def number(self) -> int:
        """How many combinations of values are unsafe."""
        return int(self._numbers.sum())

    def recode(self, most: float) -> None:
        """Generalize columns, as long as more than this share of the records holds an unsafe combination."""
        sizes = self._counts.tuple_sizes
        while sizes[self._unsafe.any(axis=0)].sum() > most * sizes.sum():
            waiting = [at for at, tree in enumerate(self._trees) if self.levels[at] < tree.height]
            if not waiting:
                return
            share = self._numbers @ self._contains / self._weights
            worst = max(waiting, key=lambda at: (share[at], self._distinct(at), -at))
            self.levels[worst] += 1
            at_level = self._trees[worst].at_level[self.levels[worst]]
            self.nodes[:, worst] = at_level[self._counts.tuples[:, worst]]
            self._count(np.flatnonzero(self._contains[:, worst]))

    def suppressed(self) -> Bools:
        """The cells to suppress so that no tuple shows an unsafe combination, (tuples, columns).

        Each tuple loses the cell in most of its unsafe combinations, divided by the weight of the column, until none is
        left; of several the one whose column has most values.
        """
        hidden = np.zeros(self.nodes.shape, dtype=bool)
        at = np.flatnonzero(self._unsafe.any(axis=0))
        left = self._unsafe[:, at]
        # Columns in the order in which they lose a tie.
        order = np.array(sorted(range(len(self._trees)), key=lambda column: (-self._distinct(column), column)))
        while len(at):
            inside = left.T.astype(np.float64) @ self._contains / self._weights
            worst = order[inside[:, order].argmax(axis=1)]
            hidden[at, worst] = True
            left &= ~self._contains[:, worst]
            waiting = left.any(axis=0)
            at, left = at[waiting], left[:, waiting]
        return hidden

    def _count(self, which: Longs) -> None:
        for at in which.tolist():
            group, first = group_rows(self.nodes, self._columns[at])
            rare = np.bincount(group, self._people, len(first)) < self._least[at]
            self._unsafe[at], self._numbers[at] = rare[group], int(rare.sum())

    def _distinct(self, column: int) -> int:
        return len(np.unique(self.nodes[:, column]))


def _people_of_tuples(counts: FrequencyTable) -> Longs:
    """The people of each tuple; where people are counted, those whom a record of it represents."""
    home = counts.is_representative
    if home is None:
        return counts.tuple_sizes
    return np.bincount(counts.cell_tuple[home], counts.cell_sizes[home], len(counts.tuples)).astype(np.int64)


def _least_people(counts: FrequencyTable, requirements: Sequence[Requirement], size: int) -> dict[tuple[int, ...], int]:
    """The combinations of columns that a requirement concerns, and the fewest records of each of their values."""
    least: dict[tuple[int, ...], int] = {}
    for requirement in requirements:
        shield = shield_of(requirement, counts.quasi)
        for together in range(1, size + 1):
            for columns in combinations(shield, together):
                least[columns] = max(least.get(columns, 1), requirement.minimal_size)
    return least


# --------------------------------------------------------------------------------------------------
# The repair: suppress further cells until every requirement holds.


class _Demand(NamedTuple):
    requirement: Requirement
    shield: tuple[int, ...]


class _Repair:
    """Suppresses cells of tuples in classes that violate a requirement.

    In each round one column is suppressed, in the tuples whose class then complies: the column by which most records
    comply, divided by its weight. If none helps, the column with most values is suppressed in all violating tuples. If
    these show nothing more, the class that loses least by it joins them. Every round suppresses a cell, and a class of
    all records complies, so that the rounds end.
    """

    def __init__(self, counts: FrequencyTable, requirements: Sequence[Requirement]) -> None:
        self._sizes = counts.tuple_sizes.astype(np.int64)
        self._weights: Floats = np.maximum(counts.column_weights, _LEAST)
        context = context_of(counts, requirements)
        self._demands = [_Demand(one, shield_of(one, counts.quasi)) for one in requirements]
        self._bound = [one.bind(context) for one in requirements]
        self._histograms = {
            column: histograms_of_tuples(counts, column)
            for column in dict.fromkeys(one.column for one in requirements if one.column is not None)
        }
        self._columns = np.array(sorted({at for demand in self._demands for at in demand.shield}), dtype=np.int64)

    def apply(self, nodes: Ints) -> None:
        """Suppress cells, which become the root 0, in place; (tuples, columns)."""
        while (bad := self._violating(nodes)).any():
            shown = [at for at in self._columns.tolist() if (nodes[bad, at] != 0).any()]
            if shown:
                self._suppress(nodes, bad, shown)
            else:
                self._join(nodes)

    def _suppress(self, nodes: Ints, bad: Bools, shown: Sequence[int]) -> None:
        trials = [self._rescued(nodes, bad, at) for at in shown]
        gains = [float(self._sizes[trial].sum() / self._weights[at]) for trial, at in zip(trials, shown, strict=True)]
        best = int(np.argmax(gains))
        if gains[best]:
            nodes[trials[best], shown[best]] = 0
            return
        values = [len(np.unique(nodes[bad, at])) / self._weights[at] for at in shown]
        nodes[bad, shown[int(np.argmax(values))]] = 0

    def _rescued(self, nodes: Ints, bad: Bools, column: int) -> Bools:
        """Which violating tuples comply once a column of all of them is suppressed; they showed it before."""
        tried = nodes.copy()
        tried[bad, column] = 0
        return np.asarray(bad & (nodes[:, column] != 0) & ~self._violating(tried), dtype=bool)

    def _join(self, nodes: Ints) -> None:
        """Suppress the class that shows something and loses least by it."""
        group, first = group_rows(nodes, self._columns.tolist())
        shown = (nodes[np.ix_(first, self._columns)] != 0) @ self._weights[self._columns]
        cost = np.where(shown > 0, shown * np.bincount(group, self._sizes, len(first)), np.inf)
        if not np.isfinite(cost).any():
            named = ", ".join(str(demand.requirement) for demand in self._demands)
            raise Infeasible(f"Not even a table without quasi-identifiers meets {named}. Lower the requirement.")
        nodes[np.ix_(group == int(cost.argmin()), self._columns)] = 0

    def _violating(self, nodes: Ints) -> Bools:
        """Which tuples are in a class that violates a requirement."""
        found = np.zeros(len(nodes), dtype=bool)
        for (requirement, shield), bound in zip(self._demands, self._bound, strict=True):
            histograms = None
            if bound.formula is not None:
                histograms = self._histograms[required(requirement.column, "a sensitive column")]
            group, first = group_rows(nodes, shield)
            found |= violating(bound, self._sizes, histograms, (group, len(first)))
        return found


def _published(counts: FrequencyTable, nodes: Ints, *, facts: dict[str, object], weak: str | None) -> Recoding:
    """Publish each tuple by its nodes, (tuples, columns)."""
    columns, maps, rows = [], [], []
    for at, name in enumerate(counts.quasi):
        hierarchy = counts.hierarchies[name]
        column, index = label_column(counts.domains[name], hierarchy, nodes[:, at], hide_root=hierarchy.height > 0)
        columns.append(column)
        rows.append(index)
        maps.append(ColumnMap(hierarchy, nearest_published(hierarchy, required(column.nodes, "the nodes of a column"))))
    groups, of_tuple = tabulate(rows, [len(column) for column in columns], len(nodes))
    pieces = Pieces.whole(of_tuple[counts.cell_tuple], counts.cell_sizes)
    return Recoding(
        method="mu-argus",
        quasi=counts.quasi,
        columns=tuple(columns),
        groups=groups,
        sizes=pieces.sizes(len(groups)),
        pieces=pieces,
        router=NodeRouter(tuple(maps)),
        facts=facts,
        weak=weak,
    )
