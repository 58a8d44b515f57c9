"""The population behind the synthetic tables, and drawing from it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.errors import BadInput, MissingExtra, check_int, translated

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "AGES",
    "AGE_SHARES",
    "Backend",
    "DISEASES",
    "SEXES",
    "Seed",
    "as_backend",
    "check_backend",
    "disease_shares",
    "draw",
    "draw_names",
    "draw_zips",
    "generator",
    "labelled",
]


Seed: TypeAlias = int | np.random.Generator | None


def generator(owner: str, random_state: Seed) -> np.random.Generator:
    """The random generator of a seed. A given Generator is used directly, and advances."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    return np.random.default_rng(
        check_int("random_state", owner, random_state, 0, must="None, a numpy Generator or an int >= 0")
    )


# --------------------------------------------------------------------------------------------------
# The population behind the synthetic tables: its shares, and the dependencies between columns.
#
# All figures are invented to resemble a western country; none comes from a real person or survey.


SEXES: Final = ("Female", "Male")

AGES: Final = np.arange(17, 91)
# Constant up to the mid-sixties, then falling each year.
AGE_SHARES: Final = np.where(AGES < 65, 1.0, np.exp(-(AGES - 65) / 11.0))

# Regions by the first digit of their ZIP codes; with the digit 0, codes must be text.
_REGIONS: Final = {"0": 0.22, "1": 0.18, "3": 0.25, "6": 0.15, "9": 0.20}
# The number of areas (second and third digit) of a region that are cities; most people live there.
_CITY_AREAS: Final = 4

# The weights at the ages of 20 and 80, and the factor for women.
_DISEASE_WEIGHTS = {
    "Anxiety": (14.0, 4.0, 1.6),
    "Arthritis": (1.0, 16.0, 1.5),
    "Asthma": (12.0, 5.0, 1.1),
    "Cancer": (1.0, 11.0, 1.0),
    "Depression": (11.0, 5.0, 1.7),
    "Diabetes": (2.0, 13.0, 0.9),
    "Gastritis": (8.0, 6.0, 1.0),
    "HIV": (2.0, 0.4, 0.4),
    "Heart disease": (0.7, 17.0, 0.6),
    "Hypertension": (2.0, 18.0, 0.9),
    "Influenza": (20.0, 8.0, 1.0),
    "Migraine": (11.0, 3.0, 2.4),
}
DISEASES: Final = tuple(_DISEASE_WEIGHTS)


def disease_shares() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the share of each disease by sex and age: ``[sex * ages + age - 17, disease]``."""
    young, old, women = np.array(list(_DISEASE_WEIGHTS.values())).T
    later = ((AGES - 20) / 60)[:, np.newaxis]
    by_age = young ** (1 - later) * old**later
    return np.concatenate([by_age * women, by_age])


# --------------------------------------------------------------------------------------------------
# Drawing codes, names and ZIP codes, and the type of the table.


Backend = Literal["pyarrow", "pandas", "polars"]

_ONSETS = ("b", "br", "d", "f", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")


def check_backend(owner: str, backend: str) -> None:
    """Refuse an unknown or missing dataframe library before drawing anything."""
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
    """Draw a code for each person from that person's row of weights, without a matrix of all people and codes."""
    limits = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    at = rng.random(len(row))
    codes = np.zeros(len(row), dtype=np.int64)
    for code in range(weights.shape[1] - 1):
        codes += at >= limits[row, code]
    return codes


def draw_zips(rng: np.random.Generator, n: int) -> tuple[pa.Array, Bools]:
    """Draw ZIP codes, of which a few are very common and many rare, and whether each is in a city."""
    one_row = np.zeros(n, np.int64)
    region = draw(rng, np.array([list(_REGIONS.values())]), one_row)
    area = draw(rng, 1 / np.arange(1, 31)[np.newaxis], one_row)
    city = area < _CITY_AREAS
    district = np.where(city, rng.integers(0, 12, n), rng.integers(0, 3, n))
    labels = [f"{digit}{part:02}{end * 7 + 1:02}" for digit in _REGIONS for part in range(30) for end in range(12)]
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
