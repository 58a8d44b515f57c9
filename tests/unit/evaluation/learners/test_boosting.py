"""Boosting: categories as such, and what becomes of too many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.evaluation.learners._scikit import Boosting


def test_the_rarest_of_too_many_categories_are_missing() -> None:
    many = [f"c{at:03}" for at in range(300)]
    table = pa.table({"c": many + many[:255] * 2})
    generator = np.random.default_rng(0)
    target = pa.array(generator.choice(["p", "q"], table.num_rows))
    fitted = Boosting(min_samples_leaf=1, max_iter=3).fit(table, target, task="classes", random_state=0)
    rare, unseen = (fitted.predict(pa.table({"c": [cell]})) for cell in ("c299", "new"))
    assert rare.probabilities.tolist() == unseen.probabilities.tolist()
    kept: Any = fitted
    assert kept.coding.codes[0].tolist() == [*range(255), *[-1] * 46]


def test_categories_are_no_numbers() -> None:
    """Every second category is of one class: a few splits by order could not tell, one by membership can."""
    names = [f"c{at:02}" for at in range(40)]
    table = pa.table({"c": names * 25})
    target = pa.array([str(at % 2) for at in range(40)] * 25)
    learner = Boosting(max_iter=1, max_leaf_nodes=2, min_samples_leaf=1)
    found = learner.fit(table, target, task="classes", random_state=0).predict(table)
    assert found.predicted.tolist() == target.to_pylist()
