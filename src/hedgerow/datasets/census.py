"""A synthetic census: people who never lived, with the dependencies that make a table worth learning from.

Columns are drawn one after the other, each from shares that depend on those before it. The label follows from
education, age, work and marriage by a logistic model: it can be predicted, but not surely.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.datasets import census_model as model
from hedgerow.datasets.randomness import Seed, generator
from hedgerow.errors import BadInput, MissingExtra, translated, whole

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_census"]

Backend = Literal["pyarrow", "pandas", "polars"]

_ONSETS = ("b", "br", "d", "f", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")


def make_census(n: int = 10_000, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic census table.

    Parameters
    ----------
    n : int
        How many people.
    random_state : int, numpy Generator or None
        The same number gives the same table. ``None``: a new one each time.
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
    n = whole("n", "make_census", n, 1)
    if backend not in ("pyarrow", "pandas", "polars"):
        raise BadInput.parameter("backend", "make_census", "'pyarrow', 'pandas' or 'polars'", backend)
    if backend != "pyarrow":
        _check_installed(backend)
    return _as_backend(_draw_people(n, generator("make_census", random_state)), backend)


def _draw_people(n: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    sex = rng.integers(0, 2, n)
    age = model.AGES[_draw(rng, model.AGE_SHARES[np.newaxis], np.zeros(n, np.int64))]
    zips, city = _draw_zips(rng, n)
    abroad = np.array(list(model.BIRTHPLACE_SHARES.values())).T
    birthplace = _draw(rng, abroad, city.astype(np.int64))
    education = _draw_education(rng, age, city)
    by_sex_and_age = sex * len(model.AGES) + age - model.AGES[0]
    marital = _draw(rng, model.marital_shares(), by_sex_and_age)
    employed = _draw_employed(rng, sex, age, education)
    workclass = np.where(employed, _draw(rng, np.array([[0.76, 0.14, 0.10]]), np.zeros(n, np.int64)), 3)
    occupation = _draw(rng, model.occupation_shares(), sex * 2 + (education >= 5))
    hours = np.where(employed, _draw_hours(rng, sex, age, occupation, workclass), 0)
    disease = _draw(rng, model.disease_shares(), by_sex_and_age)
    rich = _draw_income(rng, sex, age, education, marital == 1, workclass, occupation, hours)
    return pa.table(
        {
            "name": _draw_names(rng, n),
            "age": age,
            "sex": _labelled(model.SEXES, sex),
            "zip": zips,
            "birthplace": _labelled(tuple(model.BIRTHPLACE_SHARES), birthplace),
            "education": _labelled(model.EDUCATIONS, education),
            "marital-status": _labelled(model.MARITAL, marital),
            "workclass": _labelled(model.WORKCLASSES, workclass),
            "occupation": _labelled(
                (*model.OCCUPATIONS, "Student", "Homemaker or seeking", "Retired"),
                np.where(employed, occupation, len(model.OCCUPATIONS) + np.digitize(age, [25, 62])),
            ),
            "hours-per-week": hours,
            "disease": _labelled(model.DISEASES, disease),
            "income": _labelled(("<=50K", ">50K"), rich.astype(np.int64)),
        }
    )


def _draw(rng: np.random.Generator, weights: Floats, row: Longs) -> Longs:
    """Draw one code per person from the row of weights that applies to them; memory for the people only."""
    limits = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    at = rng.random(len(row))
    codes = np.zeros(len(row), dtype=np.int64)
    for code in range(weights.shape[1] - 1):
        codes += at >= limits[row, code]
    return codes


def _draw_zips(rng: np.random.Generator, n: int) -> tuple[pa.Array, Bools]:
    """Draw ZIP codes, few of them very common and many rare, and whether each is in a city."""
    one_row = np.zeros(n, np.int64)
    region = _draw(rng, np.array([list(model.REGIONS.values())]), one_row)
    area = _draw(rng, 1 / np.arange(1, 31)[np.newaxis], one_row)
    city = area < model.CITY_AREAS
    district = np.where(city, rng.integers(0, 12, n), rng.integers(0, 3, n))
    labels = [f"{digit}{part:02}{end * 7 + 1:02}" for digit in model.REGIONS for part in range(30) for end in range(12)]
    return _labelled(tuple(labels), (region * 30 + area) * 12 + district), city


def _draw_education(rng: np.random.Generator, age: Longs, city: Bools) -> Longs:
    """Cut a propensity to study, higher in cities and lower in old cohorts, and no level before its age."""
    propensity = rng.standard_normal(len(age)) + 0.35 * city - 0.018 * np.maximum(age - 45, 0)
    reached = np.searchsorted(model.EDUCATION_LIMITS, propensity)
    return np.minimum(reached, np.searchsorted(model.EDUCATION_AGES, age, side="right") - 1)


def _draw_employed(rng: np.random.Generator, sex: Longs, age: Longs, education: Longs) -> Bools:
    """Work begins around 19 and ends around 66; education keeps people in it."""
    begun = 1 / (1 + np.exp(-(age - 18.5) / 1.5))
    ended = 1 / (1 + np.exp(-(age - 66.0) / 2.5))
    in_between = np.where(sex == 0, 0.80, 0.92) + 0.012 * (education - 3)
    employed: Bools = rng.random(len(age)) < begun * (1 - ended) * in_between
    return employed


def _draw_hours(rng: np.random.Generator, sex: Longs, age: Longs, occupation: Longs, workclass: Longs) -> Longs:
    """Half of the people work the usual 40 hours, the others around what their work and age suggest."""
    n = len(age)
    usual = np.where(sex == 0, 36.0, 43.0) + 6.0 * np.isin(occupation, (2, 4)) + 3.0 * (workclass == 2)
    usual -= 12.0 * (age < 22) + 14.0 * (age > 65)
    drawn = 5 * np.rint(rng.normal(usual, 9.0) / 5) + np.where(rng.random(n) < 0.15, rng.integers(-2, 3, n), 0)
    full_time = (rng.random(n) < 0.5) & (age >= 22) & (age <= 65)
    return np.where(full_time, 40, np.clip(drawn, 5, 90)).astype(np.int64)


def _draw_income(
    rng: np.random.Generator,
    sex: Longs,
    age: Longs,
    education: Longs,
    married: Bools,
    workclass: Longs,
    occupation: Longs,
    hours: Longs,
) -> Bools:
    """Draw who earns more than 50K: about a quarter of the people."""
    experience = np.clip(age - 20, 0, 32)
    odds = -5.5 + 0.52 * education + 0.16 * experience - 0.0026 * experience**2 + 1.8 * married + 0.3 * (sex == 1)
    at_work = model.OCCUPATION_PAY[occupation] + 0.055 * (hours - 40) + 0.3 * (workclass == 2)
    odds += np.where(workclass == 3, -3.2, at_work)
    rich: Bools = rng.random(len(age)) < 1 / (1 + np.exp(-odds))
    return rich


def _draw_names(rng: np.random.Generator, n: int) -> pa.Array:
    """Join made-up given and family names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    syllables = tuple(onset + vowel for onset in _ONSETS for vowel in _VOWELS)
    one, two, three, four = (_labelled(syllables, rng.integers(0, len(syllables), n)) for _ in range(4))
    capital = [pc.utf8_capitalize(part) for part in (one, three)]
    given = pc.binary_join_element_wise(capital[0], two, "")
    family = pc.binary_join_element_wise(capital[1], four, pa.scalar("n"), "")
    return pc.binary_join_element_wise(given, family, " ")


def _labelled(labels: tuple[str, ...], codes: Longs) -> pa.Array:
    import pyarrow as pa

    return pa.array(labels).take(pa.array(codes))


def _check_installed(package: str) -> None:
    missing = MissingExtra(f"This needs {package}, which is not installed. Type: pip install {package}")
    with translated(ImportError, into=missing):
        importlib.import_module(package)


def _as_backend(table: pa.Table, backend: Backend) -> Any:
    if backend == "pandas":
        return table.to_pandas()
    if backend == "polars":
        return importlib.import_module("polars").from_arrow(table)
    return table
