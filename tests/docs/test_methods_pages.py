"""The pages of methods and the gallery: all are there, say what the classes say, run, and show what is drawn now."""

from __future__ import annotations

import doctest
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import method_pages
import pictures
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import METHODS

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 60_000
PAGES = [*(f"methods/{name}.md" for name in METHODS), "methods/index.md", "gallery.md"]
OF_METHODS = [f"pictures/{name}.svg" for name in METHODS]
HEADINGS = ["The paper", "What is guaranteed", "What it costs", "When to use it", "Example", "Parameters"]


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_there_is_a_page_for_every_method_and_no_other() -> None:
    assert {path.stem for path in (DOCS / "methods").glob("*.md")} == {*METHODS, "index"}


@pytest.mark.parametrize("name", METHODS)
def test_a_page_has_its_picture_and_all_its_parts(name: str) -> None:
    page = text_of(f"methods/{name}.md")
    assert f"](../pictures/{name}.svg)" in page
    headings = re.findall(r"^## (.*)", page, flags=re.MULTILINE)
    assert headings[: len(HEADINGS)] == HEADINGS
    # Our own has no paper to differ from.
    assert headings[len(HEADINGS) :] == ([] if name == "hedge" else ["Where it differs from the paper"])
    assert f'method="{name}"' in page
    assert f"--method {name} " in page


def test_what_is_written_by_the_code_is_what_it_would_write_now() -> None:
    stale = [path.name for path, text in method_pages.pages().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, f"Type python docs/making/method_pages.py: {stale}"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_parameters_shown_are_those_of_the_class(method: type[Anonymizer]) -> None:
    """Read from the page alone, so that a page which lost its comments is noticed."""
    _, _, told = text_of(f"methods/{method.name}.md").partition("\n## Parameters\n")
    rows = re.findall(r"^\| `(\w+)` \| .* \| `(.*?)` \| ", told, flags=re.MULTILINE)
    own = {name: repr(one.default).replace("'", '"') for name, one in method.parameters().items()}
    assert {name: default for name, default in rows if name in own} == own
    assert {name for name, _ in rows} - set(own) <= set(Anonymizer.fields)


def test_the_table_of_all_methods_says_what_the_classes_say() -> None:
    lines = text_of("methods/index.md").splitlines()
    for name, method in METHODS.items():
        row = next(line for line in lines if line.startswith(f"| [{name}]({name}.md) | {method.family} |"))
        assert row.split(" | ")[3] == ("yes" if method.uses_target else "no")


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_are_there(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text_of(page)):
        assert (DOCS / page).parent.joinpath(link).exists(), link


@pytest.mark.parametrize("page", [page for page in PAGES if page != "methods/index.md"])
@pytest.mark.compiled
def test_the_examples_run(page: str) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


@pytest.mark.parametrize("name", pictures.DRAWINGS)
@pytest.mark.compiled
def test_a_picture_carries_the_numbers_that_the_code_finds_now(name: str) -> None:
    drawing = pictures.DRAWINGS[name]()
    assert drawing is not None
    assert drawing.rows
    assert pictures.numbers_of(DOCS / name) == drawing.rows, f"Type python docs/making/pictures.py {Path(name).stem}"


@pytest.mark.parametrize("name", OF_METHODS)
def test_the_boxes_lie_where_the_numbers_say(name: str) -> None:
    """In pixels: a panel is 300 wide for ages from 18 to 80, and 240 high for hours from 1 to 80."""
    drawn = [one.get("d", "") for one in ET.parse(DOCS / name).iter(f"{SVG}path") if one.get("fill-opacity")]
    boxes = [tuple(float(number) for number in re.findall(r"-?[0-9.]+", path)[:4]) for path in drawn]
    rows = [[float(end) for end in row[:4]] for row in pictures.numbers_of(DOCS / name)]
    expected = [
        ((low - 18) / 62 * 300, (80 - top) / 79 * 240, (high - low) / 62 * 300, (top - bottom) / 79 * 240)
        for low, high, bottom, top in rows
    ]
    assert len(boxes) == len(expected)
    for box, wanted in zip(boxes, expected, strict=True):
        assert box == pytest.approx(wanted, abs=0.02)


@pytest.mark.parametrize("name", pictures.DRAWINGS)
def test_a_picture_fits_any_ground_and_can_be_read_aloud(name: str) -> None:
    path = DOCS / name
    assert path.stat().st_size < MOST_BYTES
    root = ET.parse(path).getroot()
    assert root.get("role") == "img"
    named = {one.get("id"): one.text for one in root}
    assert all(named[one] for one in root.attrib["aria-labelledby"].split())
    size = root.attrib["width"], root.attrib["height"]
    for one in root.iter():
        covers = (one.get("width"), one.get("height")) == size and one is not root
        assert not covers or one.get("fill") in (None, "none"), "it has a ground of its own"
        assert "var(" not in "".join(one.attrib.values()), "a colour is that of another page"
    # Grey of the middle: near-black and near-white letters would vanish on one of the grounds, unless they stand on a
    # cell that is drawn.
    inks = {one.get("fill") for one in root.iter(f"{SVG}text")}
    on_cells = {"#1c2529", "#ffffff"} if name == "pictures/association.svg" else set()
    assert inks - on_cells <= {"#7c858b", "#d4622b"}
