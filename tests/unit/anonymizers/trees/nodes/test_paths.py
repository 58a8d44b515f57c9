"""Trees in which every record has one path, made from classification trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import Schema
from hedgerow.anonymizers.trees import ClassificationTree, PathTree, induce_c45
from hedgerow.anonymizers.trees.training import training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source


def counted(table: pa.Table) -> FrequencyTable:
    schema = Schema(quasi=[name for name in table.column_names if name != "class"], target="class")
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


def both(table: pa.Table) -> tuple[FrequencyTable, ClassificationTree, PathTree]:
    """Counts, the tree that C4.5 grows from them without pruning, and its paths."""
    counts = counted(table)
    given = training_table(counts, 1, "KActus")
    tree = induce_c45(given.columns, given.labels, given.classes, given.weights, min_objects=1, pruned=False)
    return counts, tree, PathTree.from_classification(tree, [counts.domains[name] for name in counts.quasi])


def walked(tree: ClassificationTree, counts: FrequencyTable, codes: list[int]) -> tuple[int, bool]:
    """The node where a tuple ends in the classification tree, and whether for a missing number."""
    node = 0
    while tree.nodes.column[node] >= 0:
        column = int(tree.nodes.column[node])
        code = codes[column]
        if not tree.attributes[column].numeric:
            branch = code
        elif code == counts.domains[counts.quasi[column]].missing_code:
            return node, True
        else:
            branch = int(code > tree.nodes.threshold[node])
        node = int(tree.nodes.first[node]) + branch
    return node, False


records = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 5, 8, None]),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from([0.5, 1.5, 2.5]),
        st.sampled_from(["no", "yes", "perhaps"]),
    ),
    min_size=2,
    max_size=40,
).filter(lambda rows: len({row[-1] for row in rows}) < len(rows) and all(map(any, zip(*rows, strict=True))))


@settings(deadline=None)  # the first one compiles
@given(records)
def test_a_tuple_goes_to_the_leaf_that_the_classification_tree_sends_it_to(rows: list[tuple[Any, ...]]) -> None:
    types = [pa.int64(), pa.string(), pa.float64(), pa.string()]
    columns = [pa.array(values, kind) for values, kind in zip(zip(*rows, strict=True), types, strict=True)]
    counts, tree, paths = both(pa.table(dict(zip(["number", "letter", "whole", "class"], columns, strict=True))))
    ends = [walked(tree, counts, codes) for codes in counts.tuples.tolist()]
    leaves = paths.leaves_of(counts).tolist()
    assert (paths.column[leaves] == -1).all()
    assert len(set(zip(leaves, ends, strict=True))) == len(set(leaves)) == len(set(ends))
    assert (paths.parent[1:] < np.arange(1, paths.size)).all()
    for node in range(paths.size):
        assert (paths.parent[paths.children(node)] == node).all()


def test_a_missing_number_has_a_branch_of_its_own() -> None:
    # By value: 2 goes with no, 9 with yes; two records do not know.
    table = pa.table({"number": [2, 2, 2, 9, 9, 9, None, None], "class": ["no"] * 3 + ["yes"] * 3 + ["no", "yes"]})
    counts, tree, paths = both(table)
    assert (tree.size, paths.size, paths.n_leaves) == (3, 4, 3)
    assert list(paths.children(0)) == [1, 2, 3]
    assert paths.leaves_of(counts).tolist() == [1, 2, 3]


def test_without_missing_numbers_there_is_no_such_branch() -> None:
    table = pa.table({"number": [2, 2, 2, 9, 9, 9], "class": ["no"] * 3 + ["yes"] * 3})
    counts, _, paths = both(table)
    assert paths.size == 3
    assert paths.leaves_of(counts).tolist() == [1, 2]


def test_a_missing_category_is_a_category() -> None:
    table = pa.table({"letter": ["a", "a", "b", "b", None, None], "class": ["no", "no", "yes", "yes", "no", "no"]})
    counts, _, paths = both(table)
    assert paths.leaves_of(counts).tolist() == [1, 2, 3]


def test_a_tree_of_one_leaf() -> None:
    counts, _, paths = both(pa.table({"letter": ["a", "b", "b"], "class": ["no", "no", "no"]}))
    assert (paths.size, paths.n_leaves) == (1, 1)
    assert paths.leaves_of(counts).tolist() == [0, 0]
    assert not paths.asked(1).any()


def test_the_columns_that_are_asked_above_and_below_a_node() -> None:
    # The letter says the class of a and c; among b the number does.
    letters = ["a"] * 9 + ["b"] * 8 + ["c"] * 9
    numbers = [1, 2, 3] * 3 + [1, 1, 1, 1, 3, 3, 3, 3] + [1, 2, 3] * 3
    classes = ["no"] * 9 + ["no"] * 4 + ["yes"] * 4 + ["yes"] * 9
    _, _, paths = both(pa.table({"number": numbers, "letter": letters, "class": classes}))
    root = int(paths.column[0])
    assert not paths.asked(2)[0].any()
    assert paths.asked(2)[1:, root].all()
    below = [node for node in range(paths.size) if paths.parent[node] > 0]
    assert below
    assert paths.asked(2)[below].all()
    assert paths.asked_below(2)[0].all()
    assert not paths.asked_below(2)[paths.column < 0].any()
