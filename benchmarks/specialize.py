"""TDS: how its time grows with the table, and what the two losses of anonymity lead to.

    python benchmarks/specialize.py tds     # up to 1.36 million rows, beside one group-by of the same columns
    python benchmarks/specialize.py loss    # what releases of Adult tell of the class, with either loss

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

import polars as pl

import hedgerow as hr
import tables
import timing
from hedgerow.anonymizers.specialize.tds import Loss
from hedgerow.core.metrics import METRICS
from hedgerow.release import pipeline
from hedgerow.requirements import KAnonymity
from markdown import header, row

METHOD = "tds"
K = 150
LOSSES: Final[tuple[Loss, ...]] = ("shield", "node")


def schema(*without: str) -> hr.Schema:
    """The seven quasi-identifiers with Adult's taxonomies, but for some; intervals are grown where age has none."""
    folder = tables.data_folder() / "adult" / "hierarchies"
    taxonomies = {name: str(folder / f"{name}.csv") for name in tables.SEVEN if name not in without}
    return hr.Schema(quasi=tables.SEVEN, target=tables.TARGET, hierarchies=taxonomies)


def warm_up() -> None:
    """Compile the kernels (or load them from the cache) before anything is timed."""
    small = tables.adult("train").select(*tables.SEVEN, tables.TARGET).head(2000)
    hr.anonymize(small, schema("age"), method=METHOD, k=10)


def tds(factors: Sequence[int] = (1, 5, 10, 20, 30)) -> None:
    """Seven quasi-identifiers of Adult, each record varied σ times."""
    warm_up()
    header(
        "σ",
        "rows",
        "distinct tuples",
        "specializations",
        "classes",
        "fit (s)",
        "fit, per million tuples (s)",
        "hr.anonymize, end to end (s)",
        "one polars group_by (s)",
        "ratio",
    )
    for factor in factors:
        tds_row(factor, tables.scaled_with_class(factor))
    print(
        f"\nk = {K}; the class of a variation is that of its record. The fit is what follows the counting: growing the "
        "intervals of age, specializing, and making the recoding. How many specializations there are depends on what "
        "the columns of the table tell of the class."
    )


def tds_row(factor: int, table: pl.DataFrame) -> None:
    """Time one table, the group-by before and after."""

    def group_by() -> None:
        table.group_by(tables.SEVEN).len()

    prepared = pipeline.prepare(table, schema("age"), [KAnonymity(K)], random_state=0)
    plain = timing.best(group_by)
    fit = timing.best(partial(hr.TDS().fit_counts, prepared.counts, prepared.requirements))
    whole = timing.best(partial(hr.anonymize, table, schema("age"), method=METHOD, k=K, random_state=0), runs=3)
    plain = min(plain, timing.best(group_by))
    recoding = hr.TDS().fit_counts(prepared.counts, prepared.requirements)
    tuples = len(prepared.counts.tuples)
    row(
        factor,
        f"{table.height:,}",
        f"{tuples:,}",
        sum(recoding.facts["specializations"].values()),
        f"{len(recoding.sizes):,}",
        f"{fit:.3f}",
        f"{fit / tuples * 1e6:.2f}",
        f"{whole:.2f}",
        f"{plain:.3f}",
        f"**{whole / plain:.1f}×**",
    )


def loss(ks: Sequence[int] = (5, 10, 50, 150)) -> None:
    """Both losses on Adult, with given and with grown intervals of age, and TDR without any taxonomy."""
    header("method", "taxonomies", "k", "loss", "specializations", "classes", "classification metric", "loss metric")
    table = tables.adult("train", "test").select(*tables.SEVEN, tables.TARGET)
    cases: Sequence[tuple[type[hr.TDS | hr.TDR], str, tuple[str, ...]]] = (
        (hr.TDS, "all given", ()),
        (hr.TDS, "all but that of age", ("age",)),
        (hr.TDR, "none", tuple(tables.SEVEN)),
    )
    for (method, said, without), k in itertools.product(cases, ks):
        prepared = pipeline.prepare(table, schema(*without), [KAnonymity(k)], random_state=0)
        for one in LOSSES:
            recoding = method(loss=one).fit_counts(prepared.counts, prepared.requirements)
            row(
                method.name,
                said,
                k,
                one,
                sum(recoding.facts["specializations"].values()),
                f"{len(recoding.sizes):,}",
                *(f"{METRICS[name].function(prepared.counts, recoding):.4f}" for name in ("classification", "loss")),
            )
    print(
        f"\n{table.height:,} complete rows of Adult, seven quasi-identifiers. The classification metric is the share "
        "of records that are not of their class's most frequent label: 0 would be best, and all records in one class "
        f"have {1 - largest_share(table):.4f}."
    )


def largest_share(table: pl.DataFrame) -> float:
    """The share of the most frequent label."""
    most = table[tables.TARGET].value_counts()["count"].max()
    assert isinstance(most, int)
    return most / table.height


if __name__ == "__main__":
    sections = {"tds": tds, "loss": loss}
    sections[sys.argv[1]]()
