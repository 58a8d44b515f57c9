"""C4.5 on published cells; on plain ones tests/properties compares it with C4.5 itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.anonymizers.trees.inducers.c45 import induce_c45
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn, read_training, read_unseen


def column(name: str, cells: list[Any]) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]), missing_is_value=False)


def induced(columns: list[SetColumn], labels: list[int], **more: Any) -> ClassificationTree:
    return induce_c45(columns, np.array(labels), ["no", "yes"], **more)


def said(tree: ClassificationTree, **cells: list[Any]) -> list[float]:
    rows = [read_unseen(one, pa.chunked_array([pa.array(cells[one.name])])) for one in tree.set_attributes]
    shares = tree.classify_sets(rows).shares
    return [float(one) for one in shares[:, 1] / shares.sum(axis=1)]


def test_sets_and_stars_share_where_missing_follows_the_others() -> None:
    sky = column("sky", ["blue"] * 6 + ["grey"] * 3 + ["{blue|grey}", "*", None])
    tree = induced([sky], [0] * 6 + [1] * 6)
    # The set and the star half each; the missing one as the others, 7 : 4.
    assert tree.nodes.counts[1:].tolist() == pytest.approx(np.array([[6, 1 + 7 / 11], [0, 4 + 4 / 11]]))


def test_intervals_split_around_a_threshold() -> None:
    age = column("age", ["20"] * 3 + ["25"] * 3 + ["40"] * 3 + ["45"] * 3 + ["[20,50)"] * 2)
    tree = induced([age], [0] * 6 + [1] * 8)
    assert tree.export_text() == "age <= 25: no (7/1)\nage > 25: yes (7)"
    assert said(tree, age=["10", "33", "[20,45)"]) == pytest.approx([1 / 7, 1, 2 / 3 / 7 + 1 / 3])


def test_a_subtree_that_is_not_worth_it_becomes_a_leaf() -> None:
    noise = column("noise", ["a"] * 7 + ["b"] * 7 + ["{a|b}"] * 2)
    labels = [0] * 5 + [1] * 2 + [0] * 3 + [1] * 4 + [0, 1]
    assert induced([noise], labels, pruned=False).export_text() == "noise = a: no (8/2.5)\nnoise = b: yes (8/3.5)"
    assert induced([noise], labels).export_text() == ": no (16/7)"


def test_an_unknown_category_goes_down_every_branch() -> None:
    sky = column("sky", ["blue"] * 6 + ["grey"] * 3)
    tree = induced([sky], [0] * 6 + [1] * 3)
    assert said(tree, sky=["grey", "pink", None, "{grey|pink}"]) == pytest.approx([1, 1 / 3, 1 / 3, 2 / 3])


def test_every_known_value_has_a_branch_as_in_c45() -> None:
    sky = column("sky", ["blue"] * 3 + ["grey"] * 3 + ["pink"])
    wind = column("wind", [1] * 3 + [1, 1, 9, 9])
    tree = induced([wind, sky], [0, 0, 0, 1, 1, 1, 1], min_objects=1, pruned=False)
    assert "sky = pink" in tree.export_text()
    assert tree.nodes.code[tree.nodes.first[0] : tree.nodes.first[0] + 3].tolist() == [0, 1, 2]
