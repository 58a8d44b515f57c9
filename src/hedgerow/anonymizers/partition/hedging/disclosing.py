"""How much a release would tell of the labels of its people beyond what it tells of others.

The records are halved at random. The method is fitted on one half, and an attacker who reads all that would be
published guesses the labels of both: of members and of others of the same population. How much more often the guess is
right for members is the excess; both halves take both parts. Where it is more than is allowed, groups are made twice as
large, until it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from hedgerow.anonymizers.budget.reducing import Reduced
from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import Infeasible, required
from hedgerow.privacy import KAnonymity, Requirement
from hedgerow.proportions import count_labels, count_proportions
from hedgerow.proportions.lifting import proportions_to_publish
from hedgerow.recoding import Recoding
from hedgerow.risk import label_posterior

__all__ = ["Fit", "coarse_enough"]

Fit = Callable[[FrequencyTable, Sequence[Requirement]], Recoding]
# A half of so few groups says nothing any more.
_FEWEST_GROUPS: Final = 2


def coarse_enough(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], most: float, support: int | None, seed: int
) -> tuple[Requirement, ...]:
    """The requirements, with larger groups if they have to be.

    Parameters
    ----------
    fit : callable
        From counts and requirements to a recoding.
    counts : FrequencyTable
    requirements : sequence of Requirement
    most : float
        The excess that is allowed, as a share of people.
    support : int, optional
        Of how many people each published share is; ``None`` if none is published.
    seed : int
    """
    demanded = max(one.minimal_size for one in requirements)
    if _FEWEST_GROUPS * demanded > counts.rows // 2:
        raise Infeasible(
            f"The table is too small to find out what is told of labels: a half must have room for {_FEWEST_GROUPS} "
            f"groups of {demanded:,} records. Leave max_excess out, or ask for a smaller k."
        )
    halves = _halves(counts, seed)
    size = demanded
    while _FEWEST_GROUPS * size <= counts.rows // 2:
        asked = (*requirements, *([KAnonymity(size)] if size > demanded else []))
        excess = float(np.mean([_excess(fit, counts, half, asked, support) for half in halves]))
        if excess <= most:
            return asked
        size *= 2
    raise Infeasible(
        f"Labels of people in the table can be told more often than those of others, by more than {most:.1%}, however "
        "large groups are. Allow more (max_excess), publish no proportions, or drop the target."
    )


def _halves(counts: FrequencyTable, seed: int) -> tuple[Longs, Longs]:
    """How many records of each cell are in either half."""
    random = np.random.default_rng(seed)
    record = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    one = random.permutation(record)[: len(record) // 2]
    first = np.bincount(one, minlength=len(counts.cell_sizes)).astype(np.int64)
    return first, counts.cell_sizes - first


def _excess(
    fit: Fit, counts: FrequencyTable, half: Longs, requirements: Sequence[Requirement], support: int | None
) -> float:
    """How much more often an attacker is right about members than about the others."""
    some = Reduced.of(counts, counts.cell_sizes - half).counts
    recoding = fit(some, requirements)
    proportions = None
    if support is not None:
        exact, labels = count_proportions(some, recoding), count_labels(some, recoding)
        proportions = proportions_to_publish(exact, labels, min(support, some.rows))
    said = label_posterior(some, recoding, counts.tuples, proportions, nearest=True).probabilities.argmax(axis=1)
    target = counts.values_of(required(counts.roles.target, "the target"))
    right = said[counts.cell_tuple] == target
    others = counts.cell_sizes - half
    return float(right @ half / half.sum() - right @ others / others.sum())
