"""MinGen's integer program: the generalized rows that each record may be published as, and the cheapest choice.

A generalized row has a node in every column, and covers the tuples that lie below all of these nodes. The program
leaves out choices that no optimal release needs:

- Attributes in no shield stay unchanged, because lifting them helps no requirement.
- A node that covers no more values of the column than a node below it. With the lower node, all its records have fewer
  generalizations, and classes can only unite, which keeps every monotone requirement.
- A class of a shield that covers too few records, or too few sensitive values, to ever be filled.
- If all requirements have one shield, a class that is not the lowest above all tuples that it covers. With the lowest
  one, its records have fewer generalizations. With several shields, this could split classes of another shield.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

from hedgerow._internal.arrays import Bools, Ints, Longs, ranges
from hedgerow.anonymizers.lattice._cuts import CutSpace
from hedgerow.anonymizers.lattice._levels import group_rows
from hedgerow.anonymizers.lattice._options import Deadline
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.errors import required
from hedgerow.requirements import Histograms
from hedgerow.requirements.binding import BoundRequirement

__all__ = [
    "Assignees",
    "Assignments",
    "Solution",
    "assignments_of",
    "count_assignments",
    "solve",
    "steps_to",
    "whole_weights",
]


# With larger weights, the solver's tolerance on sums of steps would matter.
_LARGEST_WEIGHT: Final = 100


class Assignees(NamedTuple):
    """The units that are assigned: tuples, or cells where records of a tuple may part and sensitive values count.

    Attributes
    ----------
    tuple : int array (units,)
        The tuple of each.
    records : int array (units,)
        How many records each has.
    held : mapping of column to array (units, codes)
        How many records of each unit have each value of the sensitive columns.
    split : bool
        Whether the records of a unit may be assigned one by one.
    """

    tuple: Longs
    records: Longs
    held: Mapping[str, csr_array]
    split: bool

    @classmethod
    def of(cls, counts: FrequencyTable, space: CutSpace, *, split: bool) -> Assignees:
        """The units of a table."""
        columns = list(dict.fromkeys(bound.column for bound in space.bound if bound.column is not None))
        by_cell = split and bool(columns)
        of_cell = counts.cell_tuple.astype(np.int64)
        unit = np.arange(len(of_cell), dtype=np.int64) if by_cell else of_cell
        tuples = of_cell if by_cell else np.arange(len(counts.tuples), dtype=np.int64)
        held = {}
        for name in columns:
            shape = len(tuples), counts.domains[name].size
            held[name] = csr_array((counts.cell_sizes, (unit, counts.values_of(name))), shape=shape)
        return cls(tuples, counts.cell_sizes if by_cell else counts.tuple_sizes, held, split)


class Assignments(NamedTuple):
    """All choices of a generalized row for each unit.

    Attributes
    ----------
    rows : int array (generalized rows, quasi-identifiers)
        The nodes of each generalized row.
    unit, row : int arrays (assignments,)
        Ascending in ``unit``.
    steps : int array (assignments,)
        How many generalizations one record then has: steps up the hierarchies, weighted and summed over the columns.
    distortion : int array (assignments,)
        The loss of Prec: levels as shares of the heights, weighted and summed over the columns, in parts of ``whole``.
    whole : int
        A multiple of all heights.
    lost_steps, lost_distortion : int arrays (units,)
        The same for a record that is lost: every column goes up to the root.
    """

    rows: Ints
    unit: Longs
    row: Longs
    steps: Longs
    distortion: Longs
    whole: int
    lost_steps: Longs
    lost_distortion: Longs


class _Above(NamedTuple):
    """The nodes that the codes of a column may become: those of a code are ``nodes[start[code]:start[code + 1]]``."""

    start: Longs
    nodes: Ints


def count_assignments(counts: FrequencyTable, space: CutSpace, units: Assignees) -> int:
    """How many choices there are before those of unfillable classes are left out."""
    choices = np.ones(len(units.tuple))
    for at, above in enumerate(_above(space)):
        choices *= np.diff(above.start)[counts.tuples[units.tuple, at]]
    return int(choices.sum())


def _above(space: CutSpace) -> list[_Above]:
    result = []
    shielded = {column for shield in space.shields for column in shield}
    for column, hierarchy in enumerate(space.hierarchies):
        node = hierarchy.leaf_of
        nodes = [node]
        for _ in range(hierarchy.height if column in shielded else 0):
            node = space.wider[column][node]
            nodes.append(node)
        ladder = np.stack(nodes, axis=1)
        new = np.ones(ladder.shape, dtype=bool)
        new[:, 1:] = ladder[:, 1:] != ladder[:, :-1]
        start = np.concatenate([[0], np.cumsum(new.sum(axis=1))]).astype(np.int64)
        result.append(_Above(start, ladder[new]))
    return result


def assignments_of(counts: FrequencyTable, space: CutSpace, units: Assignees) -> Assignments:
    """List the choices of all units, without those that no optimal release needs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(2)], random_state=0).counts
    >>> space = CutSpace(counts, [KAnonymity(2)])
    >>> choices = assignments_of(counts, space, Assignees.of(counts, space, split=False))
    >>> [counts.hierarchies["zip"].labels[node] for node in choices.rows[:, 0]]
    ['*', '1*']
    >>> choices.unit.tolist(), choices.row.tolist(), choices.steps.tolist()
    ([0, 0, 1, 1, 2], [1, 0, 1, 0, 0], [1, 2, 1, 2, 2])
    """
    unit = np.arange(len(units.tuple), dtype=np.int64)
    nodes: list[Ints] = []
    for at, above in enumerate(_above(space)):
        code = counts.tuples[units.tuple[unit], at]
        place, origin = ranges(above.start[code], np.diff(above.start)[code])
        nodes = [*(column[origin] for column in nodes), above.nodes[place]]
        unit = unit[origin]
    rows, row = tabulate(nodes, [len(hierarchy.parent) for hierarchy in space.hierarchies], len(unit))
    steps = steps_to(counts, rows, units.tuple[unit], row)
    whole = math.lcm(*(max(hierarchy.height, 1) for hierarchy in space.hierarchies))
    distortion = np.zeros(len(unit), dtype=np.int64)
    weights = whole_weights(counts)
    for at, hierarchy in enumerate(space.hierarchies):
        parts = weights[at] * (whole // max(hierarchy.height, 1))
        distortion += hierarchy.level[rows[row, at]].astype(np.int64) * parts
    root = np.zeros((1, len(counts.quasi)), dtype=np.int32)
    lost_steps = steps_to(counts, root, units.tuple, np.zeros(len(units.tuple), dtype=np.int64))
    lost_distortion = np.full(len(units.tuple), whole * int(sum(weights)), dtype=np.int64)
    assignments = Assignments(rows, unit, row.astype(np.int64), steps, distortion, whole, lost_steps, lost_distortion)
    if len(set(space.shields)) == 1:
        assignments = _only(assignments, _lowest(counts, assignments, units, space.shields[0])[assignments.row])
    return _fillable(assignments, space, units)


def steps_to(counts: FrequencyTable, rows: Ints, tuples: Longs, row: NDArray[np.integer]) -> Longs:
    """How many generalizations lead from each tuple to its generalized row, weighted and summed over the columns."""
    total = np.zeros(len(tuples), dtype=np.int64)
    for at, (name, weight) in enumerate(zip(counts.quasi, whole_weights(counts), strict=True)):
        hierarchy = counts.hierarchies[name]
        leaves = hierarchy.leaf_of[counts.tuples[tuples, at]]
        total += weight * (hierarchy.depth[leaves] - hierarchy.depth[rows[row, at]])
    return total


def whole_weights(counts: FrequencyTable) -> list[int]:
    """The weights of the columns as small whole numbers, so that sums of steps stay whole: 1 each if all are equal.

    They have the ratio of the weights where numbers up to 100 come close to it; otherwise they are hundredths of the
    largest. A positive weight becomes at least 1.
    """
    weights = counts.roles.column_weights
    least = Fraction(1, _LARGEST_WEIGHT)
    nearly = [Fraction(weight / max(weights)).limit_denominator(_LARGEST_WEIGHT) for weight in weights]
    shares = [max(share, least) if weight > 0 else share for share, weight in zip(nearly, weights, strict=True)]
    whole = min(math.lcm(*(share.denominator for share in shares)), _LARGEST_WEIGHT)
    return [max(round(share * whole), int(share > 0)) for share in shares]


def _fillable(assignments: Assignments, space: CutSpace, units: Assignees) -> Assignments:
    """Leave out assignments to classes that cannot be filled, until all remaining classes can be."""
    while True:
        kept = np.ones(len(assignments.unit), dtype=bool)
        for requirement, shield, column, _ in space.bound:
            of_row, first = group_rows(assignments.rows, shield)
            of = of_row[assignments.row]
            # A unit may reach a class by several rows, but counts once.
            held_by, unit = np.divmod(np.unique(of * len(units.tuple) + assignments.unit), len(units.tuple))
            fillable = np.bincount(held_by, units.records[unit], len(first)) >= requirement.minimal_size
            if requirement.formula == "distinct":
                incidence = csr_array((np.ones(len(unit)), (held_by, unit)), shape=(len(first), len(units.tuple)))
                fillable &= (
                    np.diff((incidence @ units.held[required(column, "a sensitive column")]).indptr)
                    >= requirement.parameters[0]
                )
            kept &= fillable[of]
        if kept.all():
            return assignments
        assignments = _only(assignments, kept)


def _only(assignments: Assignments, kept: Bools) -> Assignments:
    """Some of the assignments, and the rows that they use."""
    used, row = np.unique(assignments.row[kept], return_inverse=True)
    return assignments._replace(
        rows=assignments.rows[used],
        unit=assignments.unit[kept],
        row=row.astype(np.int64),
        steps=assignments.steps[kept],
        distortion=assignments.distortion[kept],
    )


def _lowest(counts: FrequencyTable, assignments: Assignments, units: Assignees, shield: tuple[int, ...]) -> Bools:
    """Which generalized rows are the lowest ones, on the shield, above all tuples that they cover."""
    of_row, first = group_rows(assignments.rows, shield)
    of = of_row[assignments.row]
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(first)))
    tuples = units.tuple[assignments.unit[order]]
    result: Bools = np.ones(len(first), dtype=bool)
    for at in shield:
        hierarchy = counts.hierarchies[counts.quasi[at]]
        result &= hierarchy.lca_of_codes(counts.tuples[tuples, at], starts) == assignments.rows[first, at]
    return np.asarray(result[of_row])


# --------------------------------------------------------------------------------------------------
# The cheapest assignment of records to generalized rows, as an integer program solved by HiGHS.
#
# The variables are how many records of each unit are published as each generalized row. Rows that are equal on a shield
# form a class, which is open or not. Records go only to open classes, and an open class meets its requirements, which
# are linear in the numbers of records:
#
# - at least k records: the sum of the records is at least k if the class is open;
# - l distinct values: for l values, a number between 0 and 1 is at most the number of records with the value;
# - a share of at most alpha: for each value, its records minus alpha times all records are at most 0.
#
# Where records may be lost, a unit may stay unassigned, wholly or in part. The cost of losing it is subtracted from the
# costs of its assignments, so that minimizing the difference minimizes the sum.
#
# Entropy and recursive diversity and t-closeness are not linear. HiGHS: Q. Huangfu, J. Hall: Parallelizing
# the dual revised simplex method, Mathematical Programming Computation 10, 2018; called through
# ``scipy.optimize.milp``.


_OPTIMAL: Final = 0
_INFEASIBLE: Final = 2


class Solution(NamedTuple):
    """How many records each assignment takes, as far as the solver got in time.

    Attributes
    ----------
    records : int array (assignments,), optional
        ``None`` if no solution was found.
    feasible : bool
        Whether there may be a solution at all.
    fewest : bool
        Whether it is proved that no solution has fewer generalizations.
    precise : bool
        Whether it is proved that no solution with as few has a better Prec.
    bound : float
        A lower bound on the number of generalizations.
    """

    records: Longs | None
    feasible: bool
    fewest: bool
    precise: bool
    bound: float


def solve(
    assignments: Assignments, space: CutSpace, units: Assignees, time_limit: float | None, allowed: int = 0
) -> Solution:
    """Find the assignment with the fewest generalizations, and of these the one with the best Prec.

    At most ``allowed`` records are lost; each of their cells counts as generalized to the root.
    """
    if not allowed and len(np.unique(assignments.unit)) < len(units.tuple):
        return Solution(None, False, False, False, math.inf)
    deadline = Deadline(time_limit)
    program = _Program(assignments, space, units, allowed)
    steps, distortion = assignments.steps, assignments.distortion
    if allowed:
        steps = steps - assignments.lost_steps[assignments.unit]
        distortion = distortion - assignments.lost_distortion[assignments.unit]
    steps_if_all_lost = int(assignments.lost_steps @ units.records) if allowed else 0
    first = program.minimize(steps, deadline)
    first = first._replace(bound=first.bound + steps_if_all_lost)
    if first.records is None or not first.fewest:
        return first
    if _proportional(steps, distortion):
        return first._replace(precise=True)
    fewest = int(steps @ first.records)
    first = first._replace(bound=float(fewest + steps_if_all_lost))
    second = program.minimize(distortion, deadline, (steps, fewest))
    # The solver's tolerance may let the sum exceed the fewest; it is far below one step.
    if second.records is None or int(steps @ second.records) > fewest:
        return first
    return first._replace(records=second.records, precise=second.fewest)


def _proportional(steps: Longs, distortion: Longs) -> bool:
    """Whether the fewest generalizations also have the best Prec."""
    if not steps.any():
        return True
    at = int(np.argmax(steps != 0))
    return bool((distortion * steps[at] == steps * distortion[at]).all())


_Term = tuple[Longs, Longs, object]
"""Entries of a constraint matrix: rows, variables, and factors."""


class _Constraint(NamedTuple):
    """Rows of a sparse matrix, with their limits."""

    rows: int
    low: float | Longs
    high: float | Longs
    terms: Sequence[_Term]

    def over(self, variables: int) -> LinearConstraint:
        row, column = (np.concatenate([term[at] for term in self.terms]) for at in (0, 1))
        factors = [
            np.broadcast_to(np.asarray(factor, dtype=np.float64), where.shape) for where, _, factor in self.terms
        ]
        matrix = coo_array((np.concatenate(factors), (row, column)), shape=(self.rows, variables))
        return LinearConstraint(matrix.tocsr(), self.low, self.high)


class _Program:
    """The integer program. Its variables: an amount per assignment, then the open classes, then the values of classes.

    An amount is 0 or 1 where units stay whole, and a number of records where they may be split.
    """

    def __init__(self, assignments: Assignments, space: CutSpace, units: Assignees, allowed: int) -> None:
        self._assignments, self._space, self._units, self._allowed = assignments, space, units, allowed
        self._choices = np.arange(len(assignments.unit), dtype=np.int64)
        own = units.records[assignments.unit]
        self._size = np.ones_like(own) if units.split else own
        self._most = own if units.split else np.ones_like(own)
        self._variables = len(self._choices)
        self._constraints: list[_Constraint] = []
        every = units.records if units.split else np.ones(len(units.records), dtype=np.int64)
        self._require(len(every), 0 if allowed else every, every, (assignments.unit, self._choices, 1))
        if allowed:
            together = np.zeros_like(self._choices)
            self._require(1, int(units.records.sum()) - allowed, np.inf, (together, self._choices, self._size))
        classes = {shield: self._classes(shield) for shield in dict.fromkeys(space.shields)}
        self._whole = self._variables
        formulas = {"number": self._number, "distinct": self._distinct, "share": self._share}
        for requirement, shield, column, _ in space.bound:
            of, opened = classes[shield]
            own_class = np.arange(len(opened), dtype=np.int64)
            enough = (of, self._choices, self._size / requirement.minimal_size), (own_class, opened, -1.0)
            self._require(len(opened), 0, np.inf, *enough)
            if column is not None and requirement.formula in formulas:
                formulas[requirement.formula](requirement, units.held[column], of, opened)

    def _require(self, rows: int, low: float | Longs, high: float | Longs, *terms: _Term) -> None:
        self._constraints.append(_Constraint(rows, low, high, terms))

    def _new_variables(self, number: int) -> Longs:
        self._variables += number
        return np.arange(self._variables - number, self._variables, dtype=np.int64)

    def _classes(self, shield: tuple[int, ...]) -> tuple[Longs, Longs]:
        """The class of each assignment on a shield, and the variables that open the classes."""
        of_row, first = group_rows(self._assignments.rows, shield)
        of = of_row[self._assignments.row]
        opened = self._new_variables(len(first))
        terms = (self._choices, self._choices, 1.0), (self._choices, opened[of], -self._most)
        self._require(len(of), -np.inf, 0, *terms)
        return of, opened

    def _distinct(self, requirement: BoundRequirement, held: csr_array, of: Longs, opened: Longs) -> None:
        of_choice, width = held[self._assignments.unit], held.shape[1]
        choice = np.repeat(self._choices, np.diff(of_choice.indptr))
        pairs, pair = np.unique(of[choice] * width + of_choice.indices, return_inverse=True)
        present = self._new_variables(len(pairs))
        own = np.arange(len(pairs), dtype=np.int64)
        self._require(len(pairs), 0, np.inf, (pair.astype(np.int64), choice, 1), (own, present, -1))
        own_class = np.arange(len(opened), dtype=np.int64)
        terms = (pairs // width, present, 1), (own_class, opened, -requirement.parameters[0])
        self._require(len(opened), 0, np.inf, *terms)

    def _number(self, requirement: BoundRequirement, held: csr_array, of: Longs, opened: Longs) -> None:
        least, code = float(requirement.parameters[0]), int(requirement.parameters[1])
        have = held[:, [code]].toarray()[:, 0]
        if self._units.split:
            have = (have > 0).astype(np.float64)
        own_class = np.arange(len(opened), dtype=np.int64)
        terms = (of, self._choices, have[self._assignments.unit] / least), (own_class, opened, -1.0)
        self._require(len(opened), 0, np.inf, *terms)

    def _share(self, requirement: BoundRequirement, held: csr_array, of: Longs, opened: Longs) -> None:
        alpha, code = float(requirement.parameters[0]), int(requirement.parameters[1])
        unit = self._assignments.unit
        for value in range(held.shape[1]) if code < 0 else [code]:
            have = held[:, [value]].toarray()[:, 0]
            if self._units.split:
                have = (have > 0).astype(np.float64)
            self._require(len(opened), -np.inf, 0, (of, self._choices, have[unit] - alpha * self._size))

    def minimize(self, cost: Longs, deadline: Deadline, limited: tuple[Longs, int] | None = None) -> Solution:
        """Find the amounts of least cost, where ``limited`` bounds another cost; ``fewest`` then means least cost."""
        choices = len(self._choices)
        left = deadline.left
        if left <= 0:
            return Solution(None, True, False, False, -math.inf)
        objective = np.zeros(self._variables)
        objective[:choices] = cost * self._size
        highest = np.ones(self._variables)
        highest[:choices] = self._most
        constraints = [constraint.over(self._variables) for constraint in self._constraints]
        if limited is not None:
            factors = np.zeros((1, self._variables))
            factors[0, :choices] = limited[0] * self._size
            constraints.append(LinearConstraint(csr_array(factors), -np.inf, limited[1]))
        result = milp(
            objective,
            integrality=(np.arange(self._variables) < self._whole).astype(np.int64),
            bounds=Bounds(0, highest),
            constraints=constraints,
            options={"mip_rel_gap": 0.0, **({} if math.isinf(left) else {"time_limit": left})},
        )
        records = None if result.x is None else np.rint(result.x[:choices]).astype(np.int64) * self._size
        if records is not None and not self._holds(records):
            records = None
        bound = -math.inf if result.mip_dual_bound is None else float(result.mip_dual_bound)
        least = records is not None and result.status == _OPTIMAL
        return Solution(records, result.status != _INFEASIBLE, least, False, bound)

    def _holds(self, records: Longs) -> bool:
        """Whether rounded amounts lose no more records than allowed, and meet every requirement."""
        used = records > 0
        unit = self._assignments.unit
        lost = self._units.records - np.bincount(unit, records, len(self._units.records)).astype(np.int64)
        if lost.min() < 0 or lost.sum() > self._allowed:
            return False
        for requirement, shield, column, _ in self._space.bound:
            of_row, _ = group_rows(self._assignments.rows, shield)
            of, numbers = np.unique(of_row[self._assignments.row[used]], return_inverse=True)
            sizes = np.bincount(numbers, records[used], len(of)).astype(np.int64)
            histograms = None
            if column is not None:
                held = self._units.held[column][unit[used]]
                if self._units.split:
                    held = held.sign().multiply(records[used][:, np.newaxis]).tocsr()
                incidence = csr_array((np.ones(len(numbers), np.int64), (numbers, np.arange(len(numbers)))))
                totals = csr_array(incidence @ held)
                histograms = Histograms(
                    *(array.astype(np.int64) for array in (totals.indptr, totals.indices, totals.data))
                )
            if not requirement.satisfied(sizes, histograms).all():
                return False
        return True
