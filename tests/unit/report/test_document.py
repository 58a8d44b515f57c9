"""Every part of a report stands alone, says all it is given, and escapes it."""

from __future__ import annotations

import dataclasses
import itertools
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from report_facts import example_facts

from hedgerow.errors import BadInput
from hedgerow.report.document import CHAPTERS, PARTS, render_part, report_page
from hedgerow.report.facts.figures import Figure
from hedgerow.report.facts.sections import ReportFacts

VOID = {"br", "hr", "img", "link", "meta"}


class Checked(HTMLParser):
    """Tags that are closed in the order in which they were opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data.replace("\N{NO-BREAK SPACE}", " ")


def figures_in(value: Any) -> list[Figure]:
    """Every figure of some facts."""
    if isinstance(value, Figure):
        return [value]
    if isinstance(value, tuple):
        return [figure for one in value for figure in figures_in(one)]
    if dataclasses.is_dataclass(value):
        return [figure for field in dataclasses.fields(value) for figure in figures_in(getattr(value, field.name))]
    return []


def test_every_section_of_the_facts_is_in_one_part() -> None:
    about = {"edition", "subject", "title", "made_on", "absent"}
    assert set(PARTS) - {"left_out"} == {field.name for field in dataclasses.fields(ReportFacts)} - about


def test_chapters_follow_the_order_of_the_standard() -> None:
    named = [chapter.title for chapter in CHAPTERS]
    assert named == ["At a glance", "1. Context", "2. Data", "3. Identifiability", "4. Governance"]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_whole_html_that_shows_its_figures_with_their_meaning(name: str) -> None:
    facts = example_facts()
    shown = Checked(render_part(name, facts))

    assert not shown.open
    assert f"part-{name}" in shown.ids
    assert len(shown.ids) == len(set(shown.ids))
    before = {"separation before", "distinction before"}  # in a chart
    for figure in figures_in(getattr(facts, name, None)):
        assert figure.text in shown.text or figure.label in before, figure


@pytest.mark.parametrize("name", PARTS)
def test_what_is_given_is_escaped(name: str) -> None:
    html = render_part(name, example_facts())

    assert not re.search("<(old|area|2026)>", html)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "asked",
            "attempts",
            "safe_harbour",
            "together",
            "columns",
            "association",
            "suppression",
            "utility",
            "analyses",
        ),
        *("roles", "many_rows", "changes", "unique_values", "not_finer"),
    ],
)
def test_a_part_that_the_facts_do_not_tell_is_empty(name: str) -> None:
    facts = example_facts(**{name: None})

    assert render_part(name, facts) == ""
    assert f"part-{name}" not in Checked(report_page(facts)).ids


@pytest.mark.parametrize("name", ["context", "governance"])
def test_that_nobody_answers_for_a_release_is_said(name: str) -> None:
    facts = example_facts(absent={name: "Nobody has said so."}, **{name: None})

    assert "Nobody has said so." in render_part(name, facts)
    assert "Nobody has said so." not in render_part("left_out", facts)


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(BadInput, match="Did you mean 'summary'"):
        render_part("sumary", example_facts())


def test_the_page_holds_all_parts_once_and_asks_for_nothing() -> None:
    html = report_page(example_facts())
    page = Checked(html)

    assert not page.open
    assert {f"part-{name}" for name in PARTS} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert html.startswith("<!doctype html>")
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", html)
    assert "@import" not in html
    assert "http" not in re.sub('xmlns(:xlink)?="[^"]*"|http-equiv', "", html)


def test_headings_skip_no_level() -> None:
    levels = [int(level) for level in re.findall("<h([1-6])", report_page(example_facts()))]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


def test_the_first_screen_names_thresholds_and_counts_people() -> None:
    summary = Checked(render_part("summary", example_facts())).text

    assert (
        "Of thresholds that others use, the highest risk (0.1) is within 33 % (k = 3), and above 5 % (k = 20)."
        in summary
    )
    assert "900" in summary


def test_what_the_headline_does_not_cover_is_a_verdict_of_its_own() -> None:
    facts = example_facts()
    beyond = "Over all columns together, somebody is unique."
    told = render_part("summary", dataclasses.replace(facts, summary=dataclasses.replace(facts.summary, beyond=beyond)))
    assert re.findall(r'<div class="verdict (\w+)">', told) == ["good", "note"]
    assert beyond in Checked(told).text
    assert render_part("summary", facts).count('<div class="verdict') == 1


@pytest.mark.parametrize(
    ("within", "words"),
    [
        ((True, True), "within all thresholds that others use: 33 % (k = 3) and 5 % (k = 20)."),
        ((False, False), "above all"),
    ],
)
def test_a_risk_on_one_side_of_all_thresholds(within: tuple[bool, bool], words: str) -> None:
    facts = example_facts()
    attackers = tuple(
        dataclasses.replace(
            one,
            levels=tuple(
                dataclasses.replace(level, within=is_within)
                for level, is_within in zip(one.levels, within, strict=True)
            ),
        )
        for one in facts.attackers.attackers
    )
    facts = dataclasses.replace(facts, attackers=dataclasses.replace(facts.attackers, attackers=attackers))
    assert words in Checked(render_part("summary", facts)).text


def test_attacks_are_told_with_their_excess_in_words_and_those_not_tried_with_a_reason() -> None:
    told = Checked(render_part("attempts", example_facts())).text

    for words in (
        "30 points (20 to 40)",
        "Finds out more",
        "-2 points (-5 to 10)",
        "Nothing beyond chance",
        "Label was not tried. The release has no target",
        "Only 60% of members fit a class.",
    ):
        assert words in told


def test_verdicts_are_told_by_words() -> None:
    asked = Checked(render_part("asked", example_facts())).text

    for words in ("Holds", "Fails", "Promises nothing"):
        assert words in asked
