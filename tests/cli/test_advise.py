"""``hedgerow advise``: the suggestion on the screen, and a job file that runs as it is."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from stewards_table import hashed_visits

import hedgerow as hr

SECRET = "Zebulon"  # in the name of everybody
DRAW = random.Random(4)
DATASETS: dict[str, Callable[..., Any]] = {
    "census": hr.datasets.make_census,
    "hospital": hr.datasets.make_hospital,
    "voters": hr.datasets.make_voters,
}


def people(rows: int = 300) -> str:
    """A table with something of everything."""
    lines = ["name,age,sex,zip,disease,answer,phone"]
    for n in range(rows):
        age, sex, code = DRAW.randrange(20, 70), DRAW.choice("MF"), f"{DRAW.randrange(12):05}"
        ill, answer = DRAW.choice(["flu", "cold", "gout"]), DRAW.choice(["low", "medium", "high"])
        lines.append(f"{SECRET} {n},{age},{sex},{code},{ill},{answer},030 12345{n:03}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(people(), encoding="utf-8")
    return path


def test_the_job_runs_as_it_is(real: Any, table: Path, tmp_path: Path) -> None:
    advised = real("advise", "people.csv")

    assert (advised.status, advised.err) == (0, "")
    for words in ("300 rows, 7 columns", "quasi-identifier", "leave out", "sensitive", "together", "job.toml", "CMS"):
        assert words in advised.out
    assert SECRET not in advised.out + (tmp_path / "job.toml").read_text(encoding="utf-8")
    job = tomllib.loads((tmp_path / "job.toml").read_text(encoding="utf-8"))
    assert job["identifying"] == ["name", "phone"]
    assert (job["sensitive"], job["k"], job["min-people"]) == (["disease"], 11, 11)
    assert set(job["quasi"]) | set(job["insensitive"]) == {"age", "sex", "zip", "answer"}

    released = real("anonymize", "--job", "job.toml")
    assert (released.status, released.err) == (0, "")
    assert "11-anonymity: verified" in released.out
    assert "at least 11 people for every value of every column: verified" in released.out
    quasi = ",".join(job["quasi"])
    assert real("check", "people-release.csv", "--quasi", quasi, "-k", "11", "--require", job["require"][0]).status == 0
    assert real("check", "--job", "job.toml").status == 3, "the table as it is"


@pytest.mark.parametrize("name", DATASETS)
def test_synthetic_tables(name: str, run: Any, tmp_path: Path) -> None:
    pyarrow.csv.write_csv(DATASETS[name](1500, random_state=5), tmp_path / f"{name}.csv")
    assert run("advise", f"{name}.csv", "--quiet").status == 0
    outcome = run("anonymize", "--job", "job.toml")
    assert (outcome.status, outcome.err) == (0, "")
    assert "NOT MET" not in outcome.out
    job = tomllib.loads((tmp_path / "job.toml").read_text(encoding="utf-8"))
    if "entity" not in job:
        listed = ",".join(job["quasi"])
        required = [word for rule in job["require"] for word in ("--require", rule)]
        assert run("check", job["output"], "--quasi", listed, "-k", str(job["k"]), *required).status == 0


@pytest.mark.parametrize("typed", ["people.parquet", "parts", "parts/*.csv", "-"])
def test_whatever_a_table_comes_as(typed: str, real: Any, table: Path, tmp_path: Path) -> None:
    rows = pyarrow.csv.read_csv(table)
    pyarrow.parquet.write_table(rows, tmp_path / "people.parquet")
    (tmp_path / "parts").mkdir()
    for at in (0, 1):
        pyarrow.csv.write_csv(rows.slice(at * 150, 150), tmp_path / "parts" / f"{at}.csv")
    raw = table.read_bytes() if typed == "-" else None

    advised = real("advise", typed, "--quiet", "--no-trial", stdin=raw)
    assert (advised.status, advised.err) == (0, "")
    released = real("anonymize", "--job", "job.toml", "--quiet", stdin=raw)
    assert (released.status, released.err) == (0, "")


def test_json_and_options(run: Any, table: Path, tmp_path: Path) -> None:
    options = ("--json", "-k", "4", "--target", "answer", "--no-trial", "-o", "other.toml")
    outcome = run("advise", "people.csv", *options)

    assert outcome.status == 0
    advice = json.loads(outcome.out)
    assert (advice["rows"], advice["k"], advice["trial"], advice["sampled"]) == (300, 4, None, None)
    assert {one["name"]: one["role"] for one in advice["columns"]}["answer"] == "target"
    assert 0 < advice["columns"][1]["separation"] < 1
    assert advice["combinations"][-1]["alone"] > 0
    assert SECRET not in outcome.out
    assert tomllib.loads((tmp_path / "other.toml").read_text(encoding="utf-8"))["target"] == "answer"
    assert run("advise", "people.csv", "--no-trial", "--quiet").out == ""


def test_nothing_is_written_over_unless_it_is_meant(run: Any, refused: Any, table: Path, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text("mine")
    refused("advise", "people.csv", words=("'job.toml' exists already", "--force"))
    assert run("advise", "people.csv", "--force", "--no-trial").status == 0
    assert (tmp_path / "job.toml").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("advise",), ("TABLE",)),
        (("advise", "nobody.csv"), ("nobody.csv",)),
        (("advise", "people.csv", "-o", "none/job.toml"), ("no folder",)),
        (("advise", "people.csv", "-o", "people.csv"), ("is a file that is read",)),
        (("advise", "people.csv", "-o", "."), ("is a folder",)),
        (("advise", "people.csv", "--target", "answr"), ("Did you mean 'answer'",)),
        (("advise", "people.csv", "-k", "1"), ("'k' parameter of advise",)),
        (("advise", "people.csv", "--decimal", ";"), ("decimal",)),
        (("advise", "people.csv", "--encoding", "klingon"), ("klingon",)),
        (("advise", "broken.csv"), ("broken.csv",)),
        (("advise", "empty.csv"), ("empty.csv",)),
        (("advise", "header.csv"), ("no rows",)),
    ],
)
def test_mistakes(
    arguments: tuple[str, ...], words: tuple[str, ...], refused: Any, table: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.csv").write_text(f"a,b\n{SECRET}\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,b\n")
    refused(*arguments, words=words)


NASTY: dict[str, tuple[str, int]] = {
    "no sense in the header": ("V1,V2,V3\n" + "".join(f"{n % 7},{n % 5},{n % 3}\n" for n in range(90)), 0),
    "one column": ("age\n" + "".join(f"{n % 40}\n" for n in range(90)), 0),
    "all rows equal": ("a,b\n" + "1,x\n" * 40, 0),
    "all distinct": ("a,b\n" + "".join(f"word {n},other {n}\n" for n in range(40)), 3),
    "three rows": ("age,sex\n1,M\n2,F\n3,M\n", 3),
    "300 columns": (
        ",".join(f"c{n}" for n in range(300)) + "\n"
        + "".join(",".join(str((n * at) % 7) for at in range(300)) + "\n" for n in range(40)), 0,
    ),
    "empty strings": ("a,b,c\n" + ",x,\n,y,\n" * 20, 0),
    "dates of mixed form": (
        "seen,sex\n" + "".join(f"{'2024-01-05' if n % 2 else '5.1.2024'},{'MF'[n % 2]}\n" for n in range(60)), 0,
    ),
    "semicolons and decimal commas": (
        "Alter;Größe;Ort\n" + "".join(f"{n % 50};1,{n % 60 + 40};Ort {n % 3}\n" for n in range(120)), 0,
    ),
    "names like keywords of TOML": ("true,inf,[a]\n" + "".join(f"{n % 7},{n % 5},x{n % 3}\n" for n in range(90)), 0),
    "quotes and line ends in names": (
        '"a ""b""","new\nline","#"\n' + "".join(f"{n % 7},{n % 5},x{n % 3}\n" for n in range(90)), 0,
    ),
    "commas in names": ('"a,b"," c ","disease "\n' + "".join(f"{n % 7},{n % 5},x{n % 3}\n" for n in range(90)), 0),
    "huge numbers": ("a,b\n" + "".join(f"{n * 10**17},1e300\n" for n in range(60)), 0),
    "formulas": ("a,b\n" + "".join(f"=SUM({n % 4}),+{n % 3}\n" for n in range(60)), 0),
    "markup": ("[bold],<b>\n" + "".join(f"[/red]{n % 4},:smile:{n % 3}\n" for n in range(60)), 0),
}  # fmt: skip


@pytest.mark.parametrize("case", NASTY)
def test_nasty_tables(case: str, run: Any, tmp_path: Path) -> None:
    content, status = NASTY[case]
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    advised = run("advise", "t.csv")

    assert advised.status == status, advised.err
    assert (tmp_path / "job.toml").exists() == (status == 0)
    if status:
        assert advised.err.startswith("hedgerow: ")
        assert advised.err.endswith("No job is suggested.\n")
        return
    assert advised.err == ""
    released = run("anonymize", "--job", "job.toml", "--quiet")
    assert (released.status, released.err) == (0, "")
    assert run("check", "--job", "job.toml", str(tmp_path / "t-release.csv")).status == 0


def test_help_has_an_example(run: Any) -> None:
    shown = run("advise", "--help")
    assert shown.status == 0
    assert "hedgerow advise people.csv" in " ".join(shown.out.split())
    assert all(words in run("--help").out for words in ("advise", "check"))


def hospital(folder: Path) -> str:
    """30,000 visits with hashed ids, and a patient with 300 more; returns the hash of that one."""
    visits, often = hashed_visits(30_000)
    table = visits.select(["case", "pseud", "born", "sex", "postcode", "ward", "icd10", "triage"])
    pyarrow.csv.write_csv(table, folder / "people.csv")
    return often


def test_a_hospital_with_hashed_ids_ends_in_a_release_that_counts_patients(real: Any, tmp_path: Path) -> None:
    """The two commands of README, on a table whose advice once published a patient with 300 visits."""
    often = hospital(tmp_path)
    advised = real("advise", "people.csv")
    assert (advised.status, advised.err) == (0, "")
    job = tomllib.loads((tmp_path / "job.toml").read_text(encoding="utf-8"))
    assert (job["entity"], job["identifying"]) == ("pseud", ["case"])

    released = real("anonymize", "--job", "job.toml", "--report", "out.html")
    assert (released.status, released.err) == (0, "")
    assert "11-anonymity: verified" in released.out
    assert "at least 11 people for every value of every column: verified" in released.out
    text = (tmp_path / "people-release.csv").read_text(encoding="utf-8")
    assert often not in text
    assert "pseud" not in text
    # Whoever counts patients finds k of them in every class: one of 300 visits is one.
    original = pyarrow.csv.read_csv(tmp_path / "people.csv")
    assert original.num_rows == 30_300
    manifest = json.loads((tmp_path / "people-release.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["columns"]["entity"] == "pseud"
    assert manifest["audit"]["k"] >= 11
    assert manifest["audit"]["people"] == pytest.approx(16_400, rel=0.01)

    # Without the decision nothing is released, and the command says what is to be decided.
    undecided = (tmp_path / "job.toml").read_text(encoding="utf-8").replace('entity = "pseud"', 'others = "drop"')
    (tmp_path / "undecided.toml").write_text(undecided, encoding="utf-8")
    refused = real("anonymize", "--job", "undecided.toml", "-o", "other.csv")
    assert refused.status == 3
    for words in ("'pseud' identifies people", "--entity pseud", "--rows-are-people"):
        assert words in refused.err
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.parametrize("way", ["option", "field"])
def test_rows_are_said_to_be_people(way: str, real: Any, tmp_path: Path) -> None:
    visits = hr.datasets.make_hospital(500, random_state=7).select(["patient_id", "born", "sex", "postcode"])
    pyarrow.csv.write_csv(visits, tmp_path / "visits.csv")
    typed = ["anonymize", "visits.csv", "--quasi", "born,sex,postcode", "--others", "drop", "-k", "3", "-o", "out.csv"]
    assert real(*typed).status == 3
    if way == "field":
        (tmp_path / "job.toml").write_text("rows-are-people = true\n", encoding="utf-8")
    released = real(*typed, *(["--rows-are-people"] if way == "option" else ["--job", "job.toml"]))
    assert (released.status, released.err) == (0, "")
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["rows_are_people"] is True


def test_one_patient_with_many_visits_among_patients_with_one(run: Any, tmp_path: Path) -> None:
    """The same two commands: a single patient whose hash repeats is reason enough to count patients."""
    often = hospital(tmp_path)
    visits = pl.read_csv(tmp_path / "people.csv", infer_schema=False)
    repeated = pl.col("pseud") == often
    pl.concat([visits.filter(~repeated).unique("pseud"), visits.filter(repeated)]).write_csv(tmp_path / "people.csv")
    assert run("advise", "people.csv").status == 0
    assert tomllib.loads((tmp_path / "job.toml").read_text(encoding="utf-8"))["entity"] == "pseud"
    assert run("anonymize", "--job", "job.toml").status == 0
    assert often not in (tmp_path / "people-release.csv").read_text(encoding="utf-8")
    refused = run(
        "anonymize", "people.csv", "--quasi", "born,sex,postcode", "--others", "drop", "-k", "11", "-o", "x.csv"
    )
    assert (refused.status, "--entity pseud" in refused.err) == (3, True)
