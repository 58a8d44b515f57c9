"""Trees from generalized tables against a plain recursion over dictionaries, and against the trees of raw tables."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from entropies import column_entropy
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.anonymizers.trees._growth import collapse, grown, prune, whole_table
from hedgerow.anonymizers.trees.inducers.c45 import rules_of
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.training import encode_training
from hedgerow.io.frames import open_frame
from hedgerow.learning import C45Classifier
from hedgerow.learning.id3 import GeneralizedID3Classifier

VALUES = ["a", "b", "c"]
COLUMNS = ["one", "two", "three"]
Cell = frozenset[str]
Record = tuple[tuple[Cell, ...], int]

cells = st.sets(st.sampled_from(VALUES), min_size=1, max_size=3).map(frozenset)
records = st.lists(st.tuples(st.tuples(cells, cells, cells), st.integers(0, 1)), min_size=2, max_size=25)


@dataclass
class Place:
    """A node of the reference: the weight of each class, the column it asks, and its branches."""

    counts: list[float]
    column: int = -1
    branches: dict[str, Place] = field(default_factory=dict)


def text(cell: Cell) -> str:
    return "{" + "|".join(sorted(cell)) + "}" if len(cell) > 1 else next(iter(cell))


def published(rows: list[Record]) -> tuple[pa.Table, list[int]]:
    table = pa.table({name: [text(row[at]) for row, _ in rows] for at, name in enumerate(COLUMNS)})
    return table, [label for _, label in rows]


def entropy(counts: list[float]) -> float:
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count > 0)


def reference(rows: list[tuple[Record, float]], left: list[int], route: Any, *, must_gain: bool) -> Place:
    """ID3 with sets that count equally for their members; ``route`` says where a cell goes, and with which share."""
    counts = [sum(weight for (_, label), weight in rows if label == one) for one in (0, 1)]
    place = Place(counts)
    if min(counts) < 1e-6 or sum(counts) < 2 - 1e-6:
        return place
    best = 0.0 if must_gain else -1.0
    for column in left:
        held: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for (row, label), weight in rows:
            for value in row[column]:
                held[value][label] += weight / len(row[column])
        if sum(sum(one) >= 1 - 1e-6 for one in held.values()) < 2:
            continue
        gain = entropy(counts) - sum(sum(one) / sum(counts) * entropy(one) for one in held.values())
        gain = 0.0 if gain * sum(counts) < 1e-6 else gain
        if gain - best > 1e-6:
            best, place.column = gain, column
    if place.column < 0:
        return place
    sent: dict[str, list[tuple[Record, float]]] = defaultdict(list)
    for (row, label), weight in rows:
        for value, share in route(row[place.column], place.column).items():
            sent[value].append(((row, label), weight * share))
    rest = [column for column in left if column != place.column]
    place.branches = {value: reference(sent[value], rest, route, must_gain=must_gain) for value in sorted(sent)}
    return place


def answer(place: Place, row: tuple[str, ...]) -> float:
    """The share of class 1."""
    while place.column >= 0 and row[place.column] in place.branches:
        place = place.branches[row[place.column]]
    return place.counts[1] / sum(place.counts)


RAW = [(one, two, three) for one in VALUES for two in VALUES for three in VALUES]
RAW_TABLE = pa.table({name: [row[at] for row in RAW] for at, name in enumerate(COLUMNS)})


def probabilities(model: Any) -> list[float]:
    if 1 not in model.classes_:
        return [0.0] * len(RAW)
    at = model.classes_.tolist().index(1)
    return [float(one) for one in model.predict_proba(RAW_TABLE)[:, at]]


@given(records)
@examples(150)
def test_fractional_trees_are_those_of_the_plain_recursion(rows: list[Record]) -> None:
    model = GeneralizedID3Classifier(fractional=True).fit(*published(rows))
    grown = reference(
        [(row, 1.0) for row in rows], [0, 1, 2], lambda cell, _: dict.fromkeys(cell, 1 / len(cell)), must_gain=True
    )
    assert probabilities(model) == pytest.approx([answer(grown, row) for row in RAW])


@given(records)
@examples(150)
def test_trees_by_the_most_frequent_member_are_those_of_the_plain_recursion(rows: list[Record]) -> None:
    frequency = [
        {value: sum(value in row[at] and 1 / len(row[at]) for row, _ in rows) for value in VALUES} for at in range(3)
    ]

    def most(cell: Cell, column: int) -> dict[str, float]:
        top = max(frequency[column][value] for value in cell)
        return {next(value for value in sorted(cell) if frequency[column][value] > top - 1e-9): 1.0}

    model = GeneralizedID3Classifier(assign="frequent").fit(*published(rows))
    grown = reference([(row, 1.0) for row in rows], [0, 1, 2], most, must_gain=False)
    assert probabilities(model) == pytest.approx([answer(grown, row) for row in RAW])


@given(records, st.booleans())
@examples(100)
def test_no_weight_is_lost_or_invented(rows: list[Record], numbers: bool) -> None:
    names = {"a": "1", "b": "2", "c": "30"} if numbers else {value: value for value in VALUES}
    table, labels = published([(tuple(frozenset(names[v] for v in cell) for cell in row), y) for row, y in rows])
    for model in (
        GeneralizedID3Classifier(fractional=True),
        GeneralizedID3Classifier(random_state=0),
        C45Classifier(fractional=True, min_objects=1, pruned=False),
    ):
        nodes = model.fit(table, labels).tree_.nodes
        assert nodes.counts[nodes.column < 0].sum() == pytest.approx(len(rows))


@given(records)
@examples(100)
def test_the_root_is_the_column_with_the_largest_gain(rows: list[Record]) -> None:
    table, labels = published(rows)
    tree = GeneralizedID3Classifier(random_state=0).fit(table, labels).tree_
    if tree.nodes.column[0] >= 0:
        found = [column_entropy(table[name].to_pylist(), [str(y) for y in labels]) for name in COLUMNS]
        asked = [one.gain for one in found if sum(v.weight >= 1 - 1e-6 for v in one.values.values()) > 1]
        assert found[tree.nodes.column[0]].gain == pytest.approx(max(asked), abs=2e-6)


@given(records, st.integers(1, 4))
@examples(60)
def test_a_row_of_weight_n_is_n_rows(rows: list[Record], times: int) -> None:
    weights = [1 + (at * times) % 3 for at in range(len(rows))]
    model = GeneralizedID3Classifier(fractional=True).fit(*published(rows), sample_weight=weights)
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    assert probabilities(model) == pytest.approx(
        probabilities(GeneralizedID3Classifier(fractional=True).fit(*published(repeated)))
    )


def raw_table(seed: int, rows: int, lacking: float) -> tuple[pa.Table, Any]:
    random = np.random.default_rng(seed)
    absent = random.random((3, rows)) < lacking
    town = np.array(["Bonn", "Lyon", "Nice", "Trier"])[random.integers(0, 4, rows)]
    age = random.integers(17, 60, rows)
    hours = random.integers(0, 8, rows) / 4
    rich = (age > 40) & (town != "Lyon") | (hours > 1.5) ^ (random.random(rows) < 0.15)
    table = pa.table(
        {
            "town": pa.array(town, mask=absent[0]),
            "age": pa.array(age, mask=absent[1]),
            "hours": pa.array(hours, mask=absent[2]),
        }
    )
    return table, rich.astype(int)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1]), st.booleans())
@examples(40)
def test_fractional_c45_without_generalized_cells_is_c45_without_raising(
    seed: int, lacking: float, pruned: bool
) -> None:
    table, labels = raw_table(seed, 150, lacking)
    model = C45Classifier(fractional=True, pruned=pruned).fit(table, labels)
    plain = whole_table(columns := encode_training(open_frame(table), ("",)), labels, 2, None)
    nodes = grown(plain, None, rules_of(plain.columns, float(plain.weights.sum()), 2))
    collapse(nodes)
    if pruned:
        prune(nodes, 0.25)
    expected = ClassificationTree(tuple(column.attribute for column in columns), ("0", "1"), nodes.compact())
    assert model.tree_.nodes.column.tolist() == expected.nodes.column.tolist()
    assert model.tree_.nodes.threshold.tolist() == expected.nodes.threshold.tolist()
    assert model.tree_.nodes.counts == pytest.approx(expected.nodes.counts)
    said = expected.classify(np.stack([column.codes for column in columns]))
    assert model.predict(table).tolist() == said.labels.tolist()
    assert model.predict_proba(table) == pytest.approx(said.shares / said.shares.sum(axis=1, keepdims=True))


@given(st.integers(0, 10_000), st.sampled_from(["shared", "own", "random"]))
@examples(40)
def test_without_generalized_cells_all_ways_are_one(seed: int, way: Any) -> None:
    table, labels = raw_table(seed, 80, 0.0)
    model = GeneralizedID3Classifier(entropy=way, random_state=0).fit(table, labels)
    assert (
        model.export_text()
        == GeneralizedID3Classifier(entropy="random", random_state=1).fit(table, labels).export_text()
    )
