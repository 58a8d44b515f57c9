"""Every method on one table: seconds from the table to the verified release, and what it loses.

    python benchmarks/methods.py census    # 20,000 rows of the synthetic census, 8 quasi-identifiers, k = 10

It prints a Markdown table, which `run.py` collects; the pages of docs/methods take their figures from there.
"""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from typing import Any

import hedgerow as hr
import timing
from hedgerow.anonymizers.registry import METHODS
from markdown import header, row

ROWS, SEED, K = 20_000, 7, 10
RUNS = 3
# In seconds, for a search that would go on for many minutes; what it has found by then is released.
TIME_LIMITS = {"heuristicmin": 30.0}


def census() -> None:
    """All methods with their defaults, and with the hierarchies of the census."""
    table = hr.datasets.make_census(ROWS, random_state=SEED)
    # Working hours are published as they are, which is not what is measured here.
    schema = dataclasses.replace(hr.datasets.census_schema(), accept=("hours-per-week",))
    header("method", "seconds", "NCP", "NCP as published", "classes")
    for name in METHODS:
        row(name, *measured(name, table, schema))


def measured(method: str, table: Any, schema: hr.Schema) -> tuple[str, ...]:
    """The best time of a method, its losses and its classes."""
    limit = TIME_LIMITS.get(method)
    given: dict[str, Any] = {} if limit is None else {"time_limit": limit}
    release = partial(hr.anonymize, table, schema, method=method, k=K, random_state=SEED, **given)
    try:
        audit = release().audit  # compiles what is not compiled yet
    except hr.BadInput as refused:
        if "too large" not in str(refused):
            raise
        return ("refused: too large", "–", "–", "–")
    seconds = timing.best(release, runs=RUNS)
    stopped = "" if limit is None or seconds < limit else f" (limit: {limit:g})"
    losses = (f"{audit.losses[metric]:.3f}" for metric in ("ncp", "ncp_published"))
    return (f"{seconds:.2f}{stopped}", *losses, f"{audit.classes.number:,}")


if __name__ == "__main__":
    {"census": census}[sys.argv[1]]()
