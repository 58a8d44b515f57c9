"""Groups in files: those that workers tell of their leaves, and those that the driver tells."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.errors import InternalError

pytestmark = pytest.mark.spark


def test_groups_of_leaves_begin_where_those_before_end(spark: Any, tmp_path: Path) -> None:
    from hedgerow.engines.spark._exchange import send
    from hedgerow.engines.spark._tuples import GroupFiles

    files = GroupFiles(tmp_path / "groups")
    told = [(10, 0, 0, 0), (11, 1, 0, 1), (14, 4, 2, 0), (15, 5, 2, 0)]
    files.add_leaves(spark.createDataFrame(told, "key0 long, cell int, leaf int, group_number int"))
    files.add(pa.table({"key0": [12, 13]}), 2, np.array([2, 2], dtype=np.int32))
    files.begin(0, 0)
    files.begin(2, 3)
    assert files.of(0, 6).tolist() == [0, 1, 2, 2, 3, 3]
    assert files.of(3, 5).tolist() == [2, 3]
    rows = files.rows(spark, partial(send, spark, tmp_path)).toArrow().sort_by("cell")
    assert rows.select(["key0", "cell", "group_number"]).to_pydict() == {
        "key0": [10, 11, 12, 13, 14, 15],
        "cell": [0, 1, 2, 3, 4, 5],
        "group_number": [0, 1, 2, 2, 3, 3],
    }
    with pytest.raises(InternalError):
        files.of(4, 7)
    files.remove()
    assert not (tmp_path / "groups").exists()
