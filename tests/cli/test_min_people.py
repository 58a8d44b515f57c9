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


NUMBERS = ("--recode", "days=round:4,top:6")


def test_a_folder_serves_columns_that_no_option_names(run: Any, visits: Path) -> None:
    (visits.parent / "trees" / "icd9.csv").write_text(HIERARCHY)
    options = ("--quasi", "age,sex", "--others", "insensitive", "--rows-are-people", "-k", "3", *NUMBERS)
    done = run("anonymize", visits.name, *options, "--hierarchies", "trees", "--min-people", "11", "-o", "out.csv")
    assert (done.status, done.err) == (0, "")
    assert column(visits.parent / "out.csv", "icd10")["heart"] == 11
    assert "'icd9.csv' belongs to no column whose hierarchy is used" in done.out
    assert "icd10.csv" not in done.out


def test_a_folder_serves_no_column_that_is_left_out(run: Any, visits: Path) -> None:
    roles = ("--quasi", "age,sex", "--others", "insensitive", "--drop", "icd10", "--rows-are-people", "-k", "3")
    options = (*NUMBERS, "--hierarchies", "trees", "--min-people", "11", "-o", "out.csv")
    done = run("anonymize", visits.name, *roles, *options)
    assert (done.status, done.err) == (0, "")
    assert "'icd10.csv' belongs to no column" in done.out


def test_check_counts_the_people_of_every_value(run: Any, visits: Path) -> None:
    raw = run("check", visits.name, "--quasi", "age,sex", "--min-people", "11")
    assert raw.status == 3
    # I21, I22, and the longest stay: 4, 7 and 4 of the rows.
    assert "people per value 4 11 15 cells 3 values" in " ".join(raw.out.split())
    assert run("check", visits.name, "--quasi", "age,sex", "--min-people", "4").status == 0

    assert run("anonymize", visits.name, *ROLES, "-k", "3", "--min-people", "11", *NUMBERS, "-o", "out.csv").status == 0
    stated = run("check", "out.csv")
    assert stated.status == 0
    assert "at least 11 people for every value of every column" in stated.out
    assert run("check", "out.csv", "--min-people", "12").status == 3


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_choices_are_made_by_it(command: str, called: Any, visits: Path) -> None:
    options = ("--task", "queries", "--methods", "mondrian", "-k", "3", "--protocol", "holdout", "--workers", "1")
    output = ("-o", "out.csv" if command == "evaluate" else "out.html", "--force")
    asked = (command, visits.name, *ROLES, *options, *output, "--min-people", "5")
    refused = called(*asked)
    # A comparison without any release has nothing to show.
    assert refused.status == (0 if command == "evaluate" else 3)
    assert "'days' holds numbers" in refused.out + refused.err
    coded = called(*asked, *NUMBERS)
    assert coded.status == 0, coded.err
    assert "holds numbers" not in coded.out


def test_evaluate_limits_levels(called: Any, visits: Path) -> None:
    options = ("--task", "queries", "--methods", "datafly", "-k", "3", "--protocol", "holdout", "--workers", "1")
    asked = ("evaluate", visits.name, *ROLES, *options, "--hierarchy", "age=intervals:2,4", "-o", "out.csv", "--force")
    prec = []
    for level in ((), ("--level", "age=2:")):
        done = called(*asked, *level)
        assert done.status == 0, done.err
        with (visits.parent / "out.csv").open(newline="") as file:
            prec.append(float(next(row["prec"] for row in csv.DictReader(file) if row["method"] == "datafly")))
    assert prec[1] < prec[0]


def test_drawn_rows_do_not_keep_it_and_say_so(run: Any, visits: Path) -> None:
    options = (*ROLES, "-k", "3", *NUMBERS, "--publish-proportions", "--redraw", "1", "-o", "out.csv")
    done = run("anonymize", visits.name, *options, "--min-people", "11")
    words = "They do not keep min_people = 11: fewer than 11 of them may have a drawn value of 'age', 'sex'."
    assert (done.status, done.err) == (0, "")
    assert f"of the drawn rows: {words}" in done.out
    drawn = json.loads((visits.parent / "out.redrawn.csv.manifest.json").read_text())
    assert any(words in warning for warning in drawn["warnings"])
    assert "do not keep" not in run("anonymize", visits.name, *options, "--force").out
