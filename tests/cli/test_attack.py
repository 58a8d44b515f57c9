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
    assert "membership finds out more about the table's people than about others." in shown.out
    # Few others fit a class, so that the control is small.
    assert "minimality has too few people to say anything: even an excess of" in shown.out
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


def test_labels_are_read_by_the_hierarchies_that_are_named(run: Any, refused: Any, halves: Path) -> None:
    (halves / "trees").mkdir()
    (halves / "trees" / "sex.csv").write_text("Female;person;*\nMale;person;*\n")
    schema = hr.Schema(quasi=["sex"], others="drop", hierarchies={"sex": halves / "trees" / "sex.csv"})
    hr.anonymize(halves / "half.csv", schema, method="optimal", k=400).save(halves / "labels.csv")
    command = ("attack", "labels.csv", *COMMAND[2:], "--attack", "membership")

    refused(*command, words=("do not look like the rows", "0% of them fit a class", "--hierarchies"))
    assert "fit a class: 100% of members" in run(*command, "--hierarchies", "trees").out
    assert "fit a class: 100% of members" in run(*command, "--hierarchy", "sex=trees/sex.csv").out


ODD = ("--decimal", ",", "--missing", "k.A.", "--encoding", "latin-1", "--delimiter", ";")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A release of a file with decimal commas, umlauts and a mark for what is missing; and both halves."""
    people = hr.datasets.make_census(600, random_state=3).select(["age", "sex", "income"]).to_pylist()
    for name, half in (("half.csv", people[:300]), ("others.csv", people[300:])):
        lines = ["Größe;sex;income"]
        for at, one in enumerate(half):
            size = "k.A." if at % 20 == 0 else f"{150 + one['age'] / 2:.1f}".replace(".", ",")
            lines.append(f"{size};{one['sex']};{one['income']}")
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="latin-1")
    (tmp_path / "job.toml").write_text(
        'input = "half.csv"\noutput = "out.csv"\nquasi = ["Größe", "sex"]\ntarget = "income"\nk = 4\n'
        'decimal = ","\nmissing = ["k.A."]\nencoding = "latin-1"\ndelimiter = ";"\nquiet = true\n',
        encoding="utf-8",
    )
    return tmp_path


def test_people_are_read_as_the_table_that_was_anonymized(run: Any, refused: Any, odd: Path) -> None:
    assert run("anonymize", "--job", "job.toml").status == 0
    asked = (*COMMAND, "--attack", "membership,downcoding,refinement", "--fail-if-works")

    refused(*asked, words=("--encoding",))
    refused(*asked, *ODD[2:], words=("do not look like the rows", "check --decimal", "--job"))
    found = run(*asked, *ODD)
    assert (found.status, found.err) == (3, "")
    assert "fit a class: 100% of members" in found.out
    by_job = run("attack", "out.csv", *COMMAND[4:], *asked[6:], "--job", "job.toml")
    assert (by_job.status, by_job.out) == (found.status, found.out)


def test_a_control_of_members_is_refused(run: Any, refused: Any, halves: Path) -> None:
    half, others = ((halves / name).read_text().splitlines() for name in ("half.csv", "others.csv"))
    (halves / "whole.csv").write_text("\n".join([*half, *others[1:]]) + "\n")
    (halves / "copy.csv").write_text("\n".join([half[0], *half[:0:-1]]) + "\n")

    refused(*COMMAND[:5], "half.csv", words=("are the same table",))
    for name in ("whole.csv", "copy.csv"):
        refused(*COMMAND[:5], name, words=("too much like the members", "random part"))


def test_a_few_people_are_no_all_clear(run: Any, tmp_path: Path) -> None:
    (tmp_path / "half.csv").write_text("age,sex\n20,F\n30,M\n40,F\n")
    (tmp_path / "others.csv").write_text("age,sex\n21,F\n33,M\n47,M\n")
    assert run("anonymize", "half.csv", "--quasi", "age,sex", "-k", "3", "-o", "out.csv", "-q").status == 0
    shown = run(*COMMAND, "--attack", "membership,downcoding")

    assert shown.status == 0
    assert "nothing beyond chance" not in shown.out
    assert shown.out.count("has too few people to say anything") == 2
    stopped = run(*COMMAND, "--attack", "membership,downcoding", "--fail-if-works")
    assert stopped.status == 2
    assert "too few people to say whether an attack works" in stopped.err


def test_what_finds_nothing_says_what_it_would_have_seen(run: Any, halves: Path) -> None:
    schema = hr.Schema(quasi=["sex"], others="drop")
    hr.anonymize(halves / "half.csv", schema, k=50).save(halves / "safe.csv")
    shown = run("attack", "safe.csv", *COMMAND[2:], "--attack", "membership,downcoding", "--fail-if-works")

    assert shown.status == 0
    assert "membership finds out nothing beyond chance: an excess of" in shown.out
    assert "points would have been detected" in shown.out


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
