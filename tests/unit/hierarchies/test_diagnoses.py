"""ICD-10 codes: their categories and chapters, national versions, and what is no such code."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, Uncovered, hierarchy_of, icd10, nodes_above
from hedgerow.hierarchies.diagnoses import code_of
from hedgerow.io.domains import Domain

CHAPTERS = {
    "A00..B99": ["A00", "A41.9", "B99"],
    "C00..D49": ["C00", "C4A", "C97", "D00", "D3A", "D48", "D49"],
    "D50..D90": ["D50", "D89", "D90"],
    "E00..E90": ["E00", "E90"],
    "F00..F99": ["F00", "F99"],
    "G00..G99": ["G00", "G99"],
    "H00..H59": ["H00", "H59"],
    "H60..H95": ["H60", "H95"],
    "I00..I99": ["I00", "I99"],
    "J00..J99": ["J00", "J99"],
    "K00..K95": ["K00", "K93", "K95"],
    "L00..L99": ["L00", "L99"],
    "M00..M99": ["M00", "M1A", "M99"],
    "N00..N99": ["N00", "N99"],
    "O00..O9A": ["O00", "O99", "O9A"],
    "P00..P96": ["P00", "P96"],
    "Q00..Q99": ["Q00", "Q99"],
    "R00..R99": ["R00", "R99"],
    "S00..T98": ["S00", "S99", "T00", "T98"],
    "U00..U99": ["U00", "U07.1", "U99"],
    "V00..Y99": ["V00", "V01", "W99", "X00", "Y98", "Y99"],
    "Z00..Z99": ["Z00", "Z3A", "Z99"],
}
"""The chapters of the World Health Organization, with what the American and the German version add at their ends."""


def text(*labels: str, missing: bool = False) -> Domain:
    return Domain("icd", "text", np.array(sorted(labels), dtype=np.str_), has_missing=missing)


def rows(encoded: EncodedHierarchy) -> list[list[str | None]]:
    return [[encoded.labels[node] for node in row] for row in encoded.at_level]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapters(chapter: str) -> None:
    assert set(rows(icd10("chapter").encode(text(*CHAPTERS[chapter])))[1]) == {chapter}


def test_every_category_is_in_one_chapter_or_in_none() -> None:
    categories = [f"{letter}{number:02}" for letter in string.ascii_uppercase for number in range(100)]
    covered = [category for category in categories if code_of(category) is not None]
    inside = [
        category for category in categories if sum(chapter[:3] <= category <= chapter[5:] for chapter in CHAPTERS) == 1
    ]
    assert covered == inside
    assert sorted(set(categories) - set(covered)) == [
        *(f"D{number}" for number in range(91, 100)),
        *(f"E{number}" for number in range(91, 100)),
        *(f"H{number}" for number in range(96, 100)),
        *(f"K{number}" for number in range(96, 100)),
        *(f"P{number}" for number in range(97, 100)),
        "T99",
    ]


def test_all_levels() -> None:
    encoded = icd10().encode(text("S52.501A", "S52.501D", "S52.6", "J45", missing=True))
    assert rows(encoded) == [
        ["J45", "S52.501A", "S52.501D", "S52.6", None],
        ["J45", "S52.501*", "S52.501*", "S52.6", None],
        ["J45", "S52.50*", "S52.50*", "S52.6", None],
        ["J45", "S52.5*", "S52.5*", "S52.6*", None],
        ["J45*", "S52*", "S52*", "S52*", None],
        ["J00..J99", "S00..T98", "S00..T98", "S00..T98", None],
        ["*", "*", "*", "*", "*"],
    ]
    assert encoded.description == "ICD-10 codes by 6 characters, 5 characters, 4 characters, 3 characters, chapter"


@pytest.mark.parametrize(
    ("codes", "shown"),
    [
        (("I21", "J45"), "chapter"),
        (("I21.4", "J45"), "3 characters, chapter"),
        (("I21.40", "J45"), "4 characters, 3 characters, chapter"),
        (("I21", "i21"), "3 characters, chapter"),
        (("I21.4", "I214"), "4 characters, 3 characters, chapter"),
        ((), "chapter"),
    ],
)
def test_levels_that_hide_nothing_are_left_out(codes: tuple[str, ...], shown: str) -> None:
    assert icd10().encode(text(*codes)).description == f"ICD-10 codes by {shown}"


def test_given_levels_do_not_depend_on_the_codes() -> None:
    assert rows(icd10([4, "chapter"]).encode(text("I21", "I21.4")))[1:3] == [["I21*", "I21.4*"], ["I00..I99"] * 2]
    assert hierarchy_of("icd10:4,chapter", "icd") == icd10([4, "chapter"])
    assert hierarchy_of("icd10: chapter", "icd") == icd10("chapter")
    assert hierarchy_of("icd10", "icd") == icd10()


def test_one_code_written_in_several_ways_meets_at_its_own_level() -> None:
    ways = ("M73.0", "M730", "m73.0", "M73.0+", "M73.0*", "M73.0!", "M73.0†", "M73.0#", "M73.0-", "M73.0-*", " M73.0 ")
    encoded = icd10().encode(text(*ways, "M73.1"))
    assert set(rows(encoded)[1]) == {"M73.0*", "M73.1*"}
    assert rows(encoded)[1].count("M73.0*") == len(ways)
    assert set(rows(icd10().encode(text("I21.-", "I21", "I21.4")))[1]) == {"I21*"}


def test_codes_stand_in_their_order_however_they_are_written() -> None:
    domain = text("I21.4", "i210", "E11.9", "I20")
    order = icd10().encode(domain).order
    assert [label for _, label in sorted(zip(order.tolist(), domain.labels.tolist(), strict=True))] == [
        "E11.9",
        "I20",
        "i210",
        "I21.4",
    ]


def test_a_code_that_is_not_in_the_table_is_placed() -> None:
    known = text("I21.0", "I21.4", "J45.0")
    nodes = nodes_above(icd10().encode(known), known, text("I21.9", "I50.0", "K29.1"), icd10())
    assert [icd10().encode(known).labels[node] for node in nodes] == ["I21*", "I00..I99", "*"]


@pytest.mark.parametrize(
    "wrong",
    ["", "I", "I2", "21.4", "I21.4 G", "I21,I22", "I21/I22", "I21.45678", "I2X.4", "E95.1", "450.1", "flu", "I21..4"],
)
def test_what_is_no_code_is_counted_and_not_quoted(wrong: str) -> None:
    with pytest.raises(Uncovered, match="'icd' has 1 value without the form of an ICD-10 code") as caught:
        icd10().encode(text("I21.4", wrong, "J45"))
    assert caught.value.codes.tolist() == [text("I21.4", wrong, "J45").labels.tolist().index(wrong)]
    if wrong:
        assert f"{wrong!r}" not in str(caught.value)


def test_numbers_are_no_codes() -> None:
    with pytest.raises(BadInput, match="'icd' holds numbers, not ICD-10 codes"):
        icd10().encode(Domain("icd", "number", np.array(["1", "2"]), np.array([1.0, 2])))


@pytest.mark.parametrize("levels", [[], [3, 4], ["chapter", 3], [7], [3, 3], "category", [True], 2, "3"])
def test_wrong_levels(levels: Any) -> None:
    with pytest.raises(BadInput, match="The 'levels' parameter of icd10 must be some of 6, 5, 4, 3, 'chapter'"):
        icd10(levels)
