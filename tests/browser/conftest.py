"""Chromium, and the reports that are opened in it. One browser in each process, one release for both editions."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from required_parts import do_without

import hedgerow as hr
from hedgerow.cli import main

CONTEXT = {"recipient": "the university", "release-model": "non-public", "purpose": "research on readmissions"}
GOVERNANCE = {"signatory": "A. Steward", "evaluate-again": "when another table of the same people is released"}
QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it a test is skipped, unless it must be there."""
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        do_without("browser", "The pages are opened in Chromium (type: sudo apt install chromium)")
    with sync_playwright() as playwright:
        # Chromium does not start as root in its sandbox; what it opens are our own files.
        yield playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


@dataclass
class Opened:
    """A page in the browser, and what it asked for or complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Open a file: with a width, in light or dark mode."""
    contexts = []

    def opener(path: Path, *, width: int = 1280, mode: Any = "light") -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode)
        contexts.append(context)
        one = Opened(context.new_page())
        one.page.on("request", lambda request: one.requests.append(request.url))
        one.page.on("console", lambda message: one.complaints.append(message.text))
        one.page.on("pageerror", lambda error: one.complaints.append(str(error)))
        one.page.goto(path.resolve().as_uri())
        return one

    yield opener
    for context in contexts:
        context.close()


def _demo(folder: Path) -> dict[str, Path]:
    """The report that the demo writes, as it writes it, and the public edition of the files beside it."""
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["demo", "--folder", str(folder)]) == 0
    public = hr.Release.load(folder / "release.csv").report(folder / "public.html", edition="public")
    return {"internal": folder / "report.html", "public": public}


def _hospital() -> hr.Release:
    schema = hr.Schema(
        quasi=["born", "sex", "postcode", "admitted"],
        target="readmitted",
        sensitive=["icd10"],
        identifying=["name", "case", "birth_year", "note"],
        insensitive=["ward", "triage", "days"],
        entity="patient_id",
        hierarchies={"postcode": "masking:1,2,3", "born": "dates:year,decade", "admitted": "dates:month,year"},
    )
    visits = hr.datasets.make_hospital(1_500, random_state=7)
    return hr.anonymize(visits, schema, require=[hr.KAnonymity(5), hr.LDiversity(2, "icd10")], random_state=7)


def _adult(method: str) -> Callable[[Path], hr.Release]:
    def make(folder: Path) -> hr.Release:
        rows = pl.read_csv(folder / "adult" / "adult_train.csv.gz", infer_schema=False)
        rows = rows.with_columns(pl.col("age").cast(pl.Int64)).select(*QUASI, "hours-per-week", "salary-class")
        schema = hr.Schema(quasi=QUASI, target="salary-class", insensitive=["hours-per-week"], missing=("?",))
        return hr.anonymize(rows, schema, method=method, k=10, random_state=7)

    return make


REAL: dict[str, Callable[[Path], hr.Release]] = {
    f"Adult by {method}": _adult(method) for method in ("mondrian", "kactus", "hedge")
}


@pytest.fixture(scope="session", params=["demo", "hospital", *REAL, "audit"])
def reports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of one release, by edition."""
    name = request.param
    folder = tmp_path_factory.mktemp("reports")
    if name == "demo":
        return _demo(folder)
    subject: Any
    if name == "audit":
        table = hr.datasets.make_census(500, random_state=7)
        subject = hr.audit(table, quasi=["age", "sex"], sensitive=["disease"], k=5)
    else:
        subject = REAL[name](request.getfixturevalue("data_folder")) if name in REAL else _hospital()
    return {
        edition: subject.report(folder / f"{edition}.html", edition=edition, context=CONTEXT, governance=GOVERNANCE)
        for edition in ("internal", "public")
    }
