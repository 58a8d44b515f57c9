"""What is measured for HeuristicMin: a method on a worked case, or on rows of Adult."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from hedgerow.core.metrics import METRICS
from hedgerow.errors import BadInput, Infeasible, required
from hedgerow.hierarchies import intervals
from hedgerow.release.pipeline import Prepared, finish, prepare
from hedgerow.requirements import KAnonymity
from hedgerow.schema import Schema
from reproductions.heuristicmin.cases import CASES
from reproductions.tables import ADULT, adult, adult_hierarchies

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.core.counts import FrequencyTable
    from hedgerow.core.recoding import Recoding

__all__ = ["METHODS", "QUASI", "SECONDS", "SHIELDS", "measure_adult", "method_of", "work_case"]

METHODS: Final = ("HeuristicMin", "HeuristicMin, all cuts", "MinGen", "AllMin", "AllMin, halving", "TDS", "BUG")

QUASI: Final = (
    "education",
    "sex",
    "hours-per-week",
    "age",
    "workclass",
    "marital-status",
    "race",
    "native-country",
    "occupation",
)
"""The three columns of the paper's cases, then others of Adult that have a hierarchy."""

SHIELDS: Final[Mapping[str, Sequence[tuple[Sequence[str] | None, int]]]] = {
    "one": ((None, 10),),
    "two": ((("education", "sex"), 10), (("sex", "hours-per-week"), 25)),
    "three": ((("education", "sex"), 10), (("sex", "hours-per-week"), 25), (("age", "workclass"), 50)),
}
"""Requirements on Adult by their number: shields and k. Without a shield all quasi-identifiers are in it."""

SECONDS: Final = 60.0
"""After which MinGen stops."""

_CLASS: Final = "Class"
_FOLDS: Final = 10
_LEAST_ROWS: Final = 1000  # of which naive Bayes is learnt


def work_case(case: str, method: str) -> dict[str, Any]:
    """A method on a worked case: its table, and naive Bayes on it in ten folds, dealt in ten ways."""
    made = _case(case)
    found, recoding = _fitted(made, method)
    if recoding is None:
        return found
    table = finish(made, recoding, {}).table
    accuracies = [_naive_bayes(table, made.counts.quasi, _CLASS, seed) for seed in range(_FOLDS)]
    return {**found, "table": _distinct(table, made.counts.quasi), "accuracies": accuracies}


def measure_adult(method: str, rows: int, quasi: int, requirements: str, sample: int) -> dict[str, Any]:
    """A method on so many rows of Adult.

    Parameters
    ----------
    method : str
        Of ``METHODS``.
    rows : int
        Drawn from the training rows without missing values; all of them if there are no more.
    quasi : int
        So many of ``QUASI`` are quasi-identifiers.
    requirements : str
        Of ``SHIELDS``.
    sample : int
        The seed of the draw, and of the folds.
    """
    made = _adult(rows, quasi, requirements, sample)
    _warmed(method)
    found, recoding = _fitted(made, method)
    if recoding is not None and rows >= _LEAST_ROWS:
        table = finish(made, recoding, {}).table
        found["accuracy"] = _naive_bayes(table, made.counts.quasi, ADULT, sample)
    return found


def method_of(name: str) -> Anonymizer:
    """The method of a name in ``METHODS``."""
    from hedgerow.anonymizers.lattice.allmin import AllMin
    from hedgerow.anonymizers.lattice.heuristicmin import HeuristicMin
    from hedgerow.anonymizers.lattice.mingen import MinGen
    from hedgerow.anonymizers.specialize.bug import BUG
    from hedgerow.anonymizers.specialize.tds import TDS

    known: dict[str, Anonymizer] = {
        "HeuristicMin": HeuristicMin(preset="paper"),
        "HeuristicMin, all cuts": HeuristicMin(complete=True),
        "MinGen": MinGen(preset="paper", time_limit=SECONDS),
        "AllMin": AllMin(preset="paper", search="linear"),
        "AllMin, halving": AllMin(search="binary"),
        "TDS": TDS(preset="paper", loss="node"),
        "BUG": BUG(preset="paper"),
    }
    return known[name]


def _case(name: str) -> Prepared:
    """A row for each record."""
    case = CASES[name]
    records = [[*cells, label] for *cells, held in case.rows for label, count in held.items() for _ in range(count)]
    table = pa.table({column: [record[at] for record in records] for at, column in enumerate([*case.columns, _CLASS])})
    schema = Schema(quasi=case.columns, target=_CLASS, hierarchies=case.taxonomies, accept=[_CLASS])
    demands = [KAnonymity(k, shield=shield) for shield, k in case.requirements]
    return prepare(table, schema, demands, random_state=0)


def _adult(rows: int, quasi: int, requirements: str, sample: int) -> Prepared:
    table = adult("train")
    if rows < table.num_rows:
        drawn = np.random.default_rng([sample, rows]).choice(table.num_rows, rows, replace=False)
        table = table.take(pa.array(np.sort(drawn)))
    known: dict[str, Any] = {**adult_hierarchies(), "hours-per-week": intervals(width=10, levels=[20, 40])}
    names = QUASI[:quasi]
    schema = Schema(quasi=names, target=ADULT, hierarchies={name: known[name] for name in names}, others="drop")
    demands = [KAnonymity(k, shield=names if shield is None else shield) for shield, k in SHIELDS[requirements]]
    return prepare(table, schema, demands, random_state=0)


@cache
def _warmed(method: str) -> None:
    """Compile what a method needs before it is timed."""
    for case in ("1", "2"):
        made = _case(case)
        method_of(method).fit_counts(made.counts, made.requirements, seed=0)


def _fitted(made: Prepared, method: str) -> tuple[dict[str, Any], Recoding | None]:
    """What a method makes of a table, the fit alone timed."""
    before = {"rows_before": len(made.counts.tuples)}
    began = time.perf_counter()
    try:
        recoding = method_of(method).fit_counts(made.counts, made.requirements, seed=0)
    except (BadInput, Infeasible) as reason:
        return {"status": "refused", "reason": str(reason), **before}, None
    seconds = time.perf_counter() - began
    found = {
        "status": "done",
        **before,
        "rows_after": len(recoding.sizes),
        "prec": METRICS["prec"].function(made.counts, recoding),
        **_generalized(made.counts, recoding),
        **_effort(recoding),
        "seconds": round(seconds, 4),
    }
    return found, recoding


def _generalized(counts: FrequencyTable, recoding: Recoding) -> dict[str, Any]:
    """How much was generalized: steps and cells of records, records, and cells of distinct rows."""
    pieces = required(recoding.pieces, "the pieces of a recoding")
    tuples = counts.cell_tuple[pieces.cell]
    steps = []
    for at, name in enumerate(counts.quasi):
        hierarchy = counts.hierarchies[name]
        nodes = required(recoding.columns[at].nodes, "the nodes of a column")
        above = hierarchy.depth[nodes[recoding.groups[pieces.group, at]]]
        steps.append(hierarchy.depth[hierarchy.leaf_of[counts.tuples[tuples, at]]] - above)
    climbed = np.stack(steps, axis=1)
    lifted = climbed > 0
    of_rows = np.zeros((len(counts.tuples), len(counts.quasi)), dtype=np.bool_)
    np.logical_or.at(of_rows, tuples, lifted)
    records = int(pieces.size.sum())
    return {
        "steps": int(pieces.size @ climbed.sum(axis=1)),
        "cells_generalized": float(pieces.size @ lifted.sum(axis=1)) / (records * len(counts.quasi)),
        "records_generalized": float(pieces.size @ lifted.any(axis=1)) / records,
        "row_cells": int(of_rows.sum()),
    }


def _effort(recoding: Recoding) -> dict[str, Any]:
    """How many generalized tables a search looked at, or steps it took; and whether it came to its end."""
    facts = recoding.facts
    taken = facts.get("specializations") or facts.get("generalizations")
    states = facts.get("states_generated", facts.get("states"))
    if states is None and isinstance(taken, Mapping):
        states = sum(taken.values())
    optimal = str(facts.get("optimal", ""))
    finished = facts.get("proved", not optimal.startswith("unproved"))
    return {"states": states, "space": facts.get("nodes"), "finished": bool(finished), "gap": facts.get("gap")}


def _distinct(table: pa.Table, quasi: Sequence[str]) -> list[list[Any]]:
    """The distinct rows of a release, with the records of each class."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for row in table.to_pylist():
        found.setdefault(tuple(str(row[name]) for name in quasi), Counter())[row[_CLASS]] += 1
    return sorted([*cells, dict(sorted(classes.items()))] for cells, classes in found.items())


def _naive_bayes(table: pa.Table, quasi: Sequence[str], target: str, seed: int) -> float:
    """The accuracy of naive Bayes in ten folds of a release, in percent; every cell is a category."""
    from sklearn.model_selection import StratifiedKFold

    from hedgerow.evaluation.learners import learner

    # A release is shuffled by the operating system's randomness; folds must not depend on that.
    by = [(name, "ascending") for name in (*quasi, target)]
    rows = pa.table({name: table[name].cast(pa.string()) for name in (*quasi, target)}).sort_by(by)
    features = pa.table({name: rows[name].combine_chunks().dictionary_encode() for name in quasi})
    truth = np.array(rows[target].to_pylist(), dtype=object)
    right = 0
    for train, test in StratifiedKFold(_FOLDS, shuffle=True, random_state=seed).split(truth, truth):
        model = learner("naive-bayes").fit(
            features.take(pa.array(train)), pa.array(truth[train]), task="classes", random_state=seed
        )
        right += int((model.predict(features.take(pa.array(test))).predicted == truth[test]).sum())
    return 100 * right / len(truth)
