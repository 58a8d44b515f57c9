"""The synthetic hospital: what makes its table hard to publish is in it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.datasets import hospital_hierarchies, hospital_schema, make_hospital
from hedgerow.errors import BadInput

COLUMNS = [
    "case",
    "patient_id",
    "name",
    "born",
    "birth_year",
    "sex",
    "postcode",
    "admitted",
    "ward",
    "icd10",
    "triage",
    "days",
    "note",
    "readmitted",
]


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    table: pa.Table = make_hospital(5_000, random_state=3)
    return table


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_every_backend(backend: Any) -> None:
    frame = nw.from_native(make_hospital(60, random_state=1, backend=backend), eager_only=True)
    assert frame.implementation.value == backend
    assert frame.columns == COLUMNS
    assert len(frame) == 60


def test_the_seed_decides() -> None:
    assert make_hospital(100, random_state=4).equals(make_hospital(100, random_state=4))
    assert not make_hospital(100, random_state=4).equals(make_hospital(100, random_state=5))
    with pytest.raises(BadInput, match="'n' parameter of make_hospital"):
        make_hospital(0)


def test_patients_come_several_times_and_stay_who_they_are(visits: pa.Table) -> None:
    rows = visits.to_pylist()
    times = Counter(row["patient_id"] for row in rows)
    assert 1.5 < len(rows) / len(times) < 2.2
    assert max(times.values()) > 4
    people = {(row["patient_id"], row["name"], row["born"], row["sex"], row["postcode"]) for row in rows}
    assert len(people) == len(times)
    assert all(row["born"].year == row["birth_year"] for row in rows)


def test_what_identifies_and_what_only_looks_like_a_number(visits: pa.Table) -> None:
    cases = Counter(visits["case"].to_pylist())
    assert 0.95 < len(cases) / visits.num_rows < 1.0
    assert any(code.startswith("0") for code in visits["postcode"].to_pylist())
    assert pa.types.is_timestamp(visits.schema.field("admitted").type)
    assert len({moment.time() for moment in visits["admitted"].to_pylist()}) > 500
    triage = visits.schema.field("triage").type
    assert triage.ordered
    assert visits["triage"].chunk(0).dictionary.to_pylist() == ["green", "yellow", "orange", "red"]
    assert {len(code) for code in visits["icd10"].to_pylist()} == {5}


def test_the_label_can_be_learnt(visits: pa.Table) -> None:
    rows = visits.to_pylist()
    urgent = [row["readmitted"] == "yes" for row in rows if row["triage"] == "red"]
    others = [row["readmitted"] == "yes" for row in rows if row["triage"] == "green"]
    assert sum(urgent) / len(urgent) > sum(others) / len(others) + 0.15


def test_its_schema_publishes_labels_of_its_hierarchies(visits: pa.Table) -> None:
    release = hr.anonymize(visits, hospital_schema(), k=10, require=["l=3@icd10"], random_state=0)
    assert release.audit.k >= 10
    shown = {name: set(release.table[name].to_pylist()) for name in ("born", "postcode", "admitted")}
    assert all(len(cell) in (1, 4, 5) for cell in shown["born"]), "years, decades, or nothing"
    assert all(cell == "*" or "*" in cell or len(cell) == 5 for cell in shown["postcode"])
    assert not any(":" in cell for cell in shown["admitted"]), "no moment of a day"
    assert set(hospital_hierarchies()) == {"born", "sex", "postcode", "admitted", "icd10"}
