"""Every promise on the page about what is verified names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "concepts" / "verified.md"


def test_every_promise_has_a_test() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    promises = rows[rows.index("| --- | --- | --- |") + 1 :]
    assert len(promises) > 10
    code = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    for promise in promises:
        backing = re.findall(r"`([^`]+)`", promise.rsplit("|", 2)[1])
        assert backing, promise
        for name in backing:
            found = (TESTS / name).is_file() if name.endswith(".py") else f"def {name}(" in code
            assert found, name
