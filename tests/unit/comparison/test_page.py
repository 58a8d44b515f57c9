"""The page: all of it in one file, the same figures everywhere, and nothing of the table's cells."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.comparison.page import options_for, render
from hedgerow.errors import BadInput


@pytest.fixture(scope="module")
def html(compared: hr.Comparison) -> str:
    return render(compared)


def words_of(html: str) -> str:
    """Its text, with shares as a terminal writes them."""
    return unescape(html).replace("\N{NO-BREAK SPACE}%", "%").replace("\N{NO-BREAK SPACE}", " ")


def test_it_needs_nothing_from_outside(html: str) -> None:
    assert "default-src 'none'" in unescape(html)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", html.partition("<script")[0])
    assert html.count("</script>") == 3


def test_recommendation_table_and_reasons(html: str, compared: hr.Comparison) -> None:
    text = words_of(html)
    found = compared.recommendation
    assert found.choice is not None
    assert f"Take {found.choice.label}" in text
    assert found.reason in text
    for one in compared.choices:
        assert one.label in text, "in the chart's data"
        assert one.reason in text
    for measure in compared.measures:
        assert measure.title in text
        assert measure.meaning in text
    assert "2-fold cv" in text


def test_the_recommended_cells_stand_at_the_top(html: str, compared: hr.Comparison) -> None:
    found = compared.recommendation.choice
    assert found is not None
    assert found.cells is not None
    top = words_of(html).partition('<section class="chapter"')[0]
    for label, share in zip(("Untouched", "Generalized", "Suppressed"), found.cells, strict=True):
        assert re.search(rf"<dt>{label} cells</dt>\s*<dd class=\"value\">{100 * share:.3g}%</dd>", top)
    assert f"Of its cells, {found.cells}." in top
    assert "Scroll the table sideways" in words_of(html)


def test_the_best_of_bad_ones_is_no_good_news(compared: hr.Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared.recommendation
    compared = replace(compared, choices=tuple(replace(one, status="done") for one in compared.choices))
    for void, judgement in ((False, "good"), (True, "note")):
        monkeypatch.setattr(type(compared), "recommendation", replace(found, void=void))
        assert f'<div class="verdict {judgement}">' in render(compared)


def test_there_is_a_view_for_every_pair_of_axes(html: str, compared: hr.Comparison) -> None:
    (content,) = re.findall(r'<script type="application/json" id="comparison-data">(.*?)</script>', html, re.DOTALL)
    data = json.loads(content)
    pairs = {f"{r.name}|{u.name}" for r in compared.measures_of("risk") for u in compared.measures_of("utility")}
    assert set(data["views"]) == pairs
    view = data["views"]["average_risk|ncp_kept"]
    assert [words_of(point["choice"]) for point in view["datasets"]["points"] if point["front"]] == [
        one.label for one in compared.choices if one in compared.frontier("average_risk", "ncp_kept")
    ]
    assert "<svg" in html, "for who has no JavaScript"


def test_options_to_publish_a_choice(compared: hr.Comparison) -> None:
    plain, share = compared.choices[:2]
    assert options_for(compared, plain) == "--method mondrian -k 5"
    assert options_for(compared, share) == "--method mondrian -k 5 --suppression-limit 2%"
    assert options_for(compared, replace(share, suppression_limit=1_200)).endswith("--suppression-limit 1200")
    told = replace(compared, measured=replace(compared.measured, proportions=True))
    assert options_for(told, plain) == "--method mondrian -k 5 --publish-proportions"


def test_what_is_not_finished_is_told(compared: hr.Comparison) -> None:
    first, *others = compared.choices
    begun = replace(first, status="in part")
    stopped = replace(
        compared,
        choices=(begun, *others),
        measured=replace(compared.measured, stopped="time", finished=3),
    )
    text = words_of(render(stopped))
    assert "The time limit was reached before all cells were finished." in text
    assert "3 of 28 cells are finished" in text
    assert "1 choice is not finished: that may change it." in text


def test_nothing_to_recommend(compared: hr.Comparison) -> None:
    text = words_of(render(replace(compared, threshold=0.001)))
    assert "No choice can be recommended" in text
    assert "To publish it" not in text


def test_names_that_look_like_markup(compared: hr.Comparison) -> None:
    odd = replace(compared, choices=tuple(replace(one, method="</script><b>") for one in compared.choices))
    html = render(odd)
    assert "</script><b>" not in html
    assert html.count("</script>") == 3


def test_it_is_written_whole_or_not_at_all(compared: hr.Comparison, tmp_path: Path) -> None:
    path = compared.report(tmp_path / "c.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(BadInput, match="exists already"):
        compared.report(path)
    assert compared.report(path, overwrite=True) == path
    with pytest.raises(BadInput, match="There is no folder"):
        compared.report(tmp_path / "none" / "c.html")
    assert [one.name for one in tmp_path.iterdir() if not one.name.startswith(".")] == ["c.html"]
