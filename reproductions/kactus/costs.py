"""What is measured besides accuracy: records that are lost, by gain and by gain ratio, and seconds with numbers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.anonymizers.suppression.kactus import KActus
from hedgerow.anonymizers.trees._growth import collapse, grown, raise_and_prune, whole_table
from hedgerow.anonymizers.trees.inducers.c45 import rules_of
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.training import TrainingTable
from hedgerow.schema import Schema
from reproductions.kactus.measuring import PRINTED_METHOD, SEED
from reproductions.kactus.sets import ADULT_NAME, ALL_INPUTS, adult_table, table_of
from reproductions.tables import ADULT, adult

__all__ = ["CRITERIA", "KINDS", "LEAST", "count_lost", "time_numbers"]

CRITERIA: Final = ("gain ratio", "gain")
LEAST: Final = ("k", "2")
KINDS: Final = ("numbers", "categories")

_CONFIDENCE: Final = 0.25  # of C4.5
_TIMED_K: Final = 150
_NUMBERS: Final = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_CATEGORIES: Final = 10
"""So many of them has a number that is made a category: its tenths, by rank."""


def count_lost(*, dataset: str, k: int, criterion: str, least: str) -> Mapping[str, Any]:
    """The records of a whole set that kACTUS loses as it is printed, its tree by gain ratio or by gain.

    Parameters
    ----------
    dataset : str
        All its inputs are quasi-identifiers.
    k : int
    criterion : {"gain ratio", "gain"}
        By gain, the tree is C4.5's in all else.
    least : {"k", "2"}
        MinObj: a node needs k records to be split, or two branches need Weka's two records each.
    """
    table = adult_table(ALL_INPUTS) if dataset == ADULT_NAME else table_of(dataset)
    inducer = "c45" if criterion == CRITERIA[0] else by_gain
    method = (
        KActus(preset="paper", inducer=inducer)
        if least == "k"
        else KActus(preset="paper", inducer=inducer, min_split=1, min_objects=2)
    )
    release = method.anonymize(table.table, table.schema, k=k, random_state=SEED)
    rows = table.table.num_rows
    return {
        "rows": rows,
        "lost": rows - release.table.num_rows,
        "ncp_published": release.audit.losses.get("ncp_published"),
        "status": "done",
    }


def by_gain(table: TrainingTable) -> ClassificationTree:
    """C4.5 but for its criterion: the attribute with the highest gain is asked."""
    whole = whole_table(list(table.columns), table.labels, len(table.classes), table.weights)
    rules = rules_of(whole.columns, float(whole.weights.sum()), table.min_objects)
    nodes = grown(whole, None, rules._replace(by_ratio=False))
    collapse(nodes)
    raise_and_prune(nodes, whole, _CONFIDENCE)
    return ClassificationTree(table.attributes, table.classes, nodes.compact())


def time_numbers(*, kind: str, repetition: int) -> Mapping[str, Any]:
    """The seconds of kACTUS on Adult with all inputs, its numbers as they are or as categories.

    Parameters
    ----------
    kind : {"numbers", "categories"}
        As categories, each number is replaced by the tenth of the rows in which it ranks.
    repetition : int
        Another one shuffles the rows in another way.
    """
    import numpy as np

    rows = adult()
    rows = rows.take(pa.array(np.random.default_rng(repetition).permutation(rows.num_rows)))
    if kind == "categories":
        rows = _as_categories(rows)
    schema = Schema(quasi=[name for name in rows.column_names if name != ADULT], target=ADULT, accept=[ADULT])
    PRINTED_METHOD.anonymize(rows.slice(0, 2000), schema, k=10, random_state=SEED)  # what is compiled is not measured
    began = time.perf_counter()
    release = PRINTED_METHOD.anonymize(rows, schema, k=_TIMED_K, random_state=SEED)
    return {
        "rows": rows.num_rows,
        "seconds": round(time.perf_counter() - began, 4),
        "leaves": release.recoding.facts["tree"]["leaves"],
        "status": "done",
    }


def _as_categories(rows: pa.Table) -> pa.Table:
    for name in _NUMBERS:
        ranks = pc.rank(rows[name].combine_chunks(), tiebreaker="min")
        tenths = pc.divide(pc.multiply(pc.subtract(ranks, 1), _CATEGORIES), rows.num_rows)
        texts = pc.binary_join_element_wise("tenth", pc.cast(tenths, pa.string()), " ")
        rows = rows.set_column(rows.column_names.index(name), name, texts)
    return rows
