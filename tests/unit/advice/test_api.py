"""``hr.advise`` from a table to a suggestion, which runs and tells no rare value."""

from __future__ import annotations

import datetime as dt
import json
import random
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

import hedgerow as hr
from hedgerow.cli import main
from hedgerow.engines import Source
from hedgerow.errors import BadInput, Infeasible

TABLES: dict[str, Any] = {
    "census": hr.datasets.make_census,
    "hospital": hr.datasets.make_hospital,
    "voters": hr.datasets.make_voters,
}


def told(advice: hr.Advice) -> str:
    """All that anybody sees of a suggestion."""
    return "\n".join(
        (
            repr(advice),
            str(advice),
            advice._repr_html_(),
            json.dumps(advice.to_dict(), ensure_ascii=False),
            advice.job(),
        )
    )


def by_role(advice: hr.Advice) -> dict[str, list[str]]:
    return {role: advice.named(role) for role in {one.role for one in advice.columns}}


def test_a_hospital() -> None:
    advice = hr.advise(hr.datasets.make_hospital(2000, random_state=7), trial=False)
    assert by_role(advice) == {
        "identifying": ["case", "name", "note"],
        "redundant": ["birth_year"],
        "entity": ["patient_id"],
        "quasi": ["born", "sex", "postcode", "admitted", "days"],
        "sensitive": ["icd10"],
        "insensitive": ["ward", "triage"],
        "target": ["readmitted"],
    }
    assert (advice.k, advice.require) == (11, {"l=3@icd10": advice.require["l=3@icd10"]})
    assert advice.people is not None
    assert advice.people < 2000
    assert advice.people % 10 == 0, "only about so many: who knows all rows but one must not learn whose that one is"
    assert [one.name for one in advice.quasi][-1] == "sex", "the one that tells least comes last"
    assert advice.combinations[0].columns == ("admitted",)


@pytest.mark.parametrize("name", TABLES)
def test_the_suggestion_runs_from_a_frame(name: str) -> None:
    table = TABLES[name](1200, random_state=3)
    advice = hr.advise(table)
    assert advice.trial is not None
    assert advice.trial.failed == ""
    release = hr.anonymize(table, advice.schema, method=advice.method.value, k=advice.k, require=list(advice.require))
    assert release.audit.k >= advice.k


@pytest.mark.parametrize(
    "name", ["adult", "german", "crx", "haberman", "heart-statlog", "glass", "sonar", "tic-tac-toe", "arx-fars-subset"]
)
def test_real_tables(name: str, data_folder: Path, tmp_path: Path) -> None:
    path = data_folder / name / f"{name}.csv" if name != "adult" else data_folder / "adult" / "adult_test.csv.gz"
    advice = hr.advise(path)
    job = advice.save(tmp_path / "job.toml")
    output = str(tmp_path / "out.csv")
    assert main(["anonymize", "--job", str(job), "--output", output, "--quiet"]) == 0
    quasi = [one.name for one in advice.quasi]
    assert hr.check(output, quasi=quasi, k=advice.k, require=list(advice.require)).holds


def test_every_kind_of_frame_gets_the_same_suggestion(frame_type: Any) -> None:
    table = hr.datasets.make_voters(400, random_state=7)
    assert hr.advise(frame_type(table), trial=False).columns == hr.advise(table, trial=False).columns


def test_no_value_that_few_rows_have_is_told(tmp_path: Path) -> None:
    """Canaries stand in every column: each held by fewer than k rows, or in a column that tells who somebody is."""
    draw = random.Random(9)
    rows = 400
    few = [f"CANARY{n}" for n in range(40)]
    columns: dict[str, list[str]] = {
        "name": [f"CANARYNAME{n % 200}" for n in range(rows)],
        "email": [f"canary{n}@x.org" for n in range(rows)],
        "patient_id": [f"CANARY{n // 2:05}" for n in range(rows)],
        "age": [str(draw.randrange(20, 60)) for _ in range(rows)],
        "risk": [draw.choice(["low", "medium", "high"]) for _ in range(rows)],
        "zip": [f"{draw.randrange(30):05}" for _ in range(rows)],
        "disease": [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)],
        "ward": [draw.choice("ABC") for _ in range(rows)],
        "hours": [str(draw.randrange(40)) for _ in range(rows)],
        "class": [draw.choice(["yes", "no"]) for _ in range(rows)],
        "seen": [f"2024-01-{draw.randrange(1, 29):02}" for _ in range(rows)],
    }
    for at, name in enumerate(("risk", "zip", "disease", "ward", "class")):
        columns[name][at * 7] = few[at]
    columns["age"][3], columns["hours"][4], columns["seen"][5] = "987654321", "?", "1799-12-31"
    path = tmp_path / "people.csv"
    pyarrow.csv.write_csv(pa.table(columns), path)

    for data in (path, pa.table(columns)):
        for trial in (False, True):
            shown = told(hr.advise(data, trial=trial))
            assert "canary" not in shown.lower()
            assert "987654321" not in shown
            assert "1799" not in shown
            assert '"?"' not in shown
            assert '"high"' not in shown, "an order would list a value that one row has"


def test_it_shows_itself_as_its_job() -> None:
    advice = hr.advise(hr.datasets.make_voters(300, random_state=7), trial=False)
    assert str(advice) == advice.job()
    assert advice._repr_html_().startswith("<pre># Suggested")
    assert repr(advice) == (
        "Advice(300 rows, 5 columns: 0 left out, 4 quasi-identifiers, 1 sensitive, 0 in clear; k = 5, mondrian)"
    )


def test_large_tables_are_sampled_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.advice._api._MOST_ROWS", 500)
    table = hr.datasets.make_hospital(3000, random_state=7)
    pyarrow.csv.write_csv(table, tmp_path / "visits.csv")
    for data in (table, tmp_path / "visits.csv"):
        advice = hr.advise(data, trial=False)
        assert (advice.rows, advice.sampled) == (3000, 500)
        assert advice.named("entity") == ["patient_id"], "it repeats in the table, hardly in the sample"
        assert "case" in advice.named("identifying")
        assert advice.to_dict()["sampled"] == 500


def test_hopeless_tables_say_why(tmp_path: Path) -> None:
    few = hr.advise(pa.table({"age": [1, 2, 3]}))
    assert few.hopeless == "The table has 3 rows: too few to hide anybody among 5."
    names = hr.advise(pa.table({"name": [f"A {n}" for n in range(50)]}))
    assert "no column is left" in names.hopeless
    for advice in (few, names):
        assert advice.hopeless in repr(advice)
        assert advice.hopeless in str(advice)
        with pytest.raises(Infeasible):
            advice.save(tmp_path / "job.toml")
        with pytest.raises(Infeasible):
            advice.job()
    assert list(tmp_path.iterdir()) == []


def test_what_would_disclose_is_generalized() -> None:
    """Sums of two answers tell the one where the other is known; only a trial sees that."""
    draw = random.Random(1)
    one, two = [draw.randrange(2) for _ in range(800)], [draw.randrange(8) for _ in range(800)]
    table = pa.table(
        {
            "children": ["no", "yes"] * 400,
            "household": [f"H{n}" for n in two],
            "sex": one,
            "age": [draw.randrange(20, 60) for _ in one],
            "sum": ["ABCDEFGH"[(a + b) % 8] for a, b in zip(one, two, strict=True)],
        }
    )
    assert hr.advise(table, trial=False).named("insensitive") == ["sum"]
    tried = hr.advise(table)
    assert tried.named("insensitive") == []
    reason = next(one.reason for one in tried.columns if one.name == "sum")
    assert reason.startswith("Published unchanged, it reveals")


def test_spellings_in_clear_are_looked_at_as_they_are_written(tmp_path: Path) -> None:
    """All are 1, and every row spells it in its own way."""
    lines = [f"{20 + n % 30},{'MF'[n % 2]},1.{'0' * (n + 1)}" for n in range(60)]
    (tmp_path / "t.csv").write_text("age,sex,x\n" + "\n".join(lines) + "\n")
    assert hr.advise(tmp_path / "t.csv", trial=False).named("insensitive") == ["x"]
    advice = hr.advise(tmp_path / "t.csv")
    assert advice.named("insensitive") == []
    assert main(["anonymize", "--job", str(advice.save(tmp_path / "job.toml")), "--quiet"]) == 0


def test_decimal_commas_are_written_into_the_job(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age;height\n" + "".join(f"{n % 50};1,{n % 60 + 30}\n" for n in range(200)))
    advice = hr.advise(tmp_path / "t.csv", trial=False)
    assert advice.decimal == ","
    assert {one.name: one.holds for one in advice.columns}["height"] == "number"
    assert tomllib.loads(advice.job())["decimal"] == ","
    told = hr.advise(hr.File(tmp_path / "t.csv", decimal=","), trial=False)
    assert told.columns == advice.columns


def test_a_method_that_does_not_run_is_replaced() -> None:
    draw = random.Random(1)
    table = pa.table(
        {"age": [draw.randrange(20, 60) for _ in range(300)], "town": ["A", "B", "C"] * 100,
         "pay": [draw.random() for _ in range(300)], "odd": [[1]] * 300}
    )  # fmt: skip
    advice = hr.advise(table, target="pay")
    assert advice.method.value == "mondrian"
    assert advice.method.reason.startswith("The first choice, kactus, did not run: The target 'pay' holds numbers")
    assert advice.trial is not None
    assert "nested" in hr.advise(table, target="odd").hopeless, "no method can learn that"


def test_without_l_diversity_there_is_a_note() -> None:
    table = pa.table({"age": list(range(100)), "disease": ["flu"] * 99 + ["cold"], " ill": ["a", "b"] * 50})
    advice = hr.advise(table, trial=False)
    assert not advice.require
    assert "'disease': 99% of the rows have the same value" in " ".join(advice.notes)
    assert "' ill': no requirement can hold this name" in " ".join(advice.notes)


def test_what_columns_in_clear_tell_together_is_told() -> None:
    draw = random.Random(1)

    def notes(answers: int) -> str:
        asked = {f"q{n}": [draw.choice("ABCDE") for _ in range(600)] for n in range(answers)}
        table = pa.table({"age": [draw.randrange(20, 60) for _ in range(600)], "sex": ["M", "F"] * 300, **asked})
        return " ".join(hr.advise(table, trial=False).notes)

    assert "The 5 columns in clear together single out" in notes(5)
    assert notes(2) == ""


def test_a_record_in_place_of_a_header_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "39,M,53111\n" + "".join(f"{20 + n % 40},{'MF'[n % 2]},5311{n % 9}\n" for n in range(90))
    )
    assert "column names look like values" in hr.advise(tmp_path / "t.csv", trial=False).notes[0]
    assert hr.advise(pa.table({"age": list(range(400)), "1990": [1, 2] * 200}), trial=False).notes == ()


def test_much_loss_is_told() -> None:
    draw = random.Random(1)
    table = pa.table({f"v{n}": [str(draw.randrange(9)) for _ in range(60)] for n in range(8)})
    advice = hr.advise(table)
    assert "The 8 quasi-identifiers lose 60% of their detail. Leave out those that nobody needs" in " ".join(
        advice.notes
    )


def test_types_of_frames() -> None:
    frame = pd.DataFrame(
        {
            "age": pd.array([str(20 + n % 40) for n in range(300)], dtype="string"),
            "triage": pd.Categorical(["low", "mid", "top"] * 100, categories=["low", "mid", "top"], ordered=True),
            "born": pd.to_datetime(["1980-01-01", "1999-05-05", "2001-02-02", "1970-07-07"] * 75),
            "odd": [b"x"] * 300,
        }
    )
    advice = hr.advise(frame)
    assert advice.schema.kinds == {"age": "number"}
    assert advice.named("redundant") == ["odd"]
    assert hr.advise(pl.DataFrame({"x": [1.0, float("nan")] * 20, "age": list(range(40))})).named("redundant") == ["x"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "nobody"}, "no column 'nobody'"),
        ({"k": 1}, "'k' parameter of advise"),
        ({"trial": "yes"}, "'trial' parameter of advise"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        hr.advise(pa.table({"age": [1, 2, 3]}), **given)
    with pytest.raises(BadInput, match="no rows"):
        hr.advise(pa.table({"age": pa.array([], pa.int64())}))


def test_sources_that_cannot_be_looked_at() -> None:
    class Elsewhere(Source):
        columns = ("a",)

        def count(self, *_: Any) -> Any: ...

    with pytest.raises(BadInput, match="Spark"):
        hr.advise(Elsewhere())


def test_dates_that_may_be_day_first_or_month_first_are_said_to_be_so() -> None:
    days = [f"{n % 12 + 1:02}/{n % 11 + 1:02}/{1940 + n % 60}" for n in range(300)]
    table = pa.table({"born": days, "sex": ["F", "M"] * 150})

    advice = hr.advise(table, trial=False)

    assert advice.schema.hierarchies["born"] == "dates:year,decade,%d/%m/%Y"
    (note,) = [note for note in advice.notes if "'born'" in note]
    assert note == (
        "The dates in 'born' may be day first or month first. By year and decade they generalize alike. For months, "
        "name the form that is right: dates:month,year,%d/%m/%Y or dates:month,year,%m/%d/%Y."
    )
    released = hr.anonymize(table, advice.schema, k=5)
    years = {cell for cell in released.table["born"].to_pylist() if len(cell) in (4, 5)}
    assert years <= {*(f"{year}" for year in range(1940, 2000)), *(f"{year}s" for year in range(1940, 2000, 10))}


def test_dates_in_another_form_identify_nobody_by_being_distinct() -> None:
    days = [f"{n % 28 + 1:02}.{n // 28 % 12 + 1:02}.{1930 + n // 336}" for n in range(3000)]

    advice = hr.advise(pa.table({"born": days, "sex": ["F", "M"] * 1500}), trial=True)

    assert [column.role for column in advice.columns] == ["quasi", "quasi"]
    assert advice.schema.hierarchies["born"].endswith("%d.%m.%Y")
    assert not any("day first" in note for note in advice.notes)
    assert advice.trial is not None
    assert not advice.trial.failed


def ill_people(disease: list[Any]) -> pa.Table:
    draw = random.Random(3)
    rows = len(disease)
    columns = {"age": [draw.randrange(20, 60) for _ in range(rows)], "sex": [draw.choice("FM") for _ in range(rows)]}
    return pa.table({**columns, "disease": disease})


def test_numbers_of_ill_people_are_recoded_and_it_runs() -> None:
    table = ill_people([at % 90 for at in range(400)])
    advice = hr.advise(table)
    assert advice.least is not None
    assert advice.schema.recode == {"disease": "microaggregate:11"} == dict(advice.least.recode)
    job = tomllib.loads(advice.job())
    assert (job["min-people"], job["recode"]) == (11, {"disease": "microaggregate:11"})
    assert advice.to_dict()["least"]["number"] == 11
    release = hr.anonymize(table, advice.schema, k=advice.k, min_people=advice.least.number, random_state=0)
    assert min(Counter(release.table["disease"].to_pylist()).values()) >= 11


def test_what_does_not_run_is_not_suggested() -> None:
    """Dates in clear cannot be recoded."""
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=at % 90) for at in range(400)]
    advice = hr.advise(ill_people(days))
    assert advice.named("sensitive") == ["disease"]
    assert advice.least is None
    assert "min-people" not in tomllib.loads(advice.job())
    assert any("min-people = 11 is not suggested" in note and "'disease' holds dates" in note for note in advice.notes)
