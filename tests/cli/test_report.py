"""``--report``: a page beside the release, or none of both."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from leaks import SECRET

ASKED = ("-k", "2", "-o", "out.csv")


def test_a_report_is_written_with_the_release(run: Any, people: Path, roles: Any, tmp_path: Path) -> None:
    done = run("anonymize", people.name, *roles, *ASKED, "--report", "out.html")

    assert (done.status, done.err) == (0, "")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "internal edition" in page
    assert "2-anonymity" in page
    assert "The release out.csv" in page
    assert "report       out.html (internal: not for recipients)" in done.out
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".out.html")]


def test_the_digest_is_that_of_the_table_that_was_written(run: Any, people: Path, roles: Any, tmp_path: Path) -> None:
    from hedgerow.io.atomic import sha256

    assert run("anonymize", people.name, *roles, *ASKED, "--report", "out.html").status == 0
    assert sha256(tmp_path / "out.csv") in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_a_job_says_for_whom_and_who_answers(run: Any, people: Path, roles: Any, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(
        'k = 2\noutput = "out.csv"\nreport = "out.html"\nreport-edition = "public"\n'
        '[context]\nrecipient = "the <university>"\nrelease-model = "non-public"\n'
        '[governance]\nsignatory = "A. Steward"\nexpiry = 2027-05-01\n'
    )
    done = run("anonymize", people.name, *roles, "--job", "job.toml")

    assert (done.status, done.err) == (0, "")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    for words in ("public edition", "the &lt;university&gt;", "A. Steward", "2027-05-01"):
        assert words in page


BAD = {
    # name: further options, a job, words of the sentence
    "no page": (("--report", "out.txt"), "", ("'out.txt'", ".html")),
    "no folder": (("--report", "none/out.html"), "", ("no folder 'none'",)),
    "edition of nothing": (("--report-edition", "public"), "", ("--report out.html",)),
    "no edition": (("--report", "out.html", "--report-edition", "secret"), "", ("'internal' or 'public'",)),
    "what is read": (("--report", "there.html"), "", ("exists already", "--force")),
    "the job itself": (("--report", "job.html", "--job", "job.html"), "k = 2", ("exists already",)),
    "the recoding": (("--report", "x.html", "--recoding", "x.html"), "", ("another output", "'x.html'")),
    "an unknown field": (
        ("--job", "job.html"),
        '[context]\nrecipent = "x"',
        ("'recipent'", "Did you mean 'recipient'?"),
    ),
    "a wrong field": (("--job", "job.html"), '[governance]\nexpiry = "soon"', ("expiry", "a day")),
    "not to be met": (("--report", "out.html", "--require", "l=3@ill"), "", ("3-diversity",)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_leaves_no_page(case: str, refused: Any, people: Path, roles: Any, tmp_path: Path) -> None:
    options, job, words = BAD[case]
    (tmp_path / "there.html").write_text("mine")
    (tmp_path / "job.html").write_text(job)

    status = 3 if case == "not to be met" else 2
    refused("anonymize", people.name, *roles, *ASKED, *options, words=words, status=status)


def test_force_writes_over_a_report(run: Any, people: Path, roles: Any, tmp_path: Path) -> None:
    command = ("anonymize", people.name, *roles, *ASKED, "--report", "out.html", "-q")
    assert run(*command).status == 0
    assert run(*command).status == 2
    assert run(*command, "--force", "--report-edition", "public").status == 0
    assert "public edition" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_an_audit_writes_a_report_also_of_what_does_not_hold(run: Any, people: Path, tmp_path: Path) -> None:
    command = ("audit", people.name, "--quasi", "age,sex", "--sensitive", "ill", "--report", "audit.html")
    done = run(*command, "-k", "5")

    assert done.status == 3
    assert "Fails" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert run(*command).status == 2, "it is there already"
    assert run(*command, "--force").status == 0


def test_an_audit_does_not_write_over_what_it_reads(refused: Any, people: Path, tmp_path: Path) -> None:
    people.rename(tmp_path / "people.html")
    refused("audit", "people.html", "--quasi", "age", "--report", "people.html", "--force", words=("'people.html'",))


def test_nothing_that_a_command_says_or_writes_shows_a_name(
    run: Any, people: Path, roles: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The names are dropped, and the only person in a town is in a class with others."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("numba").setLevel(logging.INFO)  # it would tell its own bytecode, slowly
    for edition in ("internal", "public"):
        report = ("--report", f"{edition}.html", "--report-edition", edition, "--force")
        done = run("anonymize", people.name, *roles, *ASKED, *report)
        audited = run("audit", people.name, "--quasi", "age,sex,name", "--sensitive", "ill", *report, "-k", "2")
        assert (done.status, audited.status) == (0, 3)
        said = done.out + done.err + audited.out + audited.err + caplog.text
        written = [path for path in tmp_path.iterdir() if path != people]
        for text in (said, *(path.read_text(encoding="utf-8") for path in written)):
            assert SECRET not in text
