"""Spark against the other engines: cells of every type, methods end to end, files."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.datasets import make_census
from hedgerow.engines import Source, open_source
from hedgerow.engines.sql import canonical_text

pytestmark = pytest.mark.spark

UTC: Final = dt.UTC
MOMENTS: Final = [
    dt.datetime(2024, 3, 31, 2, 30, 0, 1),  # an hour that clocks in Zürich do not show
    dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
    dt.datetime(1883, 1, 1, 5, 4, 3),
]
ONE_AND_A_HALF: Final = "4609434218613702656"  # its bits

# One column of every type that all engines hold: its type, three cells, and the texts that they are ranked by.
KINDS: Final[dict[str, tuple[pa.DataType, list[Any], list[str]]]] = {
    "double": (pa.float64(), [1.5, -0.0, math.nan], [ONE_AND_A_HALF, str(-(2**63)), "nan"]),
    "float": (pa.float32(), [1.5, 0.0, math.inf], [ONE_AND_A_HALF, "0", "9218868437227405312"]),
    "int8": (pa.int8(), [-128, 0, 127], ["-128", "0", "127"]),
    "int64": (pa.int64(), [-(2**63), 0, 2**63 - 1], [str(-(2**63)), "0", str(2**63 - 1)]),
    "uint32": (pa.uint32(), [0, 7, 2**32 - 1], ["0", "7", str(2**32 - 1)]),
    "uint64": (pa.uint64(), [0, 7, 2**64 - 1], ["0", "7", str(2**64 - 1)]),
    "bool": (pa.bool_(), [True, False, True], ["true", "false", "true"]),
    "decimal": (
        pa.decimal128(38, 8),
        [Decimal("0.00000001"), Decimal("-0.5"), Decimal("123456789012345678901234567890")],
        ["0.00000001", "-0.50000000", "123456789012345678901234567890.00000000"],
    ),
    "text": (pa.string(), ["🤦🏼‍♂️ é|", "", "e\u0301\n"], ["🤦🏼‍♂️ é|", "", "e\u0301\n"]),
    "binary": (pa.binary(), [b"", b"\x00\xff", b"a"], ["", "00FF", "61"]),
    "date": (
        pa.date32(),
        [dt.date(1, 1, 1), dt.date(1582, 10, 10), dt.date(2024, 2, 29)],
        ["-719162", "-141432", "19782"],
    ),
    "moment": (pa.timestamp("us"), MOMENTS, ["1711852200000001", "-1", "-2745428157000000"]),
    "zoned": (
        pa.timestamp("us", "UTC"),
        [moment.replace(tzinfo=UTC) for moment in MOMENTS],
        ["1711852200000001", "-1", "-2745428157000000"],
    ),
}


def of_every_type(rows: int = 64, seed: int = 1) -> pa.Table:
    """Rows of one quasi-identifier and a column of every type, with nulls, in some order."""
    draw = np.random.default_rng(5)
    columns: dict[str, Any] = {"town": ["Ulm" if n % 3 else "Bern" for n in range(rows)]}
    for name, (kind, cells, _) in KINDS.items():
        drawn = [None if at == len(cells) else cells[at] for at in draw.integers(0, len(cells) + 1, rows)]
        columns[name] = pa.array(drawn, kind)
    return pa.table(columns).take(np.random.default_rng(seed).permutation(rows))


def test_every_engine_writes_the_canonical_text(spark: Any, tmp_path: Path) -> None:
    """Floats by their bits, moments in UTC, and so on, in Spark as in DuckDB; null is null."""
    from hedgerow.engines.spark._coding import canonical_text as text_in_spark
    from hedgerow.engines.spark._exchange import read_parquet
    from hedgerow.io.readers.spark import functions as F  # noqa: N812 - its usual name

    table = pa.table({name: pa.array([*cells, None], kind) for name, (kind, cells, _) in KINDS.items()})
    pq.write_table(table, tmp_path / "types.parquet")
    expected = {name: [*texts, None] for name, (_, _, texts) in KINDS.items()}
    relation = duckdb.connect().read_parquet(str(tmp_path / "types.parquet"))
    for rows in (relation, duckdb.connect().from_arrow(table)):
        kinds = zip(rows.columns, map(str, rows.types), strict=True)
        texts = ", ".join(f'{canonical_text(name, kind)} AS "{name}"' for name, kind in kinds)
        assert rows.project(texts).to_arrow_table().to_pydict() == expected
    zone = spark.conf.get("spark.sql.session.timeZone")
    for elsewhere in ("UTC", "Europe/Zurich"):
        spark.conf.set("spark.sql.session.timeZone", elsewhere)
        rows = read_parquet(spark, [tmp_path / "types.parquet"])
        found = [text_in_spark(F.col(one.name), one.dataType).alias(one.name) for one in rows.schema.fields]
        assert rows.select(*found).toArrow().to_pydict() == expected
    spark.conf.set("spark.sql.session.timeZone", zone)


def dealt(source: Source, seed: str) -> Counter[tuple[Any, ...]]:
    """Every record of the two cells to another of three groups, in turn: what comes out."""
    schema = hr.Schema(quasi=["town"], insensitive=list(KINDS), accept=list(KINDS))
    counted = source.count(schema, schema.resolve(source.columns))
    counts = counted.counts
    cell = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    pairs, sizes = np.unique(np.stack([cell, np.arange(len(cell)) % 3], axis=1), axis=0, return_counts=True)
    pieces = Pieces(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), sizes.astype(np.int64))
    columns, groups = publish_groups(counts, pieces, 3, shown_as(counts, "set"))
    one = columns[0]
    told = type(one)(one.domain, ("a", "b", "c"), ("label",) * 3, one.covered)
    groups[:, 0] = [0, 1, 2]
    of_group = np.bincount(pieces.group, pieces.size).astype(np.int64)
    recoding = Recoding(
        method="by hand", quasi=counts.quasi, columns=(told,), groups=groups, sizes=of_group, pieces=pieces
    )
    return multiset(counted.apply(recoding, seed).table)


def multiset(table: Any) -> Counter[tuple[Any, ...]]:
    """Rows as a multiset; NaN is itself, and -0.0 is not 0.0."""
    if hasattr(table, "toArrow"):
        table = table.toArrow()
    elif isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    elif not isinstance(table, pa.Table):
        table = table.to_arrow() if isinstance(table, pl.DataFrame) else table.to_arrow_table()
    names = sorted(table.column_names)
    return Counter(tuple(_plain(row[name]) for name in names) for row in table.to_pylist())


def _plain(cell: Any) -> str:
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        cell = cell.astimezone(UTC).replace(tzinfo=None)
    return repr(int(cell) if isinstance(cell, Decimal) and cell == cell.to_integral() else cell)


def test_one_seed_is_one_release_on_every_engine(spark: Any, tmp_path: Path) -> None:
    """Whatever the order, the partitions and the number of threads."""
    pq.write_table(of_every_type(), tmp_path / "a.parquet")
    expected = dealt(open_source(of_every_type()), "7")
    assert expected != dealt(open_source(of_every_type()), "8")
    in_spark = spark.read.parquet(str(tmp_path / "a.parquet"))
    others: list[Any] = [
        of_every_type(seed=2),
        of_every_type(seed=3).to_pandas(types_mapper=pd.ArrowDtype),
        pl.DataFrame(of_every_type(seed=4)),
        tmp_path / "a.parquet",
        in_spark,
        in_spark.repartition(5),
        in_spark.coalesce(1).orderBy("text", "int64"),
    ]
    for other in others:
        assert dealt(open_source(other), "7") == expected, type(other)


CENSUS: Final = make_census(400, random_state=1)
CLEAR: Final = ["hours-per-week", "disease"]
SCHEMA: Final = hr.Schema(
    quasi=["age", "sex", "education"], target="income", insensitive=CLEAR, accept=CLEAR, others="drop"
)


def same_release(data: Any, method: str, k: int, **parameters: Any) -> bool:
    """Whether a method makes the same of a table as of the census in memory; returns whether cells were split."""
    release = hr.anonymize(data, SCHEMA, method=method, k=k, random_state=7, **parameters)
    expected = hr.anonymize(CENSUS, SCHEMA, method=method, k=k, random_state=7, **parameters)
    assert multiset(release.table) == multiset(expected.table)
    assert release.audit.k == expected.audit.k >= k
    assert release.losses == pytest.approx(expected.losses)
    assert release.recoding.pieces is not None
    return release.recoding.pieces.split


@pytest.mark.parametrize(
    ("method", "k", "parameters", "splits"),
    [("mondrian", 5, {}, False), ("mondrian", 5, {"relaxed": True}, True), ("kactus", 12, {}, True)],
)
def test_methods_end_to_end(spark: Any, method: str, k: int, parameters: dict[str, Any], splits: bool) -> None:
    table = spark.createDataFrame(CENSUS).repartition(3)
    assert same_release(table, method, k, **parameters) is splits


@pytest.mark.every_method
@pytest.mark.parametrize("method", [one["name"] for one in hr.methods()])
def test_every_method(spark: Any, method: str) -> None:
    same_release(spark.createDataFrame(CENSUS).repartition(2), method, 12)


def test_a_shuffle_join_gives_the_same(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for recodings that are too large to be sent to every worker."""
    from hedgerow.engines.spark import _exchange as exchange
    from hedgerow.engines.spark import _source as source

    for module in (exchange, source):
        monkeypatch.setattr(module, "BROADCAST_BYTES", -1)
    assert same_release(spark.createDataFrame(CENSUS).repartition(2), "mondrian", 5, relaxed=True)


READERS: Final[dict[str, Callable[[Path], Path]]] = {
    "Parquet": lambda folder: _written(CENSUS, folder / "one.parquet"),
    "a folder": lambda folder: _parts(folder / "it's [a] folder, {so} * to say"),
    "CSV": lambda folder: _csv(folder / "one.csv"),
}


def _written(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def _parts(folder: Path) -> Path:
    folder.mkdir()
    for number in range(3):
        _written(CENSUS.slice(number * 150, 150), folder / f"{number}?.parquet")
    return folder


def _csv(path: Path) -> Path:
    CENSUS.to_pandas().to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", READERS)
def test_files(spark: Any, tmp_path: Path, kind: str) -> None:
    from hedgerow.engines.spark import SparkFileSource

    path = READERS[kind](tmp_path)
    source = SparkFileSource(hr.File(path), spark)
    assert source.reads == hr.File(path).found.reads
    release = hr.anonymize(source, SCHEMA, k=5, relaxed=True, random_state=7)
    expected = hr.anonymize(path, SCHEMA, k=5, relaxed=True, random_state=7)
    assert multiset(release.table) == multiset(expected.table)
    for name in ("out.csv", "out.parquet"):
        saved = release.save(tmp_path / name)
        assert hr.Release.load(saved).audit.k == expected.audit.k
    rows = duckdb.connect().read_parquet(str(tmp_path / "out.parquet"))
    assert multiset(rows) == multiset(expected.table)
