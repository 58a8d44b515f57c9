"""Generalizing trees: where values lie, which way they go, and how a tree is written."""

from __future__ import annotations

import numpy as np

from hedgerow.anonymizers.trees.nodes.arrays import NodeList
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizedAttribute, GeneralizingTree
from hedgerow.hierarchies import NOWHERE, resolve
from hedgerow.io.domains import Domain

LETTER = Domain("letter", "text", np.array(list("abcd")), has_missing=True)
LETTERS = resolve({"*": {"U": ["a", "b"], "V": ["c", "d"]}}, LETTER, "letter")
AGE = Domain("age", "number", np.array(["20", "30", "40"]), np.array([20.0, 30, 40]), has_missing=True)


def ints(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, dtype=np.int32)


def node(label: str | None) -> int:
    return LETTERS.labels.index(label)


def tree(public: bool = True, absent: bool = True) -> GeneralizingTree:
    """Letters in U and V; in V an age up to 20, above, and missing."""
    attributes = (
        GeneralizedAttribute(LETTER, LETTERS, public),
        GeneralizedAttribute(AGE, resolve(None, AGE, "age")),
    )
    below = 2 + absent
    nodes = NodeList()
    nodes.ask(0, column=0, branches=2, codes=[node("U"), node("V")])
    nodes.ask(2, column=1, branches=below, threshold=0, codes=range(below))
    return GeneralizingTree(
        attributes=attributes,
        classes=("no", "yes"),
        nodes=nodes.finished(np.array([[4.0, 4], [3, 1], [1, 3], [1, 0], [0, 3], [0, 0]][: 3 + below])),
    )


def places(letters: list[str | None], ages: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.stack([ints(*(node(letter) for letter in letters)), ints(*ages)])


def test_numbers_without_a_hierarchy_are_asked_by_threshold() -> None:
    for domain, given, expected in [
        (AGE, None, True),
        (AGE, {"*": {"young": [20], "old": [30, 40]}}, False),
        (LETTER, None, False),
    ]:
        assert GeneralizedAttribute(domain, resolve(given, domain, domain.name)).by_threshold is expected


def test_rows_end_at_a_leaf_or_where_there_is_no_branch_for_them() -> None:
    rows = places(["a", "U", "c", "V", "d", "c", "c", None, "*"], [0, 0, 0, 1, 2, 3, NOWHERE, 0, 0])
    assert tree().reached(rows).tolist() == [1, 1, 3, 4, 4, 5, 2, 0, 0]
    assert tree(absent=False).reached(places(["c"], [3])).tolist() == [2]


def test_spans_are_leaves_where_everything_is_public() -> None:
    rows = places(["a", "b", "c", "d", "c"], [0, 2, 0, 0, 1])
    assert tree().spans(rows).tolist() == [0, 0, 1, 1, 2]


def test_below_a_private_question_everybody_could_be_asked() -> None:
    rows = places(["a", "b", "c", "d", "c"], [0, 2, 0, 0, 1])
    ages = tree(public=False).spans(rows)
    assert [ages[row] == ages[0] for row in range(5)] == [True, False, True, True, False]
    assert ages[1] == ages[4]


def test_a_path_is_told_from_its_end() -> None:
    assert list(tree().path(4)) == [(1, 1), (0, node("V"))]
    assert list(tree().path(0)) == []


def test_a_leaf_without_records_answers_as_its_parent() -> None:
    assert tree().deciding.tolist() == [[4, 4], [3, 1], [1, 3], [1, 0], [0, 3], [1, 3]]


def test_the_tree_as_text() -> None:
    assert tree().export_text() == (
        "letter = U: no (4/1)\nletter = V\n|   age <= 20: no (1)\n|   age > 20: yes (3)\n|   age is missing: yes (0)"
    )
    assert (tree().size, tree().n_leaves) == (6, 4)
