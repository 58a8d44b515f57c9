"""``hedgerow anonymize --previous``: a release beside an earlier one, typed and from a job file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

ROLES = ("--quasi", "age,town", "--sensitive", "ill", "--entity", "who", "-k", "4", "--require", "l=2@ill")
TOWNS = "Ulm;south;*\nBern;south;*\nKiel;north;*\nOslo;north;*\n"
EARLIER = ("--previous", "r1.csv", "--previous-original", "q1.csv")


@pytest.fixture(autouse=True)
def _quarters(tmp_path: Path) -> None:
    rows = [
        (f"w{at}", 20 + at * 7 % 30, ("Ulm", "Bern", "Kiel", "Oslo")[at % 4], ("flu", "cold", "gout")[at * 5 % 11 % 3])
        for at in range(120)
    ]
    for name, some in (("q1", rows[:80]), ("q2", rows), ("q3", [*rows[:80], rows[90]])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("who", "age", "town", "ill"), *some])
    (tmp_path / "town.csv").write_text(TOWNS)


def release(run: Any, *options: str, table: str = "q1.csv", output: str = "r1.csv") -> Any:
    return run("anonymize", table, *ROLES, "--hierarchy", "town=town.csv", "--seed", "1", "-o", output, *options)


def test_both_releases_together_are_verified_and_named(run: Any, tmp_path: Path) -> None:
    release(run, "--recoding", "r1.json")
    done = release(run, *EARLIER, "--report", "r2.html", table="q2.csv", output="r2.csv")
    assert (done.status, done.err) == (0, "")
    said = " ".join(done.out.split())
    assert "previous r1.csv: all requirements hold for both together" in said
    assert "2-diversity of ill in this release, divided by the previous one: verified" in said
    told = json.loads((tmp_path / "r2.csv.manifest.json").read_text())["previous"]
    before = json.loads((tmp_path / "r1.csv.manifest.json").read_text())["output"]
    assert told == {**before, "requirements": ["4-anonymity", "2-diversity of ill"]}
    page = (tmp_path / "r2.html").read_text()
    assert "the previous release, r1.csv" in page
    assert before["sha256"] in page


def test_a_job_file_names_the_earlier_release(run: Any, tmp_path: Path) -> None:
    release(run)
    job = {"input": "q2.csv", "output": "r2.csv", "previous": "r1.csv", "previous-original": "q1.csv", "entity": "who"}
    lines = [f'{name} = "{value}"' for name, value in job.items()]
    lines += ['quasi = "age,town"', 'sensitive = "ill"', "k = 4", "seed = 1", "[hierarchy]", 'town = "town.csv"']
    (tmp_path / "job.toml").write_text("\n".join(lines))
    done = run("anonymize", "--job", "job.toml")
    assert (done.status, done.err) == (0, "")
    assert "all requirements hold for both together" in done.out


def test_the_recoding_explains_labels(run: Any, refused: Any) -> None:
    release(run, "--recoding", "r1.json", "--level", "town=1")
    plain = ("anonymize", "q2.csv", *ROLES, "-o", "r2.csv", *EARLIER)
    refused(*plain, words=("Labels of 'town'", "--hierarchy", "--previous-recoding"))
    assert run(*plain, "--previous-recoding", "r1.json").status == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--previous", "r1.csv"), ("Who joined and who left", "--previous-original")),
        (("--previous-original", "q1.csv"), ("--previous-original", "--previous")),
        (("--previous", "q1.csv", "--previous-original", "q1.csv"), ("has no manifest",)),
        (("--previous", "r1.csv", "--previous-original", "q2.csv"), ("80 rows", "--previous-original")),
        (("--previous", "nowhere.csv", "--previous-original", "q1.csv"), ("nowhere.csv",)),
        ((*EARLIER, "--previous-recoding", "town.csv"), ("'town.csv' is not a recoding",)),
        ((*EARLIER, "--publish-proportions"), ("--publish-proportions",)),
    ],
)
def test_mistakes_have_a_way_out(options: tuple[str, ...], words: tuple[str, ...], run: Any, refused: Any) -> None:
    release(run)
    refused("anonymize", "q2.csv", *ROLES, "-o", "r2.csv", "--hierarchy", "town=town.csv", *options, words=words)


def test_too_few_newcomers_are_refused_without_a_suppression_limit(run: Any, tmp_path: Path) -> None:
    release(run)
    done = release(run, *EARLIER, table="q3.csv", output="r3.csv")
    assert done.status == 3
    assert "1 record that are new" in done.err
    assert not (tmp_path / "r3.csv").exists()
    waits = release(run, *EARLIER, "--suppression-limit", "1", table="q3.csv", output="r3.csv")
    assert waits.status == 0
    assert "Released 80 of 81 rows" in waits.out


def test_the_earlier_release_is_never_overwritten(run: Any, refused: Any, tmp_path: Path) -> None:
    release(run)
    before = (tmp_path / "r1.csv").read_bytes()
    refused("anonymize", "q2.csv", *ROLES, *EARLIER, "-o", "r1.csv", "--force", words=("--output",))
    assert (tmp_path / "r1.csv").read_bytes() == before
