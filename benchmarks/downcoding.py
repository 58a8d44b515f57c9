"""What downcoding finds in releases, and what it costs to publish regions instead of what groups hold.

    python benchmarks/downcoding.py adult
    python benchmarks/downcoding.py hospital

One half of the people is published, the other half is the control. Each prints a Markdown table.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import hedgerow as hr
import tables
from markdown import header, row

SEED = 0
METHODS: dict[str, dict[str, Any]] = {
    "Mondrian": {"method": "mondrian"},
    "Mondrian, regions": {"method": "mondrian", "cells": "region"},
    "Hedge": {"method": "hedge", "publish_proportions": False},
    "Hedge, regions": {"method": "hedge", "publish_proportions": False, "cells": "region"},
    "kACTUS": {"method": "kactus"},
    "optimal lattice": {"method": "optimal", "metric": "ncp_published", "suppression_limit": 0.02},
}


def adult() -> tuple[pl.DataFrame, hr.Schema]:
    """Adult's train file with eight quasi-identifiers."""
    table = tables.adult("train").select(*tables.QUASI, tables.TARGET)
    return table, hr.Schema(quasi=tables.QUASI, target=tables.TARGET)


def hospital() -> tuple[pl.DataFrame, hr.Schema]:
    """The first visit of each of about 11,000 patients."""
    quasi = ["birth_year", "sex", "postcode", "ward", "icd10"]
    visits: pl.DataFrame = hr.datasets.make_hospital(20_000, random_state=SEED, backend="polars")
    table = visits.unique("patient_id", keep="first", maintain_order=True).select(*quasi, "readmitted")
    return table, hr.Schema(quasi=quasi, target="readmitted")


def accuracy(train: pl.DataFrame, test: pl.DataFrame, target: str) -> float:
    """Of gradient boosting, trained on rows of original values; of a column that is hidden nothing can be learnt."""
    told = [name for name in test.columns if name != target and train[name].null_count() < len(train)]
    texts = [name for name in told if test[name].dtype == pl.String]
    numbers = [name for name in told if name not in texts]
    if not told:
        return float((test[target] == train[target].mode().sort()[0]).mean())
    # Boosting takes at most 255 categories; the others are missing.
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=255)
    boosting = HistGradientBoostingClassifier(categorical_features=list(range(len(texts))), random_state=SEED)
    model = make_pipeline(make_column_transformer((codes, texts), ("passthrough", numbers)), boosting)
    model.fit(train.select(*texts, *numbers), train[target].to_numpy())
    return float((model.predict(test.select(*texts, *numbers)) == test[target].to_numpy()).mean())


def learnt(release: hr.Release, test: pl.DataFrame, target: str) -> float:
    """What boosting learns from redrawn rows."""
    drawn: pl.DataFrame = hr.learning.redraw(release, random_state=SEED)
    drawn = drawn.with_columns(pl.col(name).cast(test[name].dtype, strict=False) for name in test.columns)
    return accuracy(drawn.select(test.columns), test, target)


def told(outcome: hr.attacks.Downcoding) -> tuple[str, str]:
    """The worst column: its excess, and how often claims are right, of members and of others."""
    main, control = outcome.members.precision, outcome.control.precision
    shares = " / ".join("–" if one is None else f"{one.value:.0%}" for one in (main, control))
    points = outcome.excess
    worst = outcome.claim.split("'")[1]
    return f"{100 * points.value:.1f} ({100 * points.low:.1f} to {100 * points.high:.1f}), {worst}", shares


def measure(table: pl.DataFrame, schema: hr.Schema) -> None:
    """All methods at three k."""
    order = np.random.default_rng(SEED).permutation(len(table))
    members, others = table[order[: len(table) // 2]], table[order[len(table) // 2 :]]
    target = str(schema.target)
    header(
        "release", "k", "classes", "NCP as published", "who has the release: excess, points", "claims that are right",
        "who knows the class: excess, points", "claims that are right", "boosting on redrawn rows",
    )  # fmt: skip
    row("the raw rows", "", "", "", "", "", "", "", f"{accuracy(members, others, target):.1%}")
    for k in (5, 10, 50):
        for name, options in METHODS.items():
            release = hr.anonymize(members, schema, k=k, random_state=SEED, **options)
            found = [hr.attacks.downcoding(release, members, others)]
            cells: list[str] = []
            # Where numbers stand for groups, nobody fits a single class.
            with suppress(hr.BadInput):
                found.append(hr.attacks.downcoding(release, members, others, knowing="class"))
            for one in found:
                cells += told(one)
            cells += ["–"] * (4 - len(cells))
            lost = f"{release.losses['ncp_published']:.3f}"
            row(name, k, f"{release.audit.classes.number:,}", lost, *cells, f"{learnt(release, others, target):.1%}")


if __name__ == "__main__":
    measure(*{"adult": adult, "hospital": hospital}[sys.argv[1]]())
