"""Trees of one's own: where each record goes, and what is refused."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import BadInput, Schema
from hedgerow.anonymizers.trees import Attribute, ByThreshold, ByValue, Leaf, Node
from hedgerow.anonymizers.trees.nodes.custom_trees import category_name, path_tree
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source

PEOPLE = pa.table({"age": [20, 30, 50, None], "sky": ["blue", "grey", "pink", None], "wind": ["a", "a", "b", "b"]})


def counted(table: pa.Table) -> FrequencyTable:
    schema = Schema(quasi=table.column_names)
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


def together(root: Node, table: pa.Table = PEOPLE) -> list[list[Any]]:
    """The first column of the records that share a leaf; the leaves in the order of their first record."""
    counts = counted(table)
    leaves = path_tree(root, counts, "KActus").leaves_of(counts)
    assert (leaves >= 0).all()
    domain = counts.domains[counts.quasi[0]]
    values = [*domain.labels.tolist(), None]
    groups: dict[int, list[Any]] = {}
    for row, leaf in zip(counts.tuples.tolist(), leaves.tolist(), strict=True):
        groups.setdefault(leaf, []).append(values[row[0]])
    return list(groups.values())


def refusal(root: Any, table: pa.Table = PEOPLE) -> str:
    with pytest.raises(BadInput) as caught:
        path_tree(root, counted(table), "KActus")
    text = str(caught.value)
    assert not {"blue", "grey", "pink", "20", "30", "50"} & set(text.replace("'", " ").replace(".", " ").split())
    return text


# Where records go


def test_a_leaf_alone_holds_all() -> None:
    assert together(Leaf()) == [["20", "30", "50", None]]


@pytest.mark.parametrize(
    ("at_most", "expected"),
    [
        (30, [["20", "30"], ["50"], [None]]),
        (49.9, [["20", "30"], ["50"], [None]]),
        (50, [["20", "30", "50"], [None]]),
        (19, [["20", "30", "50"], [None]]),
        (np.float32(20), [["20"], ["30", "50"], [None]]),
        (Fraction(61, 2), [["20", "30"], ["50"], [None]]),
    ],
)
def test_a_value_up_to_the_threshold_goes_low_and_a_missing_one_to_its_own_leaf(
    at_most: float, expected: list[list[Any]]
) -> None:
    assert together(ByThreshold("age", at_most, Leaf(), Leaf())) == expected


def test_a_missing_number_goes_where_the_tree_says() -> None:
    more = pa.table({"age": [20, None, None], "sky": ["blue", "blue", "grey"]})
    asked = ByThreshold("age", 20, Leaf(), Leaf(), missing=ByValue("sky", {"blue": Leaf(), "grey": Leaf()}))
    assert together(asked, more) == [["20"], [None], [None]]
    assert together(ByThreshold("age", 20, Leaf(), Leaf()), more) == [["20"], [None, None]]


def test_a_column_without_missing_numbers_has_no_branch_for_them() -> None:
    counts = counted(pa.table({"age": [20, 30]}))
    assert path_tree(ByThreshold("age", 20, Leaf(), Leaf(), missing=Leaf()), counts, "KActus").n_leaves == 2


def test_dates_are_asked_by_days() -> None:
    days = [datetime.date(1970, 1, 2), datetime.date(1970, 1, 4)]
    asked = ByThreshold("day", 2, Leaf(), Leaf())
    assert together(asked, pa.table({"day": days})) == [["1970-01-02"], ["1970-01-04"]]


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (ByValue("sky", {"blue": Leaf(), ("grey", "pink"): Leaf()}), [["20"], ["30", "50"], [None]]),
        (ByValue("sky", {("blue", None): Leaf(), ("grey", "pink"): Leaf()}), [["20", None], ["30", "50"]]),
        (ByValue("sky", {"blue": Leaf()}, otherwise=Leaf()), [["20"], ["30", "50", None]]),
        (ByValue("sky", {"blue": Leaf(), None: Leaf()}, otherwise=Leaf()), [["20"], ["30", "50"], [None]]),
        (ByValue("sky", {"blue": Leaf(), "\\N": Leaf()}, otherwise=Leaf()), [["20"], ["30", "50"], [None]]),
        (ByValue("sky", {"green": Leaf()}, otherwise=Leaf()), [["20", "30", "50", None]]),
        (ByValue("wind", {None: Leaf()}, otherwise=Leaf()), [["20", "30", "50", None]]),
    ],
)
def test_categories_go_where_the_tree_says_and_a_missing_one_to_its_own_leaf(
    root: Node, expected: list[list[Any]]
) -> None:
    assert together(root) == expected


def test_a_text_that_reads_like_the_missing_category_is_not_it() -> None:
    table = pa.table({"sky": ["\\N", "blue", None]})
    assert together(ByValue("sky", {"\\N": Leaf()}, otherwise=Leaf()), table) == [["\\N"], ["blue", None]]
    alike = Attribute("sky", ("\\N", "blue", "\\N"))
    assert [category_name(alike, code) for code in range(3)] == ["\\N", "blue", None]
    assert category_name(Attribute("sky", ("BLUE", "\\N")), 1) == "\\N"


def test_one_question_may_stand_in_several_places() -> None:
    again = ByValue("wind", {"a": Leaf(), "b": Leaf()})
    assert together(ByThreshold("age", 25, again, again)) == [["20"], ["30"], ["50"], [None]]


@pytest.mark.compiled
def test_a_tree_may_be_deeper_than_pythons_stack() -> None:
    ages = pa.table({"age": list(range(5000))})
    root: Node = Leaf()
    for age in range(4998, -1, -1):
        root = ByThreshold("age", age, Leaf(), root)
    assert together(root, ages) == [[str(age)] for age in range(5000)]


# The arrays


trees = st.recursive(
    st.just(Leaf()),
    lambda below: st.one_of(
        st.builds(ByThreshold, st.just("age"), st.integers(15, 55), below, below, st.none() | below),
        st.builds(
            lambda first, second, rest: ByValue("sky", {"blue": first, (None, "grey"): second}, rest),
            below,
            below,
            below,
        ),
    ),
    max_leaves=12,
)


def walked(node: Node, age: float | None, sky: str | None, path: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """The path of a record, read from the tree itself."""
    if isinstance(node, ByThreshold):
        if age is None:
            return (*path, "none") if node.missing is None else walked(node.missing, age, sky, (*path, "none"))
        side = "low" if age <= node.at_most else "high"
        return walked(node.low if side == "low" else node.high, age, sky, (*path, side))
    if isinstance(node, ByValue):
        for key, child in node.branches.items():
            if sky in (key if isinstance(key, tuple) else (key,)):
                return walked(child, age, sky, (*path, key))
        assert node.otherwise is not None
        return walked(node.otherwise, age, sky, (*path, "otherwise"))
    return path


@settings(deadline=None)  # the first one compiles
@given(trees)
def test_records_share_a_leaf_if_they_share_a_path(root: Node) -> None:
    records = [(age, sky) for age in (20, 30, 50, None) for sky in ("blue", "grey", "pink", None)]
    counts = counted(pa.table({"age": [age for age, _ in records], "sky": [sky for _, sky in records]}))
    tree = path_tree(root, counts, "KActus")
    assert (tree.parent[1:] < np.arange(1, tree.size)).all()  # a node comes before its branches
    for node in range(tree.size):
        assert (tree.parent[tree.children(node)] == node).all()
    # Tuples are sorted by code, and so are the records above.
    leaves = tree.leaves_of(counts).tolist()
    paths = [walked(root, *record) for record in records]
    assert (tree.column[leaves] == -1).all()
    assert len(set(zip(leaves, paths, strict=True))) == len(set(leaves)) == len(set(paths))


# What is refused


def test_a_tree_must_consist_of_nodes() -> None:
    assert "'dict'" in refusal({"age": 30})
    assert "'NoneType'" in refusal(ByThreshold("age", 30, None, Leaf()))  # type: ignore[arg-type]
    assert "'type'" in refusal(ByThreshold("age", 30, Leaf, Leaf()))  # type: ignore[arg-type]


@pytest.mark.parametrize("attribute", [("age", "sky"), ["age", "sky"], None, 0])
def test_a_question_asks_one_column(attribute: Any) -> None:
    assert "one column at a time" in refusal(ByThreshold(attribute, 30, Leaf(), Leaf()))
    assert "one column at a time" in refusal(ByValue(attribute, {}, Leaf()))


def test_a_question_asks_a_quasi_identifier() -> None:
    assert "Did you mean 'age'?" in refusal(ByThreshold("ages", 30, Leaf(), Leaf()))


def test_numbers_are_asked_by_threshold_and_text_by_value() -> None:
    assert "ByThreshold" in refusal(ByValue("age", {"20": Leaf()}, Leaf()))
    assert "ByValue" in refusal(ByThreshold("sky", 1, Leaf(), Leaf()))
    assert "dates" in refusal(ByValue("day", {}, Leaf()), pa.table({"day": [datetime.date(2020, 1, 1)]}))


@pytest.mark.parametrize("at_most", [math.nan, math.inf, -math.inf, "30", None, True, 10**400])
def test_a_threshold_is_a_finite_number(at_most: Any) -> None:
    assert "'age' is not a finite number" in refusal(ByThreshold("age", at_most, Leaf(), Leaf()))


@pytest.mark.parametrize(
    "branches",
    [
        {"blue": Leaf(), ("grey", "blue"): Leaf()},
        {("blue", "blue"): Leaf()},
        {None: Leaf(), (None, "grey"): Leaf()},
        {None: Leaf(), "\\N": Leaf()},
        {"green": Leaf(), ("green", "grey"): Leaf()},
    ],
)
def test_a_category_has_one_branch(branches: Any) -> None:
    assert "'sky' has the same category in two branches" in refusal(ByValue("sky", branches, Leaf()))


def test_branches_are_named_by_text() -> None:
    assert "'int'" in refusal(ByValue("sky", {3: Leaf()}, Leaf()))  # type: ignore[dict-item]
    assert "mapping" in refusal(ByValue("sky", [Leaf()], Leaf()))  # type: ignore[arg-type]


def test_a_question_must_not_lead_to_itself() -> None:
    branches: dict[Any, Node] = {"blue": Leaf()}
    root = ByValue("sky", branches, Leaf())
    branches["grey"] = ByThreshold("age", 30, Leaf(), root)
    assert "leads back to itself" in refusal(root)


def test_a_tree_that_doubles_with_every_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.anonymizers.trees.nodes.custom_trees._MOST_NODES", 1000)  # to end sooner
    root: Node = Leaf()
    for _ in range(60):
        root = ByValue("wind", {"a": root, "b": root})
    assert "more than 1,000 nodes" in refusal(root)


def test_a_record_without_a_branch_is_counted_and_its_value_not_named() -> None:
    twice = pa.concat_tables([PEOPLE, PEOPLE])
    assert "'sky' in 4 of 8 records" in refusal(ByValue("sky", {"blue": Leaf()}), twice)
    below = ByThreshold("age", 30, ByValue("sky", {"blue": Leaf()}), Leaf())
    assert "'sky' in 2 of 8 records" in refusal(below, twice)
