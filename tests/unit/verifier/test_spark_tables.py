"""The verifier's own grouping of tables of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.readers import SparkFiles
from hedgerow.verifier import count_classes, k_of_all

pytestmark = pytest.mark.spark


def written(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{number:05d}.parquet")
    return folder


def test_what_a_reader_tells_apart(spark: Any, tmp_path: Path) -> None:
    """-0.0 is written otherwise than 0.0, and NaN is one value; Spark calls the first two equal."""
    cells = [-0.0, 0.0, 0.0, 1.5, float("nan"), float("nan"), float("inf")]
    for kind in (pa.float64(), pa.float32()):
        table = pa.table({"score": pa.array(cells, kind), "n": [1] * 7})
        folder = written(tmp_path / str(kind), table)
        found = count_classes(SparkFiles(folder, spark), ["score"])
        expected = count_classes(table, ["score"])
        assert found.labels[0].tolist() == expected.labels[0].tolist() == ["-0", "0", "1.5", "inf", None]
        assert sorted(found.sizes.tolist()) == sorted(expected.sizes.tolist()) == [1, 1, 1, 2, 2]


def test_rows_that_spark_does_not_read_are_missed(spark: Any, tmp_path: Path) -> None:
    """Spark passes over a file that it finds damaged, if it is told to; its footer still says what it holds."""
    folder = written(tmp_path / "rows", pa.table({"age": [1] * 50}), pa.table({"age": list(range(50))}))
    path = folder / "part-00001.parquet"
    column = pq.read_metadata(path).row_group(0).column(0)
    cells = bytearray(path.read_bytes())
    for place in range(column.dictionary_page_offset, column.dictionary_page_offset + column.total_compressed_size):
        cells[place] ^= 0x5A
    path.write_bytes(bytes(cells))
    with pytest.raises(BadInput, match="Spark could not evaluate"):
        count_classes(SparkFiles(folder, spark), ["age"])
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        with pytest.raises(HedgerowError, match="Spark read 50 rows of files that hold 100"):
            count_classes(SparkFiles(folder, spark), ["age"])
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")


def test_an_audit_of_a_table_of_spark(spark: Any) -> None:
    table = pa.table(
        {"town": ["Ulm", "Ulm", "Bern", None], "who": ["a", "b", "c", "c"], "day": pa.array([1, 1, 2, 2], pa.date32())}
    )
    found = hr.audit(spark.createDataFrame(table), quasi=["town"], sensitive=["day"])
    expected = hr.audit(table, quasi=["town"], sensitive=["day"])
    assert found.to_dict() == expected.to_dict()
    assert k_of_all(spark.createDataFrame(table)) == k_of_all(table) == 1
    assert k_of_all(spark.createDataFrame(table.drop_columns(["town"])), entity="who") == 1


def test_columns_that_cannot_be_grouped(spark: Any) -> None:
    with pytest.raises(BadInput, match="'odd' holds lists"):
        count_classes(spark.sql("SELECT array(1) AS odd"), ["odd"])
    with pytest.raises(BadInput, match="differ only in case"):
        count_classes(spark.createDataFrame([(1, 2)], "a int, A int"), ["a"])


def test_a_release_with_fewer_rows_is_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier opens the files themselves: what is gone from them is missed."""
    from hedgerow.engines.spark._source import CountedSpark

    applied = CountedSpark.apply

    def lossy(self: Any, *given: Any) -> Any:
        rows = applied(self, *given)
        part = rows.native.parts[0]
        pq.write_table(pq.read_table(part).slice(1), part)
        part.with_name(f".{part.name}.crc").unlink()  # by which Spark would notice it, too
        return rows

    monkeypatch.setattr(CountedSpark, "apply", lossy)
    table = spark.createDataFrame(pa.table({"age": [1, 1, 2, 2]}))
    with pytest.raises(HedgerowError, match="3 rows came out where 4 should have"):
        hr.anonymize(table, hr.Schema(quasi=["age"]), k=2)
