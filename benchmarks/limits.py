"""What k-anonymity does not promise, measured on Adult (30,162 rows, 8 quasi-identifiers).

    python benchmarks/limits.py composition   # two releases of one table, joined
    python benchmarks/limits.py downcoding    # sets that name as many values as their class has people

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import sys
from collections import Counter

import polars as pl

import hedgerow as hr
import tables
from hedgerow.core.cells import ValueSet
from markdown import header, row

ROW = "row"


def numbered() -> pl.DataFrame:
    """Adult with a number in each row, which is published so that two releases can be compared."""
    return tables.adult("train").select(*tables.QUASI).with_row_index(ROW)


def released(table: pl.DataFrame, method: str, k: int) -> pl.DataFrame:
    """The published rows, in the order of their numbers."""
    schema = hr.Schema(quasi=tables.QUASI, insensitive=[ROW], accept=[ROW])
    release = hr.anonymize(table, schema, method=method, k=k, publish="set", random_state=0)
    published: pl.DataFrame = release.table
    return published.sort(ROW)


def composition() -> None:
    """How many people are alone once two releases are laid side by side.

    Whoever knows a person's values finds the class in each release. Only people who are in both classes can be meant.
    """
    table = numbered()
    header("two releases of the same people", "each is", "people who are alone in what both leave", "in fewer than k")
    for k in (5, 10):
        first, second = (released(table, method, k).select(tables.QUASI) for method in ("mondrian", "k-member"))
        shared = Counter(zip(first.rows(), second.rows(), strict=True))
        alone = sum(size for size in shared.values() if size == 1) / len(table)
        few = sum(size for size in shared.values() if size < k) / len(table)
        row("Mondrian and k-member", f"{k}-anonymous", f"{alone:.1%}", f"{few:.1%}")


def downcoding() -> None:
    """How many people are in a class where some set names as many values as there are people: each is held by one."""
    table = numbered()
    header("release", "people in classes where a set has as many values as people")
    for k in (2, 5, 10):
        classes = Counter(released(table, "mondrian", k).select(tables.QUASI).rows())
        told = sum(size for cells, size in classes.items() if any(_members(cell) == size for cell in cells))
        row(f"Mondrian with sets, k = {k}", f"{told / len(table):.2%}")


def _members(cell: str) -> int:
    read = hr.parse(cell)
    return len(read.members) if isinstance(read, ValueSet) else 1


if __name__ == "__main__":
    {"composition": composition, "downcoding": downcoding}[sys.argv[1]]()
