"""Starting up: what a newcomer waits for, and what the first call of every method compiles.

    python benchmarks/start.py commands    # import and --help
    python benchmarks/start.py methods     # CPU seconds of the first calls, in an empty cache of kernels

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import hedgerow as hr
import timing
from markdown import header, row

# What is compiled only where it is asked for.
VARIANTS: dict[str, dict[str, Any]] = {
    "mondrian": {"improve": True},
    "greedy": {"improve": True},
}
REQUIREMENT = "l=3@disease"

# Seconds of the processor up to the end of each call: its own threads count, other processes do not.
_CALLS = """
import json, resource, sys
def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
import dataclasses
import hedgerow as hr
method, parameters = json.loads(sys.argv[1])
table = hr.datasets.make_census(2000, random_state=0)
schema = dataclasses.replace(hr.datasets.census_schema(), accept=("hours-per-week",))
before, seconds = spent(), []
for _ in range(2):
    try:
        hr.anonymize(table, schema, method=method, k=10, random_state=0, **parameters)
    except hr.HedgerowError:
        sys.exit(3)
    seconds.append(spent() - before)
    before = spent()
print(json.dumps(seconds))
"""
_FLOOR = """
import json, resource, numba, numpy
@numba.njit(cache=True)
def total(numbers):
    result = 0
    for at in range(numbers.shape[0]):
        result += numbers[at]
    return result
total(numpy.arange(3))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_utime + usage.ru_stime]))
"""


def commands() -> None:
    """Import and --help."""
    header("what", "seconds")
    script = str(Path(sys.executable).with_name("hedgerow"))
    for name, command in {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import hedgerow": [sys.executable, "-c", "import hedgerow"],
        "hedgerow --help": [script, "--help"],
    }.items():
        row(name, f"{timing.command(command, runs=5).seconds:.2f}")


def methods() -> None:
    """Every method on 2,000 rows of the census with eight quasi-identifiers, each in a cache of its own."""
    header("method", "first call", "second call", "first call of the next process")
    with tempfile.TemporaryDirectory() as empty:
        floor = Path(empty) / "floor.py"
        floor.write_text(_FLOOR, encoding="utf-8")
        row("numba itself: import, and a sum of numbers", *(f"{_seconds(empty, str(floor))[0]:.1f}", "", ""))
    for method in (one["name"] for one in hr.methods()):
        _method_row(method, {})
        if method in VARIANTS:
            _method_row(method, VARIANTS[method])
    _method_row("mondrian", {"require": REQUIREMENT})
    print("\nCPU seconds with k = 10. The next process finds the machine code on disk.")


def _method_row(method: str, parameters: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as empty:
        task = json.dumps([method, parameters])
        first = _seconds(empty, "-c", _CALLS, task)
        again = _seconds(empty, "-c", _CALLS, task)
    said = ", ".join(f"{name}={value}" for name, value in parameters.items())
    name = f"{method}, {said}" if said else method
    if not first:
        row(name, "refuses the table", "", "")
        return
    row(name, f"**{first[0]:.1f}**", f"{first[1]:.2f}", f"{again[0]:.1f}")


def _seconds(cache: str, *arguments: str) -> list[float]:
    """What a process prints that finds its kernels in a folder; nothing if the table is not for the method."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, *arguments], check=False, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode == 3:
        return []
    done.check_returncode()
    seconds: list[float] = json.loads(done.stdout)
    return seconds


if __name__ == "__main__":
    sections = {"commands": commands, "methods": methods}
    sections[sys.argv[1]]()
