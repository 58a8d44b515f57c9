"""Synthetic visits to a hospital: a table with everything that makes publishing hard.

Patients come several times; dates have a time of day; postcodes begin with zeros; triage levels are ordered. There are
a free text, an almost unique case number, and a year of birth that follows from the date of birth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow._internal.arrays import Longs
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

__all__ = ["hospital_hierarchies", "hospital_schema", "make_hospital"]


# --------------------------------------------------------------------------------------------------
# The hospital behind the synthetic visits: diagnoses, wards and urgency.
#
# The patients follow the model of the census. ICD-10 codes are public; all figures are invented.


_TRIAGE: Final = ("green", "yellow", "orange", "red")
# The cuts of a standard normal urgency between the four levels.
_URGENCY: Final = (0.2, 1.1, 2.0)

# The codes of each disease of the census, its urgency, and its ward.
_DIAGNOSES: Final[dict[str, tuple[tuple[str, ...], float, str]]] = {
    "Anxiety": (("F41.0", "F41.1", "F41.9"), -0.5, "Psychiatry"),
    "Arthritis": (("M05.8", "M06.9", "M13.0", "M17.1"), -0.8, "Orthopaedics"),
    "Asthma": (("J45.0", "J45.1", "J45.9"), 0.5, "Internal medicine"),
    "Cancer": (("C18.7", "C34.1", "C50.4", "C61.0"), 0.3, "Oncology"),
    "Depression": (("F32.1", "F32.2", "F33.1"), -0.2, "Psychiatry"),
    "Diabetes": (("E10.1", "E11.6", "E11.9"), 0.1, "Internal medicine"),
    "Gastritis": (("K29.1", "K29.3", "K29.7"), -0.3, "Internal medicine"),
    "HIV": (("B20.0", "B20.7", "B24.0"), 0.0, "Infectious diseases"),
    "Heart disease": (("I21.0", "I21.4", "I25.1", "I50.1"), 1.4, "Cardiology"),
    "Hypertension": (("I10.0", "I10.9", "I11.9"), 0.2, "Cardiology"),
    "Influenza": (("J10.0", "J10.1", "J11.1"), 0.0, "Infectious diseases"),
    "Migraine": (("G43.0", "G43.1", "G43.9"), -0.4, "Neurology"),
}
_WARDS: Final = tuple(sorted({ward for _, _, ward in _DIAGNOSES.values()}))

_COMPLAINTS: Final = ("pain", "fever", "short breath", "dizziness", "nausea", "weakness", "a check-up")
_CURED: Final = ("improved", "unchanged", "referred", "discharged on request")


_RETURNS = 0.45  # the share of patients who return after each visit
_MOST_VISITS = 12
_FIRST_DAY = np.datetime64("2023-01-01")
_DAYS = 730
_DAY: Final = np.timedelta64(1, "D")


def make_hospital(n: int = 5_000, random_state: Seed = None, backend: Backend = "pyarrow") -> Any:
    """Draw a synthetic table of visits to a hospital.

    Parameters
    ----------
    n : int
        The number of visits; each patient has one to twelve, on average nearly two.
    random_state : int, numpy Generator or None
        The same number gives the same table; ``None`` gives a new table each time.
    backend : {"pyarrow", "pandas", "polars"}
        The type of the table.

    Returns
    -------
    table
        ``case`` (almost unique), ``patient_id``, ``name``, ``born`` (a date), ``birth_year``, ``sex``, ``postcode``
        (text), ``admitted`` (with the time of day), ``ward``, ``icd10``, ``triage`` (green < yellow < orange < red),
        ``days``, ``note`` (free text) and the label ``readmitted`` (``yes`` or ``no``).

    Examples
    --------
    >>> import hedgerow as hr
    >>> table = hr.datasets.make_hospital(100, random_state=7)
    >>> table.num_rows, table.column_names[-1], len(table["patient_id"].unique()) < 100
    (100, 'readmitted', True)
    """
    n = check_int("n", "make_hospital", n, 1)
    check_backend("make_hospital", backend)
    return as_backend(_draw_visits(n, generator("make_hospital", random_state)), backend)


def hospital_hierarchies() -> dict[str, Any]:
    """Return the hierarchies of the quasi-identifiers of :func:`make_hospital`, for a schema.

    >>> import hedgerow as hr
    >>> sorted(hr.datasets.hospital_hierarchies())
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

    >>> import hedgerow as hr
    >>> hr.datasets.hospital_schema().target
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
    age = AGES[draw(rng, AGE_SHARES[np.newaxis], np.zeros(patients, np.int64))]
    born = _FIRST_DAY - (age * 365.25).astype(np.int64) * _DAY - rng.integers(0, 365, patients) * _DAY
    postcode, _ = draw_zips(rng, patients)
    names = draw_names(rng, patients)
    disease = draw(rng, disease_shares(), sex * len(AGES) + age - AGES[0])
    # In a fifth of the visits the disease is another one.
    again = draw(rng, disease_shares(), (sex * len(AGES) + age - AGES[0])[patient])
    disease = np.where(rng.random(n) < 0.2, again, disease[patient])
    codes, urgency, ward = zip(*(_DIAGNOSES[name] for name in DISEASES), strict=True)
    code = np.array([rng.integers(0, len(codes[which])) for which in disease])
    severity = rng.standard_normal(n) + np.array(urgency)[disease] + 0.012 * (age[patient] - 50)
    triage = np.searchsorted(np.array(_URGENCY), severity)
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
            "sex": labelled(SEXES, sex[patient]),
            "postcode": postcode.take(pa.array(patient)),
            "admitted": pa.array(admitted),
            "ward": [ward[which] for which in disease.tolist()],
            "icd10": [codes[which][at] for which, at in zip(disease.tolist(), code.tolist(), strict=True)],
            "triage": pa.DictionaryArray.from_arrays(pa.array(triage, pa.int8()), list(_TRIAGE), ordered=True),
            "days": days,
            "note": _notes(rng, n),
            "readmitted": labelled(("no", "yes"), readmitted.astype(np.int64)),
        }
    )


def _draw_patients(rng: np.random.Generator, n: int) -> Longs:
    """The patient of each visit, ascending. The last patient may have fewer visits than drawn."""
    visits = np.minimum(rng.geometric(1 - _RETURNS, n), _MOST_VISITS)
    return np.repeat(np.arange(n), visits)[:n]


def _years(days: np.ndarray[tuple[int, ...], np.dtype[np.datetime64]]) -> Longs:
    return days.astype("datetime64[Y]").astype(np.int64) + 1970


def _numbers(rng: np.random.Generator, n: int) -> list[int]:
    """Case numbers, almost all distinct."""
    numbers = rng.choice(max(n, 10**6), n, replace=False)
    repeated = np.flatnonzero(rng.random(n) < 0.02)
    numbers[repeated] = numbers[rng.permutation(n)[: len(repeated)]]
    drawn: list[int] = numbers.tolist()
    return drawn


def _notes(rng: np.random.Generator, n: int) -> list[str]:
    """Free text."""
    complaint, result = rng.integers(0, len(_COMPLAINTS), n), rng.integers(0, len(_CURED), n)
    temperature, pulse = rng.normal(37.2, 0.7, n), rng.normal(80, 12, n)
    return [
        f"Came with {_COMPLAINTS[start]}; {warm:.1f} °C, pulse {beats:.0f}; {_CURED[end]}."
        for start, end, warm, beats in zip(complaint, result, temperature, pulse, strict=True)
    ]
