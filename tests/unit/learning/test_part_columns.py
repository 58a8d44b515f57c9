"""Columns that hold the shares of the parts of another."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow.learning._published import part_columns, part_shares, share_columns


def frame(**columns: Any) -> nw.DataFrame[Any]:
    return nw.from_native(
        pa.table({name.replace("_is_", "="): values for name, values in columns.items()}), eager_only=True
    )


def test_shares_belong_to_the_column_they_are_named_after() -> None:
    table = frame(a=["x", "y"], a_is_x=[1.0, 0.5], a_is_y=[0.0, 0.5], b=[1, 2])
    assert part_columns(table) == {"a": ["a=x", "a=y"]}
    assert share_columns(table) == ["a=x", "a=y"]


@pytest.mark.parametrize(
    "columns",
    [
        {"a": ["x"], "a_is_x": [0.4], "a_is_y": [0.5]},
        {"a": ["x"], "a_is_x": [-0.5], "a_is_y": [1.5]},
        {"a": ["x"], "a_is_x": ["1"]},
        {"b": ["x"], "a_is_x": [1.0]},
    ],
)
def test_other_columns_are_ordinary(columns: dict[str, Any]) -> None:
    assert part_columns(frame(**columns)) == {}


def test_rows_without_shares_are_nan() -> None:
    table = frame(a=["x", "y"], a_is_x=[1.0, None], a_is_y=[0.0, None])
    assert part_columns(table) == {"a": ["a=x", "a=y"]}
    assert np.isnan(part_shares(table, ["a=x", "a=y"])).tolist() == [[False, False], [True, True]]
