"""The README's Python example runs, and its commands are those of the real programs."""

from __future__ import annotations

import doctest
from pathlib import Path

import hedgerow as hr

ROOT = Path(__file__).parents[2]


def test_the_examples_run() -> None:
    """Those of the site's pages are run by tests/docs."""
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_registered_method_is_in_the_table() -> None:
    from hedgerow.anonymizers.registry import METHODS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for method in METHODS.values():
        assert f"| `{method.name}` | `hr.{method.__name__}` | {method.family} |" in readme


def test_the_rows_before_and_after_are_those_of_the_demo() -> None:
    census = hr.datasets.make_census(20_000, random_state=7)
    release = hr.anonymize(
        census, hr.datasets.census_schema(), k=10, require="l=3@disease", random_state=7, publish="interval"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = ("age", "sex", "zip", "education", "marital-status", "disease")
    rows = census.take([0, 2])
    recoded = release.recoding.transform(rows.drop_columns(["name"]))
    for before, after in zip(rows.to_pylist(), recoded.to_pylist(), strict=True):
        assert f"| {before['name']} | {' | '.join(str(before[name]) for name in shown)} |" in readme
        zips = sorted(hr.parse(after["zip"]).members)[:3]  # type: ignore[union-attr]  # a set of texts
        after["zip"] = "{" + "|".join(map(str, zips)) + "|…}"
        cells = " | ".join(f"`{after[name]}`".replace("|", "\\|") for name in shown)
        assert f"| *dropped* | {cells} |" in readme
