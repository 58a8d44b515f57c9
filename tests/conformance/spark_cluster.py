"""Releases by a driver and two workers of Spark, one of which is killed in the middle; run by a test.

The first time while it writes rows, the second time while it finishes parts of a table that does not fit. Prints the
digests of the rows that came out, and how often a worker had to be replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import hedgerow as hr

SCHEMA = hr.Schema(
    quasi=["age", "sex", "zip"],
    target="income",
    insensitive=["hours-per-week", "disease"],
    accept=["hours-per-week", "disease"],
    others="drop",
)


def digest(table: Any) -> str:
    """One digest of all rows, whatever their order."""
    rows = sorted(map(repr, zip(*table.to_pydict().values(), strict=True)))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def workers(of: str) -> set[int]:
    """The processes that work for an application."""
    found = set()
    for place in Path("/proc").iterdir():
        try:
            words = (place / "cmdline").read_bytes().split(b"\0") if place.name.isdigit() else []
        except OSError:
            continue
        if of.encode() in words and any(b"ExecutorBackend" in word for word in words) and b"java" in words[0]:
            found.add(int(place.name))
    return found


def kill_one(application: str, folder: Path, when: str) -> None:
    """Kill a worker as soon as some task has written something."""
    while not list(folder.glob(when)):
        time.sleep(0.01)
    os.kill(min(workers(application)), signal.SIGKILL)


def released(session: Any, path: str, shared: str, when: str, **options: Any) -> dict[str, Any]:
    """Anonymize a table, in the middle of which a worker is killed."""
    application = session.sparkContext.applicationId
    before = workers(application)
    threading.Thread(target=kill_one, args=(application, Path(shared), when), daemon=True).start()
    release = hr.anonymize(session.read.parquet(path), SCHEMA, k=5, random_state=3, **options)
    parts = 0 if release.recoding.parts is None else len(release.recoding.parts.bounds)
    rows = digest(release.table.toArrow())
    return {"rows": rows, "replaced": len(before - workers(application)), "in_parts": parts > 3}


def main(path: str, shared: str) -> None:
    """Anonymize a table twice."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from hedgerow.engines.spark import open_session

    with open_session("local-cluster[2,1,1024]") as session:
        application = session.sparkContext.applicationId
        try:
            session.conf.set("spark.hedgerow.temp", shared)
            session.conf.set("spark.sql.shuffle.partitions", 6)
            session.conf.set("spark.sql.files.maxPartitionBytes", 100_000)
            written = "hedgerow-*/rows/_temporary/0/_temporary/*/part-*"
            found = [released(session, path, shared, written, relaxed=True)]
            session.conf.set("spark.hedgerow.tuples", 3_000)
            found.append(released(session, path, shared, "hedgerow-*/found-*/leaf-*"))
            sys.stdout.write(json.dumps(found))
        finally:
            # What workers on this machine have logged lies with Spark itself.
            import pyspark

            shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
