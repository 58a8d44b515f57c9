"""What holds of the representations whatever the hierarchy and the cells are."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from hedgerow import Mondrian, Schema
from hedgerow.core.cells import ValueSet, format_set, parse
from hedgerow.hierarchies import intervals, taxonomy
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.encoders._nodes import FeatureNodes
from hedgerow.learning.encoders._representations import FeatureColumn, HierarchyEncoder

LEAVES = list("abcdefgh")
some = examples(60)
Nested = dict[str, Any]


@st.composite
def trees(draw: st.DrawFn, *, one_depth: bool = False) -> Nested:
    """A taxonomy of the letters; labels are numbers of groups."""
    count = iter(range(1000))

    def grow(leaves: list[str], height: int) -> Any:
        if height == 0 or (not one_depth and (len(leaves) < 2 or draw(st.booleans()))):
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, max(len(leaves) - 1, 1)), max_size=3))) if len(leaves) > 1 else []
        ends = [0, *cuts, len(leaves)]
        parts = [leaves[low:high] for low, high in pairwise(ends)]
        return {f"group {next(count)}": grow(part, height - 1) for part in parts}

    inside = grow(draw(st.permutations(LEAVES)), draw(st.integers(0, 3)))
    return {"*": inside}


def labels(tree: Nested) -> list[str]:
    return list(taxonomy(tree).tree.labels)


@st.composite
def published(draw: st.DrawFn, *, one_depth: bool = False) -> tuple[Nested, list[str | None]]:
    """A taxonomy and cells of any kind."""
    tree = draw(trees(one_depth=one_depth))
    sets = st.sets(st.sampled_from(LEAVES), min_size=1, max_size=5).map(lambda members: format_set(sorted(members)))
    cell = st.sampled_from(labels(tree)) | sets | st.none()
    return tree, draw(st.lists(cell, min_size=1, max_size=8))


def encoded(encoder: Any, tree: Nested, cells: list[str | None]) -> tuple[Any, list[str]]:
    encoder.set_params(hierarchies={"c": tree})
    matrix = encoder.fit_transform(pa.table({"c": pa.array(cells, pa.string())}))
    return matrix, [name.removeprefix("c=") for name in encoder.get_feature_names_out()]


def parents(tree: Nested) -> dict[str, str]:
    built = taxonomy(tree).tree
    return {built.labels[node]: built.labels[above] for node, above in enumerate(built.parent) if above >= 0}


@some
@given(published())
def test_a_node_has_the_sum_of_those_below_it(drawn: tuple[Nested, list[str | None]]) -> None:
    tree, cells = drawn
    matrix, names = encoded(ProportionalEncoder(shares="uniform"), tree, cells)
    below: dict[str, list[str]] = {}
    for label, above in (parents(tree) | ({"\\N": "*"} if "\\N" in names else {})).items():
        below.setdefault(above, []).append(label)
    for above, children in below.items():
        total = sum(matrix[:, names.index(child)] for child in children)
        assert matrix[:, names.index(above)] == pytest.approx(total)
    assert matrix[:, names.index("*")] == pytest.approx(1)


@some
@given(published(one_depth=True))
def test_every_level_adds_up_to_1_if_all_leaves_have_one_depth(drawn: tuple[Nested, list[str | None]]) -> None:
    tree, cells = drawn
    cells = [cell or "*" for cell in cells]
    matrix, names = encoded(ProportionalEncoder(shares="uniform"), tree, cells)
    above = parents(tree)
    depth = {}
    for name in names:
        at, steps = name, 0
        while at in above:
            at, steps = above[at], steps + 1
        depth[name] = steps
    for level in set(depth.values()):
        held = [at for at, name in enumerate(names) if depth[name] == level]
        assert matrix[:, held].sum(axis=1) == pytest.approx(1)


@some
@given(trees(), st.lists(st.sampled_from(LEAVES) | st.none(), min_size=1, max_size=8))
def test_raw_rows_have_the_same_shares_and_parents(tree: Nested, cells: list[str | None]) -> None:
    by_shares, names = encoded(ProportionalEncoder(), tree, cells)
    by_parents, same = encoded(FillParentEncoder(), tree, cells)
    assert names == same
    assert by_shares.tolist() == by_parents.tolist()


@some
@given(published())
def test_the_representations_tell_the_same_of_a_cell(drawn: tuple[Nested, list[str | None]]) -> None:
    tree, cells = drawn
    one, own = encoded(OneClassEncoder(), tree, cells)
    up, names = encoded(FillParentEncoder(), tree, cells)
    down, _ = encoded(FillChildEncoder(), tree, cells)
    shares, _ = encoded(ProportionalEncoder(shares="uniform"), tree, cells)
    assert own[: len(names)] == names
    assert (one.sum(axis=1) == 1).all()
    leaves = [at for at, name in enumerate(names) if name in LEAVES or name == "\\N"]
    # fillChild marks the leaves that a cell may be; those share it.
    assert ((down > 0) == (shares > 0))[:, leaves].all()
    # Whatever is at or above the lowest node above a cell is sure.
    assert shares[up > 0] == pytest.approx(1)
    # A node that is wholly covered has its parts covered too, and a cell that is a node has it marked everywhere.
    is_node = one[:, : len(names)] > 0
    assert (down[is_node] == 1).all()
    assert (up[is_node] == 1).all()
    above = parents(tree)
    for at, name in enumerate(names):
        if name in above:
            over = names.index(above[name])
            assert (up[:, over] >= up[:, at]).all()
            assert (down[:, at] >= down[:, over]).all()


def as_numbers(nested: Any) -> Any:
    """The same with numbers for letters."""
    if isinstance(nested, dict):
        return {label: as_numbers(below) for label, below in nested.items()}
    return [str(LEAVES.index(leaf)) for leaf in nested]


def cell_of_numbers(cell: str | None) -> str | None:
    read = parse(cell)
    if isinstance(read, ValueSet):
        return format_set([str(LEAVES.index(member)) for member in sorted(filter(None, read.members))])
    return str(LEAVES.index(cell)) if cell in LEAVES else cell


@some
@pytest.mark.parametrize(
    "encoder",
    [OneClassEncoder(), FillParentEncoder(), FillChildEncoder(), ProportionalEncoder(shares="uniform")],
    ids=lambda encoder: type(encoder).__name__,
)
@given(published())
def test_numbers_as_nodes_have_the_features_of_categories(
    encoder: HierarchyEncoder, drawn: tuple[Nested, list[str | None]]
) -> None:
    tree, cells = drawn
    by_letter, names = encoded(clone(encoder), tree, cells)
    numbered = clone(encoder).set_params(numbers="nodes")
    by_number, same = encoded(numbered, as_numbers(tree), [cell_of_numbers(cell) for cell in cells])
    assert [cell_of_numbers(name) for name in names] == same
    assert by_number.tolist() == by_letter.tolist()


@st.composite
def numeric_cells(draw: st.DrawFn) -> list[str | None]:
    number = st.integers(-20, 20)
    interval = st.tuples(number, st.integers(1, 15), st.sampled_from(")]")).map(
        lambda drawn: f"[{drawn[0]},{drawn[0] + drawn[1]}{drawn[2]}"
    )
    sets = st.sets(number, min_size=2, max_size=5).map(
        lambda members: format_set([str(one) for one in sorted(members)])
    )
    return draw(st.lists(number.map(str) | interval | sets | st.just("*") | st.none(), min_size=1, max_size=20))


@some
@given(numeric_cells(), st.sampled_from(["uniform", "frequency"]))
def test_numbers_are_shared_by_the_finest_intervals(cells: list[str | None], shares: Any) -> None:
    encoder = ProportionalEncoder(shares=shares)
    table = pa.table({"c": pa.array(cells, pa.string())})
    matrix = encoder.fit_transform(table)
    (one,) = encoder.columns_
    assert isinstance(one, FeatureColumn)
    nodes = one.column.nodes
    assert matrix[:, nodes.bottom[nodes.order]].sum(axis=1) == pytest.approx(1)
    assert matrix.min() >= 0
    for at in range(len(cells)):
        assert encoder.transform(table.slice(at, 1))[0].tolist() == pytest.approx(matrix[at].tolist())


def fitted(encoder: HierarchyEncoder, cells: list[str | None]) -> tuple[Any, list[str], FeatureNodes]:
    """The features of cells of numbers, their names, and the nodes in the order of the features."""
    matrix = encoder.fit_transform(pa.table({"c": pa.array(cells, pa.string())}))
    (one,) = encoder.columns_
    assert isinstance(one, FeatureColumn)
    return matrix, [name.removeprefix("c=") for name in encoder.get_feature_names_out()], one.column.nodes


def is_number(name: str) -> bool:
    return name.removeprefix("-").isdecimal()


HALVES = intervals([-20, -10, -5, 0, 5, 10, 20, 35], levels=[[-20, -5, 5, 20, 35], [-20, 5, 35]])


@some
@given(numeric_cells(), st.sampled_from([None, HALVES]))
def test_numbers_as_nodes_keep_what_defines_the_representations(cells: list[str | None], ages: Any) -> None:
    given_ages = {"numbers": "nodes", "hierarchies": None if ages is None else {"c": ages}}
    one, own, _ = fitted(OneClassEncoder().set_params(**given_ages), cells)
    up, names, nodes = fitted(FillParentEncoder().set_params(**given_ages), cells)
    down, *_ = fitted(FillChildEncoder().set_params(**given_ages), cells)
    shares, *_ = fitted(ProportionalEncoder(shares="uniform").set_params(**given_ages), cells)
    assert own[: len(names)] == names
    assert (one.sum(axis=1) == 1).all()
    feature = np.argsort(nodes.order)
    for node in range(1, len(nodes)):
        over, at = feature[nodes.parent[node]], feature[node]
        assert (up[:, over] >= up[:, at]).all()
    for node in np.flatnonzero(~nodes.bottom).tolist():
        below = feature[np.flatnonzero(nodes.parent == node)]
        assert shares[:, below].sum(axis=1) == pytest.approx(shares[:, feature[node]])
    assert shares[:, names.index("*")] == pytest.approx(1)
    assert shares[up > 0] == pytest.approx(1)
    is_node = one[:, : len(names)] > 0
    assert (down[is_node] == 1).all()
    assert (up[is_node] == 1).all()
    numbers = [at for at, name in enumerate(names) if is_number(name)]
    for at, cell in enumerate(cells):
        if cell is not None and is_number(cell):
            assert names[int(one[at].argmax())] == cell
            assert shares[at].tolist() == up[at].tolist()
            assert down[at].tolist() == one[at, : len(names)].tolist()
        # fillChild marks the numbers that a cell may be; those share it.
        if shares[at, numbers].any() and down[at, numbers].any():
            assert ((down[at] > 0) == (shares[at] > 0))[numbers].all()


@some
@pytest.mark.parametrize(
    "encoder", [FillParentEncoder(), ProportionalEncoder(shares="uniform"), ProportionalEncoder(shares="frequency")]
)
@given(numeric_cells(), st.sampled_from([None, HALVES]))
def test_intervals_have_the_same_features_with_numbers_below_them(
    encoder: HierarchyEncoder, cells: list[str | None], ages: Any
) -> None:
    encoder = clone(encoder).set_params(hierarchies=None if ages is None else {"c": ages})
    wide, names, _ = fitted(clone(encoder), cells)
    deep, more, _ = fitted(encoder.set_params(numbers="nodes"), cells)
    assert {name for name in names if not is_number(name)} == {name for name in more if not is_number(name)}
    assert deep[:, [more.index(name) for name in names]] == pytest.approx(wide)


@some
@given(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from("xyz")), min_size=4, max_size=30),
    st.integers(1, 4),
    st.sampled_from([None, intervals([0, 5, 10, 20, 30], levels=[[0, 10, 30]]), "flat"]),
)
def test_exact_shares_of_single_numbers_keep_their_frequencies(
    people: list[tuple[int, str]], k: int, ages: Any
) -> None:
    table = pa.table({"n": [number for number, _ in people], "t": [text for _, text in people]})
    schema = Schema(hierarchies={} if ages is None else {"n": ages})
    release = Mondrian(k=k, publish_proportions=True, min_support=1).anonymize(table, schema, random_state=1)
    encoder = ProportionalEncoder(numbers="nodes").fit(release)
    names = encoder.get_feature_names_out()
    total = dict(zip(names, encoder.transform(release).sum(axis=0), strict=True))
    for value, count in Counter(number for number, _ in people).items():
        assert total[f"n={value}"] == pytest.approx(count)
    assert total["n=*"] == pytest.approx(len(people))


@some
@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from("xyz")), min_size=4, max_size=30), st.integers(1, 4))
def test_exact_shares_of_a_release_keep_the_frequencies_of_the_original(people: list[tuple[int, str]], k: int) -> None:
    table = pa.table({"n": [number for number, _ in people], "t": [text for _, text in people]})
    schema = Schema(hierarchies={"n": "flat"})
    release = Mondrian(k=k, publish_proportions=True, min_support=1).anonymize(table, schema, random_state=1)
    encoder = ProportionalEncoder()
    total = dict(zip(encoder.fit(release).get_feature_names_out(), encoder.transform(release).sum(axis=0), strict=True))
    for name, held in (("n", Counter(number for number, _ in people)), ("t", Counter(text for _, text in people))):
        for value, count in held.items():
            assert total[f"{name}={value}"] == pytest.approx(count)
    assert total["n=*"] == pytest.approx(len(people))
    assert np.isfinite(list(total.values())).all()
