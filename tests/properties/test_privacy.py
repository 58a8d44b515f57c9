"""Every formula against one written anew from its definition; and unions keep requirements."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from examples import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from hedgerow.io.domains import Domain
from hedgerow.requirements import (
    AlphaK,
    Context,
    Histograms,
    KAnonymity,
    LDiversity,
    PSensitive,
    Requirement,
    SensitiveColumn,
    TCloseness,
    pack,
    parse_requirement,
)
from hedgerow.requirements.formulas import all_hold, earth_movers_distance

LABELS = ["a", "b", "c", "d", "e"]
TREE = {"any": {"left": {"a": None, "deep": ["b", "c"]}, "d": None, "right": ["e"]}}
# The path of each leaf from the root, to find common ancestors without the code under test.
PATHS = {
    "a": ["left", "a"],
    "b": ["left", "deep", "b"],
    "c": ["left", "deep", "c"],
    "d": ["d"],
    "e": ["right", "e"],
}
HEIGHTS = {"any": 3, "left": 2, "deep": 1, "right": 1}

counts = st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any)
shields = st.none() | st.lists(st.sampled_from(["age", "sex", "zip"]), min_size=1, max_size=3, unique=True)
fractions = st.integers(1, 20).map(lambda twentieths: twentieths / 20)


@st.composite
def requirements(draw: st.DrawFn) -> Requirement:
    shield = draw(shields)
    k = draw(st.integers(1, 9))
    options: list[st.SearchStrategy[Requirement]] = [
        st.just(KAnonymity(k, shield)),
        st.integers(1, 5).map(lambda least: LDiversity(least, "ill", shield=shield)),
        st.floats(1, 5).map(lambda least: LDiversity(least, "ill", "entropy", shield=shield)),
        st.tuples(st.integers(1, 5), st.integers(1, 40)).map(
            lambda lc: LDiversity(lc[0], "ill", "recursive", c=lc[1] / 10, shield=shield)
        ),
        fractions.map(lambda t: TCloseness(t, "ill", shield=shield)),
        fractions.map(lambda t: TCloseness(t, "ill", "ordered", shield=shield)),
        fractions.map(lambda t: TCloseness(t, "ill", "hierarchical", tree=TREE, shield=shield)),
        st.tuples(fractions, st.permutations(LABELS)).map(
            lambda to: TCloseness(to[0], "ill", "ordered", order=to[1], shield=shield)
        ),
        st.integers(1, k).map(lambda p: PSensitive(p, k, "ill", shield)),
        st.tuples(fractions, st.none() | st.sampled_from(LABELS)).map(
            lambda av: AlphaK(av[0], k, "ill", value=av[1], shield=shield)
        ),
    ]
    return draw(st.one_of(options))


def context_of(overall: list[int]) -> Context:
    column = SensitiveColumn(Domain("ill", "text", np.array(LABELS)), np.array(overall, dtype=np.int64))
    return Context((column,), sum(overall))


def ground_distance(requirement: TCloseness, one: str, other: str) -> Fraction:
    if one == other:
        return Fraction(0)
    if requirement.distance == "equal":
        return Fraction(1)
    if requirement.distance == "ordered":
        scale = list(requirement.order or LABELS)
        return Fraction(abs(scale.index(one) - scale.index(other)), len(scale) - 1)
    common = "any"
    for here, there in zip(PATHS[one], PATHS[other], strict=False):
        if here != there:
            break
        common = here
    return Fraction(HEIGHTS[common], HEIGHTS["any"])


def cheapest_transport(requirement: TCloseness, histogram: list[int], overall: list[int]) -> float:
    """Solve the transport problem that the earth mover's distance is defined by."""
    costs = [float(ground_distance(requirement, one, other)) for one in LABELS for other in LABELS]
    size = len(LABELS)
    leaves = [[float(cell // size == i) for cell in range(size * size)] for i in range(size)]
    arrives = [[float(cell % size == i) for cell in range(size * size)] for i in range(size)]
    supply = [count / sum(histogram) for count in histogram]
    demand = [count / sum(overall) for count in overall]
    solved = linprog(costs, A_eq=np.array(leaves + arrives), b_eq=np.array(supply + demand))
    assert solved.fun is not None
    return float(solved.fun)


def exact(number: float) -> Fraction:
    """The fraction that was meant by a parameter with few decimals."""
    return Fraction(number).limit_denominator(1000)


def brute_force(requirement: Requirement, histogram: list[int], overall: list[int]) -> bool | None:
    """Decide from the definition; ``None`` where it is too close to call in floats."""
    size = sum(histogram)
    held = sorted((count for count in histogram if count), reverse=True)
    if isinstance(requirement, KAnonymity):
        return size >= requirement.k
    if isinstance(requirement, PSensitive):
        return size >= requirement.k and len(held) >= requirement.p
    if isinstance(requirement, AlphaK):
        one = requirement.value
        limited = held if one is None else [histogram[LABELS.index(str(one))]]
        return size >= requirement.k and all(Fraction(n, size) <= exact(requirement.alpha) for n in limited)
    if isinstance(requirement, LDiversity) and requirement.kind == "distinct":
        return len(held) >= requirement.l
    if isinstance(requirement, LDiversity) and requirement.kind == "recursive":
        return held[0] < exact(requirement.c or 0) * sum(held[int(requirement.l) - 1 :])
    if isinstance(requirement, LDiversity):
        missing = math.log(requirement.l) + sum(n / size * math.log(n / size) for n in held)
        return None if abs(missing) < 1e-10 else missing <= 0
    assert isinstance(requirement, TCloseness)
    beyond = cheapest_transport(requirement, histogram, overall) - requirement.t
    return None if abs(beyond) < 1e-7 else beyond <= 0


def holds(requirement: Requirement, histogram: list[int], overall: list[int]) -> bool:
    bound = requirement.bind(context_of(overall))
    return bool(bound.satisfied(np.array([sum(histogram)]), np.array([histogram]))[0])


@examples(300)
@given(requirements(), counts, counts)
def test_every_formula_is_its_definition(requirement: Requirement, histogram: list[int], rest: list[int]) -> None:
    overall = [here + there for here, there in zip(histogram, rest, strict=True)]
    expected = brute_force(requirement, histogram, overall)
    assume(expected is not None)
    assert holds(requirement, histogram, overall) == expected


@settings(deadline=None)
@given(st.tuples(st.sampled_from(["equal", "ordered", "hierarchical"]), st.permutations(LABELS)), counts, counts)
def test_the_tree_sum_is_the_cheapest_transport(
    kind: tuple[str, list[str]], histogram: list[int], overall: list[int]
) -> None:
    name, order = kind
    requirement = (
        TCloseness(0.5, "ill", "ordered", order=order)
        if name == "ordered"
        else TCloseness(0.5, "ill", "hierarchical", tree=TREE)
        if name == "hierarchical"
        else TCloseness(0.5, "ill")
    )
    bound = requirement.bind(context_of(overall))
    distance = earth_movers_distance(np.array(histogram), sum(histogram), bound.overall, *bound.distance)
    assert abs(distance - cheapest_transport(requirement, histogram, overall)) < 1e-7


@examples(300)
@given(requirements(), counts, counts, counts)
def test_a_union_of_satisfying_classes_satisfies(
    requirement: Requirement, one: list[int], other: list[int], rest: list[int]
) -> None:
    overall = [sum(three) for three in zip(one, other, rest, strict=True)]
    assume(holds(requirement, one, overall) and holds(requirement, other, overall))
    union = [a + b for a, b in zip(one, other, strict=True)]
    assert holds(requirement, union, overall)


@settings(deadline=None)
@given(requirements(), counts)
def test_no_class_below_the_minimal_size_satisfies(requirement: Requirement, histogram: list[int]) -> None:
    if holds(requirement, histogram, histogram):
        assert sum(histogram) >= requirement.minimal_size


@settings(deadline=None)
@given(
    st.integers(1, 4),
    st.one_of(
        st.integers(1, 5).map(lambda least: LDiversity(least, "ill")),
        st.integers(1, 40).map(lambda tenths: LDiversity(2, "ill", "recursive", c=tenths / 10)),
        fractions.map(lambda alpha: AlphaK(alpha, 1, "ill")),
    ),
)
def test_a_class_of_the_minimal_size_can_satisfy(spare: int, requirement: Requirement) -> None:
    """All records with different values: as well mixed as a class can be."""
    size = requirement.minimal_size
    domain = Domain("ill", "text", np.array([f"v{i:03}" for i in range(size)]))
    context = Context((SensitiveColumn(domain, np.full(size, spare)),), spare * size)
    assert requirement.bind(context).satisfied(np.array([size]), np.ones((1, size), np.int64))[0]


@settings(deadline=None)
@given(st.lists(requirements(), min_size=1, max_size=4), st.lists(counts, min_size=1, max_size=6))
def test_packed_sparse_and_dense_checks_agree(several: list[Requirement], classes: list[list[int]]) -> None:
    histograms = np.array(classes, dtype=np.int64)
    context = context_of(histograms.sum(axis=0).tolist())
    bound = [one.bind(context) for one in several]
    sizes = histograms.sum(axis=1)
    rows, codes = np.nonzero(histograms)
    sparse = Histograms(np.searchsorted(rows, np.arange(len(classes) + 1)), codes, histograms[rows, codes])
    dense = [one.satisfied(sizes, histograms) for one in bound]
    for one, expected in zip(bound, dense, strict=True):
        assert (one.satisfied(sizes, sparse) == expected).all()
    packed = pack(bound, context)
    together = [all_hold(packed, int(size), row) for size, row in zip(sizes, histograms, strict=True)]
    assert together == np.all(dense, axis=0).tolist()


@given(requirements())
def test_the_notation_is_read_back(requirement: Requirement) -> None:
    assume(not (isinstance(requirement, TCloseness) and requirement.tree is not None))
    assert parse_requirement(requirement.notation) == requirement
