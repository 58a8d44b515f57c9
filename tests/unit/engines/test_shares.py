"""A memory limit, divided."""

from __future__ import annotations

import pytest

from hedgerow.engines import workspace as shares
from hedgerow.engines.workspace import LEAST_LIMIT, divided
from hedgerow.errors import BadInput


def test_what_the_process_holds_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_held", lambda: 500 * 10**6)
    found = divided("2GB")
    assert found is not None
    assert found.database + found.counts == 1500 * 10**6
    assert found.database == found.counts == 2 * found.verifier


def test_a_process_that_holds_too_much_gets_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_held", lambda: 5 * 10**9)
    found = divided("1 gb")
    assert found is not None
    assert found.database + found.counts == LEAST_LIMIT // 2


def test_libraries_that_come_later_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_held", lambda: 10**6)
    found = divided("4GiB")
    assert found is not None
    assert found.database + found.counts == 4 * 2**30 - 320 * 2**20


def test_no_limit() -> None:
    assert divided(None) is None


@pytest.mark.parametrize("limit", ["2", "2GBit", "-2GB", "80%", "", "999MB", "nanGB"])
def test_wrong_limits(limit: str) -> None:
    with pytest.raises(BadInput, match="'memory_limit' parameter of File must be"):
        divided(limit)


def test_more_columns_leave_room_for_fewer_tuples() -> None:
    found = divided("2GB")
    assert found is not None
    assert found.most_tuples(8) > found.most_tuples(30) > 1_000_000
