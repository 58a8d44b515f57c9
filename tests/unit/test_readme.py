"""The README's Python example runs, and its commands are those of the real programs."""

from __future__ import annotations

import doctest
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_runs() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_registered_method_is_in_the_table() -> None:
    from hedgerow.anonymizers.registry import METHODS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for method in METHODS.values():
        assert f"| `{method.name}` | `hr.{method.class_name}` | {method.family} |" in readme
