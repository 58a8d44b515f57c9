"""What a suppression limit may be, and how many records it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.parameters import check_limit, read_limit, records_allowed, refuse_losses


@pytest.mark.parametrize("limit", [0, 1, 200, 0.0, 0.02, 1.0, np.int64(3), np.float64(0.5)])
def test_shares_and_numbers(limit: Any) -> None:
    check_limit(limit, "Mondrian")


@pytest.mark.parametrize("limit", [-1, -0.1, 1.01, 2.0, True, None, "2%", float("nan"), float("inf")])
def test_what_is_neither(limit: Any) -> None:
    with pytest.raises(BadInput, match=r"'suppression_limit' parameter of Mondrian must be a share from 0\.0 to 1\.0"):
        check_limit(limit, "Mondrian")


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [(0, 0), (0.0, 0), (0.29, 2), (0.3, 3), (3, 3), (1, 1), (1.0, 9), (10, 9), (500, 9), (np.int32(2), 2)],
)
def test_how_many_of_ten(limit: Any, allowed: int) -> None:
    """One record at least is published."""
    assert records_allowed(limit, 10) == allowed


@pytest.mark.parametrize(
    ("typed", "limit"),
    [("2%", 0.02), (" 0.5 % ", 0.005), ("100%", 1.0), ("0.02", 0.02), ("200", 200), ("1", 1), ("1.0", 1.0)],
)
def test_as_typed(typed: str, limit: float) -> None:
    found = read_limit(typed)
    assert (found, type(found)) == (limit, type(limit))


@pytest.mark.parametrize("typed", ["", "%", "a few", "2 %%", "0x2"])
def test_what_cannot_be_read_stays_text(typed: str) -> None:
    assert read_limit(typed) == typed


def test_the_error_says_how_many_would_be_lost() -> None:
    assert str(refuse_losses("Mine", 1200, 30000, 300)) == (
        "Mine would lose 1,200 of the 30,000 records, and 300 may be lost. Raise suppression_limit "
        "(--suppression-limit) to 1200 or more."
    )
