"""The electorate behind the synthetic voters: where they live, who they are, and which party they lean to.

The prefixes of the ZIP codes are Florida's, and the register is shaped like that of this state. Everything else is made
up, the parties too: no figure is taken from a real person, register or election.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgerow.arrays import Floats

__all__ = [
    "AREA_SHARES",
    "CITY",
    "END_SHARES",
    "GENDERS",
    "PARTIES",
    "PREFIXES",
    "PREFIX_SHARES",
    "RACES",
    "REGION",
    "YEARS",
    "party_shares",
    "race_shares",
    "year_shares",
]

GENDERS: Final = ("Female", "Male")

# Years of birth of people from 18 to 117 years old, in a register of 2023.
YEARS: Final = np.arange(1906, 2006)
_AGES: Final = 2023 - YEARS

PREFIXES: Final = tuple(str(prefix) for prefix in range(320, 350))
# Five regions, each of six prefixes; the first two of each are cities, where half of its people live.
REGION: Final = np.repeat(np.arange(5), 6)
CITY: Final = np.tile(np.array([True, True, False, False, False, False]), 5)
PREFIX_SHARES: Final = np.array([0.15, 0.20, 0.30, 0.20, 0.15])[REGION] * np.where(CITY, 0.25, 0.125)
# The areas (fourth digit) and their ends (fifth digit), outside and inside cities; the first ones are the largest.
# All in all there are 20 × 3 × 5 + 10 × 7 × 10 = 1,000 codes in 130 areas.
AREA_SHARES: Final = np.array([[5, 4, 3, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3]], dtype=np.float64)
END_SHARES: Final = np.array(
    [[7, 6, 5, 4, 3, 0, 0, 0, 0, 0], [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]],
    dtype=np.float64,
)

RACES: Final = (
    "American Indian",
    "Asian or Pacific Islander",
    "Black",
    "Hispanic",
    "Multi-racial",
    "White",
    "Other",
    "Unknown",
)
# Weights in each region; what living in a city multiplies them by.
_RACE_WEIGHTS: Final = np.array(
    [
        [0.010, 0.02, 0.22, 0.05, 0.010, 0.65, 0.02, 0.02],
        [0.004, 0.03, 0.12, 0.20, 0.012, 0.58, 0.03, 0.02],
        [0.003, 0.03, 0.18, 0.42, 0.010, 0.30, 0.03, 0.03],
        [0.004, 0.03, 0.10, 0.14, 0.012, 0.67, 0.02, 0.02],
        [0.004, 0.02, 0.06, 0.10, 0.008, 0.77, 0.02, 0.02],
    ]
)
_RACE_IN_CITIES: Final = np.array([0.8, 1.8, 1.6, 1.5, 1.4, 0.7, 1.3, 1.2])

# What the log-odds of each party are for somebody of 50 years in the country: in general, in each region, by race; and
# what they gain with every ten years, and in cities.
_LEANINGS: Final[dict[str, tuple[float, tuple[float, ...], tuple[float, ...], float, float]]] = {
    "Amber": (1.8, (1.0, 0.2, -1.1, 0.5, 0.9), (0.0, -0.5, -2.0, 0.1, -0.3, 0.8, -0.4, 0.0), 0.24, -0.5),
    "Teal": (1.0, (-0.6, 0.1, 0.8, 0.0, -0.6), (0.0, 0.1, 1.8, -0.2, 0.4, -0.2, 0.1, 0.0), 0.04, 0.5),
    "Unaffiliated": (1.0, (-0.3, 0.2, 0.2, 0.0, -0.2), (0.1, 0.7, -0.4, 0.4, 0.4, -0.1, 0.6, 0.5), -0.34, 0.1),
    "Coral": (-0.6, (-0.7, 0.0, 1.0, -0.3, -0.8), (-0.6, -0.6, -0.6, 1.1, 0.0, -0.6, 0.0, 0.0), 0.16, 0.1),
    "Heron": (-0.5, (-0.3, 0.0, -0.1, 0.9, 0.1), (0.0, 0.0, -0.5, -0.3, 0.0, 0.3, 0.0, 0.0), 0.10, -0.1),
    "Cedar": (-0.8, (0.6, 0.0, -0.5, 0.0, 0.4), (0.6, -0.3, -0.6, -0.3, 0.0, 0.2, 0.0, 0.0), 0.0, -0.5),
    "Lantern": (-1.0, (0.0, 0.3, 0.1, 0.0, -0.1), (0.0, 0.5, 0.0, 0.1, 0.5, 0.0, 0.3, 0.2), -0.32, 0.4),
    "Meadow": (-1.3, (0.1, 0.0, -0.2, 0.1, 0.2), (0.3, 0.1, -0.4, 0.0, 0.3, 0.1, 0.2, 0.0), -0.15, -0.2),
    "Harbour": (-1.5, (-0.2, 0.0, 0.2, 0.3, 0.0), (0.0, 0.0, 0.1, 0.0, 0.0, 0.1, 0.0, 0.0), 0.06, 0.1),
    "Quill": (-2.2, (0.0, 0.1, 0.0, 0.0, 0.0), (0.0, 0.3, 0.0, 0.0, 0.3, 0.0, 0.3, 0.3), -0.06, 0.2),
}
PARTIES: Final = tuple(_LEANINGS)


def race_shares() -> Floats:
    """Return the share of each race by region and city: ``[region * 2 + city, race]``."""
    by_place = np.stack([_RACE_WEIGHTS, _RACE_WEIGHTS * _RACE_IN_CITIES], axis=1)
    return by_place.reshape(-1, len(RACES))


def year_shares() -> Floats:
    """Return the share of each year of birth by region: ``[region, year]``; the last two are where people retire."""
    # Even up to the middle sixties, then fewer each year, but some of every age.
    living = np.where(_AGES < 65, 1.0, np.exp(-(_AGES - 65) / 12.0))
    moved_there = np.array([0.0, 0.0, 0.0, 0.6, 1.2])[:, np.newaxis]
    shares: Floats = living * (1 + moved_there * (_AGES >= 60))
    return shares


def party_shares() -> Floats:
    """Return the share of each party by region, city, race and year of birth.

    Returns
    -------
    float array (regions × 2 × races × years, parties)
        Row ``((region * 2 + city) * races + race) * years + year``.
    """
    general, region, race, age, city = (np.array(part).T for part in zip(*_LEANINGS.values(), strict=True))
    decades = (_AGES - 50)[:, np.newaxis] / 10
    in_city = np.array([[0.0], [1.0]])
    odds: Floats = (
        general
        + region[:, np.newaxis, np.newaxis, np.newaxis]
        + (city * in_city)[:, np.newaxis, np.newaxis]
        + race[:, np.newaxis]
        + age * decades
    )
    return np.exp(odds).reshape(-1, len(PARTIES))
