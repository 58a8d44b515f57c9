"""Full-domain generalization: how much of the lattice is looked at, how its time grows, and what a time limit costs.

    python benchmarks/lattice.py adult    # nine quasi-identifiers, 12,960 combinations of levels
    python benchmarks/lattice.py large    # the same lattice over 1.36 million rows, beside one group-by
    python benchmarks/lattice.py wide     # fifteen quasi-identifiers, too many combinations to list; takes minutes

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import polars as pl

import hedgerow as hr
import tables
import timing
from hedgerow import AllMin, Datafly, Incognito, OptimalLattice
from hedgerow.core.metrics import loss
from hedgerow.release import pipeline
from hedgerow.requirements import KAnonymity
from markdown import header, row

K = 5
LIMIT = 0.04
SECONDS = 60.0
NINE = [*tables.QUASI, tables.TARGET]

Method = type[hr.Anonymizer]


def schema_of(table: pl.DataFrame) -> hr.Schema:
    """All columns quasi-identifying, with the hierarchies of ARX where there are some."""
    folder = tables.data_folder() / "adult/hierarchies"
    known = {name: str(folder / f"{name}.csv") for name in table.columns if (folder / f"{name}.csv").exists()}
    return hr.Schema(quasi=table.columns, hierarchies=known)


def prepared(table: pl.DataFrame) -> pipeline.Prepared:
    """Read and count."""
    return pipeline.prepare(table, schema_of(table), [KAnonymity(K)], random_state=0)


def warm_up() -> None:
    """Compile the kernels (or load them from the cache) before anything is timed."""
    small = prepared(tables.adult("train").select(NINE).head(500))
    for limit in (0.0, LIMIT):
        OptimalLattice(suppression_limit=limit).fit_counts(small.counts, small.requirements)


def adult() -> None:
    """The fit alone on the 30,162 rows of the train file."""
    warm_up()
    table = tables.adult("train").select(NINE)
    job = prepared(table)
    header("method", "may be lost", "fit (s)", "nodes", "evaluated", "tagged", "lost", "loss")
    runs: list[tuple[str, Method, float]] = [
        ("optimal", OptimalLattice, 0.0),
        ("optimal", OptimalLattice, LIMIT),
        ("incognito", Incognito, 0.0),
        ("allmin", AllMin, 0.0),
        ("allmin", AllMin, LIMIT),
        ("datafly", Datafly, 0.0),
        ("datafly", Datafly, LIMIT),
    ]
    for name, method, limit in runs:
        work = partial(method(suppression_limit=limit).fit_counts, job.counts, job.requirements)
        recoding = work()
        facts = recoding.facts
        row(
            name,
            f"{limit:.0%}",
            f"{timing.best(work):.3f}",
            f"{facts['nodes']:,}",
            f"{facts['evaluated']:,}",
            f"{facts['tagged']:,}" if "tagged" in facts else "",
            f"{recoding.lost:,}",
            f"{loss(job.counts, recoding):.4f}",
        )
    print(
        f"\nk = {K}, {table.height:,} rows, {len(job.counts.tuples):,} distinct tuples of {len(NINE)} columns, metric "
        "`loss`. AllMin minimizes the sum of levels, and Incognito counts states of subsets of the columns."
    )


def large() -> None:
    """The time end to end, with reading, counting, publishing and verification."""
    warm_up()
    table = tables.scaled("marginal").select(NINE)
    schema = schema_of(table)
    header(
        "may be lost",
        "fit (s)",
        "hr.anonymize, end to end (s)",
        "one polars group_by (s)",
        "ratio",
        "nodes",
        "evaluated",
        "loss",
    )

    def group_by() -> None:
        table.group_by(NINE).len()

    job = prepared(table)
    for limit in (0.0, LIMIT):
        plain = timing.best(group_by)
        work = partial(hr.anonymize, table, schema, method="optimal", k=K, suppression_limit=limit, random_state=0)
        whole = timing.best(work, runs=3)
        fit = partial(OptimalLattice(suppression_limit=limit).fit_counts, job.counts, job.requirements)
        recoding = fit()
        plain = min(plain, timing.best(group_by))
        row(
            f"{limit:.0%}",
            f"{timing.best(fit, runs=2):.2f}",
            f"{whole:.2f}",
            f"{plain:.3f}",
            f"**{whole / plain:.1f}×**",
            f"{recoding.facts['nodes']:,}",
            f"{recoding.facts['evaluated']:,}",
            f"{recoding.facts['value']:.4f}",
        )
    print(f"\nk = {K}, {table.height:,} rows, {len(job.counts.tuples):,} distinct tuples of {len(NINE)} columns.")


def wide() -> None:
    """Fourteen attributes and the class, all quasi-identifying: the best found in a minute, beside Datafly's."""
    warm_up()
    table = tables.with_numbers(tables.adult("train"))
    job = prepared(table)
    header("method", "may be lost", "seconds", "nodes", "evaluated", "proved", "lost", "loss")
    for limit in (0.0, LIMIT):
        for name, work in (
            ("datafly", Datafly(suppression_limit=limit)),
            ("optimal", OptimalLattice(suppression_limit=limit, time_limit=SECONDS)),
        ):
            start = time.perf_counter()
            recoding = work.fit_counts(job.counts, job.requirements)
            seconds = time.perf_counter() - start
            facts = recoding.facts
            row(
                name,
                f"{limit:.0%}",
                f"{seconds:.2f}",
                f"{facts['nodes']:,}",
                f"{facts['evaluated']:,}",
                {True: "yes", False: "no"}.get(facts.get("proved", ""), ""),
                f"{recoding.lost:,}",
                f"{loss(job.counts, recoding):.4f}",
            )
    print(
        f"\nk = {K}, {table.height:,} rows, {table.width} columns; numbers without a hierarchy have automatic "
        f"intervals. The time limit is {SECONDS:g} s."
    )


if __name__ == "__main__":
    sections = {"adult": adult, "large": large, "wide": wide}
    sections[sys.argv[1]]()
