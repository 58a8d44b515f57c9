"""Inference: one value of a person, guessed from all others by somebody who reads everything that is published.

M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PETS
2023, section 4.3, has the attacker look for the synthetic row that is nearest to a person, and guess what it says.

**Deviation**: here the attacker does not draw rows but uses what they are drawn from. A person may be in any kind of
rows (:mod:`hedgerow.attacks._everything`), with the probability that follows from all that is known of the person. The
guess is the value that is most probable over these kinds. A number is right only if it is the very number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow.attacks._everything import Everything
from hedgerow.attacks._people import Given, generator_of, released
from hedgerow.attacks.outcome import Claims, Outcome, worst
from hedgerow.errors import BadInput
from hedgerow.release import Release

__all__ = ["inference"]

_OWNER: Final = "inference"
_WORK: Final = 2**31
"""So many triples of a person, a kind of rows and a column are looked at; of more people some are drawn."""
_FEWEST: Final = 2_000
"""Of each side at least."""


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
        A path is that of a saved one. Proportions are used if it publishes some.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original values. Columns that are
        published as they are help the attacker if both tables have them.
    column : str, optional
        The column to guess, a quasi-identifier or one that is published as it is; each of them if not given.
    random_state : int, numpy Generator or None
        Draws the people who are asked about, where a release has too many classes to ask about all.

    Returns
    -------
    Outcome
        Of the column in which most is found out. Something is claimed of everybody.

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
    everything = Everything.of(Given.of(release, members, non_members))
    if column is not None and column not in everything.names:
        raise BadInput.unknown("column", column, everything.names, "It is to be guessed.")
    if len(everything.names) < 2:
        raise BadInput("There is one column only, so that there is nothing to guess it by.")
    asked = [at for at, name in enumerate(everything.names) if column in (None, name)]
    who, right = _guessed(everything, asked, generator)
    inside = who < everything.people.members
    outcomes = []
    for at, hit in zip(asked, right, strict=True):
        main, control = (Claims.of(np.ones(int(side.sum()), dtype=bool), hit[side]) for side in (inside, ~inside))
        outcomes.append(Outcome.of(_OWNER, f"the value of {everything.names[at]!r}", main, control))
    return worst(outcomes, "columns")


def _guessed(everything: Everything, asked: list[int], generator: np.random.Generator) -> tuple[Any, list[Any]]:
    """Who is asked about, and of each column whether the guess is right."""
    work = len(everything.sizes) * len(everything.names)
    who = everything.fewer(max(_FEWEST, _WORK // (2 * work)), generator)
    distinct, index = np.unique(everything.codes[who], axis=0, return_inverse=True)
    index = index.ravel()
    logarithms = [everything.logarithms(at).astype(np.float32) for at in range(len(everything.names))]
    sizes = np.log(everything.sizes).astype(np.float32)
    shares = {at: everything.shares[at].astype(np.float32) for at in asked}
    guess = {at: np.empty(len(distinct), dtype=np.int64) for at in asked}
    for start in range(0, len(distinct), everything.at_once):
        some = distinct[start : start + everything.at_once]
        total = sizes + sum(one[some[:, at]] for at, one in enumerate(logarithms))
        for at in asked:
            others = total - logarithms[at][some[:, at]]
            weights = np.exp(others - others.max(axis=1, keepdims=True))
            guess[at][start : start + len(some)] = (weights @ shares[at]).argmax(axis=1)
    return who, [(guess[at] == distinct[:, at])[index] for at in asked]
