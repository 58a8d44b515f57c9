"""``hedgerow audit``: figures, JSON and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TABLE = "age,sex,ill,person\n" + '"[20,30)",M,flu,a\n' * 2 + '"[20,30)",M,cold,b\n' + "*,F,flu,c\n*,F,cold,d\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0),
        (("-k", "2"), 0),
        (("-k", "3"), 3),
        (("--require", "k=2@sex"), 0),
        (("--require", "k=3@sex"), 3),
        (("-k", "2", "--require", "l=2@ill"), 0),
        (("-k", "2", "--require", "l=3@ill"), 3),
        (("-k", "2", "--entity", "person"), 0),
        (("-k", "3", "--entity", "person"), 3),
    ],
)
def test_requirements_decide_the_exit_status(options: tuple[str, ...], status: int, run: Any, table: Path) -> None:
    outcome = run("audit", table.name, "--quasi", "age,sex", *options)

    assert (outcome.status, outcome.err) == (status, "")
    assert ("do NOT hold" in outcome.out) == (status == 3)


def test_json(run: Any, table: Path) -> None:
    options = ("--quasi", "age,sex", "--sensitive", "ill", "-k", "3", "--json")
    outcome = run("audit", table.name, *options)

    assert outcome.status == 3
    audit = json.loads(outcome.out)
    assert (audit["rows"], audit["k"], audit["l"]) == (5, 2, 2)
    assert audit["verdict"]["holds"] is False
    assert audit["verdict"]["findings"][0]["rows_violating"] == 2
    assert audit["risks"]["prosecutor"]["threshold"] == pytest.approx(1 / 3)


def test_threshold_and_population(run: Any, table: Path) -> None:
    (table.parent / "town.csv").write_text("age,sex\n" + "25,M\n" * 10 + "40,F\n" * 8)

    options = ("--quasi", "age,sex", "--population", "town.csv", "--threshold", "0.4", "--json")
    audit = json.loads(run("audit", table.name, *options).out)

    assert audit["risks"]["prosecutor"]["records_at_risk"] == 2
    assert audit["risks"]["journalist"]["highest"] == pytest.approx(1 / 8)


def test_labels_are_understood_by_their_hierarchies(run: Any, refused: Any, table: Path) -> None:
    table.write_text("town,zip\n" + "Germany,53*\n" * 2)
    (table.parent / "people.csv").write_text("town,zip\n" + "Bonn,53111\n" * 5 + "Trier,53112\n" * 3 + "Lyon,53112\n")
    folder = table.parent / "trees"
    folder.mkdir()
    (folder / "town.csv").write_text("Bonn;Germany;*\nTrier;Germany;*\nLyon;France;*\n")
    job = ("audit", table.name, "--quasi", "town,zip", "--json")
    given = ("--hierarchies", "trees", "--hierarchy", "zip=prefix:2")

    outcome = run(*job, *given, "--population", "people.csv")
    assert (outcome.status, outcome.err) == (0, "")
    assert json.loads(outcome.out)["risks"]["journalist"]["highest"] == pytest.approx(1 / 8)
    # Without them nobody fits, of which no risk follows.
    refused(*job, "--population", "people.csv", words=("'town', 'zip'", "covers a value of the population"))

    (folder / "age.toml").write_text("")
    outcome = run(*job, *given, "--population", "people.csv")
    assert json.loads(outcome.out)["risks"]["journalist"]["highest"] == pytest.approx(1 / 8)
    assert outcome.err.startswith("hedgerow: In the folder 'trees', 'age.toml' belongs to no column")
    refused(*job, *given, words=("neither a population nor a requirement", "--population"))


def test_missing_marker_and_encoding(run: Any, table: Path) -> None:
    table.write_bytes("age,sex\n?,Frau Groß\n30,Frau Groß\n".encode("latin-1"))

    def wildcard_k(*options: str) -> int:
        shown = run("audit", table.name, "--quasi", "age,sex", "--encoding", "latin-1", "--json", *options)
        assert shown.status == 0
        return int(json.loads(shown.out)["wildcard_k"])

    assert wildcard_k() == 1
    assert wildcard_k("--missing", "?") == 2


def test_spellings_of_missing_are_not_one_class(run: Any, table: Path) -> None:
    table.write_text("age,sex\n?,F\n,F\n30,M\n30,M\n")
    assert run("audit", table.name, "--quasi", "age,sex", "--missing", "?", "-k", "2").status == 3
