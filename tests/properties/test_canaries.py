"""No output ever shows a planted value: of a column that identifies, or held by fewer than k people.

A column of everybody's name holds nothing else than canaries; every other column holds some that few people have:
words, numbers, dates and formulas, in columns of every role. They are looked for in reports of both editions, of
releases, of releases that were loaded and of audits, in manifests, in pages of comparisons, in the files of an
evaluation, in suggested jobs, in what notebooks show, in what every command prints, and in everything that is logged at
the finest level. What is refused is searched in ``tests/cli``.
"""

from __future__ import annotations

import html
import json
import logging
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.cli import main

K = 5
PEOPLE = 240
NAME = "Zebulon"
"""Every name begins so."""
RARE = {
    "town": "Quillby",
    "job": "falconer",
    "age": 98_765,
    "born": "1871-03-09",
    "disease": "kuru",
    "income": "boundless",
    "shoe": "winklepicker",
    "code": "=SUM(Q7:Q9)",
    "seen": "1873-11-23",
    "badge": 86_420,
    "score": 31_415,
    "wish": "@canary(1)",
}
"""One value in each column that fewer than K people hold."""


def people(random_state: int) -> pa.Table:
    """A table in which each canary is held by one to K - 1 people, and everything else by many."""
    random = np.random.default_rng(random_state)

    def column(name: str, common: list[Any]) -> list[Any]:
        values = random.choice(np.array(common, dtype=object), PEOPLE)
        holders = random.choice(PEOPLE, random.integers(1, K), replace=False)
        values[holders] = RARE[name]
        return list(values)

    return pa.table(
        {
            "name": [f"{NAME}{at:04}" for at in range(PEOPLE)],
            "town": column("town", ["Ulm", "Bern", "Kiel", "Nice"]),
            "job": column("job", ["nurse", "clerk", "cook"]),
            "age": column("age", [30, 31, 32, 40, 41, 50, 60]),
            "born": column("born", ["1950-01-01", "1960-01-01", "1970-01-01"]),
            "disease": column("disease", ["flu", "cold", "gout", "croup"]),
            "income": column("income", ["low", "high"]),
            "shoe": column("shoe", ["boot", "clog"]),
            "code": column("code", ["=A1", "plain"]),
            "seen": column("seen", ["2001-01-01", "2002-01-01"]),
            "badge": column("badge", [1, 2]),
            "score": column("score", [7, 8, 9]),
            "wish": column("wish", ["+1", "none"]),
        }
    )


SCHEMA = hr.Schema(
    identifying=["name"],
    quasi=["town", "job", "age", "born", "wish"],
    sensitive=["disease", "score"],
    target="income",
    insensitive=["shoe", "code", "seen", "badge"],
    kinds={"born": "date"},
    hierarchies={"town": "flat", "job": "flat", "born": "dates:year,decade", "wish": "flat"},
)
METHODS = ("mondrian", "kactus", "hedge", "datafly")


def canaries(release: hr.Release) -> list[str]:
    """What must not be shown; a published cell of at least K people may be, with whatever is written in it."""
    published = Counter(cell for name in release.quasi for cell in map(str, _column(release.table, name)))
    written = [cell for cell, held in published.items() if held >= K]
    rare = [str(value) for value in RARE.values()]
    return [NAME, *(value for value in rare if not any(value in cell for cell in written))]


def _column(table: Any, name: str) -> list[Any]:
    cells: list[Any] = table.column(name).to_pylist()
    return cells


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
def test_no_output_shows_a_canary(method: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log_everything(caplog)
    table = people(METHODS.index(method))
    release = hr.anonymize(table, SCHEMA, method=method, k=K, random_state=3)
    out = release.save(tmp_path / "out.csv")
    hidden = canaries(release)
    in_clear = ("disease", "score", "income", "shoe", "code", "seen", "badge")
    assert {NAME, *(str(RARE[name]) for name in in_clear)} <= set(hidden)

    shown = {"manifest": json.dumps(release.manifest, ensure_ascii=False), "repr": repr(release)}
    shown["saved"] = (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    shown["notebook"] = release._repr_html_() + release.audit._repr_html_() + release.audit.render()
    original = hr.audit(table, quasi=release.quasi, sensitive=["disease"], target="income", k=K)
    subjects: list[tuple[str, Any, Any]] = [
        ("release", release, "internal"),
        ("release", release, "public"),
        ("loaded release", hr.Release.load(out), "internal"),
        ("audit of the release", hr.audit(release, quasi=release.quasi, sensitive=["disease"], k=K), "internal"),
        ("audit of the original", original, "internal"),
    ]
    for name, subject, edition in subjects:
        page = subject.report(tmp_path / f"{name} {edition}.html", edition)
        shown[f"{name}, {edition}"] = page.read_text(encoding="utf-8")
    shown["log"] = caplog.text

    assert found_in(shown, hidden) == {}


def log_everything(caplog: pytest.LogCaptureFixture) -> None:
    """Catch all that Hedgerow and the libraries log."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("numba").setLevel(logging.INFO)  # at the finest level it tells its own bytecode, slowly


def found_in(shown: dict[str, str], hidden: list[str]) -> dict[str, list[str]]:
    """Which canaries stand where, as they are or as a page or a JSON text writes them."""
    written = {one: {one, html.escape(one), json.dumps(one)[1:-1], quote(one)} for one in hidden}
    found = {
        where: [one for one in hidden if any(form in text for form in written[one])] for where, text in shown.items()
    }
    return {where: values for where, values in found.items() if values}


ROLES = (
    *("--quasi", "town,job,age,born,wish", "--sensitive", "disease,score", "--target", "income", "--drop", "name"),
    *("--insensitive", "shoe,code,seen,badge"),
)
AUDITED = ("--quasi", "town,job,age,born,wish", "--sensitive", "disease,score")
SMALL = ("--methods", "mondrian,kactus", "--learners", "naive-bayes", "--protocol", "cv:2", "--workers", "1")
COMMANDS: dict[str, tuple[str, ...]] = {
    "anonymize": (*ROLES, "-k", str(K), "-o", "out.csv", "--report", "out.html", "--seed", "3"),
    "audit": (*AUDITED, "-k", str(K), "--report", "audit.html"),
    "audit --json": (*AUDITED, "-k", str(K), "--require", "l=2@disease"),
    "audit --population": (*AUDITED, "--population", "people.csv"),
    "check": (*AUDITED, "-k", str(K), "--require", "t=0.1@score"),
    "check --json": (*AUDITED, "-k", str(K)),
    "advise": (),
    "advise --json": ("--target", "income", "-o", "other.toml"),
    "evaluate": (*ROLES, "-k", "5,20", *SMALL, "-o", "evaluation.csv"),
    "compare": (*ROLES, "-k", "5,20", *SMALL, "-o", "comparison.html"),
    "compare --json": (*ROLES, "-k", "5", *SMALL, "-o", "another.html"),
}


@pytest.mark.compiled
def test_no_command_tells_a_canary(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    log_everything(caplog)
    people(1).to_pandas().to_csv("people.csv", index=False)
    shown = {}
    for name, options in COMMANDS.items():
        command, *flag = name.split()
        others = ("--json",) if flag == ["--json"] else ()
        status = main([command, "people.csv", *options, *others])
        out, err = capfd.readouterr()
        assert status in ((0, 3) if command in ("audit", "check") else (0,)), f"{name}: {err}"
        shown[name] = out + err
    shown["log"] = caplog.text
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if path.name != "people.csv"}
    table = written.pop("out.csv")
    assert {"out.html", "job.toml", "other.toml", "evaluation.csv", "comparison.html"} <= set(written)

    hidden = [NAME, *(str(value) for value in RARE.values())]
    assert found_in({"out.csv": table}, hidden)["out.csv"], "the table has columns in clear"
    assert found_in({**shown, **written}, hidden) == {}


@pytest.mark.compiled
def test_no_notebook_shows_a_canary(tmp_path: Path) -> None:
    table = people(2)
    work: dict[str, Any] = {"methods": ["mondrian"], "k": [5], "learners": ["naive-bayes"], "protocol": ("cv", 2)}
    results = {
        "schema": SCHEMA,
        "advice": hr.advise(table, trial=False),
        "check": hr.check(table, quasi=["town", "age"], k=K),
        "evaluation": hr.evaluate(table, SCHEMA, workers=1, **work),
        "comparison": hr.compare(table, SCHEMA, workers=1, **work),
        "recoding": hr.anonymize(table, SCHEMA, k=K).recoding,
    }
    shown = {name: repr(one) + str(getattr(one, "_repr_html_", str)()) for name, one in results.items()}
    assert found_in(shown, [NAME, *(str(value) for value in RARE.values())]) == {}


def test_the_canaries_are_rare_and_would_be_found() -> None:
    """The test above could pass because nothing was planted, or looked for in the wrong place."""
    table = people(0)
    for name, value in RARE.items():
        assert 0 < _column(table, name).count(value) < K
    assert len(set(_column(table, "name"))) == PEOPLE
    release = hr.anonymize(table, SCHEMA, k=K, random_state=3)
    assert str(RARE["disease"]) in "".join(map(str, _column(release.table, "disease")))
