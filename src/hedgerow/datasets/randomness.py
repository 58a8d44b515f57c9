"""The parameters that all data sets share: a seed and whole numbers."""

from __future__ import annotations

import numbers
from typing import TypeAlias

import numpy as np

from hedgerow.errors import BadInput

__all__ = ["Seed", "generator", "whole"]

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


def whole(name: str, owner: str, value: object, least: int, *, must: str = "") -> int:
    """Read a whole number of any integer type, or say what it must be."""
    if type(value) is bool or not isinstance(value, numbers.Integral) or value < least:
        raise BadInput.parameter(name, owner, must or f"an int >= {least}", value)
    return int(value)
