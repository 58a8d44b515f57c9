"""A synthetic register of voters: few columns, one of them with a thousand values, and a label of ten classes.

It has the shape of the extract from Florida's register that the paper on the proportional representation learns from
(section IV-A): as many rows, as many columns, and hierarchies with about as many nodes. Its people never lived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.datasets import voters_model as model
from hedgerow.datasets.drawing import Backend, as_backend, check_backend, draw, labelled
from hedgerow.datasets.randomness import Seed, generator
from hedgerow.errors import whole
from hedgerow.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_voters", "voters_hierarchies", "voters_schema"]


def make_voters(n: int = 30_162, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic register of voters.

    All is invented: the people, the parties, and how many people of a place, a race or an age lean to which party.

    Parameters
    ----------
    n : int
        How many voters; by default as many as the paper has.
    random_state : int, numpy Generator or None
        The same number gives the same table. ``None``: a new one each time.
    backend : {"pyarrow", "pandas", "polars"}
        The type of the table.

    Returns
    -------
    table
        ``zip`` (five digits as text, about 1,000 different ones, with the prefixes of Florida, 320 to 349), ``gender``
        (two values), ``race`` (eight), ``birth_year`` (1906 to 2005) and the label ``party`` (nine made-up ones, or
        ``Unaffiliated``). About 39 % of the people have the same party; who knows their place, race and age can be
        right about 60 % of them at best.

    Examples
    --------
    >>> table = make_voters(100, random_state=7)
    >>> table.num_rows, table.column_names
    (100, ['zip', 'gender', 'race', 'birth_year', 'party'])
    """
    n = whole("n", "make_voters", n, 1)
    check_backend("make_voters", backend)
    return as_backend(_draw_voters(n, generator("make_voters", random_state)), backend)


def voters_hierarchies() -> dict[str, Any]:
    """Return how the quasi-identifiers of :func:`make_voters` generalize, as a schema takes it.

    ZIP codes are masked from the right, years of birth are in intervals of 20, and the others are flat: in a table of
    the usual size about 1,165, 106, 3 and 9 nodes.

    >>> sorted(voters_hierarchies())
    ['birth_year', 'gender', 'race', 'zip']
    """
    from hedgerow.hierarchies import flat, intervals, masking

    first, last = int(model.YEARS[0]), int(model.YEARS[-1])
    return {
        "zip": masking(side="right"),
        "gender": flat(),
        "race": flat(),
        "birth_year": intervals([*range(first, last, 20), last]),
    }


def voters_schema() -> Schema:
    """Return the roles of the columns of :func:`make_voters`, with their hierarchies.

    >>> voters_schema().target
    'party'
    """
    hierarchies = voters_hierarchies()
    return Schema(quasi=list(hierarchies), target="party", hierarchies=hierarchies)


def _draw_voters(n: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    prefix = draw(rng, model.PREFIX_SHARES[np.newaxis], np.zeros(n, np.int64))
    region, city = model.REGION[prefix], model.CITY[prefix].astype(np.int64)
    area, end = draw(rng, model.AREA_SHARES, city), draw(rng, model.END_SHARES, city)
    zips = tuple(f"{first}{rest:02}" for first in model.PREFIXES for rest in range(100))
    gender = rng.integers(0, len(model.GENDERS), n)
    place = region * 2 + city
    race = draw(rng, model.race_shares(), place)
    year = draw(rng, model.year_shares(), region)
    party = draw(rng, model.party_shares(), (place * len(model.RACES) + race) * len(model.YEARS) + year)
    return pa.table(
        {
            "zip": labelled(zips, prefix * 100 + area * 10 + end),
            "gender": labelled(model.GENDERS, gender),
            "race": labelled(model.RACES, race),
            "birth_year": model.YEARS[year],
            "party": labelled(model.PARTIES, party),
        }
    )
