"""Where Spark and we meet: a folder that all workers share."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.errors import BadInput

pytestmark = pytest.mark.spark


def session(master: str, temp: str | None = None) -> Any:
    """What is asked of a session: its master, and a setting."""
    return SimpleNamespace(
        sparkContext=SimpleNamespace(master=master), conf=SimpleNamespace(get=lambda _, default: temp or default)
    )


def test_where_the_shared_folder_is(pyspark: None, tmp_path: Path) -> None:
    from hedgerow.engines.spark._exchange import shared_folder

    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    elsewhere = session("spark://host:7077", str(tmp_path / "b"))
    assert shared_folder(elsewhere, tmp_path / "a", tmp_path / "c" / "out.csv").path.parent == tmp_path / "a"
    assert shared_folder(elsewhere, None, tmp_path / "c" / "out.csv").path.parent == tmp_path / "b"
    assert shared_folder(session("yarn"), None, tmp_path / "c" / "out.csv").path.parent == tmp_path / "c"
    assert shared_folder(session("local[2]"), None, None).path.exists()
    assert not any(any((tmp_path / name).iterdir()) for name in "abc"), "each is removed with its user"


@pytest.mark.parametrize("master", ["yarn", "spark://host:7077", "local-cluster[2,1,1024]"])
def test_no_folder_that_all_workers_share(pyspark: None, master: str) -> None:
    from hedgerow.engines.spark._exchange import shared_folder

    with pytest.raises(BadInput, match=re.escape("spark.hedgerow.temp")):
        shared_folder(session(master), None, None)


def test_folders_that_cannot_be_used(pyspark: None, tmp_path: Path) -> None:
    from hedgerow.engines.spark._exchange import shared_folder

    with pytest.raises(BadInput, match="There is no folder"):
        shared_folder(session("local"), tmp_path / "none", None)
    (tmp_path / "a:b").mkdir()
    with pytest.raises(BadInput, match="colon"):
        shared_folder(session("local"), tmp_path / "a:b", None)


@pytest.mark.parametrize("name", ["_a.parquet", ".a.parquet", "a:b.parquet", "a[b]{c,d}*?\\e %20#.parquet"])
def test_files_of_any_name(spark: Any, tmp_path: Path, name: str) -> None:
    """Spark passes over some names, and stumbles over others."""
    import hedgerow as hr
    from hedgerow.engines.spark import SparkFileSource

    pq.write_table(pa.table({"age": [1, 1, 2, 2]}), tmp_path / name)
    source = SparkFileSource(hr.File(tmp_path / name), spark)
    schema = hr.Schema(quasi=["age"])
    assert source.count(schema, schema.resolve(["age"])).counts.rows == 4
