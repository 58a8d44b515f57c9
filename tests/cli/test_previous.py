"""``hedgerow audit --previous``: two releases together, by text, JSON, exit status and report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SECRET = "Zebulon"
OLD = 'age,ill\n"[20,23)",a\n"[20,23)",b\n"[20,23)",c\n"[23,26)",d\n"[23,26)",e\n"[23,26)",f\n'
NEW = "age,ill\n{20|21|25},a\n{20|21|25},b\n{22|23|24},c\n{22|23|24},d\n{22|23|24},e\n{20|21|25},f\n"
COARSE = 'age,ill\n"[20,26)",a\n"[20,26)",b\n"[20,26)",c\n"[20,26)",d\n"[20,26)",e\n"[20,26)",f\n'
PEOPLE = "name,age\n" + "".join(f"{SECRET}{age},{age}\n" for age in range(20, 26))


@pytest.fixture(autouse=True)
def _tables(tmp_path: Path) -> None:
    for name, text in (("old", OLD), ("new", NEW), ("coarse", COARSE), ("people", PEOPLE)):
        (tmp_path / f"{name}.csv").write_text(text)


@pytest.mark.parametrize(
    ("new", "old", "options", "status"),
    [
        ("new", "old", (), 0),
        ("new", "old", ("-k", "3"), 3),
        ("new", "old", ("-k", "3", "--original", "people.csv"), 3),
        ("new", "old", ("-k", "1", "--original", "people.csv"), 0),
        ("new", "coarse", ("-k", "3"), 0),
        ("coarse", "new", ("-k", "3", "--original", "people.csv"), 0),
        ("new", "coarse", ("-k", "4"), 3),
        ("new", "old", ("--require", "k=3@age"), 0),
    ],
)
def test_a_required_k_must_hold_for_both(new: str, old: str, options: tuple[str, ...], status: int, run: Any) -> None:
    outcome = run("audit", f"{new}.csv", "--quasi", "age", "--previous", f"{old}.csv", *options)
    assert (outcome.status, outcome.err) == (status, "")
    assert "Together with the previous release" in outcome.out
    assert ("do NOT hold" in outcome.out) == (status == 3)
    assert SECRET not in outcome.out


def test_what_is_not_proved_does_not_hold(run: Any) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "-k", "2", "--previous", "old.csv", "--changed", "ill")
    outcome = run(*job)
    assert outcome.status == 3
    assert "2-anonymity together with the previous release (not proved)" in outcome.out
    assert "does not rule out that somebody stands alone" in outcome.out


def test_json(run: Any) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "--sensitive", "ill", "-k", "3", "--previous", "old.csv", "--json")
    told = json.loads(run(*job, "--original", "people.csv").out)["together"]
    assert (told["by_original"], told["exact"], told["relation"]) == (True, True, "crossing")
    assert (told["k"], told["alone"]) == ({"least": 1, "most": 1}, {"least": 2, "most": 2})
    assert told["learnt"]["ill"] == {"alone": 0, "together": pytest.approx(1 / 3)}


def test_labels_are_read_by_their_hierarchies(run: Any, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("town\nGermany\nGermany\nFrance\nFrance\n")
    (tmp_path / "new.csv").write_text("town\nBonn\nBonn\nLyon\nLyon\n")
    (tmp_path / "town.csv").write_text("Bonn;Germany;*\nTrier;Germany;*\nLyon;France;*\n")
    job = ("audit", "new.csv", "--quasi", "town", "-k", "2", "--previous", "old.csv")
    assert run(*job).status == 3
    assert run(*job, "--hierarchy", "town=town.csv").status == 0


def test_a_report(run: Any, refused: Any, tmp_path: Path) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "-k", "3", "--previous", "old.csv", "--original", "people.csv")
    assert run(*job, "--report", "out.html").status == 3
    page = (tmp_path / "out.html").read_text()
    assert "Together with an earlier release" in page
    assert "Classes of the two releases cross" in page
    assert SECRET not in page
    (tmp_path / "people.csv").rename(tmp_path / "people.html")
    job = (*job[:-1], "people.html")
    assert run(*job, "--report", "people.html", "--force").status == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--original", "people.csv"), ("--original", "--previous")),
        (("--changed", "ill"), ("--changed", "--previous")),
        (("--previous", "nowhere.csv"), ("nowhere.csv",)),
        (("--previous", "-", "--original", "-"), ("Previous release and original", "standard input")),
        (("--previous", "old.csv", "--changed", "pay"), ("'pay'", "both releases")),
        (("--previous", "old.csv", "--original", "ages.csv"), ("No row of the original table fits",)),
    ],
)
def test_bad_usage(options: tuple[str, ...], words: tuple[str, ...], refused: Any, tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("age\n77\n78\n")
    refused("audit", "new.csv", "--quasi", "age", *options, words=words)


def test_an_original_that_lacks_a_quasi_identifier(refused: Any, tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_text(f"town\n{SECRET}\n")
    job = ("audit", "new.csv", "--quasi", "age", "--previous", "old.csv", "--original", "town.csv")
    refused(*job, words=("'age'",))
