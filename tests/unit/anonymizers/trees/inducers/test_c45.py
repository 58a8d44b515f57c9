"""C4.5 on tables that can be solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees import Attribute, CodedColumn, induce_c45
from hedgerow.anonymizers.trees._growth import whole_table
from hedgerow.anonymizers.trees.inducers.c45 import averaged


def numbers(name: str, values: list[float | None]) -> CodedColumn:
    known = sorted({value for value in values if value is not None})
    codes = [-1 if value is None else known.index(value) for value in values]
    attribute = Attribute(name, tuple(f"{value:g}" for value in known), np.array(known, dtype=np.float64))
    return CodedColumn(attribute, np.array(codes, dtype=np.int32))


def categories(name: str, values: str, labels: str | None = None) -> CodedColumn:
    """One letter per row, ``?`` for a missing value."""
    known = sorted(labels or set(values) - {"?"})
    codes = [-1 if value == "?" else known.index(value) for value in values]
    return CodedColumn(Attribute(name, tuple(known)), np.array(codes, dtype=np.int32))


def classes(letters: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([ord(letter) - ord("a") for letter in letters], dtype=np.int64)


def test_a_threshold_is_a_value_of_the_data() -> None:
    tree = induce_c45([numbers("x", [1, 2, 3, 10, 11, 12])], classes("aaabbb"), ["a", "b"])
    assert tree.export_text() == "x <= 3: a (3)\nx > 3: b (3)"
    assert (tree.n_leaves, tree.size) == (2, 3)


def test_a_missing_value_goes_down_every_branch_with_its_share() -> None:
    tree = induce_c45([categories("sky", "ggggbb?")], classes("bbbbaab"), ["a", "b"])
    assert tree.nodes.bag[1:].tolist() == pytest.approx([2 + 2 / 6, 4 + 4 / 6])
    assert tree.nodes.counts[1].tolist() == pytest.approx([2, 2 / 6])
    assert tree.export_text() == "sky = b: a (2.33/0.33)\nsky = g: b (4.67)"
    verdict = tree.classify(np.array([[-1]], dtype=np.int32))
    assert verdict.shares[0].tolist() == pytest.approx([2 / 7, 5 / 7])
    assert verdict.labels.tolist() == [1]


def test_missing_values_below_missing_values_keep_the_weight() -> None:
    generator = np.random.default_rng(0)
    letters = ["".join(generator.choice(list("pqr?"), 200)) for _ in range(3)]
    values = [None if draw < 0.2 else float(round(draw, 2)) for draw in generator.random(200)]
    y = classes("".join("ab"[(p == "p") ^ (q == "q")] for p, q in zip(letters[0], letters[1], strict=True)))
    columns = [*(categories(name, column) for name, column in zip("uvw", letters, strict=True)), numbers("x", values)]
    for pruned in (True, False):
        tree = induce_c45(columns, y, ["a", "b"], pruned=pruned)
        leaves = tree.nodes.column < 0
        assert tree.size > 4
        assert tree.nodes.counts[leaves].sum() == pytest.approx(200)


def test_a_branch_that_no_record_reaches_answers_with_its_parent() -> None:
    tree = induce_c45([categories("sky", "ggggbb", labels="bgz")], classes("bbbbaa"), ["a", "b"])
    assert tree.export_text() == "sky = b: a (2)\nsky = g: b (4)\nsky = z: b (0)"
    assert tree.nodes.empty.tolist() == [False, False, False, True]
    assert tree.classify(np.array([[2]], dtype=np.int32)).shares[0].tolist() == pytest.approx([2 / 6, 4 / 6])


def test_equal_columns_go_to_the_first() -> None:
    first, second = categories("first", "gggbbb"), categories("second", "gggbbb")
    assert induce_c45([first, second], classes("aaabbb"), ["a", "b"]).export_text().startswith("first")
    assert induce_c45([second, first], classes("aaabbb"), ["a", "b"]).export_text().startswith("second")


def test_branches_that_classify_no_better_are_collapsed_even_without_pruning() -> None:
    tree = induce_c45([categories("sky", "gggggbbbbb")], classes("aaaabaaaaa"), ["a", "b"], pruned=False)
    assert tree.export_text() == ": a (10/1)"


def test_noise_is_pruned_and_more_of_it_at_a_lower_confidence() -> None:
    generator = np.random.default_rng(1)
    columns = [categories(name, "".join(generator.choice(list("pqr"), 300))) for name in "uvwx"]
    y = generator.integers(0, 2, 300)
    full = induce_c45(columns, y, ["a", "b"], pruned=False)
    some, none = (induce_c45(columns, y, ["a", "b"], confidence=confidence) for confidence in (0.25, 0.01))
    assert full.size > some.size > none.size == 1


@pytest.mark.parametrize(
    ("columns", "labels", "grown", "raised"),
    [
        (
            ["pppqqqqqpqppqpq", "qqpppppqppqqqqp", "qqppqpqqqp?pqpq"],
            "babbaaaabbbaabb",
            "u = p: b (7/2)\nu = q\n|   v = p\n|   |   w = p: b (3/1)\n|   |   w = q: a (3/1)\n|   v = q: a (2)",
            "u = p: b (7/2)\nu = q\n|   w = p: b (3/1)\n|   w = q: a (5/1)",
        ),
        (
            ["qqq?qqqqppqqqqqqqp", "pqpqpppqpppqppqpqp", "qppppq?pqqpppqpqqq"],
            "bbababaabbaaabbbab",
            "u = p: b (3.18)\nu = q\n|   w = p\n|   |   v = p: a (4.64)\n|   |   v = q: b (4.82/2)\n"
            "|   w = q: b (5.36/1.36)",
            "w = p: a (9.53/3)\nw = q: b (8.47/1.47)",
        ),
    ],
)
def test_the_largest_branch_may_take_the_place_of_its_node(
    columns: list[str], labels: str, grown: str, raised: str
) -> None:
    """The pruned trees are also what Weka 3.9's J48 prints for these tables."""
    coded = [categories(name, values) for name, values in zip("uvw", columns, strict=True)]
    assert induce_c45(coded, classes(labels), ["a", "b"], pruned=False).export_text() == grown
    assert induce_c45(coded, classes(labels), ["a", "b"]).export_text() == raised


def test_a_gain_below_average_loses_in_spite_of_its_ratio() -> None:
    """rare: gain 0.108, ratio 0.23; wide: gain 0.278, ratio 0.139; the average gain is 0.193."""
    rare = categories("rare", "ss" + "t" * 18)
    wide = categories("wide", "ppppqqqqrs" + "pqrrrrssss")
    y = classes("a" * 10 + "b" * 10)
    assert induce_c45([rare], y, ["a", "b"], pruned=False).nodes.column[0] == 0
    assert induce_c45([rare, wide], y, ["a", "b"], pruned=False).nodes.column[0] == 1


def test_columns_of_many_values_do_not_count_for_the_average_unless_all_are_such() -> None:
    many, few = categories("many", "abcdef"), categories("few", "aaaaaa")
    y = classes("aaabbb")
    table = whole_table([many, few, numbers("x", [1, 2, 3, 4, 5, 6])], y, 2, None)
    assert averaged(table.columns, 6.0).tolist() == [False, True, True]
    assert averaged(whole_table([many], y, 2, None).columns, 6.0).tolist() == [True]


def test_a_target_that_is_an_identifier_of_a_large_table_is_refused() -> None:
    column = CodedColumn(Attribute("id", tuple(map(str, range(12_000)))), np.arange(12_000, dtype=np.int32))
    with pytest.raises(BadInput, match="too many to count together"):
        induce_c45([column], np.arange(12_000), list(map(str, range(12_000))))


def test_an_attribute_has_a_number_for_each_label() -> None:
    with pytest.raises(BadInput, match="'x' must have one number for each label"):
        Attribute("x", ("1", "2"), np.array([1.0]))
