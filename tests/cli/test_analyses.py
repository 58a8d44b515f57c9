"""``hedgerow anonymize --analysis``: words on the screen, figures in the internal report, nothing anywhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import hedgerow as hr

ROWS = 400
ROLES = ("--quasi", "age,town", "--insensitive", "days", "--rows-are-people")
WORDS = (*ROLES, "-k", "20", "--seed", "1", "-o", "out.csv")
PLANNED = ("mean age by town", "crosstab age(35, 55), town", "linear days ~ age + town")
GIVEN = [word for text in PLANNED for word in ("--analysis", text)]


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    random = np.random.default_rng(8)
    age = random.integers(20, 80, ROWS)
    table = {"age": age, "town": random.choice(["Bonn", "Ulm", "Kiel"], ROWS), "days": random.poisson(age / 7)}
    pc.write_csv(pa.table(table), tmp_path / "visits.csv")
    return tmp_path / "visits.csv"


def original_figures(folder: Path) -> set[str]:
    """The figures of the original rows with four digits, without those of the release."""
    found = hr.analyses(folder / "visits.csv", folder / "out.csv", PLANNED)
    table = found.table().to_pydict()
    names = ("original", "original_low", "original_high", "overlap", "relative_error")
    own = {f"{value:.4g}" for name in ("release", "release_low", "release_high") for value in table[name]}
    texts = {f"{value:.4g}" for name in names for value in table[name] if value is not None} - own
    return {text for text in texts if len(text.strip("-0.")) >= 4}


def shown_in(path: Path) -> set[str]:
    return set(re.findall(r"[\d.]+", re.sub(r"<[^>]*>", " ", path.read_text())))


def test_words_on_the_screen_and_figures_in_the_internal_report(run: Any, visits: Path) -> None:
    outcome = run("anonymize", visits.name, *WORDS, *GIVEN, "--report", "out.html")
    assert outcome.status == 0, outcome.err
    for text in PLANNED:
        assert re.search(rf"analysis +{re.escape(text)}: (good|fair|poor)\n", outcome.out)
    folder = visits.parent
    page = (folder / "out.html").read_text()
    assert "Will analyses still hold" in page
    assert "Relative error" in page
    figures = original_figures(folder)
    assert len(figures) > 10
    said = set(re.findall(r"[\d.]+", outcome.out + outcome.err))
    assert not figures & said, "the screen is a log"
    assert not figures & shown_in(folder / "out.csv.manifest.json")


def test_the_public_edition_and_the_manifest_have_no_figure_of_the_original(run: Any, visits: Path) -> None:
    outcome = run("anonymize", visits.name, *WORDS, *GIVEN, "--report", "out.html", "--report-edition", "public")
    assert outcome.status == 0, outcome.err
    folder = visits.parent
    page = (folder / "out.html").read_text()
    assert "of which no figure is shown" in page
    assert "Relative error" not in page
    figures = original_figures(folder)
    assert not figures & shown_in(folder / "out.html")
    assert not figures & shown_in(folder / "out.csv.manifest.json")


def test_a_job_names_analyses(run: Any, visits: Path) -> None:
    (visits.parent / "job.toml").write_text(
        'input = "visits.csv"\noutput = "out.csv"\nquasi = ["age", "town"]\ninsensitive = "days"\nk = 20\n'
        'rows_are_people = true\npublish_proportions = true\nanalyses = ["mean age by town"]\n'
    )
    outcome = run("anonymize", "--job", "job.toml")
    assert outcome.status == 0, outcome.err
    assert re.search(r"analysis +mean age by town: \w+, \w+ on redrawn rows", outcome.out)
    typed = run("anonymize", "--job", "job.toml", "--force", "--analysis", "mean days")
    assert "mean days: good" in typed.out
    assert "mean age" not in typed.out, "typed analyses win"


def test_standard_input_is_read_once(real: Any, visits: Path) -> None:
    outcome = real("anonymize", "-", *WORDS, "--analysis", "mean age by town", stdin=visits.read_bytes())
    assert outcome.status == 0, outcome.err
    assert "mean age by town:" in outcome.out


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        ("average days", "There is no kind of analysis 'average'"),
        ("mean dayz", "Did you mean 'days'"),
        ("mean town", "'town' holds text, where numbers are needed"),
        ("mean days by", "a column is expected where it ends"),
        ("logistic town=Trier ~ age", "no row has the named value of 'town'"),
    ],
)
def test_an_analysis_that_cannot_be_run_leaves_nothing(refused: Any, visits: Path, planned: str, message: str) -> None:
    refused("anonymize", visits.name, *WORDS, "--analysis", planned, words=(message,))
    assert sorted(path.name for path in visits.parent.iterdir()) == ["visits.csv"]


def test_a_column_that_is_not_published(refused: Any, visits: Path) -> None:
    words = ("--quasi", "age,town", "--drop", "days", "-k", "20", "--rows-are-people", "-o", "out.csv")
    why = ("needs the column 'days', which is not published",)
    refused("anonymize", visits.name, *words, "--analysis", "mean days", words=why)


def test_methods_are_compared_by_analyses(run: Any, visits: Path) -> None:
    words = (*ROLES, "-k", "5,50", "--methods", "mondrian", "--protocol", "cv:2", "--workers", "1")
    outcome = run("compare", visits.name, *words, *GIVEN, "--risk-threshold", "0.2")
    assert outcome.status == 0, outcome.err
    assert "overlap" in outcome.out
    assert (visits.parent / "compare.html").exists()


def test_methods_are_evaluated_by_analyses(run: Any, visits: Path) -> None:
    words = (*ROLES, "-k", "5,50", "--methods", "mondrian", "--protocol", "cv:2", "--workers", "1")
    outcome = run("evaluate", visits.name, *words, *GIVEN, "--score", "estimate_error", "--quiet")
    assert outcome.status == 0, outcome.err
    said = run("evaluate", visits.name, *words, *GIVEN, "--force")
    assert "How far the planned analyses agree with those of the original rows: overlap" in said.out
