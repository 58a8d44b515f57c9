"""``hedgerow attack``: what applies, JSON, a report, the exit status; what to do without people to compare with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr

COMMAND = ("attack", "out.csv", "--members", "half.csv", "--non-members", "others.csv")
COLUMNS = ["age", "sex", "zip", "disease", "income"]


@pytest.fixture
def halves(tmp_path: Path) -> Path:
    """A release of one half of some people, and both halves as files."""
    people = hr.datasets.make_census(1000, random_state=1).select(COLUMNS)
    pa_csv.write_csv(people[:500], tmp_path / "half.csv")
    pa_csv.write_csv(people[500:], tmp_path / "others.csv")
    schema = hr.Schema(quasi=["age", "sex", "zip"], target="income", sensitive=["disease"], kinds={"zip": "text"})
    hr.anonymize(tmp_path / "half.csv", schema, k=5, require="l=2@disease", random_state=0).save(tmp_path / "out.csv")
    return tmp_path


def test_all_attacks_that_apply(run: Any, halves: Path) -> None:
    before = sorted(halves.iterdir())
    shown = run(*COMMAND)

    assert (shown.status, shown.err) == (0, "")
    assert "membership finds out more of the table's people than of others." in shown.out
    assert "minimality finds out nothing beyond chance." in shown.out
    assert "the label 'income'" in shown.out
    assert max(map(len, shown.out.splitlines()[:8])) <= 100
    assert sorted(halves.iterdir()) == before
    assert run(*COMMAND).out == shown.out


def test_json_is_rounded_and_a_pipeline_may_stop(run: Any, halves: Path) -> None:
    done = run(*COMMAND, "--attack", "membership,label", "--json", "--fail-if-works", "--seed", "3")

    assert done.status == 3
    told = json.loads(done.out)
    assert [one["attack"] for one in told["attacks"]] == ["membership", "label"]
    assert told["works"]
    for one in told["attacks"]:
        for name in ("excess", "excess_low", "members_recall", "control_share_claimed"):
            assert one[name] == round(one[name], 1)
    assert run(*COMMAND, "--attack", "minimality", "--fail-if-works").status == 0


def test_a_report_has_the_section(run: Any, refused: Any, halves: Path) -> None:
    assert run(*COMMAND, "--attack", "membership", "--report", "attacks.html").status == 0

    page = (halves / "attacks.html").read_text()
    assert "What attacks found out" in page
    assert "internal edition" in page
    refused(*COMMAND, "--attack", "membership", "--report", "attacks.html", words=("attacks.html",))
    assert run(*COMMAND, "--attack", "membership", "--report", "attacks.html", "--force").status == 0


def test_attacks_that_do_not_apply_say_why(run: Any, halves: Path) -> None:
    hr.anonymize(halves / "half.csv", hr.Schema(quasi=["age", "sex"], others="drop"), k=5).save(halves / "plain.csv")
    shown = run("attack", "plain.csv", *COMMAND[2:]).out

    assert "label was not tried. The release has no target." in shown
    assert "minimality was not tried. Nothing is required of a sensitive column." in shown


def test_labels_are_read_by_the_hierarchies_that_are_named(run: Any, halves: Path) -> None:
    (halves / "trees").mkdir()
    (halves / "trees" / "sex.csv").write_text("Female;person;*\nMale;person;*\n")
    schema = hr.Schema(quasi=["sex"], others="drop", hierarchies={"sex": halves / "trees" / "sex.csv"})
    hr.anonymize(halves / "half.csv", schema, method="optimal", k=400).save(halves / "labels.csv")
    command = ("attack", "labels.csv", *COMMAND[2:], "--attack", "membership")

    assert "Only 0% of members fit a class." in run(*command).out
    assert "fit a class: 100% of members" in run(*command, "--hierarchies", "trees").out
    assert "fit a class: 100% of members" in run(*command, "--hierarchy", "sex=trees/sex.csv").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("attack", "out.csv", "--members", "half.csv"), ("No non-members are given", "hold some back", "random half")),
        (("attack", "out.csv", "--non-members", "others.csv"), ("No members are given", "same population")),
        ((*COMMAND, "--sure", "0"), ("--sure",)),
        ((*COMMAND, "--seed", "-1"), ("--seed",)),
        ((*COMMAND, "--attack", "membershop"), ("Did you mean 'membership'",)),
        ((*COMMAND, "--report", "out.txt"), (".html",)),
        ((*COMMAND[:3], "nobody.csv", *COMMAND[4:]), ("nobody.csv",)),
        ((*COMMAND[:3], "-", *COMMAND[4:]), ("standard input",)),
        (("attack", "half.csv", *COMMAND[2:]), ("There is no manifest",)),
        ((*COMMAND[:3], "thin.csv", *COMMAND[4:]), ("The members lack columns of the release: 'age'",)),
    ],
)
def test_mistakes(arguments: tuple[str, ...], words: tuple[str, ...], refused: Any, halves: Path) -> None:
    (halves / "thin.csv").write_text("sex,zip\nF,1\n")
    refused(*arguments, words=words)


def test_help_has_examples(run: Any) -> None:
    shown = run("attack", "--help")
    assert shown.status == 0
    assert "hedgerow attack out.csv --members half.csv --non-members others.csv" in shown.out
