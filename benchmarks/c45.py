"""C4.5 against Weka's J48: the same trees, and the time to grow them.

    python benchmarks/c45.py agreement    # nine real sets, three settings, rows seen and unseen
    python benchmarks/c45.py adult        # time on Adult's train file, all columns
    python benchmarks/c45.py large        # time on 1.36 million rows (J48 takes minutes)

Each prints a Markdown table; `run.py` collects them. J48 is timed inside Weka, from instances in memory to the tree;
ours from a polars frame to the tree.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import arff
import tables
import timing
import weka_process
from hedgerow.learning import C45Classifier
from markdown import header, row
from weka_process import Job, Learned

SETTINGS = ((0.25, 2), (0.1, 10), (0.4, 5))
# Of the shuffle before a table is halved into rows to train on and rows that no tree has seen.
SEED = 2


def agreement() -> None:
    """Leaves, sizes and classes of both, on the rows they were trained on and on rows they were not."""
    header(
        "set",
        "rows",
        "confidence, least records",
        "J48: leaves, size",
        "ours",
        "same class",
        "of one half, J48: leaves, size",
        "ours",
        "same class, rows of the other half",
    )
    for name in tables.REAL_SETS:
        agreement_rows(name, tables.real(name))
    print(
        "\nThe halves are those of one fixed shuffle. Both sides of a half know only the categories that occur in it; "
        "others, in the other half, are missing values."
    )


def agreement_rows(name: str, table: pl.DataFrame) -> None:
    """One set, a row for each setting."""
    shuffled = table[np.random.default_rng(SEED).permutation(table.height)]
    half = table.height // 2
    splits = ((table, table), (shuffled[:half], shuffled[half:]))
    options = [("-C", str(confidence), "-M", str(least)) for confidence, least in SETTINGS]
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for number, (train, test) in enumerate(splits):
            files = Path(folder) / f"train{number}.arff", Path(folder) / f"test{number}.arff"
            # J48 has an empty branch for a category that is declared and does not occur, so only those that do are.
            declared = arff.categories(train)
            arff.write(files[0], train, declared)
            arff.write(files[1], test, declared)
            jobs += [Job("J48", files[0], (files[1],), setting) for setting in options]
        learned = weka_process.learn(jobs)
    for at, (confidence, least) in enumerate(SETTINGS):
        cells = []
        for (train, test), j48 in zip(splits, (learned[at], learned[at + len(SETTINGS)]), strict=True):
            model = C45Classifier(confidence=confidence, min_objects=least).fit(train[:, :-1], train[:, -1])
            cells += [f"{j48.leaves}, {j48.size}", f"{model.n_leaves_}, {model.tree_size_}", same(model, test, j48)]
        row(name, f"{table.height:,}", f"{confidence}, {least}", *cells)


def same(model: C45Classifier, test: pl.DataFrame, j48: Learned) -> str:
    """The share of rows that both give the same class; all of them is 100%, one less is not."""
    number = {label: at for at, label in enumerate(model.classes_.tolist())}
    ours = [number[label] for label in model.predict(test[:, :-1]).tolist()]
    equal = int(np.equal(ours, j48.predictions[0]).sum())
    return "100%" if equal == test.height else f"{equal:,} of {test.height:,}"


def adult() -> None:
    """Time on Adult's train file."""
    table = tables.real("adult")
    model = C45Classifier()
    model.fit(table[:2000, :-1], table[:2000, -1])
    ours = timing.best(lambda: model.fit(table[:, :-1], table[:, -1]))
    j48 = on_j48(table, (), runs=7)[0]
    ours = min(ours, timing.best(lambda: model.fit(table[:, :-1], table[:, -1])))
    header("rows", "attributes", "J48 (s)", "C45Classifier.fit (s)", "times faster", "J48: leaves, size", "ours")
    timed_row(table, f"{table.width - 1}", j48, ours, model)
    print(
        "\nThe rows with missing values are among them. Reading and coding the frame is part of our time, not of J48's."
    )


def large(factor: int = tables.FACTOR) -> None:
    """Time on the grown table, pruned and not."""
    table = tables.scaled("marginal", factor).select(*tables.SEVEN, tables.TARGET)
    C45Classifier().fit(table[:2000, :-1], table[:2000, -1])
    models = [C45Classifier(), C45Classifier(pruned=False)]
    times = [timing.best(partial(model.fit, table[:, :-1], table[:, -1]), runs=3) for model in models]
    trees = on_j48(table, (), ("-U",))
    header("rows", "tree", "J48 (s), once", "C45Classifier.fit (s)", "times faster", "J48: leaves, size", "ours")
    for name, model, ours, j48 in zip(("pruned", "not pruned"), models, times, trees, strict=True):
        timed_row(table, name, j48, ours, model)
    print(
        f"\n{len(tables.SEVEN)} attributes. Most rows are variations whose class is drawn independently of nearly all "
        "their attributes, so pruning leaves little; both grow the tree that is not pruned before they prune it. "
        "Reading and coding the frame is part of our time, not of J48's."
    )


def on_j48(table: pl.DataFrame, *options: tuple[str, ...], runs: int = 1) -> list[Learned]:
    """J48 on a table, once for each set of options."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.arff"
        arff.write(file, table, arff.categories(table))
        return weka_process.learn([Job("J48", file, (), one, runs) for one in options], heap="8g")


def timed_row(table: pl.DataFrame, what: str, j48: Learned, ours: float, model: C45Classifier) -> None:
    """Print both times and both trees."""
    row(
        f"{table.height:,}",
        what,
        f"{j48.seconds:.2f}",
        f"{ours:.3f}",
        f"**{j48.seconds / ours:.1f}×**",
        f"{j48.leaves:,}, {j48.size:,}",
        f"{model.n_leaves_:,}, {model.tree_size_:,}",
    )


if __name__ == "__main__":
    sections = {"agreement": agreement, "adult": adult, "large": large}
    sections[sys.argv[1]]()
