"""kACTUS: how its time grows with the table, and what classifiers learn from its release.

    python benchmarks/kactus.py scale       # up to 1.36 million rows, beside one group-by of the same columns
    python benchmarks/kactus.py accuracy    # Weka's J48 and NaiveBayes on releases of Adult

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import arff
import hedgerow as hr
import tables
import timing
import weka_process
from hedgerow.anonymizers.trees.inducers import inducer as inducers
from hedgerow.release import pipeline
from hedgerow.requirements import KAnonymity
from markdown import header, row
from weka_process import Job

METHOD = "kactus"
# What is left at the root is lost, however much it is.
AS_THE_PAPER: dict[str, Any] = {"remainder": "lose", "suppression_limit": 1.0}
LEARNERS = ("J48", "NaiveBayes")
SEEDS = range(5)
# Of table 6 of the paper.
K = 150


def warm_up() -> None:
    """Compile the kernels (or load them from the cache) before anything is timed."""
    small = tables.adult("train").select(*tables.SEVEN, tables.TARGET).head(2000)
    hr.anonymize(small, hr.Schema(quasi=tables.SEVEN, target=tables.TARGET), method=METHOD, k=10)


def scale(factors: Sequence[int] = (1, 5, 10, 20, 30)) -> None:
    """Table 6 of the paper: seven quasi-identifiers; the class drawn like any column, or the record's own."""
    warm_up()
    header(
        "σ",
        "rows",
        "class of a variation",
        "C4.5 (s)",
        "anonymization (s)",
        "hr.anonymize, end to end (s)",
        "one polars group_by (s)",
        "ratio",
        "leaves",
        "groups",
    )
    for factor in factors:
        scale_row(factor, tables.scaled("marginal", factor).select(*tables.SEVEN, tables.TARGET), "drawn")
        scale_row(factor, tables.scaled_with_class(factor), "kept")
    print(
        f"\nk = {K}. The anonymization is the rest of the fit; reading, counting, publishing and verification are only "
        "in the time end to end. A class that is drawn has next to nothing to do with the columns: pruning leaves one "
        "leaf, all quasi-identifiers are suppressed, and there is nothing to lend. With the class of the record that "
        "is varied the tree has work to do. The paper has 483 s for σ = 30, on a Pentium 4 with 2.8 GHz, and does not "
        "say what becomes of the class."
    )


def scale_row(factor: int, table: pl.DataFrame, of_class: str) -> None:
    """Time one table, the group-by before and after."""
    method = hr.KActus(**AS_THE_PAPER)
    schema = hr.Schema(quasi=tables.SEVEN, target=tables.TARGET)

    def group_by() -> None:
        table.group_by(tables.SEVEN).len()

    plain = timing.best(group_by)
    whole = timing.best(partial(hr.anonymize, table, schema, method=method, k=K, random_state=0), runs=3)
    growing, rest = min((fit_seconds(table, schema, method) for _ in range(3)), key=sum)
    plain = min(plain, timing.best(group_by))
    recoding = hr.anonymize(table, schema, method=method, k=K, random_state=0).recoding
    row(
        factor,
        f"{table.height:,}",
        of_class,
        f"{growing:.2f}",
        f"{rest:.2f}",
        f"{whole:.2f}",
        f"{plain:.3f}",
        f"**{whole / plain:.1f}×**",
        f"{recoding.facts['tree']['leaves']:,}",
        f"{len(recoding.sizes):,}",
    )


def fit_seconds(table: pl.DataFrame, schema: hr.Schema, method: hr.KActus) -> tuple[float, float]:
    """The seconds of the tree and of the rest of one fit."""
    taken: list[float] = []
    module: Any = inducers
    original = module.grow

    def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        tree = original(*arguments)
        taken.append(time.perf_counter() - start)
        return tree

    prepared = pipeline.prepare(table, schema, [KAnonymity(K)], random_state=0)
    module.grow = timed
    try:
        start = time.perf_counter()
        method._fit(prepared.counts, prepared.requirements, 0)
        fit = time.perf_counter() - start
    finally:
        module.grow = original
    return taken[0], fit - taken[0]


@dataclass(frozen=True)
class Published:
    """One release of Adult, and the test rows recoded as the release was."""

    table: pl.DataFrame
    test: pl.DataFrame
    seconds: float
    k: int
    lost: int
    leaves: int
    groups: int


def accuracy(ks: Sequence[int] = (10, 50, 100, 250)) -> None:
    """Train on the release, test on raw and on recoded rows; beside training and testing on raw rows."""
    warm_up()
    header(
        "trained on",
        "seconds",
        "k of the audit",
        "rows lost",
        "leaves",
        "groups",
        *(f"{learner}, {rows} test rows" for rows in ("raw", "recoded") for learner in LEARNERS),
    )
    train = tables.with_numbers(tables.adult("train"))
    test = tables.with_numbers(tables.adult("test"))
    raw = tested([(train, test)])
    row("the raw rows", *[""] * 5, *(f"{raw[learner][0]:.2%}" for learner in LEARNERS), "", "")
    for numbers, k in itertools.product(("mean", "median"), ks):
        releases = [published(train, test, k, numbers, seed) for seed in SEEDS]
        as_is = tested([(one.table, test) for one in releases])
        recoded = tested([(one.table, one.test) for one in releases])
        row(
            f"the release, k = {k}, {numbers}s",
            f"{min(one.seconds for one in releases):.2f}",
            spread([one.k for one in releases]),
            spread([one.lost for one in releases]),
            spread([one.leaves for one in releases]),
            spread([one.groups for one in releases]),
            *(average(shares[learner]) for shares in (as_is, recoded) for learner in LEARNERS),
        )
    larger = test[tables.TARGET].value_counts()["count"].max()
    assert isinstance(larger, int)
    print(
        f"\nAll {train.width - 1} attributes are quasi-identifiers. Trained on the {train.height:,} complete rows of "
        f"the train file, tested on the {test.height:,} of the test file, of which the larger class has "
        f"{larger / test.height:.2%}: as they are, and as `release.recoding.transform` writes them. Which records are "
        f"lent to a sibling is drawn, so accuracies are means over {len(SEEDS)} seeds (least–most), seconds the best. "
        "A suppressed cell is a missing value to Weka. Where a release shows numbers it has the group's mean, as in "
        "the paper, or its median: in a column that is mostly 0, such as capital-gain, a mean lies where few raw "
        "values do, and a threshold between means parts raw rows wrongly."
    )


def published(train: pl.DataFrame, test: pl.DataFrame, k: int, numbers: str, seed: int) -> Published:
    """Anonymize once."""
    schema = hr.Schema(quasi=[name for name in train.columns if name != tables.TARGET], target=tables.TARGET)
    start = time.perf_counter()
    release = hr.anonymize(train, schema, method=METHOD, k=k, numbers=numbers, random_state=seed, **AS_THE_PAPER)
    seconds = time.perf_counter() - start
    return Published(
        table=release.table,
        test=release.recoding.transform(test),
        seconds=seconds,
        k=release.audit.k,
        lost=train.height - release.table.height,
        leaves=release.recoding.facts["tree"]["leaves"],
        groups=len(release.recoding.sizes),
    )


def tested(pairs: Sequence[tuple[pl.DataFrame, pl.DataFrame]]) -> dict[str, list[float]]:
    """The accuracies of Weka's classifiers, one for each pair of training and test table."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for number, (train, test) in enumerate(pairs):
            files = Path(folder) / f"train{number}.arff", Path(folder) / f"test{number}.arff"
            in_order = pl.exclude(tables.TARGET), pl.col(tables.TARGET)
            declared = arff.categories(train.select(*in_order), test.select(*in_order))
            arff.write(files[0], train, declared)
            arff.write(files[1], test, declared)
            jobs += [Job(learner, files[0], (files[1],)) for learner in LEARNERS]
        learned = weka_process.learn(jobs)
    return {
        learner: [
            one.correct[0] / test.height for one, (_, test) in zip(learned[at :: len(LEARNERS)], pairs, strict=True)
        ]
        for at, learner in enumerate(LEARNERS)
    }


def spread(values: Sequence[int]) -> str:
    """The least and the most of several counts."""
    least, most = min(values), max(values)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def average(shares: Sequence[float]) -> str:
    """The mean of several shares, with the least and the most."""
    return f"{statistics.mean(shares):.2%} ({min(shares):.2%}–{max(shares):.2%})"


if __name__ == "__main__":
    sections = {"scale": scale, "accuracy": accuracy}
    sections[sys.argv[1]]()
