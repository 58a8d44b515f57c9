"""kACTUS on random trees and tables: against one written anew on lists of rows, and what its corollaries promise."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from hedgerow import HybridKActus, Infeasible, KActus, KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.suppression._pruning import Reading, pruned
from hedgerow.anonymizers.trees.nodes.custom_trees import ByThreshold, ByValue, Leaf, Node, path_tree
from hedgerow.core.cells import ValueSet, parse
from hedgerow.release import pipeline

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
some = examples(15 if PLAIN else 120, suppress_health_check=[HealthCheck.too_slow])

Row = tuple[Any, ...]
CATEGORIES = ("a", "b", "c", "d")
NAMES = ("color", "size", "age", "shape")
NUMERIC = ("size", "age")
SCHEMA = Schema(quasi=NAMES, target="class", sensitive=["illness"], insensitive=["number"], accept=["number"])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from((*CATEGORIES, None)),
                st.sampled_from((1, 2, 3, 10, None)),
                st.integers(20, 25),
                st.sampled_from(CATEGORIES),
                st.sampled_from(("no", "yes", "perhaps")),
                st.sampled_from(("flu", "cold", "ulcer")),
            ),
            min_size=4,
            max_size=40,
        )
    )
    rows.append(("a", 1, 20, "a", "no", "flu"))  # a column must not be missing throughout
    names = (*NAMES, "class", "illness")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    types = [pa.string(), pa.int64(), pa.int64(), pa.string(), pa.string(), pa.string()]
    table = pa.table({name: pa.array(columns[name], kind) for name, kind in zip(names, types, strict=True)})
    return table.append_column("number", pa.array(range(len(rows))))


def trees(depth: int = 4) -> st.SearchStrategy[Node]:
    leaf: st.SearchStrategy[Node] = st.just(Leaf())
    if not depth:
        return leaf
    below = st.deferred(lambda: trees(depth - 1))
    by_value = st.builds(
        lambda name, kept, branches, rest: ByValue(name, dict(zip(kept, branches, strict=False)), rest),
        st.sampled_from(("color", "shape")),
        st.lists(st.sampled_from(CATEGORIES), unique=True, min_size=1),
        st.lists(below, min_size=4, max_size=4),
        below,
    )
    by_threshold = st.builds(ByThreshold, st.sampled_from(NUMERIC), st.integers(0, 26), below, below)
    return st.one_of(leaf, by_value, by_threshold)


@dataclass
class Printed:
    """A node of the tree with the records that reach it; pruning is done as the paper words it."""

    path: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    below: list[Printed] = field(default_factory=list)
    waiting: int = 0
    borrowed: int = 0
    released: bool = False

    def prune(self, k: int, literal: bool) -> int:
        """Prune what is below, and return how many records are left here."""
        if not self.below:
            return len(self.rows)
        sizes = [child.prune(k, literal) for child in self.below]
        extra = 0
        for child, size in zip(self.below, sizes, strict=True):
            child.released = size >= k
            extra += size - k if child.released else 0
            self.waiting += 0 if child.released else size
        if literal and self.waiting >= k:
            self.borrowed = extra
        elif (literal or self.waiting) and self.waiting < k and extra >= k - self.waiting:
            self.borrowed = k - self.waiting
        return self.waiting + self.borrowed

    def all(self) -> list[Printed]:
        return [self, *(one for child in self.below for one in child.all())]


def grown(node: Node, rows: list[Row], path: tuple[str, ...] = ()) -> Printed:
    """The tree with its records; a missing value without a branch has one of its own."""
    if isinstance(node, Leaf):
        return Printed(path, rows)
    at = NAMES.index(node.attribute)
    path = (*path, node.attribute)
    branches: list[tuple[Node, list[Row]]] = []
    if isinstance(node, ByThreshold):
        known = [row for row in rows if row[at] is not None]
        branches.append((node.low, [row for row in known if row[at] <= node.at_most]))
        branches.append((node.high, [row for row in known if row[at] > node.at_most]))
        branches.append((Leaf(), [row for row in rows if row[at] is None]))
    else:
        for value, child in node.branches.items():
            branches.append((child, [row for row in rows if row[at] == value]))
        assert node.otherwise is not None
        branches.append((node.otherwise, [row for row in rows if row[at] not in node.branches]))
    return Printed(path, rows, [grown(child, some_rows, path) for child, some_rows in branches])


def rows_of(table: pa.Table) -> list[Row]:
    return [tuple(row[name] for name in NAMES) for row in table.to_pylist()]


@pytest.mark.parametrize("literal", [False, True], ids=["sensible", "literal"])
@some
@given(table=tables(), tree=trees(), k=st.integers(1, 6))
def test_counts_are_those_of_the_pseudo_code(table: pa.Table, tree: Node, k: int, literal: bool) -> None:
    k = min(k, table.num_rows)
    root = grown(tree, rows_of(table))
    left = root.prune(k, literal)
    prepared = pipeline.prepare(table, SCHEMA, [KAnonymity(k)], random_state=0)
    outcome = pruned(
        path_tree(tree, prepared.counts, "KActus"), prepared.counts, prepared.requirements, Reading(literal=literal), 0
    )
    expected = Counter((one.waiting, one.borrowed) for one in root.all() if one.waiting or one.borrowed)
    found = zip(outcome.waiting.tolist(), outcome.borrowed.tolist(), strict=True)
    assert Counter(pair for pair in found if any(pair)) == expected
    assert int(outcome.bags.size[outcome.entries(np.array([0]))[0]].sum()) == left
    assert int(outcome.released.sum()) == sum(one.released for one in root.all()) + (left >= k)


def check_rows(before: pa.Table, after: list[dict[str, Any]], k: int) -> None:
    """Corollary 1, and that what is published of a row is true of it."""
    assert not after or min(Counter(tuple(row[name] for name in NAMES) for row in after).values()) >= k
    originals = {row["number"]: row for row in before.to_pylist()}
    assert len({row["number"] for row in after}) == len(after)
    for row in after:
        original = originals[row["number"]]
        assert (row["class"], row["illness"]) == (original["class"], original["illness"])
        for name in ("color", "shape"):
            cell = parse(row[name])
            assert original[name] in cell if isinstance(cell, ValueSet) else row[name] in ("*", original[name])
        for name in NUMERIC:
            held = [one[name] for one in originals.values() if one[name] is not None]
            assert row[name] is None or min(held) <= row[name] <= max(held)


@some
@given(
    table=tables(),
    tree=trees(),
    k=st.integers(1, 6),
    donors=st.sampled_from(("random", "greedy")),
    reading=st.sampled_from(("sensible", "literal")),
    remainder=st.sampled_from(("lose", "merge")),
    publish=st.sampled_from(("value", "set")),
    expand=st.booleans(),
)
def test_corollaries(
    table: pa.Table,
    tree: Node,
    k: int,
    donors: Literal["random", "greedy"],
    reading: Literal["sensible", "literal"],
    remainder: Literal["lose", "merge"],
    publish: Literal["value", "set"],
    expand: bool,
) -> None:
    k = min(k, table.num_rows)
    estimator = KActus(
        inducer=lambda _: tree,
        donors=donors,
        reading=reading,
        remainder=remainder,
        publish=publish,
        expand=expand,
        suppression_limit=1.0 if remainder == "lose" else 0,
    )
    release = estimator.anonymize(table, SCHEMA, k=k)
    check_rows(table, release.table.to_pylist(), k)
    if publish == "value":
        assert not any(str(row[name]).startswith("{") for row in release.table.to_pylist() for name in NAMES)
    # Corollary 3: fewer than k records are lost, and none with "merge".
    assert release.recoding.lost == table.num_rows - release.audit.rows <= (k - 1 if remainder == "lose" else 0)


@some
@given(table=tables(), tree=trees(), k=st.integers(1, 5), crossover=st.sampled_from((0.0, 0.3, 0.5, 1.0)))
def test_hybrid_loses_nothing(table: pa.Table, tree: Node, k: int, crossover: float) -> None:
    k = min(k, table.num_rows)
    release = HybridKActus(inducer=lambda _: tree, crossover=crossover).anonymize(table, SCHEMA, k=k)
    assert release.audit.rows == table.num_rows
    check_rows(table, release.table.to_pylist(), k)


@some
@given(table=tables(), tree=trees(), k=st.integers(1, 5), crossover=st.sampled_from((0.0, 0.5, 1.0)))
def test_hybrid_as_published_keeps_the_rows(table: pa.Table, tree: Node, k: int, crossover: float) -> None:
    """Every record comes out once, as it was, hidden, or with the one number that was altered."""
    k = min(k, table.num_rows)
    estimator = HybridKActus(inducer=lambda _: tree, crossover=crossover, as_published=True)
    release = estimator.anonymize(table, SCHEMA, k=k)
    originals = {row["number"]: row for row in table.to_pylist()}
    rows = release.table.to_pylist()
    assert {row["number"] for row in rows} == set(originals)
    for row in rows:
        shown = {name: row[name] for name in NAMES if row[name] not in (None, "*")}
        known = {name: originals[row["number"]][name] for name in NAMES}
        unchanged = shown == {name: value for name, value in known.items() if value is not None}
        altered = len(shown) == 1 and set(shown) <= set(NUMERIC)
        assert unchanged or altered or not shown


@some
@given(
    table=tables(),
    tree=trees(),
    k=st.integers(1, 4),
    remainder=st.sampled_from(("lose", "merge")),
    donors=st.sampled_from(("random", "greedy")),
    hybrid=st.booleans(),
)
def test_diversity_holds_in_every_class(
    table: pa.Table,
    tree: Node,
    k: int,
    remainder: Literal["lose", "merge"],
    donors: Literal["random", "greedy"],
    hybrid: bool,
) -> None:
    estimator = (
        HybridKActus(inducer=lambda _: tree)
        if hybrid
        else KActus(
            inducer=lambda _: tree,
            remainder=remainder,
            donors=donors,
            suppression_limit=1.0 if remainder == "lose" else 0,
        )
    )
    try:
        release = estimator.anonymize(table, SCHEMA, require=[KAnonymity(k), LDiversity(2, "illness")])
    except Infeasible:
        assert len(set(table["illness"].to_pylist())) < 2
        return
    illnesses: dict[Row, set[str]] = {}
    for row in release.table.to_pylist():
        illnesses.setdefault(tuple(row[name] for name in NAMES), set()).add(row["illness"])
    assert all(len(found) >= 2 for found in illnesses.values())
    if hybrid or remainder == "merge":
        assert release.recoding.lost == 0
