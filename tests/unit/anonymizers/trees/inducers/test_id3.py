"""ID3 on published cells: how they count, how they are converted, and when a node is split."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from entropies import column_entropy
from numpy.typing import NDArray

from hedgerow.anonymizers.trees.inducers.id3 import Id3Options, induce_id3
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn, read_training


def column(name: str, cells: list[Any], **more: Any) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]), **more)


def induced(
    columns: list[SetColumn], labels: list[int], weights: NDArray[np.float64] | None = None, **options: Any
) -> ClassificationTree:
    random = np.random.default_rng(0)
    return induce_id3(columns, np.array(labels), ["no", "yes"], weights, options=Id3Options(**options), random=random)


def test_intervals_and_stars_count_for_what_they_cover() -> None:
    found = column_entropy(["[20,30)", "20", "25", "40", "*"], ["a", "b", "b", "b", "a"])
    assert found.values["20"].counts == pytest.approx({"a": 1 / 2 + 1 / 3, "b": 1})
    assert found.values["40"].counts == pytest.approx({"a": 1 / 3, "b": 1})
    assert sum(value.weight for value in found.values.values()) == pytest.approx(5)


def test_a_column_that_decides_the_class_leaves_no_entropy() -> None:
    found = column_entropy(["x", "x", "y"], ["a", "a", "b"])
    assert found.conditional == 0
    assert found.gain == found.before == pytest.approx(0.9182958)


def test_drawing_before_the_entropy_may_follow_the_frequencies() -> None:
    found = column_entropy(["x", "x", "y", "{x|y}"], ["a", "a", "b", "b"], entropy="random", assign="frequent")
    assert found.values["x"].counts == {"a": 2, "b": 1}


def test_a_split_without_gain_is_made_as_long_as_columns_are_left() -> None:
    one, two = column("one", ["a", "a", "b", "b"]), column("two", ["x", "y", "x", "y"])
    assert induced([one, two], [0, 1, 1, 0]).n_leaves == 4
    assert induced([one], [0, 1, 0, 1]).n_leaves == 2
    assert induced([one, two], [0, 1, 1, 0], fractional=True).n_leaves == 1


def test_the_first_of_equal_columns_is_asked() -> None:
    one, two = column("one", ["a", "b"]), column("two", ["x", "y"])
    assert induced([one, two], [0, 1]).export_text() == "one = a: no (1)\none = b: yes (1)"
    assert induced([two, one], [0, 1]).export_text() == "two = x: no (1)\ntwo = y: yes (1)"


def test_columns_that_are_generalized_less_are_preferred() -> None:
    clear = column("clear", ["a", "a", "b", "b", "a", "b"])
    blurred = column("blurred", ["x", "{x|y}", "y", "{x|y}", "{x|y}", "{x|y}"])
    tree = induced([blurred, clear], [0, 0, 1, 1, 0, 1])
    assert tree.export_text() == "clear = a: no (3)\nclear = b: yes (3)"


def test_sets_are_converted_to_one_branch() -> None:
    sex = column("sex", ["F", "F", "{F|M}", "M"])
    assert induced([sex], [0, 0, 1, 1], assign="frequent").export_text() == "sex = F: no (3/1)\nsex = M: yes (1)"
    texts = {
        induce_id3([sex], np.array([0, 0, 1, 1]), ["no", "yes"], random=np.random.default_rng(seed)).export_text()
        for seed in range(20)
    }
    assert texts == {"sex = F: no (3/1)\nsex = M: yes (1)", "sex = F: no (2)\nsex = M: yes (2)"}


def test_the_gain_of_a_set_is_shared_even_where_its_record_is_converted() -> None:
    # Converted to F by frequency; shared, it still counts half for M.
    sex = column("sex", ["F", "F", "{F|M}", "M", "M"])
    other = column("other", ["x", "x", "x", "x", "y"])
    tree = induced([other, sex], [0, 0, 1, 1, 1], assign="frequent")
    assert tree.attributes[tree.nodes.column[0]].name == "sex"
    assert tree.nodes.counts[1:3].tolist() == [[2, 1], [0, 2]]


def test_own_sets_have_a_branch() -> None:
    sex = column("sex", ["F", "{M|F}", "{F|M}", "M"], own=True)
    assert induced([sex], [0, 1, 1, 0], entropy="own").export_text() == (
        "sex = F: no (1)\nsex = M: no (1)\nsex = {F|M}: yes (2)"
    )


def test_small_nodes_and_deep_ones_are_leaves() -> None:
    age = column("age", list(range(16)))
    labels = [0, 1] * 8
    assert induced([age], labels).n_leaves == 16
    coarse = induced([age], labels, min_objects=3)
    assert coarse.nodes.counts[coarse.nodes.column < 0].sum(axis=1).min() >= 3
    assert induced([age], labels, max_depth=2).n_leaves <= 4
    assert induced([age], labels, max_depth=1).n_leaves == 2


def test_a_missing_category_has_a_branch() -> None:
    it = column("it", ["a", None, None])
    assert induced([it], [0, 1, 1]).export_text() == "it = a: no (1)\nit = \\N: yes (2)"


@pytest.mark.parametrize("entropy", ["shared", "random"])
@pytest.mark.parametrize("assign", ["random", "distribution"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_seed_draws_the_same_in_any_order_of_the_rows(entropy: Any, assign: Any, weighted: bool) -> None:
    random = np.random.default_rng(1)
    cells = [random.choice(["a", "b", "{a|b}", "{b|c}", "*"], 60), random.choice(["1", "{1|2}", "{2|3}", "3"], 60)]
    labels, weights = random.integers(0, 2, 60), random.integers(1, 4, 60).astype(float)
    texts = set()
    for order in (np.arange(60), random.permutation(60), random.permutation(60)):
        columns = [column(name, one[order].tolist()) for name, one in zip("xy", cells, strict=True)]
        tree = induced(
            columns,
            labels[order].tolist(),
            weights=weights[order] if weighted else None,
            entropy=entropy,
            assign=assign,
        )
        texts.add(tree.export_text())
    assert len(texts) == 1


def test_weights_count_as_records() -> None:
    it = column("it", ["a", "{a|b}", "b"])
    tree = induced([it], [0, 1, 1], weights=np.array([3.0, 4.0, 1.0]), fractional=True)
    assert tree.nodes.counts[1:].tolist() == [[3, 2], [0, 3]]


def test_columns_without_a_known_value_are_never_asked() -> None:
    blank, it = column("blank", ["*", "*"]), column("it", ["a", "b"])
    assert induced([blank, it], [0, 1]).export_text() == "it = a: no (1)\nit = b: yes (1)"
    assert induced([blank], [0, 1], fractional=True).n_leaves == 1


def test_trees_are_pickled() -> None:
    tree = induced([column("it", ["a", "{a|b}", "b"])], [0, 1, 1])
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.export_text() == tree.export_text()
