"""Columns that others determine."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.counts import encode_column
from hedgerow.risk.dependencies import Dependency, Values, dependencies, determines

RANDOM = random.Random(3)
DRAWN = [RANDOM.randrange(40) for _ in range(400)]


def column(values: Any) -> Values:
    encoded = encode_column("it", pa.array(values), kind="derived")
    return Values.of(encoded.codes, encoded.domain)


def columns(**values: Any) -> dict[str, Values]:
    return {name: column(one) for name, one in values.items()}


def test_a_postcode_determines_its_town() -> None:
    towns = ["Bonn", "Lyon", "Rome", "Oslo"]
    found = dependencies(columns(zip=[f"{n:05}" for n in DRAWN], town=[towns[n * 7 % 4] for n in DRAWN]))
    assert found == (Dependency("zip", "town", both_ways=False, coarser=False),)


def test_a_few_wrong_rows_are_forgiven_and_many_are_not() -> None:
    def found(wrong: int) -> int:
        town = [str(n % 4) for n in DRAWN]
        town[:wrong] = ["x"] * wrong
        return len(dependencies(columns(zip=[f"{n:05}" for n in DRAWN], town=town)))

    assert (found(1), found(60)) == (1, 0)


def test_two_names_of_the_same() -> None:
    found = dependencies(columns(word=[f"w{n * 7 % 40:02}" for n in DRAWN], number=DRAWN))
    assert [(one.by, one.column, one.both_ways) for one in found] == [
        ("number", "word", True),
        ("word", "number", True),
    ]


def test_the_same_in_less_detail() -> None:
    ages = columns(age=DRAWN, decade=[n // 10 for n in DRAWN], backwards=[-(n // 5) for n in DRAWN])
    coarser = {(one.by, one.column) for one in dependencies(ages) if one.coarser}
    assert {("age", "decade"), ("age", "backwards")} <= coarser


def test_what_is_nearly_unique_or_independent_determines_nothing() -> None:
    other = [RANDOM.randrange(3) for _ in DRAWN]
    assert dependencies(columns(number=list(range(400)), other=other)) == ()
    assert dependencies(columns(number=DRAWN, other=other)) == ()
    assert dependencies(columns(number=DRAWN, rare=["x"] + ["y"] * 399)) == ()
    assert dependencies(columns(number=[1, 1, 2], other=[1, 1, 2])) == ()


ROWS = 400
NEAR_UNIQUE = np.random.default_rng(5).choice(22_000, ROWS, replace=False)
DATES = [np.datetime64("1940-01-01") + int(day) for day in NEAR_UNIQUE]


@pytest.mark.parametrize(
    "part",
    [
        [day.astype("datetime64[Y]").astype(int) for day in DATES],
        [day.astype("datetime64[M]").astype(int) % 12 for day in DATES],
        [(day - day.astype("datetime64[M]")).astype(int) for day in DATES],
        [2026 - day.astype("datetime64[Y]").astype(int) // 5 for day in DATES],
    ],
    ids=["year", "month", "day", "age in fives"],
)
def test_nearly_unique_dates_determine_what_everybody_reads_off_them(part: list[int]) -> None:
    born = column([str(day) for day in DATES])
    assert determines(born, column(part))
    shuffled = np.random.default_rng(6).permutation(part).tolist()
    assert not determines(born, column(shuffled))


def test_nearly_unique_text_determines_what_its_first_characters_do() -> None:
    codes = [f"{number:05}" for number in NEAR_UNIQUE]
    towns = {prefix: f"town {at % 7}" for at, prefix in enumerate(sorted({code[:2] for code in codes}))}
    assert determines(column(["c" + code for code in codes]), column([towns[code[:2]] for code in codes]))


def test_nearly_unique_numbers_determine_ranges_of_them() -> None:
    salaries = (NEAR_UNIQUE + 0.5).tolist()
    assert determines(column(salaries), column([int(one) // 3000 for one in salaries]))
    assert not determines(column(salaries), column([int(one) % 7 for one in salaries]))


def test_people_without_a_value_show_nothing_and_few_wrong_ones_are_forgiven() -> None:
    draw = np.random.default_rng(8)
    years = draw.integers(0, 60, ROWS)
    bands: list[Any] = [f"b{year // 10}" for year in years]
    assert determines(column(years), column([None if draw.random() < 0.4 else band for band in bands]))
    marked = [None if draw.random() < 0.4 else band for band in bands]
    encoded = encode_column("it", pa.array(["?" if one is None else one for one in marked]), missing=())
    assert determines(column(years), Values.of(encoded.codes, encoded.domain, markers=["?"]))
    assert not determines(column(years), Values.of(encoded.codes, encoded.domain))

    def with_wrong(share: float) -> list[Any]:
        return [draw.choice(bands) if draw.random() < share else band for band in bands]

    assert determines(column(years), column(with_wrong(0.02)))
    assert not determines(column(years), column(with_wrong(0.3)))


def test_columns_that_were_drawn_apart_determine_nothing() -> None:
    """Nearly unique, rare, few: whatever the size of the table."""
    for seed in range(150):
        draw = np.random.default_rng(seed)
        rows = int(draw.choice([12, 40, 100, 400]))
        kinds = [
            draw.permutation(rows),
            draw.integers(0, rows // 2, rows),
            draw.integers(0, 2, rows),
            (draw.random(rows) < 0.03).astype(int),
            np.repeat(np.arange(rows), 2)[:rows],
        ]
        for by in kinds:
            for other in kinds[:-1]:
                dates = [str(np.datetime64("1950-01-01") + int(day) * 17) for day in by]
                values = draw.permutation(other).tolist()
                assert not determines(column(dates), column(values)), (seed, rows)


def test_in_a_small_table_permutations_are_counted() -> None:
    """Of 11, 9 and 2 people with three values, all have the one that follows: no chance of one in a million."""
    follows = [0] * 11 + [1] * 9 + [2] * 2
    assert determines(column(follows), column([31 if value == 0 else 29 for value in follows])) is False
    follows = [0] * 12 + [1] * 11 + [2] * 3
    assert determines(column(follows), column([31 if value == 0 else 29 for value in follows]))
    random.Random(1).shuffle(follows)
    wrong = [31, *[29] * 25]
    assert not determines(column(follows), column(wrong))
