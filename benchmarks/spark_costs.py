"""What a release by Spark reads, shuffles, writes and collects, step by step, by Spark's own metrics of its stages.

    python benchmarks/scale.py make 1 one.parquet
    python benchmarks/scale.py make 1 domain.parquet domain
    python benchmarks/spark_costs.py one.parquet domain.parquet            # whole, on the driver
    python benchmarks/spark_costs.py --tuples 200000 domain.parquet        # in parts, by the workers

Each table is anonymized by Mondrian at k = 150 on local[2], the first half of its rows and then all of them. Spark's
status store says of every stage how many bytes its tasks have read from files, written to shuffles and to files, and
sent to the driver. What the driver reads from files by itself, its operating system tells. A Markdown table has the
bytes of all rows, and what the first half predicts for them: a step whose cost is so many bytes for each row and each
distinct tuple takes twice as much for twice as many. Rows and tuples do not grow alike, so both predictions stand
there.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

import hedgerow as hr
import tables
from hedgerow.engines.spark import open_session
from markdown import header, row

K = 150
STEPS = {"Reading and counting": "count", "Fitting Mondrian": "fit", "Writing rows": "apply", "Verifying": "verify"}


@dataclass(frozen=True)
class Bytes:
    """What some stages have moved, and what the driver has read by itself."""

    read: int = 0
    shuffled: int = 0
    written: int = 0
    collected: int = 0
    by_driver: int = 0

    def __add__(self, other: Bytes) -> Bytes:
        return Bytes(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Bytes)))

    def __sub__(self, other: Bytes) -> Bytes:
        return Bytes(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(Bytes)))


def so_far(session: Any) -> Bytes:
    """All that a session has moved until now."""
    context = session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    none = session.sparkContext._gateway.new_array(session._jvm.double, 0)
    total = Bytes()
    stages = context.statusStore().stageList(None, False, False, none, None)
    for at in range(stages.size()):
        stage = stages.apply(at)
        total += Bytes(stage.inputBytes(), stage.shuffleWriteBytes(), stage.outputBytes(), stage.resultSize())
    reads = Path("/proc/self/io").read_text().splitlines()[0]
    return total + Bytes(by_driver=int(reads.split()[1]))


def steps_of(session: Any, path: Path) -> dict[str, Bytes]:
    """What each step of a release moves."""
    found: dict[str, Bytes] = {}
    now, last = "", Bytes()

    def step(stage: str) -> None:
        nonlocal now, last
        total = so_far(session)
        if now:
            found[now] = found.get(now, Bytes()) + total - last
        now, last = STEPS.get(stage, "audit"), total

    schema = hr.Schema(quasi=tables.QUASI, target=tables.TARGET)
    hr.anonymize(session.read.parquet(str(path)), schema, k=K, random_state=1, progress=step)
    step("")
    return found


def distinct(path: Path) -> int:
    """How many distinct tuples of the counted columns a file has."""
    names = ", ".join(f'"{name}"' for name in (*tables.QUASI, tables.TARGET))
    return int(duckdb.execute(f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM '{path}')").fetchall()[0][0])


def megabytes(number: float) -> str:
    return f"{number / 1e6:,.2f}"


def measured(path: Path, run: Callable[[Path], dict[str, Bytes]], folder: Path) -> None:
    """Print the rows of one table."""
    whole = pq.read_table(path)
    half = folder / "half.parquet"
    pq.write_table(whole.slice(0, whole.num_rows // 2), half, row_group_size=1 << 17)
    tuples, of_half = distinct(path), distinct(half)
    before, after = run(half), run(path)
    for step, found in after.items():
        for one in fields(Bytes):
            number, first = getattr(found, one.name), getattr(before[step], one.name)
            if number < 50_000:
                continue
            row(
                path.stem,
                f"{whole.num_rows:,}",
                f"{tuples:,}",
                step,
                one.name.replace("_", " "),
                megabytes(number),
                f"{number / whole.num_rows:.2f}",
                f"{number / tuples:.2f}",
                megabytes(first * 2),
                megabytes(first * tuples / of_half),
            )


def main() -> None:
    """Measure the tables that are named."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("tables", nargs="+", type=Path)
    asked.add_argument("--tuples", type=int, help="how many distinct tuples the driver holds")
    given = asked.parse_args()
    header(
        *("table", "rows", "distinct", "step", "what", "MB", "bytes per row", "per tuple"),
        *("MB predicted by rows", "by tuples"),
    )
    with open_session("local[2]") as session, tempfile.TemporaryDirectory() as folder:
        # Reads of several ranges at once run in threads of their own, whose bytes no task is told.
        session.conf.set("parquet.hadoop.vectored.io.enabled", "false")
        small = Path(folder) / "small.parquet"
        pq.write_table(pq.read_table(given.tables[0]).slice(0, 2_000), small)
        steps_of(session, small)  # so that what is imported and compiled counts for nobody
        if given.tuples is not None:
            session.conf.set("spark.hedgerow.tuples", given.tuples)
        for path in given.tables:
            measured(path, lambda one: steps_of(session, one), Path(folder))


if __name__ == "__main__":
    main()
