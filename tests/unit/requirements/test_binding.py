"""Bound and packed requirements on hand-made classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow._internal.jit import jit
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.requirements import (
    AlphaK,
    Context,
    Histograms,
    KAnonymity,
    LDiversity,
    PackedRequirements,
    PSensitive,
    Requirement,
    SensitiveColumn,
    TCloseness,
    pack,
)
from hedgerow.requirements.formulas import FORMULAS, all_hold, earth_movers_distance, holds


def text_column(name: str, labels: list[str], counts: list[int], *, has_missing: bool = False) -> SensitiveColumn:
    return SensitiveColumn(
        Domain(name, "text", np.array(labels), has_missing=has_missing), np.array(counts, dtype=np.int64)
    )


def number_column(name: str, numbers: list[float], counts: list[int]) -> SensitiveColumn:
    labels = np.array([f"{number:g}" for number in numbers])
    return SensitiveColumn(Domain(name, "number", labels, np.array(numbers, float)), np.array(counts, dtype=np.int64))


def context(*columns: SensitiveColumn) -> Context:
    return Context(columns, int(columns[0].histogram.sum()) if columns else 0)


def satisfied(requirement: Requirement, column: SensitiveColumn, *classes: list[int]) -> list[bool]:
    histograms = np.array(classes, dtype=np.int64)
    bound = requirement.bind(context(column))
    return [bool(one) for one in bound.satisfied(histograms.sum(axis=1), histograms)]


ILL = text_column("ill", ["flu", "hiv", "ulcer"], [5, 3, 2])


def test_k_counts_records_only() -> None:
    """The projection of the four (status, gender) tuples in papers/002, table 1: k = 4 fails on the last."""
    bound = KAnonymity(4, shield=["status", "gender"]).bind(Context((), 19))
    assert bound.satisfied(np.array([7, 6, 5, 1])).tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        # Classes: 4+0+0, 2+2+0, 2+1+1, 1+1+1, 6+1+1
        (LDiversity(2, "ill"), [False, True, True, True, True]),
        (LDiversity(3, "ill"), [False, False, True, True, True]),
        (LDiversity(2, "ill", "entropy"), [False, True, True, True, True]),
        (LDiversity(3, "ill", "entropy"), [False, False, False, True, False]),
        (LDiversity(2, "ill", "recursive", c=1), [False, False, False, True, False]),
        (LDiversity(2, "ill", "recursive", c=1.5), [False, True, True, True, False]),
        (LDiversity(3, "ill", "recursive", c=3), [False, False, True, True, False]),
        (PSensitive(2, 4, "ill"), [False, True, True, False, True]),
        (AlphaK(0.5, 3, "ill"), [False, True, True, True, False]),
        (AlphaK(0.5, 4, "ill"), [False, True, True, False, False]),
        (AlphaK(0.3, 3, "ill", value="hiv"), [True, False, True, False, True]),
    ],
)
def test_the_formulas_on_five_classes(requirement: Requirement, expected: list[bool]) -> None:
    assert satisfied(requirement, ILL, [4, 0, 0], [2, 2, 0], [2, 1, 1], [1, 1, 1], [6, 1, 1]) == expected


def test_a_fraction_that_is_met_exactly_holds() -> None:
    """The rounding of 0.1 and of 1.1 · 10 does not decide a tie."""
    ten = text_column("ill", list("abcdefghij"), [1] * 10)
    assert satisfied(AlphaK(0.1, 1, "ill"), ten, [1] * 10) == [True]
    assert satisfied(LDiversity(10, "ill", "entropy"), ten, [7] * 10) == [True]
    assert satisfied(LDiversity(3, "ill", "entropy"), ILL, [1, 1, 1]) == [True]
    two = text_column("ill", ["a", "b"], [1, 1])
    assert satisfied(LDiversity(2, "ill", "recursive", c=1.1), two, [11, 10], [12, 11]) == [False, True]
    assert satisfied(TCloseness(0.1, "ill"), text_column("ill", ["a", "b"], [7, 3]), [6, 4], [5, 5]) == [
        True,
        False,
    ]


def test_an_empty_class_never_holds() -> None:
    for requirement in (LDiversity(1, "ill"), TCloseness(1, "ill"), AlphaK(1, 1, "ill"), KAnonymity(1)):
        assert satisfied(requirement, ILL, [0, 0, 0]) == [False]


def test_a_missing_value_is_a_value() -> None:
    column = text_column("ill", ["flu"], [3, 1], has_missing=True)
    assert satisfied(LDiversity(2, "ill"), column, [2, 1], [2, 0]) == [True, False]


SALARIES = number_column("salary", [3, 4, 5, 6, 7, 8, 9, 10, 11], [1] * 9)


def distance(requirement: TCloseness, column: SensitiveColumn, counts: list[int]) -> float:
    bound = requirement.bind(context(column))
    histogram: NDArray[np.int64] = np.array(counts, dtype=np.int64)
    return float(earth_movers_distance(histogram, sum(counts), bound.overall, *bound.distance))


def test_the_ordered_distance_of_the_paper() -> None:
    """Li et al. 2007: nine salaries, {3, 4, 5} is 0.375 from all and {6, 8, 11} 0.167."""
    ordered = TCloseness(0.2, "salary", "ordered")
    assert distance(ordered, SALARIES, [1, 1, 1, 0, 0, 0, 0, 0, 0]) == pytest.approx(0.375)
    assert distance(ordered, SALARIES, [0, 0, 0, 1, 0, 1, 0, 0, 1]) == pytest.approx(1 / 6)


def test_the_equal_distance_is_half_the_difference() -> None:
    assert distance(TCloseness(0.2, "ill"), ILL, [1, 1, 0]) == pytest.approx((0 + 0.2 + 0.2) / 2)


def test_an_order_is_a_scale_whether_or_not_its_values_occur() -> None:
    """On low, middle, high, top the table has low and top only, and high is not between the codes."""
    column = text_column("risk", ["high", "low"], [1, 1])
    scale = TCloseness(0.2, "risk", "ordered", order=["low", "middle", "high", "top"])
    assert distance(scale, column, [1, 0]) == pytest.approx(0.5 * 2 / 3)
    assert distance(TCloseness(0.2, "risk", "ordered"), column, [1, 0]) == pytest.approx(0.5)


def test_an_order_of_numbers_is_compared_by_value() -> None:
    column = number_column("n", [1, 2, 10], [1, 1, 1])
    assert distance(TCloseness(0.2, "n", "ordered", order=[10, 1.0, 2]), column, [0, 0, 1]) == pytest.approx(0.5)


def test_a_missing_value_is_one_step_beyond_the_scale() -> None:
    column = text_column("risk", ["a", "b"], [1, 0, 1], has_missing=True)
    assert distance(TCloseness(0.2, "risk", "ordered"), column, [1, 0, 0]) == pytest.approx(0.5)
    assert distance(TCloseness(0.2, "risk", "ordered", order=["b", "a"]), column, [1, 0, 0]) == pytest.approx(0.25)


TREE = {"any": {"lung": {"asthma": None, "flu": {}}, "stomach": ["gastritis", {"ulcer": []}]}}


@pytest.mark.parametrize("tree", [TREE, TREE["any"]])
def test_the_hierarchical_distance_is_the_height_of_the_common_ancestor(tree: dict[str, object]) -> None:
    column = text_column("ill", ["asthma", "flu", "gastritis", "ulcer"], [1, 1, 1, 1])
    requirement = TCloseness(0.2, "ill", "hierarchical", tree=tree)
    # Half of the mass stays, a quarter moves within the branch (1/2), half to the other branch (1).
    assert distance(requirement, column, [2, 0, 1, 1]) == pytest.approx(0.25 * 0.5)
    assert distance(requirement, column, [2, 2, 0, 0]) == pytest.approx(0.5)
    assert distance(requirement, column, [4, 0, 0, 0]) == pytest.approx(0.25 * 0.5 + 0.5)


def test_a_ragged_tree_and_a_missing_value_under_the_root() -> None:
    """The tree may name values that do not occur."""
    column = text_column("ill", ["asthma", "flu", "old"], [1, 0, 1, 2], has_missing=True)
    requirement = TCloseness(
        0.2, "ill", "hierarchical", tree={"any": {"lung": ["asthma", "cough", "flu"], "old": None}}
    )
    assert distance(requirement, column, [1, 0, 0, 0]) == pytest.approx(0.75)
    assert distance(requirement, column, [1, 1, 0, 2]) == pytest.approx(0.25)
    bound = requirement.bind(context(column))
    assert (bound.distance.parent[:-1] > np.arange(len(bound.distance.parent) - 1)).all()


@pytest.mark.parametrize(
    ("requirement", "sentence"),
    [
        (
            TCloseness(0.2, "ill", "ordered", order=["flu"]),
            "'order' parameter of TCloseness leaves out 2 values of 'ill'",
        ),
        (TCloseness(0.2, "ill", "hierarchical", tree={"any": ["flu", "hiv"]}), "leaves out 1 value of 'ill'"),
        (TCloseness(0.2, "ill", "hierarchical"), "The hierarchical distance of 'ill' needs a tree"),
        (AlphaK(0.2, 2, "ill", value="flue"), "The value given to AlphaK does not occur in 'ill'"),
        (LDiversity(2, "wage"), "The column 'wage' is not counted"),
    ],
)
def test_what_cannot_be_bound(requirement: Requirement, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        requirement.bind(context(ILL))
    assert sentence in str(caught.value)
    assert "ulcer" not in str(caught.value)


def test_a_value_of_a_number_column_is_compared_by_value() -> None:
    column = number_column("n", [1, 2], [1, 3])
    assert AlphaK(0.5, 1, "n", value="2.0").bind(context(column)).parameters.tolist() == [0.5, 1]
    with pytest.raises(BadInput, match="does not occur"):
        AlphaK(0.5, 1, "n", value="two").bind(context(column))


def test_a_column_of_one_value_is_always_close() -> None:
    column = text_column("ill", ["flu"], [3])
    for kind in (
        TCloseness(0, "ill"),
        TCloseness(0, "ill", "ordered"),
        TCloseness(0, "ill", "hierarchical", tree={"flu": None}),
    ):
        assert satisfied(kind, column, [1]) == [True]


def test_histograms_may_be_sparse() -> None:
    bound = LDiversity(2, "ill").bind(context(ILL))
    sparse = Histograms(np.array([0, 1, 3]), np.array([0, 0, 2]), np.array([4, 1, 1]))
    assert bound.satisfied(np.array([4, 2]), sparse).tolist() == [False, True]


def test_histograms_are_asked_for_and_their_shape_is_checked() -> None:
    bound = LDiversity(2, "ill").bind(context(ILL))
    with pytest.raises(BadInput, match="is checked on histograms"):
        bound.satisfied(np.array([4]))
    with pytest.raises(BadInput, match=r"must have the shape \(1, 3\), not \(1, 2\)"):
        bound.satisfied(np.array([4]), np.array([[2, 2]]))


def test_packed_requirements_read_the_histograms_of_their_columns() -> None:
    wage = number_column("wage", [1, 2], [5, 5])
    both = context(ILL, wage)
    requirements = [
        TCloseness(0.25, "wage", "ordered"),
        LDiversity(2, "ill"),
        KAnonymity(4),
        KAnonymity(3, shield=["a"]),
    ]
    packed = pack([one.bind(both) for one in requirements], both)
    assert packed.minimal_size == 4
    assert packed.kind.tolist() == sorted(packed.kind.tolist())
    assert all_hold(packed, 4, np.array([2, 2, 0, 1, 3]))
    assert not all_hold(packed, 4, np.array([4, 0, 0, 1, 3]))
    assert not all_hold(packed, 4, np.array([2, 2, 0, 0, 4]))
    assert not all_hold(packed, 3, np.array([2, 1, 0, 1, 2]))


@jit
def both_sides_hold(packed: PackedRequirements, sides: NDArray[np.int64]) -> bool:
    """What a kernel that cuts a class in two does."""
    return all_hold(packed, sides[0].sum(), sides[0]) and all_hold(packed, sides[1].sum(), sides[1])


def test_a_kernel_checks_both_sides_of_a_cut() -> None:
    packed = pack([LDiversity(2, "ill").bind(context(ILL)), KAnonymity(3).bind(context(ILL))], context(ILL))
    assert both_sides_hold(packed, np.array([[2, 1, 0], [3, 2, 2]]))
    assert not both_sides_hold(packed, np.array([[2, 1, 0], [3, 0, 0]]))
    assert not both_sides_hold(packed, np.array([[1, 1, 0], [3, 2, 2]]))


@pytest.mark.parametrize("number", [-1, len(FORMULAS)])
def test_a_formula_that_there_is_none_of_never_holds(number: int) -> None:
    nothing, no_nodes = np.zeros(2), np.zeros(0, np.int64)
    assert holds(0, nothing, nothing, no_nodes, no_nodes, nothing, 1, np.array([1]))
    assert not holds(number, nothing, nothing, no_nodes, no_nodes, nothing, 1, np.array([1]))


def test_only_sizes_pack_to_one_number() -> None:
    packed = pack([KAnonymity(4).bind(Context((), 9)), KAnonymity(6).bind(Context((), 9))], Context((), 9))
    assert packed.minimal_size == 6
    assert len(packed.kind) == 0
    assert all_hold(packed, 6, np.zeros(0, np.int64))
    assert not all_hold(packed, 5, np.zeros(0, np.int64))


def test_the_entropy_is_in_nats() -> None:
    bound = LDiversity(math.e, "ill", "entropy").bind(context(ILL))
    assert bound.parameters[0] == pytest.approx(1.0)
