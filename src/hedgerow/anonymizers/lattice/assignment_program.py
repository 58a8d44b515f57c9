"""The cheapest assignment of records to generalized rows, as an integer program solved by HiGHS.

How many records of a unit are published as a generalized row is a whole number. The rows that look alike on a shield
are a class, which is open or not: records go only to open classes, and an open one meets its requirements, which are
linear in the numbers of records:

- at least k records: their sum is at least k if the class is open;
- l distinct values: for l values, a number between 0 and 1 is at most how many records have the value;
- a share of at most alpha: for each value, the records that have it less alpha times all of them is at most 0.

Where records may be lost, a unit need not be assigned, or not all of it; what it costs then is taken off what its
assignments cost, so that the least of the differences is the least of the sums.

Entropy, recursive diversity and t-closeness are not written in this way. HiGHS: Q. Huangfu, J. Hall: Parallelizing the
dual revised simplex method, Mathematical Programming Computation 10, 2018; called through ``scipy.optimize.milp``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

from hedgerow.anonymizers.lattice.assignments import Assignees, Assignments
from hedgerow.anonymizers.lattice.cuts import CutSpace
from hedgerow.anonymizers.lattice.deadline import Deadline
from hedgerow.anonymizers.lattice.grouping import group_rows
from hedgerow.arrays import Longs
from hedgerow.privacy import Histograms
from hedgerow.privacy.binding import BoundRequirement

__all__ = ["Solution", "solve"]

_OPTIMAL: Final = 0
_INFEASIBLE: Final = 2


class Solution(NamedTuple):
    """How many records each assignment takes; nothing if none was found in time.

    Attributes
    ----------
    records : int array (assignments,), optional
    feasible : bool
        Whether there may be a solution at all.
    fewest : bool
        Whether no assignment has fewer generalizations.
    precise : bool
        Whether none with as few has a better Prec.
    bound : float
        The number of generalizations that no assignment goes below.
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

    At most ``allowed`` records are not assigned; they count as if every cell of them were generalized to the root.
    """
    if not allowed and len(np.unique(assignments.unit)) < len(units.tuple):
        return Solution(None, False, False, False, math.inf)
    deadline = Deadline(time_limit)
    program = _Program(assignments, space, units, allowed)
    steps, distortion = assignments.steps, assignments.distortion
    if allowed:
        steps = steps - assignments.lost_steps[assignments.unit]
        distortion = distortion - assignments.lost_distortion[assignments.unit]
    if_all_were_lost = int(assignments.lost_steps @ units.records) if allowed else 0
    first = program.minimize(steps, deadline)
    first = first._replace(bound=first.bound + if_all_were_lost)
    if first.records is None or not first.fewest:
        return first
    if _proportional(steps, distortion):
        return first._replace(precise=True)
    fewest = int(steps @ first.records)
    first = first._replace(bound=float(fewest + if_all_were_lost))
    second = program.minimize(distortion, deadline, (steps, fewest))
    # A sum that the solver takes for the fewest may be above it by its tolerance, which is far below one step.
    if second.records is None or int(steps @ second.records) > fewest:
        return first
    return first._replace(records=second.records, precise=second.fewest)


def _proportional(steps: Longs, distortion: Longs) -> bool:
    """Whether the fewest generalizations have the best Prec anyway."""
    if not steps.any():
        return True
    some = int(np.argmax(steps != 0))
    return bool((distortion * steps[some] == steps * distortion[some]).all())


_Term = tuple[Longs, Longs, object]
"""Where some factors stand (row of the constraint, variable), and the factors."""


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
    """The variables: an amount for each assignment, then the open classes, then the values that a class is to have.

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
        for requirement, shield, column, _ in space.bound:
            of, opened = classes[shield]
            least = requirement.minimal_size
            own_class = np.arange(len(opened), dtype=np.int64)
            enough = (of, self._choices, self._size / least), (own_class, opened, -1.0)
            self._require(len(opened), 0, np.inf, *enough)
            if column is not None:
                held = units.held[column]
                if requirement.formula == "number":
                    self._number(requirement, held, of, opened)
                if requirement.formula == "distinct":
                    self._distinct(requirement, held, of, opened)
                if requirement.formula == "share":
                    self._share(requirement, held, of, len(opened))

    def _require(self, rows: int, low: float | Longs, high: float | Longs, *terms: _Term) -> None:
        self._constraints.append(_Constraint(rows, low, high, terms))

    def _further(self, number: int) -> Longs:
        """New variables."""
        self._variables += number
        return np.arange(self._variables - number, self._variables, dtype=np.int64)

    def _classes(self, shield: tuple[int, ...]) -> tuple[Longs, Longs]:
        """The class of each assignment on a shield, and the variables that open the classes."""
        of_row, first = group_rows(self._assignments.rows, shield)
        of = of_row[self._assignments.row]
        opened = self._further(len(first))
        terms = (self._choices, self._choices, 1.0), (self._choices, opened[of], -self._most)
        self._require(len(of), -np.inf, 0, *terms)
        return of, opened

    def _distinct(self, requirement: BoundRequirement, held: csr_array, of: Longs, opened: Longs) -> None:
        of_choice, width = held[self._assignments.unit], held.shape[1]
        choice = np.repeat(self._choices, np.diff(of_choice.indptr))
        pairs, pair = np.unique(of[choice] * width + of_choice.indices, return_inverse=True)
        shown = self._further(len(pairs))
        own = np.arange(len(pairs), dtype=np.int64)
        self._require(len(pairs), 0, np.inf, (pair.astype(np.int64), choice, 1), (own, shown, -1))
        own_class = np.arange(len(opened), dtype=np.int64)
        terms = (pairs // width, shown, 1), (own_class, opened, -requirement.parameters[0])
        self._require(len(opened), 0, np.inf, *terms)

    def _number(self, requirement: BoundRequirement, held: csr_array, of: Longs, opened: Longs) -> None:
        least, code = float(requirement.parameters[0]), int(requirement.parameters[1])
        have = held[:, [code]].toarray()[:, 0]
        if self._units.split:
            have = (have > 0).astype(np.float64)
        own_class = np.arange(len(opened), dtype=np.int64)
        terms = (of, self._choices, have[self._assignments.unit] / least), (own_class, opened, -1.0)
        self._require(len(opened), 0, np.inf, *terms)

    def _share(self, requirement: BoundRequirement, held: csr_array, of: Longs, classes: int) -> None:
        alpha, code = float(requirement.parameters[0]), int(requirement.parameters[1])
        unit = self._assignments.unit
        for value in range(held.shape[1]) if code < 0 else [code]:
            have = held[:, [value]].toarray()[:, 0]
            if self._units.split:
                have = (have > 0).astype(np.float64)
            self._require(classes, -np.inf, 0, (of, self._choices, have[unit] - alpha * self._size))

    def minimize(self, cost: Longs, deadline: Deadline, limited: tuple[Longs, int] | None = None) -> Solution:
        """Find the amounts of least cost, which are then called the fewest, with another cost limited."""
        choices = len(self._choices)
        left = deadline.left
        if left <= 0:
            return Solution(None, True, False, False, -math.inf)
        objective = np.zeros(self._variables)
        objective[:choices] = cost * self._size
        highest = np.ones(self._variables)
        highest[:choices] = self._most
        constraints = [one.over(self._variables) for one in self._constraints]
        if limited is not None:
            factors = np.zeros((1, self._variables))
            factors[0, :choices] = limited[0] * self._size
            constraints.append(LinearConstraint(csr_array(factors), -np.inf, limited[1]))
        found = milp(
            objective,
            integrality=(np.arange(self._variables) < self._whole).astype(np.int64),
            bounds=Bounds(0, highest),
            constraints=constraints,
            options={"mip_rel_gap": 0.0, **({} if math.isinf(left) else {"time_limit": left})},
        )
        records = None if found.x is None else np.rint(found.x[:choices]).astype(np.int64) * self._size
        if records is not None and not self._holds(records):
            records = None
        bound = -math.inf if found.mip_dual_bound is None else float(found.mip_dual_bound)
        least = records is not None and found.status == _OPTIMAL
        return Solution(records, found.status != _INFEASIBLE, least, False, bound)

    def _holds(self, records: Longs) -> bool:
        """Whether amounts, once rounded, assign every record that may not be lost and meet every requirement."""
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
                histograms = Histograms(*(one.astype(np.int64) for one in (totals.indptr, totals.indices, totals.data)))
            if not requirement.satisfied(sizes, histograms).all():
                return False
        return True
