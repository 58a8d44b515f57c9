"""What published cells say, and which values a column is known to have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.anonymizers.trees.sets import content_of, contents_of, generalized, known_values, meets
from hedgerow.core.cells import SUPPRESSED, Interval, canonical, leaves_below, number_in
from hedgerow.core.counts import encode_column
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain

TOWNS = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon"]}}


def known(cells: list[Any], told: Domain | None = None, as_text: bool = False) -> Domain:
    values = pa.chunked_array([pa.array(cells)])
    texts = encode_column("it", values).domain
    return known_values("it", values, texts, contents_of(texts, {}), told, missing=("",), as_text=as_text)


def test_cells_say_what_is_published() -> None:
    leaves = leaves_below(resolve(TOWNS, Domain("town", "text", np.array(["Bonn"])), "town"))
    assert content_of("Bonn", leaves) == frozenset({"Bonn"})
    assert content_of("Germany", leaves) == frozenset({"Bonn", "Trier"})
    assert content_of("{Germany|Lyon}", leaves) == frozenset({"Bonn", "Trier", "Lyon"})
    assert content_of("{Bonn|\\N}", leaves) == frozenset({"Bonn", None})
    assert content_of("{*}", leaves) == frozenset({"*"})
    assert content_of("*", leaves) is SUPPRESSED
    assert content_of("[1,2)", leaves) == Interval(1, 2)


def test_only_one_value_is_not_generalized() -> None:
    assert [generalized(content_of(text, {})) for text in ("a", "{a}", "{a|b}", "[1,2)", "*")] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_a_label_that_is_also_a_value_is_the_value() -> None:
    hierarchy = resolve({"*": {"Bonn": ["Bonn", "Trier"]}}, Domain("town", "text", np.array(["Bonn"])), "town")
    assert leaves_below(hierarchy) == {}


def test_there_is_one_way_to_write_a_cell() -> None:
    assert canonical("{10|9|\\N}") == "{9|10|\\N}"
    assert canonical("{*}") == "{*}"  # the text *, not a suppressed cell
    assert canonical("{\\N}") == "{\\N}"
    assert canonical("plain") == "plain"


def test_members_of_sets_are_known_values_and_numbers_if_all_are() -> None:
    ages = known(["{9|10}", "20", "*"])
    assert ages.labels.tolist() == ["9", "10", "20"]
    assert ages.numbers is not None
    assert ages.numbers.tolist() == [9, 10, 20]
    assert known(["{9|10}", "20"], as_text=True).numbers is None
    assert known(["{b|c}", "a"]).labels.tolist() == ["a", "b", "c"]
    assert known(["*", "*"]).labels.tolist() == []


def test_an_interval_covers_known_numbers_or_adds_its_ends() -> None:
    assert known(["[20,30)", "25", "27"]).labels.tolist() == ["25", "27"]
    assert known(["[20,30)", "[30,40]", "[20,40]"]).labels.tolist() == ["20", "29", "30", "40"]
    assert known(["[0.5,1.5)", "3"]).labels.tolist() == ["0.5", "1.4", "3"]
    # A step below 2e300 is 2e300 again, which the interval does not hold.
    low, last = known(["[1e+300,2e+300)"]).values
    assert (low, last) == (1e300, np.nextafter(2e300, 0))


def test_an_interval_among_text_is_a_value() -> None:
    assert known(["[1,2)", "young"]).labels.tolist() == ["[1,2)", "young"]


def test_what_a_release_tells_is_known() -> None:
    told = Domain("it", "number", np.array(["7", "21"]), np.array([7.0, 21.0]))
    assert known(["{20|22}"], told).labels.tolist() == ["7", "20", "21", "22"]
    assert known([20.5, 7.0], told).labels.tolist() == ["7", "20.5", "21"]
    assert known([20.5, 7.0]).labels.tolist() == ["7", "20.5"]


def test_with_a_label_among_them_numbers_are_text() -> None:
    assert known(["{9|10}", "20", "old"]).kind == "text"


@pytest.mark.parametrize(
    ("inside", "cell", "number", "expected"),
    [
        ("{a|b}", "a", None, True),
        ("{a|b}", "c", None, False),
        ("{a|b}", "{b|c}", None, True),
        ("*", "c", None, True),
        ("a", "{a|b}", None, True),
        ("[1,5)", "4", None, True),
        ("[1,5)", "5", None, False),
        ("[1,5)", "4", 4.0, True),
        ("[1,5)", "[4,9)", None, True),
        ("[1,5)", "[5,9)", None, False),
        ("[1,5)", "word", None, False),
        ("[1,5)", "*", None, False),
        ("{a|b}", "[1,5)", None, False),
    ],
)
def test_a_value_may_be_what_a_cell_says(inside: str, cell: str, number: float | None, expected: bool) -> None:
    assert meets(content_of(inside, {}), content_of(cell, {}), number) is expected


def test_numbers_are_finite() -> None:
    assert [number_in(text, "number") for text in ("1.5", "word", "nan", "inf")] == [1.5, None, None, None]
