"""Which cells of two releases may stand for one value, and which people a cell may be."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.domains import Domain
from hedgerow.risk.shared_cells import compare_cells, masks_among, people_in_cells


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
