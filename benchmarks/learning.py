"""Learning from releases: what classifiers know of raw rows, and how long representations take at 1.36 million rows.

    python benchmarks/learning.py accuracy    # Adult, 14 quasi-identifiers: published, proportional, redrawn (minutes)
    python benchmarks/learning.py strictness  # what pooled proportions cost beside exact ones, 3 redraws
    python benchmarks/learning.py singled     # whom proportions single out: Adult and the census, exact and pooled
    python benchmarks/learning.py id3         # ID3 on Mondrian's sets, as in the paper on learning from anonymized data
    python benchmarks/learning.py speed       # encoders, redraw and ID3 beside a scikit-learn tree on the one-hot table

Each prints a Markdown table; `run.py` collects them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import hedgerow as hr
import tables
import timing
from hedgerow.learning import (
    C45Classifier,
    FillChildEncoder,
    FillParentEncoder,
    GeneralizedID3Classifier,
    OneClassEncoder,
    ProportionalEncoder,
    redraw,
)
from markdown import header, row

SEED = 0
LEARNERS = ("gradient boosting", "logistic regression", "C4.5")


# Accuracy on raw rows


def accuracy() -> None:
    """Train on releases of Adult's train file, predict its test file."""
    train, test = (tables.with_numbers(tables.adult(part)) for part in ("train", "test"))
    quasi = [name for name in train.columns if name != tables.TARGET]
    schema = hr.Schema(quasi=quasi, target=tables.TARGET)
    header("release", "k", "learnt from", "test rows", *LEARNERS)
    report("raw table", 1, "raw rows", "raw", learnt_from_rows(train, test))
    for method in ("mondrian", "kactus"):
        for k in (10, 100):
            release = hr.anonymize(train, schema, method=method, k=k, random_state=SEED, publish_proportions=True)
            report(method, k, "redrawn rows", "raw", learnt_from_rows(redraw(release, random_state=SEED), test))
            for what, learn in REPRESENTATIONS.items():
                for protocol, hits in learn(release, test).items():
                    report(method, k, what, protocol, hits)
    print(
        f"\nPercent of the {test.height:,} rows of the test file; trained on the release of {train.height:,} of the "
        f"train file with proportions. All {len(quasi)} attributes are quasi-identifiers; seed {SEED}, one run. Test "
        "rows are raw, or recoded by `release.recoding.transform` (what a reader without the recoding cannot do). "
        "Published values: each published value is a category of its own (`OneClassEncoder`), numbers by the mean and "
        "width of what is published; C4.5 takes the published cells as they are. Proportional: `ProportionalEncoder`; "
        "there C4.5 sends each record down every branch with its share (`fractional=True`), with either kind of "
        f"numbers. The majority is {100 * majority(test):.1f} %."
    )


def majority(test: pl.DataFrame) -> float:
    """The share of the most frequent class."""
    counts = test[tables.TARGET].value_counts()["count"].to_numpy()
    return float(counts.max() / counts.sum())


def report(method: str, k: int, what: str, protocol: str, hits: dict[str, float]) -> None:
    """A row of the table."""
    row(method, k, what, protocol, *(f"{100 * hits[name]:.1f}" for name in LEARNERS))


def learnt_from_rows(train: pl.DataFrame, test: pl.DataFrame, wanted: Sequence[str] = LEARNERS) -> dict[str, float]:
    """Original values, raw or redrawn, in the way that suits each learner."""
    features = [name for name in test.columns if name != tables.TARGET]
    texts = [name for name in features if test[name].dtype == pl.String]
    numbers = [name for name in features if name not in texts]
    one_hot = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), (StandardScaler(), numbers), sparse_threshold=0
    )
    ordinal = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), texts), ("passthrough", numbers)
    )
    learners: dict[str, Any] = {
        "gradient boosting": make_pipeline(
            ordinal, HistGradientBoostingClassifier(categorical_features=list(range(len(texts))), random_state=SEED)
        ),
        "logistic regression": make_pipeline(one_hot, LogisticRegression(max_iter=1000)),
        "C4.5": C45Classifier(),
    }
    return {
        name: hit(model.fit(train.select(features), train[tables.TARGET].to_numpy()), test.select(features), test)
        for name, model in learners.items()
        if name in wanted
    }


def hit(model: Any, X: Any, test: pl.DataFrame) -> float:
    """The share of the test rows that a model names rightly."""
    return float((model.predict(X) == test[tables.TARGET].to_numpy()).mean())


def learnt_from_published(release: hr.Release, test: pl.DataFrame) -> dict[str, dict[str, float]]:
    """What a reader of the table alone would do."""
    table: pl.DataFrame = release.table.drop(tables.TARGET)
    classes = release.table[tables.TARGET].to_numpy()
    # Sets of numbers stand beside numbers: all of them are categories.
    tree = C45Classifier().fit(table.with_columns(pl.col(pl.String).cast(pl.Categorical)), classes)
    as_text = test.with_columns(
        pl.col(name).cast(pl.String) for name in table.columns if table[name].dtype == pl.String
    )
    trees = {"raw": hit(tree, as_text, test), "recoded": hit(tree, release.recoding.transform(test), test)}
    found = learnt_from_matrix(OneClassEncoder(numbers="mean"), table, classes, release, test)
    return {protocol: {**hits, "C4.5": trees[protocol]} for protocol, hits in found.items()}


def learnt_from_shares(
    release: hr.Release, test: pl.DataFrame, numbers: Literal["intervals", "mean"]
) -> dict[str, dict[str, float]]:
    """The proportional representation."""
    classes = release.table[tables.TARGET].to_numpy()
    tree = C45Classifier(fractional=True).fit(release)
    found = learnt_from_matrix(ProportionalEncoder(numbers=numbers), release, classes, release, test)
    rows = {"raw": test, "recoded": release.recoding.transform(test)}
    return {protocol: {**hits, "C4.5": hit(tree, rows[protocol], test)} for protocol, hits in found.items()}


def learnt_from_matrix(
    encoder: Any, X: Any, classes: Any, release: hr.Release, test: pl.DataFrame
) -> dict[str, dict[str, float]]:
    """Gradient boosting and logistic regression on a representation."""
    matrix = encoder.fit_transform(X)
    learners: dict[str, Any] = {
        "gradient boosting": HistGradientBoostingClassifier(random_state=SEED),
        "logistic regression": make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=1000)),
    }
    for model in learners.values():
        model.fit(matrix, classes)
    raw = test.drop(tables.TARGET)
    rows = {"raw": encoder.transform(raw), "recoded": encoder.transform(release.recoding.transform(raw))}
    return {
        protocol: {name: hit(model, unseen, test) for name, model in learners.items()}
        for protocol, unseen in rows.items()
    }


REPRESENTATIONS: dict[str, Callable[[hr.Release, pl.DataFrame], dict[str, dict[str, float]]]] = {
    "published values": learnt_from_published,
    "proportional, numbers by intervals": partial(learnt_from_shares, numbers="intervals"),
    "proportional, numbers by mean and width": partial(learnt_from_shares, numbers="mean"),
}


# What pooling costs, and what it is for


REDRAWS = 3


def strictness() -> None:
    """Gradient boosting from redrawn rows: exact proportions (which nobody should publish) beside pooled ones."""
    train, test = (tables.with_numbers(tables.adult(part)) for part in ("train", "test"))
    schema = hr.Schema(quasi=[name for name in train.columns if name != tables.TARGET], target=tables.TARGET)
    header("method", "k", "exact (min_support = 1)", "pooled (min_support = k)")
    for method in ("kactus", "mondrian"):
        for k in (10, 100):
            cells = []
            for support in (1, None):
                release = hr.anonymize(
                    train,
                    schema,
                    method=method,
                    k=k,
                    random_state=SEED,
                    publish_proportions=True,
                    min_support=support,
                )
                hits = [
                    learnt_from_rows(redraw(release, random_state=seed), test, LEARNERS[:1])[LEARNERS[0]]
                    for seed in range(REDRAWS)
                ]
                cells.append(f"{100 * np.mean(hits):.2f} ± {100 * (max(hits) - min(hits)) / 2:.2f}")
            row(method, k, *cells)
    print(
        f"\nPercent of the {test.height:,} raw test rows that gradient boosting names rightly, mean of {REDRAWS} "
        "redraws (± half the range); Adult, 14 quasi-identifiers."
    )


def singled() -> None:
    """People in tuples whose number the proportions fix, at all and below k, exact and pooled."""
    adult = tables.with_numbers(tables.adult("train"))
    sources: dict[str, tuple[Any, hr.Schema]] = {
        "Adult": (adult, hr.Schema(quasi=tables.QUASI, target=tables.TARGET, others="drop")),
        "census": (hr.datasets.make_census(20_000, random_state=SEED), hr.datasets.census_schema()),
    }
    header(
        "table", "method", "k", "exact: fully known", "exact: singled out", "pooled: fully known", "pooled: singled out"
    )
    for name, (table, schema) in sources.items():
        for method in ("mondrian", "kactus", "hybrid-kactus", "kadet", "k-member", "optimal", "datafly", "tds"):
            for k in (5, 10):
                cells = []
                for support in (1, None):
                    audit = hr.anonymize(
                        table,
                        schema,
                        method=method,
                        k=k,
                        random_state=SEED,
                        publish_proportions=True,
                        min_support=support,
                    ).audit
                    known, alone = audit.fully_known or 0, audit.singled_out or 0
                    cells += [f"{100 * known / audit.rows:.2f}", f"{100 * alone / audit.rows:.2f}"]
                row(name, method, k, *cells)
    print(
        "\nPercent of the rows. Fully known: in their class it is fixed how many people have their original tuple; "
        "singled out: these are fewer than k. What the table alone tells (a set with as many values as people) is not "
        f"counted. Adult: {adult.height:,} rows, {len(tables.QUASI)} quasi-identifiers; the census: 20,000 rows."
    )


# ID3 on sets


SIX = ["age", "education", "hours-per-week", "native-country", "capital-gain", "workclass"]
RUNS = 3


def id3() -> None:
    """The paper's first experiment: six quasi-identifiers, only categories learnt from, three runs."""
    train, test = (tables.with_numbers(tables.adult(part)) for part in ("train", "test"))
    categories = [name for name in train.columns if train[name].dtype == pl.String and name != tables.TARGET]
    # The paper publishes the others as they are; a release that is to be safe would not.
    others = [name for name in train.columns if name not in (*SIX, tables.TARGET)]
    schema = hr.Schema(quasi=SIX, target=tables.TARGET, insensitive=others, accept=others)
    variants: dict[str, dict[str, Any]] = {
        "shared, random": {"entropy": "shared", "assign": "random"},
        "shared, frequent": {"entropy": "shared", "assign": "frequent"},
        "shared, distribution": {"entropy": "shared", "assign": "distribution"},
        "own": {"entropy": "own"},
        "random": {"entropy": "random"},
        "fractional": {"fractional": True},
    }
    header("k", *variants, "paper (shared, random)")
    printed = {1: "80.96", 4: "80.87", 64: "79.28"}
    for k in (1, 4, 8, 16, 32, 64):
        if k == 1:
            table = train
        else:
            table = hr.anonymize(
                train, schema, method="mondrian", k=k, cut="widest", publish="set", random_state=SEED
            ).table
        cells = []
        for options in variants.values():
            hits = [id3_accuracy(table, test, categories, seed, options) for seed in range(RUNS)]
            cells.append(f"{100 * np.mean(hits):.2f} ± {100 * (max(hits) - min(hits)) / 2:.2f}")
        row(k, *cells, printed.get(k, "–"))
    print(
        f"\nPercent of the {test.height:,} raw test rows, mean of {RUNS} runs (± half the range); Mondrian as in the "
        'paper (`cut="widest"`), quasi-identifiers ' + ", ".join(SIX) + ". The paper prints the raw accuracy and its "
        "loss at k = 4 (0.09) and k = 64 (1.68); its other points are in a figure that is lost."
    )


def id3_accuracy(table: pl.DataFrame, test: pl.DataFrame, columns: list[str], seed: int, options: Any) -> float:
    """One run."""
    model = GeneralizedID3Classifier(random_state=seed, **options)
    model.fit(table.select(columns), table[tables.TARGET].to_numpy())
    return float((model.predict(test.select(columns)) == test[tables.TARGET].to_numpy()).mean())


# Speed


def speed() -> None:
    """Mondrian's release of 1.36 million rows, beside a tree on the one-hot table."""
    table = tables.scaled_with_class()
    schema = hr.Schema(quasi=tables.SEVEN, target=tables.TARGET)
    release = hr.anonymize(table, schema, method="mondrian", k=150, random_state=SEED, publish_proportions=True)
    published: pl.DataFrame = release.table
    y = published[tables.TARGET].to_numpy()
    matrix = OneHotEncoder(dtype=np.float32).fit_transform(table.select(tables.SEVEN)).tocsc()
    labels = table[tables.TARGET].to_numpy()
    peers = {"sparse": tree_seconds(matrix, labels), "dense": tree_seconds(matrix.toarray(), labels)}
    peer = min(peers.values())
    small = hr.anonymize(
        table.head(3000), schema, method="mondrian", k=150, random_state=SEED, publish_proportions=True
    )
    work: dict[str, Callable[[hr.Release], object]] = {
        "OneClassEncoder": lambda one: OneClassEncoder(sparse_output=True).fit_transform(one),
        "FillParentEncoder": lambda one: FillParentEncoder(sparse_output=True).fit_transform(one),
        "FillChildEncoder": lambda one: FillChildEncoder(sparse_output=True).fit_transform(one),
        "ProportionalEncoder": lambda one: ProportionalEncoder(sparse_output=True).fit_transform(one),
        "redraw": lambda one: redraw(one, random_state=SEED),
        "ID3, shared, random": lambda one: id3_fit(one, y[: len(one.table)], {}),
        "ID3, own": lambda one: id3_fit(one, y[: len(one.table)], {"entropy": "own"}),
        "ID3, fractional": lambda one: id3_fit(one, y[: len(one.table)], {"fractional": True}),
        "C4.5, fractional": lambda one: C45Classifier(fractional=True).fit(one, y[: len(one.table)]),
    }
    header("what", "seconds", "ratio to the faster scikit-learn tree")
    for kind, seconds in peers.items():
        what = f"DecisionTreeClassifier on {matrix.shape[1]} one-hot columns of the raw table, {kind}, fit alone"
        row(what, f"{seconds:.2f}", f"{seconds / peer:.2f}×")
    for name, job in work.items():
        job(small)
        seconds = timing.best(partial(job, release), runs=2)
        row(name, f"{seconds:.2f}", f"**{seconds / peer:.2f}×**")
    print(
        f"\n{published.height:,} rows, {len(tables.SEVEN)} quasi-identifiers and the class, k = 150, "
        f"{release.audit.classes.number:,} classes. The tree has at least 150 records in "
        "a leaf. Ours include reading the cells of the published frame. Peak memory of this process: "
        f"{timing.own_peak_megabytes():,.0f} MB."
    )


def tree_seconds(matrix: Any, labels: Any) -> float:
    """The time to fit scikit-learn's tree."""
    start = time.perf_counter()
    DecisionTreeClassifier(min_samples_leaf=150, random_state=SEED).fit(matrix, labels)
    return time.perf_counter() - start


def id3_fit(release: hr.Release, y: Any, options: dict[str, Any]) -> object:
    """Grow a tree."""
    return GeneralizedID3Classifier(random_state=SEED, **options).fit(release, y)


SECTIONS = {"accuracy": accuracy, "strictness": strictness, "singled": singled, "id3": id3, "speed": speed}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in SECTIONS:
        sys.exit(f"Say which: {', '.join(SECTIONS)}.")
    SECTIONS[sys.argv[1]]()
