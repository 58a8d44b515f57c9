"""What is counted of columns in clear is what a plain count of the published rows finds, in every engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.engines import SAMPLE_ROWS, InClear, open_source

SCHEMA = hr.Schema(quasi=["age"], sensitive=["ill"], insensitive=["note", "number"], pseudonymize=["who"])
Opened = Callable[[pa.Table], Any]


@pytest.fixture(params=["memory", "csv", "parquet"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Open a table in one of the engines."""

    def in_engine(table: pa.Table) -> Any:
        if request.param == "memory":
            return open_source(table)
        path = tmp_path / f"people.{request.param}"
        (pyarrow.csv.write_csv if request.param == "csv" else pq.write_table)(table, path)
        return open_source(path)

    return in_engine


def table_of(rows: int, values: int, seed: int) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "age": [draw.randrange(4) for _ in range(rows)],
            "ill": [draw.choice("ab") for _ in range(rows)],
            "note": [draw.choice([None, *(f"n{value}" for value in range(values))]) for _ in range(rows)],
            "number": [draw.randrange(values) for _ in range(rows)],
            "who": [f"p{draw.randrange(max(2, values // 2))}" for _ in range(rows)],
        }
    )


def as_they_are(counts: FrequencyTable, lost: int = 0) -> Recoding:
    """Every tuple is a group of its own; the last ones are lost."""
    kept = len(counts.tuples) - lost
    group = np.where(counts.cell_tuple < kept, counts.cell_tuple, -1).astype(np.int32)
    pieces = Pieces.whole(group, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, kept, shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, counts.tuple_sizes[:kept], pieces)


def looked_at(source: Any) -> tuple[InClear, Recoding]:
    counted = source.count(SCHEMA, SCHEMA.resolve(source.columns))
    counts = counted.counts
    recoding = as_they_are(counts)
    counted.apply(recoding, "1")
    return counted.in_clear(np.arange(len(recoding.groups)), np.ones(len(recoding.groups), dtype=bool)), recoding


@pytest.mark.parametrize("values", [2, 3, 12, 60])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_share_a_value_or_everything(values: int, seed: int, opened: Opened) -> None:
    table = table_of(60, values, seed)
    seen, _ = looked_at(opened(table))
    rows = table.to_pylist()
    for name in ("note", "number"):
        held = Counter(row[name] for row in rows)
        assert seen.alone[name] == sum(number == 1 for number in held.values())
    # Every age is a group of its own here.
    everything = Counter(tuple(row.values()) for row in rows)
    assert seen.fewest_of_all == min(everything.values())
    for name in ("note", "number"):
        assert seen.fewest[name] == min(Counter((row["age"], row[name]) for row in rows).values())


def test_the_sample_has_the_cell_and_the_values_of_whole_classes(opened: Opened) -> None:
    table = table_of(80, 5, 1)
    source = opened(table)
    counted = source.count(SCHEMA, SCHEMA.resolve(source.columns))
    counts = counted.counts
    recoding = as_they_are(counts)
    counted.apply(recoding, "1")
    chosen = np.zeros(len(recoding.groups), dtype=bool)
    chosen[1] = True
    seen = counted.in_clear(np.arange(len(recoding.groups)), chosen)
    assert set(seen.classes.tolist()) == {1}
    ages = counts.domains["age"].labels[counts.tuples[counts.cell_tuple[seen.cells], 0]]
    sampled = Counter(zip(ages.tolist(), map(str, seen.values["number"].to_pylist()), strict=True))
    (age,) = set(ages.tolist())
    assert sampled == Counter((age, str(row["number"])) for row in table.to_pylist() if str(row["age"]) == age)


def test_lists_and_objects_are_compared_by_how_they_look() -> None:
    table = pl.DataFrame({"age": [1, 1, 1, 1], "note": [[1], [1], [2], None]})
    schema = hr.Schema(quasi=["age"], insensitive=["note"])
    source = open_source(table)
    counted = source.count(schema, schema.resolve(source.columns))
    counts = counted.counts
    counted.apply(as_they_are(counts), "1")
    seen = counted.in_clear(np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool))
    assert (seen.alone, seen.fewest) == ({"note": 2}, {"note": 1})


def test_lost_rows_are_not_looked_at(opened: Opened) -> None:
    table = pa.table(
        {"age": [1, 1, 2], "ill": list("aaa"), "note": ["x", "x", "y"], "number": [1, 1, 2], "who": list("pqr")}
    )
    source = opened(table)
    counted = source.count(SCHEMA, SCHEMA.resolve(source.columns))
    counts = counted.counts
    counted.apply(as_they_are(counts, lost=1), "1")
    seen = counted.in_clear(np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool))
    assert seen.alone == {"note": 0, "number": 0}
    assert len(seen.cells) == 2


def test_of_a_large_class_only_a_sample_is_looked_at(opened: Opened) -> None:
    rows = 3 * SAMPLE_ROWS + 5
    age = np.random.default_rng(1).integers(0, 20, rows)
    table = pa.table({"age": age, "ill": ["a"] * rows, "note": age * 2, "number": np.arange(rows), "who": ["p"] * rows})
    source = opened(table)
    counted = source.count(SCHEMA, SCHEMA.resolve(source.columns))
    counts = counted.counts
    counted.apply(as_they_are(counts), "1")
    one_class = np.zeros(len(counts.tuples), dtype=np.int64)
    seen = counted.in_clear(one_class, np.ones(1, dtype=bool))
    assert SAMPLE_ROWS <= len(seen.cells) < 2 * SAMPLE_ROWS
    # The rows are still whole rows, and all of the table has its part in the sample.
    sampled = counts.domains["age"].labels[counts.tuples[counts.cell_tuple[seen.cells], 0]].astype(int)
    assert (sampled * 2 == [int(note) for note in seen.values["note"].to_pylist()]).all()
    share = np.bincount(sampled, minlength=20) / len(sampled)
    assert np.abs(share - np.bincount(age) / rows).max() < 0.02


def test_what_a_column_gives_away_is_found_in_a_sample_of_a_large_class(opened: Opened) -> None:
    random = np.random.default_rng(2)
    age = random.integers(0, 20, 25_000)
    table = pa.table({"age": age, "note": age % 10, "number": random.integers(0, 9, len(age))})
    schema = hr.Schema(quasi=["age"], insensitive=["note", "number"], accept=["note"])
    columns = hr.anonymize(opened(table), schema, k=len(age)).audit.clear
    assert columns["number"].gives_away["age"] < 0.02
    # One value of ten halves the twenty ages: log 10 / log 20.
    assert columns["note"].gives_away["age"] == pytest.approx(np.log(10) / np.log(20), abs=0.02)
