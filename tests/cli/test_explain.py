"""``--explain``: why classes show no more, in a private file that appears together with the release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def options(people: Path, roles: tuple[str, ...]) -> tuple[str, ...]:
    return ("anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--seed", "1")


def test_it_is_private_and_says_so(options: tuple[str, ...], run: Any, tmp_path: Path) -> None:
    outcome = run(*options, "--explain", "why.json")

    assert outcome.status == 0, outcome.err
    assert "explanation" in outcome.out
    assert "why.json (private: do not publish it)" in outcome.out
    place = tmp_path / "why.json"
    assert place.stat().st_mode & 0o777 == 0o600
    stored = json.loads(place.read_text())
    assert stored["private"] is True
    assert stored["requirements"] == ["2-anonymity"]
    assert sum(found["records"] for found in stored["classes"]) == 8
    assert {cell["column"] for found in stored["classes"] for cell in found["cells"]} == {"age", "sex"}
    manifest = (tmp_path / "out.csv.manifest.json").read_text()
    assert "why.json" not in manifest
    assert "because" not in manifest


def test_beside_a_recoding_and_a_report(options: tuple[str, ...], called: Any, tmp_path: Path) -> None:
    outcome = called(*options, "--explain", "why.json", "--recoding", "secret.json", "--report", "out.html")

    assert outcome.status == 0, outcome.err
    assert {"why.json", "secret.json", "out.html", "out.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_a_job_names_it(people: Path, called: Any, tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.toml").write_text(
        f'input = "../{people.name}"\noutput = "out.csv"\nquasi = ["age"]\nothers = "drop"\nk = 2\n'
        'explain = "why.json"\n'
    )

    assert called("anonymize", "--job", "jobs/job.toml").status == 0
    assert (tmp_path / "jobs" / "why.json").exists()


@pytest.mark.parametrize(
    ("place", "more", "words"),
    [
        ("out.csv", (), ("--explain names the release", "The explanation is private")),
        ("out.csv.manifest.json", (), ("--explain names the release",)),
        ("people.csv", (), ("--explain 'people.csv' is a file that is read",)),
        ("nowhere/why.json", (), ("The explanation cannot be written to 'nowhere/why.json'",)),
        ("why.json", ("--recoding", "why.json"), ("--recoding and --explain name the same file",)),
        ("out.html", ("--report", "out.html"), ("--report names another output",)),
        ("old.json", (), ("'old.json' exists already",)),
    ],
)
def test_places_that_are_refused(
    place: str, more: tuple[str, ...], words: tuple[str, ...], options: tuple[str, ...], refused: Any, tmp_path: Path
) -> None:
    (tmp_path / "old.json").write_text("{}")

    refused(*options, "--explain", place, *more, words=words)


def test_a_weak_release_is_not_explained(people: Path, roles: tuple[str, ...], refused: Any) -> None:
    weak = ("--method", "mu-argus", "--set", "as_published=yes", "--allow-weak", "-k", "2", "-o", "out.csv")

    words = ("does not keep its requirements, so they do not explain it",)
    refused("anonymize", people.name, *roles, *weak, "--explain", "why.json", words=words)
