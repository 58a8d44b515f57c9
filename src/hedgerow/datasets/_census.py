"""A synthetic census: invented people, with dependencies between columns from which learners can learn.

Columns are drawn one after the other, each from shares that depend on the previous columns. The label follows from
education, age, work and marriage by a logistic model, so it can be predicted, but not with certainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.datasets._sampling import (
    AGE_SHARES,
    AGES,
    DISEASES,
    SEXES,
    Backend,
    Seed,
    as_backend,
    check_backend,
    disease_shares,
    draw,
    draw_names,
    draw_zips,
    generator,
    labelled,
)
from hedgerow.errors import check_int
from hedgerow.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EDUCATIONS", "census_hierarchies", "census_schema", "make_census"]

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
_EDUCATION_LIMITS: Final = np.array([-1.75, -1.15, -0.1, 0.45, 0.70, 1.45, 2.05, 2.40])
# The youngest age at which a level is reached.
_EDUCATION_AGES: Final = np.array([0, 0, 18, 19, 20, 22, 24, 26, 27])

_MARITAL: Final = ("Never married", "Married", "Separated", "Divorced", "Widowed")

_BIRTHPLACES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "Americas": {
        "North America": ("Canada", "Mexico", "United States"),
        "Caribbean": ("Cuba", "Dominican Republic", "Jamaica"),
        "South America": ("Brazil", "Colombia", "Peru"),
    },
    "Asia": {"East Asia": ("China", "Korea", "Vietnam"), "South Asia": ("India", "Pakistan", "Philippines")},
    "Europe": {"Western Europe": ("England", "Germany", "Italy"), "Eastern Europe": ("Poland", "Ukraine")},
}
# Shares outside and inside cities.
_BIRTHPLACE_SHARES: Final = {
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

_WORKCLASSES: Final = ("Private", "Public", "Self-employed", "Not employed")

_OCCUPATIONS: Final = (
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
_OCCUPATION_PAY: Final = np.array([-0.1, 0.0, -1.2, -0.6, 1.1, 0.7, 0.3, -1.3, 0.6, -0.2])
# Weights without and with a degree (bachelor or above), and the factors for women.
_OCCUPATION_WEIGHTS = np.array(
    [
        [0.15, 0.19, 0.05, 0.13, 0.09, 0.03, 0.11, 0.16, 0.03, 0.09],
        [0.08, 0.04, 0.01, 0.01, 0.28, 0.38, 0.11, 0.03, 0.05, 0.01],
    ]
)
_OCCUPATION_OF_WOMEN = np.array([3.5, 0.12, 0.3, 0.6, 0.7, 1.2, 0.9, 1.9, 0.9, 0.12])


def make_census(n: int = 10_000, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic census table.

    Parameters
    ----------
    n : int
        The number of people.
    random_state : int, numpy Generator or None
        The same number gives the same table; ``None`` gives a new table each time.
    backend : {"pyarrow", "pandas", "polars"}
        The type of the table.

    Returns
    -------
    table
        ``name`` (of made-up syllables), ``age``, ``sex``, ``zip`` (five digits as text; a region is its
        first digit), ``birthplace``, ``education``, ``marital-status``, ``workclass``, ``occupation``,
        ``hours-per-week``, ``disease`` (the reason for the last visit to a doctor) and the label ``income``
        (``<=50K`` or ``>50K``).

    Examples
    --------
    >>> import hedgerow as hr
    >>> table = hr.datasets.make_census(100, random_state=7)
    >>> table.num_rows, table.column_names[-1]
    (100, 'income')
    """
    n = check_int("n", "make_census", n, 1)
    check_backend("make_census", backend)
    return as_backend(_draw_people(n, generator("make_census", random_state)), backend)


def _draw_people(n: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    sex = rng.integers(0, 2, n)
    age = AGES[draw(rng, AGE_SHARES[np.newaxis], np.zeros(n, np.int64))]
    zips, city = draw_zips(rng, n)
    abroad = np.array(list(_BIRTHPLACE_SHARES.values())).T
    birthplace = draw(rng, abroad, city.astype(np.int64))
    education = _draw_education(rng, age, city)
    by_sex_and_age = sex * len(AGES) + age - AGES[0]
    marital = draw(rng, _marital_shares(), by_sex_and_age)
    employed = _draw_employed(rng, sex, age, education)
    workclass = np.where(employed, draw(rng, np.array([[0.76, 0.14, 0.10]]), np.zeros(n, np.int64)), 3)
    occupation = draw(rng, _occupation_shares(), sex * 2 + (education >= 5))
    hours = np.where(employed, _draw_hours(rng, sex, age, occupation, workclass), 0)
    disease = draw(rng, disease_shares(), by_sex_and_age)
    rich = _draw_income(rng, sex, age, education, marital == 1, _Work(workclass, occupation, hours))
    return pa.table(
        {
            "name": draw_names(rng, n),
            "age": age,
            "sex": labelled(SEXES, sex),
            "zip": zips,
            "birthplace": labelled(tuple(_BIRTHPLACE_SHARES), birthplace),
            "education": labelled(EDUCATIONS, education),
            "marital-status": labelled(_MARITAL, marital),
            "workclass": labelled(_WORKCLASSES, workclass),
            "occupation": labelled(
                (*_OCCUPATIONS, "Student", "Homemaker or seeking", "Retired"),
                np.where(employed, occupation, len(_OCCUPATIONS) + np.digitize(age, [25, 62])),
            ),
            "hours-per-week": hours,
            "disease": labelled(DISEASES, disease),
            "income": labelled(("<=50K", ">50K"), rich.astype(np.int64)),
        }
    )


def _draw_education(rng: np.random.Generator, age: Longs, city: Bools) -> Longs:
    """Draw education from a propensity to study, which is higher in cities and lower in old cohorts."""
    propensity = rng.standard_normal(len(age)) + 0.35 * city - 0.018 * np.maximum(age - 45, 0)
    reached = np.searchsorted(_EDUCATION_LIMITS, propensity)
    return np.minimum(reached, np.searchsorted(_EDUCATION_AGES, age, side="right") - 1)


def _draw_employed(rng: np.random.Generator, sex: Longs, age: Longs, education: Longs) -> Bools:
    """Draw who works: from about 19 to about 66, more often with more education."""
    working = 1 / (1 + np.exp(-(age - 18.5) / 1.5))
    ended = 1 / (1 + np.exp(-(age - 66.0) / 2.5))
    in_between = np.where(sex == 0, 0.80, 0.92) + 0.012 * (education - 3)
    employed: Bools = rng.random(len(age)) < working * (1 - ended) * in_between
    return employed


def _draw_hours(rng: np.random.Generator, sex: Longs, age: Longs, occupation: Longs, workclass: Longs) -> Longs:
    """Draw hours: half of the people work the usual 40, the others about as much as their work and age suggest."""
    n = len(age)
    usual = np.where(sex == 0, 36.0, 43.0) + 6.0 * np.isin(occupation, (2, 4)) + 3.0 * (workclass == 2)
    usual -= 12.0 * (age < 22) + 14.0 * (age > 65)
    drawn = 5 * np.rint(rng.normal(usual, 9.0) / 5) + np.where(rng.random(n) < 0.15, rng.integers(-2, 3, n), 0)
    full_time = (rng.random(n) < 0.5) & (age >= 22) & (age <= 65)
    return np.where(full_time, 40, np.clip(drawn, 5, 90)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Work:
    """The work of each person: class and occupation as codes, and hours per week."""

    workclass: Longs
    occupation: Longs
    hours: Longs


def _draw_income(
    rng: np.random.Generator, sex: Longs, age: Longs, education: Longs, married: Bools, work: _Work
) -> Bools:
    """Draw the people who earn more than 50K, about a quarter of them."""
    experience = np.clip(age - 20, 0, 32)
    odds = -5.5 + 0.52 * education + 0.16 * experience - 0.0026 * experience**2 + 1.8 * married + 0.3 * (sex == 1)
    at_work = _OCCUPATION_PAY[work.occupation] + 0.055 * (work.hours - 40) + 0.3 * (work.workclass == 2)
    odds += np.where(work.workclass == 3, -3.2, at_work)
    rich: Bools = rng.random(len(age)) < 1 / (1 + np.exp(-odds))
    return rich


# --------------------------------------------------------------------------------------------------
# The roles and hierarchies of the synthetic census.


_TAXONOMIES: dict[str, dict[str, Any]] = {
    "birthplace": {
        "Anywhere": {
            continent: {area: list(places) for area, places in areas.items()}
            for continent, areas in _BIRTHPLACES.items()
        }
    },
    "education": {
        "Any education": {
            "No degree": {
                "No diploma": ["Primary school", "Some high school"],
                "Diploma": ["High school", "Some college", "Associate"],
            },
            "Degree": {
                "First degree": ["Bachelor"],
                "Advanced degree": ["Master", "Professional", "Doctorate"],
            },
        }
    },
    "marital-status": {
        "Any status": {
            "Once married": {"Left": ["Separated", "Divorced"], "Spouse died": ["Widowed"]},
            "Partnered": {"Spouse": ["Married"]},
            "Alone": {"Single": ["Never married"]},
        }
    },
    "workclass": {
        "Any class": {"Employee": ["Private", "Public"], "Not an employee": ["Self-employed", "Not employed"]}
    },
    "occupation": {
        "Any occupation": {
            "Office": ["Clerical", "Management", "Professional", "Sales", "Technical"],
            "Manual": ["Craft", "Farming", "Machine operation", "Service", "Transport"],
            "Not at work": ["Student", "Homemaker or seeking", "Retired"],
        }
    },
    "disease": {
        "Any disease": {
            "Mind": ["Anxiety", "Depression", "Migraine"],
            "Circulation": ["Heart disease", "Hypertension"],
            "Infection": ["HIV", "Influenza"],
            "Metabolism": ["Diabetes", "Gastritis"],
            "Other": ["Arthritis", "Asthma", "Cancer"],
        }
    },
}


def census_hierarchies() -> dict[str, Any]:
    """Return the hierarchies of the columns of :func:`make_census`, for a schema.

    Taxonomies are nested dicts; age has intervals, ZIP codes are masked from the right. The taxonomy of ``disease`` is
    for the hierarchical distance of t-closeness.

    >>> import hedgerow as hr
    >>> hr.datasets.census_hierarchies()["workclass"]["Any class"]["Employee"]
    ['Private', 'Public']
    """
    from hedgerow.hierarchies import flat, intervals, masking

    return {
        "age": intervals(width=5, levels=[10, 20, 40]),
        "sex": flat(),
        "zip": masking(side="right"),
        **_TAXONOMIES,
    }


def census_schema() -> Schema:
    """Return the roles of the columns of :func:`make_census`, with their hierarchies.

    >>> import hedgerow as hr
    >>> hr.datasets.census_schema().target
    'income'
    """
    return Schema(
        identifying=["name"],
        quasi=["age", "sex", "zip", "birthplace", "education", "marital-status", "workclass", "occupation"],
        insensitive=["hours-per-week"],
        sensitive=["disease"],
        target="income",
        hierarchies=census_hierarchies(),
    )


def _marital_shares() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
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


def _occupation_shares() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the share of each occupation by sex and degree: ``[sex * 2 + has_degree, occupation]``."""
    return np.concatenate([_OCCUPATION_WEIGHTS * _OCCUPATION_OF_WOMEN, _OCCUPATION_WEIGHTS])
