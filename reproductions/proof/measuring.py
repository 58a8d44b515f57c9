"""What is measured of releases with a proof: what boosting knows of raw rows that were not in the table.

The domain of Adult is declared: ages, hours and years of education in steps, gains and losses on a regular grid, and
the categories of ARX's hierarchies, which are those of the codebook. Nothing was tuned on the test file; on a hold-out,
a fifth of the train file, the shares of the budget and the number of groups and boxes were.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.scores import scores_of
from hedgerow.privacy import Budget, Domain, private_release
from reproductions.tables import ADULT, adult, adult_hierarchies

__all__ = ["BUDGETS", "HIERARCHIES", "HOLD_OUT", "LEARNERS", "SEEDS", "TEST", "learnt", "learnt_from_raw"]

SEEDS: Final = (0, 1, 2)
LEARNERS: Final = ("boosting", "logistic")
TEST: Final = "test file"
HOLD_OUT: Final = "hold-out"
BUDGETS: Final[Mapping[str, Budget]] = {
    "ε = 1": Budget.of_epsilon(1, "1e-5"),
    "ε = 2": Budget.of_epsilon(2, "1e-5"),
    "ε = 3": Budget.of_epsilon(3, "1e-5"),
    "advantage 0.05": Budget.of_advantage("0.05"),
}
"""With δ = 1e-5."""

NUMBERS: Final[Mapping[str, list[int]]] = {
    "age": [*range(15, 95, 5)],
    "fnlwgt": [*range(0, 500_000, 50_000), 500_000, 2_000_000],
    "education-num": [*range(1, 18)],
    "capital-gain": [0, 1, *range(500, 10_000, 500), 10_000, 15_000, 20_000, 50_000, 100_000],
    "capital-loss": [0, 1, *range(1_000, 3_000, 100), 3_000, 5_000],
    "hours-per-week": [*range(0, 105, 5)],
}
HIERARCHIES: Final = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
"""Whose values are declared."""

_REDRAWS: Final = 3
_TRAINED: Final = 0.8
_DIGITS: Final = 4


def learnt_from_raw(*, part: str, seed: int) -> dict[str, Any]:
    """The accuracy of learners that have the rows as they are, and of the one that knows nothing, in percent."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # with which sums do not depend on the machine's cores
        train, test = _parts(part, seed)
        return {"accuracy": _accuracies(train, test, (MAJORITY, *LEARNERS), seed), "tested": test.num_rows}


def learnt(*, part: str, budget: str, seed: int) -> dict[str, Any]:
    """The accuracy of learners that have rows drawn from a release, in percent.

    Parameters
    ----------
    part : str
        :data:`TEST` or :data:`HOLD_OUT`.
    budget : str
        One of :data:`BUDGETS`.
    seed : int
        Of what is public, of the split and of the learners. Noise has no seed: a second run has other figures.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        train, test = _parts(part, seed)
        began = time.perf_counter()
        cost = BUDGETS[budget]
        ledger = Path(folder) / "adult.privacy.jsonl"
        release = private_release(train, _domain(), **_asked(budget), ledger=ledger, random_state=seed)
        seconds = time.perf_counter() - began
        rows = release.draw(_REDRAWS, random_state=seed)
        return {
            "accuracy": _accuracies(rows, test, LEARNERS, seed),
            "tested": test.num_rows,
            "boxes": release.boxes.num_rows,
            "advantage": cost.advantage,
            "seconds": round(seconds, 2),
        }


def _asked(budget: str) -> dict[str, Any]:
    kind, number = budget.rsplit(" ", 1)
    return {"max_advantage": number} if kind == "advantage" else {"epsilon": number, "delta": "1e-5"}


@cache
def _domain() -> Domain:
    known = adult_hierarchies()
    columns = [name for name in adult("train").column_names if name != ADULT]
    return Domain(
        {name: NUMBERS[name] if name in NUMBERS else known[name] for name in columns},
        target=ADULT,
        labels=["<=50K", ">50K"],
    )


def _parts(part: str, seed: int) -> tuple[pa.Table, pa.Table]:
    """The train and the test file; or four fifths of the train file, and the rest."""
    train = adult("train")
    if part == TEST:
        return train, adult("test")
    order = np.random.default_rng(1000 + seed).permutation(train.num_rows)
    cut = int(_TRAINED * len(order))
    return train.take(pa.array(order[:cut])), train.take(pa.array(order[cut:]))


def _accuracies(rows: pa.Table, test: pa.Table, learners: tuple[str, ...], seed: int) -> dict[str, float]:
    names = [name for name in test.column_names if name != ADULT]
    scores = {}
    for name in learners:
        fitted = learner(name).fit(rows.select(names), rows.column(ADULT), task="classes", random_state=seed)
        score = scores_of(fitted.predict(test.select(names)), test.column(ADULT), "classes")["accuracy"]
        scores[name] = round(100 * float(score or 0.0), _DIGITS)
    return scores
