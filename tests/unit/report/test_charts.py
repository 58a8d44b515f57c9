"""Charts draw what the facts say, and tell it without colour."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from report_facts import example_facts

from hedgerow.report import charts
from hedgerow.report.facts.figures import Bar
from hedgerow.report.facts.sections import ClassSizes, ColumnFacts, ReportFacts, SizeGroup
from hedgerow.report.svg import Drawing

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def facts() -> ReportFacts:
    return example_facts()


def texts(drawing: Drawing | None) -> list[str]:
    assert drawing is not None
    return [element.text or "" for element in ET.fromstring(drawing.svg).iter(f"{SVG}text")]


def filled(drawing: Drawing | None, colour: str) -> list[ET.Element]:
    assert drawing is not None
    wanted = f"var(--{colour})"
    return [element for element in ET.fromstring(drawing.svg).iter(f"{SVG}path") if element.get("fill") == wanted]


def left_end(bar: ET.Element) -> float:
    found = re.match(r"M(-?[\d.]+),", bar.get("d", ""))
    assert found is not None
    return float(found.group(1))


def sizes(threshold: int | None, *groups: tuple[int, int]) -> ClassSizes:
    """Classes of so many records, at most twenty in each group."""
    share = 1 / len(groups)
    histogram = tuple(
        SizeGroup(low, high, f"{low}–{high}", 2, 20, share, share * (at + 1)) for at, (low, high) in enumerate(groups)
    )
    return dataclasses.replace(example_facts().classes, threshold=threshold, histogram=histogram, figures=())


def test_a_bar_for_each_group_of_classes_and_a_rule_at_k(facts: ReportFacts) -> None:
    drawn = charts.size_chart(facts.classes)

    assert len(filled(drawn, "after")) == 3
    assert "k = 10" in texts(drawn)
    assert drawn.rows[0] == ("8–15", "30", "400", "44.4 %", "44.4 %")
    assert "No class is left of the line" in drawn.says


def test_no_bar_begins_before_the_smallest_class(facts: ReportFacts) -> None:
    """The smallest class has 12, so that nothing may seem to be below k = 10."""
    first = min(map(left_end, filled(charts.size_chart(facts.classes), "after")))
    rule = next(
        element for element in ET.fromstring(charts.size_chart(facts.classes).svg).iter(f"{SVG}line")
        if element.get("stroke") == "var(--limit)"
    )  # fmt: skip
    at = re.match(r"translate\(([\d.]+)", rule.get("transform", ""))
    assert at is not None
    assert first > float(at.group(1))


def test_a_rule_beyond_all_classes_is_in_the_chart() -> None:
    drawn = charts.size_chart(sizes(50, (2, 3), (8, 15)))
    rule = next(one for one in ET.fromstring(drawn.svg).iter(f"{SVG}line") if one.get("stroke") == "var(--limit)")
    at, width = re.match(r"translate\(([\d.]+)", rule.get("transform", "")), ET.fromstring(drawn.svg).get("viewBox", "")
    assert at is not None
    assert float(at.group(1)) < float(width.split()[2])


def test_classes_that_are_too_small_are_said() -> None:
    assert "smaller than was asked" in charts.size_chart(sizes(10, (2, 3), (8, 15), (16, 31))).says
    assert "line at k" not in charts.size_chart(sizes(None, (2, 3))).says


def test_thresholds_and_attackers_are_named(facts: ReportFacts) -> None:
    said = texts(charts.risk_chart(facts.attackers))

    assert {"k =", "3", "20", "prosecutor", "journalist", "marketer", "highest", "average"} <= set(said)


def test_before_is_hollow_and_after_is_full(facts: ReportFacts) -> None:
    assert facts.columns is not None
    drawn = charts.column_chart(facts.columns.columns[0], 0)

    hollow = [bar for bar in filled(drawn, "ground") if bar.get("stroke") == "var(--before)"]
    legend = 1
    assert len(hollow) == len(filled(drawn, "after")) == 2 + legend
    assert {"before", "after", "young", "<old> & others"} <= set(texts(drawn))


def test_what_may_not_be_told_is_not_drawn(facts: ReportFacts) -> None:
    assert facts.columns is not None
    bars = (Bar("young", "value", None, 0.4), Bar("others", "others", None, 0.6))
    column: ColumnFacts = dataclasses.replace(facts.columns.columns[0], bars=bars)
    drawn = charts.column_chart(column, 0)

    assert drawn is not None
    assert "before" not in texts(drawn)
    assert drawn.rows[0] == ("young", "not shown", "40 %")


@pytest.mark.parametrize(("change", "step"), [(0.0, 0), (-0.03, 1), (0.05, 2), (-0.19, 3), (0.9, 4)])
def test_a_cell_of_the_heatmap_has_its_number_and_its_step(change: float, step: int, facts: ReportFacts) -> None:
    assert facts.association is not None
    pair = dataclasses.replace(facts.association.pairs[0], change=change)
    drawn = charts.association_chart(dataclasses.replace(facts.association, pairs=(pair,)))

    assert len(filled(drawn, f"step-{step}")) == 1
    assert ("0.00" if not change else f"{change:+.2f}".replace("-", "−")) in texts(drawn)


def test_the_heatmap_of_a_recipient_shows_the_ties_as_they_are(facts: ReportFacts) -> None:
    assert facts.association is not None
    pairs = tuple(dataclasses.replace(one, before=None, change=None) for one in facts.association.pairs)
    drawn = charts.association_chart(dataclasses.replace(facts.association, pairs=pairs))

    assert "0.41" in texts(drawn)
    assert drawn is not None
    assert "in the release" in drawn.heading


def test_learners_are_between_the_majority_and_the_original(facts: ReportFacts) -> None:
    assert facts.utility is not None
    drawn = charts.learner_chart(facts.utility)

    assert drawn is not None
    assert {"majority", "this release", "original rows", "c45, k = 10", "mlp"} <= set(texts(drawn))
    assert drawn.rows[1] == ("mlp", "0.760", "not measured", "0.860")


def test_attacks_that_work_have_a_full_mark_right_of_zero(facts: ReportFacts) -> None:
    assert facts.attempts is not None
    drawn = charts.attempt_chart(facts.attempts)
    assert drawn is not None
    assert {"membership", "minimality", "finds out more", "nothing beyond chance"} <= set(texts(drawn))
    # One mark, and one in the legend.
    assert len(filled(drawn, "after")) == len(filled(drawn, "ground")) == 2
    assert drawn.rows == (("membership", "30", "20", "40"), ("minimality", "-2", "-5", "10"))
    few = dataclasses.replace(facts.attempts.attempts[1], judgement="note", verdict="Too few to say")
    drawn = charts.attempt_chart(dataclasses.replace(facts.attempts, attempts=(facts.attempts.attempts[0], few)))
    assert drawn is not None
    assert "too few to say" in texts(drawn)
    assert len(filled(drawn, "after")) == 2
    assert charts.attempt_chart(dataclasses.replace(facts.attempts, attempts=())) is None


def test_where_there_is_nothing_to_draw_nothing_is_drawn(facts: ReportFacts) -> None:
    assert facts.columns is not None
    assert facts.association is not None
    assert facts.suppression is not None
    assert facts.utility is not None
    bare: Any = dict.fromkeys(("ncp", "entropy_kept", "separation", "separation_before"))
    columns = tuple(dataclasses.replace(one, bars=(), **bare) for one in facts.columns.columns)
    nothing = dataclasses.replace(facts.columns, columns=columns)
    hidden = tuple(dataclasses.replace(one, cells=0.0) for one in facts.suppression.labels)

    assert charts.column_chart(columns[0], 0) is None
    assert charts.kept_chart(nothing) is None
    assert charts.identifying_chart(nothing) is None
    assert charts.association_chart(dataclasses.replace(facts.association, pairs=())) is None
    assert charts.label_chart(dataclasses.replace(facts.suppression, labels=hidden)) is None
    assert charts.learner_chart(dataclasses.replace(facts.utility, rows=())) is None


def test_estimates_stand_beside_those_of_the_original() -> None:
    facts = example_facts().analyses
    assert facts is not None
    drawn = charts.estimate_chart(0, facts.rows[0])
    assert drawn is not None
    assert drawn.columns[3] == "original rows"
    assert drawn.rows[0] == ("surgery", "4.5", "4.1 to 4.9", "4.7", "4.4 to 5", "0.71")
    assert drawn.rows[1][2:] == ("–", "few records", "–", "–")
    assert charts.estimate_chart(1, facts.rows[1]) is None, "nothing was estimated"


def test_without_the_original_nothing_is_said_of_it() -> None:
    facts = example_facts().analyses
    assert facts is not None
    estimates = tuple(
        dataclasses.replace(each, original=None, original_low=None, original_high=None, overlap=None)
        for each in facts.rows[0].estimates
    )
    drawn = charts.estimate_chart(0, dataclasses.replace(facts.rows[0], estimates=estimates))
    assert drawn is not None
    assert drawn.columns == ("estimate", "this release", "95 % interval")
    assert "original" not in drawn.says + str(drawn.svg)
