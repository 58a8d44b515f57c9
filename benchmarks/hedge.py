"""Hedge: where its time goes on Adult, and time and memory at 1.36 million rows.

    python benchmarks/hedge.py adult    # the train file, 14 quasi-identifiers, the default teacher, by parts
    python benchmarks/hedge.py large    # 1,356,660 rows, 7 quasi-identifiers

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl

import hedgerow as hr
import tables
import timing
from hedgerow.anonymizers.partition import _hedge_candidates as candidates
from markdown import header, row

SEED = 0
KS = (10, 100, 1000)
# Our own warming up is a load of up to one.
QUIET = 1.5
# Of table 6 of Kisilevich et al.
LARGE_K = 150
PARTS: Mapping[str, tuple[str, ...]] = {
    "teaching": ("teach",),
    "cutting": ("cut_boxes", "cut_axes"),
    "label margins": ("_with_margins",),
    "scoring": ("_scores",),
}
"""By part of the method what does it in `candidates`; none of these calls another."""


@dataclass(frozen=True)
class Timed:
    """A release, the seconds of each part, and of all."""

    release: hr.Release
    parts: Mapping[str, float]
    seconds: float

    @property
    def rest(self) -> float:
        """Reading, counting, proportions, publishing, verifying."""
        return self.seconds - sum(self.parts.values())


@contextmanager
def watched(name: str, part: str, taken: dict[str, float]) -> Iterator[None]:
    """Add the seconds of a function of `candidates` to a part while this lasts."""
    module: Any = candidates
    original = getattr(module, name)

    def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        result = original(*arguments)
        taken[part] += time.perf_counter() - start
        return result

    setattr(module, name, timed)
    try:
        yield
    finally:
        setattr(module, name, original)


def anonymized(table: pl.DataFrame, schema: hr.Schema, k: int) -> Timed:
    """Anonymize once, and watch."""
    taken: dict[str, float] = defaultdict(float)
    with ExitStack() as stack:
        for part, names in PARTS.items():
            for name in names:
                stack.enter_context(watched(name, part, taken))
        start = time.perf_counter()
        release = hr.anonymize(table, schema, method="hedge", k=k, random_state=SEED)
        seconds = time.perf_counter() - start
    return Timed(release, {part: taken[part] for part in PARTS}, seconds)


def busy() -> str:
    """How busy the machine is with other work, where it is: times are then longer than they need be."""
    load = os.getloadavg()[0]
    return f" (beside other work: the load of the machine was {load:.1f})" if load > QUIET else ""


def cells(one: Timed) -> list[str]:
    """What a row tells of it, as in :data:`HEADER`."""
    parts = [f"{seconds:.2f}" for seconds in (*one.parts.values(), one.rest)]
    classes = f"{one.release.audit.classes.number:,}"
    return [*parts, f"**{one.seconds:.1f}**", classes, str(one.release.recoding.facts["groups by"])]


HEADER = (*(f"{part} (s)" for part in PARTS), "rest (s)", "together (s)", "classes", "groups by")


def adult() -> None:
    """The train file with all 14 inputs as quasi-identifiers."""
    table = tables.with_numbers(tables.adult("train"))
    schema = hr.Schema(quasi=[name for name in table.columns if name != tables.TARGET], target=tables.TARGET)
    anonymized(table.head(2000), schema, 100)  # what is compiled is not measured
    load = busy()
    header("k", *HEADER)
    for k in KS:
        row(k, *cells(anonymized(table, schema, k)))
    print(
        f"\n{table.height:,} rows, one run each{load}. Teachers learn by folds, side by side; scoring trains one "
        "learner for each candidate. Label margins are published only for at least 50 people. The rest "
        "is reading, counting, proportions, publishing and verifying."
    )


def large() -> None:
    """The seven columns of the scalability test; a copy has the class of its record."""
    table = tables.scaled_with_class()
    schema = hr.Schema(quasi=tables.SEVEN, target=tables.TARGET)
    anonymized(table.head(2000), schema, LARGE_K)
    before, load = timing.own_peak_megabytes(), busy()
    header("rows", "k", *HEADER, "peak memory (MB)")
    told = cells(anonymized(table, schema, LARGE_K))
    row(f"{table.height:,}", LARGE_K, *told, f"{timing.own_peak_megabytes():,.0f}")
    print(
        f"\nOne run{load}, {len(tables.SEVEN)} quasi-identifiers. The peak is that of the whole process; it was "
        f"{before:,.0f} MB once the table was there and kernels were compiled."
    )


if __name__ == "__main__":
    {"adult": adult, "large": large}[sys.argv[1]]()
