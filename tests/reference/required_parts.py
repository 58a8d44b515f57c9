"""What tests need beside Python, and whether a run may do without it.

On a person's machine a test that lacks something is skipped with the line to type. On CI (``CI=true``) it fails, so
that nothing is skipped unseen. A workflow on machines that cannot have everything names what must be there, and only
the rest may be skipped: ``HEDGEROW_REQUIRE="java index"``; ``all`` and ``none`` mean everything and nothing.
"""

from __future__ import annotations

import os
from typing import Final, NoReturn

import pytest

__all__ = ["PARTS", "do_without", "is_required"]

PARTS: Final = ("data", "java", "browser", "index")
"""The real data sets; Java with Spark and Weka; Chromium; and an index of packages that pip reaches."""


def do_without(part: str, reason: str) -> NoReturn:
    """Skip the test that lacks a part, or let it fail where the part must be there."""
    if is_required(part):
        pytest.fail(reason)
    pytest.skip(reason)


def is_required(part: str) -> bool:
    """Whether a run must have a part."""
    named = os.environ.get("HEDGEROW_REQUIRE", "all" if os.environ.get("CI") == "true" else "none").split()
    unknown = {part, *named} - {*PARTS, "all", "none"}
    if unknown:
        pytest.fail(f"HEDGEROW_REQUIRE knows {', '.join(PARTS)}, all and none. Got {', '.join(sorted(unknown))}.")
    return part in named or "all" in named
