"""The division into training and test rows, common to all methods and learners. Rows of a person stay together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.errors import BadInput
from hedgerow.evaluation.tables import OpenedTable

__all__ = ["Protocol", "Split", "read_protocol", "splits_of"]

Protocol = Literal["5x2cv", "holdout"] | tuple[Literal["cv", "holdout"], int]

_KNOWN = "'5x2cv', 'holdout', ('holdout', repetitions) or ('cv', folds)"


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows to test on."""

    repetition: int
    fold: int
    train: Longs
    test: Longs


@dataclass(frozen=True)
class _Plan:
    """The number of repetitions, of parts into which all rows are dealt, and of parts that are used for testing."""

    repetitions: int
    parts: int
    tested: int


def read_protocol(given: object, owner: str = "evaluate") -> Protocol:
    """Check a protocol.

    >>> read_protocol(["cv", 10])
    ('cv', 10)
    """
    if given in ("5x2cv", "holdout"):
        return "5x2cv" if given == "5x2cv" else "holdout"
    if isinstance(given, list | tuple) and len(given) == 2:
        name, number = given
        if name == "cv" and _is_number(number, 2):
            return "cv", number
        if name == "holdout" and _is_number(number, 1):
            return "holdout", number
    raise BadInput.parameter("protocol", owner, _KNOWN, given)


def _is_number(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def splits_of(table: OpenedTable, protocol: Protocol, random_state: int) -> list[Split]:
    """All splits of a protocol, in the order of repetitions.

    Classes have about the same share in every part. With an entity, all rows of a person are in one part.

    Parameters
    ----------
    table : OpenedTable
    protocol : Protocol
        ``"5x2cv"``: five times two halves, each of which trains and tests. ``"holdout"``: two thirds train.
    random_state : int
    """
    plan = _plan(protocol)
    rows = table.table.num_rows
    people = np.arange(rows, dtype=np.int32) if table.people is None else table.people
    first = np.unique(people, return_index=True)[1]
    if len(first) < 2 * plan.parts:
        units = "rows" if table.people is None else "people"
        raise BadInput(
            f"The table has {len(first):,} {units}, too few for {plan.parts} parts. Choose another protocol, or "
            "evaluate a larger table."
        )
    labels = np.zeros(len(first), dtype=np.int32) if table.labels is None else table.labels[first]
    splits = []
    for repetition in range(plan.repetitions):
        part = _dealt(labels, plan.parts, np.random.default_rng([random_state, repetition]))[people]
        for fold in range(plan.tested):
            tests = part == fold
            splits.append(Split(repetition, fold, np.flatnonzero(~tests), np.flatnonzero(tests)))
    return splits


def _plan(protocol: Protocol) -> _Plan:
    if protocol == "5x2cv":
        return _Plan(5, 2, 2)
    if protocol == "holdout":
        return _Plan(1, 3, 1)
    name, number = protocol
    return _Plan(1, number, number) if name == "cv" else _Plan(number, 3, 1)


def _dealt(labels: Ints, parts: int, random: np.random.Generator) -> Ints:
    """Deal people into parts, class by class."""
    order = np.lexsort((random.random(len(labels)), labels))
    part = np.empty(len(labels), dtype=np.int32)
    part[order] = (np.arange(len(labels)) + random.integers(parts)) % parts
    return part
