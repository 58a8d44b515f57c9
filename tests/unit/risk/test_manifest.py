"""Whether a saved release is the one that its manifest speaks of."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.risk.manifest import differences, manifest_fit


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    release = hr.anonymize(pa.table({"age": [20, 21]}), hr.Schema(quasi=["age"]), k=2)
    return release.save(tmp_path / "out.csv")


def test_a_table_that_was_changed_does_not_fit(saved: Path) -> None:
    assert manifest_fit(saved) == ("fits", [])
    saved.write_text(saved.read_text() + "x\n")
    fit, found = manifest_fit(str(saved))
    assert fit == "differs"
    assert found == differences(saved)
    assert "The table 'out.csv' is not the one" in found[0]


def test_proportions_that_the_manifest_does_not_know(saved: Path) -> None:
    saved.with_name("out.csv.proportions.json").write_text("{}")
    assert [text.startswith("The proportions of 'out.csv'") for text in differences(saved) or []] == [True]


def test_no_manifest_is_no_answer(saved: Path) -> None:
    saved.with_name("out.csv.manifest.json").write_text("[]")
    assert differences(saved) == ["The manifest beside 'out.csv' cannot be read."]
    saved.with_name("out.csv.manifest.json").unlink()
    assert differences(saved) is None
    assert manifest_fit(pa.table({"age": [1]})) == (None, [])
