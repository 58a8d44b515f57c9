"""Tables larger than memory: Parquet to Parquet under a memory limit, as the rows grow, and on Spark.

    python benchmarks/scale.py make 10 ten.parquet              # so many million rows, written in chunks
    python benchmarks/scale.py make 20 domain.parquet domain    # nearly all of them distinct
    python benchmarks/scale.py one ten.parquet 1GB [kactus]     # one table beside DuckDB alone
    python benchmarks/scale.py growth [10:1GB 50:2GB:kactus]    # these one after the other; all take half an hour
    python benchmarks/scale.py domain                           # 20 million rows, nearly all distinct, 2 GB
    python benchmarks/scale.py memory                           # 1.36 million rows: file to file beside in memory
    python benchmarks/scale.py spark                            # 10 million rows by Spark, beside DuckDB

Rows are Adult's with the eight quasi-identifiers and the class, grown as in Kisilevich et al., section 5.8, another
seed in every chunk. All but `make` print Markdown tables. The tables take 0.7 GB of disk at 200 million rows, and
a run spills a multiple of that.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal, cast

import duckdb
import polars as pl
import pyarrow.parquet as pq

import hedgerow as hr
import mondrian
import tables
import timing
from markdown import header, row

Draw = Literal["marginal", "domain"]
_MILLION = 1_000_000
_CASES = ("1:1GB", "10:1GB", "50:2GB", "50:2GB:kactus", "200:2GB")
_HEADER = (
    "method",
    "rows",
    "distinct tuples",
    "limit",
    "DuckDB alone (s)",
    "hedgerow (s)",
    "ratio",
    "rows per second",
    "peak (MB)",
    "allowed (MB)",
)


def make(millions: float, path: Path, draw: Draw = "marginal") -> None:
    """Write so many million rows."""
    adult = tables.adult("train", "test").select(*tables.QUASI, tables.TARGET)
    left, chunk, writer = int(millions * _MILLION), 0, None
    while left > 0:
        grown = hr.datasets.scale_up(adult, tables.FACTOR, keep=3, draw=draw, random_state=tables.SEED + chunk)
        rows = grown.to_arrow().slice(0, left)
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows, row_group_size=1 << 17)
        left -= rows.num_rows
        chunk += 1
    if writer is not None:
        writer.close()


def megabytes(limit: str) -> float:
    """A limit such as 2GB in megabytes of 2^20 bytes, as the operating system tells peaks."""
    return float(limit.removesuffix("GB")) * 1e9 / 2**20


def measured(path: Path, limit: str, method: str = "mondrian") -> None:
    """Print one row: a table that is anonymized, beside DuckDB counting its tuples and writing it again."""
    target = path.with_name("out.parquet")
    quasi = ", ".join(f'"{name}"' for name in tables.QUASI)
    settings = f"SET memory_limit = '{limit}'; SET temp_directory = '{path.parent / 'spill'}'"
    counting = f"SELECT count(*) FROM (SELECT {quasi}, count(*) FROM '{path}' GROUP BY {quasi})"
    alone = [
        *("import duckdb", f'duckdb.execute("""{settings}""")'),
        f"print(duckdb.execute('''{counting}''').fetchall()[0][0])",
        f"duckdb.execute(\"COPY (FROM '{path}') TO '{target}'\")",
    ]
    plain = timing.command([sys.executable, "-c", "; ".join(alone)], runs=1)
    distinct = duckdb.execute(counting).fetchall()[0][0]
    ours = timing.command(command(path, target, limit, method), runs=1)
    rows = pq.read_metadata(path).num_rows
    row(
        method,
        f"{rows:,}",
        f"{distinct:,}",
        limit,
        f"{plain.seconds:.1f}",
        f"{ours.seconds:.1f}",
        f"**{ours.seconds / plain.seconds:.1f}×**",
        f"{rows / ours.seconds:,.0f}",
        f"**{ours.peak_megabytes:,.0f}**",
        f"{1.1 * megabytes(limit) + 300:,.0f}",
    )
    target.unlink()


def command(path: Path, target: Path, limit: str, method: str) -> list[str]:
    """The command that is measured."""
    return [
        str(Path(sys.executable).with_name("hedgerow")),
        "anonymize",
        str(path),
        *("--quasi", ",".join(tables.QUASI), "--target", tables.TARGET),
        *("--method", method, "-k", "150", "--memory-limit", limit),
        *("--output", str(target), "--force"),
    ]


def growth(cases: list[str], draw: Draw = "marginal") -> None:
    """Tables of growing size, each made, measured and removed."""
    mondrian.warm_up()
    header(*_HEADER)
    for case in cases or _CASES:
        millions, limit, *method = case.split(":")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            make(float(millions), path, draw)
            measured(path, limit, *method)
    print()
    print(
        "k = 150, one run each, kernels compiled. DuckDB alone counts the distinct tuples and writes the file again, "
        "under the same limit. Peaks are those of the whole process; allowed are 1.1 × limit + 300 MB."
    )


def memory() -> None:
    """File to file, beside reading the file, anonymizing in memory and saving."""
    mondrian.warm_up()
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "table.parquet", Path(folder) / "out.parquet"
        tables.scaled("marginal").write_parquet(path)
        schema = tables.schema(pl.read_parquet(path))

        def whole() -> None:
            hr.anonymize(pl.read_parquet(path), schema, k=150).save(target, overwrite=True)

        def files() -> None:
            hr.anonymize(path, schema, k=150).save(target, overwrite=True)

        in_memory, by_files = timing.best(whole), timing.best(files)
        header("rows", "read, anonymize in memory, save (s)", "file to file (s)", "ratio")
        rows = pq.read_metadata(path).num_rows
        row(f"{rows:,}", f"{in_memory:.2f}", f"{by_files:.2f}", f"**{by_files / in_memory:.2f}×**")


_SPARK = """
import json, sys, time
import hedgerow as hr
from pyspark.sql import SparkSession
path, target, log, quasi, of = sys.argv[1:]
settings = {
    "spark.master": "local[2]", "spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "32",
    "spark.eventLog.enabled": "true", "spark.eventLog.dir": log, "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false", "spark.ui.enabled": "false", "spark.log.level": "OFF",
}
started = time.perf_counter()
builder = SparkSession.builder
for name, value in settings.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
ready = time.perf_counter()
release = hr.anonymize(session.read.parquet(path), hr.Schema(quasi=quasi.split(","), target=of), k=150)
release.save(target)
done = time.perf_counter()
session.stop()
print(json.dumps([ready - started, done - ready]))
"""


def spark(millions: str = "10") -> None:
    """One table by Spark on two cores, beside DuckDB, and how long Spark had nothing to do."""
    mondrian.warm_up()
    with tempfile.TemporaryDirectory() as folder:
        path, target, log = Path(folder) / "table.parquet", Path(folder) / "out", Path(folder) / "log"
        log.mkdir()
        make(float(millions), path)
        duck = timing.command(command(path, Path(folder) / "out.parquet", "4GB", "mondrian"), runs=1)
        asked = [str(path), f"{target}/", str(log), ",".join(tables.QUASI), tables.TARGET]
        done = subprocess.run([sys.executable, "-c", _SPARK, *asked], check=True, capture_output=True, text=True)
        start, seconds = json.loads(done.stdout.splitlines()[-1])
        at_work = _seconds_at_work(log)
        rows = pq.read_metadata(path).num_rows
    header(
        "rows", "DuckDB (s)", "start of Spark (s)", "Spark, saved (s)", "ratio", "jobs of Spark (s)", "outside Spark"
    )
    row(
        f"{rows:,}",
        f"{duck.seconds:.1f}",
        f"{start:.1f}",
        f"{seconds:.1f}",
        f"{seconds / duck.seconds:.1f}×",
        f"{at_work:.1f}",
        f"**{1 - at_work / seconds:.0%}**",
    )
    print()
    print(
        "Mondrian, k = 150, Parquet to Parquet, local[2], 6 GB for Java; DuckDB has 4 GB. Outside Spark is the time "
        "in which no job of Spark runs, by its event log."
    )


def _seconds_at_work(log: Path) -> float:
    """How long at least one job of Spark was running."""
    begun: dict[int, float] = {}
    spans = []
    for file in (path for path in log.rglob("*") if path.is_file()):
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event.get("Event") == "SparkListenerJobStart":
                begun[event["Job ID"]] = event["Submission Time"] / 1000
            elif event.get("Event") == "SparkListenerJobEnd":
                spans.append((begun[event["Job ID"]], event["Completion Time"] / 1000))
    total, end = 0.0, 0.0
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "make":
        make(float(rest[0]), Path(rest[1]), cast("Draw", rest[2] if rest[2:] else "marginal"))
    elif what == "one":
        mondrian.warm_up()
        header(*_HEADER)
        measured(Path(rest[0]), rest[1], *rest[2:])
    elif what == "domain":
        growth(["20:2GB"], "domain")
    elif what == "memory":
        memory()
    elif what == "spark":
        spark(*rest)
    else:
        growth(rest)
