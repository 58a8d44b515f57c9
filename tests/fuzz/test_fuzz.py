"""Every method on random cases: each release is saved, read back by other means, and counted again.

``make fuzz N=20000`` does the same with other cases each time.
"""

from __future__ import annotations

import zlib

import pytest
from hypothesis import HealthCheck, given, seed, settings

from cases import Case, Column, to_json
from drawing import cases
from hedgerow.anonymizers.registry import METHODS
from running import run
from sources import FILES, SOURCES

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


@pytest.mark.parametrize("source", [*SOURCES, *FILES])
def test_every_kind_of_source_at_a_size_where_all_threads_work(source: str) -> None:
    """Faults of threads need more rows than other cases have."""
    rows = 12
    case = Case(
        method="mondrian",
        options={},
        columns=(
            Column("name", "text", "identifying", tuple(f"Zq7person{row}" for row in range(rows))),
            Column("age", "int", "quasi", tuple(20 + row % 7 for row in range(rows))),
            Column("sex", "text", "quasi", ("F", "M") * (rows // 2)),
            Column("born", "date", "quasi", tuple(f"196{row % 3}-01-0{1 + row % 4}" for row in range(rows))),
            Column("ill", "text", "sensitive", ("flu", "cold", "cold") * (rows // 3)),
            Column("row", "text", "insensitive", tuple(f"row-{row}" for row in range(rows))),
        ),
        k=5,
        require=({"name": "l", "l": 2, "column": "ill"},),
        source=source,
        times=2_500,
    )
    outcome = run(case)
    assert not outcome.failed, f"{outcome.kind}: {outcome.message}\n{outcome.detail}"
