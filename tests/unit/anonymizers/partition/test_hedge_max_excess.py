"""Groups become larger where an attacker guesses labels of members right more often than those of others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput, Infeasible

SCHEMA = hr.Schema(quasi=["place", "size"], target="answer")


def people(rows: int = 400) -> pa.Table:
    """Random answers: whatever a release reveals about them beyond their share concerns these very people."""
    random = np.random.default_rng(3)
    return pa.table(
        {
            "place": random.integers(0, 200, rows),
            "size": random.integers(0, 50, rows),
            "answer": random.choice(["no", "yes"], rows),
        }
    )


def test_groups_are_larger_until_the_excess_is_allowed() -> None:
    free, bound = (
        hr.anonymize(people(), SCHEMA, method=hr.Hedge(k=3, max_excess=most), random_state=0) for most in (None, 0.1)
    )
    assert free.audit.k < 6
    assert bound.audit.k >= 12


def test_what_is_allowed_anyway_changes_nothing() -> None:
    free, bound = (
        hr.anonymize(people(), SCHEMA, method=hr.Hedge(k=20, max_excess=most), random_state=0) for most in (None, 1.0)
    )
    assert sorted(free.recoding.sizes) == sorted(bound.recoding.sizes)


def test_what_no_group_is_large_enough_for_is_said() -> None:
    with pytest.raises(Infeasible, match=r"^However large groups are"):
        hr.anonymize(people(40), SCHEMA, method=hr.Hedge(k=8, max_excess=0.0), random_state=0)


def test_a_table_that_is_too_small_to_try_is_refused() -> None:
    with pytest.raises(Infeasible, match="too small to measure the excess"):
        hr.anonymize(people(40), SCHEMA, method=hr.Hedge(k=15, max_excess=0.0), random_state=0)


def test_numbers_have_no_labels() -> None:
    table = people().set_column(2, "answer", pa.array(np.linspace(0, 1, 400)))
    with pytest.raises(BadInput, match="Hedge with max_excess"):
        hr.anonymize(table, SCHEMA, method=hr.Hedge(k=5, max_excess=0.1))
