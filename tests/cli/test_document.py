"""``hedgerow report``: one document about a saved release, with all that was found out about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr

OPTIONS = ("--quasi", "age,sex", "--sensitive", "disease", "--insensitive", "hours-per-week", "--others", "drop")
JOB = """
input = "people.csv"
output = "out.csv"
quasi = ["age", "sex"]
sensitive = ["disease"]
insensitive = ["hours-per-week"]
others = "drop"
k = 5
explain = "why.json"
analyses = ["mean hours-per-week by sex"]
[reasons]
age = { role = "quasi", by = "A. Steward", reason = "Neighbours know it." }
[context]
recipient = "the university"
threshold = 0.09
[governance]
signatory = "A. Steward"
date = 2026-11-19
"""


@pytest.fixture
def saved(tmp_path: Path, called: Any) -> Path:
    """Two quarters, each with its release, and a job that made the second."""
    people: pa.Table = hr.datasets.make_census(900, random_state=1)
    pa_csv.write_csv(people[300:], tmp_path / "people.csv")
    pa_csv.write_csv(people[:600], tmp_path / "before.csv")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    assert called("anonymize", "--job", "job.toml", "--quiet").status == 0
    assert called("anonymize", "before.csv", *OPTIONS, "-k", "5", "-o", "old.csv", "--quiet").status == 0
    return tmp_path


def parts(path: Path) -> dict[str, str]:
    """The text of each part of a page."""
    html = path.read_text(encoding="utf-8")
    found = re.findall(r'<section class="part" id="part-([a-z_]+)">(.*?)</section>', html, re.DOTALL)
    return {name: re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", body)) for name, body in found}


def test_everything_is_in_one_document(saved: Path, called: Any) -> None:
    pa_csv.write_csv(hr.datasets.make_census(600, random_state=9), saved / "others.csv")
    people = ("--members", "before.csv", "--non-members", "others.csv")
    attacked = called("attack", "old.csv", *people, "--attack", "downcoding", "--json")
    assert attacked.status == 0, attacked.err
    (saved / "attacks.json").write_text(attacked.out, encoding="utf-8")
    done = called("report", "--job", "job.toml", "--attack", "attacks.json", "--previous", "old.csv")

    assert (done.status, done.err) == (0, "")
    assert "report.html (internal: not for recipients)" in done.out
    assert (
        "holds        the audit, an earlier release, 1 analysis, attacks, why cells are not finer, why each" in done.out
    )
    assert "signed by    A. Steward, 2026-11-19" in done.out
    shown = parts(saved / "report.html")
    assert "Neighbours know it." in shown["roles"]
    assert "The attacks were made on another release (old.csv)" in shown["attempts"]
    assert "Original rows 600 600" in shown["changes"]
    assert "5-anonymity forbids more" in shown["not_finer"]
    assert "mean hours-per-week by sex" in shown["analyses"]
    assert "Accepted risk 9" in shown["context"].replace("\N{NO-BREAK SPACE}", " ")
    assert "Signed by A. Steward on 2026-11-19." in shown["governance"]
    assert "unique_values" in shown
    page = (saved / "report.html").read_text(encoding="utf-8")
    assert "<h1>The release out.csv</h1>" in page
    assert hr.Release.load(saved / "out.csv").digests["output"] in page


def test_an_attack_on_this_very_table_is_recognised_by_its_digest(saved: Path, called: Any) -> None:
    pa_csv.write_csv(hr.datasets.make_census(600, random_state=9), saved / "others.csv")
    attacked = called(
        *("attack", "--job", "job.toml", "--non-members", "others.csv", "--attack", "downcoding", "--json")
    )
    (saved / "attacks.json").write_text(attacked.out, encoding="utf-8")
    assert called("report", "out.csv", "--attack", "attacks.json").status == 0
    assert "on this very table: its digest is the same" in parts(saved / "report.html")["attempts"]


def test_recipients_get_nothing_of_the_original(saved: Path, called: Any) -> None:
    done = called("report", "--job", "job.toml", "--edition", "public", "--previous", "old.csv")

    assert (done.status, done.err) == (0, "")
    assert "without      why cells are not finer, why each column has its role: for the internal edition" in done.out
    shown = parts(saved / "report.html")
    assert not {"roles", "not_finer", "unique_values", "many_rows", "attempts"} & shown.keys()
    assert {"changes", "analyses"} <= shown.keys()
    # Other original rows beside the same release give the same page, but for the word of each analysis.
    pa_csv.write_csv(hr.datasets.make_census(600, random_state=77), saved / "people.csv")
    (saved / "report.html").rename(saved / "first.html")
    assert called("report", "--job", "job.toml", "--edition", "public", "--previous", "old.csv").status == 0
    first, second = (_without_words(saved / name) for name in ("first.html", "report.html"))
    assert first == second


def _without_words(path: Path) -> str:
    """A page without how far analyses agree."""
    return re.sub(
        r'<span class="mark \w+">[^/]*</span> (good|fair|poor|not stated)</span>', "", path.read_text("utf-8")
    )


def test_an_audit_of_both_releases_may_be_given(saved: Path, called: Any) -> None:
    audited = called("audit", "out.csv", "--previous", "old.csv", "--json")
    (saved / "both.json").write_text(audited.out, encoding="utf-8")
    assert called("report", "out.csv", "--previous", "both.json", "-o", "a.html").status == 0
    assert called("report", "out.csv", "--previous", "old.csv", "-o", "b.html").status == 0
    assert parts(saved / "a.html")["together"] == parts(saved / "b.html")["together"]


def test_without_anything_else_it_says_what_is_missing(saved: Path, called: Any) -> None:
    done = called("report", "out.csv")
    assert done.status == 0
    assert "not signed   name a signatory and a date in [governance]" in done.out
    shown = parts(saved / "report.html")
    assert "hedgerow attack" in shown["left_out"]
    assert "[reasons]" in shown["left_out"]
    assert "20" in shown["attackers"]
    assert called("report", "out.csv", "--threshold", "0.05", "--force", "-q").out == ""
    assert "ABOVE the threshold of this release, 5" in parts(saved / "report.html")["summary"]


def test_a_job_may_have_hierarchies_of_other_columns(saved: Path, called: Any) -> None:
    job = (saved / "job.toml").read_text(encoding="utf-8")
    job = job.replace("k = 5\n", "k = 5\nmin-people = 2\n").replace(
        '["hours-per-week"]', '["hours-per-week", "workclass"]'
    )
    more = '[hierarchy]\nage = "intervals:5,10"\nworkclass = "flat"\n[recode]\nhours-per-week = "microaggregate:5"\n'
    (saved / "job.toml").write_text(job + more, encoding="utf-8")
    assert called("anonymize", "--job", "job.toml", "--force", "--quiet").status == 0
    done = called("report", "--job", "job.toml")
    assert (done.status, done.err) == (0, "")


def test_the_input_of_the_job_may_be_gone(saved: Path, called: Any) -> None:
    job = (saved / "job.toml").read_text(encoding="utf-8")
    (saved / "people.csv").unlink()
    (saved / "job.toml").write_text(job.replace('analyses = ["mean hours-per-week by sex"]', ""), encoding="utf-8")
    assert called("report", "--job", "job.toml").status == 0


BAD = {
    # name: options, words of the sentence
    "no release": ((), ("No release is named", "hedgerow report RELEASE")),
    "standard input": (("-",), ("cannot be standard input",)),
    "no such file": (("none.csv",), ("none.csv",)),
    "no manifest": (("people.csv",), ("no manifest",)),
    "no page": (("out.csv", "-o", "report.pdf"), ("ends in .html",)),
    "over the release": (("out.csv", "-o", "out.html", "--job", "out.html"), ("out.html",)),
    "no edition": (("out.csv", "--edition", "secret"), ("'internal' or 'public'",)),
    "no attacks": (("out.csv", "--attack", "none.json"), ("There is no file 'none.json' (--attack)",)),
    "other attacks": (("out.csv", "--attack", "job.toml"), ("hedgerow attack --json > job.toml",)),
    "an audit as attacks": (("out.csv", "--attack", "list.json"), ("hedgerow attack --json > list.json",)),
    "other results": (("out.csv", "--previous", "list.json"), ("hedgerow audit TABLE --previous FILE --json",)),
    "no explanation": (("out.csv", "--explanation", "list.json"), ("--explain wrote",)),
    "no threshold": (("out.csv", "--threshold", "2"), ("threshold", "above 0 and up to 1")),
    "no original": (("out.csv", "--analysis", "mean hours-per-week by sex"), ("--original FILE",)),
    "no analysis": (("out.csv", "--original", "people.csv", "--analysis", "meen x"), ("meen",)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_leaves_no_page(case: str, saved: Path, refused: Any) -> None:
    options, words = BAD[case]
    (saved / "list.json").write_text("[1]", encoding="utf-8")
    (saved / "out.html").write_text("k = 5", encoding="utf-8")
    refused("report", *options, words=words)


def test_a_report_is_not_overwritten(saved: Path, called: Any) -> None:
    (saved / "report.html").write_text("mine", encoding="utf-8")
    assert called("report", "out.csv").status == 2
    assert (saved / "report.html").read_text(encoding="utf-8") == "mine"
    assert called("report", "out.csv", "--force").status == 0


def test_a_changed_table_has_no_report(saved: Path, refused: Any) -> None:
    table = saved / "out.csv"
    table.write_text(table.read_text(encoding="utf-8") + "1,F,flu,3\n", encoding="utf-8")
    refused("report", "out.csv", words=("is not the one that its manifest describes",))


def test_a_job_that_fails_to_say_why_is_refused_before_any_work(saved: Path, refused: Any) -> None:
    job = (saved / "job.toml").read_text(encoding="utf-8")
    (saved / "job.toml").write_text(job.replace("by = ", "whom = "), encoding="utf-8")
    refused("report", "--job", "job.toml", words=("reason for 'age'", "'whom'"))
    refused("anonymize", "--job", "job.toml", "--force", words=())
