"""What is measured by functions of its own: numbers that are left as they are, and seconds as the table grows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.suppression.kactus import KActus
from hedgerow.anonymizers.trees.inducers.inducer import resolve_inducer
from hedgerow.anonymizers.trees.training import TrainingTable
from hedgerow.datasets import scale_up
from hedgerow.evaluation.learners import learner as named_learner
from hedgerow.evaluation.scores import scores_of
from hedgerow.evaluation.splits import splits_of
from hedgerow.evaluation.tables import EvaluatedTable
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.release import Release
from hedgerow.schema import Schema
from reproductions.kactus.sets import ADULT_NAME, adult_table, table_of
from reproductions.tables import ADULT, adult

__all__ = [
    "AS_PRINTED",
    "KEPT",
    "MIN_OBJECTS",
    "MIN_SPLIT",
    "PRINTED_METHOD",
    "SEED",
    "SEVEN",
    "learn_with_numbers_kept",
    "time_scaled",
    "with_numbers_kept",
]

SEED: Final = 0
AS_PRINTED: Final = "kactus-mean"
"""kACTUS as it is printed: means, what is left at the root is lost, and a node of k records may be split."""
PRINTED_METHOD: Final = KActus(preset="paper")
MIN_OBJECTS: Final = "kactus-min-objects-2"
"""As printed, but MinObj is Weka's default: two records in two branches. Only MinObj differs from ``AS_PRINTED``."""
MIN_SPLIT: Final = "kactus-min-split"
"""Our default, but with the paper's MinObj. Only MinObj differs from ``"kactus"``."""
KEPT: Final = "numbers kept"

SEVEN: Final = ("age", "workclass", "education", "marital-status", "occupation", "sex", "native-country")
"""The paper does not say which seven."""
_KEPT_ATTRIBUTES: Final = 3
_SCALED_K: Final = 150


def learn_with_numbers_kept(
    *, dataset: str, quasi: str, k: int, learner: str, repetition: int, fold: int
) -> Mapping[str, Any]:
    """Learn from rows in which kACTUS suppressed cells but left all others, numbers too, as they were.

    Section 5.2 says so of its training rows. They are not k-anonymous: section 4.5 has means for that. A record shows
    what its path tells, also where it was lent to a sibling or lost.
    """
    table = adult_table(quasi) if dataset == ADULT_NAME else table_of(dataset)
    split = next(one for one in splits_of(table, "5x2cv", SEED) if (one.repetition, one.fold) == (repetition, fold))
    rows, tests = _taken(table, split.train), _taken(table, split.test)
    release = PRINTED_METHOD.anonymize(rows, table.schema, k=k, random_state=2 * repetition + fold)
    features = with_numbers_kept(release, rows.select(table.features))
    missing = table.schema.missing
    fitted = named_learner(learner).fit(
        features, rows.column(table.target), task=table.task, random_state=SEED, missing=missing
    )
    scores = scores_of(fitted.predict(tests.select(table.features)), tests.column(table.target), table.task)
    return {"method": AS_PRINTED, "hierarchies": "none", "train": KEPT, "test": "raw", "status": "done", **scores}


def _taken(table: EvaluatedTable, rows: Longs) -> pa.Table:
    return table.table.take(pa.array(rows))


def with_numbers_kept(release: Release, rows: pa.Table) -> pa.Table:
    recoded = release.recoding.transform(rows)
    columns = {}
    for name in rows.column_names:
        shown = recoded.column(name)
        if pa.types.is_dictionary(shown.type):
            shown = shown.cast(shown.type.value_type)
        held = pc.is_valid(shown)
        if pa.types.is_string(shown.type) or pa.types.is_large_string(shown.type):
            held = pc.and_(held, pc.fill_null(pc.not_equal(shown, SUPPRESSED_TEXT), False))
        columns[name] = pc.if_else(held, rows.column(name), pa.scalar(None, rows.column(name).type))
    return pa.table(columns)


def time_scaled(*, factor: int, classes: str, repetition: int) -> Mapping[str, Any]:
    """The seconds of growing the tree and of all else, for Adult with variations of each row (table 6).

    Parameters
    ----------
    factor : int
        How many times as many rows as Adult has.
    classes : {"drawn", "kept"}
        The class of a variation is drawn like its other values, or that of the record that is varied.
    repetition : int
        Another one draws other variations.
    """
    table = _scaled(factor, classes, repetition)
    schema = Schema(quasi=SEVEN, target=ADULT, accept=[ADULT])
    _anonymized(table.slice(0, 2000), schema, 10)  # what is compiled is not measured
    tree, whole, release = _anonymized(table, schema, _SCALED_K)
    facts = release.recoding.facts["tree"]
    return {
        "rows": table.num_rows,
        "tree_seconds": round(tree, 4),
        "other_seconds": round(whole - tree, 4),
        "leaves": facts["leaves"],
        "groups": len(release.recoding.sizes),
        "status": "done",
    }


def _scaled(factor: int, classes: str, repetition: int) -> pa.Table:
    rows = adult().select([*SEVEN, ADULT])
    varied = rows if classes == "drawn" else rows.select(list(SEVEN))
    table = scale_up(varied, factor, _KEPT_ATTRIBUTES, "domain", random_state=repetition)
    if classes == "drawn":
        return table
    return table.append_column(ADULT, pa.concat_tables([rows.select([ADULT])] * factor).column(0))


def _anonymized(table: pa.Table, schema: Schema, k: int) -> tuple[float, float, Release]:
    """The seconds of the tree and of the whole, and the release."""
    grow = resolve_inducer("c45")
    growing = 0.0

    def timed(training: TrainingTable) -> Any:
        nonlocal growing
        began = time.perf_counter()
        tree = grow(training)
        growing += time.perf_counter() - began
        return tree

    method = KActus(preset="paper", inducer=timed)
    began = time.perf_counter()
    release = method.anonymize(table, schema, k=k, random_state=SEED)
    return growing, time.perf_counter() - began, release
