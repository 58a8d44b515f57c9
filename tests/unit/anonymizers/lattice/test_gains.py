"""What single values are worth, worked out by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._costs import GAINS, log_volumes
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.release import pipeline

# Of four towns in the hierarchy three occur; A twice.
LATTICE = Lattice(
    pipeline.prepare(
        pa.table({"town": ["A", "A", "B", "C"]}),
        Schema(quasi=["town"], hierarchies={"town": {"*": {"north": ["A", "B"], "south": ["C", "D"]}}}),
        [KAnonymity(1)],
        random_state=0,
    ).counts
)
ROWS = 4


@pytest.mark.parametrize(
    ("metric", "constant", "of_level"),
    [
        ("loss", 1, [[3 / 4] * 3, [1 / 2] * 2, [0]]),
        ("nllm", 1, [[1] * 3, [2 / 3] * 2, [0]]),
        ("prec", 0, [[1] * 3, [1 / 2] * 2, [0]]),
        ("distortion", 1, [[1] * 3, [1 / 2] * 2, [0]]),
        ("suppression", 1, [[1] * 3, [1] * 2, [0]]),
        ("ncp_published", 1, [[1] * 3, [1 / 2, 1], [0]]),
    ],
)
def test_shares_of_a_cell(metric: str, constant: float, of_level: list[list[float]]) -> None:
    found, (gains,) = GAINS[metric](LATTICE)
    assert found == pytest.approx(constant)
    assert [(gain * ROWS).tolist() for gain in gains] == [pytest.approx(expected) for expected in of_level]


def test_bits_of_a_cell() -> None:
    """Of four records A has two, B and C one each, the north three."""
    constant, (gains,) = GAINS["non_uniform_entropy"](LATTICE)
    assert constant == pytest.approx(4 * 2 - 2 * 1)
    assert gains[0].tolist() == pytest.approx([1, 2, 2])
    assert gains[1].tolist() == pytest.approx([2 - np.log2(3), 2])
    assert gains[2].tolist() == [0]


def test_volumes() -> None:
    """Three values occur, and two of them in the north."""
    everything, (gains,) = log_volumes(LATTICE)
    assert everything == pytest.approx(np.log(3))
    assert (gains[0] * ROWS).tolist() == pytest.approx([np.log(3)] * 3)
    assert (gains[1] * ROWS).tolist() == pytest.approx([np.log(3 / 2), np.log(3)])
    assert gains[2].tolist() == [0]


def test_numbers_are_as_wide_as_they_are_written() -> None:
    ages = {"*": {"[0,40)": ["10", "20"], "old": ["50", "60"]}}
    counts = pipeline.prepare(
        pa.table({"age": [10, 20, 50, 60, None]}),
        Schema(quasi=["age"], hierarchies={"age": ages}),
        [KAnonymity(1)],
        random_state=0,
    ).counts
    _, (gains,) = GAINS["ncp_published"](Lattice(counts))
    # From 10, the smallest, to 40 of a range of 50; the label that is no interval from 50 to 60; missing stays.
    assert (gains[1] * 5).tolist() == pytest.approx([1 - 30 / 50, 1 - 10 / 50, 1])
