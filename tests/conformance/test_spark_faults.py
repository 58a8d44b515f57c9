"""Spark under faults: a worker is killed and the release is the same; the driver is killed and nothing half is seen."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.datasets import make_census

from . import spark_cluster

pytestmark = pytest.mark.spark

KILLS = int(os.environ.get("HEDGEROW_KILLS", "1"))
HERE = Path(__file__).parent
ASKED = (
    *("anonymize", "people.parquet", "--quasi", "age,sex,education", "--target", "income", "--others", "drop"),
    *("-k", "5", "--engine", "spark", "--master", "local[2]", "--output", "out/out.parquet", "--quiet", "--force"),
)


def test_a_worker_that_is_killed_is_replaced(pyspark: None, tmp_path: Path) -> None:
    """Two workers beside the driver, on this machine; the rows are those of the table in memory."""
    census = make_census(20_000, random_state=1)
    pq.write_table(census, tmp_path / "people.parquet", row_group_size=2_000)
    shared = tmp_path / "shared"
    shared.mkdir()
    command = [sys.executable, str(HERE / "spark_cluster.py"), str(tmp_path / "people.parquet"), str(shared)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    relaxed = hr.anonymize(census, spark_cluster.SCHEMA, k=5, relaxed=True, random_state=3)
    assert relaxed.recoding.pieces is not None
    assert relaxed.recoding.pieces.split
    strict = hr.anonymize(census, spark_cluster.SCHEMA, k=5, random_state=3)
    assert json.loads(done.stdout) == [
        {"rows": spark_cluster.digest(relaxed.table), "replaced": 1, "in_parts": False},
        {"rows": spark_cluster.digest(strict.table), "replaced": 1, "in_parts": True},
    ]
    assert list(shared.iterdir()) == []


def children(process: int) -> list[Path]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [Path("/proc") / number for number in listed.split()]


@pytest.mark.timeout(300 + 30 * KILLS)
def test_kills_of_the_driver(pyspark: None, tmp_path: Path) -> None:
    """At random moments of a run: no half file, no Java that stays, and the next run cleans up.

    One that is asked to stop cleans up by itself.
    """
    pq.write_table(make_census(3_000, random_state=1), tmp_path / "people.parquet")
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    out.mkdir()
    scratch.mkdir()

    def started() -> subprocess.Popen[bytes]:
        kept = {**os.environ, "TMPDIR": str(scratch)}
        command = [sys.executable, "-m", "hedgerow", *ASKED]
        return subprocess.Popen(command, cwd=tmp_path, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    began = time.perf_counter()
    command = started()
    assert command.communicate(timeout=300)[0] == b"", "neither Spark nor Java says a word"
    assert command.returncode == 0
    long = time.perf_counter() - began
    assert not [path for path in (*scratch.iterdir(), *out.iterdir()) if path.name.startswith((".", "hedgerow-"))]
    whole = sorted(path.name for path in out.iterdir())
    moments = random.Random()
    for number in range(KILLS):
        for path in out.iterdir() if number % 2 else ():
            if path.is_file():
                path.unlink()
        command = started()
        time.sleep(moments.uniform(0.2, 1.0) * long)
        machines = children(command.pid)
        command.kill()
        command.communicate()
        if (out / "out.parquet").exists():
            found = hr.audit(out / "out.parquet", quasi=["age", "sex", "education"])
            assert (found.rows, found.k >= 5) == (3_000, True)
            assert found.manifest in ("fits", "differs")
        _wait_for_the_end(machines)
    command = started()
    time.sleep(0.6 * long)
    machines = children(command.pid)
    command.terminate()
    assert command.communicate(timeout=60)[0] == b"hedgerow: stopped; nothing is left half written.\n"
    assert command.returncode == 143
    assert not any(machine.exists() for machine in machines), "who is asked to stop ends Java first"
    command = started()
    assert command.communicate(timeout=300)[0] == b""
    assert sorted(path.name for path in out.iterdir()) == whole
    assert not [path for path in scratch.iterdir() if (path / "lock").exists()]


def _wait_for_the_end(machines: list[Path]) -> None:
    """Java notices by itself that its driver is gone."""
    for _ in range(600):
        if not any(machine.exists() for machine in machines):
            return
        time.sleep(0.05)
    raise AssertionError("Java lives on without its driver")
