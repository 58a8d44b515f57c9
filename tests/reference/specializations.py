"""What a search from the top has found, by names that a test can write down."""

from __future__ import annotations

import numpy as np

from hedgerow.anonymizers.specialize.tds import Search

__all__ = ["refused", "scores"]


def scores(search: Search) -> dict[tuple[int, str | None], float]:
    """The score of every candidate, by its column and what it specializes."""
    found = search._open_candidates()
    scored = search._gain[found] / (search._losses(found) + 1)
    return {_named(search, one): float(score) for one, score in zip(found.tolist(), scored, strict=True)}


def refused(search: Search) -> dict[tuple[int, str | None], int]:
    """What was found to violate a requirement, by its column and what it would specialize, with the shield."""
    shield = search._candidates.refused
    return {_named(search, one): int(shield[one]) for one in np.flatnonzero(shield >= 0).tolist()}


def _named(search: Search, candidate: int) -> tuple[int, str | None]:
    column = int(search._column[candidate])
    return column, search.attributes[column].label(candidate - int(search._parts_at[column]))
