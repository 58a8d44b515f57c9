"""Releases in which enough people hold every value: what is coded, refused, verified and told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.coding import Coding
from hedgerow.datasets import make_hospital
from hedgerow.engines import MemorySource
from hedgerow.errors import BadInput, Disclosing, Infeasible, NotAnonymous
from hedgerow.io.atomic import manifest_path
from hedgerow.release import SmallCounts
from hedgerow.release._coding import Bounds, per_column
from hedgerow.requirements import KAnonymity, LDiversity
from hedgerow.verifier import PeoplePerValue, RareValues

TREE = {"any": {"heart": ["I21", "I22", "I50"], "lung": ["J44", "J45"]}}


def people(rows: int = 60, **columns: Any) -> dict[str, Any]:
    """Sixty people, ten of each age."""
    plain: dict[str, Any] = {
        "age": [20 + number % 6 for number in range(rows)],
        "icd": ["I21"] * 2 + ["I22"] * 3 + ["I50"] * 25 + ["J44"] * 10 + ["J45"] * 20,
        "town": ["Ulm", "Bern"] * (rows // 2),
    }
    return {**plain, **columns}


def released(table: Any, *, quasi: list[str] | None = None, **options: Any) -> hr.Release:
    described = {name: options.pop(name) for name in ("recode", "hierarchies", "kinds", "entity") if name in options}
    insensitive = options.pop("insensitive", ["town"])
    schema = hr.Schema(
        quasi=quasi or ["age"],
        sensitive=["icd"],
        insensitive=insensitive,
        accept=["icd", *insensitive],  # what these small tables disclose is not the matter here
        others="drop",
        rows_are_people="entity" not in described,
        **described,
    )
    return hr.anonymize(table, schema, **{"k": 2, "min_people": 4, **options})


def test_rare_codes_are_pooled_and_the_others_stay() -> None:
    icd = released(pd.DataFrame(people())).table["icd"]
    assert Counter(icd) == {"other": 5, "I50": 25, "J44": 10, "J45": 20}
    assert Counter(released(pl.DataFrame(people()), hierarchies={"icd": TREE}).table["icd"])["heart"] == 5


def test_nothing_changes_where_all_values_are_common() -> None:
    table = pa.table(people(icd=["I50"] * 30 + ["J44"] * 30))
    release = released(table)
    assert release.audit.coded == {}
    assert Counter(release.table["icd"].to_pylist()) == {"I50": 30, "J44": 30}


def test_quasi_identifiers_are_held_by_enough_people_too() -> None:
    release = released(pa.table(people()), min_people=15)
    assert min(Counter(release.table["age"].to_pylist()).values()) >= 15
    assert release.audit.k >= 15


def test_one_requirement_for_each_quasi_identifier_unless_k_is_as_large() -> None:
    roles = hr.Schema(quasi=["age", "sex"]).resolve(["age", "sex"])
    assert per_column([KAnonymity(3)], roles, 11) == (KAnonymity(11, ("age",)), KAnonymity(11, ("sex",)))
    assert per_column([KAnonymity(20, ("age",)), LDiversity(3, "icd")], roles, 11) != ()
    assert per_column([KAnonymity(11)], roles, 11) == ()


def test_diversity_counts_what_is_published() -> None:
    """Five codes, of which two are pooled, are four values."""
    table = pa.table(people(age=[20] * 60))
    assert released(table, require=["l=4@icd"]).audit.l == 4
    with pytest.raises(Infeasible, match="5-diversity of icd"):
        released(table, require=["l=5@icd"])


def test_distances_in_a_hierarchy_know_what_pools_publish() -> None:
    release = released(pa.table(people()), hierarchies={"icd": TREE}, require=["t=0.9:hierarchical@icd"])
    assert release.audit.verdict is not None
    assert release.audit.verdict.holds
    other = {"any": {**TREE["any"], "nerves": ["G20", "G35"]}}
    codes = ["I21"] * 2 + ["G20"] * 3 + ["I50"] * 25 + ["J44"] * 10 + ["J45"] * 20
    release = released(pa.table(people(icd=codes)), hierarchies={"icd": other}, require=["t=0.9:hierarchical@icd"])
    assert "other" in release.table["icd"].to_pylist()


def test_an_insensitive_column_may_have_a_hierarchy() -> None:
    towns = ["Ulm"] * 2 + ["Bonn"] * 2 + ["Bern"] * 56
    nested = {"*": {"Germany": ["Ulm", "Bonn"], "Switzerland": ["Bern"]}}
    release = released(pa.table(people(town=towns)), hierarchies={"town": nested})
    assert Counter(release.table["town"].to_pylist()) == {"Germany": 4, "Bern": 56}
    with pytest.raises(BadInput, match="'town', which is not a quasi-identifier or sensitive"):
        released(pa.table(people(town=towns)), hierarchies={"town": nested}, min_people=None)


def test_people_are_counted_not_rows() -> None:
    """Ann has all rows of I21: many rows, one person."""
    who = ["ann"] * 12 + [f"p{number}" for number in range(48)]
    icd = ["I21"] * 12 + ["I22"] * 4 + ["I50"] * 44
    release = released(pa.table({**people(icd=icd), "who": who}), entity="who")
    assert Counter(release.table["icd"].to_pylist()) == {"other": 16, "I50": 44}
    by_rows = released(pa.table(people(icd=icd)))
    assert by_rows.table["icd"].to_pylist().count("I21") == 12


def test_people_are_recognized_in_the_table_as_it_is() -> None:
    """A column that names people does not hide in a pool."""
    schema = hr.Schema(quasi=["born", "sex", "postcode"], insensitive=["patient_id"], others="drop")
    with pytest.raises(Disclosing, match="'patient_id' identifies people who have several rows"):
        hr.anonymize(make_hospital(1_000, random_state=1), schema, k=2, min_people=11)


def test_numbers_need_a_recode() -> None:
    table = pa.table(people(income=list(range(1000, 1060))))
    with pytest.raises(Infeasible, match="'income' holds numbers, and 60 of its 60 values are held by fewer than 4"):
        released(table, insensitive=["income"])
    release = released(table, insensitive=["income"], recode={"income": "round:20"})
    assert Counter(release.table["income"].to_pylist()) == {1000: 10, 1020: 20, 1040: 20, 1060: 10}
    told = release.audit.coded["income"]
    assert (told.how, told.changed) == ("round:20", 0.9)
    assert told.change is not None
    assert told.change == round(told.change, 2)


def test_recodes_need_no_least_number() -> None:
    table = pa.table(people(income=list(range(1000, 1060))))
    release = released(table, insensitive=["income"], recode={"income": "top:1010"}, min_people=None)
    assert Counter(release.table["income"].to_pylist())["≥1010"] == 50
    assert release.facts["recode"] == {"income": "top:1010"}
    assert "min_people" not in release.facts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_people": 0}, "'min_people' parameter of anonymize must be None or an int >= 1"),
        ({"min_people": 2.5}, "'min_people'"),
        ({"recode": {"age": "round:5"}}, "'age', which is not published in clear"),
        ({"recode": {"town": "round:5"}}, "'town', which holds text"),
        ({"recode": {"icd": "rond:5"}}, "The recode of 'icd' cannot be read"),
        ({"recode": {"twon": "round:5"}}, "A recode is given for it"),
        ({"publish_proportions": True, "min_support": 3}, "'min_support' .* at least min_people, 4"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        released(pa.table(people()), **options)


def test_a_person_cannot_be_published() -> None:
    schema = hr.Schema(quasi=["age"], insensitive=["who"], entity="who", others="drop")
    with pytest.raises(BadInput, match="'who' identifies people and is to be published unchanged"):
        hr.anonymize(pa.table({"age": [1, 1], "who": ["a", "b"]}), schema, k=1, min_people=2)


def test_pseudonyms_are_exempt_by_name() -> None:
    who = [f"p{number % 30}" for number in range(60)]
    table = pa.table({**people(), "who": who})
    schema = hr.Schema(quasi=["age"], sensitive=["icd"], pseudonymize=["who"], entity="who", others="drop")
    release = hr.anonymize(table, schema, k=2, min_people=4)
    assert release.audit.verdict is not None
    assert release.audit.verdict.findings[-1].requirement.endswith("every column except 'who'")
    assert any("Nothing is promised of 'who'" in warning for warning in release.audit.warnings)


def test_what_suppression_takes_is_pooled_in_another_round() -> None:
    """The two oldest are suppressed as outliers; they were two of the four who had J44."""
    ages = [20, 21] * 29 + [95, 99]
    icd = ["I50"] * 40 + ["J45"] * 16 + ["J44"] * 4
    table = pa.table(people(age=ages, icd=icd))
    kept = released(table, suppression_limit=0)
    assert Counter(kept.table["icd"].to_pylist())["J44"] == 4
    release = released(table, suppression_limit=2, method="datafly", k=5, min_people=4)
    assert release.recoding.lost == 2
    assert min(Counter(release.table["icd"].to_pylist()).values()) >= 4
    assert "J44" not in release.table["icd"].to_pylist()


def test_a_number_that_suppression_makes_rare_is_refused() -> None:
    ages = [20, 21] * 29 + [95, 99]
    table = pa.table(people(age=ages, days=[1] * 56 + [2] * 4))
    with pytest.raises(Infeasible, match="After 2 records were suppressed, values of 'days' are held by fewer than 4"):
        released(table, suppression_limit=2, method="datafly", k=5, insensitive=["days"])


def few(**fewest: int) -> SmallCounts:
    return SmallCounts(PeoplePerValue(11, {name: RareValues(n, 1, n) for name, n in fewest.items()}, (), "rows"))


def test_bounds_rise_until_no_loss_can_matter() -> None:
    codings = {"icd": Coding(pools=True), "days": Coding()}
    bounds = Bounds(11)
    assert (bounds.of("icd"), bounds.of("days")) == (11, 11)
    for expected in (13, 15, 17, 19, 51):
        bounds = bounds.raised(few(icd=9), codings, 40)
        assert (bounds.of("icd"), bounds.of("days")) == (expected, 11)
    with pytest.raises(Infeasible, match="After 40 records"):
        bounds.raised(few(icd=9), codings, 40)
    with pytest.raises(Infeasible, match="values of 'days'"):
        Bounds(11).raised(few(icd=9, days=3), codings, 40)
    with pytest.raises(SmallCounts, match="1 value of 'icd' is held by fewer"):
        Bounds(11).raised(few(icd=9), codings, 0)


def test_proportions_have_enough_people_behind_them() -> None:
    release = released(pa.table(people()), publish_proportions=True, min_people=7)
    assert release.proportions is not None
    assert release.proportions.min_support == 7


def test_a_changed_release_is_caught(tmp_path: Path) -> None:
    release = released(pa.table(people()))
    release.save(tmp_path / "out.csv")
    loaded = hr.Release.load(tmp_path / "out.csv")
    assert loaded.audit.coded == release.audit.coded
    assert loaded.audit.verdict is not None
    assert loaded.audit.verdict.findings[-1].measure == "people per value"
    table = release.table.to_pandas()
    table.loc[table.index[table["icd"] == "other"][0], "icd"] = "I21"
    with pytest.raises(SmallCounts, match=r"1 value of 'icd' is held by fewer"):
        release.guarantee.count_values(table)
    with pytest.raises(NotAnonymous):
        release.guarantee.count_values(table[table["icd"] != "J45"].head(20))
    assert release.guarantee.count_values(release.table) is not None
    audited = hr.audit(table, quasi=["age"], min_people=4)
    assert audited.verdict is not None
    assert not audited.verdict.holds
    assert hr.audit(release).verdict == release.audit.verdict


def test_an_audit_of_a_saved_release_exempts_its_pseudonyms(tmp_path: Path) -> None:
    table = pa.table({**people(), "case": [f"c{number}" for number in range(60)]})
    schema = hr.Schema(quasi=["age"], sensitive=["icd"], pseudonymize=["case"], others="drop", rows_are_people=True)
    hr.anonymize(table, schema, k=2, min_people=4).save(tmp_path / "out.csv")
    audit = hr.audit(tmp_path / "out.csv", quasi=["age"], min_people=4)
    assert audit.verdict is not None
    assert audit.verdict.holds
    manifest_path(tmp_path / "out.csv").unlink()
    bare = hr.audit(tmp_path / "out.csv", quasi=["age"], min_people=4)
    assert bare.verdict is not None
    assert not bare.verdict.holds


def test_no_rare_value_is_told(tmp_path: Path) -> None:
    release = released(pa.table(people(icd=["SECRET1"] * 2 + ["SECRET2"] * 3 + ["I50"] * 55)))
    release.save(tmp_path / "out.csv")
    written = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    written += [release.audit.render(), json.dumps(release.manifest, default=str), repr(release)]
    assert not any("SECRET" in text for text in written)


def test_a_source_that_is_used_again_is_not_coded_as_before() -> None:
    people = pa.table({"age": [30, 40] * 6, "job": ["cook"] * 6 + [f"job {number}" for number in range(6)]})
    source = MemorySource(people)
    roles = hr.Schema(quasi=["age"], insensitive=["job"], accept=["job"])
    assert set(hr.anonymize(source, roles, k=3, min_people=6).table["job"].to_pylist()) == {"cook", "other"}
    assert len(set(hr.anonymize(source, roles, k=3).table["job"].to_pylist())) == 7
