"""Tables larger than memory: Parquet to Parquet under a memory limit, as the rows grow.

    python benchmarks/scale.py make 10 ten.parquet             # so many million rows, written in chunks
    python benchmarks/scale.py make 20 domain.parquet domain   # nearly all of them distinct
    python benchmarks/scale.py one ten.parquet 1GB             # one table beside DuckDB alone
    python benchmarks/scale.py growth 1:1GB 10:1GB                  # these one after the other
    python benchmarks/scale.py growth 50:2GB 200:2GB                # the same, for an hour
    python benchmarks/scale.py domain                               # 20 million rows, nearly all distinct, 2 GB

Rows are Adult's with the eight quasi-identifiers and the class, grown as in Kisilevich et al., section 5.8, another
seed in every chunk. `one` and `growth` print Markdown tables. The tables take 2 GB of disk at 200 million rows, and
a run spills a multiple of that.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal, cast

import duckdb
import pyarrow.parquet as pq

import hedgerow as hr
import mondrian
import tables
import timing
from markdown import header, row

Draw = Literal["marginal", "domain"]
_MILLION = 1_000_000
_HEADER = (
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
    for case in cases or ["1:1GB", "10:1GB"]:
        millions, _, limit = case.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            make(float(millions), path, draw)
            measured(path, limit)


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
    else:
        growth(rest)
