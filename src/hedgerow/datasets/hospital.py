"""Synthetic visits to a hospital: a table with everything that makes publishing one hard.

Patients come several times; dates have a time of day; postcodes begin with zeros; a triage has an order; there are a
free text, a number of the case that is nearly unique, and a year of birth that the date of birth tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.arrays import Longs
from hedgerow.datasets import census_model as people
from hedgerow.datasets import hospital_model as model
from hedgerow.datasets.drawing import Backend, as_backend, check_backend, draw, draw_names, draw_zips, labelled
from hedgerow.datasets.randomness import Seed, generator
from hedgerow.errors import whole
from hedgerow.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["hospital_hierarchies", "hospital_schema", "make_hospital"]

_RETURNS = 0.45  # the share of the patients who come once more, after each visit
_MOST_VISITS = 12
_FIRST_DAY = np.datetime64("2023-01-01")
_DAYS = 730
_DAY: Final = np.timedelta64(1, "D")


def make_hospital(n: int = 5_000, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic table of visits to a hospital.

    Parameters
    ----------
    n : int
        How many visits; patients have one to twelve each, on average nearly two.
    random_state : int, numpy Generator or None
        The same number gives the same table. ``None``: a new one each time.
    backend : {"pyarrow", "pandas", "polars"}
        The type of the table.

    Returns
    -------
    table
        ``case`` (nearly unique), ``patient_id``, ``name``, ``born`` (a date), ``birth_year``, ``sex``, ``postcode``
        (text), ``admitted`` (with the time of day), ``ward``, ``icd10``, ``triage`` (green < yellow < orange < red),
        ``days``, ``note`` (free text) and the label ``readmitted`` (``yes`` or ``no``).

    Examples
    --------
    >>> table = make_hospital(100, random_state=7)
    >>> table.num_rows, table.column_names[-1], len(table["patient_id"].unique()) < 100
    (100, 'readmitted', True)
    """
    n = whole("n", "make_hospital", n, 1)
    check_backend("make_hospital", backend)
    return as_backend(_draw_visits(n, generator("make_hospital", random_state)), backend)


def hospital_hierarchies() -> dict[str, Any]:
    """Return how the quasi-identifiers of :func:`make_hospital` generalize, as a schema takes it.

    >>> sorted(hospital_hierarchies())
    ['admitted', 'born', 'icd10', 'postcode', 'sex']
    """
    from hedgerow.hierarchies import dates, flat, masking

    return {
        "born": dates(["year", "decade"]),
        "sex": flat(),
        "postcode": masking(side="right"),
        "admitted": dates(["month", "quarter", "year"]),
        "icd10": masking(side="right"),
    }


def hospital_schema() -> Schema:
    """Return the roles of the columns of :func:`make_hospital`, with their hierarchies.

    >>> hospital_schema().target
    'readmitted'
    """
    hierarchies = hospital_hierarchies()
    hierarchies.pop("icd10")
    return Schema(
        entity="patient_id",
        identifying=["case", "name", "birth_year", "note"],
        quasi=["born", "sex", "postcode", "admitted"],
        sensitive=["icd10"],
        insensitive=["ward", "triage", "days"],
        target="readmitted",
        hierarchies=hierarchies,
    )


def _draw_visits(n: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    patient = _draw_patients(rng, n)
    patients = int(patient[-1]) + 1
    sex = rng.integers(0, 2, patients)
    age = people.AGES[draw(rng, people.AGE_SHARES[np.newaxis], np.zeros(patients, np.int64))]
    born = _FIRST_DAY - (age * 365.25).astype(np.int64) * _DAY - rng.integers(0, 365, patients) * _DAY
    postcode, _ = draw_zips(rng, patients)
    names = draw_names(rng, patients)
    disease = draw(rng, people.disease_shares(), sex * len(people.AGES) + age - people.AGES[0])
    # A few come for something else the next time.
    again = draw(rng, people.disease_shares(), (sex * len(people.AGES) + age - people.AGES[0])[patient])
    disease = np.where(rng.random(n) < 0.2, again, disease[patient])
    codes, urgency, ward = zip(*(model.DIAGNOSES[name] for name in people.DISEASES), strict=True)
    code = np.array([rng.integers(0, len(codes[one])) for one in disease])
    felt = rng.standard_normal(n) + np.array(urgency)[disease] + 0.012 * (age[patient] - 50)
    triage = np.searchsorted(np.array(model.URGENCY), felt)
    days = 1 + rng.poisson(np.exp(0.3 + 0.45 * triage + 0.008 * (age[patient] - 50)))
    moment = _FIRST_DAY + rng.integers(0, _DAYS, n) * _DAY
    admitted = moment.astype("datetime64[s]") + (rng.integers(0, 24 * 60, n) * 60).astype("timedelta64[s]")
    odds = -2.3 + 0.5 * triage + 0.02 * (age[patient] - 50) + 0.04 * days
    readmitted = rng.random(n) < 1 / (1 + np.exp(-odds))
    return pa.table(
        {
            "case": [f"{year}-{number:06}" for year, number in zip(_years(admitted), _numbers(rng, n), strict=True)],
            "patient_id": [f"P{number:07}" for number in rng.choice(10**7, patients, replace=False)[patient].tolist()],
            "name": names.take(pa.array(patient)),
            "born": pa.array(born[patient]),
            "birth_year": _years(born)[patient],
            "sex": labelled(people.SEXES, sex[patient]),
            "postcode": postcode.take(pa.array(patient)),
            "admitted": pa.array(admitted),
            "ward": [ward[one] for one in disease.tolist()],
            "icd10": [codes[one][which] for one, which in zip(disease.tolist(), code.tolist(), strict=True)],
            "triage": pa.DictionaryArray.from_arrays(pa.array(triage, pa.int8()), list(model.TRIAGE), ordered=True),
            "days": days,
            "note": _notes(rng, n),
            "readmitted": labelled(("no", "yes"), readmitted.astype(np.int64)),
        }
    )


def _draw_patients(rng: np.random.Generator, n: int) -> Longs:
    """The patient of each visit, ascending; the last one may come less often than was drawn."""
    visits = np.minimum(rng.geometric(1 - _RETURNS, n), _MOST_VISITS)
    return np.repeat(np.arange(n), visits)[:n]


def _years(days: np.ndarray[tuple[int, ...], np.dtype[np.datetime64]]) -> Longs:
    return days.astype("datetime64[Y]").astype(np.int64) + 1970


def _numbers(rng: np.random.Generator, n: int) -> list[int]:
    """Numbers of cases, nearly all different."""
    numbers = rng.choice(max(n, 10**6), n, replace=False)
    repeated = np.flatnonzero(rng.random(n) < 0.02)
    numbers[repeated] = numbers[rng.permutation(n)[: len(repeated)]]
    drawn: list[int] = numbers.tolist()
    return drawn


def _notes(rng: np.random.Generator, n: int) -> list[str]:
    """What somebody may have written down."""
    complaint, result = rng.integers(0, len(model.COMPLAINTS), n), rng.integers(0, len(model.CURED), n)
    temperature, pulse = rng.normal(37.2, 0.7, n), rng.normal(80, 12, n)
    return [
        f"Came with {model.COMPLAINTS[one]}; {warm:.1f} °C, pulse {beats:.0f}; {model.CURED[end]}."
        for one, end, warm, beats in zip(complaint, result, temperature, pulse, strict=True)
    ]
