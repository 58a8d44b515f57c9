"""Intervals with open ends, of any numbers: every label says what it should, and levels nest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.cells import Interval, read
from hedgerow.hierarchies import intervals
from hedgerow.io.domains import Domain
from hedgerow.io.values import number_text

tenths = st.integers(-2000, 2000).map(lambda number: number / 10)


@st.composite
def columns(draw: st.DrawFn) -> tuple[Domain, float | None, float | None]:
    """Some numbers, and where they are open."""
    step = draw(st.sampled_from([1, 10]))
    numbers = np.array(sorted(draw(st.sets(st.integers(-200, 200), min_size=1, max_size=30)))) / step
    labels = np.array([number_text(float(number)) for number in numbers])
    bottom, top = sorted(draw(st.lists(tenths, min_size=2, max_size=2, unique=True)))
    ends = draw(st.sampled_from([(bottom, top), (bottom, None), (None, top)]))
    return Domain("n", "number", labels, numbers, records=np.ones(len(numbers), dtype=np.int64)), *ends


BUILDERS = st.sampled_from(
    [
        {"width": 5, "levels": [10, 40]},
        {"width": 2.5, "levels": [5]},
        {"width": 3, "start": -300},
        {"quantiles": 8},
        {"quantiles": 3, "levels": ()},
        {"edges": list(range(-300, 301, 20)), "levels": [[-300, 0, 300]]},
    ]
)


@examples(200)
@given(columns(), BUILDERS)
def test_labels_hold_their_numbers_and_nest(column: tuple[Domain, Any, Any], built: dict[str, Any]) -> None:
    domain, bottom, top = column
    encoded = intervals(**built, bottom=bottom, top=top).encode(domain)
    below, past = (-math.inf if bottom is None else bottom), (math.inf if top is None else top)
    finer: list[Any] = [None] * len(domain.labels)
    for row in encoded.at_level[1:-1]:
        for at, (node, number) in enumerate(zip(row.tolist(), domain.values.tolist(), strict=True)):
            said = read(encoded.labels[node], "number")
            assert isinstance(said, Interval)
            assert number in said
            assert (said.low == -math.inf) == (number < below)
            assert (said.high == math.inf) == (number >= past)
            if said.bounded:
                assert said.low >= below
                # An end between two numbers of the grid is moved to the next one.
                assert said.high < past + 1
            if finer[at] is not None:
                assert said.low <= finer[at].low
                assert said.high >= finer[at].high
            finer[at] = said
        # Numbers with one label are those that the label holds.
        for node in np.unique(row).tolist():
            said = read(encoded.labels[node], "number")
            assert isinstance(said, Interval)
            inside = [number for number, its in zip(domain.values.tolist(), row.tolist(), strict=True) if its == node]
            assert inside == [number for number in domain.values.tolist() if number in said]
