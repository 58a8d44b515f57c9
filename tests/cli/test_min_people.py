"""``--min-people`` and ``--recode``: what is written, what is told, what is refused."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HIERARCHY = "I21;heart;*\nI22;heart;*\nI50;heart;*\nJ44;lung;*\nJ45;lung;*\n"
ROLES = ("--quasi", "age,sex", "--sensitive", "icd10", "--insensitive", "days", "--rows-are-people")


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A hundred people; few of them have I21 or I22, or stayed for more than a week."""
    icd = ["I21"] * 4 + ["I22"] * 7 + ["I50"] * 40 + ["J44"] * 25 + ["J45"] * 24
    with (tmp_path / "visits.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "sex", "icd10", "days"])
        for at in range(100):
            writer.writerow([20 + at % 7, "FM"[at % 3 % 2], icd[at * 37 % 100], at * 53 % 100 // 12])
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "icd10.csv").write_text(HIERARCHY)
    return tmp_path / "visits.csv"


def column(path: Path, name: str) -> Counter[str]:
    with path.open(newline="") as file:
        return Counter(row[name] for row in csv.DictReader(file))


def test_a_release_without_small_counts(run: Any, visits: Path) -> None:
    options = (*ROLES, "-k", "3", "--min-people", "11", "--recode", "days=top:7", "-o", "out.csv")
    done = run("anonymize", visits.name, *options, "--hierarchies", "trees", "--report", "out.html")
    out = visits.parent / "out.csv"

    assert (done.status, done.err) == (0, "")
    assert column(out, "icd10") == {"heart": 11, "I50": 40, "J44": 25, "J45": 24}
    assert column(out, "days")["≥7"] == 16
    for name in ("age", "sex", "icd10", "days"):
        assert min(column(out, name).values()) >= 11
    assert "at least 11 people for every value of every column: verified" in done.out
    assert "icd10: rare values together, 10 % of the rows changed" in done.out
    assert "cells of a cross-table may hold fewer" in done.out
    manifest = json.loads((visits.parent / "out.csv.manifest.json").read_text())
    assert (manifest["min_people"], manifest["recode"]) == (11, {"days": "top:7"})
    page = (visits.parent / "out.html").read_text()
    assert "counted in that column alone" in page
    assert "I21" not in page

    for least, status in ((11, 0), (12, 3)):
        audited = run("audit", "out.csv", "--quasi", "age,sex", "--min-people", str(least), "--json")
        assert audited.status == status
    assert json.loads(audited.out)["verdict"]["findings"][-1]["measure"] == "people per value"


def test_an_audit_reads_from_the_manifest_how_many_people_were_required(run: Any, visits: Path) -> None:
    options = (*ROLES, "-k", "3", "--min-people", "11", "--recode", "days=top:7", "-o", "out.csv")
    assert run("anonymize", visits.name, *options).status == 0

    told = json.loads(run("audit", "out.csv", "--json").out)["verdict"]["findings"][-1]
    assert (told["measure"], told["required"], told["holds"]) == ("people per value", 11, True)
    assert "people per value" not in run("audit", "out.csv", "--quasi", "age,sex").out


def test_a_job_file(run: Any, visits: Path) -> None:
    (visits.parent / "job.toml").write_text(
        """
        input = "visits.csv"
        output = "out.csv"
        quasi = ["age", "sex"]
        sensitive = ["icd10"]
        insensitive = ["days"]
        rows-are-people = true
        k = 3
        min-people = 11
        quiet = true

        [recode]
        days = "round:4,top:6"
        """
    )
    assert run("anonymize", "--job", "job.toml", "--recode", "days=round:4").status == 0
    assert set(column(visits.parent / "out.csv", "days")) == {"0", "4", "8"}
    assert column(visits.parent / "out.csv", "icd10")["other"] == 11


def test_numbers_are_refused_with_the_ways_out(refused: Any, visits: Path) -> None:
    ways = ("'days' holds numbers, and 1 of its 9 values are held by fewer than 11 people", "--recode days=round:…")
    refused("anonymize", visits.name, *ROLES, "-k", "3", "--min-people", "11", "-o", "out.csv", words=ways, status=3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--min-people", "0"), ("min-people", "whole number >= 1")),
        (("--recode", "days"), ("'days' has no name or no value", "--recode name=value")),
        (("--recode", "days=half"), ("The recode of 'days' cannot be read",)),
        (("--recode", "age=round:5"), ("'age', which is not published in clear",)),
    ],
)
def test_wrong_options(refused: Any, visits: Path, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused("anonymize", visits.name, *ROLES, "-k", "3", *options, "-o", "out.csv", words=words)
