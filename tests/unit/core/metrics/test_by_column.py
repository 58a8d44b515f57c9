"""What one column lost, on columns that can be solved by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import losses_by_column, ncp_published, non_uniform_entropy, suppression
from hedgerow.core.recoding import Recoding

Build = Callable[..., tuple[FrequencyTable, Recoding]]


def test_bits_and_width_of_each_column(build: Build) -> None:
    """Towns: a ×4 stay, b ×2 and c ×2 become {b|c}. 12 bits say the towns (4·1 + 4·2), 4 are missing."""
    release = build({"town": list("aaaabbcc"), "sex": list("FMFMFMFM")}, [0, 0, 0, 0, 1, 1, 1, 1])
    found = losses_by_column(*release)
    assert found["town"].bits_kept == pytest.approx(8 / 12)
    assert found["town"].ncp_published == pytest.approx((4 * 0 + 4 * 1 / 2) / 8)
    assert found["sex"].bits_kept == pytest.approx(0)
    assert found["sex"].ncp_published == 1
    assert found["sex"].suppression == 0


def test_suppressed_cells_and_lost_records_keep_nothing(build: Build) -> None:
    """Two records show their town, two hide it, two are lost: 6 bits (log₂ 2 each) say six towns, 2 are told."""
    release = build({"town": list("abaabb")}, [0, 1, 2, 2, -1, -1], suppress=[(2, "town")])
    found = losses_by_column(*release)["town"]
    assert found.bits_kept == pytest.approx(2 / 6)
    assert found.suppression == pytest.approx(4 / 6)
    assert found.ncp_published == pytest.approx(4 / 6)


def test_a_column_with_one_value_has_no_bits(build: Build) -> None:
    assert losses_by_column(*build({"town": ["a", "a"]}, [0, 0]))["town"].bits_kept is None


def test_columns_add_up_to_the_metrics_of_the_release(build: Build) -> None:
    release = build({"age": [20, 25, 30, 60], "job": list("abac")}, [0, 0, 0, -1], suppress=[(0, "job")])
    found = losses_by_column(*release).values()
    assert sum(one.ncp_published for one in found) / 2 == pytest.approx(ncp_published(*release))
    assert sum(one.suppression for one in found) / 2 == pytest.approx(suppression(*release))
    # 4 ages of 2 bits each; jobs: twice 1 bit (a), twice 2 bits.
    missing = (1 - found_bits(release, "age")) * 8 + (1 - found_bits(release, "job")) * 6
    assert missing == pytest.approx(non_uniform_entropy(*release))


def found_bits(release: tuple[FrequencyTable, Recoding], column: str) -> float:
    kept = losses_by_column(*release)[column].bits_kept
    assert kept is not None
    return kept
