"""Naive Bayes: by hand, against scikit-learn's, and where numbers are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.naive_bayes import CategoricalNB

from hedgerow import BadInput
from hedgerow.evaluation.learners import _bayes as bayes
from hedgerow.evaluation.learners._bayes import NaiveBayes
from hedgerow.evaluation.learners.columns import Numbers


def test_naive_bayes_by_hand() -> None:
    table = pa.table({"sky": ["grey", "grey", "blue", None, "blue"]})
    fitted = NaiveBayes().fit(table, pa.array(["wet", "wet", "wet", "dry", "dry"]), task="classes", random_state=0)
    found = fitted.predict(pa.table({"sky": ["grey", None]}))
    # dry: 2/5 · (0+1)/(1+2), by the one dry row that has a sky; wet: 3/5 · (2+1)/(3+2). Without a sky the frequencies.
    dry, wet = 2 / 5 / 3, 3 / 5 * 3 / 5
    assert found.probabilities[0] == pytest.approx([dry / (dry + wet), wet / (dry + wet)])
    assert found.probabilities[1] == pytest.approx([2 / 5, 3 / 5])


def test_naive_bayes_without_missing_cells_is_that_of_scikit_learn() -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, (200, 2))
    label = np.where(generator.random(200) < 0.2 + 0.3 * codes[:, 0], "p", "q")
    table = pa.table({name: np.array(["a", "b", "c"])[codes[:, at]] for at, name in enumerate("xy")})
    found = NaiveBayes(alpha=0.5).fit(table, pa.array(label), task="classes", random_state=0).predict(table)
    assert found.probabilities == pytest.approx(CategoricalNB(alpha=0.5).fit(codes, label).predict_proba(codes))


def test_numbers_are_cut_at_quantiles() -> None:
    edges = bayes._edges(np.arange(100.0), 10)
    assert edges.tolist() == [9.0, 19.0, 29.0, 39.0, 49.0, 59.0, 69.0, 79.0, 89.0]
    values = Numbers("x", np.array([-5.0, 9.0, 9.5, 500.0, np.nan]))
    assert bayes._binned(values, edges).tolist() == [0, 0, 1, 9, -1]
    assert bayes._edges(np.array([0.0] * 95 + [1.0] * 5), 10).tolist() == [0.0]
    assert bayes._edges(np.array([7.0] * 5 + [np.nan]), 10).tolist() == []


@pytest.mark.parametrize("bins", [1, 2.5, True])
def test_bins_are_checked(bins: Any) -> None:
    with pytest.raises(BadInput, match="'bins' parameter of NaiveBayes must be an int >= 2"):
        NaiveBayes(bins=bins)
