"""How a release was made, and the digests of its files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts._provenance import with_digests

TABLE = pa.table({"age": list(range(20, 40)), "sex": ["F", "M"] * 10, "ill": ["x", "y", "y", "x"] * 5})


@pytest.fixture
def release() -> Release:
    return hr.anonymize(TABLE, hr.Schema(quasi=["age", "sex"], target="ill", weights={"age": 2}), method="kactus", k=4)


def test_what_the_manifest_tells(release: Release) -> None:
    found = gather(release).provenance
    assert (found.method, found.requirements) == ("kactus", ("4-anonymity",))
    assert found.paper == "Kisilevich, Rokach, Elovici, Shapira (IEEE TKDE 2010)"
    assert found.parameters["inducer"] == "c45"
    assert found.parameters["weights"] == "age 2"
    assert set(found.method_facts) == {"tree", "records_lent"}
    assert set(found.hierarchies) == {"age", "sex"}
    assert found.versions["hedgerow"] == hr.__version__
    assert {one.label: one.value for one in found.losses} == pytest.approx(dict(release.audit.losses), abs=1e-3)
    assert found.losses[0].meaning.endswith("Higher is better.")


def test_digests_of_what_was_written(release: Release, tmp_path: Path) -> None:
    path = release.save(tmp_path / "out.csv")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert gather(release).provenance.digests == ()
    assert gather(release).provenance.digests_note
    for found in (with_digests(gather(release).provenance, manifest), gather(hr.Release.load(path)).provenance):
        assert [(one.what, one.sha256) for one in found.digests] == [("the table", digest)]
        assert found.digests_note == ""


def test_an_audit_of_a_table_that_was_changed(release: Release, tmp_path: Path) -> None:
    path = release.save(tmp_path / "out.csv")
    path.write_text(path.read_text().replace(",x\n", ",z\n"))
    found = gather(hr.audit(path, quasi=["age", "sex"])).provenance
    assert found.manifest == "The table is NOT the one that the manifest beside it describes."
    assert (found.method, found.losses, found.versions) == (None, (), {})
