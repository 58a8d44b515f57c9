"""Recodes of numbers, by hand and by brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.coding import Holders, Recode, parse_recode
from hedgerow.core.coding._recodes import microaggregated, rounded
from hedgerow.errors import BadInput, Infeasible

NUMBERS = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0])


def holders(rows: list[int], pairs: Any = None) -> Holders:
    pairs = None if pairs is None else np.array(pairs, dtype=np.int32)
    return Holders(pa.nulls(len(rows)), np.array(rows, dtype=np.int64), pairs)


def test_words() -> None:
    assert parse_recode("round:1000", "income") == Recode(base=1000)
    assert parse_recode(" top:90, bottom:18,round:0.5 ", "age") == Recode(base=0.5, top=90, bottom=18)
    assert parse_recode("microaggregate:11", "w") == Recode(groups=11)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("round", "cannot be read"),
        ("round:x", "cannot be read"),
        ("ceil:5", "cannot be read"),
        (5, "cannot be read"),
        ("round:5,round:6", "names 'round' twice"),
        ("round:0", "not above 0"),
        ("microaggregate:1", "at least 2 people"),
        ("microaggregate:2.5", "at least 2 people"),
        ("round:5,microaggregate:3", "both rounds and microaggregates"),
        ("top:5,bottom:5", "not below its top"),
    ],
)
def test_words_that_cannot_be_read(words: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parse_recode(words, "age")


def test_rounding() -> None:
    assert rounded(np.array([1499.0, 1500.0, 2499.9]), 1000).tolist() == [1000, 2000, 2000]
    assert rounded(np.array([0.15, 0.25, 0.35]), 0.1).tolist() == [0.2, 0.3, 0.4]
    assert str(rounded(np.array([-0.2]), 1)[0]) == "0.0"


def test_ends() -> None:
    recode = Recode(base=5, top=12, bottom=2)
    coded = recode.apply(NUMBERS, holders([1] * 7), 1, "age")
    low, high = recode.ends(NUMBERS)
    texts = [
        recode.text_of(number, low=below, high=above)
        for number, below, above in zip(coded.tolist(), low.tolist(), high.tolist(), strict=True)
    ]
    assert texts == ["<2", "0", "5", "10", "10", "≥12", "≥12"]


def test_microaggregation_by_hand() -> None:
    assert microaggregated(NUMBERS, holders([1] * 7), 3, "w").tolist() == [2, 2, 2, 11.5, 11.5, 11.5, 11.5]
    assert microaggregated(NUMBERS, holders([1, 1, 5, 1, 1, 1, 1]), 3, "w")[:3] == pytest.approx(18 / 7, rel=1e-5)


def test_equal_people_are_counted_once() -> None:
    """Four rows of the first three numbers are of one person: the group must reach further."""
    pairs = [[0, 0], [1, 0], [2, 0], [3, 1], [4, 2], [5, 3]]
    groups = microaggregated(NUMBERS[:6], holders([2, 1, 1, 1, 1, 1], pairs), 2, "w")
    assert len(set(groups.tolist())) == 2
    assert groups[0] == groups[3] != groups[4] == groups[5]


def test_too_few_people_for_a_group() -> None:
    with pytest.raises(Infeasible, match="fewer than 8 people hold one"):
        microaggregated(NUMBERS, holders([1] * 7), 8, "w")


def _error(numbers: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], cuts: tuple[int, ...]) -> float:
    total = 0.0
    for start, end in itertools.pairwise((0, *cuts, len(numbers))):
        part, weight = numbers[start:end], rows[start:end]
        total += float((weight * (part - np.average(part, weights=weight)) ** 2).sum())
    return total


@pytest.mark.parametrize("seed", range(30))
def test_groups_have_the_least_squared_error(seed: int) -> None:
    draw = np.random.default_rng(seed)
    numbers = np.unique(draw.integers(0, 40, 9)).astype(np.float64)
    rows = draw.integers(1, 4, len(numbers))
    people = draw.integers(0, 6, (len(numbers), 2)) if seed % 2 else None
    pairs = None
    if people is not None:
        pairs = np.unique([[value, who] for value, both in enumerate(people.tolist()) for who in both], axis=0)
    held = holders(rows.tolist(), pairs)
    least = 3
    best = min(
        (
            _error(numbers, rows, cuts)
            for size in range(len(numbers))
            for cuts in itertools.combinations(range(1, len(numbers)), size)
            if all(
                held.together(range(start, end)) >= least for start, end in itertools.pairwise((0, *cuts, len(numbers)))
            )
        ),
        default=None,
    )
    if best is None:
        with pytest.raises(Infeasible):
            microaggregated(numbers, held, least, "w")
        return
    means = microaggregated(numbers, held, least, "w")
    assert float((rows * (numbers - means) ** 2).sum()) == pytest.approx(best, abs=1e-3)
