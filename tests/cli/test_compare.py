"""``hedgerow compare``: the page, JSON, stopping and going on, no cell of the table anywhere, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hedgerow.datasets import make_census

QUASI = ("--quasi", "age,sex,education", "--others", "drop")
ROLES = (*QUASI, "--target", "income")
SHORT = (*ROLES, "-k", "5,25", "--methods", "mondrian", "--learners", "naive-bayes", "--protocol", "cv:2")


@pytest.fixture
def census(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    make_census(1_200, random_state=1).to_pandas().to_csv(path, index=False)
    return path


def test_the_real_command_writes_a_page_and_goes_on(census: Path, real: Any, called: Any) -> None:
    folder = census.parent
    done = real("compare", "people.csv", *SHORT, "--methods", "kactus", "--suppression-limit", "0,2%")
    assert (done.status, done.err) == (0, "")
    for words in ("8 choices on 1,200 rows; naive-bayes by 2-fold cv.", "may lose", "Take ", "hedgerow anonymize … --"):
        assert words in done.out
    page = (folder / "compare.html").read_text()
    assert page.startswith("<!doctype html>")
    known = (folder / "compare.cells.jsonl").read_text().splitlines()
    assert len(known) == 8 + 2 * (8 + 2)
    assert (folder / "compare.cells.jsonl").stat().st_mode & 0o777 == 0o600
    again = called("compare", "people.csv", *SHORT, "--methods", "kactus", "--json", "--force")
    assert (again.status, again.err) == (0, "")
    told = json.loads(again.out)
    assert [one["method"] for one in told["choices"]] == ["mondrian", "kactus"] * 2
    assert (folder / "compare.cells.jsonl").read_text().splitlines() == known, "nothing was run twice"
    assert sorted(path.name for path in folder.iterdir()) == ["compare.cells.jsonl", "compare.html", "people.csv"]


def test_without_a_target(census: Path, called: Any) -> None:
    done = called("compare", "people.csv", *QUASI, "-k", "5,20", "--workers", "1", "-o", "c.html")
    assert done.status == 0, done.err
    assert "4 choices on 1,200 rows." in done.out
    assert "Take mondrian with k = 20." in done.out
    quiet = called("compare", "people.csv", *QUASI, "-k", "5", "--workers", "1", "-o", "q.html", "-q")
    assert (quiet.status, quiet.out, quiet.err) == (0, "", "")


def test_ranked_by_the_error_of_queries(census: Path, called: Any) -> None:
    options = ("--task", "queries", "--utility", "mean_error", "--protocol", "holdout", "--workers", "1")
    done = called("compare", "people.csv", *QUASI, "-k", "5,25", "--methods", "mondrian", *options)
    assert done.status == 0, done.err
    assert "2 choices on 1,200 rows; counts by holdout." in done.out
    assert "mean relative error (counts)" in done.out
    assert "tried for queries" in (census.parent / "compare.html").read_text()


def test_a_threshold_that_nothing_meets_is_no_failure(census: Path, called: Any) -> None:
    done = called(
        "compare",
        "people.csv",
        *QUASI,
        "-k",
        "5",
        "--methods",
        "mondrian",
        "--workers",
        "1",
        "--risk-threshold",
        "0.09",
    )
    assert done.status == 0, done.err
    assert "No choice is recommended. No choice keeps the highest risk within 9% (classes of 11 rows" in done.out


def test_infeasible_choices_are_told_and_not_fatal(census: Path, called: Any) -> None:
    rules = ("--sensitive", "disease", "--require", "l=3@disease")
    done = called("compare", "people.csv", *QUASI, *rules, "-k", "5,1000", "--workers", "1", "--methods", "mondrian")
    assert done.status == 0, done.err
    nothing = called(
        *("compare", "people.csv", *QUASI, "--sensitive", "disease", "--require", "l=13@disease", "-k", "5"),
        *("--workers", "1", "-o", "n.html"),
    )
    assert nothing.status == 3
    assert nothing.err.startswith("hedgerow: None of the 2 choices can be released. mondrian with k = 5: ")
    assert not list(census.parent.glob("n.*"))


def test_a_method_that_refuses_the_table_is_told_and_not_fatal(census: Path, called: Any) -> None:
    """Without a target there is nothing for a tree to learn."""
    done = called("compare", "people.csv", *QUASI, "-k", "5", "--workers", "1", "--methods", "kactus,mondrian")
    assert done.status == 0, done.err
    (line,) = [line for line in done.out.splitlines() if line.split()[:2] == ["kactus", "5"]]
    assert line.split()[-1] == "failed"
    assert "kactus with k = 5: " in done.out
    assert "Take mondrian with k = 5." in done.out
    assert "The method cannot release this table." in (census.parent / "compare.html").read_text()


def test_its_time_is_over(census: Path, called: Any) -> None:
    done = called("compare", "people.csv", *SHORT, "--workers", "1", "--time-limit", "0.000001s")
    assert done.status == 0, done.err
    assert "The time is over: 0 of 10 cells are finished." in done.out
    assert "The time limit was reached before all cells" in (census.parent / "compare.html").read_text()
    whole = called("compare", "people.csv", *SHORT, "--workers", "1", "--time-limit", "10m", "--force")
    assert "The time" not in whole.out


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
def test_stopped_by_hand_it_keeps_what_is_finished(census: Path, tmp_path: Path, started: Any, called: Any) -> None:
    """As Ctrl-C does it: every process of the group gets the signal."""
    options = ("compare", "people.csv", *ROLES, "--methods", "mondrian,kactus", "-k", "3,5,10,25", "--learners", "c45")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = started(*options, **pipes)
    cells = tmp_path / "compare.cells.jsonl"
    while not cells.exists() or cells.read_text().count("\n") < 9:
        assert process.poll() is None, "it ended before it could be stopped"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert err.count("\n") == 1, err
    assert " of 58 cells are finished and kept in 'compare.cells.jsonl'." in err
    assert "Stopped: " in out
    assert "The run was interrupted" in (tmp_path / "compare.html").read_text()
    before = cells.read_text().splitlines()
    assert 9 <= len(before) < 58
    again = called(*options, "--force")
    assert again.status == 0, again.err
    after = cells.read_text().splitlines()
    assert after[: len(before)] == before, "finished cells were not run twice"
    assert len(after) == len(set(after)) == 58


def test_no_cell_of_the_table_is_told(tmp_path: Path, called: Any) -> None:
    """Canaries: identifying values, and values that fewer than k people hold, in every role that is published."""
    rows = make_census(600, random_state=1).to_pandas()
    rows["name"] = [f"canary-name-{at}" for at in range(len(rows))]
    for column, number in (("education", 1), ("workclass", 1), ("disease", 4)):
        rows.loc[: number - 1, column] = f"canary-{column}"
    rows.loc[5, "age"] = 987
    rows.to_csv(tmp_path / "people.csv", index=False)
    roles = ["--quasi", "age,sex,education,workclass", "--target", "income", "--others", "drop"]
    roles += ["--sensitive", "disease", "--drop", "name"]
    work = ["-k", "5,20", "--methods", "mondrian,kactus,hedge", "--learners", "c45", "--protocol", "cv:2"]
    rule = ("--require", "alpha=0.9:k=2:value=canary-disease@disease")
    for extra in ((), ("--json", "--force")):
        done = called("compare", "people.csv", *roles, *work, *rule, *extra)
        assert done.status == 0, done.err
        assert "canary" not in done.out + done.err
    page, cells = (tmp_path / name for name in ("compare.html", "compare.cells.jsonl"))
    own = page.read_text().partition('<script type="module">')
    for text in (own[0], page.read_text(), cells.read_text()):
        assert "canary" not in text
    assert "987" not in own[0]
    assert "one value of disease" in page.read_text(), "the requirement is told without the value"


BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no table": (("nobody.csv", *ROLES), ("nobody.csv",)),
    "no quasi-identifier": (("people.csv", "--target", "income"), ("--quasi",)),
    "unknown target": (("people.csv", *QUASI, "--target", "incme"), ("'income'",)),
    "unknown column": (("people.csv", "--quasi", "agee", "--others", "drop"), ("'age'",)),
    "unknown method": (("people.csv", *ROLES, "--methods", "mondrain"), ("'mondrian'",)),
    "a method that needs a target": (("people.csv", *QUASI, "--methods", "kactus", "--workers", "1"), ("target",)),
    "unknown learner": (("people.csv", *ROLES, "--learners", "c54"), ("'c45'",)),
    "learners without a target": (("people.csv", *QUASI, "--learners", "c45"), ("Learners are named", "--target")),
    "k is no number": (("people.csv", *ROLES, "-k", "5,ten"), ("'ten'", "-k 5,10,50")),
    "k of 0": (("people.csv", *ROLES, "-k", "0"), ("int >= 1",)),
    "k above the rows": (("people.csv", *ROLES, "-k", "5,1201"), ("k is 1,201", "1,200 rows")),
    "protocol": (("people.csv", *ROLES, "--protocol", "cv:1"), ("'5x2cv'",)),
    "train": (("people.csv", *ROLES, "--train", "raw", "--test", "recoded"), ("'redrawn'",)),
    "task": (("people.csv", *QUASI, "--task", "query"), ("'query'", "'queries'")),
    "utility of another task": (("people.csv", *QUASI, "--utility", "mean_error"), ("'mean_error'", "--task queries")),
    "unknown utility": (("people.csv", *QUASI, "--utility", "ncp"), ("'ncp'", "'ncp_kept'")),
    "limit": (("people.csv", *ROLES, "--suppression-limit", "0,lots"), ("lots",)),
    "time limit": (
        ("people.csv", *ROLES, "--time-limit", "soon"),
        ("'soon' is not a time", "--time-limit 90, 10m or 1h"),
    ),
    "time limit of 0": (("people.csv", *ROLES, "--time-limit", "0m"), ("'0m' is not a time",)),
    "endless time": (("people.csv", *ROLES, "--time-limit", "infh"), ("is not a time",)),
    "threshold": (("people.csv", *ROLES, "--risk-threshold", "2"), ("'risk_threshold'", "1 at most")),
    "threshold in words": (("people.csv", *ROLES, "--risk-threshold", "low"), ("--risk-threshold",)),
    "workers": (("people.csv", *ROLES, "--workers", "0"), ("--workers",)),
    "no html": (("people.csv", *ROLES, "-o", "c.csv"), (".html", "--output")),
    "no folder": (("people.csv", *ROLES, "-o", "none/c.html"), ("folder", "none")),
    "foreign cells": (("people.csv", *ROLES, "-o", "x.html"), ("x.cells.jsonl", "does not hold results")),
    "a page is there": (("people.csv", *ROLES, "-o", "old.html"), ("old.html", "--force")),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name: str, census: Path, refused: Any) -> None:
    (census.parent / "x.cells.jsonl").write_text("no results\n")
    (census.parent / "old.html").write_text("a page\n")
    arguments, words = BAD[name]
    refused("compare", *arguments, words=words)


def test_help_has_an_example(called: Any) -> None:
    shown = called("compare", "--help")
    assert shown.status == 0
    assert "--time-limit 10m" in shown.out
    assert "hedgerow compare people.csv" in shown.out
