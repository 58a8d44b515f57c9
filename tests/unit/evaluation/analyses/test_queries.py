"""Random COUNT queries: their form, answers by hand, and the errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses import Counts, Material
from hedgerow.evaluation.analyses.queries import answers, random_queries, relative_errors
from hedgerow.evaluation.analyses.spread import Condition, original_rows, spread
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.evaluation.ways import RAW

PEOPLE = pa.table({"sex": ["F", "F", "F", "M"], "town": ["Bonn", "Ulm", "Bonn", "Ulm"], "age": [20, 30, 40, 50]})
PART = OpenedTable(PEOPLE, hr.Schema(quasi=["sex", "town", "age"]))
WOMEN = Condition("sex", labels=frozenset({"F"}))
IN_BONN = Condition("town", labels=frozenset({"Bonn"}))
YOUNG = Condition("age", low=20, high=30)


def domains() -> Any:
    return {name: column.domain for name, column in original_rows(PART).items()}


def test_answers_by_hand() -> None:
    queries = [(WOMEN,), (IN_BONN, WOMEN), (YOUNG,), (IN_BONN, WOMEN, YOUNG)]
    assert answers(original_rows(PART), queries).tolist() == [3, 2, 2, 1]
    published = pa.table(
        {"sex": ["*", "*", "F", "M"], "town": ["Bonn", "Ulm", "{Bonn|Ulm}", "Ulm"], "age": ["[20,50)"] * 4}
    )
    # Women: ½ + ½ + 1. Of these in Bonn: ½ · 1 + 0 + 1 · ½. Young: ⅔ of each. All three: ⅔ of 1.
    found = answers(spread(published, domains()), queries)
    assert found.round(6).tolist() == [2, 1, 2.666667, 0.666667]


def test_the_sanity_bound_takes_the_place_of_a_smaller_truth() -> None:
    found, truth = np.array([3.0, 3.0, 0.0]), np.array([4.0, 0.0, 1.0])
    assert relative_errors(found, truth, 2.0).tolist() == [0.25, 1.5, 0.5]


def test_the_form_of_queries() -> None:
    """Four tenths of the values of one column; with two conditions √0.4 of the values of each, rounded up."""
    codes = np.arange(10)
    table = OpenedTable(
        pa.table({"n": codes, "c": list("abcdefghij"), "same": ["x"] * 10}),
        hr.Schema(quasi=["n"], others="insensitive"),
    )
    columns = [column.domain for column in original_rows(table).values()]
    queries = random_queries(columns, Counts(number=200, predicates=2, selectivity=0.4), 0)
    assert {len(query) for query in queries} == {1, 2}
    assert {condition.column for query in queries for condition in query} == {"n", "c"}, "one value asks nothing"
    for query in queries:
        wanted = 4 if len(query) == 1 else 7
        for condition in query:
            held = len(condition.labels) if condition.column == "c" else condition.high - condition.low + 1
            assert held == wanted
    first = {condition.low for query in queries for condition in query if condition.column == "n"}
    assert {0, 6} <= first, "ranges reach both ends"


def test_the_same_seed_draws_the_same_queries() -> None:
    columns = list(domains().values())
    assert random_queries(columns, Counts(), 1) == random_queries(columns[::-1], Counts(), 1)
    assert random_queries(columns, Counts(), 1) != random_queries(columns, Counts(), 2)


def test_errors_from_end_to_end() -> None:
    """Sex alone: F is asked (3 people, answer 2, error ⅓) or M (1 person, answer 2, error 1)."""
    part = OpenedTable(PEOPLE.select(["sex"]), hr.Schema(quasi=["sex"]))
    counts = Counts(number=101, selectivity=0.5)
    suppressed = Material(part, part.table, pa.table({"sex": ["*"] * 4}), RAW, 3)
    scores = counts.measure(suppressed)
    asked = random_queries([original_rows(part)["sex"].domain], counts, 3)
    women = sum(query == (WOMEN,) for query in asked) / 101
    assert 0.3 < women < 0.7
    assert scores["mean_error"] == pytest.approx(women / 3 + (1 - women))
    assert scores["median_error"] == pytest.approx(1 / 3 if women > 0.5 else 1)
    assert counts.measure(Material(part, part.table, part.table, RAW, 3)) == {"median_error": 0, "mean_error": 0}


def test_redrawn_rows_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many draws of the same rows give the same answers."""
    people = hr.datasets.make_census(300, random_state=1)
    schema = hr.Schema(quasi=["age", "sex"], target="income", others="drop")
    options: Any = {"methods": "mondrian", "k": 10, "protocol": "holdout", "workers": 1, "task": "queries"}
    few, many = (
        hr.evaluate(people, schema, learners=[Counts(draws=draws)], **options).frame["mean_error"].to_pylist()[-1]
        for draws in (1, 20)
    )
    assert 0 < many < few < 1, "the noise of a draw is an error, and no draw counts twice"


def test_a_table_without_anything_to_ask() -> None:
    part = OpenedTable(pa.table({"sex": ["F", "F"]}), hr.Schema(quasi=["sex"]))
    assert Counts().measure(Material(part, part.table, part.table, RAW, 0)) == {
        "median_error": None,
        "mean_error": None,
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"number": 0}, "The 'number' parameter of Counts must be an int >= 1. Got 0 instead."),
        ({"predicates": 0}, "The 'predicates' parameter of Counts must be an int >= 1. Got 0 instead."),
        ({"draws": 1.5}, "The 'draws' parameter of Counts must be an int >= 1. Got 1.5 instead."),
        (
            {"selectivity": 0},
            "'selectivity' parameter of Counts must be a number above 0, and 1 at most. Got 0 instead.",
        ),
        ({"bound": 2}, "'bound' parameter of Counts must be a number above 0, and 1 at most. Got 2 instead."),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        Counts(**parameters)
