"""Intervals over many numbers: what is stored of them, and the memory of a run, grows with the rows and no faster."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS

SLOW = ("mingen", "heuristicmin")  # they look at every way to generalize, which hundreds of numbers make too many


def numbers(rows: int) -> pa.Table:
    """Two columns in which every number occurs once, and a class."""
    random = np.random.default_rng(7)
    columns: dict[str, Any] = {name: random.permutation(rows) * 3 for name in ("wage", "steps")}
    return pa.table({**columns, "class": random.choice(["yes", "no"], rows)})


@pytest.mark.parametrize("method", [name for name in METHODS if name not in SLOW])
def test_an_interval_is_stored_as_two_ends(method: str) -> None:
    rows = numbers(600)
    release = hr.anonymize(rows, hr.Schema(quasi=["wage", "steps"], target="class"), method=method, k=5, random_state=0)
    for column in release.recoding.columns:
        runs = np.diff(column.covered.starts)
        wide = [one for one, kind in zip(runs.tolist(), column.kinds, strict=True) if kind not in ("set", "number")]
        assert all(one <= 1 for one in wide), f"a cell of {method} stores {max(wide)} runs"


def test_the_regions_of_cuts_are_stored_as_two_ends() -> None:
    schema = hr.Schema(quasi=["wage", "steps"], target="class")
    release = hr.anonymize(numbers(600), schema, method="mondrian", k=5, cells="region", random_state=0)
    for column in release.recoding.columns:
        assert len(column.covered.first) == len(column)
        assert column.widths.sum() > 4 * len(column)


_RUN = """
import json, resource, sys
import numpy as np
import pyarrow as pa
import hedgerow as hr

def held():
    # Not ru_maxrss: a process begins with the peak of the one that started it.
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

method, rows = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
random = np.random.default_rng(7)
table = pa.table({
    **{name: random.permutation(rows) * 3 for name in ("wage", "steps", "visits", "height")},
    "class": random.choice(["yes", "no"], rows),
})
schema = hr.Schema(quasi=["wage", "steps", "visits", "height"], target="class")
hr.anonymize(table.slice(0, 100), schema, method=method, k=10, random_state=0)
before = held()
release = hr.anonymize(table, schema, method=method, k=10, random_state=0)
covered = sum(int(column.widths.sum()) for column in release.recoding.columns)
peak = held() - before
print(json.dumps({"peak": peak * 1024, "covered": covered}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is told in other units")
@pytest.mark.parametrize("method", ["mondrian", "kadet"])
def test_memory_does_not_grow_with_what_intervals_cover(method: str, tmp_path: Path) -> None:
    """Groups of four columns of numbers that all differ cover a large share of every column."""
    command = [sys.executable, "-c", _RUN, method, "60000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["covered"] > 100_000_000  # so many codes of 4 bytes each would be stored
    assert told["peak"] < 200_000_000
