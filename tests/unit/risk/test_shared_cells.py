"""Which cells of two releases may stand for one value, and which people a cell may be."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.io.domains import Domain
from hedgerow.risk.joining import compare_cells, masks_among, people_in_cells


@pytest.mark.parametrize(
    ("old", "new", "fits"),
    [
        ("[20,30)", "[30,40)", False),
        ("[20,30]", "[30,40)", True),
        ("[20,30)", "29.5", True),
        ("[20,30)", "30", False),
        ("[20,30)", "{30|31}", False),
        ("[20,30)", "{29|31}", True),
        ("<18", "[10,20)", True),
        ("<18", "≥18", False),
        ("≥90", "[20,90]", True),
        ("1.50", "1.5", True),
        ("{a|b}", "{b|c}", True),
        ("{a|b}", "c", False),
        ("{a|b}", "{c|\\N}", False),
        (None, "{a|\\N}", True),
        (None, "{a|b}", False),
        (None, "[20,30)", True),  # of a column of numbers it may be a suppressed one
        ("*", None, True),
        ("[2020-01-01,2020-02-01)", "2020-01-31", True),
        ("[2020-01-01,2020-02-01)", "2020-02-01", False),
        ("53***", "53111", True),
        ("53***", "54111", False),
        ("53***", "5311*", True),
    ],
)
def test_cells_go_together(old: str | None, new: str | None, fits: bool) -> None:
    # What both publish is a value, and no label.
    known = [text for text in ("c", "54111", "53111") if text in (old, new)]
    assert compare_cells([old, *known], [new, *known]).fits[0, 0] == fits
    assert compare_cells([new, *known], [old, *known]).fits[0, 0] == fits


def test_a_text_that_one_release_alone_has_may_be_a_label() -> None:
    found = compare_cells(["Bonn", "Lyon"], ["Lyon", "Germany"])
    assert found.fits.tolist() == [[True, True], [True, True]]
    assert found.unread == 2
    both = compare_cells(["Bonn", "Lyon"], ["Lyon", "Bonn"])
    assert both.fits.tolist() == [[False, True], [True, False]]
    assert both.unread == 0


def test_numbers_beside_empty_cells_may_be_means() -> None:
    assert compare_cells(["37.5", None], ["[20,30)"]).fits.all()
    assert compare_cells(["37.5"], ["[20,30)"]).fits.tolist() == [[False]]


def test_only_masks_are_masks() -> None:
    assert masks_among(["53***", "*", "**", "a*b", "ab*", None]) == {"53***": "53", "ab*": "ab"}


@pytest.mark.parametrize("widely", [False, True])
def test_people_in_cells_of_numbers(widely: bool) -> None:
    age = Domain("age", "number", np.array(["20", "30"]), np.array([20.0, 30.0]), has_missing=True)
    found = people_in_cells(["[20,30)", "30", None], age, {}, widely=widely)
    strictly = [[True, False, False], [False, True, False], [False, False, True]]
    assert found.fits.tolist() == ([strictly[0], [True] * 3, [True] * 3] if widely else strictly)


def test_people_in_cells_of_text() -> None:
    town = Domain("town", "text", np.array(["Bonn", "Lyon"]))
    assert people_in_cells(["Germany", "Lyon"], town, {}, widely=False)[1] == 1
    labels = {"Germany": ("Bonn",), "Europe": ("Bonn", "Lyon")}
    found = people_in_cells(["Germany", "Europe", "Nice"], town, labels, widely=False)
    assert found.fits.tolist() == [[True, False], [True, True], [False, False]]
    assert found.unread == 0


def test_an_interval_in_a_column_of_text_may_hold_any_of_its_texts() -> None:
    cells = ["[20,30)", "25", "unknown", "[2020-01-01,2021-01-01)"]
    assert compare_cells(cells, cells).fits[0].all()
    assert compare_cells(cells, cells).fits[:, 3].all()
    age = Domain("age", "text", np.array(["25", "unknown"]))
    assert people_in_cells(["[20,30)"], age, {}, widely=False).fits.all()


def test_labels_of_a_hierarchy_that_is_not_given_may_be_anything() -> None:
    """Releases that recode locally both publish a town and its country."""
    cells = ["Bonn", "Germany", "{Germany|Lyon}", "*"]
    assert not compare_cells(cells, cells).fits[0, 1]
    assert compare_cells(cells, cells, labelled=True).fits.all()
    tree = {"Germany": ("Bonn", "Trier")}
    given = compare_cells(["Bonn", "Germany", "Trier"], ["Bonn", "Germany", "Trier"], tree, labelled=True)
    assert given.fits.astype(int).tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    numbers = compare_cells(["30", "40"], ["30", "40"], labelled=True)
    assert numbers.fits.all()
    town = Domain("town", "text", np.array(["Bonn", "Lyon"]))
    assert people_in_cells(["{Germany|Lyon}"], town, {}, widely=False).fits.all()


def test_spans_of_the_calendar() -> None:
    old = ["2024-Q1", "2024", "2020s", "*"]
    new = ["2024-03", "2024-05-06", "[2023-01-01,2024-01-01)", "2030"]
    assert compare_cells(old, new).fits.astype(int).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]
    # Years alone are numbers, among which an empty cell may be a suppressed one.
    assert compare_cells(["1984", None], ["1985"], averaged=False).fits.tolist() == [[False], [True]]


def test_numbers_are_values_where_the_method_publishes_no_means() -> None:
    assert compare_cells(["37.5", None], ["[20,30)"], averaged=False).fits.tolist() == [[False], [True]]
    assert compare_cells(["37.5"], ["[20,30)"], averaged=True).fits.all()
    age = Domain("age", "number", np.array(["20", "30"]), np.array([20.0, 30.0]))
    assert people_in_cells(["20"], age, {}, widely=True, averaged=False).fits.tolist() == [[True, False]]
    assert people_in_cells(["20"], age, {}, widely=False, averaged=True).fits.all()


@pytest.mark.parametrize(
    ("mask", "value", "fits"), [("013**", "1305", True), ("A01 *", "A01", True), ("5**", "61", False)]
)
def test_masks_of_values_that_were_brought_to_one_length(mask: str, value: str, fits: bool) -> None:
    assert compare_cells([mask, value], [value, mask]).fits[0, 0] == fits
