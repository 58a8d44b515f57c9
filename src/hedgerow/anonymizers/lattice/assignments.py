"""Which generalized rows a record could be published as: the choices of a cell-wise generalization.

A generalized row has a node in every column, and covers the tuples that lie below all of them. Choices that no
optimal release needs are left out:

- Attributes in no shield stay as they are: to lift them helps no requirement.
- A node that covers no more values of the column than a node below it: written as the lower one, all its records have
  fewer generalizations, and classes at most unite, which keeps every monotone requirement.
- A class of a shield whose covered records are too few, or have too few sensitive values: it could never be filled.
- If all requirements have one shield, a class that is not the lowest above all the tuples that it covers: written as
  that one, its records have fewer generalizations. With several shields this could tear classes of another apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.anonymizers.lattice.cuts import CutSpace
from hedgerow.anonymizers.lattice.grouping import group_rows
from hedgerow.arrays import Bools, Ints, Longs, ranges
from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.errors import required

__all__ = ["Assignees", "Assignments", "assignments_of", "count_assignments", "steps_to", "whole_weights"]

# Larger ones would make the solver's tolerance, which is on sums of steps, count.
_LARGEST_WEIGHT: Final = 100


class Assignees(NamedTuple):
    """What is assigned as one: tuples; or cells, where records of one tuple may part and sensitive values count.

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
        columns = list(dict.fromkeys(one.column for one in space.bound if one.column is not None))
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
    """Every choice of a generalized row for a unit.

    Attributes
    ----------
    rows : int array (generalized rows, quasi-identifiers)
        The nodes of each.
    unit, row : int arrays (assignments,)
        Ascending in ``unit``.
    steps : int array (assignments,)
        How many generalizations one record of the unit then has: steps up, added over the columns by their weights.
    distortion : int array (assignments,)
        What Prec is lowered by: levels as shares of the heights, added over the columns by their weights, in parts of
        ``whole``.
    whole : int
        A multiple of all heights.
    lost_steps, lost_distortion : int arrays (units,)
        The same of a record of each unit that is not published: every column goes up to the root.
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
    """How many choices there are before any is left out for its class."""
    choices = np.ones(len(units.tuple))
    for at, above in enumerate(_above(space)):
        choices *= np.diff(above.start)[counts.tuples[units.tuple, at]]
    return int(choices.sum())


def _above(space: CutSpace) -> list[_Above]:
    result = []
    shielded = {column for shield in space.shields for column in shield}
    for column, hierarchy in enumerate(space.hierarchies):
        climbing = hierarchy.leaf_of
        nodes = [climbing]
        for _ in range(hierarchy.height if column in shielded else 0):
            climbing = space.wider[column][climbing]
            nodes.append(climbing)
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
    >>> from hedgerow.anonymizers.pipeline import prepare
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(2)], random_state=0).counts
    >>> space = CutSpace(counts, [KAnonymity(2)])
    >>> found = assignments_of(counts, space, Assignees.of(counts, space, split=False))
    >>> [counts.hierarchies["zip"].labels[node] for node in found.rows[:, 0]]
    ['*', '1*']
    >>> found.unit.tolist(), found.row.tolist(), found.steps.tolist()
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
    found = Assignments(rows, unit, row.astype(np.int64), steps, distortion, whole, lost_steps, lost_distortion)
    if len(set(space.shields)) == 1:
        found = _only(found, _lowest(counts, found, units, space.shields[0])[found.row])
    return _fillable(found, space, units)


def steps_to(counts: FrequencyTable, rows: Ints, tuples: Longs, row: NDArray[np.integer]) -> Longs:
    """How many generalizations lead from each tuple to its generalized row, added over the columns by their weights."""
    total = np.zeros(len(tuples), dtype=np.int64)
    for at, (name, weight) in enumerate(zip(counts.quasi, whole_weights(counts), strict=True)):
        hierarchy = counts.hierarchies[name]
        leaves = hierarchy.leaf_of[counts.tuples[tuples, at]]
        total += weight * (hierarchy.depth[leaves] - hierarchy.depth[rows[row, at]])
    return total


def whole_weights(counts: FrequencyTable) -> list[int]:
    """The weights of the columns as small whole numbers, so that sums of steps stay whole: 1 each if all are equal.

    They are in the ratio of the weights where numbers up to 100 can nearly say it, else hundredths of the largest; what
    weighs more than 0 has 1 at least.
    """
    weights = counts.roles.column_weights
    least = Fraction(1, _LARGEST_WEIGHT)
    nearly = [Fraction(weight / max(weights)).limit_denominator(_LARGEST_WEIGHT) for weight in weights]
    shares = [max(share, least) if weight > 0 else share for share, weight in zip(nearly, weights, strict=True)]
    whole = min(math.lcm(*(share.denominator for share in shares)), _LARGEST_WEIGHT)
    return [max(round(share * whole), int(share > 0)) for share in shares]


def _fillable(assignments: Assignments, space: CutSpace, units: Assignees) -> Assignments:
    """Leave out what belongs to a class that could not be filled, until nothing more does."""
    while True:
        kept = np.ones(len(assignments.unit), dtype=bool)
        for requirement, shield, column, _ in space.bound:
            of_row, first = group_rows(assignments.rows, shield)
            of = of_row[assignments.row]
            # A unit may come to a class by several rows; it counts once.
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
    """Which generalized rows are, on the shield, the lowest above all tuples that they cover there."""
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
