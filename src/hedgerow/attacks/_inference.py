"""Inference: a value of a person, guessed from the person's other values and everything that is published.

M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PETS
2023, section 4.3, lets the attacker find the synthetic row nearest to a person, and guess its value.

**Deviation**: here the attacker does not draw rows, but uses the distribution that they are drawn from. A person may
belong to any kind of rows (:mod:`hedgerow.attacks._row_kinds`), with a probability that follows from the person's
known values. The guess is the most probable value over these kinds. A number is right only if it is exactly the
person's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow.attacks._people import Given, generator_of, released
from hedgerow.attacks._row_kinds import RowKinds
from hedgerow.attacks.outcome import Claims, Outcome, worst
from hedgerow.errors import BadInput
from hedgerow.release import Release

__all__ = ["inference"]

_OWNER: Final = "inference"
_WORK: Final = 2**31
"""The most triples of a person, a kind of rows and a column; beyond, some people are drawn."""
_FEWEST: Final = 2_000
"""The least number of people on each side."""


def inference(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    column: str | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Guess a value of everybody from all other columns.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release. Its proportions are used if it publishes them.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original values. Columns in clear
        help the attacker if both tables have them.
    column : str, optional
        The column to guess, a quasi-identifier or a column in clear; by default each of them.
    random_state : int, numpy Generator or None
        Draws the attacked people, if the release has too many classes to attack all.

    Returns
    -------
    Outcome
        The outcome for the column where the attack succeeds most. Something is claimed of everybody.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(1200, random_state=0).select(["age", "sex", "zip"])
    >>> schema = hr.Schema(quasi=["age", "sex", "zip"])
    >>> weak, safe = (hr.anonymize(people[:600], schema, k=k, cells="region") for k in (2, 100))
    >>> [hr.attacks.inference(one, people[:600], people[600:]).works for one in (weak, safe)]
    [True, False]
    """
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    row_kinds = RowKinds.of(Given.of(release, members, non_members))
    if column is not None and column not in row_kinds.names:
        raise BadInput.unknown("column", column, row_kinds.names, "It is to be guessed.")
    if len(row_kinds.names) < 2:
        raise BadInput("There is only one column, so there is nothing to guess it from.")
    asked = [at for at, name in enumerate(row_kinds.names) if column in (None, name)]
    who, right = _guessed(row_kinds, asked, generator)
    inside = who < row_kinds.people.members
    outcomes = []
    for at, hit in zip(asked, right, strict=True):
        main, control = (Claims.of(np.ones(int(side.sum()), dtype=bool), hit[side]) for side in (inside, ~inside))
        outcomes.append(Outcome.of(_OWNER, f"the value of {row_kinds.names[at]!r}", main, control))
    return worst(outcomes, "columns")


def _guessed(row_kinds: RowKinds, asked: list[int], generator: np.random.Generator) -> tuple[Any, list[Any]]:
    """The attacked people, and for each column whether the guess is right."""
    work = len(row_kinds.sizes) * len(row_kinds.names)
    who = row_kinds.fewer(max(_FEWEST, _WORK // (2 * work)), generator)
    distinct, index = np.unique(row_kinds.codes[who], axis=0, return_inverse=True)
    index = index.ravel()
    logarithms = [row_kinds.logarithms(at).astype(np.float32) for at in range(len(row_kinds.names))]
    sizes = np.log(row_kinds.sizes).astype(np.float32)
    shares = {at: row_kinds.shares[at].astype(np.float32) for at in asked}
    guess = {at: np.empty(len(distinct), dtype=np.int64) for at in asked}
    for start in range(0, len(distinct), row_kinds.at_once):
        some = distinct[start : start + row_kinds.at_once]
        total = sizes + sum(column[some[:, at]] for at, column in enumerate(logarithms))
        for at in asked:
            others = total - logarithms[at][some[:, at]]
            weights = np.exp(others - others.max(axis=1, keepdims=True))
            guess[at][start : start + len(some)] = (weights @ shares[at]).argmax(axis=1)
    return who, [(guess[at] == distinct[:, at])[index] for at in asked]
