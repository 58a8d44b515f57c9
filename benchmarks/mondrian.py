"""Mondrian against one group-by of the same columns, against a public peer, and file to file.

    python benchmarks/mondrian.py memory     # a polars frame, end to end, and the kernel alone
    python benchmarks/mondrian.py loss       # NCP and time on Adult beside anonypy
    python benchmarks/mondrian.py peer       # NCP at 1.36 million rows beside anonypy (minutes)
    python benchmarks/mondrian.py files      # the command, CSV to CSV, beside DuckDB's read and write

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import hedgerow as hr
import tables
import timing
from hedgerow.anonymizers.partition import cuts
from hedgerow.release import pipeline
from hedgerow.requirements import KAnonymity
from markdown import header, row

# The lowest NCP of a public tool on Adult with these eight columns, by k: a target that was given, not measured here.
LOWEST_PUBLIC = {5: 0.0291, 10: 0.0505, 100: 0.1689}


def warm_up() -> None:
    """Compile the kernels (or load them from the cache) before anything is timed."""
    small = tables.adult("train").select(*tables.QUASI, tables.TARGET).head(2000)
    hr.anonymize(small, tables.schema(small), k=10)


def memory() -> None:
    """A polars frame in, a verified polars frame out."""
    warm_up()
    header(
        "table",
        "rows",
        "distinct tuples",
        "k",
        "one polars group_by (s)",
        "hr.anonymize (s)",
        "ratio",
        "kernel alone (s)",
        "ratio",
        "NCP",
    )
    adult = tables.adult("train")
    cases = [("Adult, 8 + class", adult.select(*tables.QUASI, tables.TARGET), 10)]
    draws: tuple[Literal["marginal", "domain"], ...] = ("marginal", "domain")
    for draw in draws:
        big = tables.scaled(draw)
        cases.append((f"Adult × 30, {draw}, 8 + class", big.select(*tables.QUASI, tables.TARGET), 150))
        cases.append((f"Adult × 30, {draw}, all 15 columns", big, 150))
    for name, table, k in cases:
        memory_row(name, table, k)
    print(f"\nPeak memory of this process: {timing.own_peak_megabytes():,.0f} MB.")


def memory_row(name: str, table: pl.DataFrame, k: int) -> None:
    """Time one table, the group-by before and after."""
    schema = tables.schema(table)

    def group_by() -> None:
        table.group_by(tables.QUASI).len()

    def whole() -> None:
        hr.anonymize(table, schema, k=k)

    plain = timing.best(group_by)
    ours = timing.best(whole)
    kernel = min(kernel_seconds(table, schema, k) for _ in range(5))
    plain = min(plain, timing.best(group_by))
    row(
        name,
        f"{table.height:,}",
        f"{table.select(tables.QUASI).n_unique():,}",
        k,
        f"{plain:.3f}",
        f"{ours:.2f}",
        f"**{ours / plain:.1f}×**",
        f"{kernel:.2f}",
        f"**{kernel / plain:.1f}×**",
        f"{hr.anonymize(table, schema, k=k).losses['ncp']:.4f}",
    )


def kernel_seconds(table: pl.DataFrame, schema: hr.Schema, k: int) -> float:
    """The time of the partitioning kernel, between the counts and what groups publish."""
    taken: list[float] = []
    module: Any = cuts
    originals: dict[str, Callable[..., Any]] = {name: getattr(module, name) for name in ("cut_items", "cut_in_threads")}

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: object, **options: object) -> object:
            start = time.perf_counter()
            result = function(*arguments, **options)
            taken.append(time.perf_counter() - start)
            return result

        return run

    prepared = pipeline.prepare(table, schema, [KAnonymity(k)], random_state=None)
    for name, function in originals.items():
        setattr(module, name, timed(function))
    try:
        hr.Mondrian()._fit(prepared.counts, prepared.requirements, None)
    finally:
        for name, function in originals.items():
            setattr(module, name, function)
    # In threads, the call for the whole table ends after those for its parts.
    return taken[-1]


def loss() -> None:
    """NCP and time on Adult, beside anonypy in the same run."""
    warm_up()
    header(
        "k",
        "Mondrian, cut=loss: NCP",
        "cut=widest",
        "cut=loss, relaxed",
        "lowest public (given, not measured here)",
        "anonypy: NCP",
        "anonypy (s)",
        "hr.anonymize (s)",
        "times faster",
    )
    table = tables.adult("train").select(*tables.QUASI, tables.TARGET)
    schema = tables.schema(table)
    for k, public in LOWEST_PUBLIC.items():
        ours = timing.best(functools.partial(hr.anonymize, table, schema, k=k))
        losses = [
            hr.anonymize(table, schema, k=k, **options).losses["ncp"]
            for options in ({}, {"cut": "widest"}, {"relaxed": True})
        ]
        peer_seconds, peer_ncp = anonypy(table, k)
        row(
            k,
            f"**{losses[0]:.4f}**",
            f"{losses[1]:.4f}",
            f"{losses[2]:.4f}",
            public,
            f"{peer_ncp:.4f}",
            f"{peer_seconds:.1f}",
            f"{ours:.3f}",
            f"**{peer_seconds / ours:,.0f}×**",
        )


def peer() -> None:
    """NCP at 1.36 million rows beside anonypy in the same run."""
    warm_up()
    header("rows", "k", "hr.anonymize (s)", "NCP", "anonypy (s)", "anonypy: NCP", "NCP lower by")
    table = tables.scaled("marginal").select(*tables.QUASI, tables.TARGET)
    start = time.perf_counter()
    release = hr.anonymize(table, tables.schema(table), k=150)
    seconds = time.perf_counter() - start
    peer_seconds, peer_ncp = anonypy(table, 150)
    ncp = release.losses["ncp"]
    row(
        f"{table.height:,}",
        150,
        f"{seconds:.2f}",
        f"**{ncp:.4f}**",
        f"{peer_seconds:.0f}",
        f"{peer_ncp:.4f}",
        f"**{1 - ncp / peer_ncp:.0%}**",
    )


def anonypy(table: pl.DataFrame, k: int) -> tuple[float, float]:
    """anonypy's time from frame to rows, and the NCP of its partitions by the same definition as ours."""
    import anonypy as peer_package

    frame = table.to_pandas()
    for name in frame.columns:
        if name != "age":
            frame[name] = frame[name].astype("category")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        preserver = peer_package.Preserver(frame, tables.QUASI, tables.TARGET)
        preserver.anonymize_k_anonymity(k=k)
        seconds = time.perf_counter() - start
        partitions = preserver.modrian.partition(k, 0, 0.0)
    return seconds, partition_ncp(frame, partitions)


def partition_ncp(frame: pd.DataFrame, partitions: list[Any]) -> float:
    """NCP of given groups: sets for categories, ranges for age, mean over cells."""
    total = 0.0
    group = np.empty(len(frame), dtype=np.int64)
    for number, members in enumerate(partitions):
        group[np.asarray(members)] = number
    size = np.bincount(group)
    for name in tables.QUASI:
        if name == "age":
            spans = frame.groupby(group)[name].agg(lambda ages: ages.max() - ages.min()).to_numpy()
            total += float((size * spans).sum() / (frame[name].max() - frame[name].min()))
        else:
            distinct = frame.groupby(group)[name].nunique().to_numpy()
            total += float((size * (distinct - 1)).sum() / (frame[name].nunique() - 1))
    return total / len(tables.QUASI) / len(frame)


def files() -> None:
    """The command, CSV to CSV, beside DuckDB reading and writing the same CSV."""
    warm_up()
    header("what", "seconds", "ratio", "peak memory (MB)")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "big.csv", Path(folder) / "out.csv"
        tables.scaled("marginal").write_csv(source)
        copy = (
            f"import duckdb; duckdb.execute(\"COPY (SELECT * FROM read_csv('{source}', all_varchar = true)) "
            f"TO '{target}' (HEADER)\")"
        )
        plain = timing.command([sys.executable, "-c", copy])
        ours = timing.command(
            [
                str(Path(sys.executable).with_name("hedgerow")),
                "anonymize",
                str(source),
                "--quasi",
                ",".join(tables.QUASI),
                "--target",
                tables.TARGET,
                "--others",
                "insensitive",
                "--accept",
                "fnlwgt,education-num",
                "--method",
                "mondrian",
                "-k",
                "150",
                "--output",
                str(target),
                "--force",
            ]
        )
        megabytes = source.stat().st_size / 1e6
    row(
        f"DuckDB {duckdb.__version__}: read and write {megabytes:.0f} MB",
        f"{plain.seconds:.2f}",
        "1",
        f"{plain.peak_megabytes:,.0f}",
    )
    row(
        "hedgerow anonymize, k = 150",
        f"{ours.seconds:.2f}",
        f"**{ours.seconds / plain.seconds:.1f}×**",
        f"{ours.peak_megabytes:,.0f}",
    )


if __name__ == "__main__":
    sections = {"memory": memory, "loss": loss, "peer": peer, "files": files}
    sections[sys.argv[1]]()
