"""How objects look where they are typed: short, escaped, and without a cell."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow._internal.notebook import MOST_NAMES

SCRIPT = "<script>alert('x')</script>"
SVG = {"title", "desc", "g", "path", "line", "text", "rect", "circle", "defs", "clippath"}
CELLS = ("Soglio", "87654", "Zebulon", "pox")


class Tags(HTMLParser):
    """Writes down the tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def release() -> hr.Release:
    people = pa.table(
        {
            SCRIPT: ["Soglio", "Soglio", "Ulm", "Ulm", "Soglio", "Ulm"],
            "age": [87654, 87654, 20, 21, 87654, 20],
            "disease": ["pox", "flu", "pox", "flu", "pox", "flu"],
        }
    )
    schema = hr.Schema(
        quasi=[SCRIPT, "age"],
        target="disease",
        hierarchies={SCRIPT: {"*": {"Zebulon": ["Soglio"], "Bavaria": ["Ulm"]}}},
    )
    return hr.anonymize(people, schema, k=3, publish_proportions=True)


@pytest.fixture(params=["schema", "recoding", "release", "audit", "proportions"])
def shown(request: pytest.FixtureRequest, release: hr.Release) -> Any:
    if request.param == "schema":
        return hr.Schema(
            quasi=[SCRIPT],
            hierarchies={SCRIPT: {"*": {"Zebulon": ["Soglio"]}}},
            kinds={"age": ["pox", "87654"]},
        )
    return release if request.param == "release" else getattr(release, request.param)


def test_no_cell_is_shown(shown: Any) -> None:
    for text in (repr(shown), shown._repr_html_()):
        assert not [cell for cell in CELLS if cell in text]
        assert "script" in text, "the columns are"


def test_a_notebook_gets_no_tag_but_our_own(shown: Any) -> None:
    page = Tags(shown._repr_html_())
    assert "pre" in page.tags
    assert set(page.tags) <= {"pre", "div", "style", "figure", "figcaption", "svg", *SVG}
    assert SCRIPT in page.text or repr(SCRIPT) in page.text


def test_releases_and_audits_are_shown_with_charts_that_do_not_collide(release: hr.Release) -> None:
    pages = [release._repr_html_(), release._repr_html_(), release.audit._repr_html_()]
    for page in pages:
        assert Tags(page).tags.count("svg") == 2
    ids = [one for page in pages for one in re.findall(r' id="([^"]+)"', page)]
    assert len(ids) == len(set(ids))


def test_a_few_lines(shown: Any) -> None:
    assert repr(shown).count("\n") < 6
    assert len(repr(shown)) < 400


def test_of_many_columns_the_first_ones() -> None:
    columns = [f"column{n:02}" for n in range(MOST_NAMES + 12)]
    table = pa.table({name: [1, 1, 2, 2] for name in columns})
    schema = hr.Schema(quasi=columns, hierarchies=dict.fromkeys(columns, "flat"))
    release = hr.anonymize(table, schema, k=2, publish_proportions=True)
    for one in (schema, release, release.recoding, release.proportions, release.audit):
        text = repr(one)
        assert "column19" in text
        assert "column20" not in text
        assert "and 12 more" in text
    assert "column19 and 12 more\n" in release.audit.render()


def test_an_audit_is_printed_as_it_is_rendered(release: hr.Release) -> None:
    assert str(release.audit) == release.audit.render()
    assert f"{release.audit}" == release.audit.render()
    assert release.audit.render().strip() in Tags(release.audit._repr_html_()).text
    assert "k = 3" in repr(release.audit)


def test_a_schema_shows_what_differs_from_the_defaults() -> None:
    assert repr(hr.Schema()) == "Schema()"
    schema = hr.Schema(
        quasi=["age", "zip"],
        target="ill",
        others="drop",
        missing=["", "?"],
        hierarchies={
            "zip": "masking:2,3",
            "age": hr.hierarchies.intervals(width=10),
            "ill": {"any": ["a", "b"]},
            "job": "jobs.csv",
        },
        kinds={"zip": "text", "ill": ["b", "a"]},
    )
    assert repr(schema) == (
        "Schema(quasi=['age', 'zip'], target='ill', hierarchies={'zip': masking, 'age': Intervals, 'ill': taxonomy, "
        "'job': csv file}, kinds={'zip': text, 'ill': order of 2}, missing=['', '?'], others='drop')"
    )


def test_what_a_release_says(release: hr.Release) -> None:
    first, second, third, fourth, fifth = repr(release).splitlines()
    assert first == "Release(mondrian, 3-anonymity)"
    assert second.strip() == "6 rows in 2 classes, k = 3"
    assert third.strip() == f"quasi-identifiers: {SCRIPT!r}, 'age'"
    assert (fourth.strip(), fifth.strip()) == ("target: 'disease'", "proportions of at least 3 people")
    assert repr(release.recoding).startswith("Recoding(mondrian, private: 2 groups of 6 records")
    assert repr(release.proportions).startswith("Proportions(of 6 people in 2 classes, each of at least 3")


def test_a_weak_release_says_so() -> None:
    people = pa.table({"a": ["x", "y", "x", "y", "z"], "b": [1, 2, 3, 4, 5], "c": list("nynyn")})
    method = hr.HybridKActus(k=2, as_published=True)
    release = method.anonymize(people, hr.Schema(quasi=["a", "b"], target="c"))
    assert ("NOT guaranteed" in repr(release)) == (release.recoding.weak is not None)
    assert release.recoding.weak is not None
