"""k people: exactly k rows at home suffice, one fewer does not, whoever else has rows there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.io.domains import AT_HOME
from hedgerow.release.pipeline import prepare
from hedgerow.requirements import Histograms, Representatives, context_of


def visits(people: int, each: int) -> pa.Table:
    return pa.table({"who": [who for who in range(people) for _ in range(each)], "age": [30] * (people * each)})


@pytest.mark.parametrize(("k", "holds"), [(3, True), (4, True), (5, False), (6, False)])
def test_rows_at_home_are_compared_with_k(k: int, holds: bool) -> None:
    counts = prepare(visits(4, 5), hr.Schema(quasi=["age"], entity="who"), [hr.KAnonymity(2)], random_state=0).counts
    bound = Representatives(k).bind(context_of(counts, [Representatives(k)]))
    is_representative = counts.values_of(AT_HOME)
    histogram = np.bincount(is_representative, counts.cell_sizes, 2).astype(np.int64)
    assert histogram.tolist() == [16, 4]
    histograms = Histograms(np.array([0, 2]), np.array([0, 1]), histogram)
    assert bound.satisfied(np.array([20]), histograms).tolist() == [holds]


@pytest.mark.parametrize("method", ["mondrian", "k-member", "optimal", "tds", "kactus"])
def test_a_table_of_exactly_k_people_is_released_and_one_of_fewer_is_not(method: str) -> None:
    table = visits(4, 5).append_column("ill", pa.array(["yes", "no"] * 10))
    schema = hr.Schema(quasi=["age"], target="ill", entity="who")
    assert hr.anonymize(table, schema, method=method, k=4, random_state=0).audit.k == 4
    with pytest.raises((hr.Infeasible, hr.BadInput)):
        hr.anonymize(table, schema, method=method, k=5, random_state=0)
