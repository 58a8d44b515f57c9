"""Tables whose tuples are too many for Spark's driver, cut in parts: the release is the one that is made in memory."""

from __future__ import annotations

import gc
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.counts import LargeTable
from hedgerow.errors import BadInput
from hedgerow.hierarchies import taxonomy
from hedgerow.recoding import Recoding
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
    town = random.choice(["Ulm", "Bern", "Nice", "Bari", "Pisa", None], rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    age, pay = random.integers(0, 40, rows), random.choice([0.0, -0.0, 1.5, 2.25], rows)
    job = random.choice(list("uvwxyz"), rows, p=[0.4, 0.3, 0.2, 0.06, 0.03, 0.01])
    label = np.where(random.random(rows) < 0.1, random.integers(0, 3, rows), (age > 12) + (job == "u") * (age > 20))
    return pa.table(
        {
            "town": pa.array(town.tolist(), pa.string()),
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
    from hedgerow.engines.spark.counting import TUPLES_SETTING

    yield lambda most: spark.conf.set(TUPLES_SETTING, most)
    spark.conf.unset(TUPLES_SETTING)


def rows_of(table: pa.Table) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(repr, row.values())) for row in table.to_pylist())


def same_release(table: pa.Table, data: Any, **options: Any) -> Release:
    """The release by Spark in parts, which must be the one in memory."""
    whole = hr.anonymize(table, SCHEMA, random_state=1, **options)
    parts = hr.anonymize(data, SCHEMA, random_state=1, **options)
    one, other = whole.recoding, parts.recoding
    assert other.parts is not None
    assert np.array_equal(one.groups, other.groups)
    assert np.array_equal(one.sizes, other.sizes)
    assert [column.texts for column in one.columns] == [column.texts for column in other.columns]
    assert rows_of(whole.table) == rows_of(parts.table.toArrow())
    assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
    assert (whole.audit.k, whole.audit.clear["note"].alone) == (parts.audit.k, parts.audit.clear["note"].alone)
    assert (whole.proportions is None) == (parts.proportions is None)
    if whole.proportions is not None and parts.proportions is not None:
        assert whole.proportions.to_dict() == parts.proportions.to_dict()
    return parts


@pytest.mark.parametrize(
    ("seed", "most", "partitions", "options"),
    [
        (1, 60, 3, {"k": 3, "publish_proportions": True}),
        (2, 90, 1, {"k": 4, "require": [hr.LDiversity(2, "ill")], "publish": "set"}),
    ],
)
def test_mondrian(spark: Any, budget: Any, seed: int, most: int, partitions: int, options: dict[str, Any]) -> None:
    table = people(seed, 400)
    budget(most)
    release = same_release(table, spark.createDataFrame(table).repartition(partitions), **options)
    assert release.recoding.parts is not None
    assert len(release.recoding.parts.bounds) > 4


def test_kactus(spark: Any, budget: Any) -> None:
    """The driver reads the tuples chunk by chunk; cells are split."""
    table = people(3, 500)
    budget(120)
    release = same_release(table, spark.createDataFrame(table).repartition(2), method="kactus", k=9, min_objects=2)
    assert release.recoding.parts is not None
    assert release.recoding.parts.dealt is not None
