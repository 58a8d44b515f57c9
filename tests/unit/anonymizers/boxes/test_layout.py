"""Boxes around values, and what they lose, worked out by hand."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest
from box_kernels import copy_box, enclose, joint_loss, ones, single_loss
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.boxes import layout as module
from hedgerow.anonymizers.boxes.layout import LossName, described, units_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.cells import loss_of_nodes
from hedgerow.core.recoding import Publish, shown_as
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.release import pipeline
from hedgerow.requirements import bind

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D", "E"]}}
# The leaf Z stands directly below the root, where others have a region above them.
UNEVEN = {"*": {"north": ["A", "B"], "south": ["C", "D"], "Z": []}}
METRICS_OF_LABELS: Final[tuple[LossName, ...]] = ("nllm", "ncp", "distortion", "prec", "discernibility")


def counted(
    hierarchies: dict[str, Any] | None = None, weights: dict[str, float] | None = None, **columns: list[Any]
) -> FrequencyTable:
    schema = Schema(quasi=list(columns), hierarchies=hierarchies or {}, weights=weights or {})
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(1)], random_state=0).counts


def around(counts: FrequencyTable, metric: LossName, publish: Publish) -> float:
    """What a record loses in the box around all tuples, found one tuple after the other."""
    shape, boxes, _, _ = described(counts, metric, shown_as(counts, publish)).whole()
    last = len(counts.tuples) - 1
    for one in range(last - 1):
        enclose(shape, boxes, last, boxes, one)
    joint = joint_loss(shape, boxes, last, boxes, max(last - 1, 0), np.inf)
    enclose(shape, boxes, last, boxes, max(last - 1, 0))
    assert single_loss(shape, boxes, last) == joint
    return float(joint)


def test_boxes_meet_at_the_lowest_common_ancestor() -> None:
    counts = counted({"town": UNEVEN}, town=["A", "C", "D", "Z", None])
    shape, boxes, _, _ = described(counts, "nllm", shown_as(counts, "label")).whole()
    labels = counts.hierarchies["town"].labels
    enclose(shape, boxes, 1, boxes, 2)
    assert labels[boxes.nodes[1, 0]] == "south"
    enclose(shape, boxes, 1, boxes, 4)
    assert labels[boxes.nodes[1, 0]] == "*"
    copy_box(boxes, 0, boxes, 1)
    assert labels[boxes.nodes[0, 0]] == "*"


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """A hierarchy as a nested dict, with leaves and branches of any depth."""
    names = iter(range(1000))

    def below(depth: int) -> dict[str, Any]:
        children = draw(st.integers(1 if depth else 2, 4))
        return {
            f"n{next(names)}": below(depth + 1) if depth < 3 and draw(st.booleans()) else {} for _ in range(children)
        }

    return {"*": below(0)}


def leaves_below(tree: dict[str, Any]) -> list[str]:
    return [leaf for name, inside in tree.items() for leaf in (leaves_below(inside) if inside else [name])]


def met_by_walking(hierarchy: EncodedHierarchy, one: int, other: int) -> int:
    """The first node on the way from one leaf to the root that is on the way from the other, too."""
    ways: list[list[int]] = []
    for leaf in (one, other):
        ways.append([leaf])
        while hierarchy.parent[ways[-1][-1]] >= 0:
            ways[-1].append(int(hierarchy.parent[ways[-1][-1]]))
    return next(node for node in ways[0] if node in ways[1])


@given(
    tree=trees(),
    ages=st.lists(st.integers(0, 99), min_size=2, max_size=12),
    days=st.lists(st.dates(date(1950, 1, 1), date(2030, 12, 31)), min_size=2, max_size=12),
    metric=st.sampled_from(METRICS_OF_LABELS),
    data=st.data(),
)
@examples(40)
def test_any_two_values_lose_what_their_first_common_ancestor_loses(
    tree: dict[str, Any], ages: list[int], days: list[date], metric: LossName, data: st.DataObject
) -> None:
    """For trees, intervals and dates at once, with missing values; and then three values together."""
    rows = max(len(ages), len(days))
    leaves = leaves_below(tree)
    columns: dict[str, list[Any]] = {
        "town": [data.draw(st.sampled_from([*leaves, None])) for _ in range(rows)],
        "age": [*ages, *[None] * (rows - len(ages))],
        "day": [*days, *[days[0]] * (rows - len(days))],
    }
    counts = counted({"town": tree, "age": "intervals:5,20", "day": "dates"}, {"age": 0.5}, **columns)
    shape, boxes, _, _ = described(counts, metric, shown_as(counts, "label")).whole()
    hierarchies = [counts.hierarchies[name] for name in counts.quasi]
    before = np.cumsum([0, *(len(one.parent) for one in hierarchies)])
    losses = [
        weight * loss_of_nodes(one, counts.domains[name], "nllm" if metric == "discernibility" else metric)
        for weight, one, name in zip(counts.column_weights, hierarchies, counts.quasi, strict=True)
    ]
    leaf = [
        [int(one.leaf_of[code]) for one, code in zip(hierarchies, row, strict=True)] for row in counts.tuples.tolist()
    ]
    numbers = range(len(leaf))
    for first, second in itertools.product(numbers, numbers):
        met = [met_by_walking(*each) for each in zip(hierarchies, leaf[first], leaf[second], strict=True)]
        lost = sum(float(loss[node]) for loss, node in zip(losses, met, strict=True))
        assert joint_loss(shape, boxes, first, boxes, second, np.inf) == pytest.approx(lost)
        third = data.draw(st.sampled_from(numbers)) if second == numbers[-1] else second
        room = boxes.room_for(1)
        copy_box(room, 0, boxes, first)
        enclose(shape, room, 0, boxes, second)
        assert (room.nodes[0] - before[:-1]).tolist() == met
        above = [met_by_walking(*each) for each in zip(hierarchies, met, leaf[third], strict=True)]
        lost = sum(float(loss[node]) for loss, node in zip(losses, above, strict=True))
        assert joint_loss(shape, room, 0, boxes, third, np.inf) == pytest.approx(lost)


def test_nodes_end_where_the_nodes_below_them_end() -> None:
    counts = counted({"town": UNEVEN, "day": "dates"}, town=["A", "Z"], day=[date(2024, 1, 1), date(2025, 2, 2)])
    shape = described(counts, "nllm", shown_as(counts, "label")).shape
    before = 0
    for name in counts.quasi:
        parent = counts.hierarchies[name].parent.tolist()
        for node in range(len(parent)):
            below = {node}
            for other in range(node + 1, len(parent)):
                below |= {other} if parent[other] in below else set()
            assert shape.end[before + node] == before + max(below) + 1
        before += len(parent)


def test_sets_have_bits_for_the_values_that_are_compared() -> None:
    counts = counted(town=[f"t{at:04}" for at in range(1000)], sex=["f", "m"] * 500)
    whole = described(counts, "ncp", shown_as(counts, "interval"))
    every, few = whole.whole(), whole.at(np.array([7, 500, 999, 500]))
    assert (every.boxes.bits.shape[1], few.boxes.bits.shape[1]) == (16, 1)
    assert (few.codes.tolist(), few.sizes) == ([[0, 1], [1, 0], [2, 1], [1, 0]], (3, 2))
    for shape, boxes, first, second in ((every[0], every[1], 7, 500), (few[0], few[1], 0, 1)):
        assert joint_loss(shape, boxes, first, boxes, second, np.inf) == pytest.approx(1 / 999 + 1)
    assert joint_loss(few[0], few[1], 1, few[1], 3, np.inf) == 0.0


def test_ranges_and_sets() -> None:
    """Ages span 10 of 40; two of three towns beyond the first are one of two more."""
    counts = counted(age=[20, 30, 60, 20], town=["A", "B", "A", "C"])
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "interval")).whole()
    pairs = {(20, "A"): 0, (20, "C"): 1, (30, "B"): 2, (60, "A"): 3}
    assert joint_loss(shape, boxes, pairs[20, "A"], boxes, pairs[30, "B"], np.inf) == pytest.approx(0.25 + 0.5)
    assert around(counts, "ncp", "interval") == pytest.approx(2.0)


def test_columns_count_by_their_weights() -> None:
    """Half as much for the range with a missing number, which has lost all; twice for the set; as much for the node."""
    weights = {"age": 0.5, "letter": 2, "town": 0.5}
    counts = counted({"town": TOWNS}, weights, age=[20, 30, 60, None], letter=list("xyxx"), town=list("ABAA"))
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "auto")).whole()
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
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "interval")).whole()
    assert joint_loss(shape, boxes, 1, boxes, 2, np.inf) == 1.0  # one town of two, no age
    assert single_loss(shape, boxes, 0) == 0.0


def test_dates_are_ranges_and_missing_categories_values() -> None:
    counts = counted(day=[date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 5)])
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "interval")).whole()
    assert joint_loss(shape, boxes, 0, boxes, 1, np.inf) == 0.25
    assert around(counted(town=["A", "B", None]), "ncp", "interval") == 1.0


def test_sets_of_many_values_and_several_columns() -> None:
    """Sets of 100, 3 and 70 values, each around 2 of them; the first and the last need more than one word."""
    counts = counted(
        first=[f"a{at:03}" for at in range(100)],
        second=[f"b{at % 3}" for at in range(100)],
        third=[f"c{at % 70:02}" for at in range(100)],
    )
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "interval")).whole()
    for one, other in [(0, 1), (63, 65), (5, 99)]:
        assert joint_loss(shape, boxes, one, boxes, other, np.inf) == pytest.approx(
            1 / 99 + (0.5 if one % 3 != other % 3 else 0) + (1 / 69 if one % 70 != other % 70 else 0)
        )
    assert around(counts, "ncp", "interval") == pytest.approx(3.0)


def test_a_limit_stops_only_what_is_beyond_it() -> None:
    counts = counted({"town": TOWNS, "home": TOWNS}, town=["A", "C"], home=["A", "C"])
    shape, boxes, _, _ = described(counts, "nllm", shown_as(counts, "label")).whole()
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


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WORDS", 99)
    many = counted(town=[f"t{at}" for at in range(100)])
    with pytest.raises(BadInput, match="column 'town' has too many values"):
        described(many, "ncp", shown_as(many, "interval")).whole()
