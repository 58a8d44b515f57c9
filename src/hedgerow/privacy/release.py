"""A release with a proof: boxes, rows and a manifest that are functions of noisy values, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints
from hedgerow.core.cells import Interval, ValueSet, write
from hedgerow.errors import BadInput, Infeasible, check_int, listing
from hedgerow.privacy.accounting import Accountant, Budget, Charge
from hedgerow.privacy.coded import code
from hedgerow.privacy.curator import Curator
from hedgerow.privacy.domain import Categories, Column, Domain, Numbers
from hedgerow.privacy.ledger import Ledger
from hedgerow.privacy.mechanism import Groups, draw, measured
from hedgerow.verifier import check_noisy

__all__ = ["COUNT", "PrivateRelease", "private_release"]

COUNT: Final = "count"
"""The column of a box's noisy count."""
_FORMAT: Final = 1
_DELTA: Final = "1e-5"
"""For which the manifest shows ε."""
_OWNER: Final = "private_release"


@dataclass(frozen=True, eq=False, repr=False)
class PrivateRelease:
    """A release whose every part is differentially private. Made by :func:`private_release`.

    Attributes
    ----------
    boxes : pyarrow.Table
        Ranges of numbers and sets of values, with the noisy count of the rows in each box, all and by label.
    rows : pyarrow.Table
        Rows to learn from, drawn from the boxes: as many of each box and label as it was counted to have.
    manifest : dict
        What was promised and what was spent, step by step.
    """

    boxes: pa.Table
    rows: pa.Table
    manifest: Mapping[str, Any]
    _domain: Domain
    _groups: Groups

    @property
    def cost(self) -> Budget:
        """What this release may cost."""
        return Budget(Fraction(self.manifest["rho"]))

    def draw(self, times: int, *, random_state: int | None = None) -> pa.Table:
        """Draw more rows from the boxes. This reads nothing but noisy values, and costs nothing.

        Parameters
        ----------
        times : int
            How many rows for each that was counted.
        random_state : int, optional
        """
        check_int("times", "draw", times, 1)
        return _drawn(self._groups, self._domain, times, np.random.default_rng(random_state))

    def statement(self) -> str:
        """What anyone can learn about being in this table, for a reader without statistics."""
        cost, so_far = self.cost, Budget(Fraction(self.manifest["rho_so_far"]))
        most = self.manifest["max_rows"]
        person = "a person" if most is None else f"a person with at most {most} counted rows"
        sentences = [
            f"An attacker who asks whether {person} is in this table says yes of members at most "
            f"{_points(cost.advantage)} more often than of others, whatever the attacker knows and does.",
            f"For a secret of a known member, such as a label, the lead over chance is at most "
            f"{_points(cost.label_advantage)}.",
            f"With all that the ledger was charged so far, these are {_points(so_far.advantage)} and "
            f"{_points(so_far.label_advantage)}.",
            f"This is (ε, δ)-differential privacy with ε = {cost.epsilon(_DELTA):.2f} and δ = {_DELTA}.",
            f"The noisy count of every box is at least {self.manifest['k']}; k-anonymity was not verified.",
        ]
        return " ".join(sentences)

    def __repr__(self) -> str:
        return f"PrivateRelease({self.boxes.num_rows} boxes, advantage at most {self.cost.advantage})"

    def save(self, path: str | Path) -> Path:
        """Write the rows as CSV, and beside them the boxes and the manifest; return the path of the rows.

        Parameters
        ----------
        path : str or Path
        """
        from pyarrow import csv

        from hedgerow.io.atomic import appearing, manifest_path, refuse_existing, write_json

        path = Path(path)
        boxes = path.with_name(path.name + ".boxes.csv")
        for file in (path, boxes, manifest_path(path)):
            refuse_existing(file, overwrite=False)
        for table, file in ((self.boxes, boxes), (self.rows, path)):
            with appearing(file) as staged:
                csv.write_csv(table, staged)
        write_json(manifest_path(path), self.manifest)
        return path


def _points(advantage: float) -> str:
    return f"{math.ceil(1000 * advantage) / 10:g} points"


def private_release(
    data: Any,
    domain: Domain,
    *,
    k: int = 10,
    max_advantage: float | str | None = None,
    epsilon: float | str | None = None,
    delta: float | str | None = None,
    entity: str | None = None,
    max_rows: int | None = None,
    ledger: Ledger | str | Path | None = None,
    random_state: int | None = None,
) -> PrivateRelease:
    """Release boxes with noisy counts, and rows drawn from them, with a proof of what they reveal of anybody.

    Parameters
    ----------
    data : dataframe, DuckDB relation or path
        The types of its columns are public, their cells are not.
    domain : Domain
        What the columns may hold, from a public source.
    k : int
        The least noisy count of a box.
    max_advantage : float, optional
        By how much better than chance an attacker may tell members from others: 0.05 is 5 points. Give either this or
        epsilon and delta.
    epsilon, delta : float, optional
    entity : str, optional
        The column that identifies the person of a row, where a person may have several.
    max_rows : int, optional
        How many rows of a person are counted at most; needed with ``entity``.
    ledger : Ledger or path, optional
        The file that the cost is charged to; by default beside a table in a file. A table in memory needs one.
    random_state : int, optional
        Decides what is drawn from noisy values. The noise itself is always the system's.

    Returns
    -------
    PrivateRelease
    """
    check_int("k", _OWNER, k, 1)
    budget = _budget(max_advantage, epsilon, delta)
    most = _most_rows(entity, max_rows)
    _refuse_names(domain)
    charged = _ledger(ledger, data)
    rows = code(data, domain, entity, most)
    file = Path(data) if isinstance(data, str | Path) else None
    so_far = charged.charge(budget, f"{_OWNER}, k = {k}", file)
    accountant = Accountant(budget)
    random = np.random.default_rng(random_state)
    groups = measured(Curator(rows, accountant), domain, budget, k, most, random)
    del rows
    if groups is None:
        raise Infeasible(
            f"The noisy count of the whole table is below k = {k}. Nothing is released; its cost has been charged."
        )
    manifest = {
        "format": _FORMAT,
        "guarantee": "zero-concentrated differential privacy",
        "neighbours": "one person added or removed",
        "max_rows": max_rows,
        "k": k,
        "checked": "noisy count at least k",
        "rho": str(budget.rho),
        "rho_so_far": str(so_far.rho),
        "advantage": budget.advantage,
        "label_advantage": budget.label_advantage,
        "epsilon": budget.epsilon(_DELTA),
        "delta": float(_DELTA),
        "target": domain.target,
        "labels": list(domain.labels),
        "domain": {name: _spelled(column) for name, column in domain.columns.items()},
        "steps": [_step(charge) for charge in accountant.charges],
    }
    release = PrivateRelease(_boxes(groups, domain), _drawn(groups, domain, 1, random), manifest, domain, groups)
    check_noisy(release.boxes.to_pydict(), release.rows.to_pydict(), manifest)
    return release


def _budget(max_advantage: Any, epsilon: Any, delta: Any) -> Budget:
    if (max_advantage is None) == (epsilon is None) or (epsilon is None) != (delta is None):
        raise BadInput("Say how much may be revealed: either max_advantage, or both epsilon and delta.")
    return Budget.of_advantage(max_advantage) if epsilon is None else Budget.of_epsilon(epsilon, delta)


def _most_rows(entity: str | None, max_rows: int | None) -> int:
    if (entity is None) != (max_rows is None):
        raise BadInput("Give entity and max_rows together: the bound is for a person with at most so many rows.")
    if max_rows is None:
        return 1
    check_int("max_rows", _OWNER, max_rows, 1)
    return max_rows


def _ledger(given: Ledger | str | Path | None, data: Any) -> Ledger:
    if isinstance(given, Ledger):
        return given
    if given is not None:
        return Ledger(given)
    if isinstance(data, str | Path):
        return Ledger.beside(data)
    raise BadInput(
        "A table in memory has no file beside which its ledger could be. Name the ledger of these people: ledger='…'."
    )


def _refuse_names(domain: Domain) -> None:
    own = [COUNT, *(_labelled(domain, label) for label in domain.labels)]
    taken = [name for name in own if name in domain.columns]
    if taken:
        raise BadInput(f"The boxes have columns of their own called {listing(taken)}. Rename those of the table.")


def _labelled(domain: Domain, label: str) -> str:
    return f"{COUNT} of {domain.target}={label}"


def _step(charge: Charge) -> dict[str, Any]:
    return {
        "step": charge.step,
        "mechanism": charge.mechanism,
        "times": charge.times,
        "sensitivity": charge.sensitivity,
        "parameter": str(charge.parameter),
        "rho": str(charge.rho),
    }


def _spelled(column: Column) -> list[Any]:
    return list(column.edges if isinstance(column, Numbers) else column.labels)


# --------------------------------------------------------------------------------------------------
# Boxes and rows as tables.


def _boxes(groups: Groups, domain: Domain) -> pa.Table:
    """A row for each box, the largest first."""
    counts = groups.counted.counts
    regions = _regions(groups, domain)
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    table: dict[str, Any] = {
        name: [_cell(column, regions[box][at]) for box in order]
        for at, (name, column) in enumerate(domain.columns.items())
    }
    table[COUNT] = counts.sum(axis=1)[order]
    for at, label in enumerate(domain.labels):
        table[_labelled(domain, label)] = counts[order, at]
    return pa.table(table)


def _regions(groups: Groups, domain: Domain) -> list[list[Any]]:
    """The cells of each column that a box has."""
    boxes = groups.counted.boxes
    regions: dict[int, list[Any]] = {0: [np.ones(size, dtype=bool) for size in domain.sizes]}
    for node, column in enumerate(boxes.column):
        if column >= 0:
            for child, side in zip(boxes.children[node], (boxes.left[node], ~boxes.left[node]), strict=True):
                inner = list(regions[node])
                inner[column] = inner[column] & side
                regions[int(child)] = inner
    return [regions[int(leaf)] for leaf in boxes.leaves]


def _cell(column: Column, cells: Any) -> str:
    """A range, a set, or ``*`` for all."""
    if cells.all():
        return "*"
    held = np.flatnonzero(cells)
    if isinstance(column, Numbers):
        return str(write(Interval(column.edges[held[0]], column.edges[held[-1] + 1]), "number"))
    return str(write(ValueSet(frozenset(column.labels[cell] for cell in held)), "text"))


def _drawn(groups: Groups, domain: Domain, times: int, random: np.random.Generator) -> pa.Table:
    cells, label = draw(groups, times, random)
    table = {
        name: _values(column, of_row, random)
        for (name, column), of_row in zip(domain.columns.items(), cells, strict=True)
    }
    table[domain.target] = _texts(domain.labels, label)
    return pa.table(table)


def _values(column: Column, cells: Ints, random: np.random.Generator) -> pa.Array:
    if isinstance(column, Categories):
        return _texts(column.labels, cells)
    edges = np.array(column.edges)
    low, high = edges[cells], edges[cells + 1]
    return pa.array(random.integers(low, high) if column.whole else random.uniform(low, high))


def _texts(labels: Sequence[str], codes: Ints) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels)).cast(pa.string())
