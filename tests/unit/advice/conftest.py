"""Profiles of small tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.advice._profiles import Profile, profiles_of
from hedgerow.engines._look import look_at_rows

ProfilesOf = Callable[..., dict[str, Profile]]


@pytest.fixture
def profiles() -> ProfilesOf:
    """Profile columns as if they came from a CSV, in which every cell is text."""

    def make(**columns: list[Any]) -> dict[str, Profile]:
        text = {name: [None if one is None else str(one) for one in cells] for name, cells in columns.items()}
        return profiles_of(look_at_rows(pa.table(text), 50_000), missing=("",), untyped=True, decimal=".")

    return make


@pytest.fixture
def profile(profiles: ProfilesOf) -> Callable[..., Profile]:
    """Profile one column under a name."""

    def make(name: str, cells: list[Any]) -> Profile:
        return profiles(**{name: cells})[name]

    return make
