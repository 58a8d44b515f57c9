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
    "BIRTHPLACES",
    "BIRTHPLACE_SHARES",
    "Backend",
    "CITY_AREAS",
    "DISEASES",
    "EDUCATIONS",
    "EDUCATION_AGES",
    "EDUCATION_LIMITS",
    "MARITAL",
    "OCCUPATIONS",
    "OCCUPATION_PAY",
    "REGIONS",
    "SEXES",
    "Seed",
    "WORKCLASSES",
    "as_backend",
    "check_backend",
    "disease_shares",
    "draw",
    "draw_names",
    "draw_zips",
    "generator",
    "labelled",
    "marital_shares",
    "occupation_shares",
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
# The population behind the synthetic census: its shares, and the dependencies between columns.
#
# All figures are invented to resemble a western country; none comes from a real person or survey.


SEXES: Final = ("Female", "Male")

AGES: Final = np.arange(17, 91)
# Constant up to the mid-sixties, then falling each year.
AGE_SHARES: Final = np.where(AGES < 65, 1.0, np.exp(-(AGES - 65) / 11.0))

# Regions by the first digit of their ZIP codes; with the digit 0, codes must be text.
REGIONS: Final = {"0": 0.22, "1": 0.18, "3": 0.25, "6": 0.15, "9": 0.20}
# The number of areas (second and third digit) of a region that are cities; most people live there.
CITY_AREAS: Final = 4

EDUCATIONS: Final = (
    "Primary school",
    "Some high school",
    "High school",
    "Some college",
    "Associate",
    "Bachelor",
    "Master",
    "Professional",
    "Doctorate",
)
# The cuts of a standard normal propensity to study between the nine levels.
EDUCATION_LIMITS: Final = np.array([-1.75, -1.15, -0.1, 0.45, 0.70, 1.45, 2.05, 2.40])
# The youngest age at which a level is reached.
EDUCATION_AGES: Final = np.array([0, 0, 18, 19, 20, 22, 24, 26, 27])

MARITAL: Final = ("Never married", "Married", "Separated", "Divorced", "Widowed")

BIRTHPLACES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "Americas": {
        "North America": ("Canada", "Mexico", "United States"),
        "Caribbean": ("Cuba", "Dominican Republic", "Jamaica"),
        "South America": ("Brazil", "Colombia", "Peru"),
    },
    "Asia": {"East Asia": ("China", "Korea", "Vietnam"), "South Asia": ("India", "Pakistan", "Philippines")},
    "Europe": {"Western Europe": ("England", "Germany", "Italy"), "Eastern Europe": ("Poland", "Ukraine")},
}
# Shares outside and inside cities.
BIRTHPLACE_SHARES: Final = {
    "United States": (0.930, 0.780),
    "Mexico": (0.025, 0.060),
    "Canada": (0.007, 0.008),
    "Cuba": (0.002, 0.014),
    "Dominican Republic": (0.001, 0.014),
    "Jamaica": (0.001, 0.009),
    "Brazil": (0.001, 0.006),
    "Colombia": (0.001, 0.008),
    "Peru": (0.001, 0.005),
    "China": (0.003, 0.019),
    "Korea": (0.002, 0.008),
    "Vietnam": (0.004, 0.010),
    "India": (0.004, 0.020),
    "Pakistan": (0.001, 0.004),
    "Philippines": (0.004, 0.015),
    "England": (0.003, 0.005),
    "Germany": (0.005, 0.005),
    "Italy": (0.002, 0.003),
    "Poland": (0.002, 0.005),
    "Ukraine": (0.001, 0.002),
}

WORKCLASSES: Final = ("Private", "Public", "Self-employed", "Not employed")

OCCUPATIONS: Final = (
    "Clerical",
    "Craft",
    "Farming",
    "Machine operation",
    "Management",
    "Professional",
    "Sales",
    "Service",
    "Technical",
    "Transport",
)
# The contribution of each occupation to the log-odds of a high income.
OCCUPATION_PAY: Final = np.array([-0.1, 0.0, -1.2, -0.6, 1.1, 0.7, 0.3, -1.3, 0.6, -0.2])
# Weights without and with a degree (bachelor or above), and the factors for women.
_OCCUPATION_WEIGHTS = np.array(
    [
        [0.15, 0.19, 0.05, 0.13, 0.09, 0.03, 0.11, 0.16, 0.03, 0.09],
        [0.08, 0.04, 0.01, 0.01, 0.28, 0.38, 0.11, 0.03, 0.05, 0.01],
    ]
)
_OCCUPATION_OF_WOMEN = np.array([3.5, 0.12, 0.3, 0.6, 0.7, 1.2, 0.9, 1.9, 0.9, 0.12])

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


def marital_shares() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the share of each marital status by sex and age: ``[sex * ages + age - 17, status]``."""
    shares = []
    for sex in range(len(SEXES)):
        # Women marry earlier and outlive their husbands more often.
        married_once = 1 / (1 + np.exp(-(AGES - (27.0 if sex == 0 else 29.0)) / 4.0)) * 0.93
        widowed = married_once / (1 + np.exp(-(AGES - (76.0 if sex == 0 else 86.0)) / 6.0))
        left = married_once - widowed
        parted = left * np.clip((AGES - 22) / 90, 0.0, 0.30)
        shares.append(np.stack([1 - married_once, left - parted, parted * 0.2, parted * 0.8, widowed], axis=1))
    return np.concatenate(shares)


def occupation_shares() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the share of each occupation by sex and degree: ``[sex * 2 + has_degree, occupation]``."""
    return np.concatenate([_OCCUPATION_WEIGHTS * _OCCUPATION_OF_WOMEN, _OCCUPATION_WEIGHTS])


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
    region = draw(rng, np.array([list(REGIONS.values())]), one_row)
    area = draw(rng, 1 / np.arange(1, 31)[np.newaxis], one_row)
    city = area < CITY_AREAS
    district = np.where(city, rng.integers(0, 12, n), rng.integers(0, 3, n))
    labels = [f"{digit}{part:02}{end * 7 + 1:02}" for digit in REGIONS for part in range(30) for end in range(12)]
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
