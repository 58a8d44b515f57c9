"""Tables as they come: the commands read them alike, and write over nothing unless that is meant."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import hedgerow

HEADER = "name,age,sex,zip,ill,income"


def frame(rows: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(f"{HEADER}\n{rows}"), dtype=str)


def as_zip(table: pd.DataFrame, folder: Path) -> str:
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.writestr("../../people.tsv", table.to_csv(index=False, sep="\t"))
    return "table.zip"


def as_workbook(table: pd.DataFrame, folder: Path) -> str:
    table.astype({"age": int}).to_excel(folder / "table.xlsx", index=False)
    return "table.xlsx"


def as_folder(table: pd.DataFrame, folder: Path) -> str:
    (folder / "table").mkdir()
    table[:3].to_csv(folder / "table" / "a.csv", index=False)
    table[3:].to_csv(folder / "table" / "b.csv", index=False, sep=";", encoding="utf-16")
    return "table"


def as_pattern(table: pd.DataFrame, folder: Path) -> str:
    table[:3].to_parquet(folder / "part-1.parquet", index=False)
    table[3:].to_parquet(folder / "part-2.parquet", index=False)
    return "part-*.parquet"


def as_text(table: pd.DataFrame, folder: Path) -> str:
    table.to_csv(folder / "table.txt", index=False, sep="|", encoding="utf-8-sig")
    return "table.txt"


FORMS: dict[str, Callable[[pd.DataFrame, Path], str]] = {
    "archive": as_zip,
    "workbook": as_workbook,
    "folder": as_folder,
    "pattern": as_pattern,
    "text": as_text,
}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


@pytest.mark.parametrize("form", FORMS)
def test_both_commands_read_it(form: str, run: Any, tmp_path: Path, rows: str, roles: tuple[str, ...]) -> None:
    table = FORMS[form](frame(rows), tmp_path)

    done = run("anonymize", table, *roles, "-k", "2", "--output", "out.csv")
    audited = run("audit", table, "--quasi", "age,sex", "--json")

    assert (done.status, done.err) == (0, "")
    assert len(read(tmp_path / "out.csv")) == 8
    assert (audited.status, json.loads(audited.out)["rows"], json.loads(audited.out)["k"]) == (0, 8, 2)
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


@pytest.mark.parametrize("kind", ["CSV", "Parquet"])
def test_standard_input(kind: str, real: Any, tmp_path: Path, rows: str, roles: tuple[str, ...]) -> None:
    out = io.BytesIO()
    frame(rows).to_parquet(out, index=False)
    content = out.getvalue() if kind == "Parquet" else frame(rows).to_csv(index=False, sep=";").encode()

    done = real("anonymize", "-", *roles, "-k", "2", "--output", "out.csv", stdin=content)
    assert (done.status, done.err) == (0, "")
    assert len(read(tmp_path / "out.csv")) == 8
    audited = real("audit", "-", "--quasi", "age,sex", "-k", "3", stdin=content)
    assert (audited.status, audited.err) == (3, "")
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


def test_standard_input_of_a_job_and_for_two_tables(
    real: Any, tmp_path: Path, rows: str, roles: tuple[str, ...]
) -> None:
    content = frame(rows).to_csv(index=False).encode()
    (tmp_path / "job.toml").write_text('input = "-"\noutput = "job.csv"\n')
    done = real("anonymize", "--job", "job.toml", *roles, "-k", "2", stdin=content)
    assert (done.status, done.err) == (0, "")
    twice = real("audit", "-", "--quasi", "age", "--population", "-", stdin=content)
    assert (twice.status, "both standard input" in twice.err) == (2, True)
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


def test_the_file_behind_standard_input_is_not_written_over(people: Path, roles: tuple[str, ...]) -> None:
    before = people.read_bytes()
    arguments = ("anonymize", "-", *roles, "-k", "2", "--output", people.name, "--force")
    with people.open("rb") as table:
        done = subprocess.run(
            [sys.executable, "-m", "hedgerow", *arguments],
            stdin=table,
            cwd=people.parent,
            env={"PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "PATH": ""},
            capture_output=True,
        )
    assert (done.returncode, b"is a file that is read" in done.stderr) == (2, True)
    assert people.read_bytes() == before


def test_the_sheet_of_a_workbook(run: Any, tmp_path: Path, rows: str, roles: tuple[str, ...]) -> None:
    as_workbook(frame(rows), tmp_path)
    book = openpyxl.load_workbook(tmp_path / "table.xlsx")
    book.create_sheet("notes").append(["a note"])
    book.save(tmp_path / "table.xlsx")

    anonymize = ("anonymize", "table.xlsx", *roles, "-k", "2", "-o", "out.csv")
    for command in (anonymize, ("audit", "table.xlsx", "--quasi", "age,sex")):
        refused = run(*command)
        assert (refused.status, "'Sheet1', 'notes'" in refused.err) == (2, True)
        assert run(*command, "--sheet", "Sheet1").status == 0


def test_audit_is_told_the_delimiter(run: Any, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a:b\n1:2\n1:2\n")
    assert run("audit", "table.csv", "--quasi", "a").status == 2
    assert run("audit", "table.csv", "--quasi", "a", "-k", "2", "--delimiter", ":").status == 0
    (tmp_path / "table.csv").write_text("a\tb|c|d\n1\t2\n1\t2\n")
    assert run("audit", "table.csv", "--quasi", "a", "-k", "2", "--delimiter", r"\t").status == 0


@pytest.mark.parametrize("form", ["folder", "pattern"])
def test_no_file_that_is_read_is_written_over(
    form: str, refused: Any, tmp_path: Path, rows: str, roles: tuple[str, ...]
) -> None:
    table = FORMS[form](frame(rows), tmp_path)
    output = "table/b.csv" if form == "folder" else "part-2.parquet"
    refused("anonymize", table, *roles, "-k", "2", "-o", output, "--force", words=(output, "file that is read"))


OUTPUTS = {"the release": ("out.csv",), "the recoding": ("new.csv", "--recoding", "out.csv")}


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_output_that_exists_needs_force(
    output: str, refused: Any, run: Any, people: Path, roles: tuple[str, ...]
) -> None:
    """Refused before anything is computed: also where the table could not be read."""
    out = people.parent / "out.csv"
    out.write_text("older")
    arguments = ("anonymize", people.name, *roles, "-k", "2", "--quiet", "-o", *OUTPUTS[output])
    refused(*arguments, words=("'out.csv' exists already", "--force"))
    assert run(*arguments, "--force").status == 0
    assert out.read_text() != "older"
    people.write_text("no table")
    refused(*arguments, words=("exists already",))


def test_a_job_may_say_force(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    out = people.parent / "out.csv"
    out.write_text("older")
    job = people.parent / "job.toml"
    for force, status in (("false", 2), ("true", 0)):
        job.write_text(f'input = "people.csv"\noutput = "out.csv"\nforce = {force}\n')
        assert run("anonymize", "--job", "job.toml", *roles, "-k", "2").status == status
    assert len(read(out)) == 8
