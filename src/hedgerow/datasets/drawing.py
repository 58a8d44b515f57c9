"""What the synthetic tables share: drawing codes, names and ZIP codes, and the type of the table."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.datasets import census_model as model
from hedgerow.errors import BadInput, MissingExtra, translated

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Backend", "as_backend", "check_backend", "draw", "draw_names", "draw_zips", "labelled"]

Backend = Literal["pyarrow", "pandas", "polars"]

_ONSETS = ("b", "br", "d", "f", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")


def check_backend(owner: str, backend: str) -> None:
    """Refuse a type of table that is unknown or not installed, before anything is drawn."""
    if backend not in get_args(Backend):
        raise BadInput.parameter("backend", owner, "'pyarrow', 'pandas' or 'polars'", backend)
    if backend != "pyarrow":
        missing = MissingExtra(f"This needs {backend}, which is not installed. Type: pip install {backend}")
        with translated(ImportError, into=missing):
            importlib.import_module(backend)


def as_backend(table: pa.Table, backend: Backend) -> Any:
    if backend == "pandas":
        return table.to_pandas()
    if backend == "polars":
        return importlib.import_module("polars").from_arrow(table)
    return table


def draw(rng: np.random.Generator, weights: Floats, row: Longs) -> Longs:
    """Draw one code per person from the row of weights that applies to them; memory for the people only."""
    limits = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    at = rng.random(len(row))
    codes = np.zeros(len(row), dtype=np.int64)
    for code in range(weights.shape[1] - 1):
        codes += at >= limits[row, code]
    return codes


def draw_zips(rng: np.random.Generator, n: int) -> tuple[pa.Array, Bools]:
    """Draw ZIP codes, few of them very common and many rare, and whether each is in a city."""
    one_row = np.zeros(n, np.int64)
    region = draw(rng, np.array([list(model.REGIONS.values())]), one_row)
    area = draw(rng, 1 / np.arange(1, 31)[np.newaxis], one_row)
    city = area < model.CITY_AREAS
    district = np.where(city, rng.integers(0, 12, n), rng.integers(0, 3, n))
    labels = [f"{digit}{part:02}{end * 7 + 1:02}" for digit in model.REGIONS for part in range(30) for end in range(12)]
    return labelled(tuple(labels), (region * 30 + area) * 12 + district), city


def draw_names(rng: np.random.Generator, n: int) -> pa.Array:
    """Join made-up given and family names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    syllables = tuple(onset + vowel for onset in _ONSETS for vowel in _VOWELS)
    one, two, three, four = (labelled(syllables, rng.integers(0, len(syllables), n)) for _ in range(4))
    capital = [pc.utf8_capitalize(part) for part in (one, three)]
    given = pc.binary_join_element_wise(capital[0], two, "")
    family = pc.binary_join_element_wise(capital[1], four, pa.scalar("n"), "")
    return pc.binary_join_element_wise(given, family, " ")


def labelled(labels: tuple[str, ...], codes: Longs) -> pa.Array:
    import pyarrow as pa

    return pa.array(labels).take(pa.array(codes))
