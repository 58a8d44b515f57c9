"""A method that begins to make other releases raises its ``results_version``, so that no stale result is taken for new.

``tests/golden/results_versions.json`` holds a digest of one release of each method. Where a release has changed on
purpose, raise the version of the method and write the file anew:
``HEDGEROW_WRITE_VERSIONS=1 pytest tests/unit/anonymizers/test_results_version.py``.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS

PATH = Path(__file__).parents[2] / "golden" / "results_versions.json"
SCHEMA = hr.Schema(
    quasi=["age", "sex", "education"],
    target="income",
    others="drop",
    hierarchies={"age": "intervals:5,10,20", "sex": "flat", "education": "flat"},
)


def now(name: str) -> dict[str, Any]:
    """The version of a method, and the digest of the rows of a release, in any order.

    Of several optima MinGen takes the solver's first, which differs between versions of SciPy: there the digest is of
    what all optima have in common, the proof, the generalizations and Prec.
    """
    table = hr.datasets.make_census(200, random_state=5)
    release = METHODS[name]().anonymize(table, SCHEMA, k=4, random_state=7)
    rows = sorted(repr(tuple(row.values())) for row in release.table.to_pylist())
    if name == "mingen":
        facts = release.recoding.facts
        rows = [repr(facts["proved"]), repr(facts["generalizations"]), f"{release.losses['prec']:.12f}"]
    return {"version": METHODS[name].results_version, "digest": hashlib.sha256("\n".join(rows).encode()).hexdigest()}


@pytest.mark.parametrize("name", METHODS)
def test_the_version_is_raised_with_the_results(name: str) -> None:
    if os.environ.get("HEDGEROW_WRITE_VERSIONS"):
        known = json.loads(PATH.read_text()) if PATH.exists() else {}
        PATH.write_text(json.dumps({**known, name: now(name)}, indent=1, sort_keys=True) + "\n")
    assert json.loads(PATH.read_text())[name] == now(name), (
        f"{name} makes another release than before. If that is meant, raise its results_version and write it anew."
    )
