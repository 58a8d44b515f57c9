"""Every command that reads a table takes a job file, in which typed options win; a release brings its manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HEADER = "name;age;sex;zip;ill;income"
JOB = """
input = "people.csv"
output = "out.csv"
quasi = ["age", "sex"]
sensitive = ["ill"]
target = "income"
identifying = ["name"]
others = "drop"
k = 4
delimiter = ";"
encoding = "latin-1"
require = ["l=2@ill"]
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job, and its table of 40 people in Latin-1 with semicolons."""
    rows = [
        f"Zebulon{at};{20 + at % 10};{'MF'[at % 2]};1000{at % 3};{ill};{('low', 'high')[at // 20]}"
        for at, ill in zip(range(40), ["grün", "grün", "weiß", "weiß"] * 10, strict=True)
    ]
    (tmp_path / "people.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="latin-1")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path / "job.toml"


@pytest.fixture
def released(job: Path, called: Any) -> Path:
    assert called("anonymize", "--job", "job.toml", "--seed", "1").status == 0
    return job.with_name("out.csv")


def test_an_audit_reads_the_manifest_beside_the_release(released: Path, called: Any) -> None:
    told = called("audit", "out.csv", "--json")
    typed = called(
        "audit", "out.csv", "--quasi", "age,sex", "--sensitive", "ill", "--target", "income", "-k", "4",
        "--require", "l=2@ill", "--json",
    )  # fmt: skip

    assert told.status == typed.status == 0
    assert json.loads(told.out) == json.loads(typed.out)
    assert json.loads(told.out)["columns"] == ["age", "sex"]
    assert released.exists()


def test_requirements_that_are_typed_replace_those_of_the_manifest(released: Path, called: Any) -> None:
    assert released.exists()
    outcome = called("audit", "out.csv", "-k", "39")

    assert outcome.status == 3
    assert "FAILS  39-anonymity" in outcome.out
    assert "2-diversity" not in outcome.out


def test_a_manifest_of_another_table_supplies_nothing(released: Path, refused: Any) -> None:
    lines = released.read_text().splitlines()
    released.write_text("\n".join(lines[:-1]) + "\n")

    for command in (("audit", "out.csv"), ("check", "out.csv")):
        refused(
            *command,
            words=("'out.csv' is not the one that its manifest describes", "name its quasi-identifiers", "--quasi)."),
        )


def test_an_audit_of_a_job_is_that_of_its_output(released: Path, called: Any) -> None:
    assert released.exists()
    of_job, of_table = called("audit", "--job", "job.toml"), called("audit", "out.csv")

    assert of_job.status == of_table.status == 0
    # The job's encoding and delimiter are those of its input, and not of its output.
    assert of_job.out == of_table.out


def test_typed_options_win_over_the_job(released: Path, called: Any) -> None:
    assert released.exists()
    outcome = called("audit", "--job", "job.toml", "--quasi", "age", "-k", "39", "--json")

    assert outcome.status == 3
    audit = json.loads(outcome.out)
    assert audit["columns"] == ["age"]
    assert [finding["required"] for finding in audit["verdict"]["findings"]] == [39, 2]


@pytest.mark.parametrize("arguments", [("out.csv",), ("out.csv", "--job", "job.toml")])
def test_a_check_of_a_release(arguments: tuple[str, ...], released: Path, called: Any) -> None:
    assert released.exists()
    outcome = called("check", *arguments)

    assert outcome.status == 0
    assert "classes of age, sex" in outcome.out
    assert "holds  4-anonymity" in outcome.out
    assert "holds  2-diversity of ill" in outcome.out


def test_a_check_of_the_input_of_a_job(job: Path, called: Any) -> None:
    assert job.exists()
    assert called("check", "--job", "job.toml", "-k", "2", "-q").status == 0
    assert called("check", "--job", "job.toml", "-k", "5", "-q").status == 3


def test_a_check_counts_people_if_the_job_names_them(job: Path, called: Any, tmp_path: Path) -> None:
    visits = "".join(f"{at // 4};{30 + at // 20};flu\n" for at in range(40))
    (tmp_path / "visits.csv").write_text("patient;age;ill\n" + visits)
    job.write_text('input = "visits.csv"\nquasi = ["age"]\nentity = "patient"\nothers = "drop"\nk = 6\n')

    by_people = called("check", "--job", "job.toml")
    assert by_people.status == 3
    assert "40 rows of 10 people" in by_people.out
    assert called("check", "visits.csv", "--quasi", "age", "-k", "6").status == 0


def test_an_entity_that_the_release_is_without(job: Path, called: Any, tmp_path: Path) -> None:
    visits = "".join(f"{at // 4};{30 + at // 80};{('flu', 'cold')[at % 2]}\n" for at in range(160))
    (tmp_path / "visits.csv").write_text("patient;age;ill\n" + visits)
    job.write_text(
        'input = "visits.csv"\noutput = "out.csv"\nquasi = ["age"]\nsensitive = ["ill"]\nentity = "patient"\nk = 6\n'
    )
    assert called("anonymize", "--job", "job.toml", "-q").status == 0

    for arguments in (("out.csv",), ("--job", "job.toml")):
        outcome = called("audit", *arguments)
        assert outcome.status == 0, outcome.err
    assert "its table does not name them: this audit counts" in " ".join(called("audit", "out.csv").out.split())
    assert called("check", "--job", "job.toml").status == 0


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_choices_are_compared_with_the_k_of_the_job(command: str, job: Path, called: Any, tmp_path: Path) -> None:
    assert job.exists()
    options = ("--methods", "mondrian", "--learners", "c45", "--protocol", "holdout", "--workers", "1")
    outcome = called(command, "--job", "job.toml", *options)

    assert outcome.status == 0, outcome.err
    assert ("k=4" in outcome.out) or ("★  mondrian  4" in outcome.out)
    assert "k=5" not in outcome.out
    assert {path.stem.split(".")[0] for path in tmp_path.iterdir()} >= {"people", "job"}


def test_an_advice_takes_table_target_and_k_of_a_job(job: Path, called: Any, tmp_path: Path) -> None:
    assert job.exists()
    outcome = called("advise", "--job", "job.toml", "--no-trial", "-o", "new.toml")

    assert outcome.status == 0, outcome.err
    assert "As you asked." in outcome.out
    assert "k = 4" in (tmp_path / "new.toml").read_text()
    assert 'target = "income"' in (tmp_path / "new.toml").read_text()


def test_an_advice_does_not_replace_the_job_that_it_reads(job: Path, refused: Any) -> None:
    assert job.exists()
    refused("advise", "--job", "job.toml", "-o", "job.toml", "--force", words=("'job.toml' is a file that is read",))


def test_an_attack_is_on_the_output_of_the_job(released: Path, called: Any, tmp_path: Path) -> None:
    rows = [f"Zebulon{at};{20 + at % 10};{'MF'[at % 2]};10000;grün;low" for at in range(40, 80)]
    (tmp_path / "others.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="latin-1")
    assert released.exists()

    outcome = called("attack", "--job", "job.toml", "--non-members", "others.csv", "--attack", "membership")

    assert outcome.status == 0, outcome.err
    assert "membership" in outcome.out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("audit", "No table is named. Type hedgerow audit TABLE …, or name a job file that wrote it (--job)."),
        ("check", "No table is named. Type hedgerow check TABLE …, or name it in a job file (--job)."),
        ("compare", "No table is named. Type hedgerow compare TABLE …, or name it in a job file (--job)."),
        ("evaluate", "No table is named. Type hedgerow evaluate TABLE …, or name it in a job file (--job)."),
        ("advise", "No table is named. Type hedgerow advise TABLE …, or name it in a job file (--job)."),
        ("attack", "No release is named. Type hedgerow attack RELEASE …, or name a job file that wrote it (--job)."),
    ],
)
def test_no_table_at_all(command: str, words: str, refused: Any, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('quasi = ["age"]\nk = 2\n')

    for arguments in ((), ("--job", "job.toml")):
        refused(command, *arguments, words=(words,))
