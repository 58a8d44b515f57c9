"""The section about analyses: figures of the original in the internal edition, and none in the public one."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.estimates.agreement import Bounds
from hedgerow.evaluation.estimates.results import Analyses, AnalysisResult, Estimate
from hedgerow.report.document import ReportOptions, make_report
from hedgerow.report.facts import gather
from hedgerow.report.facts._analyses import FEWEST_OF_WORD, MOST_WORDS
from hedgerow.report.facts.sections import AnalysesFacts

RANDOM = np.random.default_rng(3)
ROWS = 500
AGE = RANDOM.integers(20, 80, ROWS)
TOWNS = [*RANDOM.choice(["Bonn", "Ulm", "Kiel"], ROWS - 1).tolist(), "Zebulon"]
PEOPLE = pa.table(
    {"age": AGE, "town": TOWNS, "days": RANDOM.poisson(AGE / 7), "ill": RANDOM.choice(["no", "yes"], ROWS)}
)
SCHEMA = hr.Schema(quasi=["age", "town"], insensitive=["days", "ill"])
PLANNED = [
    "crosstab town, ill",
    "mean age by town",
    "mean days by age(35, 55)",
    "linear days ~ age + town",
    "logistic ill ~ age",
    "crosstab age",  # intervals cannot be read as groups
]


@pytest.fixture(scope="module", params=[False, True], ids=["cells", "proportions"])
def release(request: Any) -> hr.Release:
    return hr.anonymize(PEOPLE, SCHEMA, k=20, method="mondrian", random_state=1, publish_proportions=request.param)


def section(release: hr.Release, found: Any, edition: Any = "internal") -> AnalysesFacts:
    facts = gather(release, edition=edition, analyses=found).analyses
    assert facts is not None
    return facts


def figures(found: Analyses) -> Iterator[float]:
    """Everything that was computed from the original rows."""
    for result in found.results:
        yield from (value for value in (result.overlap, result.error) if value is not None)
        for estimate in result.estimates:
            own = (estimate.original, *(estimate.original_bounds or ()), estimate.overlap, estimate.error)
            yield from (value for value in own if value is not None)


def with_other_original(found: Analyses) -> Analyses:
    """The same with other figures of the original rows, and the same words."""

    def other(estimate: Estimate) -> Estimate:
        if estimate.original is None:
            return estimate
        bounds = estimate.original_bounds and Bounds(*(end * 1.002 for end in estimate.original_bounds))
        support = estimate.original_support + 1
        value = estimate.original * 1.002
        return dataclasses.replace(estimate, original=value, original_bounds=bounds, original_support=support)

    def moved(result: AnalysisResult) -> AnalysisResult:
        # A group that only the original has, and others that it has no more.
        invented = Estimate(("Nowhere",), 0.25, None, Bounds(0.2, 0.3), None, 30.0, 0.0)
        kept = tuple(map(other, result.estimates))
        more = (invented,) if result.agreement == "poor" and not result.reason else ()
        reason = f"{result.original_reason} 4711" if result.original_reason else ""
        return dataclasses.replace(
            result,
            estimates=(*kept, *more),
            original_rows=result.original_rows - 1,
            original_units=result.original_units + 3,
            original_reason=reason,
        )

    return dataclasses.replace(found, results=tuple(map(moved, found.results)), rows=found.rows + 7)


def test_the_internal_edition_shows_both_tables(release: hr.Release) -> None:
    found = hr.analyses(PEOPLE, release, PLANNED, draws=2)
    facts = section(release, found)
    assert [row.analysis for row in facts.rows] == [result.analysis for result in found.results]
    assert [row.agreement for row in facts.rows] == [result.agreement for result in found.results]
    first = facts.rows[0]
    kiel = next(estimate for estimate in first.estimates if estimate.name == "Kiel, no")
    exact = next(estimate for estimate in found.results[0].estimates if estimate.name == ("Kiel", "no"))
    assert kiel.original == pytest.approx(exact.original, rel=0.1)
    assert kiel.release == pytest.approx(exact.release, rel=1e-3)
    html = make_report(release, ReportOptions(analyses=found))
    assert "Will analyses still hold" in html
    assert "crosstab town, ill" in html


def test_the_internal_edition_shows_no_value_of_few(release: hr.Release) -> None:
    """One person is of Zebulon. Where the release names the town, in a set, the original's share is left out."""
    found = hr.analyses(PEOPLE, release, ["crosstab town, ill", "mean age by town", "linear days ~ town"], draws=2)
    for row in section(release, found).rows:
        for estimate in row.estimates:
            if "Zebulon" in estimate.name:
                assert (estimate.original, estimate.original_low, estimate.overlap) == (None, None, None)
    published = any("Zebulon" in str(cell) for cell in release.table["town"].to_pylist())
    if not published:
        assert "Zebulon" not in make_report(release, ReportOptions(analyses=found))


def test_the_public_edition_does_not_depend_on_the_original_but_for_words(release: hr.Release) -> None:
    """Other original figures with the same words give the same page, sign by sign."""
    found = hr.analyses(PEOPLE, release, PLANNED, draws=2)
    other = with_other_original(found)
    assert [result.agreement for result in other.results] == [result.agreement for result in found.results]
    assert list(figures(other)) != list(figures(found))
    pages = [make_report(release, ReportOptions(edition="public", analyses=each)) for each in (found, other)]
    assert pages[0] == pages[1]
    internal = [make_report(release, ReportOptions(analyses=each)) for each in (found, other)]
    assert internal[0] != internal[1], "the test would see a difference"


def test_no_figure_of_the_original_stands_in_the_public_edition_or_the_manifest(release: hr.Release) -> None:
    found = hr.analyses(PEOPLE, release, PLANNED, draws=2)
    own = {
        f"{value:.4g}"
        for result in found.results
        for estimate in result.estimates
        for value in (estimate.release, *(estimate.release_bounds or ()))
        if value is not None
    }
    # Drawn rows are others in every run, and so is what they have in common with the page by chance.
    drawn_once = dataclasses.replace(found, results=tuple(one for one in found.results if one.reading == "published"))
    texts = {f"{value:.4g}" for value in figures(drawn_once)} - own
    texts = {text for text in texts if len(text.strip("-0.")) >= 4}
    assert len(texts) > 20
    page = make_report(release, ReportOptions(edition="public", analyses=found))
    # In tags there are thousands of coordinates, and the test above compares them.
    shown = set(re.findall(r"[\d.]+", re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)))
    assert not texts & shown
    assert not [text for text in texts if text in str(release.manifest)]
    assert own & shown, "the release's own figures are there"


def test_the_public_edition_has_a_word_but_no_overlap(release: hr.Release) -> None:
    found = hr.analyses(PEOPLE, release, PLANNED, draws=2)
    for row, result in zip(section(release, found, "public").rows, found.results, strict=True):
        assert (row.overlap, row.error) == (None, None)
        assert row.agreement == (result.agreement if result.original_units >= FEWEST_OF_WORD else None)
        assert all(estimate.original is None and estimate.overlap is None for estimate in row.estimates)


def test_words_of_few_rows_and_of_too_many_analyses_are_withheld(release: hr.Release) -> None:
    found = hr.analyses(PEOPLE, release, [f"mean days by age({at})" for at in range(30, 30 + MOST_WORDS + 2)], draws=2)
    rows = section(release, found, "public").rows
    worded = list(dict.fromkeys(row.analysis for row in rows if row.agreement is not None))
    assert len(worded) == MOST_WORDS
    few = dataclasses.replace(
        found, results=tuple(dataclasses.replace(each, original_units=FEWEST_OF_WORD - 1) for each in found.results)
    )
    assert {row.agreement for row in section(release, few, "public").rows} == {None}
    assert {row.agreement for row in section(release, few).rows} != {None}, "the publisher sees them"


def test_why_the_original_cannot_be_analysed_is_not_public() -> None:
    people = pa.table({"age": list(range(200)), "ill": ["n"] * 100 + ["y"] * 100})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], insensitive=["ill"]), k=50, method="mondrian")
    found = hr.analyses(people, release, ["logistic ill ~ age"])
    assert "separate" in " ".join(section(release, found).rows[0].notes) + found.results[0].reason
    (row,) = section(release, found, "public").rows
    assert not [note for note in row.notes if "original" in note]


def test_a_report_without_analyses_says_so_and_refuses_anything_else(release: hr.Release) -> None:
    facts = gather(release)
    assert facts.analyses is None
    assert "hr.analyses" in facts.absent["analyses"]
    with pytest.raises(hr.BadInput, match=r"what hr\.analyses returned"):
        gather(release, analyses={"overlap": 1.0})
