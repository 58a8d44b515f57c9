"""``hedgerow evaluate``: the table, its files, going on, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from hedgerow.datasets import make_census

ROLES = ("--quasi", "age,sex,education", "--target", "income", "--others", "drop")
SHORT = (*ROLES, "-k", "5,20", "--methods", "mondrian", "--learners", "naive-bayes", "--protocol", "holdout")


@pytest.fixture
def census(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    make_census(240, random_state=1).to_pandas().to_csv(path, index=False)
    return path


def test_the_real_command_writes_cells_and_a_chart_and_goes_on(census: Path, real: Any, called: Any) -> None:
    folder = census.parent
    done = real("evaluate", "people.csv", *SHORT, "--methods", "kactus", "--protocol", "5x2cv", "-o", "e.csv")
    assert (done.status, done.err) == (0, "")
    assert "What learners can still predict of income: accuracy" in done.out
    assert "k=20: best with" in done.out
    with (folder / "e.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == 10 * (2 + 2 * 2)
    assert {cell["method"] for cell in cells} == {"unanonymized", "mondrian", "kactus"}
    assert "vega" in (folder / "e.html").read_text()
    known = (folder / "e.cells.jsonl").read_text().splitlines()
    again = called("evaluate", "people.csv", *SHORT, "--protocol", "5x2cv", "-o", "e.csv", "--force")
    assert again.status == 0
    assert (folder / "e.cells.jsonl").read_text().splitlines() == known, "nothing was run twice"
    assert sorted(path.name for path in folder.iterdir()) == ["e.cells.jsonl", "e.csv", "e.html", "people.csv"]


def test_scores_and_failures_are_told(census: Path, called: Any) -> None:
    done = called("evaluate", "people.csv", *SHORT, "-k", "200", "--score", "auc", "--workers", "1", "-o", "e.csv")
    assert done.status == 0, done.err
    assert ": auc, mean over holdout" in done.out
    assert "mondrian, k=200: infeasible. The training part has 160 rows, fewer than k = 200." in done.out
    quiet = called("evaluate", "people.csv", *SHORT, "--workers", "1", "-o", "q.csv", "-q")
    assert (quiet.status, quiet.out, quiet.err) == (0, "", "")


def test_numbers_are_predicted(census: Path, called: Any) -> None:
    options = ("--quasi", "sex,education", "--target", "age", "--others", "drop", "-k", "5", "--methods", "mondrian")
    done = called("evaluate", "people.csv", *options, "--protocol", "holdout:2", "--workers", "1")
    assert done.status == 0, done.err
    assert ": r2, mean over 2 × holdout" in done.out


BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no table": (("nobody.csv", *ROLES), ("nobody.csv",)),
    "no quasi-identifier": (("people.csv", "--target", "income"), ("--quasi",)),
    "no target": (("people.csv", "--quasi", "age", "--others", "drop"), ("--target",)),
    "unknown target": (("people.csv", "--quasi", "age", "--target", "incme", "--others", "drop"), ("'income'",)),
    "unknown column": (("people.csv", "--quasi", "agee", "--target", "income", "--others", "drop"), ("'age'",)),
    "unknown method": (("people.csv", *ROLES, "--methods", "mondrain"), ("'mondrian'",)),
    "unknown learner": (("people.csv", *ROLES, "--learners", "c54"), ("'c45'",)),
    "k is no number": (("people.csv", *ROLES, "-k", "5,ten"), ("'ten'", "-k 5,10,50")),
    "k of 0": (("people.csv", *ROLES, "-k", "0"), ("int >= 1",)),
    "protocol": (("people.csv", *ROLES, "--protocol", "cv:1"), ("'5x2cv'",)),
    "train": (("people.csv", *ROLES, "--train", "raw", "--test", "recoded"), ("'redrawn'",)),
    "test": (("people.csv", *ROLES, "--test", "published"), ("'recoded'",)),
    "score": (("people.csv", *SHORT, "--score", "acuracy"), ("'accuracy'",)),
    "score of numbers": (("people.csv", *SHORT, "--score", "r2"), ("'r2'", "accuracy")),
    "task": (("people.csv", *ROLES, "--task", "query"), ("'query'", "'queries'")),
    "score of another task": (("people.csv", *ROLES, "--task", "queries", "--score", "auc"), ("'auc'", "median_error")),
    "learner of another task": (("people.csv", *ROLES, "--task", "queries", "--learners", "c45"), ("'counts'",)),
    "recoded queries": (
        ("people.csv", *ROLES, "--task", "queries", "--test", "recoded"),
        ("test='raw'", "'published'"),
    ),
    "limit": (("people.csv", *ROLES, "--suppression-limit", "lots"), ("lots",)),
    "no csv": (("people.csv", *ROLES, "-o", "e.parquet"), (".csv", "--output")),
    "no folder": (("people.csv", *ROLES, "-o", "none/e.csv"), ("folder", "none")),
    "over the table": (("people.csv", *ROLES, "-o", "people.csv"), ("people.csv",)),
    "numbers and classes": (
        ("people.csv", "--quasi", "sex", "--target", "age", "--others", "drop", "--methods", "kactus", "-k", "3"),
        ("--target-bins",),
    ),
    "too many classes": (
        ("people.csv", "--quasi", "sex", "--target", "name", "--others", "drop"),
        ("too many to be learnt",),
    ),
    "fate of others": (("people.csv", "--quasi", "age", "--target", "income", "--others", "keep"), ("others",)),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name: str, census: Path, refused: Any) -> None:
    arguments, words = BAD[name]
    refused("evaluate", *arguments, words=words)


def test_columns_that_disclose_stop_it(census: Path, refused: Any) -> None:
    options = (
        "--quasi",
        "age,sex",
        "--insensitive",
        "name",
        "--target",
        "income",
        "--others",
        "drop",
        "--workers",
        "1",
    )
    refused("evaluate", "people.csv", *options, words=("'name'", "--accept"), status=3)


@pytest.mark.parametrize(
    ("task", "heading", "score"),
    [
        ("clustering", "How clusters learnt from a release agree", "adjusted_rand"),
        ("association", "Which association rules of the original rows", "rules_f1"),
        ("queries", "How far answers to COUNT queries are from the truth", "median_error"),
    ],
)
def test_other_tasks_need_no_target(task: str, heading: str, score: str, census: Path, called: Any) -> None:
    options = ("--quasi", "age,sex,education", "--others", "drop", "-k", "5", "--methods", "mondrian")
    done = called("evaluate", "people.csv", *options, "--task", task, "--protocol", "holdout", "--workers", "1")
    assert done.status == 0, done.err
    assert heading in done.out
    assert f": {score}, mean over holdout; training rows redrawn" in done.out
    assert "no-information  unanonymized" in done.out
    assert "k=5: best with mondrian and" in done.out
    assert "without information)" in done.out
    with (census.parent / "evaluation.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert [cell["method"] for cell in cells] == ["unanonymized", "no-information", "mondrian"]
    assert all(cell[score] for cell in cells)


def test_queries_by_the_real_command(census: Path, real: Any) -> None:
    options = ("--task", "queries", "--score", "mean_error", "--train", "published", "-k", "5")
    done = real("evaluate", "people.csv", *ROLES, *options, "--methods", "mondrian", "--protocol", "holdout")
    assert (done.status, done.err) == (0, "")
    assert "counts   mondrian" in done.out
    assert ": mean_error, mean over holdout; training rows published." in done.out
