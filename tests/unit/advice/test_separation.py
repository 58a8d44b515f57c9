"""How well columns tell rows apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hedgerow.advice._profiles import combinations, percent, separation


def test_separation_is_the_share_of_pairs_that_differ() -> None:
    codes = np.random.default_rng(1).integers(0, 5, 40)
    pairs = list(itertools.combinations(codes.tolist(), 2))
    assert separation(codes) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))
    assert separation(np.array([3])) == 0


def test_the_next_column_is_the_one_that_separates_most_beside_the_others() -> None:
    rows = np.arange(64)
    columns = {
        "coarse": rows // 8 % 4,
        "fine": rows // 4,
        "as fine": rows // 4,  # alone as good as fine, beside it worth nothing
        "rest": rows % 4,
    }
    found = combinations({name: codes.astype(np.int32) for name, codes in columns.items()})
    assert [one.columns for one in found] == [("fine",), ("fine", "rest")]
    assert (found[-1].alone, found[-1].distinction, found[-1].separation) == (1, 1, 1)
    assert found[0].distinction == 16 / 64
    assert combinations({}) == ()


def test_percents_do_not_round_to_all_or_nothing() -> None:
    assert [percent(one) for one in (0, 0.0001, 0.5, 0.99999, 1)] == ["0%", "1%", "50%", "99%", "100%"]
