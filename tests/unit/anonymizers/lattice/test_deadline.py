"""The moment at which a search has to end."""

from __future__ import annotations

import math

from hedgerow.anonymizers.lattice._options import Deadline


def test_without_a_number_of_seconds_it_never_comes() -> None:
    assert Deadline(None).left == math.inf
    assert not Deadline(None).passed


def test_it_has_passed_once_nothing_is_left() -> None:
    assert Deadline(0).passed
    assert not Deadline(1000).passed
    assert 0 < Deadline(1000).left <= 1000
