"""Numbered rows in files: Spark numbers them as the driver reads them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytestmark = pytest.mark.spark


def test_rows_are_numbered_in_their_order(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hedgerow.engines.spark import _exchange as exchange
    from hedgerow.engines.spark import _tuples as tuples
    from hedgerow.engines.spark._exchange import send

    monkeypatch.setattr(tuples, "_BATCH", 7)
    monkeypatch.setattr(exchange, "ROW_GROUP", 4096)
    rows = spark.range(0, 3_000, 1, 3).selectExpr("3000 - id AS key").orderBy("key")
    shelf = tuples.Shelf.fill(rows, tmp_path / "rows")
    assert len(shelf) == 3_000
    for start, end in ((0, 3_000), (0, 1), (1_490, 1_530), (2_999, 3_000), (5, 5)):
        batches = list(shelf.batches(["key"], start, end))
        assert [key for batch in batches for key in batch.column(0).to_pylist()] == list(range(start + 1, end + 1))
        assert max((batch.num_rows for batch in batches), default=0) <= 7
    numbered = shelf.numbered(partial(send, spark, tmp_path)).toArrow()
    assert {row["key"]: row["cell"] for row in numbered.to_pylist()} == {key: key - 1 for key in range(1, 3_001)}
    shelf.remove()
    assert not (tmp_path / "rows").exists()


def test_what_spark_has_noted_does_not_come_back(spark: Any, tmp_path: Path) -> None:
    """A table that is made of a file of Spark's has other columns than that file."""
    from hedgerow.engines.spark._exchange import read_parquet, store
    from hedgerow.engines.spark._tuples import Shelf

    shelf = Shelf.fill(spark.range(0, 3, 1, 1).selectExpr("id AS key"), tmp_path / "rows")
    table = pa.Table.from_batches(list(shelf.batches(["key"], 0, 3))).append_column("group", pa.array([1, 2, 3]))
    assert read_parquet(spark, [store(tmp_path, "groups", table)]).columns == ["key", "group"]
