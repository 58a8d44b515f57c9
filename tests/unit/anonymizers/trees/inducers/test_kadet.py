"""kADET's growth on tables that can be solved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees.inducers._kadet_kernels import Region, thresholds_that_hold
from hedgerow.anonymizers.trees.inducers.kadet import People, Records, induce_kadet
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizedAttribute, GeneralizingTree
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain
from hedgerow.requirements import pack
from hedgerow.requirements.binding import BoundRequirement, Context

Column = tuple[GeneralizedAttribute, list[int]]
LETTERS = {"*": {"U": ["a", "b"], "V": ["c", "d"]}}


def letters(name: str, values: str, tree: Any = None, *, public: bool = True) -> Column:
    """One letter per row, ``?`` for a missing value."""
    known = sorted(set(values) - {"?"})
    domain = Domain(name, "text", np.array(known), has_missing="?" in values)
    codes = [len(known) if value == "?" else known.index(value) for value in values]
    return GeneralizedAttribute(domain, resolve(tree, domain, name), public), codes


def numbers(name: str, values: Sequence[int | None], tree: Any = None, *, public: bool = True) -> Column:
    known = sorted({value for value in values if value is not None})
    labels, floats = np.array([str(value) for value in known]), np.array(known, dtype=np.float64)
    domain = Domain(name, "number", labels, floats, None in values)
    codes = [len(known) if value is None else known.index(value) for value in values]
    return GeneralizedAttribute(domain, resolve(tree, domain, name), public), codes


def grown(columns: list[Column], y: str, k: int, *, pruned: bool = False, **parameters: Any) -> GeneralizingTree:
    classes = sorted(set(y))
    codes = np.array([column for _, column in columns], dtype=np.int32)
    labels = np.array([classes.index(letter) for letter in y], dtype=np.int32)
    people = People(codes, np.empty((len(y), 0), dtype=np.int32), np.ones(len(y), dtype=np.int64), 0)
    packed = pack([BoundRequirement("", k)], Context((), len(y)))
    records = Records(codes, labels, np.ones(len(y)))
    return induce_kadet([one for one, _ in columns], records, people, packed, classes, pruned=pruned, **parameters)


def spans(tree: GeneralizingTree, columns: list[Column]) -> list[int]:
    places = np.stack([one.places(np.array(codes, dtype=np.int32)) for one, codes in columns])
    return sorted(np.bincount(tree.spans(places)).tolist())


# Generalizing


@pytest.mark.parametrize(
    ("k", "text"),
    [
        (1, "letter = a: + (1)\nletter = b: + (2)\nletter = c: - (2)\nletter = d: - (1)"),
        (2, "letter = U: + (3)\nletter = V: - (3)"),
        (3, "letter = U: + (3)\nletter = V: - (3)"),
        (4, ": + (6/3)"),
    ],
)
def test_an_attribute_is_generalized_until_every_branch_has_k_records(k: int, text: str) -> None:
    assert grown([letters("letter", "abbccd", LETTERS)], "+++---", k).export_text() == text


def test_without_a_hierarchy_it_is_all_values_or_none() -> None:
    column = letters("letter", "abbccd")
    assert grown([column], "+++---", 1).n_leaves == 4
    assert grown([column], "+++---", 2).size == 1


def test_a_generalized_attribute_competes_again() -> None:
    """Letters tell the class exactly, but only U and V may be told apart, and these tell nothing."""
    tree = {"*": {"U": ["a", "b"], "V": ["c", "d"]}}
    columns = [letters("letter", "abbcdd", tree), letters("other", "pqqppq")]
    assert grown(columns, "+--+--", 1).export_text().startswith("letter = a: + (1)")
    assert grown(columns, "+--+--", 2).export_text() == "other = p: + (3/1)\nother = q: - (3)"


def test_below_a_generalized_branch_the_attribute_may_be_asked_again() -> None:
    """At the root d stands alone; below U it does not matter."""
    column = letters("letter", "aabbcccd", LETTERS)
    text = "letter = U\n|   letter = a: + (2)\n|   letter = b: - (2)\nletter = V: = (4)"
    assert grown([column], "++--====", 2).export_text() == text


def test_a_missing_value_is_below_the_root_and_counts() -> None:
    alone, pair = letters("letter", "aabbccd?", LETTERS), letters("letter", "aabbcc??", LETTERS)
    assert grown([alone], "++++----", 2).size == 1
    assert grown([pair], "++++----", 2).export_text() == (
        "letter = a: + (2)\nletter = b: + (2)\nletter = c: - (2)\nletter is missing: - (2)"
    )


def test_numbers_with_a_hierarchy_are_asked_by_its_nodes() -> None:
    column = numbers("x", [1, 2, 3, 4, 5, 6], {"*": {"small": [1, 2, 3], "large": [4, 5, 6]}})
    assert grown([column], "aabbbb", 2).export_text() == "x = small: a (3/1)\nx = large: b (3)"


# Thresholds


@pytest.mark.parametrize(
    ("k", "text"),
    [
        (1, "x <= 2: a (2)\nx > 2: b (4)"),
        (3, "x <= 3: a (3/1)\nx > 3: b (3)"),
        (4, ": b (6/2)"),
    ],
)
def test_the_best_of_the_thresholds_that_keep_k(k: int, text: str) -> None:
    assert grown([numbers("x", [1, 2, 3, 4, 5, 6])], "aabbbb", k).export_text() == text


def test_records_without_a_number_are_a_third_branch() -> None:
    pair = numbers("x", [1, 2, 3, 4, None, None])
    assert grown([pair], "aabbcc", 2).export_text() == "x <= 2: a (2)\nx > 2: b (2)\nx is missing: c (2)"
    assert grown([numbers("x", [1, 2, 3, 4, 5, None])], "aabbcc", 2).size == 1


def test_thresholds_look_at_every_span() -> None:
    """Rows 0-3 are one span and rows 4-7 another; above 2 the second has one person."""
    people = People(
        np.array([[0, 1, 2, 3, 0, 1, 1, 2]], dtype=np.int32),
        np.empty((8, 0), dtype=np.int32),
        np.ones(8, dtype=np.int64),
        0,
    )
    rows, kept = np.arange(8, dtype=np.int32), np.arange(4, dtype=np.int32)
    one, two = (Region(rows, np.array(bounds)) for bounds in ([0, 8], [0, 4, 8]))
    for k, region, allowed in [
        (2, one, [True, True, False, False]),
        (1, two, [True, True, True, False]),
        (2, two, [False, False, False, False]),
    ]:
        packed = pack([BoundRequirement("", k)], Context((), 8))
        found = np.empty(4, dtype=np.bool_)
        thresholds_that_hold(packed.minimal_size, packed, people, 0, region, kept, 4, -1, found)
        assert found.tolist() == allowed


# Spans


def shared_spans() -> tuple[list[Column], str]:
    """q tells 1 and 2 from 3 and 4; then p tells 1 from 2, and r tells 3 from 4. Two people have p = a and r = d."""
    people = [("x", "a", "c", "1")] * 3 + [("x", "a", "d", "1")] + [("x", "b", "d", "2")] * 3
    people += [("y", "a", "c", "3")] * 3 + [("y", "b", "d", "4")] * 2 + [("y", "a", "d", "4")]
    q, p, r, y = ("".join(column) for column in zip(*people, strict=True))
    return [letters("q", q, public=False), letters("p", p), letters("r", r)], y


def test_a_public_question_below_a_private_one_splits_the_spans_of_all() -> None:
    columns, y = shared_spans()
    first = "q = x\n|   p = a: 1 (4)\n|   p = b: 2 (3)\n"
    allowed, refused = grown(columns, y, 2), grown(columns, y, 3)
    assert allowed.export_text() == first + "q = y\n|   r = c: 3 (3)\n|   r = d: 4 (3)"
    assert spans(allowed, columns) == [2, 5, 6]
    # Both leaves of r have three records, but together with p they would tell two people from all others. Asking p
    # again tells nobody apart who was not before, even though one leaf has two records only.
    assert refused.export_text() == first + "q = y\n|   p = a: 3 (4/1)\n|   p = b: 4 (2)"
    assert spans(refused, columns) == [5, 8]


def test_a_private_attribute_is_free() -> None:
    for column in (letters("letter", "abcd", public=False), numbers("x", [1, 2, 3, 4], public=False)):
        tree = grown([column], "+-+-", 4)
        assert tree.n_leaves == 4
        assert spans(tree, [column]) == [4]


def test_where_nobody_of_a_node_has_an_answer_others_may() -> None:
    """Below q = x nobody has r = e, but others have, so that e is a branch; it answers as the node does."""
    people = [("x", "c", "1")] * 3 + [("x", "d", "2")] * 2 + [("y", "e", "3")] * 6
    q, r, y = ("".join(column) for column in zip(*people, strict=True))
    tree = grown([letters("q", q, public=False), letters("r", r)], y, 2)
    assert tree.export_text() == "q = x\n|   r = c: 1 (3)\n|   r = d: 2 (2)\n|   r = e: 1 (0)\nq = y: 3 (6)"


# The criterion and pruning


def test_the_gain_ratio_weighs_how_much_the_split_itself_says() -> None:
    """many: gain 0.811, ratio 0.406; few: gain 0.293, ratio 0.539."""
    columns = [letters("many", "aabbccdd"), letters("few", "pppppppq")]
    assert grown(columns, "++++++--", 1).export_text().startswith("few")
    assert grown(columns, "++++++--", 1, criterion="gain").export_text().startswith("many")


def test_equal_columns_go_to_the_first() -> None:
    first, second = letters("first", "aabb"), letters("second", "aabb")
    assert grown([first, second], "++--", 2).export_text().startswith("first")
    assert grown([second, first], "++--", 2).export_text().startswith("second")


def test_branches_that_are_not_expected_to_err_less_are_pruned() -> None:
    columns = [letters("letter", "a" * 10 + "b" * 10)]
    assert grown(columns, "+" * 18 + "--", 5).n_leaves == 2
    assert grown(columns, "+" * 18 + "--", 5, pruned=True).export_text() == ": + (20/2)"
    assert grown(columns, "+" * 10 + "-" * 10, 5, pruned=True).n_leaves == 2


def test_what_is_left_below_a_pruned_node_is_gone() -> None:
    """Numbers of new nodes follow from those that are left."""
    columns = [letters("p", "a" * 8 + "b" * 8), letters("r", "cccccddd" + "ccccdddd")]
    y = "+" * 7 + "-" + "----" + "++++"
    full, tree = grown(columns, y, 3), grown(columns, y, 3, pruned=True)
    assert full.size == 7
    assert tree.size < full.size
    assert all(tree.parent[child] == node for node in range(tree.size) for child in tree.children(node))
    assert tree.counts[tree.column < 0].sum() == 16


def test_a_target_that_is_an_identifier_of_a_large_table_is_refused() -> None:
    domain = Domain("id", "text", np.sort(np.array([str(row) for row in range(12_000)])))
    attribute = GeneralizedAttribute(domain, resolve("flat", domain, "id"))
    codes = np.arange(12_000, dtype=np.int32)[None]
    people = People(codes, np.empty((12_000, 0), dtype=np.int32), np.ones(12_000, dtype=np.int64), 0)
    packed = pack([BoundRequirement("", 2)], Context((), 12_000))
    with pytest.raises(BadInput, match="too many to count together"):
        induce_kadet([attribute], Records(codes, codes[0], np.ones(12_000)), people, packed, ["c"] * 12_000)
