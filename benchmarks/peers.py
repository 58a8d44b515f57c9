"""Other tools that partition or generalize in Python, each at the largest table that it can hold, beside Hedgerow.

    python benchmarks/peers.py grown      # makes an environment for them in .peers: they pin old versions

Every tool gets the same rows of Adult, grown as in `scale.py`, in a process of its own: 10,000 rows, then ten times
as many, up to a million, until it takes more than a minute, or fails. Hedgerow then gets the largest table that it has
finished.
Seconds are those of the call, from a frame in memory to the result. NCP is by the same definition for all: of a column
of numbers the range of the group, of categories the values of the group less one, by those of the table.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PLACE = HERE.parent / ".peers"
PACKAGES = (
    "anonypy==0.2.1",
    "polarfrost==0.2.1",
    "crowds==0.0.1",
    "pandas<3",
    "pyarrow",
    "pyspark>=4,<5",
    "setuptools",
)
PEERS = {
    "anonypy": "Mondrian, on pandas",
    "polarfrost": "Mondrian, on polars",
    "polarfrost-spark": "Mondrian, on Spark local[2]",
    "crowds": "OLA over whole columns, on pandas",
}
SIZES = (10_000, 100_000, 1_000_000)
K = 150
PATIENCE = 60  # seconds of one call

# What runs in the environment of the peers. It prints one line of JSON.
_RUN = r'''
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
tool, path, rows, k, quasi, target = sys.argv[1:]
rows, k, quasi = int(rows), int(k), quasi.split(",")
import numpy as np, pandas as pd, pyarrow.parquet as pq
frame = pq.read_table(path).slice(0, rows).to_pandas()
ranges = {name: frame[name].max() - frame[name].min() if name == "age" else frame[name].nunique() - 1 for name in quasi}

def of_texts(table):
    """NCP of one line for each group: 17-25 and a,b,c."""
    size = table["count"].astype(int).to_numpy()
    lost = 0.0
    for name in quasi:
        cells = table[name].astype(str)
        if name == "age":
            ends = cells.str.split("-", expand=True).astype(float)
            widths = (ends[1] - ends[0]).to_numpy()
        else:
            widths = cells.str.count(",").to_numpy()
        lost += float((size * widths).sum()) / ranges[name]
    return lost / len(quasi) / size.sum(), int(size.sum()), int(size.min())

def of_groups(group):
    size = np.bincount(group)
    lost = 0.0
    for name in quasi:
        by = frame.groupby(group)[name]
        widths = by.max() - by.min() if name == "age" else by.nunique() - 1
        lost += float((size * widths.to_numpy()).sum()) / ranges[name]
    return lost / len(quasi) / len(frame), len(frame), int(size.min())

def peak():
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024

if tool == "anonypy":
    import anonypy
    for name in quasi[1:] + [target]:
        frame[name] = frame[name].astype("category")
    start = time.perf_counter()
    preserver = anonypy.Preserver(frame, quasi, target)
    preserver.anonymize_k_anonymity(k=k)
    seconds, most = time.perf_counter() - start, peak()
    group = np.empty(len(frame), dtype=int)
    for number, members in enumerate(preserver.modrian.partition(k, 0, 0.0)):
        group[np.asarray(members)] = number
    found = of_groups(group)
elif tool == "polarfrost":
    import polars as pl
    from polarfrost import mondrian_k_anonymity_polars
    table = pl.read_parquet(path).head(rows)
    start = time.perf_counter()
    result = mondrian_k_anonymity_polars(table, quasi, target, k, categorical=quasi[1:])
    seconds, most = time.perf_counter() - start, peak()
    found = of_texts(result.to_pandas())
elif tool == "polarfrost-spark":
    from polarfrost import mondrian_k_anonymity_spark
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StringType, StructField, StructType
    session = SparkSession.builder.master("local[2]").config("spark.driver.memory", "12g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    schema = StructType([StructField(name, StringType()) for name in [*quasi, target, "count"]])
    table = session.read.parquet(path).limit(rows)
    start = time.perf_counter()
    result = mondrian_k_anonymity_spark(table, quasi, target, k, categorical=quasi[1:], schema=schema).toPandas()
    seconds, most = time.perf_counter() - start, peak()
    found = of_texts(result)
else:
    from crowds.kanonymity import ola
    from crowds.kanonymity.generalizations import GenRule
    start = time.perf_counter()
    result, levels = ola.anonymize(frame[quasi], {name: GenRule([]) for name in quasi}, k=k)
    seconds, most = time.perf_counter() - start, peak()
    kept = [name for name in quasi if not levels[name]]
    size = frame.groupby(kept).size() if kept else pd.Series([len(frame)])
    found = (1 - len(kept) / len(quasi), len(result), int(size.min()))
print(json.dumps({"seconds": seconds, "peak": most, "ncp": found[0], "rows": found[1], "k": found[2]}))
'''

_OURS = r"""
import json, resource, sys, time
import polars as pl
import hedgerow as hr
path, rows, k, quasi, target = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split(","), sys.argv[5]
table = pl.read_parquet(path).head(rows)
schema = hr.Schema(quasi=quasi, target=target)
hr.anonymize(table.head(2_000), schema, k=10)  # machine code is loaded
start = time.perf_counter()
release = hr.anonymize(table, schema, k=k)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds, "peak": peak, "ncp": release.audit.losses["ncp"], "k": release.audit.k}))
"""


def environment() -> Path:
    """The Python of the peers, with all of them installed."""
    python = PLACE / "bin" / "python"
    if not python.exists():
        venv.create(PLACE, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def told(python: Path | str, code: str, *words: str) -> dict[str, Any] | None:
    """What a process says, or nothing if it failed or took too long."""
    command = [str(python), "-c", code, *words]
    try:
        # Reading the table and counting what came out are not part of the minute.
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=2 * PATIENCE)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def grown() -> None:
    """One line for each peer."""
    import scale
    import tables
    from markdown import header, row

    python = environment()
    quasi = ",".join(tables.QUASI)
    header(
        "tool",
        "rows",
        "seconds",
        "peak (MB)",
        "NCP",
        "Hedgerow: seconds",
        "peak (MB)",
        "NCP",
        "times faster",
        "ends at",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        scale.make(SIZES[-1] / 1e6, path)
        for tool, what in PEERS.items():
            largest, best, end = 0, None, ""
            for rows in SIZES:
                one = told(python, _RUN, tool, str(path), str(rows), str(K), quasi, tables.TARGET)
                if one is None or one["seconds"] > PATIENCE:
                    end = f"{rows:,}: " + ("no result" if one is None else f"{one['seconds']:.0f} s")
                    break
                largest, best = rows, one
            if best is None:
                row(f"{tool} ({what})", *[""] * 8, end)
                continue
            ours = told(sys.executable, _OURS, str(path), str(largest), str(K), quasi, tables.TARGET)
            assert ours is not None, "Hedgerow ends at no size that a peer holds"
            row(
                f"{tool} ({what})",
                f"{largest:,}",
                f"{best['seconds']:.1f}",
                f"{best['peak']:,.0f}",
                f"{best['ncp']:.4f}",
                f"{ours['seconds']:.2f}",
                f"{ours['peak']:,.0f}",
                f"**{ours['ncp']:.4f}**",
                f"**{best['seconds'] / ours['seconds']:,.0f}×**",
                end,
            )
    print()
    print(
        f"k = {K}, eight quasi-identifiers, one run each. A tool ends at the first size at which a call takes more "
        f"than {PATIENCE} s, its process more than {2 * PATIENCE} s, or fails. anonypy and polarfrost return one line "
        "for each group, Hedgerow the rows, shuffled and verified. crowds keeps or drops whole columns, since it was "
        "given no hierarchies. Peaks are those of the largest process; the equal least ones are that of this script, "
        "from which the others begin. A million rows is the largest table that was tried."
    )


if __name__ == "__main__":
    grown()
