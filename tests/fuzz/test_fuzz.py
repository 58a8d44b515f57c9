"""Every method on random cases: each release is saved, read back by other means, and counted again.

``make fuzz N=20000`` does the same with other cases each time.
"""

from __future__ import annotations

import zlib

import pytest
from hypothesis import HealthCheck, given, seed, settings

from cases import Case, to_json
from drawing import cases
from hedgerow.anonymizers.registry import METHODS
from running import run

MOST = 7


@pytest.mark.parametrize("method", METHODS)
def test_releases_keep_what_they_promise(method: str) -> None:
    # The same cases each time, and others for each method.
    @seed(zlib.crc32(method.encode()))
    @settings(max_examples=MOST, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(cases(method))
    def check(case: Case) -> None:
        outcome = run(case)
        assert not outcome.failed, (
            f"{outcome.kind}: {outcome.message}\n{outcome.detail}\n"
            f"Write this line to case.json, then type python tests/fuzz/replay.py case.json:\n{to_json(case)}"
        )

    check()
