"""Trees as binary cuts send every value where the tree would."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hedgerow import Schema
from hedgerow.anonymizers.trees import ByThreshold, ByValue, Leaf
from hedgerow.anonymizers.trees.nodes.custom_trees import path_tree
from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_paths
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source


def counted() -> FrequencyTable:
    table = pa.table({"age": [20, 30, 50, 60, None, 20], "sky": ["blue", "grey", "pink", "blue", "grey", "pink"]})
    schema = Schema(quasi=["age", "sky"])
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


def routed(groups: dict[int, int]) -> dict[tuple[int, ...], int]:
    """The group of each tuple, in a tree that asks age at 40, and the sky of those below."""
    counts = counted()
    tree = path_tree(
        ByThreshold("age", 40, ByValue("sky", {"blue": Leaf(), "grey": Leaf()}, Leaf()), Leaf()), counts, ""
    )
    group = np.full(tree.size, -1, dtype=np.int32)
    group[list(groups)] = list(groups.values())
    cuts = cuts_of_paths(tree, group, [counts.domains[name] for name in counts.quasi])
    found = cuts.route([2 * counts.tuples[:, at].astype(np.int64) for at in range(2)])
    return dict(zip(map(tuple, counts.tuples.tolist()), found.tolist(), strict=True))


def test_each_leaf_that_is_a_group_gets_its_tuples() -> None:
    # 1 to 3 are low, high and missing; 4 to 6 blue, grey and the rest.
    assert routed({2: 0, 3: 1, 4: 2, 5: 3, 6: 4}) == {
        (0, 0): 2,
        (0, 2): 4,
        (1, 1): 3,
        (2, 2): 0,
        (3, 0): 0,
        (4, 1): 1,
    }


def test_what_published_nothing_goes_to_the_nearest_group_above() -> None:
    assert routed({0: 0, 1: 1, 5: 2}) == {(0, 0): 1, (0, 2): 1, (1, 1): 2, (2, 2): 0, (3, 0): 0, (4, 1): 0}


def test_without_a_group_above_a_tuple_fits_none() -> None:
    assert routed({2: 0}) == {(0, 0): -1, (0, 2): -1, (1, 1): -1, (2, 2): 0, (3, 0): 0, (4, 1): -1}
