"""``hedgerow check``: exit status, brevity, job files; nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SECRET = "Zebulon"  # in every row of the table
COMMAND = ("check", "people.csv", "--quasi", "age,sex")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("-k", "1"), 0),
        (("-k", "2"), 0),
        (("-k", "3"), 3),
        (("--require", "k=4@sex"), 0),
        (("--require", "k=5@sex"), 3),
        (("-k", "2", "--require", "l=2@income"), 0),
        (("-k", "2", "--require", "l=2@ill"), 3),
        (("-k", "2", "--entity", "zip"), 0),
    ],
)
def test_the_exit_status_is_the_answer(
    options: tuple[str, ...], status: int, run: Any, people: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    outcome = run(*COMMAND, *options)

    assert (outcome.status, outcome.err) == (status, "")
    assert ("do NOT hold" in outcome.out) == (status == 3)
    assert len(outcome.out.splitlines()) <= 6
    assert SECRET not in outcome.out
    assert sorted(tmp_path.iterdir()) == before
    assert run(*COMMAND, *options, "--quiet").out == ""


def test_json_and_what_is_known_of_sensitive_columns(real: Any, people: Path) -> None:
    outcome = real(*COMMAND, "-k", "3", "--sensitive", "ill", "--json")

    assert outcome.status == 3
    answer = json.loads(outcome.out)
    assert (answer["holds"], answer["rows"], answer["classes"]) == (False, 8, 4)
    assert answer["verdict"]["findings"][0]["rows_violating"] == 8
    assert answer["told"] == {"ill": {"records": 8, "classes": 4}}


def test_a_job_says_what_is_asked(run: Any, refused: Any, people: Path, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(
        'input = "people.csv"\noutput = "out.csv"\nquasi = ["age", "sex"]\nk = 2\nrequire = ["l=2@income"]\n'
        'sensitive = ["ill"]\nidentifying = ["name"]\nothers = "drop"\n[hierarchy]\nage = "intervals:5"\n'
    )
    assert run("check", "--job", "job.toml").status == 0
    assert run("check", "--job", "job.toml", "-k", "3").status == 3
    (tmp_path / "twice.csv").write_text((tmp_path / "people.csv").read_text().replace("M", "F"))
    assert run("check", "twice.csv", "--job", "job.toml", "-k", "2").status == 0
    refused("check", "--job", "job.toml", "--hierarchy", "age=flat", words=("no requirement such as", "Leave it out."))


def test_a_distance_in_a_tree(run: Any, people: Path, tmp_path: Path) -> None:
    (tmp_path / "ill.csv").write_text("flu;*\ncold;*\n")
    command = (*COMMAND, "--require", "t=0.4:hierarchical@ill", "--hierarchy", "ill=ill.csv")
    assert run(*command).status == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check",), ("No table is named",)),
        (("check", "people.csv", "-k", "2"), ("No quasi-identifier is named",)),
        (COMMAND, ("No requirement is given",)),
        ((*COMMAND, "-k", "0"), ("'k'",)),
        ((*COMMAND, "--require", "l="), ("l=",)),
        ((*COMMAND, "--require", "k=2@zip"), ("no quasi-identifier 'zip'",)),
        (("check", "people.csv", "--quasi", "agee", "-k", "2"), ("Did you mean 'age'",)),
        (("check", "nobody.csv", "--quasi", "age", "-k", "2"), ("nobody.csv",)),
        (("check", "--job", "none.toml"), ("none.toml",)),
    ],
)
def test_mistakes(arguments: tuple[str, ...], words: tuple[str, ...], refused: Any, people: Path) -> None:
    refused(*arguments, words=words)


def test_help_has_an_example(run: Any) -> None:
    shown = run("check", "--help")
    assert shown.status == 0
    assert "hedgerow check people.csv --quasi age,sex,zip -k 10" in " ".join(shown.out.split())
