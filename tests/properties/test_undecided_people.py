"""Rows are not counted as people where a column identifies people who have several, unless somebody says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr

VISITS = hr.datasets.make_hospital(3_000, random_state=7)
QUASI = ["born", "sex", "postcode"]
SAID = r"'patient_id' identifies people who have several rows, 1\.8 .* up to .*--entity patient_id.*--rows-are-people"


def form_of(name: str, folder: Path) -> Any:
    if name == "pandas":
        return VISITS.to_pandas()
    if name == "csv":
        pyarrow.csv.write_csv(VISITS, folder / "visits.csv")
        return folder / "visits.csv"
    if name == "parquet":
        pq.write_table(VISITS, folder / "visits.parquet")
        return folder / "visits.parquet"
    return VISITS


@pytest.mark.parametrize("form", ["arrow", "pandas", "csv", "parquet"])
def test_a_table_of_visits_is_refused_until_somebody_decides(form: str, tmp_path: Path) -> None:
    table = form_of(form, tmp_path)
    with pytest.raises(hr.Disclosing, match=SAID):
        hr.anonymize(table, hr.Schema(quasi=QUASI, others="drop"), k=5)
    people = hr.anonymize(table, hr.Schema(quasi=QUASI, entity="patient_id", others="drop"), k=5)
    assert (people.audit.people is not None, people.manifest["rows_are_people"]) == (True, False)
    rows = hr.anonymize(table, hr.Schema(quasi=QUASI, rows_are_people=True, others="drop"), k=5)
    assert (rows.audit.people, rows.manifest["rows_are_people"]) == (None, True)


def test_so_is_one_whose_key_is_a_quasi_identifier() -> None:
    with pytest.raises(hr.Disclosing, match="as entity and not as a quasi-identifier"):
        hr.anonymize(VISITS, hr.Schema(quasi=[*QUASI, "patient_id"], others="drop"), k=5)


def test_of_a_large_table_all_rows_of_some_people_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hedgerow.release.pipeline._MOST_ROWS", 400)
    for form in ("arrow", "csv", "parquet"):
        with pytest.raises(hr.Disclosing, match="--entity"):
            hr.anonymize(form_of(form, tmp_path), hr.Schema(quasi=QUASI, others="drop"), k=5)


@pytest.mark.parametrize("most", [50_000, 2_000])
def test_one_patient_with_many_visits_among_patients_with_one(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("hedgerow.release.pipeline._MOST_ROWS", most)
    frame = VISITS.drop_columns(["name", "note"]).to_pandas().drop_duplicates("patient_id")
    visits = frame.sample(300, random_state=7).assign(**frame.iloc[0][["patient_id", *QUASI]].to_dict())
    table = pa.Table.from_pandas(pd.concat([frame, visits]), preserve_index=False)
    with pytest.raises(hr.Disclosing, match=r"up to about 300: .*--entity patient_id"):
        hr.anonymize(table, hr.Schema(quasi=QUASI, others="drop"), k=5)


def test_nobody_needs_to_decide_about_plain_tables() -> None:
    census = hr.datasets.make_census(3_000, random_state=7)
    assert hr.anonymize(census, hr.Schema(quasi=["age", "sex", "zip", "education"], others="drop"), k=5).audit.k >= 5
    again = pa.concat_tables([census.drop_columns(["name"])] * 2)
    assert hr.anonymize(again, hr.Schema(quasi=["age", "sex", "zip"], others="drop"), k=5).audit.k >= 5


def test_who_names_the_person_cannot_say_that_rows_are_people() -> None:
    with pytest.raises(hr.BadInput, match="Leave one of the two out"):
        hr.Schema(quasi=QUASI, entity="patient_id", rows_are_people=True)
    with pytest.raises(hr.BadInput, match="must be True or False"):
        hr.Schema(quasi=QUASI, rows_are_people="yes")  # type: ignore[arg-type]


def test_the_report_says_that_rows_were_said_to_be_people(tmp_path: Path) -> None:
    release = hr.anonymize(VISITS, hr.Schema(quasi=QUASI, rows_are_people=True, others="drop"), k=5)
    release.report(tmp_path / "out.html")
    assert "Every row counts as a person" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert any("every row is a person" in warning for warning in release.audit.warnings)
