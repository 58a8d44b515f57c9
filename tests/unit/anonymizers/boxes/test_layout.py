"""Boxes around values, and what they lose, worked out by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from box_kernels import copy_box, enclose, joint_loss, ones, single_loss

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.boxes import layout as module
from hedgerow.anonymizers.boxes.layout import LossName, described, units_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Publish, shown_as
from hedgerow.errors import BadInput
from hedgerow.release import pipeline
from hedgerow.requirements import bind

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D", "E"]}}
# The leaf Z stands directly below the root, where others have a region above them.
UNEVEN = {"*": {"north": ["A", "B"], "south": ["C", "D"], "Z": []}}


def counted(
    hierarchies: dict[str, Any] | None = None, weights: dict[str, float] | None = None, **columns: list[Any]
) -> FrequencyTable:
    schema = Schema(quasi=list(columns), hierarchies=hierarchies or {}, weights=weights or {})
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(1)], random_state=0).counts


def around(counts: FrequencyTable, metric: LossName, publish: Publish) -> float:
    """What a record loses in the box around all tuples, found one tuple after the other."""
    shape, boxes = described(counts, metric, shown_as(counts, publish))
    last = len(counts.tuples) - 1
    for one in range(last - 1):
        enclose(shape, boxes, last, boxes, one)
    joint = joint_loss(shape, boxes, last, boxes, max(last - 1, 0), np.inf)
    enclose(shape, boxes, last, boxes, max(last - 1, 0))
    assert single_loss(shape, boxes, last) == joint
    return float(joint)


def test_boxes_meet_at_the_lowest_common_ancestor() -> None:
    counts = counted({"town": UNEVEN}, town=["A", "C", "D", "Z", None])
    shape, boxes = described(counts, "nllm", shown_as(counts, "label"))
    labels = counts.hierarchies["town"].labels
    width = len(labels)
    pairs = shape.ancestor.reshape(width, width)
    for one in range(width):
        for other in range(width):
            assert pairs[one, other] == counts.hierarchies["town"].lca(one, other)
    enclose(shape, boxes, 1, boxes, 2)
    assert labels[boxes.nodes[1, 0]] == "south"
    enclose(shape, boxes, 1, boxes, 4)
    assert labels[boxes.nodes[1, 0]] == "*"
    copy_box(boxes, 0, boxes, 1)
    assert labels[boxes.nodes[0, 0]] == "*"


def test_ranges_and_sets() -> None:
    """Ages span 10 of 40; two of three towns beyond the first are one of two more."""
    counts = counted(age=[20, 30, 60, 20], town=["A", "B", "A", "C"])
    shape, boxes = described(counts, "ncp", shown_as(counts, "interval"))
    pairs = {(20, "A"): 0, (20, "C"): 1, (30, "B"): 2, (60, "A"): 3}
    assert joint_loss(shape, boxes, pairs[20, "A"], boxes, pairs[30, "B"], np.inf) == pytest.approx(0.25 + 0.5)
    assert around(counts, "ncp", "interval") == pytest.approx(2.0)


def test_columns_count_by_their_weights() -> None:
    """Half as much for the range with a missing number, which has lost all; twice for the set; as much for the node."""
    weights = {"age": 0.5, "letter": 2, "town": 0.5}
    counts = counted({"town": TOWNS}, weights, age=[20, 30, 60, None], letter=list("xyxx"), town=list("ABAA"))
    shape, boxes = described(counts, "ncp", shown_as(counts, "auto"))
    rows = {(20, "x"): 0, (30, "y"): 1, (60, "x"): 2, (None, "x"): 3}
    first, second, gap = (rows[key] for key in ((20, "x"), (30, "y"), (None, "x")))
    assert joint_loss(shape, boxes, first, boxes, second, np.inf) == pytest.approx(0.5 * 0.25 + 2 * 1 + 0.5 * 1)
    assert joint_loss(shape, boxes, first, boxes, gap, np.inf) == pytest.approx(0.5)
    assert around(counts, "ncp", "auto") == pytest.approx(3.0)
    assert around(counts, "nllm", "auto") == pytest.approx(0.5 + 2 + 0.5 * 1 / 4)


@pytest.mark.parametrize(("numbers", "expected"), [([20, 60, None], 1.0), ([20, None], 1.0), ([None, 20, 20, 30], 1.0)])
def test_a_range_with_a_missing_number_loses_all_and_no_more(numbers: list[int | None], expected: float) -> None:
    assert around(counted(age=numbers), "ncp", "interval") == expected


def test_equal_numbers_and_missing_ones_alone_lose_nothing() -> None:
    counts = counted(age=[None, None, 20], town=["A", "B", "A"])
    shape, boxes = described(counts, "ncp", shown_as(counts, "interval"))
    assert joint_loss(shape, boxes, 1, boxes, 2, np.inf) == 1.0  # one town of two, no age
    assert single_loss(shape, boxes, 0) == 0.0


def test_dates_are_ranges_and_missing_categories_values() -> None:
    counts = counted(day=[date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 5)])
    shape, boxes = described(counts, "ncp", shown_as(counts, "interval"))
    assert joint_loss(shape, boxes, 0, boxes, 1, np.inf) == 0.25
    assert around(counted(town=["A", "B", None]), "ncp", "interval") == 1.0


def test_sets_of_many_values_and_several_columns() -> None:
    """Sets of 100, 3 and 70 values, each around 2 of them; the first and the last need more than one word."""
    counts = counted(
        first=[f"a{at:03}" for at in range(100)],
        second=[f"b{at % 3}" for at in range(100)],
        third=[f"c{at % 70:02}" for at in range(100)],
    )
    shape, boxes = described(counts, "ncp", shown_as(counts, "interval"))
    for one, other in [(0, 1), (63, 65), (5, 99)]:
        assert joint_loss(shape, boxes, one, boxes, other, np.inf) == pytest.approx(
            1 / 99 + (0.5 if one % 3 != other % 3 else 0) + (1 / 69 if one % 70 != other % 70 else 0)
        )
    assert around(counts, "ncp", "interval") == pytest.approx(3.0)


def test_a_limit_stops_only_what_is_beyond_it() -> None:
    counts = counted({"town": TOWNS, "home": TOWNS}, town=["A", "C"], home=["A", "C"])
    shape, boxes = described(counts, "nllm", shown_as(counts, "label"))
    assert joint_loss(shape, boxes, 0, boxes, 1, 2.0) == 2.0
    assert joint_loss(shape, boxes, 0, boxes, 1, 0.5) > 0.5


@pytest.mark.parametrize("bits", [[], [0], [63], [1, 2, 40], list(range(64)), list(range(8, 64))])
def test_ones(bits: list[int]) -> None:
    assert ones(np.uint64(sum(1 << bit for bit in bits))) == len(bits)


def test_units_know_their_records_and_sensitive_values() -> None:
    table = pa.table({"town": ["A", "B", "A", "A"], "ill": ["flu", "flu", "cold", "flu"], "job": ["x", "y", "y", "x"]})
    schema = Schema(quasi=["town"], sensitive=["ill", "job"])
    requirements = [LDiversity(2, "job"), LDiversity(2, "ill")]
    counts = pipeline.prepare(table, schema, requirements, random_state=0).counts
    units = units_of(counts, bind(counts, requirements)[0])
    assert units.weight.tolist() == [3, 1]
    assert units.cells.tolist() == [0, 2, 3]
    assert units.cell_size.tolist() == [1, 2, 1]
    # The job comes first, as x, y; then the illness, as cold, flu.
    assert units.values.tolist() == [[1, 2], [0, 3], [1, 3]]
    assert units.histogram == 4


def test_too_many_nodes_or_values(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted({"town": TOWNS}, town=["A", "C"])
    monkeypatch.setattr(module, "_MOST_PAIRS", 63)
    with pytest.raises(BadInput, match="hierarchy of 'town' has 8 nodes"):
        described(counts, "nllm", shown_as(counts, "label"))
    monkeypatch.setattr(module, "_MOST_WORDS", 99)
    many = counted(town=[f"t{at}" for at in range(100)])
    with pytest.raises(BadInput, match="column 'town' has too many values"):
        described(many, "ncp", shown_as(many, "interval"))
