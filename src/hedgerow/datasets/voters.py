"""A synthetic register of voters: few columns, one of them with a thousand values, and a label with ten classes.

It has the shape of the extract from Florida's register in the paper on the proportional representation (section IV-A):
the same number of rows and columns, and hierarchies of about the same size. Its people are invented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow._internal.arrays import Floats
from hedgerow.datasets._sampling import Backend, Seed, as_backend, check_backend, draw, generator, labelled
from hedgerow.errors import check_int
from hedgerow.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PARTIES", "RACES", "make_voters", "voters_hierarchies", "voters_schema"]


# --------------------------------------------------------------------------------------------------
# The electorate behind the synthetic voters: places, people, and party preferences.
#
# The prefixes of the ZIP codes and the shape of the register are Florida's. Everything else is invented, including the
# parties: no figure comes from a real person, register or election.


_GENDERS: Final = ("Female", "Male")

# Years of birth of people from 18 to 117 years old, in a register of 2023.
_YEARS: Final = np.arange(1906, 2006)
_AGES: Final = 2023 - _YEARS

_PREFIXES: Final = tuple(str(prefix) for prefix in range(320, 350))
# Five regions, each of six prefixes; the first two of each are cities, where half of its people live.
_REGION: Final = np.repeat(np.arange(5), 6)
_CITY: Final = np.tile(np.array([True, True, False, False, False, False]), 5)
_PREFIX_SHARES: Final = np.array([0.15, 0.20, 0.30, 0.20, 0.15])[_REGION] * np.where(_CITY, 0.25, 0.125)
# The areas (fourth digit) and their ends (fifth digit), outside and inside cities; the first ones are the largest.
# All in all there are 20 × 3 × 5 + 10 × 7 × 10 = 1,000 codes in 130 areas.
_AREA_SHARES: Final = np.array([[5, 4, 3, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3]], dtype=np.float64)
_END_SHARES: Final = np.array(
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
# The weights in each region, and the factors for cities.
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

# The log-odds of each party for a person of 50 years in the country: in general, by region, by race; and the gain for
# every ten years, and in cities.
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


def _race_shares() -> Floats:
    """Return the share of each race by region and city: ``[region * 2 + city, race]``."""
    by_place = np.stack([_RACE_WEIGHTS, _RACE_WEIGHTS * _RACE_IN_CITIES], axis=1)
    return by_place.reshape(-1, len(RACES))


def _year_shares() -> Floats:
    """Return the share of each year of birth by region: ``[region, year]``; the last two are where people retire."""
    # Constant up to the mid-sixties, then falling each year, but never zero.
    living = np.where(_AGES < 65, 1.0, np.exp(-(_AGES - 65) / 12.0))
    moved_there = np.array([0.0, 0.0, 0.0, 0.6, 1.2])[:, np.newaxis]
    shares: Floats = living * (1 + moved_there * (_AGES >= 60))
    return shares


def _party_shares() -> Floats:
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


def make_voters(n: int = 30_162, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic register of voters.

    Everything is invented: the people, the parties, and the preferences by place, race and age.

    Parameters
    ----------
    n : int
        The number of voters; by default that of the paper.
    random_state : int, numpy Generator or None
        The same number gives the same table; ``None`` gives a new table each time.
    backend : {"pyarrow", "pandas", "polars"}
        The type of the table.

    Returns
    -------
    table
        ``zip`` (five digits as text, about 1,000 distinct codes, with the prefixes of Florida, 320 to 349), ``gender``
        (two values), ``race`` (eight), ``birth_year`` (1906 to 2005) and the label ``party`` (nine invented parties, or
        ``Unaffiliated``). About 39 % of the people have the same party; from place, race and age one can at best
        predict about 60 % of them correctly.

    Examples
    --------
    >>> import hedgerow as hr
    >>> table = hr.datasets.make_voters(100, random_state=7)
    >>> table.num_rows, table.column_names
    (100, ['zip', 'gender', 'race', 'birth_year', 'party'])
    """
    n = check_int("n", "make_voters", n, 1)
    check_backend("make_voters", backend)
    return as_backend(_draw_voters(n, generator("make_voters", random_state)), backend)


def voters_hierarchies() -> dict[str, Any]:
    """Return the hierarchies of the quasi-identifiers of :func:`make_voters`, for a schema.

    ZIP codes are masked from the right, years of birth are in intervals of 20, and the others are flat. In a table of
    the default size they have about 1,165, 106, 3 and 9 nodes.

    >>> import hedgerow as hr
    >>> sorted(hr.datasets.voters_hierarchies())
    ['birth_year', 'gender', 'race', 'zip']
    """
    from hedgerow.hierarchies import flat, intervals, masking

    first, last = int(_YEARS[0]), int(_YEARS[-1])
    return {
        "zip": masking(side="right"),
        "gender": flat(),
        "race": flat(),
        "birth_year": intervals([*range(first, last, 20), last]),
    }


def voters_schema() -> Schema:
    """Return the roles of the columns of :func:`make_voters`, with their hierarchies.

    >>> import hedgerow as hr
    >>> hr.datasets.voters_schema().target
    'party'
    """
    hierarchies = voters_hierarchies()
    return Schema(quasi=list(hierarchies), target="party", hierarchies=hierarchies)


def _draw_voters(n: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    prefix = draw(rng, _PREFIX_SHARES[np.newaxis], np.zeros(n, np.int64))
    region, city = _REGION[prefix], _CITY[prefix].astype(np.int64)
    area, end = draw(rng, _AREA_SHARES, city), draw(rng, _END_SHARES, city)
    zips = tuple(f"{first}{rest:02}" for first in _PREFIXES for rest in range(100))
    gender = rng.integers(0, len(_GENDERS), n)
    place = region * 2 + city
    race = draw(rng, _race_shares(), place)
    year = draw(rng, _year_shares(), region)
    party = draw(rng, _party_shares(), (place * len(RACES) + race) * len(_YEARS) + year)
    return pa.table(
        {
            "zip": labelled(zips, prefix * 100 + area * 10 + end),
            "gender": labelled(_GENDERS, gender),
            "race": labelled(RACES, race),
            "birth_year": _YEARS[year],
            "party": labelled(PARTIES, party),
        }
    )
