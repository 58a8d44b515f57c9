"""What is measured of hybrid kACTUS: the accuracy of Weka's learners on original and on anonymized rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.suppression.hybrid_kactus import HybridKActus
from hedgerow.errors import required
from hedgerow.evaluation.learners import learner
from hedgerow.release import Release
from hedgerow.requirements import KAnonymity
from hedgerow.schema import Schema
from reproductions.tables import read_set

__all__ = [
    *("APART", "GUARANTEED", "KS", "LEARNERS", "METHODS", "PUBLISHED", "QUASI", "TARGETS", "WHOLE"),
    *("anonymized", "original"),
]

KS: Final = (5, 8, 10, 15, 20, 25)
LEARNERS: Final = ("j48", "weka-naive-bayes")
TARGETS: Final = {"heart-statlog": "class", "sonar": "class", "haberman": "survival"}
PUBLISHED: Final = "as published"
GUARANTEED: Final = "with the guarantee"
METHODS: Final[Mapping[str, HybridKActus]] = {
    PUBLISHED: HybridKActus(preset="paper"),
    GUARANTEED: HybridKActus(),
}
WHOLE: Final = "whole table"
"""The table is anonymized, and the result cross-validated."""
APART: Final = "training parts"
"""Each training part is anonymized, and tested on the other rows as they are."""

QUASI: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "heart-statlog": {
        "age, sex, thal": ("age", "sex", "thal"),
        "age, sex, blood pressure": ("age", "sex", "resting-blood-pressure"),
        "all": (),
    },
    "sonar": {"all": (), "first three": ("band1", "band2", "band3")},
    "haberman": {"age, year": ("age", "operation-year"), "all": ()},
}
"""How the quasi-identifiers of each table may be meant; nothing is all columns."""

_FOLDS: Final = 10
_ROW: Final = "row"  # a column that brings the rows of a release back into their order


def original(table: str, seed: int) -> dict[str, Any]:
    """The accuracy of both learners on an original table, in percent."""
    rows = read_set(table, TARGETS[table])
    return {"accuracy": _accuracy([rows] * _FOLDS, rows, TARGETS[table], seed, whole=True)}


def anonymized(table: str, quasi: str, method: str, reading: str, k: int, seed: int) -> dict[str, Any]:
    """The accuracy of both learners after a table, or every training part of it, was anonymized.

    Parameters
    ----------
    table : str
    quasi : str
        How its quasi-identifiers are meant; see :data:`QUASI`.
    method : str
        :data:`PUBLISHED` or :data:`GUARANTEED`.
    reading : str
        :data:`WHOLE` or :data:`APART`.
    k : int
    seed : int
        Of the folds and of the method.
    """
    target = TARGETS[table]
    rows = read_set(table, target)
    whole = reading == WHOLE
    parts = [rows] if whole else [rows.take(pa.array(train)) for train, _ in _folds(rows, target, seed)]
    releases = [_release(part, table, quasi, method, k, seed) for part in parts]
    published = [release.table.sort_by(_ROW) for release in releases] * (_FOLDS if whole else 1)
    return {"accuracy": _accuracy(published, rows, target, seed, whole=whole), **_about(releases, parts)}


def _accuracy(
    published: Sequence[pa.Table], rows: pa.Table, target: str, seed: int, *, whole: bool
) -> dict[str, float]:
    """Cross-validate: learn from a table for each fold, of all rows in their order if ``whole``, and count."""
    features = [name for name in rows.column_names if name != target]
    right = dict.fromkeys(LEARNERS, 0)
    for table, (train, test) in zip(published, _folds(rows, target, seed), strict=True):
        known = table.take(pa.array(train)) if whole else table
        asked = (table if whole else rows).take(pa.array(test))
        truth = np.asarray(asked.column(target).to_pylist(), dtype=object)
        for name in LEARNERS:
            fitted = learner(name).fit(known.select(features), known.column(target), task="classes", random_state=seed)
            right[name] += int((fitted.predict(asked.select(features)).predicted == truth).sum())
    return {name: 100 * number / rows.num_rows for name, number in right.items()}


def _release(rows: pa.Table, table: str, quasi: str, method: str, k: int, seed: int) -> Release:
    target = TARGETS[table]
    features = [name for name in rows.column_names if name != target]
    chosen = list(QUASI[table][quasi] or features)
    # As published, the tree asks all columns, and those of the requirement are hidden afterwards.
    asked = features if method == PUBLISHED else chosen
    others = [*(name for name in features if name not in asked), _ROW]
    schema = Schema(quasi=asked, target=target, insensitive=others, accept=[*others, target])
    numbered = rows.append_column(_ROW, pa.array(np.arange(rows.num_rows)))
    return METHODS[method].anonymize(numbered, schema, require=KAnonymity(k, shield=chosen), random_state=seed)


def _about(releases: Sequence[Release], parts: Sequence[pa.Table]) -> dict[str, Any]:
    facts = [release.recoding.facts for release in releases]
    return {
        "rows": sum(part.num_rows for part in parts),
        "published": sum(release.table.num_rows for release in releases),
        "k_reached": min(_reached(release) for release in releases),
        "leaves": max(one["tree"]["leaves"] for one in facts),
        "altered": sum(one.get("records_suppressed", 0) + one.get("records_perturbed", 0) for one in facts),
    }


def _reached(release: Release) -> int:
    """The k of the quasi-identifiers, which may be fewer columns than the tree asks."""
    return int(required(release.audit.verdict, "a verdict").findings[0].reached)


def _folds(rows: pa.Table, target: str, seed: int) -> list[tuple[Longs, Longs]]:
    return _weka_folds(tuple(rows.column(target).to_pylist()), seed)


@cache
def _weka_folds(target: tuple[str, ...], seed: int) -> list[tuple[Longs, Longs]]:
    """The training and test rows of each fold, as Weka's cross-validation with a seed has them."""
    from hedgerow.evaluation.learners.columns import Numbers
    from hedgerow.evaluation.learners.weka import java_class, start_java, write_rows
    from hedgerow.io.scratch import Scratch

    start_java("The paper's cross-validation", "There is no other way to have its folds.")
    labels = tuple(sorted(set(target)))
    codes = np.array([labels.index(one) for one in target], dtype=np.int32)
    with Scratch() as folder:
        path = folder / "rows.arff"
        write_rows(path, (Numbers("row", np.arange(len(target), dtype=np.float64)),), labels, codes)
        loader = java_class("weka.core.converters.ArffLoader")()
        loader.setFile(java_class("java.io.File")(str(path)))
        rows = loader.getDataSet()
    rows.setClassIndex(1)
    rows.randomize(java_class("java.util.Random")(seed))
    rows.stratify(_FOLDS)
    tests = [np.array(rows.testCV(_FOLDS, fold).attributeToDoubleArray(0), dtype=np.int64) for fold in range(_FOLDS)]
    every = np.arange(len(target))
    return [(np.setdiff1d(every, test), np.sort(test)) for test in tests]
