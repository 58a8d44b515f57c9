"""What every attack is asked with: a release, how sure the attacker must be, and a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hedgerow.errors import BadInput, is_whole
from hedgerow.release import Release

__all__ = ["check_sure", "generator_of", "released"]


def released(release: Release | str | Path, owner: str, name: str = "release") -> Release:
    """The release, read from its files if a path is given."""
    if isinstance(release, str | Path):
        return Release.load(release)
    if not isinstance(release, Release):
        raise BadInput.parameter(name, owner, "a Release or the path of a saved one", type(release).__name__)
    return release


def check_sure(sure: object, owner: str) -> None:
    """Refuse what is no probability that somebody may be sure with."""
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 < sure <= 1:
        raise BadInput.parameter("sure", owner, "a number above 0 and up to 1", sure)


def generator_of(random_state: int | np.random.Generator | None, owner: str) -> np.random.Generator:
    """What draws, or a sentence on a seed that is none."""
    if not (random_state is None or isinstance(random_state, np.random.Generator) or is_whole(random_state, 0)):
        must = "None, a numpy Generator or an int >= 0"
        raise BadInput.parameter("random_state", owner, must, random_state)
    return np.random.default_rng(random_state)
