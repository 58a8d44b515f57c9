"""fillParent: a cell is a 1 at its node and at those above it."""

from __future__ import annotations

import pyarrow as pa

from hedgerow.hierarchies import intervals
from hedgerow.learning.encoders import FillParentEncoder


def test_sets_and_intervals_count_as_the_lowest_node_above_them() -> None:
    ages = intervals([0, 10, 20, 30, 40], levels=[[0, 20, 40]])
    encoder = FillParentEncoder(hierarchies={"age": ages}).fit(pa.table({"age": ["5", "15", "25", "35"]}))
    names = encoder.get_feature_names_out()
    matrix = encoder.transform(pa.table({"age": ["5", "{5|15}", "[5,15)", "[15,25)", "[20,30)"]}))
    assert [names[row > 0].tolist() for row in matrix] == [
        ["age=[0,10)", "age=[0,20)", "age=*"],
        ["age=[0,20)", "age=*"],
        ["age=[0,20)", "age=*"],
        ["age=*"],
        ["age=[20,30)", "age=[20,40]", "age=*"],
    ]
