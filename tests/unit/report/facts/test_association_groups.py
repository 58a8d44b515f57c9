"""Columns cut into groups, and how published cells are shared among these."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.io.domains import Domain
from hedgerow.report.facts._association import GROUPS, group_cells, group_domain, shares_of_cells


def test_numbers_are_cut_into_ranges_of_equally_many() -> None:
    numbers = np.arange(18.0)
    ages = Domain("age", "number", np.array([str(at) for at in range(18)]), numbers, has_missing=True)
    found = group_domain(ages, np.append(np.full(18, 5), 7))
    assert found.group.tolist() == [at // 2 for at in range(18)] + [GROUPS - 1]
    assert found.ends is not None
    assert found.ends.tolist() == [2, 4, 6, 8, 10, 12, 14, 16]


def test_a_number_of_many_is_a_group_of_its_own() -> None:
    ages = Domain("age", "number", np.array(["0", "1", "2"]), np.array([0.0, 1, 2]))
    assert len(set(group_domain(ages, np.array([1_000, 1, 1_000])).group.tolist())) == 3


def test_the_most_frequent_values_are_groups() -> None:
    found = group_cells([f"town {at}" for at in range(12)], np.array([1, 9, *[3] * 8, 1, 2]))
    assert found.group[1] == 0
    assert (found.group == GROUPS - 1).sum() == 3


def test_every_cell_is_shared_fully() -> None:
    labels = ["{a|b}", "a", "*", None, "b"]
    shares = shares_of_cells(labels, np.array([2, 4, 3, 1, 2]))
    assert shares.sum(axis=1) == pytest.approx(np.ones(5))
    # a is named by 5 rows, b by 3: a set is half of each, and what is hidden is like the rest of 9 rows.
    assert shares[:2, :2].tolist() == [[0.5, 0.5], [1, 0]]
    assert shares[2, :2].tolist() == pytest.approx([5 / 9, 3 / 9])
    assert shares[3, GROUPS - 1] == 1


def test_nothing_but_hidden_cells_is_shared_evenly() -> None:
    assert shares_of_cells(["*"], np.array([5]))[0].tolist() == pytest.approx([1 / GROUPS] * GROUPS)
