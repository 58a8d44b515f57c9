"""Pools: what the order, the names and the numbers of pools say, besides the shares that they are published for.

Proportions name the values of a column in some order. If a single person decides the place of a value, or whether it is
named, then that person's secret is in the file, although every share belongs to many people. Two attackers look for it.

*Order.* Somebody knows a person's values and looks up their places in the pools. People with known labels teach the
attacker which places go with which label.

*Names.* Somebody with a register of people checks whose values are named. A person with an unnamed value cannot be in
the table; people whose membership is known teach the attacker about the others.

Others of the same population are the control: the places of frequent values reveal their labels just as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.attacks._people import Given, People, generator_of, people_of, read_labelled, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.core.proportions import Pools
from hedgerow.errors import BadInput
from hedgerow.release import Release

__all__ = ["pool_names", "pool_order"]

_LEAVES: Final = 16
_ASKED: Final = 0.5
"""The share of people who are attacked; the attacker learns from the others."""
_LEAST: Final = 5
"""The fewest people in a leaf of the learner's trees."""


def pool_names(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim that people are in the table, by the values that the pools name.

    Parameters
    ----------
    release : Release or path
        A release with proportions, or the path of a saved release.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original quasi-identifiers.
    random_state : int, numpy Generator or None
        Draws the half of the people whom the attacker knows.

    Returns
    -------
    Outcome
        As with :func:`~hedgerow.attacks.membership`, the claim is always right for members and never for the control.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(800, random_state=0).select(["age", "sex"])
    >>> release = hr.anonymize(people[:400], hr.Schema(quasi=["age", "sex"]), k=10, publish_proportions=True)
    >>> hr.attacks.pool_names(release, people[:400], people[400:]).works
    False
    """
    generator = generator_of(random_state, "pool_names")
    release = _with_pools(release, "pool_names")
    people = people_of(Given.of(release, members, non_members))
    inside = np.arange(len(people.tuples)) < people.members
    named = (_places(people) >= 0).astype(np.float64)
    answers, attacked = _learnt(named, inside.astype(np.int64), people.distinct[1], generator)
    main, control = (answers[side & attacked] == 1 for side in people.judged)
    return Outcome.of_membership("pool-names", "is in the table", main, control)


def pool_order(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim labels of people by the places of their values in the pools.

    Parameters
    ----------
    release : Release or path
        A release with proportions and a target, or the path of a saved release.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original quasi-identifiers and the
        target.
    random_state : int, numpy Generator or None
        Draws the half of the people whom the attacker knows.

    Returns
    -------
    Outcome
        A label is claimed of half of the people. The attacker learns from the other half, members and others, and uses
        one rule for both: two rules would differ by chance.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(800, random_state=0).select(["age", "sex", "income"])
    >>> schema = hr.Schema(quasi=["age", "sex"], target="income")
    >>> release = hr.anonymize(people[:400], schema, k=10, publish_proportions=True)
    >>> hr.attacks.pool_order(release, people[:400], people[400:]).works
    False
    """
    generator = generator_of(random_state, "pool_order")
    attacked = read_labelled(_with_pools(release, "pool_order"), members, non_members)
    answers, asked = _learnt(_places(attacked), attacked.labels, attacked.distinct[1], generator)
    sides = [side & asked for side in attacked.judged]
    main, control = (
        Claims.of(np.ones(int(side.sum()), dtype=bool), answers[side] == attacked.labels[side]) for side in sides
    )
    return Outcome.of("pool-order", f"the label {attacked.target.domain.name!r}", main, control)


def _with_pools(release: Release | str | Path, owner: str) -> Release:
    found = released(release, owner)
    if found.proportions is None:
        raise BadInput("The release publishes no proportions, so that there are no pools.")
    return found


def _places(people: People) -> Floats:
    """The place of each person's values in the order of the pools, from 0 to 1, (people, columns).

    An unnamed number inside a range has the place -1, a value in no pool -2.
    """
    proportions = people.release.proportions
    columns = []
    for at, column in enumerate(() if proportions is None else proportions.columns):
        domain = people.domains[at]
        place = _place_of(column.pools)
        own = np.array([place.get(label, -2.0) for label in [*domain.labels.tolist(), *[None] * domain.has_missing]])
        if domain.numbers is not None:
            ranged = np.array([column.pools.of_number(number) for number in domain.numbers.tolist()], dtype=np.int64)
            own[: len(ranged)] = np.where((own[: len(ranged)] < 0) & (ranged >= 0), -1.0, own[: len(ranged)])
        columns.append(own[people.tuples[:, at]])
    return np.stack(columns, axis=1)


def _place_of(named: Pools) -> dict[str | None, float]:
    """The place of each named value in the order of the file."""
    values = [value for members in named.members for value in members]
    return {value: at / len(values) for at, value in enumerate(values)}


def _learnt(features: Floats, answers: Longs, index: Ints, generator: np.random.Generator) -> tuple[Longs, Bools]:
    """Answers for all people from trees trained on half of them, and whether each person is in the other half.

    People with the same values, by their index, are in the same half. If each half were attacked by training on the
    other, the claims would depend on each other, and intervals would be too narrow.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    asked = (generator.random(int(index.max()) + 1) < _ASKED)[index]
    seed = int(generator.integers(2**31))
    if asked.all() or not asked.any():
        raise BadInput("There are too few distinct people: the attacker learns from some of them to attack the others.")
    known = np.unique(answers[~asked])
    if len(known) < 2:
        return np.full(len(answers), known[0]), asked
    model = HistGradientBoostingClassifier(
        max_leaf_nodes=_LEAVES, min_samples_leaf=_LEAST, max_iter=30, early_stopping=False, random_state=seed
    )
    with threadpool_limits(limits=1):
        model.fit(features[~asked], answers[~asked])
        return np.asarray(model.predict(features), dtype=np.int64), asked
