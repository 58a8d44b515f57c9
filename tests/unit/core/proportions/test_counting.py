"""Counting who holds what in every class."""

from __future__ import annotations

import pyarrow as pa

import hedgerow as hr
from hedgerow.core.proportions import count_proportions
from hedgerow.core.recoding import recode_by_nodes
from hedgerow.release.pipeline import prepare
from hedgerow.requirements import KAnonymity


def test_values_and_nodes_of_each_class() -> None:
    table = pa.table({"zip": ["a1", "a2", "a2", "b1", None], "pay": ["low", "low", "high", "high", "low"]})
    schema = hr.Schema(quasi=["zip"], target="pay", hierarchies={"zip": "masking"})
    counts = prepare(table, schema, [KAnonymity(1)], random_state=0).counts
    exact = count_proportions(counts, recode_by_nodes("mine", counts, [counts.hierarchies["zip"].at_level[1]]))
    (column,) = exact.columns
    one = column.published.tolist().index(column.texts.index("a*"))
    held = slice(column.starts[one], column.starts[one + 1])
    assert exact.sizes[one] == 3
    assert column.domain.labels[column.codes[held]].tolist() == ["a1", "a2"]
    assert column.records[held].tolist() == [1, 2]
    assert column.several.tolist() == [at == one for at in range(len(exact.sizes))]
    assert column.publishes("label")[one]
    assert column.domain.has_missing
    assert column.hierarchy is counts.hierarchies["zip"]
    assert column.code_in_hierarchy is not None
    assert column.code_in_hierarchy.tolist() == [0, 1, 2, 3]
