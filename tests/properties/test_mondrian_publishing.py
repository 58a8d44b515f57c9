"""What Mondrian's groups publish, on random tables: intervals on the grid, and the lowest labels that cover."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Mondrian, Schema, parse
from hedgerow.anonymizers.partition.cuts import joins_of
from hedgerow.core.cells import Interval, ValueSet
from hedgerow.core.metrics.cells import loss_of_nodes
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain

LABELS = list("abcdefgh")
some = examples(60)


@some
@given(
    st.integers(0, 3),
    st.lists(st.none() | st.integers(-400, 400), min_size=4, max_size=30).filter(any),
    st.integers(1, 4),
    st.booleans(),
)
def test_intervals_cover_their_values_and_lie_on_the_grid(
    decimals: int, scaled: list[int | None], k: int, relaxed: bool
) -> None:
    numbers = [None if one is None else one / 10**decimals for one in scaled]
    table = pa.table({"x": pa.array(numbers, pa.float64()), "row": list(range(len(numbers)))})
    schema = Schema(quasi=["x"], insensitive=["row"], accept=["row"])
    release = Mondrian(k=k, publish="interval", relaxed=relaxed).anonymize(table, schema, random_state=1)
    largest = max(one for one in numbers if one is not None)
    used = max(len(text.partition(".")[2]) for text in (f"{one:.3f}".rstrip("0") for one in numbers if one is not None))
    for row in release.table.to_pylist():
        original, cell = numbers[row["row"]], parse(row["x"])
        if isinstance(cell, Interval):
            assert original in cell
            assert str(cell) == row["x"]
            for end in (cell.low, cell.high):
                assert (Fraction(Decimal(repr(end))) * 10**used).denominator == 1, "an end lies off the grid"
            assert cell.closed is (cell.high == largest)
            assert cell.low in numbers
        elif isinstance(cell, ValueSet):
            assert None in cell, "only numbers beside a missing one are a set"
            assert any(original == (None if member is None else float(member)) for member in cell.members)
        else:
            assert original == (None if cell is None else float(str(cell)))


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """A taxonomy of the letters, in any order and up to four levels high."""

    def grow(leaves: list[str], name: str, height: int) -> Any:
        if height == 0 or len(leaves) < 3:
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, len(leaves) - 1), max_size=3)))
        parts = [leaves[low:high] for low, high in zip([0, *cuts], [*cuts, len(leaves)], strict=True)]
        return {f"{name}{at}": grow(part, f"{name}{at}", height - 1) for at, part in enumerate(parts)}

    return {"any": grow(draw(st.permutations(LABELS)), "n", draw(st.integers(0, 3)))}


def nodes(tree: Any) -> Iterator[tuple[str, set[str]]]:
    """Every node's label and the leaves below it."""
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            inside = [(leaf, {leaf}) for leaf in below] if isinstance(below, list) else list(nodes(below))
            yield label, set().union(*(leaves for _, leaves in inside))
            yield from inside


@some
@given(
    trees(),
    st.lists(st.sampled_from(LABELS), min_size=4, max_size=24),
    st.integers(1, 6),
    st.sampled_from(["loss", "widest"]),
)
def test_labels_are_the_lowest_that_cover_their_group(
    tree: dict[str, Any], letters: list[str], k: int, cut: Any
) -> None:
    table = pa.table({"letter": letters})
    schema = Schema(quasi=["letter"], hierarchies={"letter": tree})
    method = Mondrian(k=min(k, len(letters)), cut=cut, publish="label")
    schema_of_rows = replace(schema, insensitive=["row"], accept=["row"])
    numbered = table.append_column("row", pa.array(range(len(letters))))
    groups: dict[Any, set[Any]] = {}
    for row in method.anonymize(numbered, schema_of_rows).table.to_pylist():
        groups.setdefault(row["letter"], set()).add(letters[row["row"]])
    for label, held in groups.items():
        covering = [(len(leaves), label) for label, leaves in nodes(tree) if held <= leaves]
        smallest = min(size for size, _ in covering)
        # A node with a single child covers as much as the child does; either is as low as can be read.
        assert label in {label for size, label in covering if size == smallest}


@some
@given(trees(), st.lists(st.sampled_from(LABELS), min_size=4, max_size=24), st.integers(1, 6))
def test_groups_in_a_hierarchys_order_are_runs_of_its_leaves(tree: dict[str, Any], letters: list[str], k: int) -> None:
    """At the median nothing is cut out of the middle, so that no group reaches across another."""
    schema = Schema(quasi=["letter"], hierarchies={"letter": tree})
    method = Mondrian(k=min(k, len(letters)), order="hierarchy", cut="widest", publish="set")
    recoding = method.anonymize(pa.table({"letter": letters}), schema).recoding
    leaves = [label for label, below in nodes(tree) if below == {label}]
    runs = []
    for published in recoding.groups[:, 0]:
        cell = parse(recoding.columns[0].texts[published])
        held = cell.members if isinstance(cell, ValueSet) else {cell}
        places = [leaves.index(str(member)) for member in held]
        runs.append((min(places), max(places)))
    assert all(before[1] < after[0] for before, after in itertools.pairwise(runs)), "groups go left to right"


@some
@given(trees(), st.sets(st.sampled_from(LABELS), min_size=2), st.booleans())
def test_a_range_of_leaves_loses_what_the_lowest_node_above_all_of_them_does(
    tree: dict[str, Any], letters: set[str], has_missing: bool
) -> None:
    """As the kernel reads it: of two powers of two that cover the range, the most that two neighbours lose."""
    domain = Domain("letter", "text", np.array(sorted(letters)), has_missing=has_missing)
    hierarchy = resolve(tree, domain, "letter")
    joins = joins_of(hierarchy, domain).reshape(-1, domain.size)
    leaves = hierarchy.leaf_of[np.argsort(hierarchy.order, kind="stable")]
    for low, high in itertools.combinations(range(domain.size), 2):
        power = (high - low).bit_length() - 1
        lost = max(joins[power, low], joins[power, high - (1 << power)])
        above = functools.reduce(lambda a, b: int(hierarchy.lca(a, b)), leaves[low : high + 1].tolist())
        assert lost == loss_of_nodes(hierarchy, domain, "ncp", np.array([above], dtype=np.int32))[0]


@some
@given(trees(), st.lists(st.sampled_from(LABELS), min_size=4, max_size=24), st.integers(1, 6))
def test_cuts_never_cost_more_than_no_cut(tree: dict[str, Any], letters: list[str], k: int) -> None:
    """With labels: what is shown of the parts loses at most what one node above all does."""
    schema = Schema(quasi=["letter"], hierarchies={"letter": tree})
    table = pa.table({"letter": letters})
    release = Mondrian(k=min(k, len(letters))).anonymize(table, schema)
    alone = Mondrian(k=len(letters)).anonymize(table, schema)
    assert release.losses["ncp_published"] <= alone.losses["ncp_published"] + 1e-12
