"""Releases from their files: the same table, the same audit, and nothing that was changed."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput, NotAnonymous
from hedgerow.io.atomic import manifest_path, proportions_path, sha256

NAMES = ["out.csv", "out.csv.gz", "out.parquet", "OUT.CSV"]
SECRET = "Soglio"
PEOPLE = pa.table(
    {
        "name": [f"Person-{n}" for n in range(12)],
        "age": [20, 20, 20, 41, 41, 42, 42, 43, 43, 44, 20, 20],
        "city": ["?", "?", "?", "Bern", "Bern", "Bern", "Ulm", "Ulm", "Ulm", SECRET, "?", "?"],
        "ill": ["flu", "pox", "cold"] * 4,
        "income": [0, 1] * 6,
        "note": [f'0{n}, "q"\nx' for n in range(12)],
        "born": [dt.date(1980, 1, 1 + n) for n in range(12)],
        "share": [n / 3 for n in range(12)],
        "works": [True, False, None] * 4,
    }
)
ROLES: dict[str, Any] = {
    "quasi": ["age", "city"],
    "target": "income",
    "identifying": ["name"],
    "sensitive": ["ill"],
    "insensitive": ["note", "born", "share", "works"],
    "accept": ["note", "born", "share", "works"],
    "missing": ("?",),
}
SCHEMA = hr.Schema(**ROLES)
TREE = {"any": {"lung": ["flu", "cold"], "skin": ["pox"]}}


def released(**options: Any) -> hr.Release:
    return hr.anonymize(PEOPLE, SCHEMA, **{"k": 3, "random_state": 0, **options})


def rows(release: hr.Release) -> Counter[str]:
    table = release.table
    return Counter(map(str, (table if isinstance(table, pa.Table) else table.to_arrow_table()).to_pylist()))


def figures(audit: hr.Audit) -> dict[str, Any]:
    return {**audit.to_dict(), "manifest": None}


def change_manifest(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads(manifest_path(path).read_text())
    change(manifest)
    manifest_path(path).write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["mondrian", "kactus", "datafly", "k-member"])
def test_it_is_the_release_that_was_saved(name: str, method: str, tmp_path: Path) -> None:
    release = released(method=method, require=["l=2@ill", "k=4@age"], publish_proportions=True)
    loaded = hr.Release.load(release.save(tmp_path / name))
    assert rows(loaded) == rows(release)
    assert figures(loaded.audit) == figures(release.audit)
    assert loaded.audit.manifest == "fits"
    assert loaded.quasi == release.quasi
    assert loaded.target == release.target
    assert loaded.guarantee.requirements == release.guarantee.requirements
    assert repr(loaded) == repr(release)
    assert loaded.proportions is not None
    assert release.proportions is not None
    assert loaded.proportions.to_dict() == release.proportions.to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_without_proportions(name: str, tmp_path: Path) -> None:
    loaded = hr.Release.load(str(released().save(tmp_path / name)))
    assert loaded.proportions is None
    assert loaded.audit.singled_out is None


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_types_come_back(kind: str, tmp_path: Path) -> None:
    table = hr.Release.load(released().save(tmp_path / f"out.{kind}")).table.to_arrow_table()
    original = released().table.schema
    assert {name: table.schema.field(name).type for name in table.column_names} == dict(
        zip(original.names, original.types, strict=True)
    )


def test_text_that_looks_like_numbers_stays_text(tmp_path: Path) -> None:
    people = pa.table({"zip": ["01234", "01234", "99999", "99999"], "n": ["1", "2", "3", "4"]})
    release = hr.anonymize(people, hr.Schema(quasi=["zip"], insensitive=["n"], accept=["n"]), k=2)
    table = hr.Release.load(release.save(tmp_path / "out.csv")).table.to_arrow_table()
    assert sorted(table["zip"].to_pylist()) == ["01234", "01234", "99999", "99999"]
    assert sorted(table["n"].to_pylist()) == ["1", "2", "3", "4"]


def test_a_release_of_a_file(tmp_path: Path) -> None:
    PEOPLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    release = hr.anonymize(tmp_path / "people.csv", SCHEMA, k=3, random_state=0)
    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))
    assert rows(loaded) == rows(release)
    assert figures(loaded.audit) == figures(release.audit)


def test_it_has_no_recoding(tmp_path: Path) -> None:
    loaded = hr.Release.load(released().save(tmp_path / "out.csv"))
    assert loaded.private is None
    with pytest.raises(BadInput, match="its recoding is a secret that is not saved beside it"):
        loaded.recoding  # noqa: B018 - a property that raises


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_saved_again(name: str, tmp_path: Path) -> None:
    release = released(publish_proportions=True)
    first = release.save(tmp_path / "first.csv")
    again = hr.Release.load(first).save(tmp_path / name)
    twice = hr.Release.load(again)
    assert rows(twice) == rows(release)
    assert figures(twice.audit) == figures(release.audit)
    told, before = (json.loads(manifest_path(path).read_text()) for path in (again, first))
    of_files = ("output", "proportions", "types", "audit")
    assert {key: told[key] for key in told if key not in of_files} == {
        key: before[key] for key in before if key not in of_files
    }


def test_it_can_be_saved_over_itself(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv")
    loaded = hr.Release.load(path)
    loaded.save(path, overwrite=True)
    assert rows(hr.Release.load(path)) == rows(loaded)


def test_it_outlives_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    release = released()
    loaded = hr.Release.load(release.save(folder / "out.csv"))
    shutil.rmtree(folder)
    assert rows(loaded) == rows(release)


def test_it_leaves_nothing_behind(tmp_path: Path) -> None:
    path = released(publish_proportions=True).save(tmp_path / "out.csv")
    before = sorted(tmp_path.iterdir())
    hr.Release.load(path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_table_is_refused(name: str, tmp_path: Path) -> None:
    path = released().save(tmp_path / name)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BadInput, match=f"The table '{name}' is not the one that its manifest describes"):
        hr.Release.load(path)


def test_changed_or_missing_proportions_are_refused(tmp_path: Path) -> None:
    path = released(publish_proportions=True).save(tmp_path / "out.csv")
    beside = proportions_path(path)
    beside.write_text(beside.read_text() + " ")
    for _ in range(2):
        with pytest.raises(BadInput, match=r"The proportions of 'out\.csv' are not those that its manifest describes"):
            hr.Release.load(path)
        beside.unlink(missing_ok=True)


def test_proportions_from_elsewhere_are_refused(tmp_path: Path) -> None:
    other = released(publish_proportions=True).save(tmp_path / "other.csv")
    path = released().save(tmp_path / "out.csv")
    shutil.copy(proportions_path(other), proportions_path(path))
    with pytest.raises(BadInput, match=r"The proportions of 'out\.csv'"):
        hr.Release.load(path)


def test_a_table_without_manifest_is_refused(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv")
    manifest_path(path).unlink()
    with pytest.raises(BadInput, match=r"There is no manifest 'out\.csv\.manifest\.json' beside the table"):
        hr.Release.load(path)
    with pytest.raises(BadInput, match="There is no file"):
        hr.Release.load(tmp_path / "nothing.csv")
    with pytest.raises(BadInput, match="is neither"):
        hr.Release.load(tmp_path / "out.txt")


BROKEN: dict[str, Callable[[dict[str, Any]], object]] = {
    "no output": lambda said: said.pop("output"),
    "no columns": lambda said: said.pop("columns"),
    "roles of another type": lambda said: said.update(columns=[SECRET]),
    "no rows": lambda said: said.update(rows_in=SECRET),
    "no audit": lambda said: said.pop("audit"),
    "an audit of another type": lambda said: said.update(audit=SECRET),
    "requirements of another type": lambda said: said.update(require=[SECRET]),
    "requirements of other parameters": lambda said: said.update(require=[{"requirement": "k", SECRET: 1}]),
    "other columns": lambda said: said["columns"]["quasi"].append("height"),
    "a column less": lambda said: said["columns"]["insensitive"].remove("note"),
    "other rows": lambda said: said.update(rows_in=13),
    "other types": lambda said: said["types"].update(note="Int64"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_manifest_is_refused(case: str, tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv")
    change_manifest(path, BROKEN[case])
    with pytest.raises(BadInput, match=r"out\.csv") as caught:
        hr.Release.load(path)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_an_older_manifest_is_refused(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv")
    change_manifest(path, lambda said: said.pop("require"))
    with pytest.raises(BadInput, match="older version of Hedgerow"):
        hr.Release.load(path)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_the_requirements_are_verified_again(name: str, tmp_path: Path) -> None:
    """Whoever writes another k into the manifest, or another table with its digest, is told."""
    path = released().save(tmp_path / name)
    change_manifest(path, lambda said: said.update(require=[{"requirement": "k", "k": 12}]))
    with pytest.raises(NotAnonymous, match="does not meet 12-anonymity"):
        hr.Release.load(path)


def test_a_forged_table_is_not_anonymous(tmp_path: Path) -> None:
    people = pa.table({"age": [20, 20, 30, 30]})
    path = hr.anonymize(people, hr.Schema(quasi=["age"]), k=2).save(tmp_path / "out.csv")
    path.write_text("age\n20\n20\n30\n31\n")
    change_manifest(path, lambda said: said["output"].update(sha256=sha256(path)))
    with pytest.raises(NotAnonymous, match="does not meet 2-anonymity"):
        hr.Release.load(path)


def test_a_weak_release_stays_weak(tmp_path: Path) -> None:
    people = pa.table({"a": ["x", "y", "x", "y", "z"], "b": [1, 2, 3, 4, 5], "c": list("nynyn")})
    release = hr.HybridKActus(k=2, as_published=True).anonymize(people, hr.Schema(quasi=["a", "b"], target="c"))
    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))
    assert loaded.audit.warnings == release.audit.warnings
    assert "NOT guaranteed" in repr(loaded)


def test_escaped_formulas_are_read_as_they_were_written(tmp_path: Path) -> None:
    people = pa.table({"age": [20, 20], "note": ["=1+1", "b"]})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"]), k=2)
    loaded = hr.Release.load(release.save(tmp_path / "out.csv", escape_formulas=True))
    assert sorted(loaded.table.to_arrow_table()["note"].to_pylist()) == ["'=1+1", "b"]


def test_a_tree_that_the_manifest_does_not_hold(tmp_path: Path) -> None:
    schema = hr.Schema(**ROLES, hierarchies={"ill": TREE})
    release = hr.anonymize(PEOPLE, schema, k=3, require="t=0.9:hierarchical@ill")
    path = release.save(tmp_path / "out.csv")
    assert "lung" not in manifest_path(path).read_text()
    with pytest.raises(BadInput, match=r"does not hold the tree of 0\.9-closeness"):
        hr.Release.load(path)
    loaded = hr.Release.load(path, {"ill": TREE})
    assert figures(loaded.audit) == figures(release.audit)
    assert loaded.labels == {}, "it is no quasi-identifier"


def test_an_order_that_the_manifest_does_not_hold(tmp_path: Path) -> None:
    require = ["k=3", "t=0.9:ordered:order=cold,pox,flu@ill"]
    release = hr.anonymize(PEOPLE, SCHEMA, require=require)
    path = release.save(tmp_path / "out.csv")
    with pytest.raises(BadInput, match=r"does not hold the 'order' of 0\.9-closeness"):
        hr.Release.load(path)
    loaded = hr.Release.load(path, require=require)
    assert loaded.guarantee.requirements == release.guarantee.requirements
    with pytest.raises(BadInput, match="are not those of"):
        hr.Release.load(path, require=["k=2"])


def test_hierarchies_that_are_given(tmp_path: Path) -> None:
    cities = {"*": {"Switzerland": ["Bern", SECRET], "Germany": ["Ulm"]}}
    schema = hr.Schema(**ROLES, hierarchies={"city": cities})
    path = hr.anonymize(PEOPLE, schema, k=3).save(tmp_path / "out.csv")
    assert set(hr.Release.load(path, {"city": cities}).given_hierarchies) == {"city"}
    assert hr.Release.load(path).given_hierarchies == {}
    with pytest.raises(BadInput, match="There is no column 'town'"):
        hr.Release.load(path, {"town": cities})
    wrong: Any = [cities]
    with pytest.raises(BadInput, match=r"The 'hierarchies' parameter of Release\.load must be a mapping"):
        hr.Release.load(path, wrong)


def test_what_was_said_first_is_said_first_again(tmp_path: Path) -> None:
    """That next to nothing is kept is known from the original values, which a file does not have."""
    people = pa.table({"town": ["a", "b"] * 3, "sex": ["F", "M", "M", "F", "F", "M"]})
    release = hr.anonymize(people, hr.Schema(quasi=["town", "sex"]), k=6)
    assert "next to nothing" in release.audit.grave[0]
    assert hr.Release.load(release.save(tmp_path / "out.csv")).audit.grave == release.audit.grave


LIMITED = hr.Schema(
    quasi=["city", "age"],
    others="drop",
    hierarchies={"city": {"*": {"DE": ["Ulm"], "CH": ["Bern", SECRET]}}, "age": "intervals:10,30"},
    levels={"city": (1, 1), "age": (1, 2)},
    missing=("?",),
)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_limits_on_levels_are_checked_again(name: str, tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, LIMITED, k=3, random_state=0)
    path = release.save(tmp_path / name)
    loaded = hr.Release.load(path)
    assert loaded.guarantee.levels["city"].labels == ("CH", "DE", None)
    assert loaded.manifest["allowed_levels"] == release.manifest["allowed_levels"]
    assert SECRET not in manifest_path(path).read_text()
    audit = hr.audit(path, quasi=["city", "age"], missing=["?"])
    assert audit.verdict is not None
    assert [finding.holds for finding in audit.verdict.findings] == [True, True]
    change_manifest(path, lambda manifest: manifest["allowed_levels"]["city"]["labels"].remove("DE"))
    with pytest.raises(NotAnonymous, match="level 1 of 'city': the number of cells outside is 3"):
        hr.Release.load(path)
    audit = hr.audit(path, quasi=["city", "age"], missing=["?"])
    assert audit.verdict is not None
    assert [finding.holds for finding in audit.verdict.findings] == [False, True]


def test_a_manifest_with_unreadable_limits(tmp_path: Path) -> None:
    path = hr.anonymize(PEOPLE, LIMITED, k=3, random_state=0).save(tmp_path / "out.csv")
    change_manifest(path, lambda manifest: manifest["allowed_levels"]["city"].pop("finest"))
    with pytest.raises(BadInput, match=r"The manifest beside 'out\.csv' cannot be read"):
        hr.Release.load(path)
    assert hr.audit(path, quasi=["city", "age"], missing=["?"]).verdict is None


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize(("form", "kind"), [("arrow", pa.Table), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_it_comes_in_the_type_that_is_wanted(name: str, form: Any, kind: type, tmp_path: Path) -> None:
    path = released().save(tmp_path / name)

    plain, loaded = hr.Release.load(path), hr.Release.load(path, as_=form)

    assert isinstance(loaded.table, kind)
    table: Any = pa.Table.from_pandas(loaded.table) if form == "pandas" else loaded.table
    table = table.to_arrow() if form == "polars" else table
    expected = plain.table.to_arrow_table()
    assert table.column_names == expected.column_names
    for column in ("age", "city", "ill", "born", "note"):
        assert list(map(str, table[column].to_pylist())) == list(map(str, expected[column].to_pylist()))
    assert figures(loaded.audit) == figures(plain.audit)
    # It is verified and saved as any other.
    assert sha256(loaded.save(tmp_path / "again.csv")) == sha256(plain.save(tmp_path / "plain.csv"))


def test_another_type_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"'as_' parameter of Release\.load must be 'arrow', 'pandas', 'polars' or None"):
        hr.Release.load(tmp_path / "nowhere.csv", as_="numpy")  # type: ignore[arg-type]  # the mistake of this test


def test_a_type_whose_library_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = released().save(tmp_path / "out.csv")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(hr.MissingExtra, match=r"needs polars, which is not installed\. Type: pip install polars"):
        hr.Release.load(path, as_="polars")
