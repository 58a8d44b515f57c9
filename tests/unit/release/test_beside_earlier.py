"""A release beside an earlier one: what it needs, what it leaves out, and what is told of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import hedgerow as hr
from hedgerow.risk.earlier import strata_of

AGES = [20 + at % 30 for at in range(90)]
ILLS = [("flu", "cold", "gout")[(at + at // 30) % 3] for at in range(90)]


def people(*at: int, **others: list[Any]) -> pa.Table:
    columns = {"who": [f"w{one}" for one in at], "age": [AGES[one % 90] for one in at]}
    return pa.table({**columns, "ill": [ILLS[one % 90] for one in at], **others})


OLD = people(*range(60))
GROWN = people(*range(90))
SCHEMA = hr.Schema(quasi=["age"], sensitive=["ill"], identifying=["who"], rows_are_people=True)
BY_ENTITY = hr.Schema(quasi=["age"], sensitive=["ill"], entity="who")
ASKED: dict[str, Any] = {"k": 4, "require": "l=2@ill", "random_state": 1}


def first(table: Any = OLD, schema: hr.Schema = SCHEMA, **others: Any) -> hr.Release:
    return hr.anonymize(table, schema, **{**ASKED, **others})


def beside(table: pa.Table, old: Any, original: Any = OLD, schema: hr.Schema = SCHEMA, **others: Any) -> hr.Release:
    return hr.anonymize(table, schema, **{**ASKED, **others}, previous=old, previous_original=original)


def test_every_requirement_is_verified_for_both_releases_together() -> None:
    release = beside(GROWN, first())
    findings = [finding.requirement for finding in release.audit.verdict.findings]  # type: ignore[union-attr]
    assert findings == [
        "4-anonymity",
        "2-diversity of ill",
        "4-anonymity in the previous release, divided by this one",
        "2-diversity of ill in the previous release, divided by this one",
        "4-anonymity in this release, divided by the previous one",
        "2-diversity of ill in this release, divided by the previous one",
    ]
    assert release.audit.rows == 90
    assert release.facts["previous"] == {"requirements": ["4-anonymity", "2-diversity of ill"]}


def test_no_class_mixes_newcomers_with_a_class_of_the_earlier_release() -> None:
    old = first()
    release = beside(GROWN, old)
    rows = release.recoding.rows
    assert rows is not None
    assert set(rows[:60].tolist()).isdisjoint(rows[60:].tolist())
    # 30 people are new: their groups are as large as all others.
    assert min(Counter(rows.tolist()).values()) >= 4


def test_the_same_table_again_is_not_divided_otherwise() -> None:
    old = first()
    release = beside(OLD, old)
    assert release.facts["rows_lost"] == 0
    assert sorted(release.classes.sizes) >= sorted(old.classes.sizes)


def test_a_coarse_release_is_divided_further() -> None:
    coarse = first(k=60)
    assert len(coarse.classes.sizes) == 1
    assert len(beside(OLD, coarse).classes.sizes) > 3


def test_what_the_method_gets_wrong_is_refused_by_the_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strata that are none: groups mix newcomers with others."""
    plain = strata_of

    def mixed(*given: Any, **options: Any) -> Any:
        strata = plain(*given, **options)
        one = np.zeros(1, dtype=bool)
        return replace(strata, of_row=np.zeros_like(strata.of_row), out=one, lonely=one, undivided=one)

    monkeypatch.setattr("hedgerow.release._previous.strata_of", mixed)
    with pytest.raises(hr.Infeasible, match="Both releases together do not meet the 4-anonymity in"):
        beside(GROWN, first())


def test_few_who_are_new_wait_for_a_later_release() -> None:
    few = people(*range(62))
    with pytest.raises(hr.Infeasible, match=r"2 records would have to be left out, and 0 records may be lost: 2 rec"):
        beside(few, first())
    release = beside(few, first(), suppression_limit=2)
    assert release.facts["rows_lost"] == 2


def test_few_who_left_take_others_with_them() -> None:
    """Nobody new has the illness of who left, and so the class of the latter cannot be published again."""
    rare = people(*range(60)).set_column(2, "ill", pa.array(["rare", *ILLS[1:60]]))
    old = first(rare)
    left = rare.slice(1)
    with pytest.raises(hr.Infeasible, match="classes of the previous release that too few people left"):
        beside(left, old, rare)
    release = beside(left, old, rare, suppression_limit=1.0)
    assert 3 <= release.facts["rows_lost"] <= 20


def test_of_a_large_class_that_few_left_only_a_part_is_left_out() -> None:
    coarse = first(k=60)
    release = beside(OLD.slice(2), coarse, suppression_limit=1.0, k=4)
    assert 4 <= release.facts["rows_lost"] < 20


@pytest.mark.parametrize("schema", [SCHEMA, BY_ENTITY])
def test_a_file_from_quarter_to_quarter(schema: hr.Schema, tmp_path: Path) -> None:
    """The third release is made beside the second, which was made beside the first."""
    places = [tmp_path / f"q{at}.csv" for at in range(3)]
    tables = [people(*range(40)), people(*range(70)), people(*range(20, 90))]
    for at, (table, place) in enumerate(zip(tables, places, strict=True)):
        given: dict[str, Any] = {}
        if at:
            before = tmp_path / f"r{at - 1}.csv"
            given = {"previous": before, "previous_original": tmp_path / f"q{at - 1}.csv"}
            given["previous_recoding"] = before.with_suffix(".json")
        pa.csv.write_csv(table, place)
        release = hr.anonymize(place, schema, **ASKED, **given, suppression_limit=1.0)
        release.save(tmp_path / f"r{at}.csv")
        release.recoding.save(tmp_path / f"r{at}.json")
    loaded = hr.Release.load(tmp_path / "r2.csv")
    assert loaded.manifest["previous"]["file"] == "r1.csv"
    assert len(loaded.manifest["previous"]["sha256"]) == 64
    assert loaded.facts["rows_lost"] < 20


def test_the_earlier_release_is_not_overwritten(tmp_path: Path) -> None:
    first().save(tmp_path / "old.csv")
    release = beside(GROWN, tmp_path / "old.csv")
    with pytest.raises(hr.BadInput, match=r"old\.csv"):
        release.save(tmp_path / "old.csv", overwrite=True)


def test_the_group_of_each_row_stays_private(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(OLD, tmp_path / "old.csv")
    assert first(tmp_path / "old.csv").recoding.rows is None
    recoding = beside(GROWN, first()).recoding
    assert "rows" not in recoding.to_dict(public=True)
    assert recoding.rows is not None
    again = hr.Recoding.load(recoding.save(tmp_path / "r.json")).rows
    assert again is not None
    assert again.tolist() == recoding.rows.tolist()


def test_a_person_who_fits_several_classes_must_have_a_known_one(tmp_path: Path) -> None:
    ages = [20] * 3 + [21] * 3 + [22] * 3
    table = people(*range(9)).set_column(1, "age", pa.array(ages))
    grown = people(*range(18)).set_column(1, "age", pa.array(ages * 2))
    old = first(table, relaxed=True)  # some people of 21 are in one class, and some in the other
    assert len(old.classes.sizes) == 2
    assert beside(grown, old, table).facts["previous"]
    old.save(tmp_path / "r.csv")
    with pytest.raises(hr.BadInput, match="Some people fit several classes of the previous release"):
        beside(grown, tmp_path / "r.csv", table)
    assert beside(grown, tmp_path / "r.csv", table, previous_recoding=old.recoding).facts["previous"]


def test_people_are_followed_although_they_grow_older() -> None:
    older = GROWN.set_column(1, "age", pa.array([age + 1 for age in AGES]))
    by_name = beside(older, first(schema=BY_ENTITY), schema=BY_ENTITY)
    assert by_name.facts["rows_lost"] == 0
    assert len(by_name.classes.sizes) > 10
    # By their rows alone, all have left and all are new.
    assert beside(older, first()).facts["rows_lost"] == 0


def test_with_levels_and_a_least_number_of_people() -> None:
    schema = hr.Schema(
        quasi=["age"],
        sensitive=["ill"],
        identifying=["who"],
        rows_are_people=True,
        hierarchies={"age": "intervals:5,10,20"},
        levels={"age": (1, 2)},
    )
    release = beside(GROWN, first(schema=schema, min_people=5), schema=schema, min_people=5)
    assert set(release.table["age"].to_pylist()) <= {f"[{at},{at + 5})" for at in range(20, 50, 5)} | {
        f"[{at},{at + 10})" for at in range(20, 50, 10)
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"previous_original": None}, "Who joined and who left shows only in the table"),
        ({"previous": None}, r"previous_original \(--previous-original\) requires previous"),
        ({"previous": OLD}, "The previous release has no manifest that fits it"),
        ({"previous_original": GROWN}, r"was made from 60 rows, .* \(previous_original=, --previous-original\)"),
        ({"previous_original": OLD.drop_columns(["age"])}, "lacks 'age'"),
        ({"publish_proportions": True}, "Proportions cannot be published beside an earlier release"),
    ],
)
def test_what_is_missing_or_impossible_is_refused(given: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {**ASKED, "previous": first(), "previous_original": OLD, **given}
    with pytest.raises(hr.BadInput, match=words):
        hr.anonymize(GROWN, SCHEMA, **asked)


def test_a_release_with_proportions_cannot_be_followed() -> None:
    with pytest.raises(hr.BadInput, match="has proportions beside it"):
        beside(GROWN, first(publish_proportions=True))


def test_pseudonyms_cannot_be_followed() -> None:
    pseudonyms = hr.Schema(quasi=["age"], sensitive=["ill"], pseudonymize=["who"], entity="who")
    with pytest.raises(hr.BadInput, match="'who' names people, also by pseudonyms"):
        beside(GROWN, first(), schema=pseudonyms)
    with pytest.raises(hr.BadInput, match="'who' names people, also by pseudonyms"):
        beside(GROWN, first(schema=pseudonyms), schema=BY_ENTITY)


def test_a_release_that_counted_people_needs_the_column_of_the_person() -> None:
    with pytest.raises(hr.BadInput, match="The previous release counted people, by 'who'"):
        beside(GROWN, first(schema=BY_ENTITY))


def test_means_of_groups_cannot_be_followed() -> None:
    schema = hr.Schema(quasi=["age"], target="ill", identifying=["who"], rows_are_people=True)
    old = hr.anonymize(OLD, schema, method="kactus", k=4)
    with pytest.raises(hr.BadInput, match="may publish means of groups"):
        hr.anonymize(GROWN, schema, k=4, previous=old, previous_original=OLD)


@pytest.mark.parametrize("method", ["mondrian", "k-member", "datafly", "kaca", "optimal", "incognito", "oka", "tdr"])
def test_every_family_of_methods_works(method: str) -> None:
    schema = hr.Schema(
        quasi=["age"], target="ill", identifying=["who"], rows_are_people=True, hierarchies={"age": "intervals:5,10"}
    )
    old = hr.anonymize(OLD, schema, method=method, k=4, random_state=1)
    release = hr.anonymize(GROWN, schema, method=method, k=4, random_state=1, previous=old, previous_original=OLD)
    assert release.facts["method"] == method
    assert release.audit.verdict is not None
    assert release.audit.verdict.holds
