"""fillChild: a cell is a 1 at its node and at those below it."""

from __future__ import annotations

import pyarrow as pa

from hedgerow.hierarchies import intervals
from hedgerow.learning.encoders import FillChildEncoder


def test_intervals_have_those_inside_them() -> None:
    ages = intervals([0, 10, 20, 30, 40], levels=[[0, 20, 40]])
    encoder = FillChildEncoder(hierarchies={"age": ages}).fit(pa.table({"age": ["5", "15", "25", "35"]}))
    names = encoder.get_feature_names_out()
    cells = ["5", "[5,40]", "[5,15)", "{5|15}", "{5|25}", "{6|26}", "*"]
    matrix = encoder.transform(pa.table({"age": cells}))
    found = {cell: names[row > 0].tolist() for cell, row in zip(cells, matrix, strict=True)}
    assert found == {
        "5": ["age=[0,10)"],
        "[5,40]": ["age=[10,20)", "age=[20,30)", "age=[30,40]", "age=[20,40]"],
        "[5,15)": ["age=[0,20)"],  # no interval is inside it: the lowest above stands for it
        "{5|15}": ["age=[0,10)", "age=[10,20)", "age=[0,20)"],
        "{5|25}": ["age=[0,10)", "age=[20,30)"],
        "{6|26}": ["age=*"],
        "*": names.tolist(),
    }
