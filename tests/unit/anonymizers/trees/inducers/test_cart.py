"""scikit-learn's trees as an inducer: a record goes where scikit-learn sends it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from hedgerow import BadInput, Schema
from hedgerow.anonymizers.trees import Attribute, ByThreshold, ByValue, CodedColumn, Leaf, TrainingTable
from hedgerow.anonymizers.trees.inducers._cart import features_of, fitted, induce_cart
from hedgerow.anonymizers.trees.nodes.custom_trees import path_tree
from hedgerow.anonymizers.trees.training import training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source

DRAWN = st.lists(
    st.tuples(
        st.sampled_from([-3.0, 0.1, 0.2, 7.0, 8.0, 1e9, 1e9 + 1]),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from([1, 2, 3, 4, None]),
        st.sampled_from([10, 20, None]),
        st.sampled_from(["no", "yes", "perhaps"]),
    ),
    min_size=2,
    max_size=60,
).filter(lambda rows: len({row[-1] for row in rows}) < len(rows) and all(map(any, zip(*rows, strict=True))))
NAMES = ["number", "letter", "some", "few", "class"]
TYPES = [pa.float64(), pa.string(), pa.int64(), pa.int64(), pa.string()]
ESTIMATORS = [
    None,
    DecisionTreeClassifier(),
    DecisionTreeClassifier(max_depth=3, criterion="entropy", max_features=2),
    ExtraTreeClassifier(),
    DecisionTreeClassifier(splitter="random", random_state=5),
]


def table_of(rows: list[tuple[Any, ...]], names: list[str]) -> pa.Table:
    columns = [pa.array(values, kind) for values, kind in zip(zip(*rows, strict=True), TYPES, strict=True)]
    return pa.table(dict(zip(NAMES, columns, strict=True))).select([*names, "class"])


def counted(table: pa.Table) -> FrequencyTable:
    schema = Schema(quasi=[name for name in table.column_names if name != "class"], target="class")
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two labellings part the rows alike."""
    return len({*zip(one.tolist(), other.tolist(), strict=True)}) == len({*one.tolist()}) == len({*other.tolist()})


def leaves(
    counts: FrequencyTable, min_objects: int, estimator: Any
) -> tuple[NDArray[Any], NDArray[Any], TrainingTable]:
    """The leaf of each training row here and in scikit-learn."""
    table = training_table(counts, min_objects, "KActus")
    tree = path_tree(induce_cart(table, estimator), counts, "KActus")
    # Rows of the training table are a tuple and a class, in the order of the cells.
    of_row = tree.leaves_of(counts)[counts.cell_tuple]
    features = features_of(table)
    return of_row, fitted(table, features, estimator).apply(features.values), table


@settings(deadline=None)  # the first one compiles
@given(DRAWN, st.sampled_from(ESTIMATORS), st.integers(1, 4))
def test_without_missing_numbers_the_leaves_are_scikit_learns(
    rows: list[tuple[Any, ...]], estimator: Any, min_objects: int
) -> None:
    ours, theirs, _ = leaves(counted(table_of(rows, ["number", "letter"])), min_objects, estimator)
    assert same(ours, theirs)


@settings(deadline=None)
@given(DRAWN, st.sampled_from(ESTIMATORS), st.integers(1, 4))
def test_with_missing_numbers_a_leaf_lies_in_one_of_scikit_learns(
    rows: list[tuple[Any, ...]], estimator: Any, min_objects: int
) -> None:
    ours, theirs, table = leaves(counted(table_of(rows, NAMES[:-1])), min_objects, estimator)
    pairs = {*zip(ours.tolist(), theirs.tolist(), strict=True)}
    assert len(pairs) == len({*ours.tolist()})
    # And rows with the same numbers missing are parted only where scikit-learn does.
    gaps = np.stack([column.codes < 0 for column in table.columns if column.attribute.numeric])
    for pattern in np.unique(gaps, axis=1).T:
        alike = (gaps == pattern[:, None]).all(axis=0)
        assert same(ours[alike], theirs[alike])


@settings(deadline=None)
@given(DRAWN)
def test_ranks_part_the_rows_as_the_values_would(rows: list[tuple[Any, ...]]) -> None:
    # All values differ in single precision here, so scikit-learn can be given them.
    rows = [(min(row[0], 1e9), *row[1:]) for row in rows]
    counts = counted(table_of(rows, ["number"]))
    ours, _, table = leaves(counts, 1, None)
    numbers = counts.domains["number"].numbers
    assert numbers is not None
    values = numbers[table.columns[0].codes].reshape(-1, 1)
    direct = DecisionTreeClassifier(random_state=0).fit(values, table.labels, sample_weight=table.weights)
    assert same(ours, direct.apply(values))


def training(codes: list[int], labels: list[int], weights: list[float], min_objects: int = 2) -> TrainingTable:
    numbers = np.arange(max(codes) + 1, dtype=np.float64) * 10
    column = CodedColumn(Attribute("x", tuple(map(str, numbers)), numbers), np.array(codes, dtype=np.int32))
    return TrainingTable((column,), np.array(labels, dtype=np.int32), ("no", "yes"), np.array(weights), min_objects)


def test_values_that_single_precision_cannot_tell_apart_are_told_apart() -> None:
    numbers = np.array([2.0**30, 2.0**30 + 1])
    column = CodedColumn(Attribute("x", ("a", "b"), numbers), np.array([0, 1], dtype=np.int32))
    table = TrainingTable((column,), np.array([0, 1], dtype=np.int32), ("no", "yes"), np.array([5.0, 5.0]))
    assert induce_cart(table) == ByThreshold("x", 2.0**30, Leaf(), Leaf())


def test_leaves_have_so_many_records_not_rows() -> None:
    # Three records of 0 on one row: enough for 3, too few for 4.
    assert induce_cart(training([0, 1], [0, 1], [3, 46], 3)) == ByThreshold("x", 0, Leaf(), Leaf())
    assert induce_cart(training([0, 1], [0, 1], [3, 46], 4)) == Leaf()
    # Half of the records are not more than half of them.
    assert induce_cart(training([0, 1], [0, 1], [5, 5], 5)) == ByThreshold("x", 0, Leaf(), Leaf())
    assert induce_cart(training([0, 1], [0, 1], [5, 5], 6)) == Leaf()
    # Exactly so many are enough for any total, though shares of it are rounded.
    for total in range(20, 200):
        assert induce_cart(training([0, 1], [0, 1], [10, total - 10], 10)) != Leaf()


@pytest.mark.parametrize(
    ("settings", "splits"),
    [
        ({}, True),
        ({"min_samples_leaf": 3}, True),
        ({"min_samples_leaf": 4}, False),
        ({"min_samples_leaf": 0.29}, True),
        ({"min_samples_leaf": 0.31}, False),
        ({"min_samples_leaf": 2, "min_weight_fraction_leaf": 0.4}, False),
    ],
)
def test_the_least_leaf_of_an_estimator_counts_records(settings: dict[str, Any], splits: bool) -> None:
    table = training([0, 1], [0, 1], [3, 7], min_objects=9)  # which is for trees that are not set up by the user
    assert (induce_cart(table, DecisionTreeClassifier(**settings)) != Leaf()) == splits


def test_a_setting_that_scikit_learn_refuses_is_refused() -> None:
    with pytest.raises(ValueError, match="min_samples_leaf"):
        induce_cart(training([0, 1], [0, 1], [3, 7]), DecisionTreeClassifier(min_samples_leaf=0))


def test_an_estimator_is_copied_and_its_seed_kept() -> None:
    table = training([0, 1, 2], [0, 1, 0], [3, 7, 2])
    features = features_of(table)
    given = DecisionTreeClassifier(min_samples_leaf=2)
    assert fitted(table, features, given).random_state == 0
    assert not hasattr(given, "tree_")
    assert (given.random_state, given.min_samples_leaf, given.min_weight_fraction_leaf) == (None, 2, 0.0)
    assert fitted(table, features, DecisionTreeClassifier(random_state=7)).random_state == 7


def test_a_category_is_asked_by_one_of_its_values() -> None:
    column = CodedColumn(Attribute("sky", ("blue", "grey", "pink")), np.array([0, 1, 2], dtype=np.int32))
    table = TrainingTable((column,), np.array([0, 1, 0], dtype=np.int32), ("dry", "rain"), np.array([5.0, 5.0, 5.0]))
    assert induce_cart(table) == ByValue("sky", {"grey": Leaf()}, otherwise=Leaf())


def test_a_missing_number_that_says_the_class_is_parted_from_all_known_ones() -> None:
    # No known number has the class of the missing one: one question, and a leaf for the numbers that are not there.
    table = training([0, 1, -1], [0, 0, 1], [5, 5, 5])
    assert induce_cart(table) == ByThreshold("x", 10, Leaf(), Leaf(), missing=Leaf())


def test_a_number_that_is_missing_is_not_asked_again() -> None:
    # Six values of alternating class: the side that missing ones go to asks again, but not them.
    table = training([0, 1, 2, 3, 4, 5, -1, -1], [0, 1, 0, 1, 0, 1, 0, 1], [5.0] * 8)
    tree = fitted(table, features_of(table)).tree_
    assert tree.children_left[tree.children_right[0]] > 0
    assert not tree.missing_go_to_left[0]
    root = induce_cart(table)
    assert isinstance(root, ByThreshold)
    assert root.missing == Leaf()
    waiting = [root.low, root.high]
    questions = 1
    while waiting:
        node = waiting.pop()
        if isinstance(node, ByThreshold):
            questions += 1
            assert node.missing is None
            waiting += [node.low, node.high]
    assert questions == tree.node_count - tree.n_leaves


def test_too_many_categories_are_refused_before_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.anonymizers.trees.inducers._cart._MOST_CELLS", 8)
    column = CodedColumn(Attribute("sky", ("blue", "grey", "pink")), np.array([0, 1, 2], dtype=np.int32))
    table = TrainingTable((column,), np.array([0, 1, 0], dtype=np.int32), ("dry", "rain"), np.ones(3))
    with pytest.raises(BadInput, match="3 in all, too many for 3 rows; the column 'sky' has the most"):
        induce_cart(table)
