"""What is measured of Hedge on Adult: what learners know of the test file, and what labels the release gives away.

The train file is anonymized, all inputs are quasi-identifiers. Every published row is redrawn three times, learners
learn from all of these, and the test file is asked as it is. All that a method chooses, it chooses on the train file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.partition.hedge import Hedge
from hedgerow.anonymizers.partition.mondrian import Mondrian
from hedgerow.anonymizers.suppression.kactus import KActus
from hedgerow.attacks.label_disclosure import Guessed, label_disclosure
from hedgerow.evaluation.cells import Treatment
from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.scores import scores_of
from hedgerow.evaluation.tables import EvaluatedTable, open_table
from hedgerow.evaluation.trials import anonymized
from hedgerow.learning import redraw
from hedgerow.release import Release
from hedgerow.schema import Schema
from reproductions.tables import ADULT, adult

__all__ = ["EXACT", "LEARNERS", "MEMBERS", "METHODS", "REDRAWS", "STRICT", "disclosed", "learnt", "learnt_from_raw"]

LEARNERS: Final = ("boosting", "logistic", "c45")
STRICT: Final = "hedge"
EXACT: Final = "hedge-exact"
METHODS: Final[Mapping[str, Anonymizer]] = {
    STRICT: Hedge(),
    EXACT: Hedge(min_support=1),
    "kactus": KActus(),
    "mondrian": Mondrian(),
}
"""All publish proportions; all but the exact one shares of at least k people."""
REDRAWS: Final = 3
MEMBERS: Final = 15_060
"""As many as the test file has people."""

_WARM_UP: Final = 600  # rows; what is compiled is not measured
_DIGITS: Final = 4


def learnt_from_raw(*, seed: int) -> dict[str, Any]:
    """The accuracy of every learner that has the train file as it is, and of the one that knows nothing, in percent."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # with which sums do not depend on the machine's cores
        return {"accuracy": _accuracies(adult("train"), (MAJORITY, *LEARNERS), seed)}


def learnt(*, method: str, k: int, seed: int) -> dict[str, Any]:
    """The accuracy of every learner that has the redrawn rows of a release, in percent, and what is known of it.

    Parameters
    ----------
    method : str
        One of :data:`METHODS`.
    k : int
    seed : int
        Of the method, of what is redrawn and of the learners.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        made = _made(method, k, seed)
        rows = redraw(made.release, REDRAWS, random_state=seed)
        audit = made.release.audit
        return {
            "accuracy": _accuracies(rows, LEARNERS, seed),
            "seconds": round(made.seconds, 2),
            "classes": audit.classes.number,
            "k_reached": audit.k,
            "ncp_published": audit.losses.get("ncp_published"),
            "singled_out": audit.singled_out,
            "chosen": made.release.recoding.facts.get("groups by"),
        }


def disclosed(*, method: str, k: int, seed: int) -> dict[str, Any]:
    """What a release tells of the labels of its people beyond what it tells of those of the test file, in points."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        train = adult("train")
        some = np.sort(np.random.default_rng(seed).permutation(train.num_rows)[:MEMBERS])
        members, others = train.take(pa.array(some)), adult("test")
        found = label_disclosure(_made(method, k, seed).release, members, others, random_state=seed)
        return {
            "members": found.members,
            "non_members": found.non_members,
            "alone": _told(found.alone),
            "stacked": _told(found.stacked),
        }


def _told(one: Guessed) -> dict[str, Any]:
    figures = {
        "excess": one.excess.value,
        "low": one.excess.low,
        "high": one.excess.high,
        "accuracy": one.members.accuracy.value,
        "control": one.control.accuracy.value,
        "recall": one.members.recall,
        "control_recall": one.control.recall,
    }
    return {name: round(100 * figure, _DIGITS) for name, figure in figures.items()}


@cache
def _train() -> EvaluatedTable:
    return open_table(adult("train"), Schema(target=ADULT))


@dataclass(frozen=True, eq=False)
class _Made:
    release: Release
    seconds: float


@lru_cache(maxsize=1)
def _made(method: str, k: int, seed: int) -> _Made:
    """A release of the train file, and how long it took."""
    table = _train()
    treatment = Treatment(method, METHODS[method], k, (), {"publish_proportions": True})
    _warmed_up(method)
    began = time.perf_counter()
    release = anonymized(table, treatment, seed)
    return _Made(release, time.perf_counter() - began)


@cache
def _warmed_up(method: str) -> None:
    small = open_table(adult("train").slice(0, _WARM_UP), Schema(target=ADULT))
    anonymized(small, Treatment(method, METHODS[method], _WARM_UP // 10, (), {"publish_proportions": True}), 0)


def _accuracies(rows: pa.Table, learners: tuple[str, ...], seed: int) -> dict[str, float]:
    table, tests = _train(), adult("test")
    found = {}
    for name in learners:
        fitted = learner(name).fit(rows.select(table.features), rows.column(ADULT), task="classes", random_state=seed)
        score = scores_of(fitted.predict(tests.select(table.features)), tests.column(ADULT), "classes")["accuracy"]
        found[name] = round(100 * float(score or 0.0), _DIGITS)
    return found
