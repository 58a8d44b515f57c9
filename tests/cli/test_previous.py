"""``hedgerow audit --previous``: two releases together, by text, JSON, exit status and report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SECRET = "Zebulon"
EARLIER = ("--previous-quasi", "age", "--previous")  # tables that nothing of ours wrote have no manifest
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
    outcome = run("audit", f"{new}.csv", "--quasi", "age", *EARLIER, f"{old}.csv", *options)
    assert (outcome.status, outcome.err) == (status, "")
    assert "Together with the previous release" in outcome.out
    assert ("do NOT hold" in outcome.out) == (status == 3)
    assert SECRET not in outcome.out


def test_what_is_not_proved_does_not_hold(run: Any) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "-k", "2", *EARLIER, "old.csv", "--changed", "ill")
    outcome = run(*job)
    assert outcome.status == 3
    assert "2-anonymity together with the previous release (not proved)" in outcome.out
    assert "does not rule out that somebody is unique" in outcome.out


def test_json(run: Any) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "--sensitive", "ill", "-k", "3", *EARLIER, "old.csv", "--json")
    told = json.loads(run(*job, "--original", "people.csv").out)["together"]
    assert (told["by_original"], told["exact"], told["relation"]) == (True, True, "crossing")
    assert (told["k"], told["alone"]) == ({"least": 1, "most": 1}, {"least": 2, "most": 2})
    assert told["learnt"]["ill"] == {"alone": 0, "together": pytest.approx(1 / 3)}


def test_labels_are_read_by_their_hierarchies(run: Any, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("town\nGermany\nGermany\nFrance\nFrance\n")
    (tmp_path / "new.csv").write_text("town\nBonn\nBonn\nLyon\nLyon\n")
    (tmp_path / "town.csv").write_text("Bonn;Germany;*\nTrier;Germany;*\nLyon;France;*\n")
    job = ("audit", "new.csv", "--quasi", "town", "-k", "2", "--previous-quasi", "town", "--previous", "old.csv")
    assert run(*job).status == 3
    assert run(*job, "--hierarchy", "town=town.csv").status == 0


def test_a_report(run: Any, refused: Any, tmp_path: Path) -> None:
    job = ("audit", "new.csv", "--quasi", "age", "-k", "3", *EARLIER, "old.csv", "--original", "people.csv")
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


@pytest.fixture
def _crossed(run: Any, tmp_path: Path) -> None:
    """Two saved releases of forty people, each with a quasi-identifier that the other one lacks."""
    towns = [("Z1", "F", 19), ("Z1", "M", 1), ("Z2", "F", 1), ("Z2", "M", 19)]
    rows = [f"{30 + at % 10},{zip},{sex},{'yn'[at % 2]}\n" for zip, sex, number in towns for at in range(number)]
    (tmp_path / "all.csv").write_text("age,zip,sex,ill\n" + "".join(rows))
    for name, quasi, drop in (("first", "age,zip", "sex"), ("second", "age,sex", "zip")):
        job = ("--sensitive", "ill", "-k", "10", "--hierarchy", "age=flat", "--method", "optimal", "-q")
        assert run("anonymize", "all.csv", "--quasi", quasi, "--drop", drop, *job, "-o", f"{name}.csv").status == 0


BOTH = ("audit", "second.csv", "--quasi", "age,sex", "-k", "10", "--previous", "first.csv")


@pytest.mark.usefixtures("_crossed")
@pytest.mark.parametrize("options", [(), ("--original", "all.csv")])
def test_a_quasi_identifier_that_the_new_release_lacks(options: tuple[str, ...], run: Any) -> None:
    outcome = run(*BOTH, *options)
    assert outcome.status == 3
    assert "only in the previous release 'zip'" in " ".join(outcome.out.split())
    assert ("k together is 1." in outcome.out) == bool(options)


@pytest.mark.usefixtures("_crossed")
@pytest.mark.parametrize("mistake", ["no manifest", "another digest"])
def test_a_previous_release_that_nothing_describes(mistake: str, run: Any, tmp_path: Path) -> None:
    """The k is not proved, whatever could be counted; the way out is named."""
    if mistake == "no manifest":
        (tmp_path / "first.csv.manifest.json").unlink()
    else:
        first = tmp_path / "first.csv"
        lines = first.read_text().splitlines(keepends=True)
        first.write_text("".join([lines[0], *reversed(lines[1:])]))
    for options in ((), ("--original", "all.csv")):
        outcome = run(*BOTH, *options)
        said = " ".join(outcome.out.split())
        assert outcome.status == 3
        assert "10-anonymity together with the previous release (not proved)" in said
        assert "The quasi-identifiers of the previous release are not known: nothing is proved about both" in said
        assert "--previous-quasi" in said
        assert ("is not the one that its manifest describes" in said) == (mistake == "another digest")
    told = run(*BOTH, "--previous-quasi", "age,zip", "--original", "all.csv")
    assert told.status == 3
    assert "k together is 1." in told.out
    # Without a k nothing is required, so nothing fails.
    assert run("audit", "second.csv", "--quasi", "age,sex", "--previous", "first.csv").status == 0


@pytest.mark.usefixtures("_crossed")
def test_an_original_without_the_rows_of_a_release(run: Any, tmp_path: Path) -> None:
    lines = (tmp_path / "all.csv").read_text().splitlines(keepends=True)
    (tmp_path / "few.csv").write_text("".join([*lines[:20], *lines[22:]]))
    job = ("audit", "first.csv", "--quasi", "age,zip", "-k", "10", "--previous", "first.csv")
    assert run(*job, "--original", "all.csv").status == 0
    outcome = run(*job, "--original", "few.csv")
    assert outcome.status == 3
    assert "more rows than rows of the original table fit" in " ".join(outcome.out.split())


@pytest.mark.usefixtures("_crossed")
def test_previous_quasi_identifiers_that_are_wrong(refused: Any) -> None:
    refused(*BOTH, "--previous-quasi", "town", words=("'town'", "previous release"))
    refused(
        "audit", "second.csv", "--quasi", "age", "--previous-quasi", "age", words=("--previous-quasi", "--previous")
    )


def test_both_original_tables_make_the_figures_exact(run: Any, refused: Any, tmp_path: Path) -> None:
    rows = [f"{SECRET}{at},{20 + at * 7 % 20},{'xyz'[at % 3]}" for at in range(60)]
    for name, some in (("q1", rows[:50]), ("q2", rows[5:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["who,age,ill", *some, ""]))
        roles = ("--quasi", "age", "--sensitive", "ill", "--entity", "who", "-k", "3", "--seed", "1")
        made = run("anonymize", f"{name}.csv", *roles, "-o", f"r{name}.csv", "--recoding", f"{name}.json")
        assert made.status == 0
    both = ("audit", "rq2.csv", "--previous", "rq1.csv", "--original", "q2.csv", "--previous-original", "q1.csv")
    private = ("--recoding", "q2.json", "--previous-recoding", "q1.json")
    done = run(*both, *private)
    assert done.status == 3
    assert "(exact, counted in the original table)" in done.out
    refused("audit", "rq2.csv", "--previous-original", "q1.csv", words=("--previous-original", "--previous"))
    refused(*both[:4], *private, words=("--original, --previous-original",))
