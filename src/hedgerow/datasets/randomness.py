"""The seed that all data sets share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from hedgerow.errors import whole

__all__ = ["Seed", "generator"]

Seed: TypeAlias = int | np.random.Generator | None


def generator(owner: str, random_state: Seed) -> np.random.Generator:
    """Make the source of random numbers; a Generator is used as it is, and moves on."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    return np.random.default_rng(
        whole("random_state", owner, random_state, 0, must="None, a numpy Generator or an int >= 0")
    )
