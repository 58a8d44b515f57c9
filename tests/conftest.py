"""Fixtures that tests of several folders share."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Several tests run at once, one in each process: more threads than cores would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from required_parts import do_without

from hedgerow.core.proportions import ColumnProportions, ExactColumn, ExactProportions
from hedgerow.core.proportions._pooling import pool
from hedgerow.core.recoding import PublishedKind
from hedgerow.io.domains import Domain

FrameType = Callable[[pa.Table], Any]


def pytest_collection_finish() -> None:
    """Leave modules and collected tests to themselves: no search for garbage has to look through them again."""
    gc.collect()
    gc.freeze()


def _relation(table: pa.Table) -> Any:
    """A relation of a connection of its own, which it keeps alive."""
    return duckdb.connect().from_arrow(table)


FRAME_TYPES: dict[str, FrameType] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
    "duckdb": _relation,
}


@pytest.fixture(params=FRAME_TYPES)
def frame_type(request: pytest.FixtureRequest) -> FrameType:
    """Turn an Arrow table into each kind of table that Hedgerow takes."""
    return FRAME_TYPES[request.param]


@pytest.fixture
def rows_of() -> Callable[[Any], list[dict[str, Any]]]:
    """Read any kind of table as a list of rows."""
    return _rows_of


def _rows_of(table: Any) -> list[dict[str, Any]]:
    if isinstance(table, pd.DataFrame):
        arrow = pa.Table.from_pandas(table, preserve_index=False)
    elif isinstance(table, pl.LazyFrame):
        arrow = table.collect().to_arrow()
    elif isinstance(table, pl.DataFrame):
        arrow = table.to_arrow()
    else:
        arrow = table if isinstance(table, pa.Table) else table.to_arrow_table()
    rows: list[dict[str, Any]] = arrow.to_pylist()
    return rows


ToldExactly = Callable[..., ColumnProportions]


@pytest.fixture
def told_exactly() -> ToldExactly:
    """Proportions of one column that say exactly how many people of each class hold each value."""
    return _told_exactly


def _told_exactly(domain: Domain, texts: list[str | None], classes: list[dict[int, int]]) -> ColumnProportions:
    """One class for each published text; it holds so many people of each code."""
    label: PublishedKind = "label"
    column = ExactColumn(
        domain,
        tuple(texts),
        (label,) * len(texts),
        np.arange(len(texts), dtype=np.int32),
        np.cumsum([0, *map(len, classes)]),
        np.array([code for one in classes for code in one], dtype=np.int32),
        np.array([people for one in classes for people in one.values()], dtype=np.int64),
    )
    sizes = np.array([sum(one.values()) for one in classes], dtype=np.int64)
    return pool(ExactProportions((column,), sizes), 1).proportions.columns[0]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the real data sets; without it a test is skipped, unless it must be there."""
    named = os.environ.get("HEDGEROW_DATA")
    if not named or not Path(named).is_dir():
        do_without("data", "HEDGEROW_DATA does not name the folder of the real data sets")
    return Path(named)


@pytest.fixture(scope="session")
def weka() -> None:
    """Weka and Java are there; without them a test is skipped, unless they must be there."""
    _need("Weka", "weka", "python-weka-wrapper3 (type: pip install 'hedgerow[weka]')", "default-jre-headless")


@pytest.fixture(scope="session")
def pyspark() -> None:
    """PySpark and Java are there; without them a test is skipped, unless they must be there."""
    _need("Spark", "pyspark", "PySpark (type: pip install 'hedgerow[spark]')", "openjdk-17-jre-headless")
    # Java that lives for a test starts in less time than it would save by compiling well.
    os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark(pyspark: None) -> Iterator[Any]:
    """The one session of Spark that all tests share. Those that need it are marked and run in one process."""
    from hedgerow.engines.spark import open_session

    with open_session("local[2]") as session:
        session.conf.set("spark.sql.shuffle.partitions", 2)
        yield session


def _need(what: str, module: str, package: str, java: str) -> None:
    lacking = [] if importlib.util.find_spec(module) else [package]
    if shutil.which("java") is None:
        lacking.append(f"Java (type: sudo apt install {java})")
    if lacking:
        do_without("java", f"{what} needs {' and '.join(lacking)}")


@pytest.fixture
def made_up_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same few people are on both sides on purpose, which is refused of people who are not made up."""

    def unchecked(*_: Any) -> None:
        pass

    monkeypatch.setattr("hedgerow.attacks._people.check_people", unchecked)
