"""How far one column tells people apart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.risk import audit, tells_apart


def test_who_has_a_value_of_their_own_is_told_apart_from_everybody() -> None:
    found = tells_apart(np.array([1, 1, 1]))
    assert (found.distinction, found.separation) == (1, 1)


def test_who_has_the_value_of_all_is_told_apart_from_nobody() -> None:
    found = tells_apart(np.array([4, 0]))
    assert (found.distinction, found.separation) == (0.25, 0)


def test_a_single_record_is_in_no_pair() -> None:
    assert tells_apart(np.array([1])).separation == 0


def test_the_audit_tells_it_of_every_quasi_identifier() -> None:
    """Of the ten pairs of zips four are alike: three of 12* and one of 13*."""
    table = pa.table({"zip": ["12*", "12*", "12*", "13*", "13*"], "sex": ["F"] * 5})
    found = audit(table, quasi=["zip", "sex"]).tells_apart
    assert found["zip"].distinction == pytest.approx(2 / 5)
    assert found["zip"].separation == pytest.approx(6 / 10)
    assert found["sex"].separation == 0


def test_the_audit_counts_classes_below_the_customary_sizes() -> None:
    """Classes of 2, 4 and 12: one is below 3, two below 5, two below 11, three below 20."""
    table = pa.table({"zip": ["a"] * 2 + ["b"] * 4 + ["c"] * 12})
    small = audit(table, quasi=["zip"]).classes.small
    assert [(one.high + 1, one.classes, one.records) for one in small] == [
        (3, 1, 2),
        (5, 2, 6),
        (11, 2, 6),
        (20, 3, 18),
    ]
