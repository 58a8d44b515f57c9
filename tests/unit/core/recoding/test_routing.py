"""Routing rows that were not there when the method was fitted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.recoding import CutTree
from hedgerow.core.recoding._routing import place
from hedgerow.io.domains import Domain

NUMBERS = Domain("age", "number", np.array(["1", "5", "10"]), np.array([1.0, 5.0, 10.0]))
WITH_MISSING = Domain("age", "number", np.array(["1", "5", "10"]), np.array([1.0, 5.0, 10.0]), has_missing=True)
TEXTS = Domain("city", "text", np.array(["Bern", "Ulm"]))
NOTHING = Domain("city", "text", np.array([], dtype=np.str_))


@pytest.mark.parametrize(
    ("domain", "texts", "expected"),
    [
        (NUMBERS, ["1", "5", "10"], [0, 2, 4]),
        (NUMBERS, ["1.0", "5.00"], [0, 2]),
        (NUMBERS, ["0", "3", "7.5", "11"], [-1, 1, 3, 5]),
        (NUMBERS, [None], [7]),
        (NUMBERS, ["ten", "nan"], [5, 5]),
        (WITH_MISSING, [None, "11", "1"], [6, 5, 0]),
        (TEXTS, ["Bern", "Ulm", "Aachen", "Köln", "Zug", None], [0, 2, -1, 1, 3, 5]),
        (TEXTS, [], []),
        (NOTHING, ["x", None], [-1, 1]),
    ],
)
def test_places(domain: Domain, texts: list[str | None], expected: list[int]) -> None:
    assert place(domain, texts).tolist() == expected


def tree(*nodes: tuple[int, int, bool, int, int], orders: tuple[int, ...] = (4, 2)) -> CutTree:
    """Nodes as (column, threshold, single, left, right); a group is -1 - group."""
    columns = list(zip(*nodes, strict=True)) if nodes else [()] * 5
    return CutTree(
        column=np.array(columns[0], dtype=np.int32),
        threshold=np.array(columns[1], dtype=np.int32),
        single=np.array(columns[2], dtype=bool),
        left=np.array(columns[3], dtype=np.int32),
        right=np.array(columns[4], dtype=np.int32),
        orders=tuple(np.arange(size, dtype=np.int32) for size in orders),
    )


def route(router: CutTree, *rows: tuple[str | None, str | None], domains: tuple[Domain, Domain]) -> list[int]:
    places = [place(domain, [row[at] for row in rows]) for at, domain in enumerate(domains)]
    return [int(group) for group in router.route(places)]


def test_no_cut_is_one_group() -> None:
    assert route(tree(), ("1", "x"), (None, None), domains=(NUMBERS, TEXTS)) == [0, 0]


def test_cuts() -> None:
    # age <= 5: city is Ulm: 0, else 1; age > 5: 2
    router = tree((0, 1, False, 1, -3), (1, 1, True, -1, -2))
    rows = [("1", "Ulm"), ("5", "Bern"), ("5.5", "Ulm"), ("-3", "Zug"), (None, "Ulm"), ("4", None)]
    assert route(router, *rows, domains=(NUMBERS, TEXTS)) == [0, 1, 2, 1, 2, 1]


def test_an_order_of_ones_own() -> None:
    """Ranks turned round: Ulm comes before Bern; what is unknown lies above all."""
    router = CutTree(
        column=np.array([0], np.int32),
        threshold=np.array([0], np.int32),
        single=np.array([False]),
        left=np.array([-1], np.int32),
        right=np.array([-2], np.int32),
        orders=(np.array([1, 0], np.int32),),
    )
    assert router.route([place(TEXTS, ["Ulm", "Bern", "Aachen", None])]).tolist() == [0, 1, 1, 1]
    assert router.published([TEXTS]) == ({}, None)


ages = st.one_of(st.none(), st.sampled_from(["1", "5", "10"]), st.integers(-2, 13).map(str), st.just("7.25"))
cities = st.one_of(st.none(), st.sampled_from(["Bern", "Ulm", "Aachen", "Köln", "Zug"]))
cuts = st.tuples(st.integers(0, 1), st.integers(0, 3), st.booleans())


@given(st.lists(cuts, max_size=5), st.lists(st.tuples(ages, cities), min_size=1, max_size=20), st.booleans())
def test_the_public_router_sends_rows_the_same_way(
    chosen: list[tuple[int, int, bool]], rows: list[tuple[str | None, str | None]], has_missing: bool
) -> None:
    domains = (WITH_MISSING if has_missing else NUMBERS, TEXTS)
    last = len(chosen)
    nodes = [
        (column, threshold % domains[column].size, single, -1 - at, at + 1 if at + 1 < last else -1 - last)
        for at, (column, threshold, single) in enumerate(chosen)
    ]
    private = tree(*nodes, orders=(domains[0].size, domains[1].size))
    reduced, public = private.published(domains)
    assert isinstance(public, CutTree)
    told = {str(domains[column].labels[at]) for column, at, *_ in nodes if at < len(domains[column].labels)}
    assert {str(label) for domain in reduced.values() for label in domain.labels} == told
    assert route(public, *rows, domains=(reduced["age"], reduced["city"])) == route(private, *rows, domains=domains)


def test_json() -> None:
    router = tree((0, 1, False, 1, -3), (1, 1, True, -1, -2))
    copy = CutTree.from_dict(router.to_dict())
    rows = [("1", "Ulm"), ("5", "Bern"), ("11", None)]
    assert route(copy, *rows, domains=(NUMBERS, TEXTS)) == route(router, *rows, domains=(NUMBERS, TEXTS))
    empty = CutTree.from_dict(tree().to_dict())
    assert route(empty, ("1", "x"), domains=(NUMBERS, TEXTS)) == [0]


def test_categories_in_an_order_that_somebody_told() -> None:
    sizes = Domain("size", "text", np.array(["S", "M", "L"]), has_missing=True, ordered=True)
    assert place(sizes, ["L", "S", "M", None, "XL", "A"]).tolist() == [4, 0, 2, 6, 7, 7]
