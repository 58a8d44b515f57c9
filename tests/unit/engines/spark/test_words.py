"""Whatever Spark says of a fault: our words instead, and no cell on the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.errors import BadInput

pytestmark = pytest.mark.spark

SECRET = "Zebulon"

SCRIPT = """
import operator
import sys
import numpy as np
import hedgerow as hr
from hedgerow.core.counts import FirstCuts, Part
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
session.conf.set("spark.sql.shuffle.partitions", 2)
people = session.createDataFrame([("Zebulon", 1), ("7", 2)], "name string, town int")
wrong = people.selectExpr("CAST(name AS INT) AS age", "town")

def finished_by_workers():
    "Here the work on a part fails, in the Python of a worker."
    from hedgerow.engines.spark import SparkSource
    session.conf.set("spark.hedgerow.tuples", 1)
    source = SparkSource(people)
    schema = hr.Schema(quasi=["name", "town"])
    large = source.count(schema, schema.resolve(source.columns)).counted
    large.kept.rank([np.arange(2, dtype=np.int32)] * 2)
    large.kept.divide(FirstCuts([], [], [], [], []), 1)
    large.finish([Part(0, 2, 0)], operator.methodcaller("Zebulon"))

for work in (
    lambda: hr.anonymize(wrong, hr.Schema(quasi=["age"], others="drop"), k=1),
    lambda: hr.audit(wrong, quasi=["age"]),
    finished_by_workers,
):
    print("ours", file=sys.stderr, flush=True)
    try:
        work()
    except hr.errors.HedgerowError as error:
        print(error, error.__context__, error.__cause__, file=sys.stderr, flush=True)
print("theirs", file=sys.stderr, flush=True)
try:
    wrong.collect()
except Exception:
    pass
"""


def test_a_session_of_the_user_is_silent_while_we_work(pyspark: None, tmp_path: Path) -> None:
    """And as loud as before when we have done: so it would have been heard."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    workers = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, cwd=tmp_path, env=workers, capture_output=True, check=True)
    ours, theirs = done.stderr.decode().split("theirs")
    assert "Spark could not evaluate the table" in ours
    assert ours.count("None None") == 3
    assert SECRET not in ours
    assert SECRET in theirs
    assert done.stdout == b""


def wrong(spark: Any) -> Any:
    """A table whose query fails on a cell."""
    people = spark.createDataFrame([(SECRET, 1), ("7", 2)], "name string, town int")
    return people.selectExpr("CAST(name AS INT) AS age", "town")


def test_an_error_holds_no_word_of_spark(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="Spark could not evaluate the table") as caught:
        hr.anonymize(wrong(spark), hr.Schema(quasi=["age"], others="drop"), k=1)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert SECRET not in "".join(capfd.readouterr())


def test_an_error_in_a_column_in_clear(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """It is read when rows are written, not when they are counted."""
    schema = hr.Schema(quasi=["town"], insensitive=["age"], accept=["age"])
    with pytest.raises(BadInput, match="Spark could not evaluate the table"):
        hr.anonymize(wrong(spark), schema, k=1)
    assert SECRET not in "".join(capfd.readouterr())


def test_a_session_that_was_stopped(pyspark: None, tmp_path: Path) -> None:
    script = """
import hedgerow as hr
from hedgerow.engines.spark import open_session
with open_session("local[1]") as session:
    people = session.createDataFrame([(1,), (2,)], "age int")
try:
    hr.anonymize(people, hr.Schema(quasi=["age"]), k=1)
except hr.errors.HedgerowError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Spark has ended in the middle of the work.")
    assert done.stderr == ""
