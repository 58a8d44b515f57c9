"""``hedgerow anonymize --redraw``: rows of ordinary values beside a release, and how many equal original ones."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.io.atomic import sha256

WORDS = ("-k", "2", "-o", "out.csv", "--publish-proportions")


@pytest.fixture
def others(people: Path, rows: str) -> Path:
    """Four people who are not in ``people.csv``, two of them of another age."""
    path = people.parent / "others.csv"
    lines = rows.splitlines()[:4]
    changed = [lines[0], lines[1], lines[2].replace(",22,", ",99,"), lines[3].replace(",23,", ",99,")]
    path.write_text("name,age,sex,zip,ill,income\n" + "\n".join(changed) + "\n", encoding="utf-8")
    return path


def test_rows_beside_the_release(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, *WORDS, "--redraw", "3", "--seed", "1")
    assert outcome.status == 0, outcome.err
    folder = people.parent
    with (folder / "out.redrawn.csv").open() as file:
        drawn = list(csv.DictReader(file))
    assert len(drawn) == 24
    assert list(drawn[0]) == ["age", "sex", "ill", "income"]
    assert {row["sex"] for row in drawn} <= {"F", "M"}
    assert all(20 <= int(row["age"]) < 30 for row in drawn)
    said = json.loads((folder / "out.redrawn.csv.manifest.json").read_text())
    assert (said["repeats"], said["output"]["sha256"]) == (3, sha256(folder / "out.redrawn.csv"))
    assert re.search(r"redrawn +out\.redrawn\.csv: 24 rows", outcome.out)
    assert re.search(r"equal rows +about \d+% of the drawn rows .*written nowhere", outcome.out)
    assert "not in it" not in outcome.out
    # The figures of the screen are in no file.
    assert not any("equal rows" in path.read_text() for path in folder.glob("out*"))


def test_people_who_were_not_in_the_table(run: Any, people: Path, others: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, *WORDS, "--redraw", "9", "--holdout", others.name)
    assert outcome.status == 0, outcome.err
    told = re.search(r"and (\d+)% of the rows of people who were not in it", outcome.out)
    assert told is not None
    assert int(told[1]) <= 50
    before = others.read_bytes()
    assert run("audit", "out.csv", "--quasi", "age,sex").status == 0
    assert others.read_bytes() == before


def test_a_holdout_of_another_format(run: Any, people: Path, others: Path, roles: tuple[str, ...]) -> None:
    """It is read by the same intake as the table; the columns may stand in another order."""
    with others.open() as file:
        rows = list(csv.DictReader(file))
    names = ["income", "sex", "age"]
    text = "\n".join(["\t".join(names), *("\t".join(row[name] for name in names) for row in rows)])
    (people.parent / "others.tsv").write_text(text + "\n")
    outcome = run("anonymize", people.name, *roles, *WORDS, "--redraw", "1", "--holdout", "others.tsv")
    assert outcome.status == 0, outcome.err
    assert "not in it" in outcome.out


def test_quiet_and_in_a_job_file(run: Any, people: Path, others: Path, roles: tuple[str, ...]) -> None:
    """Paths of a job file start at its folder."""
    (people.parent / "jobs").mkdir()
    job = people.parent / "jobs" / "job.toml"
    job.write_text('redraw = 2\nholdout = "../others.csv"\npublish-proportions = true\nquiet = true\n')
    outcome = run("anonymize", people.name, *roles, "-k", "2", "-o", "out.parquet", "--job", "jobs/job.toml")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert (people.parent / "out.redrawn.parquet").exists()
    job.write_text("redraw = 0\n")
    assert "'redraw'" in run("anonymize", people.name, *roles, *WORDS, "--job", "jobs/job.toml").err
    assert others.exists()


def test_force(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    words = ("anonymize", people.name, *roles, *WORDS, "--quiet")
    assert run(*words, "--redraw", "1").status == 0
    first = sha256(people.parent / "out.redrawn.csv")
    assert run(*words, "--redraw", "2").status == 2
    assert sha256(people.parent / "out.redrawn.csv") == first
    assert run(*words, "--redraw", "2", "--force").status == 0
    assert sha256(people.parent / "out.redrawn.csv") != first
    assert run(*words, "--force").status == 0
    assert not list(people.parent.glob("out.redrawn*"))
    assert hr.Release.load(people.parent / "out.csv").audit.k >= 2


def _lacking(folder: Path) -> None:
    (folder / "lacking.csv").write_text("age,zip\n20,1\n")


def _ragged(folder: Path) -> None:
    (folder / "ragged.csv").write_text("age,sex,income\n20,M,low\n21,M\n")


def _encoded(folder: Path) -> None:
    (folder / "latin.csv").write_bytes(b"age,sex,income\n20,M,l\xf6w\n")


def _no_numbers(folder: Path) -> None:
    (folder / "text.csv").write_text("age,sex,income\n20,M,low\nZebulon,M,low\n")


def _empty(folder: Path) -> None:
    (folder / "empty.csv").write_text("age,sex,income\n")


def _there(folder: Path) -> None:
    (folder / "out.redrawn.csv").write_text("older")


def _nothing(_folder: Path) -> None:
    pass


REFUSED: dict[str, tuple[Callable[[Path], None], tuple[str, ...], tuple[str, ...]]] = {
    # name: what stands there, options, words of the sentence
    "no repeats": (_nothing, (*WORDS, "--redraw", "0"), ("'redraw'", "whole number >= 1", "Got 0")),
    "fewer than none": (_nothing, (*WORDS, "--redraw", "-2"), ("'redraw'", "Got -2")),
    "no number": (_nothing, (*WORDS, "--redraw", "often"), ("'--redraw'", "whole number", "Got 'often'")),
    "no proportions": (_nothing, (*WORDS[:-1], "--redraw", "3"), ("--redraw", "requires --publish-proportions")),
    "a holdout for nothing": (_lacking, (*WORDS, "--holdout", "lacking.csv"), ("--holdout", "requires --redraw")),
    "no holdout there": (_nothing, (*WORDS, "--redraw", "3", "--holdout", "no.csv"), ("no file 'no.csv'",)),
    "a holdout without columns": (
        _lacking,
        (*WORDS, "--redraw", "3", "--holdout", "lacking.csv"),
        ("holdout lacks 'sex', 'income'", "quasi-identifiers and the target"),
    ),
    "a ragged holdout": (_ragged, (*WORDS, "--redraw", "3", "--holdout", "ragged.csv"), ("holdout", "Line 3")),
    "a holdout of another encoding": (_encoded, (*WORDS, "--redraw", "3", "--holdout", "latin.csv"), ("utf-8",)),
    "a holdout of other kinds": (
        _no_numbers,
        (*WORDS, "--redraw", "3", "--holdout", "text.csv"),
        ("The holdout cannot be compared", "'age' is to be numbers", "line 3"),
    ),
    "a holdout of nobody": (_empty, (*WORDS, "--redraw", "3", "--holdout", "empty.csv"), ("holdout", "no rows")),
    "a file of that name": (_there, (*WORDS, "--redraw", "3"), ("'out.redrawn.csv'", "exists already", "--force")),
    "the holdout written over": (
        _there,
        (*WORDS, "--redraw", "3", "--holdout", "out.redrawn.csv", "--force"),
        ("--output", "out.redrawn.csv", "read"),
    ),
    "the recoding among them": (
        _nothing,
        (*WORDS, "--redraw", "3", "--recoding", "out.redrawn.csv"),
        ("--recoding", "drawn rows"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    make, options, words = REFUSED[case]
    make(people.parent)
    refused("anonymize", people.name, *roles, *options, words=words)


def test_standard_input_is_read_once(refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    assert people.exists()
    refused("anonymize", "-", *roles, *WORDS, "--redraw", "1", "--holdout", "-", words=("both standard input", "once"))


def test_columns_of_the_holdout_are_looked_at_before_any_work(
    called: Any, people: Path, roles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    _lacking(people.parent)
    monkeypatch.setattr("hedgerow.anonymizers.base.Anonymizer.anonymize_with", None)
    outcome = called("anonymize", people.name, *roles, *WORDS, "--redraw", "3", "--holdout", "lacking.csv")
    assert (outcome.status, "holdout lacks" in outcome.err) == (2, True)
