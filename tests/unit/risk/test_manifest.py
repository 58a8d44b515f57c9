"""Whether a saved release is the one that its manifest speaks of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.risk.manifest import differences, is_dropped, manifest_fit, stated_beside


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


SCHEMA = hr.Schema(quasi=["age"], sensitive=["ill"], others="insensitive")
PEOPLE = pa.table({"age": [20, 20, 20, 40, 40, 40] * 2, "ill": ["flu", "cold", "pox"] * 4})


def test_an_audit_takes_roles_and_requirements_from_the_manifest(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, require=[hr.LDiversity(2, "ill")], random_state=0)
    path = release.save(tmp_path / "out.csv")

    stated = hr.audit(path)

    assert stated.to_dict() == hr.audit(path, quasi=["age"], sensitive=["ill"], k=3, require=["l=2@ill"]).to_dict()
    assert [finding.requirement for finding in hr.audit(path, k=5).verdict.findings] == ["5-anonymity"]  # type: ignore[union-attr]
    assert hr.audit(path, quasi=["ill"]).verdict is None
    roles = stated_beside(path)
    assert roles is not None
    assert (roles.quasi, roles.sensitive, roles.target, roles.entity) == (("age",), ("ill",), None, None)
    assert roles.requirements == (hr.KAnonymity(3), hr.LDiversity(2, "ill"))


def test_without_a_manifest_columns_must_be_named(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")

    assert stated_beside(tmp_path / "people.parquet") is None
    assert stated_beside(PEOPLE) is None
    with pytest.raises(BadInput, match="No quasi-identifier is named"):
        hr.audit(tmp_path / "people.parquet")


def test_the_manifest_of_another_table_is_not_believed(tmp_path: Path) -> None:
    path = hr.anonymize(PEOPLE, SCHEMA, k=3).save(tmp_path / "out.csv")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))

    with pytest.raises(BadInput, match=r"not the one that its manifest describes.*name its quasi-identifiers"):
        hr.audit(path)
    assert hr.audit(path, quasi=["age"]).manifest == "differs"


def test_people_who_are_not_named_in_the_table_are_not_counted(tmp_path: Path) -> None:
    visits = PEOPLE.append_column("patient", pa.array([str(n // 2) for n in range(12)]))
    release = hr.anonymize(visits, hr.Schema(quasi=["age"], sensitive=["ill"], entity="patient"), k=3, random_state=0)
    path = release.save(tmp_path / "out.csv")

    audit = hr.audit(path)

    assert is_dropped(path, "patient")
    assert not is_dropped(path, "age")
    assert audit.people is None
    assert any("its table does not name them" in warning for warning in audit.warnings)


def test_pseudonyms_identify_people_unless_every_row_is_one(tmp_path: Path) -> None:
    visits = PEOPLE.append_column("patient", pa.array([str(n) for n in range(12)]))
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], pseudonymize=["patient"])
    path = hr.anonymize(visits, schema, k=3).save(tmp_path / "out.csv")
    stated = stated_beside(path)
    assert stated is not None
    assert stated.entity == "patient"
    assert hr.audit(path).people == 12

    path = hr.anonymize(visits, replace(schema, rows_are_people=True), k=3).save(tmp_path / "rows.csv")
    stated = stated_beside(path)
    assert stated is not None
    assert stated.entity is None


def test_requirements_that_a_manifest_does_not_hold_completely(tmp_path: Path) -> None:
    rare = hr.AlphaK(0.9, 3, "ill", value="pox")
    path = hr.anonymize(PEOPLE, SCHEMA, require=[rare]).save(tmp_path / "out.csv")

    with pytest.raises(BadInput, match=r"does not hold all of .*because it names values"):
        hr.audit(path)
    assert hr.audit(path, require=[rare]).verdict.holds  # type: ignore[union-attr]

    tree = {"any": {"lung": ["flu", "cold"], "skin": ["pox"]}}
    schema = replace(SCHEMA, hierarchies={"ill": tree})
    path = hr.anonymize(PEOPLE, schema, require=["t=1:hierarchical@ill"]).save(tmp_path / "tree.csv")
    with pytest.raises(BadInput, match=r"does not hold the tree of .*Give the hierarchy of 'ill'"):
        hr.audit(path)
    assert hr.audit(path, hierarchies={"ill": tree}).verdict.holds  # type: ignore[union-attr]
