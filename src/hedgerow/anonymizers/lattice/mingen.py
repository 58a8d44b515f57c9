"""MinGen: the fewest generalizations of single cells that satisfy the requirements, and of these the best Prec.

Every tuple (or every record) is published as a generalized row that covers it, independently of others with the same
value. A generalization is one step up the hierarchy in one cell. L. Sweeney: Achieving k-Anonymity Privacy Protection
Using Generalization and Suppression, IJUFKS 10(5), 2002; described by Arca, Hewett: Data privacy with heuristic
anonymisation, section 5.1.1, whose figure 6 counts two steps in one cell as two generalizations.

Deviations
----------
- The papers try all generalizations of all cells. Here an integer program finds and proves the optimum, over the rows
  that an optimum can need (:mod:`hedgerow.anonymizers.lattice._assignments`).
- ``granularity="tuple"`` publishes all records of a tuple alike, as all tables of figure 6 do; there, 14
  generalizations are the fewest. If records of a tuple may differ (``"record"``), 12 are enough for the same table.
- The "240 possible generalisations" of section 5.1.1 are steps times records, not the size of the search space.
- Several requirements with their shields are met exactly, and so are distinct l-diversity, p-sensitivity and
  (alpha,k)-anonymity. Requirements that are not linear in the numbers of records are refused.
- A generalization is multiplied by the weight of its column, as a small whole number
  (:func:`hedgerow.anonymizers.lattice._assignments.whole_weights`).
- With a ``suppression_limit``, records may also be lost; each of their cells counts as generalized to the root. The
  optimum is over both.
- Of several optima with the same Prec, the solver's first is published. It is always the same with one version of
  SciPy, but may change with another version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._cuts import CutSpace, greedy
from hedgerow.anonymizers.parameters import choice, number
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.recoding import Pieces, Recoding, label_column
from hedgerow.errors import BadInput, Infeasible
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.lattice._assignments import Assignees, Assignments, Solution

__all__ = ["MinGen"]

# The most choices without a time limit, and with one: a larger program does not fit in memory.
_MOST_UNLIMITED: Final = 20_000
_MOST: Final = 2_000_000


class MinGen(Anonymizer):
    """Generalize single cells, by the fewest steps that the requirements allow.

    For small tables: the optimum is proved by an integer program.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "11", "12", "12"], "sex": ["f", "f", "f", "m"]})
    >>> release = hr.MinGen(k=2).anonymize(people, hr.Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"}))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("zip", "sex")))))
    [('11', 'f'), ('12', '*')]
    """

    name = "mingen"
    family = "lattice"
    suppression_by = "itself"
    paper = "Sweeney (IJUFKS 2002)"
    guarantees = "k-anonymity, distinct l-diversity, p-sensitive, (alpha,k)"

    granularity: Literal["tuple", "record"] = choice(
        "Whether records with equal values must be published alike (tuple), or may differ (record)."
    )
    time_limit: float | None = number(
        "Seconds after which the solver stops. The best so far is released, with a warning. Larger tables need it.",
        default=None,
        least=0,
        trials=(60.0,),
    )

    def uses_weights(self) -> bool:
        """A generalization is multiplied by the weight of its column."""
        return True

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        # This module needs scipy's solver, which takes long to import.
        from hedgerow.anonymizers.lattice._assignments import Assignees, assignments_of, count_assignments, solve

        _refuse_others(requirements)
        space = CutSpace(counts, requirements)
        units = Assignees.of(counts, space, split=self.granularity == "record")
        _refuse_large(count_assignments(counts, space, units), self.time_limit)
        assignments = assignments_of(counts, space, units)
        solution = solve(assignments, space, units, self.time_limit, self._may_lose(counts))
        if not solution.feasible:
            raise Infeasible("No generalization of cells meets all requirements. Lower the requirement.")
        release = None if solution.records is None else _published(counts, units, assignments, solution.records, seed)
        if release is None or not solution.fewest:
            other = _by_cuts(counts, space)
            release = other if release is None or other.generalizations < release.generalizations else release
        return _recoding(counts, release, solution)


def _refuse_others(requirements: Sequence[Requirement]) -> None:
    for requirement in requirements:
        if not requirement.linear or not requirement.monotone:
            raise BadInput(
                f"MinGen cannot take {requirement}: requirements must be linear in the numbers of records "
                "(k-anonymity, distinct l-diversity, p-sensitivity, and without entity (alpha,k)-anonymity). Use "
                "another method."
            )


def _refuse_large(estimate: int, time_limit: float | None) -> None:
    if estimate > _MOST:
        raise BadInput(
            f"The table is too large for MinGen: there are {estimate:,} ways to generalize its tuples one by one, and "
            f"{_MOST:,} can be tried. Give fewer quasi-identifiers or lower hierarchies, or use another method."
        )
    if estimate > _MOST_UNLIMITED and time_limit is None:
        raise BadInput(
            f"MinGen may take very long: there are {estimate:,} ways to generalize the tuples one by one, more than "
            f"{_MOST_UNLIMITED:,}. Set time_limit= (--time-limit) to get the best release found by then."
        )


class _Published(NamedTuple):
    """Groups as nodes, the records of each cell in them, and the number of weighted generalizations."""

    rows: Ints
    pieces: Pieces
    generalizations: int


def _published(
    counts: FrequencyTable, units: Assignees, assignments: Assignments, records: Longs, seed: int | None
) -> _Published:
    used = records > 0
    rows, group = np.unique(assignments.row[used], return_inverse=True)
    lost = units.records - np.bincount(assignments.unit, records, len(units.records)).astype(np.int64)
    unassigned = np.flatnonzero(lost)
    # First the assigned records of each unit, then its lost records.
    unit = np.concatenate([assignments.unit[used], unassigned])
    order = np.argsort(unit, kind="stable")
    groups = np.concatenate([group, np.full(len(unassigned), -1)]).astype(np.int32)[order]
    taken = np.concatenate([records[used], lost[unassigned]])[order]
    pieces = _pieces(counts, units, unit[order], groups, taken, seed)
    steps = int(assignments.steps @ records) + int(assignments.lost_steps @ lost)
    return _Published(assignments.rows[rows], pieces, steps)


def _pieces(
    counts: FrequencyTable, units: Assignees, unit: Longs, group: Ints, taken: Longs, seed: int | None
) -> Pieces:
    """How many records of each cell go to which group."""
    if not units.split:
        return Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    if units.held:
        return Pieces(unit.astype(np.int32), group, taken)
    # Which of the equal records of a tuple go to which group is drawn at random.
    cell = np.repeat(np.arange(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    drawn = np.random.default_rng(seed).random(len(cell))
    cell = cell[np.lexsort((drawn, counts.cell_tuple[cell]))]
    return Pieces.gathered(cell, np.repeat(group, taken), np.ones(len(cell), dtype=np.int64))


def _by_cuts(counts: FrequencyTable, space: CutSpace) -> _Published:
    """A valid release that is found quickly: values are generalized alike in all rows, until no row violates."""
    from hedgerow.anonymizers.lattice._assignments import steps_to

    nodes = greedy(space, space.start().nodes).nodes
    columns = [nodes[at][counts.tuples[:, at]] for at in range(len(nodes))]
    rows, group = tabulate(columns, [len(tree.parent) for tree in space.hierarchies], len(counts.tuples))
    steps = steps_to(counts, rows, np.arange(len(counts.tuples)), group)
    pieces = Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    return _Published(rows, pieces, int(steps @ counts.tuple_sizes))


def _recoding(counts: FrequencyTable, release: _Published, solution: Solution) -> Recoding:
    columns = []
    groups = np.empty(release.rows.shape, dtype=np.int32)
    for at, name in enumerate(counts.quasi):
        column, groups[:, at] = label_column(counts.domains[name], counts.hierarchies[name], release.rows[:, at])
        columns.append(column)
    number = release.generalizations
    gap = 0.0 if solution.fewest or not number else (number - max(solution.bound, 0.0)) / number
    warnings = []
    if not solution.fewest:
        warnings.append(
            f"MinGen stopped at its time limit: {number:,} generalizations are not proved to be the fewest; up to "
            f"{gap:.0%} of them may be too many. Raise time_limit to search on."
        )
    elif not solution.precise:
        warnings.append(
            f"MinGen stopped at its time limit: {number:,} generalizations are the fewest, but another release with as "
            "many may have a better Prec. Raise time_limit to search on."
        )
    return Recoding(
        method="mingen",
        quasi=counts.quasi,
        columns=tuple(columns),
        groups=groups,
        sizes=release.pieces.sizes(len(groups)),
        pieces=release.pieces,
        facts={"proved": solution.fewest and solution.precise, "gap": gap, "generalizations": number},
        warnings=tuple(warnings),
    )
