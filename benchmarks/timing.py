"""Timing: the best of several runs, and the peak memory of a command."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


def best(work: Callable[[], object], runs: int = 5) -> float:
    """The seconds of the fastest of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


@dataclass(frozen=True)
class Command:
    """What a command took."""

    seconds: float
    peak_megabytes: float


_MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def command(arguments: Sequence[str], runs: int = 3) -> Command:
    """Run a command several times; the fastest time and the largest peak."""
    results = []
    for _ in range(runs):
        # A process of its own, because the peak of children is never reset.
        done = subprocess.run([sys.executable, "-c", _MEASURE, *arguments], check=True, capture_output=True, text=True)
        seconds, peak = done.stdout.split()[-2:]
        results.append((float(seconds), float(peak)))
    return Command(min(seconds for seconds, _ in results), max(peak for _, peak in results))


def machine() -> str:
    """The machine in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def own_peak_megabytes() -> float:
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
