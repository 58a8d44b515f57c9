"""A synthetic census: invented people, with dependencies between columns from which learners can learn.

Columns are drawn one after the other, each from shares that depend on the previous columns. The label follows from
education, age, work and marriage by a logistic model, so it can be predicted, but not with certainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.datasets._sampling import (
    AGE_SHARES,
    AGES,
    BIRTHPLACE_SHARES,
    BIRTHPLACES,
    DISEASES,
    EDUCATION_AGES,
    EDUCATION_LIMITS,
    EDUCATIONS,
    MARITAL,
    OCCUPATION_PAY,
    OCCUPATIONS,
    SEXES,
    WORKCLASSES,
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
    marital_shares,
    occupation_shares,
)
from hedgerow.errors import check_int
from hedgerow.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["census_hierarchies", "census_schema", "make_census"]


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
    >>> table = make_census(100, random_state=7)
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
    abroad = np.array(list(BIRTHPLACE_SHARES.values())).T
    birthplace = draw(rng, abroad, city.astype(np.int64))
    education = _draw_education(rng, age, city)
    by_sex_and_age = sex * len(AGES) + age - AGES[0]
    marital = draw(rng, marital_shares(), by_sex_and_age)
    employed = _draw_employed(rng, sex, age, education)
    workclass = np.where(employed, draw(rng, np.array([[0.76, 0.14, 0.10]]), np.zeros(n, np.int64)), 3)
    occupation = draw(rng, occupation_shares(), sex * 2 + (education >= 5))
    hours = np.where(employed, _draw_hours(rng, sex, age, occupation, workclass), 0)
    disease = draw(rng, disease_shares(), by_sex_and_age)
    rich = _draw_income(rng, sex, age, education, marital == 1, _Work(workclass, occupation, hours))
    return pa.table(
        {
            "name": draw_names(rng, n),
            "age": age,
            "sex": labelled(SEXES, sex),
            "zip": zips,
            "birthplace": labelled(tuple(BIRTHPLACE_SHARES), birthplace),
            "education": labelled(EDUCATIONS, education),
            "marital-status": labelled(MARITAL, marital),
            "workclass": labelled(WORKCLASSES, workclass),
            "occupation": labelled(
                (*OCCUPATIONS, "Student", "Homemaker or seeking", "Retired"),
                np.where(employed, occupation, len(OCCUPATIONS) + np.digitize(age, [25, 62])),
            ),
            "hours-per-week": hours,
            "disease": labelled(DISEASES, disease),
            "income": labelled(("<=50K", ">50K"), rich.astype(np.int64)),
        }
    )


def _draw_education(rng: np.random.Generator, age: Longs, city: Bools) -> Longs:
    """Draw education from a propensity to study, which is higher in cities and lower in old cohorts."""
    propensity = rng.standard_normal(len(age)) + 0.35 * city - 0.018 * np.maximum(age - 45, 0)
    reached = np.searchsorted(EDUCATION_LIMITS, propensity)
    return np.minimum(reached, np.searchsorted(EDUCATION_AGES, age, side="right") - 1)


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
    at_work = OCCUPATION_PAY[work.occupation] + 0.055 * (work.hours - 40) + 0.3 * (work.workclass == 2)
    odds += np.where(work.workclass == 3, -3.2, at_work)
    rich: Bools = rng.random(len(age)) < 1 / (1 + np.exp(-odds))
    return rich


# --------------------------------------------------------------------------------------------------
# The roles and hierarchies of the synthetic census.


_TAXONOMIES: dict[str, dict[str, Any]] = {
    "birthplace": {
        "Anywhere": {
            continent: {area: list(places) for area, places in areas.items()}
            for continent, areas in BIRTHPLACES.items()
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

    >>> census_hierarchies()["workclass"]["Any class"]["Employee"]
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

    >>> census_schema().target
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
