"""Tables whose tuples are too many for Spark's driver, cut in parts: the release is the one that is made in memory."""

from __future__ import annotations

import gc
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.counts import LargeTable
from hedgerow.errors import BadInput
from hedgerow.hierarchies import taxonomy
from hedgerow.release import Release

pytestmark = pytest.mark.spark

TOWNS = {"*": {"north": ["Ulm", "Bern"], "south": {"inland": ["Nice"], "coast": ["Bari", "Pisa"]}}}
SCHEMA = hr.Schema(
    quasi=["town", "age", "job", "pay"],
    sensitive=["ill"],
    target="class",
    insensitive=["note"],
    accept=["note"],
    hierarchies={"town": taxonomy(TOWNS)},
)


def people(seed: int, rows: int) -> pa.Table:
    """Rows of which most are distinct, with missing values; the class depends on the other columns."""
    random = np.random.default_rng(seed)
    town = random.choice(["Ulm", "Bern", "Nice", "Bari", "Pisa", "-"], rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    age, pay = random.integers(0, 40, rows), random.choice([0.0, -0.0, 1.5, 2.25], rows)
    job = random.choice(list("uvwxyz"), rows, p=[0.4, 0.3, 0.2, 0.06, 0.03, 0.01])
    score = (age > 12) + 2 * np.isin(town, ["Ulm", "Bern"]) * (pay > 1) + (job == "u") * (age > 20)
    label = np.where(random.random(rows) < 0.1, random.integers(0, 3, rows), score % 3)
    return pa.table(
        {
            "town": pa.array([None if one == "-" else one for one in town.tolist()], pa.string()),
            "age": age,
            "job": job,
            "pay": pay,
            "ill": random.choice(["flu", "cold", "cough"], rows, p=[0.6, 0.3, 0.1]),
            "class": label.astype(str),
            "note": [f"note {at}" for at in random.integers(0, 20, rows)],
        }
    )


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that can be looked into."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def budget(spark: Any) -> Iterator[Any]:
    """Sets how many distinct tuples fit."""
    from hedgerow.engines.spark._tuples import TUPLES_SETTING

    yield lambda most: spark.conf.set(TUPLES_SETTING, most)
    spark.conf.unset(TUPLES_SETTING)


def rows_of(table: pa.Table) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(repr, row.values())) for row in table.to_pylist())


def same_release(table: pa.Table, data: Any, schema: hr.Schema = SCHEMA, **options: Any) -> Release:
    """The release by Spark in parts, which must be the one in memory."""
    whole = hr.anonymize(table, schema, random_state=1, **options)
    parts = hr.anonymize(data, schema, random_state=1, **options)
    one, other = whole.recoding, parts.recoding
    assert other.parts is not None
    assert np.array_equal(one.groups, other.groups)
    assert np.array_equal(one.sizes, other.sizes)
    assert [column.texts for column in one.columns] == [column.texts for column in other.columns]
    assert rows_of(whole.table) == rows_of(parts.table.toArrow())
    assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
    assert (whole.audit.k, whole.audit.clear.keys()) == (parts.audit.k, parts.audit.clear.keys())
    assert (whole.proportions is None) == (parts.proportions is None)
    if whole.proportions is not None and parts.proportions is not None:
        assert whole.proportions.to_dict() == parts.proportions.to_dict()
    return parts


def collected(spark: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows come to the driver, each time that some do."""
    numbers: list[int] = []
    frame = type(spark.range(1))
    fetch = frame.toArrow

    def counted(table: Any) -> pa.Table:
        found = fetch(table)
        numbers.append(found.num_rows)
        return found

    monkeypatch.setattr(frame, "toArrow", counted)
    return numbers


def test_mondrian_by_the_workers(spark: Any, budget: Any, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes to the driver at once is a part, or what a column's values in all parts hold; nothing is left."""
    from hedgerow.engines.spark._tuples import Shelf, SparkTuples

    table = people(1, 900).drop_columns(["note"])
    schema = hr.Schema(quasi=["town", "age", "job", "pay"], target="class", others="drop", rows_are_people=True)
    budget(250)
    read: list[int] = []
    batches = Shelf.batches

    def counted(shelf: Shelf, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
        read.append(end - start)
        return batches(shelf, columns, start, end)

    monkeypatch.setattr(Shelf, "batches", counted)
    monkeypatch.setattr(SparkTuples, "assign", lambda *_: pytest.fail("the driver has cut a part"))
    numbers = collected(spark, monkeypatch)
    data = spark.createDataFrame(table).repartition(3)
    release = same_release(table, data, schema, k=30, publish_proportions=True)
    numbers.pop()  # the release itself
    parts = release.recoding.parts
    assert parts is not None
    assert parts.large.cells > 700
    assert len(parts.bounds) > 4
    assert max(numbers) < 250
    assert 0 < max(read) <= 250
    del release, parts
    gc.collect()
    left = {one.name for folder in scratch.iterdir() for one in folder.iterdir()}
    assert left == {"lock", "rows"}, "only the table that was handed out"


def test_limits_on_levels_by_the_workers(spark: Any, budget: Any) -> None:
    """No part crosses a limit, and the nodes of the finest level are the values in each."""
    table = people(3, 500).drop_columns(["note"])
    schema = hr.Schema(
        quasi=["town", "age", "job", "pay"],
        target="class",
        others="drop",
        hierarchies={"age": "intervals:5,10,20"},
        levels={"age": (1, 2)},
        rows_are_people=True,
    )
    whole = hr.anonymize(table, schema, k=10, random_state=1)
    budget(100)
    parts = hr.anonymize(spark.createDataFrame(table).repartition(2), schema, k=10, random_state=1)
    assert parts.recoding.parts is not None
    assert rows_of(whole.table) == rows_of(parts.table.toArrow())
    assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
    with pytest.raises(BadInput, match=r"levels cannot be limited, except by Mondrian: leave levels \(--level\) out"):
        hr.anonymize(spark.createDataFrame(table), schema, method="kactus", k=10)


def test_regions_by_the_workers(spark: Any, budget: Any) -> None:
    table = people(3, 500).drop_columns(["note"])
    schema = hr.Schema(quasi=["town", "age", "job", "pay"], target="class", others="drop")
    budget(200)
    release = same_release(table, spark.createDataFrame(table).repartition(2), schema, k=20, cells="region")
    assert release.recoding.parts is not None


def test_mondrian_by_the_driver(spark: Any, budget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where workers have no Python, and some parts cannot be cut though they are too large."""
    table = people(2, 300)
    budget(90)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    require = [hr.LDiversity(2, "ill")]
    release = same_release(table, spark.createDataFrame(table).coalesce(1), k=110, require=require, publish="set")
    assert release.recoding.parts is not None
    assert len(release.recoding.parts.bounds) > len(release.recoding.groups)


def test_kactus(spark: Any, budget: Any) -> None:
    """The driver reads the tuples chunk by chunk; cells are split."""
    table = people(4, 400)
    budget(150)
    release = same_release(table, spark.createDataFrame(table).repartition(2), method="kactus", k=9, min_objects=2)
    assert release.recoding.parts is not None
    assert release.recoding.parts.dealt is not None


def test_files_whose_values_have_several_spellings(spark: Any, budget: Any, tmp_path: Path) -> None:
    """The cells of 1.5 and 1.50 are one; text is read by our own parser."""
    from hedgerow.engines.spark import SparkFileSource

    lines = [f"{20 + n // 2 % 7},{('1.5', '1.50')[n % 2]},{n // 14}" for n in range(140)]
    (tmp_path / "people.csv").write_text("\n".join(["age,pay,hours", *lines]))
    schema = hr.Schema(quasi=["age", "pay", "hours"])
    whole = hr.anonymize(tmp_path / "people.csv", schema, k=5, random_state=1)
    budget(60)
    source = SparkFileSource(hr.File(tmp_path / "people.csv"), spark)
    parts = hr.anonymize(source, schema, k=5, random_state=1)
    assert parts.recoding.parts is not None
    assert parts.recoding.parts.large.cells == 7 * 10
    assert rows_of(whole.table.to_arrow_table()) == rows_of(parts.table.toArrow())


def test_what_needs_all_tuples_at_once_is_refused(spark: Any, budget: Any) -> None:
    from hedgerow.engines.spark import SparkSource

    schema = hr.Schema(quasi=["age"])
    budget(9)
    table = spark.createDataFrame([(n,) for n in range(10)], "age int")
    words = (
        r"10 distinct tuples of the counted columns, and 9 of them fit into the memory of Spark's driver\. Above that "
        r".*\. Raise spark.driver.memory, or the setting spark.hedgerow.tuples"
    )
    for options in ({"method": "k-member"}, {"relaxed": True}):
        with pytest.raises(BadInput, match=words):
            hr.anonymize(table, schema, k=2, **options)
    source = SparkSource(table)
    counts = source.count(schema, schema.resolve(source.columns)).counted
    assert isinstance(counts, LargeTable)
    assert (counts.cells, counts.most, counts.rows) == (10, 9, 10)
    with pytest.raises(BadInput, match="this needs them all at once"):
        _ = source.count(schema, schema.resolve(source.columns)).counts
    budget(10)
    assert not isinstance(source.count(schema, schema.resolve(source.columns)).counted, LargeTable)
