"""Which people of a population fit a published class."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.risk.population import people_fitting
from hedgerow.verifier import count_classes

PEOPLE: list[str | None] = ["19", "20", "25.0", "30", "40", "F", "a|b", None]


@pytest.mark.parametrize(
    ("published", "fitting"),
    [
        ("20", ["20"]),
        ("25", ["25.0"]),
        ("[20,30)", ["20", "25.0"]),
        ("[20,40]", ["20", "25.0", "30", "40"]),
        ("<25", ["19", "20"]),
        ("≥25", ["25.0", "30", "40"]),
        ("{19|F}", ["19", "F"]),
        ("{25|30}", ["25.0", "30"]),
        ("{a\\|b|\\N}", ["a|b", None]),
        ("*", PEOPLE),
        (None, PEOPLE),
        ("Any", []),
    ],
)
def test_what_a_published_cell_covers(published: str | None, fitting: list[str | None]) -> None:
    table = count_classes(pa.table({"q": pa.array([published], pa.string())}), ["q"])
    for person in PEOPLE:
        population = count_classes(pa.table({"q": pa.array([person], pa.string())}), ["q"])
        assert people_fitting(table, population).tolist() == [int(person in fitting)], person


def test_a_generalized_population_fits_by_its_labels() -> None:
    table = pa.table({"q": ["[20,30)", "Any"]})
    assert people_fitting(count_classes(table, ["q"]), count_classes(table, ["q"])).tolist() == [1, 1]


CELLS = st.sampled_from(["1", "2", "3", "{1|2}", "{2|3}", "[1,3)", "[2,3]", "*"])
COVERED = {"{1|2}": "12", "{2|3}": "23", "[1,3)": "12", "[2,3]": "23", "*": "123"}


@examples(60)
@given(
    table=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8),
    people=st.lists(st.tuples(*[st.sampled_from("123")] * 3), min_size=1, max_size=20),
)
def test_against_brute_force(table: list[tuple[str, ...]], people: list[tuple[str, ...]]) -> None:
    names = ["a", "b", "c"]
    published = count_classes(pa.table(dict(zip(names, map(list, zip(*table, strict=True)), strict=True))), names)
    population = count_classes(pa.table(dict(zip(names, map(list, zip(*people, strict=True)), strict=True))), names)
    found = people_fitting(published, population)
    for codes, number in zip(published.codes, found, strict=True):
        cells = [labels[code] for labels, code in zip(published.labels, codes, strict=True)]
        covered = set(itertools.product(*(COVERED.get(cell, cell) for cell in cells)))
        assert number == sum(person in covered for person in people)
