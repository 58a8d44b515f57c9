"""Suppression on real dates: the synthetic hospital, whose births and admissions have thousands of different dates.

    python benchmarks/hospital.py suppression          # Mondrian and k-member, 300,000 visits, up to 2 % lost (minutes)
    python benchmarks/hospital.py one k-member 30000   # one method at this many visits, in this process

Each prints a Markdown table or its row; `run.py` collects the tables.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hedgerow as hr
import timing
from markdown import header, row

VISITS, SEED, K, LIMIT = 300_000, 7, 10, 0.02
METHODS = ("mondrian", "k-member")
QUASI = ["born", "sex", "postcode", "admitted"]


def suppression() -> None:
    """Each method in a process of its own, for its peak memory."""
    header(
        "method",
        "visits",
        "one polars group_by (s)",
        "hr.anonymize (s)",
        "ratio",
        "CPU: group_by (s)",
        "hr.anonymize (s)",
        "ratio",
        "NCP",
        "lost",
        "peak (MB)",
    )
    for method in METHODS:
        # The output of the other process goes where this one's does.
        subprocess.run([sys.executable, __file__, "one", method, str(VISITS)], check=True)
    print(
        f"\nk = {K} patients, up to {LIMIT:.0%} of the visits lost; dates and postcodes with their hierarchies. One "
        "run each, kernels compiled, with verification. The group-by of the four columns is the best of five before "
        "and after, by the clock and by the time of all cores. The peak is that of the process, table included."
    )


def one(method: str, visits: int) -> None:
    """Time a method beside a group-by of the same columns, before and after."""
    anonymized(method, 3_000)
    table = hr.datasets.make_hospital(visits, random_state=SEED, backend="polars")

    plain = np.min([timed(lambda: table.group_by(QUASI).len())[1] for _ in range(5)], axis=0)
    release, ours = timed(lambda: anonymized(method, visits, table))
    plain = np.minimum(plain, np.min([timed(lambda: table.group_by(QUASI).len())[1] for _ in range(5)], axis=0))
    row(
        method,
        f"{visits:,}",
        *(cell for a, b in zip(plain, ours, strict=True) for cell in (f"{a:.3f}", f"{b:.1f}", f"**{b / a:,.0f}×**")),
        f"{release.losses['ncp']:.4f}",
        f"{release.facts['rows_lost'] / visits:.2%}",
        f"**{timing.own_peak_megabytes():,.0f}**",
    )


def timed(work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """The result of some work, and its seconds: on the clock, and of all cores, which other programs disturb less."""
    clock, cores = time.perf_counter(), time.process_time()
    result = work()
    return result, (time.perf_counter() - clock, time.process_time() - cores)


def anonymized(method: str, visits: int, table: object = None) -> hr.Release:
    """The release of the hospital, or of a small one to compile the kernels."""
    if table is None:
        table = hr.datasets.make_hospital(visits, random_state=SEED, backend="polars")
    hierarchies = {name: one for name, one in hr.datasets.hospital_hierarchies().items() if name in QUASI}
    schema = hr.Schema(quasi=QUASI, entity="patient_id", hierarchies=hierarchies, others="drop")
    return hr.anonymize(table, schema, method=method, k=K, suppression_limit=LIMIT, random_state=SEED)


if __name__ == "__main__":
    if sys.argv[1] == "one":
        one(sys.argv[2], int(sys.argv[3]))
    else:
        {"suppression": suppression}[sys.argv[1]]()
