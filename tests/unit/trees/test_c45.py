"""C4.5 on tables that can be solved by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from hedgerow import BadInput
from hedgerow.trees import Attribute, CodedColumn, induce_c45
from hedgerow.trees._choosing import _threshold, merit_of_categories, merit_of_numbers
from hedgerow.trees._pruning import added_errors
from hedgerow.trees.c45 import _averaged, _table

Z = float(ndtri(0.75))


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


def test_a_threshold_moves_up_to_a_value_that_only_other_nodes_have() -> None:
    values = np.array([1.0, 5.0, 8.0, 10.0])
    assert _threshold(values, 0, 3) == 1  # the middle is 5.5
    assert _threshold(values, 1, 2) == 1
    assert _threshold(values, 0, 2) == 0  # the middle is 4.5


def test_a_threshold_between_neighbouring_floats_is_the_smaller() -> None:
    low = 1.0 - 2**-53
    assert _threshold(np.array([low, 1.0]), 0, 1) == 0


def test_the_cost_of_a_threshold_is_taken_off_the_gain() -> None:
    groups = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    kept = np.arange(4, dtype=np.int32)
    values = np.array([1.0, 2, 3, 4])
    free = merit_of_numbers(groups, kept, 4, values, 4.0, 2.0)  # one place has two records on each side
    assert [free.gain, free.ratio] == pytest.approx([1, 1])
    assert free.threshold == 1
    assert merit_of_numbers(groups, kept, 4, values, 4.0, 1.0).gain == pytest.approx(1 - math.log2(3) / 4)


def test_values_that_lie_too_close_are_not_separated() -> None:
    groups = np.array([[2.0, 0], [0, 2]])
    close = np.array([1.0, 1.000009])
    assert merit_of_numbers(groups, np.arange(2, dtype=np.int32), 2, close, 4.0, 2.0).gain < 0


def test_missing_values_lower_the_gain_and_are_a_branch_in_the_split_information() -> None:
    merit = merit_of_categories(np.array([[2.0, 0], [0, 2]]), 2, 6.0, 2.0)
    assert merit.gain == pytest.approx(4 / 6)
    assert merit.ratio == pytest.approx(4 / 6 / math.log2(3))  # three equal parts: two values and the missing one


def test_two_branches_must_have_enough_records() -> None:
    groups = np.array([[5.0, 0], [0, 1], [0, 1]])
    assert merit_of_categories(groups, 3, 7.0, 2.0).gain < 0
    assert merit_of_categories(groups, 3, 7.0, 1.0).gain > 0


@pytest.mark.parametrize("total", [1.0, 6.0, 9.0])
def test_without_errors_the_limit_is_that_of_the_binomial(total: float) -> None:
    """No error in n records has the probability (1 − p)ⁿ, which is 0.25 at p = 1 − 0.25^(1/n)."""
    assert added_errors(total, 0.0, 0.25, Z) / total == pytest.approx(1 - 0.25 ** (1 / total))


def test_with_errors_the_limit_is_that_of_the_normal_approximation() -> None:
    """One error in 16, with the continuity correction: Wilson's upper limit is 0.155, the exact binomial's 0.160."""
    f, n = 1.5 / 16, 16.0
    upper = (f + Z * Z / (2 * n) + Z * (f / n - f * f / n + Z * Z / (4 * n * n)) ** 0.5) / (1 + Z * Z / n)
    assert (1 + added_errors(16.0, 1.0, 0.25, Z)) / 16 == pytest.approx(upper)
    assert upper == pytest.approx(0.1596, abs=0.01)


def test_expected_errors_grow_between_none_and_one_and_never_pass_the_records() -> None:
    none, half, one = (added_errors(10.0, wrong, 0.25, Z) for wrong in (0.0, 0.5, 1.0))
    assert half == pytest.approx((none + one) / 2)
    assert added_errors(3.0, 2.8, 0.25, Z) == pytest.approx(0.2)


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
    assert _averaged(_table([many, few, numbers("x", [1, 2, 3, 4, 5, 6])], y, 2, None)).tolist() == [False, True, True]
    assert _averaged(_table([many], y, 2, None)).tolist() == [True]


def test_a_target_that_is_an_identifier_of_a_large_table_is_refused() -> None:
    column = CodedColumn(Attribute("id", tuple(map(str, range(12_000)))), np.arange(12_000, dtype=np.int32))
    with pytest.raises(BadInput, match="too many to count together"):
        induce_c45([column], np.arange(12_000), list(map(str, range(12_000))))


def test_an_attribute_has_a_number_for_each_label() -> None:
    with pytest.raises(BadInput, match="'x' must have one number for each label"):
        Attribute("x", ("1", "2"), np.array([1.0]))


@pytest.mark.parametrize("values", [[1e308, 1.5e308, 1.7e308], [-1.7e308, 0.0, 1.7e308], [0.0, 5e-324, 1e-323]])
def test_the_middle_between_extreme_values_lies_between_them(values: list[float]) -> None:
    """The sum of two such numbers overflows, and nothing is above infinity to stop at."""
    assert _threshold(np.array(values), 0, 2) in (0, 1)
    assert _threshold(np.array(values), 0, 1) == 0
    assert _threshold(np.array(values), 1, 2) == 1
