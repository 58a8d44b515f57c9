"""Intervals over many numbers: what is stored of them, and the memory of a run, grows with the rows and no faster."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS
from hedgerow.core.proportions import Proportions
from hedgerow.core.proportions import _spreading as spreading
from hedgerow.core.proportions.draw_rows import deal_values, rows_by_class

SLOW = ("mingen", "heuristicmin")  # they look at every way to generalize, which hundreds of numbers make too many


def numbers(rows: int, names: Sequence[str] = ("wage", "steps")) -> pa.Table:
    """Columns in which every number occurs once, and a class."""
    random = np.random.default_rng(7)
    columns: dict[str, Any] = {name: random.permutation(rows) * 3 for name in names}
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


@pytest.fixture(scope="module")
def proportions() -> Proportions:
    quasi = ["wage", "steps", "visits", "height"]
    schema = hr.Schema(quasi=quasi, target="class")
    rows = numbers(20_000, quasi)
    made = hr.anonymize(rows, schema, method="mondrian", k=10, random_state=0, publish_proportions=True).proportions
    assert made is not None
    return made


def dealt(proportions: Proportions) -> tuple[list[Any], Any]:
    """A value for each row of a release, and how many people of each class hold each value."""
    rows = rows_by_class(np.repeat(np.arange(len(proportions.sizes)), proportions.sizes), proportions.sizes)
    spread = proportions.column("wage").spread()
    values, codes = deal_values(spread, rows, 1, np.random.default_rng(0))
    return values.take(codes).to_pylist(), spread


def test_values_are_dealt_without_all_that_classes_may_hold(
    proportions: Proportions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreading, "_ENTRIES", 1 << 14, raising=False)
    tracemalloc.start()
    try:
        dealt(proportions)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 25_000_000


def test_values_are_the_same_in_any_blocks(proportions: Proportions, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, whole = dealt(proportions)
    expected, pools = whole.matrix, whole.pools
    monkeypatch.setattr(spreading, "_ENTRIES", 1_000)
    in_blocks, spread = dealt(proportions)
    assert len(list(spread.blocks())) > 100
    assert in_blocks == at_once
    for found, known in ((spread.matrix, expected), (spread.pools, pools)):
        assert (found.data == known.data).all()
        assert (found.indices == known.indices).all()
        assert (found.indptr == known.indptr).all()


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
